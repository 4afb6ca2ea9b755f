// What changes no result of a reduction. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_REDUCER_IDENTITY_H_
#define HLO_INDEXING_CODEGEN_EMIT_REDUCER_IDENTITY_H_

#include <optional>

#include "codegen/emit/kernel_builder.h"
#include "codegen/emit/number.h"
#include "hlo/module.h"

namespace hlo_indexing::emit {

/// The operand of a reducer that does not change the other one; nullopt if the reducer is not one
/// operation of both of its parameters.
/// Example: add { a + b } -> -0.0, as 0 would change -0
std::optional<Number> EmitIdentity(KernelBuilder& builder, const hlo::Computation& reducer);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_REDUCER_IDENTITY_H_
