#include "codegen/plan/element_reads.h"

#include "codegen/plan/bytes_in_flight.h"
#include "codegen/plan/constants.h"
#include "codegen/plan/element_loops.h"
#include "codegen/plan/lane_maps.h"
#include "codegen/plan/loop_ranges.h"
#include "codegen/plan/thread_map.h"
#include "hlo/opcode.h"
#include "indexing_analysis/maps/read_map.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "simplifier/arithmetic.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// A constraint that holds where one of the conditions does not. Of each expression e that must lie
// in [l, l + n - 1] and has values in [a, b], ((e - l) floordiv n) mod k is 0 there and nowhere
// else, if k is the number of values of the quotient: their sum is at least 1. nullopt if a value
// has no bounds.
// Example: d0 in [0, 9], not in [3, 5] -> ((d0 - 3) floordiv 3) mod 4 in [1, 3]
std::optional<MapConstraint> NotAll(const Conditions& conditions) {
  mlir::AffineExpr sum;
  int64_t most = 0;
  for (size_t i = 0; i < conditions.bounds.size(); ++i) {
    const mlir::AffineExpr expression =
        conditions.expressions.affine_map().getResult(static_cast<unsigned>(i));
    const Interval values = RangeOfResult(WithResults(conditions.expressions, {expression}));
    if (values.IsEmpty() || !values.IsFinite()) return std::nullopt;
    Interval wanted = conditions.bounds[i];
    // Beyond its values, a bound says nothing.
    wanted = wanted.Intersect({values.lower, values.upper});
    if (wanted.IsEmpty()) return std::nullopt;
    const int64_t size = wanted.upper - wanted.lower + 1;
    const int64_t first = support::FloorDiv(values.lower - wanted.lower, size);
    const int64_t last = support::FloorDiv(values.upper - wanted.lower, size);
    // It always holds.
    if (first == last) continue;
    const int64_t count = last - first + 1;
    const mlir::AffineExpr outside = (expression - wanted.lower).floorDiv(size) % count;
    sum = sum ? sum + outside : outside;
    most += count - 1;
  }
  if (!sum) return std::nullopt;
  return MapConstraint{sum, {1, most}};
}

IndexingMap WithConstraint(const IndexingMap& map, const MapConstraint& constraint,
                           MapTable& maps) {
  std::vector<MapConstraint> constraints(map.constraints());
  constraints.push_back(constraint);
  return maps.Simplified(
      {map.affine_map(), map.dimensions(), map.ranges(), map.runtime(), constraints});
}

// The only element of an array, which `index` leads to, where another index is.
IndexingMap ZeroIndex(const IndexingMap& like, const IndexingMap& index) {
  const llvm::SmallVector<mlir::AffineExpr, 4> zeros(
      index.affine_map().getNumResults(), mlir::getAffineConstantExpr(0, like.context()));
  return WithResults(like, zeros);
}

}  // namespace

ElementReads::Step ElementReads::StepTo(PlannedElement only) {
  Step step;
  step.operands.push_back(std::move(only));
  return step;
}

std::optional<std::vector<ElementRead>> ElementReads::Of(const ElementPass& pass, size_t loop,
                                                         bool has_all_threads) {
  available_ = pass.available;
  is_stored_ = pass.store != StoreKind::kNone;
  reads_.clear();
  num_elements_ = 0;
  const PlannedElement element = {pass.instruction, pass.leaf, pass.map};
  const int64_t lanes = pass.vector_elements;
  lanes_of_pass_ = lanes;
  bool are_all = true;
  if (lanes == 1 || pass.map.num_runtime() > 0 ||
      SameForAllLanes(ConditionsOf(pass.map, AsLaunched(plan_.launch, pass.map, lanes)), lanes,
                      plans_.maps)) {
    are_all = FollowTurns(element, loop, lanes, has_all_threads);
  } else if (plan_.emitter != Emitter::kLoop) {
    // Passes have loads in common that are under the same conditions of a lane.
    return std::nullopt;
  } else {
    // Each lane is under conditions of its own.
    for (int64_t lane = 0; are_all && lane < lanes; ++lane) {
      PlannedElement at = element;
      at.index = AtLane(pass.map, lane, plans_.maps);
      are_all = FollowInScope(at, loop, lane, 1, /*has_all_threads=*/false);
    }
  }
  if (!are_all) return std::nullopt;
  MarkThoseOfSeveralTurns();
  return std::move(reads_);
}

