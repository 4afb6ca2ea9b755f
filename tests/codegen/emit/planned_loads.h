// Whether kernels load what their plans say.
#ifndef HLO_INDEXING_TESTS_CODEGEN_EMIT_PLANNED_LOADS_H_
#define HLO_INDEXING_TESTS_CODEGEN_EMIT_PLANNED_LOADS_H_

#include <string>

#include "codegen/emit/kernel.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::emit {

/// A module whose entry is a fusion with this body, whose root has this shape. The parameters, by
/// their shapes, are p0, p1, ...; `sum` adds two of the element type.
std::string FusionOf(llvm::ArrayRef<std::string> parameters, const std::string& body,
                     const std::string& shape, const std::string& element = "f32");

/// The kernel of the module is right, and moves what its plan says, which is exact.
void ExpectAsPlanned(const std::string& module, PtxBackend& backend, double tolerance = 0);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_TESTS_CODEGEN_EMIT_PLANNED_LOADS_H_
