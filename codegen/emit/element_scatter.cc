// Elements that updates reach: of scatter and select-and-scatter. Each element looks for the
// updates that come to it, in the order of the updates: no atomics, and sums do not depend on the
// schedule. The plan of a scatter that is the root of its fusion does it the other way round
// (scatter_kernel.cc).
#include <utility>

#include "codegen/emit/element_emitter.h"
#include "codegen/plan/loop_ranges.h"
#include "codegen/plan/scatter_windows.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using indexing_analysis::Variable;
using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::Value;
using mlir::ValueRange;
using plan::ScatterWindows;

namespace {

// The same variables, other results.
IndexingMap WithExpressions(const IndexingMap& map, llvm::ArrayRef<AffineExpr> results) {
  const AffineMap affine = map.affine_map();
  return map.WithResults(
      AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), results, map.context()));
}

AffineExpr RangeOf(const IndexingMap& map, size_t i) {
  return mlir::getAffineSymbolExpr(static_cast<unsigned>(i), map.context());
}

}  // namespace

// (arrays, indices, updates)
ElementEmitter::Step ElementEmitter::StepOfScatter(const Element& element) {
  const Instruction& scatter = *element.instruction;
  const size_t num_arrays = scatter.operands().size() / 2;
  if (CountOf(element) > 1) return LaneByLane(element);
  Step step;
  for (size_t i = 0; i < num_arrays; ++i) {
    step.operands.push_back({element.frame, &scatter.operand(i), 0, element.index});
  }
  if (scatter.operand(num_arrays + 1).shape().num_elements() == 0) {
    return Alias(step.operands[static_cast<size_t>(element.leaf)]);
  }
  const ScatterWindows windows(scatter);
  std::vector<Variable> batch;
  for (const int64_t size : windows.batch_sizes()) batch.push_back({{0, size - 1}, ""});
  const IndexingMap at = plan::WithRangesInFront(element.index, batch);
  llvm::SmallVector<AffineExpr, 4> batch_index;
  for (size_t i = 0; i < batch.size(); ++i) batch_index.push_back(RangeOf(at, i));
  const ScatterWindows::Reached reached = windows.UpdateOf(at, batch_index);
  const size_t num_loops = batch.size();
  step.make = [=, this, &scatter](llvm::ArrayRef<const Lanes*> initial) {
    std::vector<ElementType> types;
    Values carried;
    for (size_t i = 0; i < num_arrays; ++i) {
      types.push_back(scatter.operand(i).shape().element_type());
      llvm::append_range(carried, Flatten(*initial[i]));
    }
    const Values results = EmitLoops(at, num_loops, carried, [&](ValueRange values) {
      return EmitWhere(reached.conditions, values, [&] {
        std::vector<Lanes> parameters = SplitLanes(values, types);
        for (size_t i = 0; i < num_arrays; ++i) {
          parameters.push_back(
              Compute({element.frame, &scatter.operand(num_arrays + 1 + i), 0, reached.index}));
        }
        Values combined;
        for (const Lanes& lanes :
             Apply(*scatter.Callee(AttributeName::kToApply), std::move(parameters), at)) {
          llvm::append_range(combined, Flatten(lanes));
        }
        return combined;
      });
    });
    const std::vector<Lanes> of_arrays = SplitLanes(results, types);
    RememberLeaves(element, of_arrays);
    return of_arrays[static_cast<size_t>(element.leaf)];
  };
  return step;
}