bool ElementReads::FollowTurns(const PlannedElement& element, size_t loop, int64_t lanes,
                               bool has_all_threads) {
  if (!plan_.keeps_rows || row_turns_ == RowTurns::kTogether) {
    return FollowInScope(element, loop, -1, lanes, has_all_threads);
  }
  const bool has_turns = element.index.num_ranges() > (lanes > 1 ? 1 : 0);
  const Interval turns = has_turns ? element.index.ranges().front().bounds : Interval::Point(0);
  std::vector<std::pair<int64_t, PlannedElement>> in_turns;
  for (int64_t turn = turns.lower; turn <= turns.upper; ++turn) {
    PlannedElement at = element;
    if (has_turns) at.index = AtRange(element.index, 0, turn, plans_.maps);
    if (!at.index.IsKnownEmpty()) in_turns.emplace_back(turn, std::move(at));
  }
  // Who has a later turn has the first one, and what code has made for that; see StoreRoots in
  // emit/reduction_kernel.cc.
  const bool has_first = !in_turns.empty() && in_turns.front().first == turns.lower &&
                         llvm::all_of(in_turns, [&](const std::pair<int64_t, PlannedElement>& of) {
                           return HasDomainWithin(of.second.index, in_turns.front().second.index);
                         });
  for (const auto& [turn, at] : in_turns) {
    domain_ = at.index;
    const bool is_first = has_first && turn == turns.lower;
    turn_ = is_stored_ && !is_first ? std::optional(turn) : std::nullopt;
    is_under_condition_ =
        !is_stored_ && !ConditionsOf(at.index, AsLaunched(plan_.launch, at.index, lanes)).empty();
    if (!FollowInScope(at, loop, -1, lanes, has_all_threads)) return false;
  }
  return true;
}

bool ElementReads::FollowInScope(const PlannedElement& element, size_t loop, int64_t lane,
                                 int64_t lanes, bool has_all_threads) {
  // What a row has kept from its first loop is there in all others.
  Scope& scope = by_loop_[{plan_.keeps_rows ? 0 : loop, lane}];
  scope.num_loops = element.index.num_ranges() - (lanes_of_pass_ > 1 ? 1 : 0);
  scope.is_straight = has_all_threads && scope.num_loops == 0;
  scopes_ = {&scope};
  if (plan_.keeps_rows && loop > 0) scopes_.push_back(&by_loop_[{loop, lane}]);
  if (turn_.has_value()) {
    scopes_.push_back(&by_turn_[{loop, *turn_}]);
    scopes_.back()->is_turn_of_row = true;
  }
  lanes_ = lanes;
  return Follow(element);
}

// Of a turn by itself, its threads are told apart by what scopes know.
ElementReads::Key ElementReads::KeyOf(const PlannedElement& element) const {
  Key key = {element};
  if (!domain_.IsUnknown()) {
    key.element.index = WithoutConditions(element.index, lanes_of_pass_ > 1);
  }
  return key;
}

bool ElementReads::IsKnown(const Key& key) const {
  const auto knows = [&](const Scope* scope) {
    const auto known = scope->known.find(key);
    return known != scope->known.end() &&
           (known->second.IsUnknown() || HasDomainWithin(domain_, known->second));
  };
  if (llvm::any_of(scopes_, knows)) return true;
  // Code makes other elements again, in their loops.
  return key.made != Made::kElement && knows(&straight_);
}

void ElementReads::Learn(Scope& scope, Key key) {
  // What loops are only tried for is not there.
  if (scope.is_straight && key.made != Made::kElement && learned_ == nullptr) {
    straight_.known.try_emplace(key, domain_);
  }
  const auto [place, is_new] = scope.known.insert_or_assign(std::move(key), domain_);
  if (is_new && learned_ != nullptr) learned_->emplace_back(&scope, place->first);
}

