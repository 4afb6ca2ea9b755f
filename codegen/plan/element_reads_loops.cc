// Loads of elements that are made by loops: reductions, windows and products; and which of them
// several turns share.
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/plan/bytes_in_flight.h"
#include "codegen/plan/element_loops.h"
#include "codegen/plan/element_reads.h"
#include "codegen/plan/lane_maps.h"
#include "codegen/plan/loop_ranges.h"
#include "codegen/plan/thread_map.h"
#include "hlo/opcode.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;

// Initial values, then the loops, as in emit/element_loops.cc.
std::optional<ElementReads::Step> ElementReads::StepOfReduction(const PlannedElement& element) {
  const Instruction& instruction = *element.instruction;
  const size_t num_arrays = instruction.operands().size() / 2;
  Step step;
  step.index = element.index;
  for (size_t i = 0; i < num_arrays; ++i) {
    const Instruction& initial = instruction.operand(num_arrays + i);
    // A computation that combines whole results.
    if (!initial.shape().IsScalar()) return std::nullopt;
    step.operands.push_back({&initial, 0, ScalarIndex(element.index)});
  }
  if (!FindShortTurns(element, step)) return LaneByLane(element);
  LoopTurn read;
  for (size_t i = 0; i < num_arrays; ++i) {
    std::optional<PlannedElement> input = OperandAt(element, i, plans_);
    if (!input.has_value() || input->index.IsUnknown()) return std::nullopt;
    if (input->index.IsKnownEmpty()) {
      return StepTo(step.operands[static_cast<size_t>(element.leaf)]);
    }
    step.num_loops = input->index.num_ranges() - element.index.num_ranges();
    read.conditions = ConditionsOf(
        input->index,
        WithRangesInFront(element.index, input->index.ranges().take_front(step.num_loops)));
    read.elements.push_back(*std::move(input));
  }
  if (!MakeSameForAllLanes(element, read.conditions)) return LaneByLane(element);
  if (!FindInvariants(element, read.elements, step)) return std::nullopt;
  step.turns.push_back(std::move(read));
  return step;
}

// False if conditions differ from lane to lane.
bool ElementReads::FindShortTurns(const PlannedElement& element, Step& step) {
  std::optional<std::vector<ShortTurn>> turns = ShortTurnsOf(element, plans_);
  if (!turns.has_value()) return true;
  for (ShortTurn& turn : *turns) {
    for (Conditions& conditions : turn.conditions) {
      if (!MakeSameForAllLanes(element, conditions)) return false;
    }
  }
  step.short_turns = *std::move(turns);
  return true;
}

// As in emit/element_products.cc.
std::optional<ElementReads::Step> ElementReads::StepOfProducts(const PlannedElement& element) {
  if (element.instruction->operands().size() != 2) return std::nullopt;
  Step step;
  step.index = element.index;
  std::vector<PlannedElement> factors;
  for (size_t i = 0; i < 2; ++i) {
    std::optional<PlannedElement> factor = OperandAt(element, i, plans_);
    if (!factor.has_value() || factor->index.IsUnknown()) return std::nullopt;
    factors.push_back(*std::move(factor));
  }
  if (factors[0].index.IsKnownEmpty() || factors[1].index.IsKnownEmpty()) return Step();
  if (factors[0].index.num_ranges() != factors[1].index.num_ranges()) return std::nullopt;
  if (!FindShortTurns(element, step)) return LaneByLane(element);
  step.num_loops = factors[0].index.num_ranges() - element.index.num_ranges();
  const IndexingMap known =
      WithRangesInFront(element.index, factors[0].index.ranges().take_front(step.num_loops));
  for (const PlannedElement& factor : factors) {
    LoopTurn& read = step.turns.emplace_back();
    read.conditions = ConditionsOf(factor.index, known);
    if (!MakeSameForAllLanes(element, read.conditions)) return LaneByLane(element);
  }
  if (!FindInvariants(element, factors, step)) return std::nullopt;
  // Both factors are read where both conditions hold.
  step.turns.back().elements = std::move(factors);
  return step;
}

