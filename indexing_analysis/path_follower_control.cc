// Following reads through computations that are called: fusions, calls, branches and loops.
#include "indexing_analysis/called_computations.h"
#include "indexing_analysis/path_follower.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Beyond that, an array that a loop carries counts as read whole.
constexpr size_t kMaxAccessesOfState = 4;
// Loops with more arrays or instructions are not followed by element.
constexpr int64_t kMaxStateArrays = 16;
constexpr int64_t kMaxLoopInstructions = 300;

constexpr llvm::StringLiteral kLoopReason = "a loop runs an unknown number of times";

// Whether the loop's computations hold few instructions, and none that calls others but fusions.
bool IsSmall(const Instruction& loop) {
  int64_t count = 0;
  for (const AttributeName name : {AttributeName::kCondition, AttributeName::kBody}) {
    for (const Instruction* instruction : loop.Callee(name)->instructions()) {
      const Computation* callee = FollowedCallee(*instruction);
      const bool is_large = IsFollowed(*instruction) && callee == nullptr;
      count += is_large ? kMaxLoopInstructions : 1;
      if (callee != nullptr) count += static_cast<int64_t>(callee->instructions().size());
    }
  }
  return count <= kMaxLoopInstructions;
}

}  // namespace

void PathFollower::FollowCalled(const Instruction& instruction, const ReachedLeaves& reached,
                                const Frame* frame, OperandLeaves operands) {
  switch (instruction.opcode()) {
    case Opcode::kAsyncStart:
      return FollowAsyncStart(instruction, reached, frame, operands);
    case Opcode::kConditional:
      return FollowConditional(instruction, reached, frame, operands);
    case Opcode::kWhile:
      return FollowWhile(instruction, reached, frame, operands);
    default:
      return FollowCall(instruction, *FollowedCallee(instruction), reached, frame, operands);
  }
}

// A call is followed once for each set of accesses to its result: computations that call each other
// twice in a row would take exponential time otherwise.
void PathFollower::FollowCall(const Instruction& call, const Computation& callee,
                              const ReachedLeaves& reached, const Frame* frame,
                              OperandLeaves operands) {
  const CallTerms terms(sets_, reached);
  const Frame inside = {&call, frame};
  const size_t num_operands = call.operands().size();
  CallKey key = {&callee, num_operands, IsInLoop(frame), /*level=*/0, root_};
  FoundCall& shared = memory_.calls.Find(key, terms);
  if (MayNest(shared.depth) && AddFoundCall(shared, callee, terms, inside, operands)) return;
  // What is cut by how deep calls nest is cut elsewhere where they are nested less deep.
  key.level = level_;
  FoundCall& own = calls_.Find(key, terms);
  if (AddFoundCall(own, callee, terms, inside, operands)) {
    ++own_uses_;
    return;
  }
  const int64_t own_uses = own_uses_;
  const size_t first_value = table_.size();
  const size_t deepest_level = std::exchange(deepest_level_, level_ + 1);
  std::vector<ReachedLeaves> found(callee.parameters().size());
  Follow(callee, reached, inside, [&](size_t parameter) { return &found[parameter]; });
  // What async-update binds to further parameters is no operand of its start.
  if (found.size() > num_operands) found.resize(num_operands);
  AddParameters(callee, found, operands);
  if (frame == nullptr) depends_on_values_ |= inside.is_asked;
  FoundCall& remembered = own_uses == own_uses_ ? shared : own;
  const size_t depth = deepest_level_ - level_;
  deepest_level_ = std::max(deepest_level, deepest_level_);
  if (inside.is_asked || remembered.is_known || !AreNamed(found, terms, first_value)) return;
  const size_t outer_calls = CallsTo(&inside).size();
  const auto path = [&](uint32_t number) {
    const RuntimeSource& source = table_[number];
    const auto calls = llvm::ArrayRef(source.calls).drop_front(outer_calls);
    llvm::SmallVector<const Instruction*, 2> value(calls);
    value.push_back(source.instruction);
    return value;
  };
  remembered.depth = depth;
  Remember(found, terms, path, remembered);
}

