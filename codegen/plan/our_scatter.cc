// Scatters: those that can be updated in place are launched as XLA launches them, a thread for some
// updates; others are loops, in which every element looks for its updates.
#include "codegen/plan/atomics.h"
#include "codegen/plan/our_emitters.h"
#include "codegen/plan/thread_map.h"
#include "codegen/plan/xla_emitters.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// Whether the arrays are inputs of the kernel that nothing else in it reads, and whose elements
// have the places of the outputs', so that the memory of these can be theirs.
bool AreInputs(const FusedComputation& fused, const Instruction& scatter) {
  const size_t num_arrays = scatter.operands().size() / 2;
  for (size_t i = 0; i < num_arrays; ++i) {
    const Instruction* array = &scatter.operand(i);
    const hlo::Shape& updated = scatter.shape().ArrayLeaf(static_cast<int64_t>(i));
    if (!HaveSamePlaces(array->shape(), updated)) return false;
    while (array->opcode() == Opcode::kBitcast && fused.Contains(*array)) {
      array = &array->operand(0);
    }
    if (!llvm::is_contained(fused.inputs(), array)) return false;
    size_t reads = 0;
    for (const Instruction* user : fused.instructions()) {
      reads += static_cast<size_t>(llvm::count(user->operands(), array));
    }
    if (reads != 1) return false;
  }
  return true;
}

// Whether what becomes of each array depends on its own element and update only.
bool IsSeparable(const hlo::Computation& combiner, size_t num_arrays) {
  for (size_t array = 0; array < num_arrays; ++array) {
    const Instruction* root = &combiner.root();
    if (root->opcode() == Opcode::kTuple) root = &root->operand(array);
    for (const int64_t parameter : ParametersOf(*root)) {
      if (static_cast<size_t>(parameter) % num_arrays != array) return false;
    }
  }
  return true;
}

}  // namespace

KernelPlan PlanOurScatter(const EmitterInput& input) {
  const Instruction& scatter = *input.fused.roots().front().instruction;
  const size_t num_arrays = scatter.operands().size() / 2;
  const bool is_unique = scatter.Get<bool>(AttributeName::kUniqueIndices).value_or(false);
  // The widest that is compared and swapped. What shares a byte is not written alone, and of an s4
  // that has a byte the atomic operation would have to know the sign.
  constexpr int64_t kMostAtomicBits = 64;
  const bool has_atomics = input.fused.LargestOutputBits() <= kMostAtomicBits &&
                           IsSeparable(*scatter.Callee(AttributeName::kToApply), num_arrays);
  const bool has_updates = scatter.operand(num_arrays + 1).shape().num_elements() > 0;
  if (has_updates && input.fused.SmallestOutputBits() >= 8 && (is_unique || has_atomics) &&
      AreInputs(input.fused, scatter)) {
    return PlanScatter(input);
  }
  return PlanOurLoop(input);
}

}  // namespace hlo_indexing::plan