// Turns that are written out have none: the next ones find what the first one has computed. False
// if an element on the way is not followed.
bool ElementReads::FindInvariants(const PlannedElement& element,
                                  llvm::ArrayRef<PlannedElement> read, Step& step) {
  constexpr size_t kMostVisited = 1000;
  if (!step.short_turns.empty() || !HasElementLoopsBefore(*element.instruction)) return true;
  std::unordered_set<PlannedElement, PlannedElementHash> visited;
  std::vector<PlannedElement> pending(read.begin(), read.end());
  while (!pending.empty() && visited.size() < kMostVisited) {
    const PlannedElement next = std::move(pending.back());
    pending.pop_back();
    const Instruction& instruction = *next.instruction;
    const bool is_given = IsAvailable(next) || plan_.InputNumber(instruction).has_value();
    if (is_given || next.index.IsKnownEmpty() || !visited.insert(next).second) {
      continue;
    }
    if (IsMadeBeforeLoops(instruction)) {
      const auto index = IndexOutsideLoops(
          next.index, read.front().index.ranges().take_front(step.num_loops), element.index,
          instruction.shape().ArrayLeaf(next.leaf).sizes(), plans_.maps);
      if (!index.has_value()) continue;
      const PlannedElement before = {&instruction, next.leaf, *index};
      step.invariants.push_back({next, before});
      step.operands.push_back(before);
      continue;
    }
    if (std::optional<PlannedElement> alias = AliasOf(next, plans_)) {
      pending.push_back(*std::move(alias));
      continue;
    }
    if (!IsStraight(next)) continue;
    const std::optional<Step> made = StepOf(next);
    if (!made.has_value()) return false;
    llvm::append_range(pending, made->operands);
  }
  return true;
}

// What a thread loads of arrays by reads from one on: of each array, by vectors of each width, how
// often.
ElementReads::LoadCounts ElementReads::CountLoadsFrom(size_t first) const {
  LoadCounts counts;
  for (const ElementRead& read : llvm::ArrayRef(reads_).drop_front(first)) {
    if (read.IsScalar()) continue;
    std::optional<int64_t> loads =
        support::CheckedMul(read.repetitions, read.vector_elements / read.width);
    const IndexingMap& index = read.element.index;
    for (size_t i = 0; i < read.num_loops && loads.has_value(); ++i) {
      if (!DependsOnRange(index, i)) continue;
      const Interval turns = index.ranges()[i].bounds;
      loads = support::CheckedMul(*loads, turns.upper - turns.lower + 1);
    }
    int64_t& count = counts[{read.element.instruction, read.element.leaf, read.width}];
    count = support::CheckedAdd(count, loads.value_or(0)).value_or(support::kInt64Max);
  }
  return counts;
}

// Where no two turns load the same, nor what is there already, and all by vectors of one width, the
// loads of all turns are described as those of a loop: one access for each array, not one for each
// turn.
bool ElementReads::FollowShortTurns(const Step& step) {
  if (step.short_turns.empty()) return FollowLoops(step);
  // The loops first: what they have is forgotten.
  const size_t first = reads_.size();
  if (!TryLoops(step)) return false;
  const LoadCounts of_loop = CountLoadsFrom(first);
  const size_t first_of_turns = reads_.size();
  // What is read in any case is computed first.
  for (const bool is_conditional : {false, true}) {
    for (const ShortTurn& turn : step.short_turns) {
      if (turn.conditions.empty() != is_conditional && !FollowTurn(turn)) return false;
    }
  }
  const bool are_apart = CountLoadsFrom(first_of_turns) == of_loop;
  const auto begin = reads_.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<ElementRead> of_both(std::make_move_iterator(begin),
                                   std::make_move_iterator(reads_.end()));
  reads_.erase(begin, reads_.end());
  for (size_t i = 0; i < of_both.size(); ++i) {
    // A scalar is loaded as the turns have it.
    const bool is_wanted_of_loop = are_apart && !of_both[i].IsScalar();
    const bool is_of_loop = i < first_of_turns - first;
    if (is_of_loop != is_wanted_of_loop) continue;
    // The turns that it stands for are planned one by one.
    if (is_of_loop) of_both[i].is_in_short_loops = false;
    reads_.push_back(std::move(of_both[i]));
  }
  return true;
}

bool ElementReads::TryLoops(const Step& step) {
  std::vector<std::pair<Scope*, Key>> learned;
  std::vector<std::pair<Scope*, Key>>* const outer = std::exchange(learned_, &learned);
  Scope trial;
  scopes_.push_back(&trial);
  const bool are_all = FollowLoops(step);
  scopes_.pop_back();
  learned_ = outer;
  // Scopes of the loops themselves are gone.
  for (const auto& [scope, key] : learned) {
    if (llvm::is_contained(scopes_, scope)) scope->known.erase(key);
  }
  return are_all;
}

bool ElementReads::FollowTurn(const ShortTurn& turn) {
  if (scopes_.size() > kMaxElementDepth) return false;
  Scope branch;
  branch.is_branch = true;
  if (!turn.conditions.empty()) scopes_.push_back(&branch);
  const bool are_all = llvm::all_of(
      turn.elements, [this](const PlannedElement& element) { return Follow(element); });
  if (!turn.conditions.empty()) scopes_.pop_back();
  return are_all;
}

