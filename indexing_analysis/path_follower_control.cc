// Following reads through computations that are called: fusions, calls, branches and loops.
#include <set>

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
constexpr size_t kMaxStateArrays = 16;
constexpr int64_t kMaxLoopInstructions = 300;

constexpr llvm::StringLiteral kLoopReason = "a loop runs an unknown number of times";

// The array of the parameter that array `leaf` of the root is handed on from unchanged; nothing
// where it may be changed.
std::optional<int64_t> HandedOn(const Computation& computation, int64_t leaf) {
  const Instruction* instruction = &computation.root();
  while (true) {
    switch (instruction->opcode()) {
      case Opcode::kParameter:
        return leaf;
      case Opcode::kTuple: {
        const int64_t element = instruction->shape().ElementOfLeaf(leaf);
        leaf -= instruction->shape().FirstLeafOfElement(element);
        instruction = &instruction->operand(static_cast<size_t>(element));
        break;
      }
      case Opcode::kGetTupleElement:
        leaf += instruction->operand(0).shape().FirstLeafOfElement(
            instruction->Required<int64_t>(AttributeName::kIndex));
        instruction = &instruction->operand(0);
        break;
      case Opcode::kCopy:
      case Opcode::kOptimizationBarrier:
        instruction = &instruction->operand(0);
        break;
      default:
        return std::nullopt;
    }
  }
}

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

llvm::SmallVector<const Computation*, 4> Branches(const Instruction& conditional) {
  using Computations = llvm::ArrayRef<const Computation*>;
  const Computations branches =
      conditional.Get<Computations>(AttributeName::kBranchComputations).value_or(Computations());
  if (!branches.empty()) return {branches.begin(), branches.end()};
  return {conditional.Callee(AttributeName::kTrueComputation),
          conditional.Callee(AttributeName::kFalseComputation)};
}

}  // namespace

void PathFollower::FollowCalled(const Instruction& instruction, int64_t leaf,
                                const Reached& reached, const Frame* frame,
                                OperandLeaves operands) {
  switch (instruction.opcode()) {
    case Opcode::kAsyncStart:
      return FollowAsyncStart(instruction, leaf, reached, frame, operands);
    case Opcode::kConditional:
      return FollowConditional(instruction, leaf, reached, frame, operands);
    case Opcode::kWhile:
      return FollowWhile(instruction, leaf, reached, frame, operands);
    default:
      return FollowCall(instruction, *FollowedCallee(instruction), leaf, reached, frame, operands);
  }
}

// A call is followed once for each set of accesses to its result: computations that call each other
// twice in a row would take exponential time otherwise.
void PathFollower::FollowCall(const Instruction& call, const Computation& callee, int64_t leaf,
                              const Reached& reached, const Frame* frame, OperandLeaves operands) {
  const auto key =
      std::tuple(&callee, leaf, std::vector<Entry>(reached.entries.begin(), reached.entries.end()));
  if (const auto known = calls_.find(key); known != calls_.end()) {
    AddParameters(callee, known->second, operands);
    return;
  }
  const int64_t value_uses = value_uses_;
  std::vector<ReachedLeaves> found(callee.parameters().size());
  Follow(callee, leaf, reached, {&call, frame},
         [&](size_t parameter) { return &found[parameter]; });
  // What async-update binds to further parameters is no operand of its start.
  if (found.size() > call.operands().size()) found.resize(call.operands().size());
  AddParameters(callee, found, operands);
  // What is read where a value says so may differ from call to call.
  if (value_uses_ == value_uses) calls_.emplace(key, std::move(found));
}

