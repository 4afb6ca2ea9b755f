#include "codegen/plan/element_reads.h"

#include <algorithm>

#include "codegen/plan/constants.h"
#include "codegen/plan/element_loops.h"
#include "codegen/plan/lane_maps.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "hlo/opcode.h"
#include "indexing_analysis/maps/read_map.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "simplifier/arithmetic.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// Branches in branches, and elements that are followed: as many as code may have.
constexpr size_t kMaxDepth = 48;
constexpr int64_t kMostElements = int64_t{1} << 13;

// Bounds of the one result.
Interval RangeOfResult(const IndexingMap& map) {
  simplifier::DigitContext context;
  const simplifier::QuasiAffineMap read =
      ReadMap(context, map, indexing_analysis::RuntimeVariablesAs::kVariables);
  return read.empty ? Interval::Empty() : simplifier::Range(context, read.results.front());
}

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

}  // namespace

std::optional<std::vector<ElementRead>> ElementReads::Of(const ElementPass& pass, size_t loop) {
  available_ = pass.available;
  reads_.clear();
  num_elements_ = 0;
  const PlannedElement element = {pass.instruction, pass.leaf, pass.map};
  const int64_t lanes = pass.vector_elements;
  bool are_all = true;
  if (lanes == 1 || pass.map.num_runtime() > 0 ||
      SameForAllLanes(ConditionsOf(pass.map, AsLaunched(plan_.launch, pass.map, lanes)), lanes,
                      plans_.maps)) {
    are_all = FollowInScope(element, loop, -1, lanes);
  } else {
    // Each lane is under conditions of its own.
    for (int64_t lane = 0; are_all && lane < lanes; ++lane) {
      PlannedElement at = element;
      at.index = AtLane(pass.map, lane, plans_.maps);
      are_all = FollowInScope(at, loop, lane, 1);
    }
  }
  if (!are_all) return std::nullopt;
  return std::move(reads_);
}

bool ElementReads::FollowInScope(const PlannedElement& element, size_t loop, int64_t lane,
                                 int64_t lanes) {
  scopes_ = {&by_loop_[{loop, lane}]};
  lanes_ = lanes;
  return Follow(element);
}

bool ElementReads::IsKnown(const Key& key) const {
  return llvm::any_of(scopes_, [&](const Scope* scope) { return scope->contains(key); });
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
    const Key key = {made.instruction, made.leaf, made.index};
    if (IsKnown(key)) {
      pending.pop_back();
      continue;
    }
    if (!last.step.has_value()) {
      if (++num_elements_ > kMostElements) return false;
      last.step = StepOf(made);
      if (!last.step.has_value()) return false;
    }
    if (last.next < last.step->operands.size()) {
      PlannedElement operand = last.step->operands[last.next++];
      pending.push_back({std::move(operand), std::nullopt});
      continue;
    }
    if (!FollowBranches(*last.step)) return false;
    scopes_.back()->insert(key);
    pending.pop_back();
  }
  return true;
}

bool ElementReads::FollowBranches(const Step& step) {
  if (scopes_.size() > kMaxDepth) return false;
  const auto follow = [&](const PlannedElement& element, int64_t lanes) {
    Scope scope;
    scopes_.push_back(&scope);
    const int64_t all = std::exchange(lanes_, lanes);
    const bool are_all = Follow(element);
    lanes_ = all;
    scopes_.pop_back();
    return are_all;
  };
  for (const Alternative& alternative : step.branches) {
    if (!follow(alternative.element, lanes_)) return false;
  }
  for (const LaneRun& run : step.runs) {
    if (!follow(run.element, run.count)) return false;
  }
  return true;
}

void ElementReads::Load(const PlannedElement& element) {
  if (element.index.IsKnownEmpty()) return;
  if (lanes_ == 1) return Add(element, 1);
  if (!DependsOnLane(element.index)) {
    return LoadVector(element, element.index.ranges().back().bounds.lower, 1);
  }
  const hlo::Shape& shape = element.instruction->shape().ArrayLeaf(element.leaf);
  const IndexingMap& position =
      llvm::is_contained(constants_, element.instruction)
          ? plans_.maps.Compose(element.index, PositionsOfConstant(shape, plans_.mlir_context))
          : plans_.maps.Compose(element.index, plans_.maps.Positions(shape));
  if (position.IsUnknown() || position.IsKnownEmpty()) return Add(element, lanes_);
  const auto offsets = LaneOffsets(position, lanes_, plans_.maps);
  if (!offsets.has_value()) {
    for (int64_t lane = 0; lane < lanes_; ++lane) LoadVector(element, lane, 1);
    return;
  }
  const int64_t bits = llvm::is_contained(constants_, element.instruction) ? BitsInMemory(shape)
                                                                           : shape.StorageBits();
  const auto most = static_cast<int64_t>(llvm::bit_floor(static_cast<size_t>(lanes_)));
  const int64_t divisor =
      DivisorOfResult(AtLane(position, 0, plans_.maps), bits < 8 ? 1 : most, plans_.maps)
          .value_or(kBufferAlignment * 8);
  for (const LaneRange& lanes : VectorsOf(*offsets, divisor, bits, kBufferAlignment)) {
    LoadVector(element, static_cast<int64_t>(lanes.first_lane), static_cast<int64_t>(lanes.count));
  }
}