bool ElementReads::FollowLoops(const Step& step) {
  if (step.turns.empty()) return true;
  const size_t depth = scopes_.size();
  if (depth + step.turns.size() > kMaxElementDepth) return false;
  Scope turn;
  turn.num_loops = step.num_loops;
  turn.outside = &step.index;
  turn.is_written_out = !step.short_turns.empty();
  for (const Invariant& invariant : step.invariants) {
    turn.known.try_emplace(KeyOf(invariant.in_turn));
  }
  scopes_.push_back(&turn);
  std::vector<std::unique_ptr<Scope>> branches;
  bool are_all = true;
  for (const LoopTurn& read : step.turns) {
    if (!read.conditions.empty()) {
      branches.push_back(std::make_unique<Scope>());
      branches.back()->is_branch = true;
      scopes_.push_back(branches.back().get());
    }
    for (const PlannedElement& element : read.elements) are_all = are_all && Follow(element);
  }
  scopes_.resize(depth);
  return are_all;
}

namespace {

// How far the index of `to` is from that of `from` when a range of it has moved by some turns;
// nullopt if that is not the same everywhere.
std::optional<llvm::SmallVector<int64_t, 6>> DistanceOf(mlir::AffineMap from, mlir::AffineMap to,
                                                        unsigned range, int64_t turns) {
  const mlir::AffineExpr symbol = mlir::getAffineSymbolExpr(range, to.getContext());
  llvm::SmallVector<int64_t, 6> distance;
  for (unsigned i = 0; i < to.getNumResults(); ++i) {
    const auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(mlir::simplifyAffineExpr(
        to.getResult(i).replace(symbol, symbol + turns) - from.getResult(i), to.getNumDims(),
        to.getNumSymbols()));
    if (!constant) return std::nullopt;
    distance.push_back(constant.getValue());
  }
  return distance;
}

bool IsMultiple(llvm::ArrayRef<int64_t> distance, llvm::ArrayRef<int64_t> step, int64_t most) {
  for (int64_t factor = -most; factor <= most; ++factor) {
    bool is_equal = true;
    for (size_t i = 0; i < step.size(); ++i) is_equal &= distance[i] == step[i] * factor;
    if (is_equal) return true;
  }
  return false;
}

}  // namespace

// Whether `before` loads in a turn of a long loop what `after` loads in one of the next, or in that
// and other turns of short loops: a few turns of long ones stand one behind the other.
bool ElementReads::MeetInTurns(const ElementRead& after, const ElementRead& before) {
  const PlannedElement& a = after.element;
  const PlannedElement& b = before.element;
  const bool are_alike = a.instruction == b.instruction && a.leaf == b.leaf &&
                         after.num_loops == before.num_loops && after.num_loops > 0 &&
                         a.index.num_ranges() == b.index.num_ranges();
  // What is loaded before the loops has no ranges of them.
  if (!are_alike || a.index.num_ranges() < after.num_loops) return false;
  const mlir::AffineMap from = b.index.affine_map();
  const mlir::AffineMap to = a.index.affine_map();
  const auto turns_of = [&](unsigned range) {
    const Interval turns = a.index.ranges()[range].bounds;
    return turns.upper - turns.lower + 1;
  };
  const auto meets_at = [&](llvm::ArrayRef<int64_t> distance) {
    if (llvm::all_of(distance, [](int64_t by) { return by == 0; })) return true;
    for (unsigned range = 0; range < after.num_loops; ++range) {
      if (turns_of(range) >= kManyTurns) continue;
      const auto step = DistanceOf(from, from, range, 1);
      if (step.has_value() && IsMultiple(distance, *step, turns_of(range) - 1)) return true;
    }
    return false;
  };
  for (unsigned range = 0; range < after.num_loops; ++range) {
    if (turns_of(range) < kManyTurns || !to.isFunctionOfSymbol(range)) continue;
    for (int64_t turns = 1; turns < kMostTurnsAtOnce; ++turns) {
      const auto distance = DistanceOf(from, to, range, turns);
      if (distance.has_value() && meets_at(*distance)) return true;
    }
  }
  return false;
}

// What LLVM may join when it writes short loops out, or a few turns of long ones.
void ElementReads::MarkThoseOfSeveralTurns() {
  for (ElementRead& read : reads_) {
    read.may_be_once = read.may_be_once || MeetInTurns(read, read);
    for (ElementRead& other : reads_) {
      if (&other == &read) break;
      const bool is_same = read.element.instruction == other.element.instruction &&
                           read.element.leaf == other.element.leaf;
      if (!is_same) continue;
      const bool is_written_out = read.is_in_short_loops || other.is_in_short_loops;
      if (is_written_out || MeetInTurns(read, other) || MeetInTurns(other, read)) {
        read.may_be_once = other.may_be_once = true;
      }
    }
  }
}

}  // namespace hlo_indexing::plan
