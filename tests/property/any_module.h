// What must hold of the answers about any module that the verifier accepts, however it was made.
#ifndef HLO_INDEXING_TESTS_PROPERTY_ANY_MODULE_H_
#define HLO_INDEXING_TESTS_PROPERTY_ANY_MODULE_H_

#include <cstdint>
#include <string>

#include "mlir/IR/MLIRContext.h"
#include "tests/property/random.h"

namespace hlo_indexing::testing {

/// How far modules have come.
struct AnyModuleCount {
  int64_t accepted = 0;  // by parser and verifier
  int64_t ran = 0;       // of these, compared with a run
};

/// Maps every instruction of the entry in both directions and runs the root, if the verifier
/// accepts the module. What is wrong with the answers: a map that does not verify, one that leaves
/// its array, one that is not what a run reads. Empty where all is right, or where the module is
/// refused.
std::string CheckAnyModule(const std::string& text, Random& random, mlir::MLIRContext* context,
                           AnyModuleCount& count);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_ANY_MODULE_H_