// Whether the runtime values of accesses are given to the call or were met in it for the first
// time, and can be found again.
bool PathFollower::AreNamed(llvm::ArrayRef<ReachedLeaves> found, const CallTerms& terms,
                            size_t first_value) const {
  const auto is_named = [&](uint32_t number) {
    if (number < first_value) return llvm::is_contained(terms.given(), number);
    return !table_[number].is_composed;
  };
  return llvm::all_of(found, [&](const ReachedLeaves& leaves) {
    return llvm::all_of(leaves, [&](const Reached& array) {
      return llvm::all_of(array.entries, [&](const Entry& entry) {
        return llvm::all_of(entry.access->runtime, is_named);
      });
    });
  });
}

// What is known of a call, if anything is and its values can be told from others.
bool PathFollower::AddFoundCall(const FoundCall& found, const Computation& callee,
                                const CallTerms& terms, const Frame& inside,
                                OperandLeaves operands) {
  if (!found.is_known) return false;
  llvm::SmallVector<uint32_t, 4> values;
  for (const auto& path : found.values) {
    std::vector<const Instruction*> whole = CallsTo(&inside);
    whole.insert(whole.end(), path.begin(), path.end());
    // Numbers are in the order in which values have been met.
    const auto next = static_cast<uint32_t>(table_.size());
    values.push_back(NumberOfValue(whole));
    if (values.back() != next) return false;
  }
  deepest_level_ = std::max(deepest_level_, level_ + found.depth);
  Recall(found, callee, terms, values, accesses_, operands);
  return true;
}

// ((operands), result, context): the operands are handed on, the result is the computation's.
void PathFollower::FollowAsyncStart(const Instruction& start, const ReachedLeaves& reached,
                                    const Frame* frame, OperandLeaves operands) {
  const Shape& shape = start.shape();
  const Computation* callee = FollowedCallee(start);
  ReachedLeaves of_result;
  for (size_t k = 0; k < reached.size(); ++k) {
    if (!reached[k].Any()) continue;
    if (callee == nullptr || !shape.IsTuple() || shape.elements().size() < 2) {
      AddUnknownToAll(start, "async-start without a computation", OutputsOf(sets_, reached[k]),
                      operands);
      continue;
    }
    auto leaf = static_cast<int64_t>(k);
    const int64_t element = shape.ElementOfLeaf(leaf);
    leaf -= shape.FirstLeafOfElement(element);
    if (element == 1) LeafOf(of_result, callee->root().shape(), leaf) = reached[k];
    if (element != 0) continue;
    const Shape& bound = *shape.elements()[0];
    const int64_t operand = bound.ElementOfLeaf(leaf);
    Reached& target = LeafOf(*operands(static_cast<size_t>(operand)),
                             start.operand(static_cast<size_t>(operand)).shape(),
                             leaf - bound.FirstLeafOfElement(operand));
    for (const Entry& entry : reached[k].entries) AddEntry(sets_, target, entry);
  }
  if (!of_result.empty()) FollowCall(start, *callee, of_result, frame, operands);
}

// A scalar that every element that `access` reaches depends on.
const PlacedAccess* PathFollower::ScalarAccess(const PlacedAccess& access) {
  return DerivedAccess(memory_.rules.Scalar(*access.shared), access);
}

// Every branch, as any of them may run, and the selector.
void PathFollower::FollowConditional(const Instruction& conditional, const ReachedLeaves& reached,
                                     const Frame* frame, OperandLeaves operands) {
  Reached& of_selector = LeafOf(*operands(0), conditional.operand(0).shape(), 0);
  for (const Reached& array : reached) {
    for (const Entry& entry : array.entries) {
      AddEntry(sets_, of_selector, {ScalarAccess(*entry.access), entry.reason, entry.outputs});
    }
  }
  const auto branches = BranchesOf(conditional);
  for (size_t branch = 0; branch < branches.size(); ++branch) {
    Follow(*branches[branch], reached, {&conditional, frame, branch + 1},
           [&](size_t) { return operands(branch + 1); });
  }
}

