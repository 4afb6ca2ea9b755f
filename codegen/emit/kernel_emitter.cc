#include "codegen/emit/kernel_emitter.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/emit/index_code.h"
#include "codegen/plan/pass_loops.h"
#include "codegen/plan/thread_map.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using indexing_analysis::Variable;
using mlir::Value;
using mlir::ValueRange;
using plan::ElementPass;

namespace {

Values ThreadDimensions(const KernelBuilder& builder) {
  Values dimensions;
  for (size_t i = 0; i < plan::kThreadDimensionNames.size(); ++i) {
    dimensions.push_back(builder.ThreadIndex(i));
  }
  return dimensions;
}

// Those of the conditions that depend on loops, or on values known at run time, and the others.
struct ConditionsByLoops {
  Conditions inside;
  Conditions outside;
};

ConditionsByLoops ByLoops(const Conditions& conditions) {
  const IndexingMap& all = conditions.expressions;
  const mlir::AffineMap affine = all.affine_map();
  ConditionsByLoops parts;
  std::vector<mlir::AffineExpr> inside;
  std::vector<mlir::AffineExpr> outside;
  for (unsigned i = 0; i < conditions.bounds.size(); ++i) {
    const mlir::AffineExpr expression = affine.getResult(i);
    bool is_inside = false;
    for (unsigned k = 0; k < affine.getNumSymbols(); ++k) {
      is_inside |= expression.isFunctionOfSymbol(k);
    }
    (is_inside ? inside : outside).push_back(expression);
    (is_inside ? parts.inside : parts.outside).bounds.push_back(conditions.bounds[i]);
  }
  parts.inside.expressions = all.WithResults(
      mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), inside, all.context()));
  parts.outside.expressions =
      IndexingMap(mlir::AffineMap::get(affine.getNumDims(), 0, outside, all.context()),
                  all.dimensions(), {}, {}, {});
  return parts;
}

bool HasLoops(const IndexingMap& map, int64_t lanes) {
  return map.num_ranges() > (lanes > 1 ? 1 : 0);
}

// Loops over all ranges of a map but the lane, one inside of the other; the outermost one within
// `turns`.
Values LoopsOver(KernelEmitter& kernel, const IndexingMap& map, int64_t lanes, Interval turns,
                 ValueRange carried, llvm::function_ref<Values(ValueRange)> body) {
  const size_t count = map.num_ranges() - (lanes > 1 ? 1 : 0);
  Values indices;
  const std::function<Values(size_t, ValueRange)> from = [&](size_t i, ValueRange values) {
    if (i == count) {
      Values ranges = indices;
      if (lanes > 1) ranges.push_back(Value());
      kernel.elements().SetVariables(ThreadDimensions(kernel.builder()), ranges, lanes);
      return kernel.elements().InScope([&] { return body(values); });
    }
    const Interval bounds = i == 0 ? turns : map.ranges()[i].bounds;
    return kernel.builder().For(bounds.lower, bounds.upper, values,
                                [&](Value index, ValueRange inner) -> Values {
                                  indices.push_back(index);
                                  Values results = from(i + 1, inner);
                                  indices.pop_back();
                                  return results;
                                });
  };
  return from(0, carried);
}

// The same where the conditions hold: what does not depend on the loops is decided before them.
// `whole` are turns of the outermost loop in which nothing else has to hold.
Values LoopsUnder(KernelEmitter& kernel, const Conditions& conditions, const IndexingMap& map,
                  int64_t lanes, std::optional<Interval> whole, ValueRange carried,
                  llvm::function_ref<Values(ValueRange)> body) {
  KernelBuilder& builder = kernel.builder();
  ElementEmitter& elements = kernel.elements();
  const bool has_loops = HasLoops(map, lanes);
  // What all threads run once is there in all code behind it. Of other emitters, what is provided
  // to one pass is not what is provided to the next.
  if (!has_loops && conditions.empty() && kernel.plan().emitter == plan::Emitter::kLoop) {
    elements.SetVariables(ThreadDimensions(builder), lanes > 1 ? Values{Value()} : Values(), lanes);
    return body(carried);
  }
  const ConditionsByLoops parts =
      has_loops ? ByLoops(conditions) : ConditionsByLoops{conditions, {}};
  const auto loops = [&] {
    Interval turns = has_loops ? map.ranges().front().bounds : Interval::Point(0);
    Values values(carried);
    ElementEmitter::PassLoops pass_loops(elements, map);
    const auto turn = [&](ValueRange in_turn) {
      pass_loops.BeginTurn();
      return body(in_turn);
    };
    if (whole.has_value()) {
      values = LoopsOver(kernel, map, lanes, *whole, values, turn);
      turns.lower = whole->upper + 1;
    }
    return LoopsOver(kernel, map, lanes, turns, values, [&](ValueRange inner) {
      return builder.If(
          elements.EmitConditions(parts.inside),
          [&] { return elements.InScope([&] { return turn(inner); }); },
          [&] { return Values(inner); });
    });
  };
  return elements.InDomain(map, [&] {
    if (parts.outside.empty()) return loops();
    elements.SetVariables(ThreadDimensions(builder), {}, 1);
    return builder.If(
        elements.EmitConditions(parts.outside), [&] { return elements.InScope(loops); },
        [&] { return Values(carried); });
  });
}

}  // namespace

