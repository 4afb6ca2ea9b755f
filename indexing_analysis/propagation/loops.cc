#include "indexing_analysis/propagation/loops.h"

#include <map>
#include <utility>

#include "indexing_analysis/propagation/called_computations.h"
#include "indexing_analysis/propagation/propagation.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Shape;

// Beyond that, an array that a loop carries counts as read whole.
constexpr size_t kMaxAccessesOfState = 4;
// Loops with more arrays or instructions are not propagated by element.
constexpr int64_t kMaxStateArrays = 16;
constexpr int64_t kMaxLoopInstructions = 300;

constexpr llvm::StringLiteral kLoopReason = "a loop runs an unknown number of times";

// Whether the loop's computations hold few instructions, and none that calls others but fusions.
bool IsSmall(const Instruction& loop) {
  int64_t count = 0;
  for (const AttributeName name : {AttributeName::kCondition, AttributeName::kBody}) {
    for (const Instruction* instruction : loop.Callee(name)->instructions()) {
      const Computation* callee = CalleeOf(*instruction);
      const bool is_large = HasControlFlow(*instruction) && callee == nullptr;
      count += is_large ? kMaxLoopInstructions : 1;
      if (callee != nullptr) count += static_cast<int64_t>(callee->instructions().size());
    }
  }
  return count <= kMaxLoopInstructions;
}

}  // namespace

// An array that the body forwards is read as it is.
Dependences LoopPropagation::Propagate(const Instruction& loop, const AccessSets& output,
                                       const CallFrame* frame, OperandSets operands) {
  const Shape& shape = loop.shape();
  const Computation& body = *loop.Callee(AttributeName::kBody);
  const bool by_element =
      !IsInLoop(frame) && shape.num_array_leaves() <= kMaxStateArrays && IsSmall(loop);
  Dependences dependences;
  llvm::SmallVector<int64_t> by_arrays;
  for (size_t k = 0; k < output.size(); ++k) {
    if (output[k].IsEmpty()) continue;
    const auto leaf = static_cast<int64_t>(k);
    const bool is_forwarded = ForwardedParameter(body, leaf) == leaf;
    if (by_element && !is_forwarded) {
      dependences |= PropagateByElement(loop, leaf, output[k], frame, operands);
      continue;
    }
    // That the loop ends depends on its conditions.
    by_arrays.push_back(leaf);
    if (!is_forwarded) continue;
    AccessSet& target = SetOfLeaf(*operands(0), shape, leaf);
    for (const AccessSet::Entry& entry : output[k].entries()) target.Add(query_.outputs, entry);
  }
  PropagateByArrays(loop, output, by_arrays, operands);
  return dependences;
}

// Every array that these arrays of the result depend on counts as read whole, but what is forwarded
// and does not decide when the loop ends.
void LoopPropagation::PropagateByArrays(const Instruction& loop, const AccessSets& output,
                                        llvm::ArrayRef<int64_t> leaves, OperandSets operands) {
  if (leaves.empty()) return;
  struct Dependents {
    OutputSet outputs = kNoOutputs;
    OutputSet with_device = kNoOutputs;
    // An array that is forwarded and does not decide when the loop ends is alone in its group.
    bool is_forwarded = false;
  };
  OutputSets& sets = query_.outputs;
  const LoopReads& reads = query_.array_reads.ReadsOfLoop(loop);
  const Computation& body = *loop.Callee(AttributeName::kBody);
  std::map<size_t, Dependents> by_group;
  for (const int64_t leaf : leaves) {
    const AccessSet& array = output[static_cast<size_t>(leaf)];
    Dependents& dependents = by_group[reads.group_of_array[static_cast<size_t>(leaf)]];
    dependents.outputs = sets.Union(dependents.outputs, array.Outputs(sets));
    dependents.with_device = sets.Union(dependents.with_device, array.OutputsWithDevice(sets));
    dependents.is_forwarded =
        !reads.deciding.test(static_cast<unsigned>(leaf)) && ForwardedParameter(body, leaf) == leaf;
  }
  AccessSets& state = *operands(0);
  OutputSet all_executing_device = kNoOutputs;
  OutputSet all_any_device = kNoOutputs;
  for (const auto& [number, dependents] : by_group) {
    const LoopReads::Group& group = reads.groups[number];
    const OutputSet any_device =
        group.reaches_other_devices ? dependents.outputs : dependents.with_device;
    const OutputSet executing_device = sets.Difference(dependents.outputs, any_device);
    all_executing_device = sets.Union(all_executing_device, executing_device);
    all_any_device = sets.Union(all_any_device, any_device);
    if (dependents.is_forwarded) continue;
    for (const unsigned leaf : group.arrays) {
      AddWholeArrayOfState(state, loop.shape(), leaf, executing_device, any_device);
    }
  }
  for (const unsigned leaf : reads.deciding.set_bits()) {
    AddWholeArrayOfState(state, loop.shape(), leaf, all_executing_device, all_any_device);
  }
}

