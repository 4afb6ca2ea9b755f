// What is combined in memory in one step: by an instruction, or by compare and swap.
#ifndef HLO_INDEXING_CODEGEN_PLAN_ATOMICS_H_
#define HLO_INDEXING_CODEGEN_PLAN_ATOMICS_H_

#include <cstddef>
#include <cstdint>

#include "hlo/element_type.h"
#include "hlo/module.h"
#include "llvm/ADT/DenseSet.h"

namespace hlo_indexing::plan {

/// What a combiner does with an element and its update, as far as instructions know it.
enum class AtomicOperation : uint8_t {
  kAdd,
  kMinimum,
  kMaximum,
  kAnd,
  kOr,
  kXor,
  kReplace,
  kOther,
};

/// Of one of several arrays: the computation has their elements as parameters, then their updates.
AtomicOperation AtomicOperationOf(const hlo::Computation& combiner, size_t array,
                                  size_t num_arrays);

/// Whether PTX has an instruction for it: for integers of 32 and 64 bits, sums of f32 and f64, and
/// replacing what has as many bits. Minimum and maximum of floats are others there than those of
/// HLO, which are nan if one operand is.
bool HasAtomicInstruction(AtomicOperation operation, hlo::ElementType type);

/// The numbers of the parameters that an instruction of a combiner depends on.
/// Example: add(p0, negate(p2)) -> 0, 2
llvm::SmallDenseSet<int64_t, 4> ParametersOf(const hlo::Instruction& instruction);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_ATOMICS_H_