KernelEmitter::KernelEmitter(KernelBuilder& builder, plan::PlanContext& plans,
                             const plan::KernelPlan& plan)
    : builder_(builder),
      plans_(plans),
      plan_(plan),
      buffers_(plan, builder),
      elements_(builder, plans, plan, buffers_) {}

void KernelEmitter::Fail(const std::string& reason) { elements_.Fail(*plan_.instruction, reason); }

void KernelEmitter::SetLoops(Values ranges) {
  elements_.SetVariables(ThreadDimensions(builder_), std::move(ranges), 1);
}

IndexingMap KernelEmitter::AsLaunched(const IndexingMap& map, int64_t vector_elements,
                                      std::optional<Interval> loop) const {
  return plan::AsLaunched(plan_.launch, map, vector_elements, loop);
}

std::optional<Conditions> KernelEmitter::ConditionsOfVector(const IndexingMap& map,
                                                            int64_t vector_elements,
                                                            std::optional<Interval> loop) const {
  Conditions conditions = ConditionsOf(map, AsLaunched(map, vector_elements, loop));
  if (vector_elements == 1) return conditions;
  return SameForAllLanes(conditions, vector_elements, plans_.maps);
}

void KernelEmitter::ForElements(const IndexingMap& map, int64_t vector_elements, Body body) {
  if (map.IsKnownEmpty()) return;
  if (map.IsUnknown()) return Fail("has elements that no map gives");
  const std::optional<Conditions> same = ConditionsOfVector(map, vector_elements);
  if (!same.has_value()) {
    for (int64_t lane = 0; lane < vector_elements; ++lane) {
      ForElements(AtLane(map, lane, plans_.maps), 1, body);
    }
    return;
  }
  LoopsUnder(*this, *same, map, vector_elements, std::nullopt, {}, [&](ValueRange) {
    body(map);
    return Values();
  });
}

void KernelEmitter::ForElementsInTurns(const IndexingMap& map, int64_t vector_elements, Body body) {
  if (map.IsKnownEmpty()) return;
  const Interval turns = map.ranges().front().bounds;
  std::vector<std::pair<IndexingMap, Conditions>> in_turns;
  for (int64_t turn = turns.lower; turn <= turns.upper; ++turn) {
    const IndexingMap at = plan::AtRange(map, 0, turn, plans_.maps);
    if (at.IsKnownEmpty()) continue;
    const std::optional<Conditions> same = ConditionsOfVector(at, vector_elements);
    if (!same.has_value()) return ForElements(map, vector_elements, body);
    in_turns.emplace_back(at, *same);
  }
  ElementEmitter::PassLoops pass_loops(elements_, map, plan::LoopForm::kWrittenOut);
  const auto in_turn = [&](const Conditions& conditions) {
    builder_.If(elements_.EmitConditions(conditions), [&] {
      elements_.InScope([&] {
        pass_loops.BeginTurn();
        body(map);
      });
    });
    return Values();
  };
  builder_.AsLoop([&] {
    for (const auto& [at, conditions] : in_turns) {
      LoopsOver(*this, at, vector_elements, at.ranges().front().bounds, {},
                [&, &of_turn = conditions](ValueRange) { return in_turn(of_turn); });
    }
  });
}

IndexingMap KernelEmitter::InLoopAt(const IndexingMap& at, const IndexingMap& map) {
  const bool is_lane = at.num_ranges() != 0 && elements_.lanes() == 1 &&
                       !(at.ranges().back().bounds == map.ranges().back().bounds);
  return is_lane ? AtLane(map, at.ranges().back().bounds.lower, plans_.maps) : map;
}