// (operand, source, initial value): of each window that has the element, which one is selected?
ElementEmitter::Step ElementEmitter::StepOfSelectAndScatter(const Element& element) {
  const Instruction& instruction = *element.instruction;
  const auto window = instruction.Get<llvm::ArrayRef<hlo::WindowDimension>>(AttributeName::kWindow)
                          .value_or(llvm::ArrayRef<hlo::WindowDimension>());
  if (CountOf(element) > 1) return LaneByLane(element);
  const llvm::ArrayRef<int64_t> sizes = instruction.operand(0).shape().sizes();
  const llvm::ArrayRef<int64_t> sources = instruction.operand(1).shape().sizes();
  const Element initial = {element.frame, &instruction.operand(2), 0, ScalarIndex(element.index)};
  if (instruction.operand(1).shape().num_elements() == 0) return Alias(initial);
  const size_t rank = sizes.size();
  // The windows from the first that may have the element to the last one.
  std::vector<Variable> candidates;
  for (size_t i = 0; i < rank; ++i) {
    if (window[i].base_dilation != 1 || window[i].window_dilation != 1) {
      return Failed(element, "has a dilated window");
    }
    candidates.push_back({{0, (window[i].size - 1) / window[i].stride}, ""});
  }
  const IndexingMap at = plan::WithRangesInFront(element.index, candidates);
  llvm::SmallVector<AffineExpr, 6> of_window;
  llvm::SmallVector<AffineExpr, 6> in_window;
  Conditions is_in_window;
  for (unsigned i = 0; i < rank; ++i) {
    const AffineExpr padded = at.affine_map().getResult(i) + window[i].padding_low;
    const AffineExpr place =
        padded.floorDiv(window[i].stride) - candidates[i].bounds.upper + RangeOf(at, i);
    of_window.push_back(place);
    in_window.push_back(place);
    is_in_window.bounds.push_back({0, sources[i] - 1});
  }
  for (unsigned i = 0; i < rank; ++i) {
    const AffineExpr padded = at.affine_map().getResult(i) + window[i].padding_low;
    in_window.push_back(padded - of_window[i] * window[i].stride);
    is_in_window.bounds.push_back({0, window[i].size - 1});
  }
  is_in_window.expressions = plans_.maps.Simplified(WithExpressions(at, in_window));
  const Element source = {element.frame, &instruction.operand(1), 0,
                          plans_.maps.Simplified(WithExpressions(at, of_window))};
  // The elements of a window.
  std::vector<Variable> offsets;
  for (size_t i = 0; i < rank; ++i) offsets.push_back({{0, window[i].size - 1}, ""});
  const IndexingMap windows = plan::WithRangesInFront(WithExpressions(at, of_window), offsets);
  llvm::SmallVector<AffineExpr, 6> candidate_index;
  AffineExpr position = mlir::getAffineConstantExpr(0, at.context());
  Conditions is_inside;
  for (unsigned i = 0; i < rank; ++i) {
    candidate_index.push_back(windows.affine_map().getResult(i) * window[i].stride -
                              window[i].padding_low + RangeOf(windows, i));
    position = position * sizes[i] + candidate_index.back();
    is_inside.bounds.push_back({0, sizes[i] - 1});
  }
  const IndexingMap inside = plans_.maps.Simplified(WithExpressions(windows, candidate_index));
  is_inside.expressions = inside;
  const IndexingMap inside_position = plans_.maps.Simplified(WithExpressions(windows, {position}));
  AffineExpr own = mlir::getAffineConstantExpr(0, at.context());
  for (unsigned i = 0; i < rank; ++i) {
    own = own * sizes[i] + element.index.affine_map().getResult(i);
  }
  const IndexingMap own_position = plans_.maps.Simplified(WithExpressions(element.index, {own}));
  const ElementType type = instruction.operand(0).shape().element_type();
  const ElementType result_type = ShapeOf(element).element_type();
  Step step;
  step.operands.push_back(initial);
  step.make = [=, this, &instruction](llvm::ArrayRef<const Lanes*> operands) {
    mlir::ImplicitLocOpBuilder& ops = builder_.ops();
    const Value own_at = builder_.Resize(EmitIndex(own_position), 64);
    const auto select_in_window = [&] {
      // Where the selected element is, -1 before there is one, and what it is.
      Values selected = {builder_.Integer(64, -1)};
      llvm::append_range(selected, Flatten({ZeroOf(builder_, type)}));
      return EmitLoops(
                 inside, rank, selected,
                 [&](ValueRange values) {
                   return EmitWhere(is_inside, values, [&] {
                     const Lanes candidate =
                         Compute({element.frame, &instruction.operand(0), 0, inside});
                     const Value is_first = arith::CmpIOp::create(
                         ops, arith::CmpIPredicate::slt, values[0], builder_.Integer(64, 0));
                     const Value keeps =
                         Apply(*instruction.Callee(AttributeName::kSelect),
                               {Unflatten(values.drop_front(), type), candidate}, inside)
                             .front()
                             .front()
                             .value;
                     const Value is_better =
                         arith::XOrIOp::create(ops, keeps, builder_.Integer(1, 1));
                     const Value is_taken = arith::OrIOp::create(ops, is_first, is_better);
                     Values taken = {builder_.Resize(EmitIndex(inside_position), 64)};
                     llvm::append_range(taken, Flatten(candidate));
                     Values next;
                     for (size_t i = 0; i < taken.size(); ++i) {
                       next.push_back(arith::SelectOp::create(ops, is_taken, taken[i], values[i]));
                     }
                     return next;
                   });
                 })
          .front();
    };
    const Values sum = EmitLoops(at, rank, Flatten(*operands.front()), [&](ValueRange values) {
      return EmitWhere(is_in_window, values, [&] {
        const Value is_own =
            arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, select_in_window(), own_at);
        return builder_.If(
            is_own,
            [&] {
              return InScope([&] {
                return Flatten(Apply(*instruction.Callee(AttributeName::kScatter),
                                     {Unflatten(values, result_type), Compute(source)}, at)
                                   .front());
              });
            },
            [&] { return Values(values); });
      });
    });
    return Unflatten(sum, result_type);
  };
  return step;
}

}  // namespace hlo_indexing::emit