// Chains of instructions may be long: no recursion but for branches.
bool ElementReads::Follow(const PlannedElement& element) {
  struct Pending {
    PlannedElement element;
    std::optional<Step> step;
    size_t next = 0;
  };
  std::vector<Pending> pending;
  pending.push_back({element, std::nullopt});
  while (!pending.empty()) {
    Pending& last = pending.back();
    const PlannedElement& made = last.element;
    const Key key = KeyOf(made);
    if (IsKnown(key)) {
      pending.pop_back();
      continue;
    }
    if (!last.step.has_value()) {
      if (++num_elements_ > kMostElementsOfThread) return false;
      last.step = StepOf(made);
      if (!last.step.has_value()) return false;
    }
    if (last.next < last.step->operands.size()) {
      PlannedElement operand = last.step->operands[last.next++];
      pending.push_back({std::move(operand), std::nullopt});
      continue;
    }
    const Step& step = *last.step;
    if (!FollowBranches(made, step) || !FollowShortTurns(step)) return false;
    Learn(*scopes_.back(), key);
    // The loops of a reduction make the elements of all its arrays.
    const int64_t num_leaves = made.instruction->shape().num_array_leaves();
    const bool has_loops = !step.short_turns.empty() || !step.turns.empty();
    for (int64_t leaf = 0; has_loops && leaf < num_leaves; ++leaf) {
      Learn(*scopes_.back(), KeyOf({made.instruction, leaf, made.index}));
    }
    pending.pop_back();
  }
  return true;
}

bool ElementReads::FollowIn(Scope scope, const PlannedElement& element, int64_t lanes) {
  if (scopes_.size() > kMaxElementDepth) return false;
  scopes_.push_back(&scope);
  const int64_t all = std::exchange(lanes_, lanes);
  const bool are_all = Follow(element);
  lanes_ = all;
  scopes_.pop_back();
  return are_all;
}

bool ElementReads::IsSameInAllTurns(const IndexingMap& index) const {
  const size_t num_ranges = scopes_.front()->num_loops + (lanes_of_pass_ > 1 ? 1 : 0);
  if (!plan_.keeps_rows || index.IsUnknown() || index.num_ranges() < num_ranges) return false;
  // Whatever elements the turns have.
  for (size_t i = index.num_ranges() - num_ranges; i < index.num_ranges(); ++i) {
    if (index.affine_map().isFunctionOfSymbol(static_cast<unsigned>(i))) return false;
  }
  return true;
}

bool ElementReads::FollowBranches(const PlannedElement& element, const Step& step) {
  for (const ElementAlternative& alternative : step.branches) {
    Scope branch;
    branch.is_branch = true;
    branch.is_in_first_turn = IsSameInAllTurns(element.index);
    if (!FollowIn(std::move(branch), alternative.element, lanes_)) return false;
  }
  for (const LaneRun& run : step.runs) {
    Scope of_run;
    of_run.is_of_lanes = true;
    if (!FollowIn(std::move(of_run), run.element, run.count)) return false;
  }
  return true;
}

// Where an input or a constant has the element in memory.
IndexingMap ElementReads::PositionOf(const PlannedElement& element) const {
  const hlo::Shape& shape = element.instruction->shape().ArrayLeaf(element.leaf);
  const bool is_constant = llvm::is_contained(constants_, element.instruction);
  return is_constant
             ? plans_.maps.Compose(element.index, PositionsOfConstant(shape, plans_.mlir_context))
             : plans_.maps.PositionsAt(element.index, shape);
}

// As code finds it (ElementEmitter::FindInTurns): what the row has loaded may be at a position that
// is written in another way.
bool ElementReads::IsInRow(const PlannedElement& element) {
  const IndexingMap position = PositionOf(element);
  if (position.IsUnknown() || position.IsKnownEmpty()) return false;
  const int64_t lanes = DependsOnLane(position) ? lanes_ : 1;
  std::vector<RowLoad>& loads = loads_of_row_[{element.instruction, element.leaf}];
  for (const RowLoad& load : llvm::ArrayRef(loads).take_front(kMostComparedOfRow)) {
    if (load.lanes == lanes && HasDomainWithin(domain_, load.domain) &&
        AreSamePositions(position, load.position, plans_.maps)) {
      return true;
    }
  }
  // Code stores elements in scopes of their own.
  if (scopes_.size() == 1 && !is_stored_) loads.push_back({position, domain_, lanes});
  return false;
}