// ((operands), result, context): the operands are handed on, the result is the computation's.
void PathFollower::FollowAsyncStart(const Instruction& start, int64_t leaf, const Reached& reached,
                                    const Frame* frame, OperandLeaves operands) {
  const Shape& shape = start.shape();
  const Computation* callee = FollowedCallee(start);
  if (callee == nullptr || !shape.IsTuple() || shape.elements().size() < 2) {
    return AddUnknownToAll(start, "async-start without a computation", operands);
  }
  const int64_t element = shape.ElementOfLeaf(leaf);
  leaf -= shape.FirstLeafOfElement(element);
  if (element == 1) return FollowCall(start, *callee, leaf, reached, frame, operands);
  if (element > 1) return;
  const Shape& bound = *shape.elements()[0];
  const int64_t operand = bound.ElementOfLeaf(leaf);
  Reached& target = LeafOf(*operands(static_cast<size_t>(operand)),
                           start.operand(static_cast<size_t>(operand)).shape(),
                           leaf - bound.FirstLeafOfElement(operand));
  for (const Entry& entry : reached.entries) AddEntry(target, entry);
}

// A scalar that every element that `access` reaches depends on.
const PathFollower::UniqueAccess* PathFollower::ScalarAccess(const UniqueAccess& access) {
  Access scalar = access.access;
  scalar.map.results.erase(
      scalar.map.results.begin(),
      scalar.map.results.begin() + static_cast<std::ptrdiff_t>(scalar.Index().size()));
  Settle(scalar);
  return Intern(std::move(scalar));
}

// Every branch, as any of them may run, and the selector.
void PathFollower::FollowConditional(const Instruction& conditional, int64_t leaf,
                                     const Reached& reached, const Frame* frame,
                                     OperandLeaves operands) {
  const auto branches = Branches(conditional);
  Reached& of_selector = LeafOf(*operands(0), conditional.operand(0).shape(), 0);
  for (const Entry& entry : reached.entries) {
    AddEntry(of_selector, {ScalarAccess(*entry.access), entry.reason});
  }
  for (size_t branch = 0; branch < branches.size(); ++branch) {
    Follow(*branches[branch], leaf, reached, {&conditional, frame, branch + 1},
           [&](size_t) { return operands(branch + 1); });
  }
}

// Adds what an iteration has found to what an array of the state is known to be read by; the new
// entries go to `fresh`, to be followed through one more iteration. Whether there are any.
bool PathFollower::AddToState(Reached& state, const Reached& found, const Shape& shape,
                              Reached& fresh) {
  if (!state.unknown.empty()) return false;
  if (!found.unknown.empty()) {
    AddUnknown(state, found.unknown);
    fresh = state;
    return true;
  }
  bool any = false;
  for (const Entry& entry : found.entries) {
    const bool is_known = llvm::any_of(
        state.entries, [&](const Entry& known) { return known.access == entry.access; });
    if (is_known) continue;
    any = true;
    state.entries.push_back({entry.access, kLoopReason});
    fresh.entries.push_back(state.entries.back());
  }
  if (!any || state.entries.size() <= kMaxAccessesOfState) return any;
  if (shape.HasUnboundedDimension()) {
    AddUnknown(state, "a dimension has no bound");
    fresh = state;
    return true;
  }
  // The whole array holds everything that may still come.
  Access whole = WholeArray(shape, state.entries);
  const UniqueAccess* unique = Intern(std::move(whole));
  const bool is_known = state.entries.front().access == unique;
  state.entries.assign(1, {unique, kLoopReason});
  fresh.entries = state.entries;
  return !is_known;
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
      AddEntry(decision, {ScalarAccess(*entry.access), entry.reason});
    }
  }
  if (decision.Any()) {
    Follow(condition, 0, std::move(decision), inside, [&](size_t) { return &before; });
  }
  Follow(body, std::move(fresh), inside, [&](size_t) { return &before; });
}

// Where a loop is too large to be followed by element: every array that the result depends on
// counts as read whole.
void PathFollower::FollowWhileByArrays(const Instruction& loop, int64_t leaf,
                                       const Reached& reached, OperandLeaves operands) {
  const Shape& shape = loop.shape();
  ReachedLeaves& result = *operands(0);
  for (const auto& [operand, state_leaf] : ReadsOf(loop, leaf, /*call_depth=*/0)) {
    Reached& target = LeafOf(result, shape, state_leaf);
    const Shape& array = shape.ArrayLeaf(state_leaf);
    if (state_leaf == leaf && HandedOn(*loop.Callee(AttributeName::kBody), leaf) == leaf) continue;
    if (array.HasUnboundedDimension()) {
      AddUnknown(target, "a dimension has no bound");
      continue;
    }
    Access whole = WholeArray(array, reached.entries);
    if (!whole.map.empty) AddEntry(target, {Intern(std::move(whole)), kLoopReason});
  }
}