Values KernelEmitter::ForElements(const IndexingMap& map, int64_t vector_elements,
                                  const Values& carried, CarryingBody body) {
  if (map.IsKnownEmpty()) return carried;
  const std::optional<Conditions> same = ConditionsOfVector(map, vector_elements);
  if (!same.has_value()) {
    Fail("has vectors that are cut off");
    return carried;
  }
  return LoopsUnder(*this, *same, map, vector_elements, WholeTurns(map, vector_elements), carried,
                    body);
}

// Where a length is no multiple of what a turn takes, all turns but the last are whole: they come
// without conditions, so that several have their loads on the way.
std::optional<Interval> KernelEmitter::WholeTurns(const IndexingMap& map,
                                                  int64_t vector_elements) const {
  constexpr int64_t kManyTurns = 8;
  if (!HasLoops(map, vector_elements)) return std::nullopt;
  const Interval all = map.ranges().front().bounds;
  if (all.upper - all.lower < kManyTurns) return std::nullopt;
  const Interval whole = {all.lower, all.upper - 1};
  std::vector<Variable> ranges(map.ranges());
  ranges.front().bounds = whole;
  const IndexingMap narrowed = plans_.maps.Simplified(
      {map.affine_map(), map.dimensions(), std::move(ranges), map.runtime(), map.constraints()});
  if (narrowed.IsKnownEmpty() || narrowed.num_ranges() != map.num_ranges()) return std::nullopt;
  const auto has_conditions = [&](const IndexingMap& of, std::optional<Interval> turns) {
    return !ByLoops(ConditionsOf(of, AsLaunched(of, vector_elements, turns))).inside.empty();
  };
  if (!has_conditions(map, std::nullopt) || has_conditions(narrowed, whole)) return std::nullopt;
  return whole;
}

Value KernelEmitter::EnterElements(const IndexingMap& map, int64_t vector_elements) {
  if (map.IsUnknown()) Fail("has elements that no map gives");
  if (map.IsUnknown() || map.IsKnownEmpty()) return builder_.Integer(1, 0);
  Values ranges;
  for (const Variable& range : map.ranges()) {
    ranges.push_back(builder_.Integer(32, range.bounds.lower));
  }
  if (vector_elements > 1) ranges.back() = Value();
  elements_.SetReadCondition(Value());
  elements_.SetVariables(ThreadDimensions(builder_), std::move(ranges), vector_elements);
  const std::optional<Conditions> same = ConditionsOfVector(map, vector_elements);
  if (!same.has_value()) Fail("has vectors that are cut off");
  const Value condition = same.has_value() ? elements_.EmitConditions(*same) : Value();
  elements_.SetReadCondition(condition, condition == nullptr ? IndexingMap() : map);
  return condition;
}

Lanes KernelEmitter::ComputeOrZero(const hlo::Instruction& instruction, int64_t leaf,
                                   const IndexingMap& map, Interval loop) {
  const hlo::ElementType type = instruction.shape().ArrayLeaf(leaf).element_type();
  const int64_t lanes = elements_.lanes();
  const auto zeros = [&](int64_t count) {
    return Flatten(Replicate({ZeroOf(builder_, type)}, static_cast<size_t>(count)));
  };
  if (map.IsKnownEmpty()) return Unflatten(zeros(lanes), type);
  const std::optional<Conditions> same = ConditionsOfVector(map, lanes, loop);
  if (same.has_value()) {
    const auto count = static_cast<size_t>(lanes);
    return elements_.IfLanes(
        elements_.EmitConditions(*same), type, count,
        [&] {
          return elements_.InScope(
              [&] { return Replicate(elements_.Compute(instruction, leaf, map), count); });
        },
        [&] { return Unflatten(zeros(lanes), type); });
  }
  const Values ranges = elements_.ranges();
  elements_.SetVariables(elements_.dimensions(), ranges, 1);
  Lanes all;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    all.append(ComputeOrZero(instruction, leaf, AtLane(map, lane, plans_.maps), loop));
  }
  elements_.SetVariables(elements_.dimensions(), ranges, lanes);
  return all;
}

Value KernelEmitter::EmitIsElement(const IndexingMap& map) {
  const int64_t lanes = elements_.lanes();
  const IndexingMap first = lanes > 1 ? AtLane(map, 0, plans_.maps) : map;
  return elements_.EmitConditions(ConditionsOf(first, AsLaunched(first, 1)));
}

void KernelEmitter::InBlocksOf(const IndexingMap& map, llvm::function_ref<void()> body) {
  const Interval bounds = map.dimensions()[plan::kBlockZ].bounds;
  if (plan_.launch.blocks[2] == 1) return body();
  const Value block = builder_.ThreadIndex(plan::kBlockZ);
  const Value is_here = arith::CmpIOp::create(builder_.ops(), arith::CmpIPredicate::eq, block,
                                              builder_.Integer(block.getType(), bounds.lower));
  builder_.If(is_here, [&] { elements_.InScope([&] { body(); }); });
}