void ElementReads::Load(const PlannedElement& element) {
  if (element.index.IsKnownEmpty()) return;
  if (!domain_.IsUnknown() && IsInRow(element)) return;
  if (lanes_ == 1) return Add(element, 1, 1);
  if (!DependsOnLane(element.index)) {
    return LoadVector(element, element.index.ranges().back().bounds.lower, 1);
  }
  const hlo::Shape& shape = element.instruction->shape().ArrayLeaf(element.leaf);
  const bool is_constant = llvm::is_contained(constants_, element.instruction);
  const IndexingMap position = PositionOf(element);
  if (position.IsUnknown() || position.IsKnownEmpty()) return Add(element, lanes_, lanes_);
  std::vector<LaneRange> vectors;
  if (const auto offsets = LaneOffsets(position, lanes_, plans_.maps)) {
    const int64_t bits = is_constant ? BitsInMemory(shape) : shape.StorageBits();
    const auto most = static_cast<int64_t>(llvm::bit_floor(static_cast<size_t>(lanes_)));
    const int64_t divisor = DivisorOfResult(AtLane(position, 0, plans_.maps), most, plans_.maps)
                                .value_or(kBufferAlignment * 8);
    vectors = VectorsOf(*offsets, divisor, bits, kBufferAlignment);
  } else {
    const bool is_packed = shape.StorageBits() < 8;
    const auto width =
        is_packed ? size_t{1} : static_cast<size_t>(LanesSideBySide(position, lanes_, plans_.maps));
    for (size_t lane = 0; lane < static_cast<size_t>(lanes_); lane += width) {
      vectors.push_back({lane, width});
    }
  }
  // Vectors of one width at places of their own are one access.
  llvm::DenseSet<mlir::AffineMap> places;
  const bool are_alike = llvm::all_of(vectors, [&](const LaneRange& vector) {
    const auto first = static_cast<int64_t>(vector.first_lane);
    return vector.count == vectors.front().count &&
           places.insert(AtLane(position, first, plans_.maps).affine_map()).second;
  });
  if (are_alike) return Add(element, lanes_, static_cast<int64_t>(vectors.front().count));
  for (const LaneRange& vector : vectors) {
    LoadVector(element, static_cast<int64_t>(vector.first_lane),
               static_cast<int64_t>(vector.count));
  }
}

void ElementReads::LoadVector(const PlannedElement& element, int64_t first_lane, int64_t count) {
  PlannedElement loaded = element;
  if (count == 1) {
    loaded.index = AtLane(element.index, first_lane, plans_.maps);
  } else if (count < lanes_) {
    loaded.index = OfLanes(element.index, first_lane, count, plans_.maps);
  }
  if (!loaded.index.IsKnownEmpty()) Add(std::move(loaded), count, count);
}