// Adds what an iteration has found to what an array of the state is known to be read by; what is
// new goes to `fresh`, to be followed through one more iteration. Whether there is any.
bool PathFollower::AddToState(Reached& state, const Reached& found, const Shape& shape,
                              Reached& fresh) {
  const auto add_unknown = [&](llvm::StringRef reason, OutputSet outputs) {
    for (const auto& [known_reason, known] : state.unknown) {
      outputs = sets_.Difference(outputs, known);
    }
    AddUnknown(sets_, state, reason, outputs);
    AddUnknown(sets_, fresh, reason, outputs);
  };
  const auto add_entry = [&](const PlacedAccess* access, OutputSet outputs) {
    for (const Entry& known : state.entries) {
      if (known.access->HasContentOf(*access)) outputs = sets_.Difference(outputs, known.outputs);
    }
    for (const auto& [reason, known] : state.unknown) outputs = sets_.Difference(outputs, known);
    if (outputs == kNoOutputs) return;
    AddEntry(sets_, state, {access, kLoopReason, outputs});
    AddEntry(sets_, fresh, {access, kLoopReason, outputs});
  };
  for (const auto& [reason, outputs] : found.unknown) add_unknown(reason, outputs);
  for (const Entry& entry : found.entries) add_entry(entry.access, entry.outputs);
  const OutputSet many = OutputsAbove(state, kMaxAccessesOfState);
  if (many == kNoOutputs) return fresh.Any();
  if (shape.HasUnboundedDimension()) {
    add_unknown(kUnboundedReason, many);
    return fresh.Any();
  }
  // The whole array holds everything that may still come.
  Reached whole;
  AddWhole(whole, shape, kLoopReason, many, OutputsWithDevice(sets_, state));
  RemoveEntries(sets_, fresh, many);
  for (const Entry& entry : whole.entries) {
    OutputSet known = kNoOutputs;
    for (const Entry& old : state.entries) {
      if (old.access->HasContentOf(*entry.access)) known = sets_.Union(known, old.outputs);
    }
    AddEntry(sets_, fresh, {entry.access, kLoopReason, sets_.Difference(entry.outputs, known)});
  }
  RemoveEntries(sets_, state, many);
  for (const Entry& entry : whole.entries) AddEntry(sets_, state, entry);
  return fresh.Any();
}

// What one iteration, whose results are reached by `fresh`, reads of the state before it.
void PathFollower::FollowIteration(const Instruction& loop, ReachedLeaves fresh,
                                   const Frame& inside, ReachedLeaves& before) {
  const Computation& condition = *loop.Callee(AttributeName::kCondition);
  const Computation& body = *loop.Callee(AttributeName::kBody);
  // Whether there is a further iteration, every element depends on.
  Reached decision;
  for (const Reached& reached : fresh) {
    for (const Entry& entry : reached.entries) {
      AddEntry(sets_, decision, {ScalarAccess(*entry.access), entry.reason, entry.outputs});
    }
  }
  if (decision.Any()) {
    Follow(condition, 0, std::move(decision), inside, [&](size_t) { return &before; });
  }
  Follow(body, std::move(fresh), inside, [&](size_t) { return &before; });
}

// The state after the loop reads the state before it after any number of iterations. An array that
// the body hands on is read as it is; those of small loops to a fix point.
void PathFollower::FollowWhile(const Instruction& loop, const ReachedLeaves& reached,
                               const Frame* frame, OperandLeaves operands) {
  const Shape& shape = loop.shape();
  const Computation& body = *loop.Callee(AttributeName::kBody);
  const bool is_followed =
      !IsInLoop(frame) && shape.num_array_leaves() <= kMaxStateArrays && IsSmall(loop);
  llvm::SmallVector<int64_t> by_arrays;
  for (size_t k = 0; k < reached.size(); ++k) {
    if (!reached[k].Any()) continue;
    const auto leaf = static_cast<int64_t>(k);
    const bool is_handed_on = HandedOn(body, leaf) == leaf;
    if (is_followed && !is_handed_on) {
      FollowWhileByElement(loop, leaf, reached[k], frame, operands);
      continue;
    }
    // That the loop ends depends on its conditions.
    by_arrays.push_back(leaf);
    if (!is_handed_on) continue;
    Reached& target = LeafOf(*operands(0), shape, leaf);
    for (const Entry& entry : reached[k].entries) AddEntry(sets_, target, entry);
  }
  FollowWhileByArrays(loop, reached, by_arrays, operands);
}