bool KernelEmitter::HasPackedOutput(llvm::ArrayRef<const ElementPass*> passes) const {
  return llvm::any_of(passes, [&](const ElementPass* pass) {
    return buffers_.output(*pass->output).element_bits < 8;
  });
}

std::vector<KernelEmitter::MaybeElement> KernelEmitter::ComputeEach(const ElementPass& pass) {
  const hlo::ElementType type = pass.instruction->shape().ArrayLeaf(pass.leaf).element_type();
  std::vector<MaybeElement> computed;
  for (int64_t lane = 0; lane < pass.vector_elements; ++lane) {
    const IndexingMap at = AtLane(pass.map, lane, plans_.maps);
    MaybeElement& element = computed.emplace_back();
    element.number = ZeroOf(builder_, type);
    element.is_possible = !at.IsKnownEmpty();
    if (!element.is_possible) continue;
    element.exists = elements_.EmitConditions(ConditionsOf(at, AsLaunched(at, 1)));
    const Values values = builder_.If(
        element.exists,
        [&] {
          return elements_.InScope([&] {
            const Values ranges = elements_.ranges();
            elements_.SetVariables(elements_.dimensions(), ranges, 1);
            Values of_lane = Flatten(elements_.Compute(*pass.instruction, pass.leaf, at));
            elements_.SetVariables(elements_.dimensions(), ranges, pass.vector_elements);
            return of_lane;
          });
        },
        [&] { return Flatten({element.number}); });
    element.number = Unflatten(values, type).front();
  }
  return computed;
}

void KernelEmitter::StoreIfAny(const ElementPass& pass, llvm::ArrayRef<MaybeElement> computed,
                               int64_t first) {
  const auto count = static_cast<int64_t>(computed.size());
  Lanes lanes;
  Value is_any;
  bool is_possible = false;
  bool is_certain = false;
  for (const MaybeElement& element : computed) {
    lanes.push_back(element.number);
    if (!element.is_possible) continue;
    is_possible = true;
    if (element.exists == nullptr) is_certain = true;
    is_any = is_any == nullptr || element.exists == nullptr
                 ? element.exists
                 : arith::OrIOp::create(builder_.ops(), is_any, element.exists);
  }
  if (!is_possible) return;
  builder_.If(is_certain ? Value() : is_any, [&] {
    const Values ranges = elements_.ranges();
    elements_.SetVariables(elements_.dimensions(), ranges, count);
    if (pass.places.IsUnknown()) {
      elements_.Store(lanes, *pass.output, OfLanes(pass.map, first, count, plans_.maps));
    } else {
      elements_.StoreAt(lanes, *pass.output, OfLanes(pass.places, first, count, plans_.maps));
    }
    elements_.SetVariables(elements_.dimensions(), ranges, pass.vector_elements);
  });
}

// The last byte of an array, and any of one in tiles, may have fewer elements than fit. Bytes are
// written that have an element, and with it what is beside it.
void KernelEmitter::StorePacked(llvm::ArrayRef<const ElementPass*> passes) {
  constexpr int64_t kByte = 8;
  const ElementPass& first = *passes.front();
  const Interval turns = HasLoops(first.map, first.vector_elements)
                             ? first.map.ranges().front().bounds
                             : Interval::Point(0);
  LoopsOver(*this, first.map, first.vector_elements, turns, {}, [&](ValueRange) {
    for (const ElementPass* pass : passes) {
      const std::vector<MaybeElement> computed = ComputeEach(*pass);
      const int64_t bits = buffers_.output(*pass->output).element_bits;
      const int64_t together = std::min(bits < kByte ? kByte / bits : 1, pass->vector_elements);
      for (int64_t lane = 0; lane < pass->vector_elements; lane += together) {
        StoreIfAny(*pass,
                   llvm::ArrayRef(computed).slice(static_cast<size_t>(lane),
                                                  static_cast<size_t>(together)),
                   lane);
      }
    }
    return Values();
  });
}

bool KernelEmitter::HasLanesApart(const ElementPass& pass) const {
  if (pass.vector_elements == 1 || pass.map.IsUnknown()) return false;
  return !ConditionsOfVector(pass.map, pass.vector_elements).has_value();
}