void ElementReads::Add(PlannedElement element, int64_t vector_elements, int64_t width) {
  ElementRead read = {std::move(element), vector_elements, width};
  const IndexingMap& index = read.element.index;
  // From the innermost loop outwards: a load is made before the loops that it does not depend on,
  // unless it stands in a branch or in a loop that it depends on.
  bool is_in_turn = is_under_condition_;
  bool is_in_turn_of_row = false;
  bool stays_in_loop = false;
  bool is_in_short_loop = false;
  size_t first = 0;
  Scope* scope = scopes_.back();
  for (size_t depth = scopes_.size(); depth-- > 0;) {
    const Scope& around = *scopes_[depth];
    is_in_turn =
        depth == 0 && plan_.keeps_rows ? is_in_turn_of_row : is_in_turn || around.is_branch;
    is_in_turn_of_row = is_in_turn_of_row || (around.is_branch && !around.is_in_first_turn);
    read.is_in_branch = read.is_in_branch || around.is_branch;
    for (size_t i = first + around.num_loops; i-- > first;) {
      const Interval turns = index.ranges()[i].bounds;
      const int64_t num_turns = turns.upper - turns.lower + 1;
      if (DependsOnRange(index, i)) {
        is_in_turn = true;
        is_in_turn_of_row = is_in_turn_of_row || (depth > 0 && !around.is_in_first_turn);
        // Those of the pass itself come last.
        if (depth > 0) (num_turns < kManyTurns ? is_in_short_loop : stays_in_loop) = true;
      } else if (is_in_turn) {
        read.repetitions = support::CheckedMul(read.repetitions, num_turns).value_or(1);
        // LLVM writes short loops out, and may find that a branch is the same in all turns.
        read.may_be_once |= num_turns > 1 && !stays_in_loop;
      }
    }
    first += around.num_loops;
    if (!is_in_turn && around.num_loops > 0 && depth > 0) scope = scopes_[depth - 1];
  }
  read.num_loops = first - scopes_.front()->num_loops;
  read.is_written_out = read.num_loops > 0 && llvm::all_of(scopes_, [](const Scope* of) {
                          return of->outside == nullptr || of->is_written_out;
                        });
  if (plan_.keeps_rows && read.is_in_branch && !is_in_turn_of_row) {
    for (size_t i = read.num_loops; i < first; ++i) {
      read.element.index = AtRange(index, i, index.ranges()[i].bounds.lower, plans_.maps);
    }
  }
  const bool is_at_entry = read.IsScalar() && read.num_loops > 0 && plan_.emitter != Emitter::kLoop;
  if (read.IsScalar() && read.num_loops > 0) {
    // It is loaded before the outermost loop.
    const auto loop =
        llvm::find_if(scopes_, [](const Scope* of) { return of->outside != nullptr; });
    scope = *std::prev(loop);
    read.element.index = ZeroIndex(*(*loop)->outside, read.element.index);
    if (lanes_ > 1) {
      read.element.index =
          AtLane(read.element.index, read.element.index.ranges().back().bounds.lower, plans_.maps);
    }
    read.repetitions = 1;
    read.may_be_once = false;
  }
  auto at = llvm::find(scopes_, scope);
  while ((*at)->is_turn_of_row || ((*at)->is_of_lanes && vector_elements == 1)) --at;
  scope = *at;
  // By its index, or, as a reshape would write that in another way, by its position.
  const IndexingMap position = PositionOf(read.element);
  const auto key_of = [&](Made made, const IndexingMap& loaded) -> Key {
    return {
        {read.element.instruction, read.element.leaf, LoadedElements(loaded, lanes_of_pass_ > 1)},
        made};
  };
  const auto learn = [&](Made made, const IndexingMap& loaded) {
    if (!loaded.IsUnknown() && !loaded.IsKnownEmpty()) Learn(*scope, key_of(made, loaded));
  };
  const bool has_position = !position.IsUnknown();
  // What is loaded at the entry of the kernel comes before what else has loaded it.
  if (!is_at_entry && IsKnown(key_of(Made::kLoadOfIndex, index))) return;
  if (!is_at_entry && has_position && IsKnown(key_of(Made::kLoadOfPosition, position))) return;
  learn(Made::kLoadOfIndex, index);
  learn(Made::kLoadOfPosition, position);
  // What a vector has, later loads of one element have, too.
  for (int64_t lane = 0; vector_elements > 1 && lane < vector_elements; ++lane) {
    learn(Made::kLoadOfIndex, AtLane(index, lane, plans_.maps));
    if (has_position) learn(Made::kLoadOfPosition, AtLane(position, lane, plans_.maps));
  }
  read.is_in_short_loops = is_in_short_loop && !stays_in_loop;
  reads_.push_back(std::move(read));
}

// A thread that keeps rows has the results of its own; those of others it computes.
bool ElementReads::IsAvailable(const PlannedElement& element) const {
  if (!llvm::is_contained(available_, element.instruction)) return false;
  if (!plan_.keeps_rows) return true;
  const auto result = llvm::find_if(plan_.passes, [&](const ElementPass& pass) {
    return pass.instruction == element.instruction;
  });
  if (result == plan_.passes.end() || result->map.IsUnknown()) return true;
  return HasResultsOf(element.index, result->map, plans_.maps);
}