void PathFollower::AddReadsOfCalled(const Instruction& instruction, int64_t leaf, int call_depth,
                                    ArrayReads& reads) {
  switch (instruction.opcode()) {
    case Opcode::kWhile:
      return AddReadsOfWhile(instruction, leaf, call_depth, reads);
    case Opcode::kConditional: {
      reads.emplace_back(0, 0);
      const auto branches = Branches(instruction);
      for (size_t branch = 0; branch < branches.size(); ++branch) {
        for (const auto& [parameter, array] : ReadsOfCallee(*branches[branch], leaf, call_depth)) {
          reads.emplace_back(branch + 1, array);
        }
      }
      return;
    }
    case Opcode::kAsyncStart:
      // Operands and result stand beside each other.
      return AddReadsOfRule(instruction, leaf, reads);
    default:
      reads = ReadsOfCallee(*FollowedCallee(instruction), leaf, call_depth);
  }
}

// The arrays of the state that an array depends on after any number of iterations.
void PathFollower::AddReadsOfWhile(const Instruction& loop, int64_t leaf, int call_depth,
                                   ArrayReads& reads) {
  const Computation& body = *loop.Callee(AttributeName::kBody);
  llvm::SmallVector<int64_t, 8> pending = {leaf};
  std::set<int64_t> reached = {leaf};
  const auto add = [&](const ArrayReads& found) {
    for (const auto& [parameter, array] : found) {
      if (reached.insert(array).second) pending.push_back(array);
    }
  };
  add(ReadsOfCallee(*loop.Callee(AttributeName::kCondition), 0, call_depth));
  while (!pending.empty()) {
    const int64_t next = pending.pop_back_val();
    if (HandedOn(body, next) == next) continue;
    add(ReadsOfCallee(body, next, call_depth));
  }
  for (const int64_t array : reached) reads.emplace_back(0, array);
}

// The state after the loop reads the state before it after any number of iterations. An array that
// the body hands on is read as it is; the others to a fix point.
void PathFollower::FollowWhile(const Instruction& loop, int64_t leaf, const Reached& reached,
                               const Frame* frame, OperandLeaves operands) {
  const Shape& shape = loop.shape();
  ReachedLeaves& result = *operands(0);
  if (HandedOn(*loop.Callee(AttributeName::kBody), leaf) == leaf) {
    Reached& target = LeafOf(result, shape, leaf);
    for (const Entry& entry : reached.entries) AddEntry(target, entry);
    // That the loop ends depends on its conditions.
    return FollowWhileByArrays(loop, leaf, reached, operands);
  }
  const size_t leaves = static_cast<size_t>(shape.num_array_leaves());
  if (IsInLoop(frame) || leaves > kMaxStateArrays || !IsSmall(loop)) {
    return FollowWhileByArrays(loop, leaf, reached, operands);
  }
  const Frame inside = {&loop, frame, 0, /*is_loop=*/true};
  ReachedLeaves state(leaves);
  ReachedLeaves fresh(leaves);
  bool any = AddToState(state[static_cast<size_t>(leaf)], reached, shape.ArrayLeaf(leaf),
                        fresh[static_cast<size_t>(leaf)]);
  while (any) {
    ReachedLeaves before;
    FollowIteration(loop, std::move(fresh), inside, before);
    fresh.assign(leaves, Reached());
    any = false;
    for (size_t i = 0; i < before.size(); ++i) {
      any |= AddToState(state[i], before[i], shape.ArrayLeaf(static_cast<int64_t>(i)), fresh[i]);
    }
  }
  AddAll(state, shape, result);
}

}  // namespace hlo_indexing::indexing_analysis