void KernelEmitter::StorePasses(llvm::ArrayRef<const ElementPass*> passes,
                                llvm::function_ref<void()> behind) {
  const ElementPass& first = *passes.front();
  if (!first.map.IsKnownEmpty() && HasPackedOutput(passes) && HasLanesApart(first)) {
    return StorePacked(passes);
  }
  ForElements(first.map, first.vector_elements, [&](const IndexingMap& map) {
    std::vector<Lanes> computed;
    for (const ElementPass* pass : passes) {
      computed.push_back(
          elements_.Compute(*pass->instruction, pass->leaf, InLoopAt(map, pass->map)));
    }
    for (size_t i = 0; i < passes.size(); ++i) {
      if (passes[i]->places.IsUnknown()) {
        elements_.Store(computed[i], *passes[i]->output, InLoopAt(map, passes[i]->map));
      } else {
        elements_.StoreAt(computed[i], *passes[i]->output, passes[i]->places);
      }
    }
    if (behind) behind();
  });
}

void EmitLoop(KernelEmitter& kernel) {
  const std::vector<ElementPass>& passes = kernel.plan().passes;
  const std::vector<size_t> loops = plan::LoopsOf(kernel.plan());
  llvm::MapVector<size_t, llvm::SmallVector<const ElementPass*, 4>> together;
  for (size_t i = 0; i < passes.size(); ++i) together[loops[i]].push_back(&passes[i]);
  for (const auto& [first, of_loop] : together) kernel.StorePasses(of_loop);
}

namespace {

// Where an element of the update of a dynamic-update-slice goes: as far from its start, which is
// clamped so that the update lies inside. Unknown if the starts are no scalars.
IndexingMap PlaceOfUpdate(const hlo::Instruction& instruction, const IndexingMap& of_update) {
  const llvm::ArrayRef<int64_t> sizes = instruction.shape().sizes();
  constexpr size_t kFirstStart = 2;
  if (instruction.operands().size() != kFirstStart + sizes.size()) return {};
  const mlir::AffineMap affine = of_update.affine_map();
  llvm::SmallVector<mlir::AffineExpr, 6> results;
  std::vector<indexing_analysis::RuntimeVariable> starts;
  for (unsigned i = 0; i < sizes.size(); ++i) {
    results.push_back(affine.getResult(i));
    const int64_t last = sizes[i] - instruction.operand(1).shape().sizes()[i];
    if (last == 0) continue;
    results.back() =
        results.back() +
        mlir::getAffineSymbolExpr(affine.getNumSymbols() + static_cast<unsigned>(starts.size()),
                                  of_update.context());
    indexing_analysis::RuntimeVariable& start = starts.emplace_back();
    start.bounds = {0, last};
    start.instruction = &instruction.operand(kFirstStart + i);
    start.index = ScalarIndex(of_update);
  }
  return {mlir::AffineMap::get(affine.getNumDims(),
                               affine.getNumSymbols() + static_cast<unsigned>(starts.size()),
                               results, of_update.context()),
          of_update.dimensions(), of_update.ranges(), std::move(starts), of_update.constraints()};
}

}  // namespace

// Pairs of passes: what is loaded, and what is stored of it. Then the starts, which are read for
// the places.
void EmitInPlaceUpdate(KernelEmitter& kernel) {
  const std::vector<ElementPass>& passes = kernel.plan().passes;
  for (size_t i = 0; i + 1 < passes.size(); i += 2) {
    const ElementPass& load = passes[i];
    const ElementPass& store = passes[i + 1];
    if (store.store == plan::StoreKind::kNone) break;
    kernel.ForElements(load.map, load.vector_elements, [&](const IndexingMap& map) {
      const Lanes lanes = kernel.elements().Compute(*load.instruction, load.leaf, map);
      // Starts that are known are part of the plan's map.
      const bool is_known = !store.map.IsUnknown() && store.map.num_runtime() == 0 &&
                            store.map.num_ranges() == load.map.num_ranges();
      const IndexingMap place =
          is_known ? kernel.InLoopAt(map, store.map) : PlaceOfUpdate(*store.instruction, map);
      if (place.IsUnknown()) return kernel.Fail("has a place that is not known");
      kernel.elements().Store(lanes, *store.output, place);
    });
  }
}

Value KernelEmitter::SharedBase(const plan::SharedTile& tile) {
  const size_t place =
      shared_places_.of_tiles[static_cast<size_t>(&tile - plan_.shared_tiles.data())];
  Value& base = shared_bases_[place];
  if (base == nullptr) {
    base = builder_.SharedArray(builder_.integer_type(8), shared_places_.bytes[place]);
  }
  return base;
}

}  // namespace hlo_indexing::emit