// Every array that these arrays of the result depend on counts as read whole, but what is handed on
// by itself and does not decide when the loop ends.
void PathFollower::FollowWhileByArrays(const Instruction& loop, const ReachedLeaves& reached,
                                       llvm::ArrayRef<int64_t> leaves, OperandLeaves operands) {
  if (leaves.empty()) return;
  struct Dependents {
    OutputSet outputs = kNoOutputs;
    OutputSet with_device = kNoOutputs;
    // An array that is handed on and does not decide when the loop ends is alone in its group.
    bool is_handed_on = false;
  };
  const LoopReads& reads = array_reads_.ReadsOfLoop(loop);
  const Computation& body = *loop.Callee(AttributeName::kBody);
  std::map<size_t, Dependents> by_group;
  for (const int64_t leaf : leaves) {
    const Reached& array = reached[static_cast<size_t>(leaf)];
    Dependents& dependents = by_group[reads.group_of_array[static_cast<size_t>(leaf)]];
    dependents.outputs = sets_.Union(dependents.outputs, OutputsOf(sets_, array));
    dependents.with_device = sets_.Union(dependents.with_device, OutputsWithDevice(sets_, array));
    dependents.is_handed_on =
        !reads.deciding.test(static_cast<unsigned>(leaf)) && HandedOn(body, leaf) == leaf;
  }
  const Shape& shape = loop.shape();
  ReachedLeaves& state = *operands(0);
  const auto add = [&](unsigned leaf, OutputSet own_device, OutputSet any_device) {
    Reached& target = LeafOf(state, shape, leaf);
    const Shape& array = shape.ArrayLeaf(leaf);
    if (array.HasUnboundedDimension()) {
      AddUnknown(sets_, target, kUnboundedReason, sets_.Union(own_device, any_device));
      return;
    }
    AddWhole(target, array, kLoopReason, own_device, kNoOutputs);
    if (any_device == kNoOutputs) return;
    AddWhole(target, array, kLoopReason, any_device, any_device);
  };
  OutputSet all_own_device = kNoOutputs;
  OutputSet all_any_device = kNoOutputs;
  for (const auto& [number, dependents] : by_group) {
    const LoopReads::Group& group = reads.groups[number];
    const OutputSet any_device =
        group.reaches_other_devices ? dependents.outputs : dependents.with_device;
    const OutputSet own_device = sets_.Difference(dependents.outputs, any_device);
    all_own_device = sets_.Union(all_own_device, own_device);
    all_any_device = sets_.Union(all_any_device, any_device);
    if (dependents.is_handed_on) continue;
    for (const unsigned leaf : group.arrays) add(leaf, own_device, any_device);
  }
  for (const unsigned leaf : reads.deciding.set_bits()) add(leaf, all_own_device, all_any_device);
}

// Follows what has reached one array iteration by iteration, to a fix point.
void PathFollower::FollowWhileByElement(const Instruction& loop, int64_t leaf,
                                        const Reached& reached, const Frame* frame,
                                        OperandLeaves operands) {
  const Shape& shape = loop.shape();
  const auto leaves = static_cast<size_t>(shape.num_array_leaves());
  const Frame inside = {&loop, frame, 0, /*is_loop=*/true};
  ReachedLeaves state(leaves);
  ReachedLeaves fresh(leaves);
  bool any = AddToState(state[static_cast<size_t>(leaf)], reached, shape.ArrayLeaf(leaf),
                        fresh[static_cast<size_t>(leaf)]);
  while (any) {
    ReachedLeaves before;
    FollowIteration(loop, std::move(fresh), inside, before);
    fresh = ReachedLeaves(leaves);
    any = false;
    for (size_t i = 0; i < before.size(); ++i) {
      any |= AddToState(state[i], before[i], shape.ArrayLeaf(static_cast<int64_t>(i)), fresh[i]);
    }
  }
  AddAll(sets_, state, shape, *operands(0));
}

}  // namespace hlo_indexing::indexing_analysis