void LoopPropagation::AddWholeArrayOfState(AccessSets& state, const Shape& shape, unsigned leaf,
                                           OutputSet executing_device, OutputSet any_device) {
  AccessSet& target = SetOfLeaf(state, shape, leaf);
  const Shape& array = shape.ArrayLeaf(leaf);
  OutputSets& sets = query_.outputs;
  if (array.HasUnboundedDimension()) {
    target.AddUnknown(sets, kUnboundedReason, sets.Union(executing_device, any_device));
    return;
  }
  widening_.AddWholeArray(target, array, kLoopReason, executing_device, kNoOutputs);
  if (any_device == kNoOutputs) return;
  widening_.AddWholeArray(target, array, kLoopReason, any_device, any_device);
}

// Propagates what has reached one array iteration by iteration, to a fixed point.
Dependences LoopPropagation::PropagateByElement(const Instruction& loop, int64_t leaf,
                                                const AccessSet& accesses, const CallFrame* frame,
                                                OperandSets operands) {
  const Shape& shape = loop.shape();
  const auto num_arrays = static_cast<size_t>(shape.num_array_leaves());
  const CallFrame inside =
      CallFrame::Inside(loop, frame, /*operand_of_first_parameter=*/0, CallFrame::Kind::kLoop);
  Dependences dependences;
  AccessSets state(num_arrays);
  AccessSets fresh(num_arrays);
  JoinState(accesses, shape.ArrayLeaf(leaf), state[static_cast<size_t>(leaf)],
            fresh[static_cast<size_t>(leaf)]);
  while (llvm::any_of(fresh, [](const AccessSet& array) { return !array.IsEmpty(); })) {
    AccessSets before;
    dependences |= PropagateIteration(loop, fresh, inside, before);
    fresh = AccessSets(num_arrays);
    for (size_t i = 0; i < before.size(); ++i) {
      JoinState(before[i], shape.ArrayLeaf(static_cast<int64_t>(i)), state[i], fresh[i]);
    }
  }
  AddAll(query_.outputs, state, shape, *operands(0));
  return dependences;
}

// What one iteration, whose results are reached by `after`, reads of the state before it.
Dependences LoopPropagation::PropagateIteration(const Instruction& loop, const AccessSets& after,
                                                const CallFrame& inside, AccessSets& before) {
  const Computation& condition = *loop.Callee(AttributeName::kCondition);
  const Computation& body = *loop.Callee(AttributeName::kBody);
  const auto parameters = [&](size_t) { return &before; };
  Dependences dependences;
  // Whether there is a further iteration, every element depends on.
  AccessSets decision(1);
  for (const AccessSet& array : after) propagator_.AddScalarAccesses(array, decision.front());
  if (!decision.front().IsEmpty()) {
    dependences |=
        propagator_.PropagateComputation(condition, std::move(decision), inside, parameters)
            .OfCall(inside.depth);
  }
  dependences |=
      propagator_.PropagateComputation(body, after, inside, parameters).OfCall(inside.depth);
  return dependences;
}

// Adds what an iteration has found to what an array of the state is known to be read by; what is
// new goes to `fresh`, to be propagated through one more iteration.
void LoopPropagation::JoinState(const AccessSet& found, const Shape& shape, AccessSet& state,
                                AccessSet& fresh) {
  OutputSets& sets = query_.outputs;
  const auto add_unknown = [&](llvm::StringRef reason, OutputSet outputs) {
    for (const AccessSet::Unknown& known : state.unknown()) {
      outputs = sets.Difference(outputs, known.outputs);
    }
    state.AddUnknown(sets, reason, outputs);
    fresh.AddUnknown(sets, reason, outputs);
  };
  for (const AccessSet::Unknown& unknown : found.unknown()) {
    add_unknown(unknown.reason, unknown.outputs);
  }
  for (const AccessSet::Entry& entry : found.entries()) {
    OutputSet outputs = entry.outputs;
    for (const AccessSet::Entry& known : state.entries()) {
      if (known.access->HasContentOf(*entry.access)) {
        outputs = sets.Difference(outputs, known.outputs);
      }
    }
    for (const AccessSet::Unknown& known : state.unknown()) {
      outputs = sets.Difference(outputs, known.outputs);
    }
    if (outputs == kNoOutputs) continue;
    state.Add(sets, {entry.access, kLoopReason, outputs});
    fresh.Add(sets, {entry.access, kLoopReason, outputs});
  }
  const OutputSet many = state.OutputsWithMoreThan(sets, kMaxAccessesOfState);
  if (many == kNoOutputs) return;
  if (shape.HasUnboundedDimension()) return add_unknown(kUnboundedReason, many);
  WidenState(many, shape, state, fresh);
}

// The whole array holds everything that may still come.
void LoopPropagation::WidenState(OutputSet outputs, const Shape& shape, AccessSet& state,
                                 AccessSet& fresh) {
  OutputSets& sets = query_.outputs;
  AccessSet whole;
  widening_.AddWholeArray(whole, shape, kLoopReason, outputs, state.OutputsWithDevice(sets));
  fresh.Remove(sets, outputs);
  for (const AccessSet::Entry& entry : whole.entries()) {
    OutputSet known = kNoOutputs;
    for (const AccessSet::Entry& old : state.entries()) {
      if (old.access->HasContentOf(*entry.access)) known = sets.Union(known, old.outputs);
    }
    fresh.Add(sets, {entry.access, kLoopReason, sets.Difference(entry.outputs, known)});
  }
  state.Remove(sets, outputs);
  for (const AccessSet::Entry& entry : whole.entries()) state.Add(sets, entry);
}

}  // namespace hlo_indexing::indexing_analysis