void ElementReads::LoadVector(const PlannedElement& element, int64_t first_lane, int64_t count) {
  PlannedElement loaded = element;
  if (count == 1) {
    loaded.index = AtLane(element.index, first_lane, plans_.maps);
  } else if (count < lanes_) {
    loaded.index = OfLanes(element.index, first_lane, count, plans_.maps);
  }
  if (!loaded.index.IsKnownEmpty()) Add(std::move(loaded), count);
}

void ElementReads::Add(PlannedElement element, int64_t vector_elements) {
  const Key key = {element.instruction, element.leaf, WithoutConditions(element.index),
                   /*is_load=*/true};
  if (IsKnown(key)) return;
  scopes_.back()->insert(key);
  reads_.push_back({std::move(element), vector_elements});
}

std::optional<ElementReads::Step> ElementReads::StepOf(const PlannedElement& element) {
  const Instruction& instruction = *element.instruction;
  if (llvm::is_contained(available_, &instruction)) return Step();
  if (element.index.IsUnknown() || element.index.num_runtime() > 0) return std::nullopt;
  if (plan_.InputNumber(instruction).has_value() || llvm::is_contained(constants_, &instruction)) {
    Load(element);
    return Step();
  }
  const auto alias_of = [&](size_t operand, int64_t leaf) {
    return Step{{{&instruction.operand(operand), leaf, element.index}}, {}, {}};
  };
  switch (instruction.opcode()) {
    case Opcode::kConstant:
    case Opcode::kIota:
      return Step();
    case Opcode::kTuple: {
      const int64_t operand = instruction.shape().ElementOfLeaf(element.leaf);
      return alias_of(static_cast<size_t>(operand),
                      element.leaf - instruction.shape().FirstLeafOfElement(operand));
    }
    case Opcode::kGetTupleElement: {
      const auto i = instruction.Required<int64_t>(hlo::AttributeName::kIndex);
      return alias_of(0, instruction.operand(0).shape().FirstLeafOfElement(i) + element.leaf);
    }
    case Opcode::kOptimizationBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
      return alias_of(0, element.leaf);
    case Opcode::kPad:
    case Opcode::kConcatenate:
    case Opcode::kDynamicUpdateSlice:
      return StepOfAlternatives(element);
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
  absl::StatusOr<std::vector<Alternative>> alternatives = AlternativesOf(element, plans_);
  if (!alternatives.ok()) return std::nullopt;
  const auto operand = [](PlannedElement only) { return Step{{std::move(only)}, {}, {}}; };
  if (alternatives->size() == 1) return operand(std::move(alternatives->front().element));
  if (lanes_ > 1 && DependsOnLane(element.index)) {
    for (Alternative& alternative : *alternatives) {
      std::optional<Conditions> same = SameForAllLanes(alternative.conditions, lanes_, plans_.maps);
      if (same.has_value()) {
        alternative.conditions = *std::move(same);
        continue;
      }
      std::vector<LaneRun> runs = RunsOfLanes(*alternatives, lanes_, plans_.maps);
      if (runs.empty()) return LaneByLane(element);
      if (runs.size() == 1) return operand(std::move(runs.front().element));
      return Step{{}, {}, std::move(runs)};
    }
  }
  for (size_t i = 1; i < alternatives->size(); ++i) {
    PlannedElement& rest = (*alternatives)[i].element;
    if (!(*alternatives)[i].is_rest) continue;
    const std::optional<MapConstraint> outside = NotAll((*alternatives)[i - 1].conditions);
    if (!outside.has_value()) return std::nullopt;
    rest.index = WithConstraint(rest.index, *outside, plans_.maps);
  }
  return Step{{}, *std::move(alternatives), {}};
}

}  // namespace hlo_indexing::plan
