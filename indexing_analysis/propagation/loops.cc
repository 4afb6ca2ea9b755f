#include "indexing_analysis/propagation/loops.h"

#include <map>
#include <optional>
#include <utility>

#include "indexing_analysis/propagation/called_computations.h"
#include "indexing_analysis/propagation/propagation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

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

constexpr llvm::StringLiteral kLoopReason = "a loop counts as running any number of times";

// Beyond so many pairs of arrays of which one depends on the other, every array of a loop counts as
// depending on each of those.
constexpr size_t kMaxDependentArrays = size_t{1} << 21;
constexpr llvm::StringLiteral kDependentArraysReason =
    "the arrays of a loop depend on each other in more than 2097152 pairs";
static_assert(kMaxDependentArrays == 2'097'152);

bool IsExact(const AccessSet& accesses) {
  return accesses.unknown().empty() &&
         llvm::all_of(accesses.entries(),
                      [](const AccessSet::Entry& entry) { return entry.reason.empty(); });
}

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
  std::optional<LoopIterations> iterations;
  llvm::SmallVector<int64_t> by_arrays;
  for (size_t k = 0; k < output.size(); ++k) {
    if (output[k].IsEmpty()) continue;
    const auto leaf = static_cast<int64_t>(k);
    const bool is_forwarded = ForwardedParameter(body, leaf) == leaf;
    if (by_element && !is_forwarded) {
      if (!iterations) iterations = FollowIterations(loop, frame);
      dependences |= Dependences{.outermost_call_depth = iterations->outermost_call_depth};
      const auto follow = [&] {
        return FollowEachIteration(loop, *iterations, leaf, output[k], frame, dependences);
      };
      // Nobody wants to see the steps that lead nowhere.
      Trace* const trace = std::exchange(query_.trace, nullptr);
      std::optional<AccessSets> state = follow();
      query_.trace = trace;
      if (state) {
        if (trace != nullptr) state = follow();
        AddAll(query_.outputs, *state, shape, *operands(0));
      } else {
        dependences |= PropagateByElement(loop, leaf, output[k], frame, operands);
      }
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
  // For each array of the state, by which outputs it is read. Members are joined first, as sets
  // stay for as long as the query.
  struct Readers {
    llvm::SmallBitVector executing_device;
    llvm::SmallBitVector any_device;

    void Add(const Readers& other) {
      executing_device |= other.executing_device;
      any_device |= other.any_device;
    }
  };
  std::map<unsigned, Readers> readers_of_leaf;
  Readers all;
  size_t num_pairs = 0;
  for (const auto& [number, dependents] : by_group) {
    const LoopReads::Group& group = reads.groups[number];
    const OutputSet any_device =
        group.reaches_other_devices ? dependents.outputs : dependents.with_device;
    const OutputSet executing_device = sets.Difference(dependents.outputs, any_device);
    const Readers readers{sets.Members(executing_device), sets.Members(any_device)};
    all.Add(readers);
    if (dependents.is_forwarded) continue;
    num_pairs += group.arrays.size() * sets.Members(dependents.outputs).count();
    for (const unsigned leaf : group.arrays) readers_of_leaf[leaf].Add(readers);
  }
  for (const unsigned leaf : reads.deciding.set_bits()) readers_of_leaf[leaf].Add(all);
  const bool is_beyond_limit = num_pairs > kMaxDependentArrays;
  if (is_beyond_limit) {
    for (auto& [leaf, readers] : readers_of_leaf) readers.Add(all);
  }
  const llvm::StringRef reason = is_beyond_limit ? kDependentArraysReason : kLoopReason;
  AccessSets& state = *operands(0);
  for (auto& [leaf, readers] : readers_of_leaf) {
    AddWholeArrayOfState(state, loop.shape(), leaf, reason,
                         sets.Of(std::move(readers.executing_device)),
                         sets.Of(std::move(readers.any_device)));
  }
}

void LoopPropagation::AddWholeArrayOfState(AccessSets& state, const Shape& shape, unsigned leaf,
                                           llvm::StringRef reason, OutputSet executing_device,
                                           OutputSet any_device) {
  AccessSet& target = SetOfLeaf(state, shape, leaf);
  const Shape& array = shape.ArrayLeaf(leaf);
  widening_.AddWholeArray(target, array, reason, executing_device, kNoOutputs);
  if (any_device == kNoOutputs) return;
  widening_.AddWholeArray(target, array, reason, any_device, any_device);
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

// What has reached an array after the loop goes back from iteration to iteration. All of it depends
// on the conditions before and after each of them. nullopt if the iterations are not known, or one
// of them reads nobody knows exactly what.
std::optional<AccessSets> LoopPropagation::FollowEachIteration(
    const Instruction& loop, const LoopIterations& iterations, int64_t leaf,
    const AccessSet& accesses, const CallFrame* frame, Dependences& dependences) {
  if (!iterations.is_known || !IsExact(accesses)) return std::nullopt;
  const Computation& condition = *loop.Callee(AttributeName::kCondition);
  const Computation& body = *loop.Callee(AttributeName::kBody);
  AccessSets decision(1);
  propagator_.AddScalarAccesses(accesses, decision.front());
  AccessSets state(static_cast<size_t>(loop.shape().num_array_leaves()));
  state[static_cast<size_t>(leaf)] = accesses;
  for (size_t i = iterations.states.size(); i-- > 0;) {
    CallFrame inside = CallFrame::Inside(loop, frame, /*operand_of_first_parameter=*/0,
                                         CallFrame::Kind::kIteration);
    inside.state = &iterations.states[i];
    AccessSets before(state.size());
    const auto parameters = [&](size_t) { return &before; };
    if (i + 1 < iterations.states.size()) {
      dependences |= propagator_.PropagateComputation(body, std::move(state), inside, parameters)
                         .OfCall(inside.depth);
    } else {
      before = std::move(state);
    }
    dependences |= propagator_.PropagateComputation(condition, decision, inside, parameters)
                       .OfCall(inside.depth);
    if (!llvm::all_of(before, IsExact)) return std::nullopt;
    state = std::move(before);
  }
  return state;
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
  if (shape.HasUnboundedDimension()) {
    return add_unknown(query_.Intern(UnboundedReason(shape)), many);
  }
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