std::optional<ElementReads::Step> ElementReads::StepOf(const PlannedElement& element) {
  const Instruction& instruction = *element.instruction;
  if (IsAvailable(element)) return Step();
  if (element.index.IsUnknown() || element.index.num_runtime() > 0) return std::nullopt;
  if (plan_.InputNumber(instruction).has_value() || llvm::is_contained(constants_, &instruction)) {
    Load(element);
    return Step();
  }
  if (std::optional<PlannedElement> alias = AliasOf(element, plans_)) {
    return StepTo(*std::move(alias));
  }
  if (HasAlternatives(instruction.opcode())) return StepOfAlternatives(element);
  switch (instruction.opcode()) {
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kGetDimensionSize:
      return Step();
    case Opcode::kGather:
    case Opcode::kDynamicSlice: {
      // What is known of indices is part of the map.
      std::optional<PlannedElement> operand = OperandAt(element, 0, plans_);
      if (!operand.has_value() || operand->index.num_runtime() > 0) return std::nullopt;
      return StepTo(*std::move(operand));
    }
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return StepOfReduction(element);
    case Opcode::kDot:
    case Opcode::kConvolution:
      return StepOfProducts(element);
    case Opcode::kParameter:
    case Opcode::kFusion:
    case Opcode::kCall:
    case Opcode::kMap:
    case Opcode::kWhile:
    case Opcode::kConditional:
      return std::nullopt;
    default:
      break;
  }
  if (HasElementLoops(instruction.opcode()) || instruction.operands().empty()) return std::nullopt;
  Step step;
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    std::optional<PlannedElement> operand = OperandAt(element, i, plans_);
    if (!operand.has_value() || operand->index.IsUnknown()) return std::nullopt;
    if (operand->index.IsKnownEmpty()) continue;
    if (operand->index.num_ranges() != element.index.num_ranges()) return std::nullopt;
    step.operands.push_back(*std::move(operand));
  }
  return step;
}

bool ElementReads::MakeSameForAllLanes(const PlannedElement& element,
                                       Conditions& conditions) const {
  if (lanes_ == 1 || conditions.empty() || !DependsOnLane(element.index)) return true;
  std::optional<Conditions> same = SameForAllLanes(conditions, lanes_, plans_.maps);
  if (!same.has_value()) return false;
  conditions = *std::move(same);
  return true;
}

ElementReads::Step ElementReads::LaneByLane(const PlannedElement& element) {
  Step step;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    PlannedElement at = element;
    at.index = AtLane(element.index, lane, plans_.maps);
    if (!at.index.IsKnownEmpty()) step.operands.push_back(std::move(at));
  }
  return step;
}

std::optional<ElementReads::Step> ElementReads::StepOfAlternatives(const PlannedElement& element) {
  absl::StatusOr<std::vector<ElementAlternative>> alternatives = AlternativesOf(element, plans_);
  if (!alternatives.ok()) return std::nullopt;
  const bool depend_on_values =
      llvm::any_of(*alternatives, [](const ElementAlternative& alternative) {
        return !alternative.conditions.empty() &&
               alternative.conditions.expressions.num_runtime() > 0;
      });
  if (depend_on_values) return std::nullopt;
  if (alternatives->size() == 1) return StepTo(std::move(alternatives->front().element));
  if (lanes_ > 1 && DependsOnLane(element.index)) {
    for (ElementAlternative& alternative : *alternatives) {
      if (MakeSameForAllLanes(element, alternative.conditions)) continue;
      std::vector<LaneRun> runs = RunsOfLanes(*alternatives, lanes_, plans_.maps);
      if (runs.empty()) return LaneByLane(element);
      if (runs.size() == 1) return StepTo(std::move(runs.front().element));
      Step step;
      step.runs = std::move(runs);
      return step;
    }
  }
  for (size_t i = 1; i < alternatives->size(); ++i) {
    PlannedElement& rest = (*alternatives)[i].element;
    if (!(*alternatives)[i].is_rest || IsKnown(KeyOf(rest))) continue;
    const std::optional<MapConstraint> outside = NotAll((*alternatives)[i - 1].conditions);
    if (!outside.has_value()) return std::nullopt;
    rest.index = WithConstraint(rest.index, *outside, plans_.maps);
  }
  Step step;
  step.branches = *std::move(alternatives);
  return step;
}

}  // namespace hlo_indexing::plan
