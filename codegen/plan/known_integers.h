// Integers that are the same for all elements, whatever the inputs are: they are known when a
// kernel is compiled, so that nothing is loaded for them.
//
// Example: in { p = s32[8] parameter(0), d = s32[8] subtract(p, p), z = s32[] constant(7),
//   b = s32[8] broadcast(z), dimensions={}, ROOT r = s32[8] maximum(d, b) } all of d are 0 and all
// of r are 7
#ifndef HLO_INDEXING_CODEGEN_PLAN_KNOWN_INTEGERS_H_
#define HLO_INDEXING_CODEGEN_PLAN_KNOWN_INTEGERS_H_

#include <cstddef>
#include <cstdint>

#include "hlo/module.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::plan {

/// An instruction whose elements all have one value: of unsigned ones of 64 bits, as a signed
/// integer of the same bits.
struct KnownInteger {
  const hlo::Instruction* instruction = nullptr;
  int64_t value = 0;
};

/// The instructions of a computation, arrays of integers or pred, that have one known value though
/// parameters are among what they are computed from, or that only say where slices of whole
/// dimensions begin: at 0. XLA's algebraic simplifier leaves none of the former.
llvm::SmallVector<KnownInteger, 2> KnownIntegersOf(const hlo::Computation& computation);

/// Whether an operand says where a dynamic-slice or -update-slice of a whole dimension begins: at
/// 0, whatever it is.
bool IsStartOfWholeDimension(const hlo::Instruction& instruction, size_t operand);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_KNOWN_INTEGERS_H_
