// Elements that are sums of products.
#include <array>
#include <optional>
#include <utility>

#include "codegen/emit/element_emitter.h"
#include "codegen/emit/elementwise.h"
#include "codegen/plan/loop_ranges.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using indexing_analysis::Variable;
using mlir::AffineExpr;
using mlir::Value;
using mlir::ValueRange;

// The scale of an operand's element.
ElementEmitter::Element ElementEmitter::ScaleOf(const Element& operand, const Instruction& scales) {
  const llvm::ArrayRef<int64_t> sizes = ShapeOf(operand).sizes();
  const llvm::ArrayRef<int64_t> blocks = scales.shape().sizes();
  llvm::SmallVector<AffineExpr, 6> index;
  for (unsigned i = 0; i < blocks.size(); ++i) {
    index.push_back(operand.index.affine_map().getResult(i).floorDiv(sizes[i] / blocks[i]));
  }
  return ElementAt(operand, scales, operand.index, index);
}

// An operand of the products, as numbers of the sum's type.
Lanes ElementEmitter::Factors(ProductSum& sum, const Element& operand,
                              const std::optional<Element>& scale, size_t count) {
  Lanes factors;
  for (const Number& number : Replicate(Compute(operand), count)) {
    factors.push_back(sum.Widen(number, ShapeOf(operand).element_type()));
  }
  if (!scale.has_value()) return factors;
  const Lanes scales = Replicate(Compute(*scale), count);
  for (size_t i = 0; i < count; ++i) {
    factors[i] = sum.Multiply(factors[i], sum.Widen(scales[i], ShapeOf(*scale).element_type()));
  }
  return factors;
}

// Of products without scales.
ElementEmitter::TurnCode ElementEmitter::ProductCode(const Element& element) {
  const Instruction& product = *element.instruction;
  const size_t count = CountOf(element);
  TurnCode code;
  code.initial = [=, this, &product](llvm::ArrayRef<const Lanes*>) {
    return Flatten(Replicate({ProductSum(builder_, product).Zero()}, count));
  };
  code.combine = [=, this, &product](ValueRange values, llvm::ArrayRef<Lanes> read,
                                     const IndexingMap&) {
    ProductSum sum(builder_, product);
    std::array<Lanes, 2> factors;
    for (size_t i = 0; i < 2; ++i) {
      const ElementType type = product.operand(i).shape().element_type();
      for (const Number& number : Replicate(read[i], count)) {
        factors[i].push_back(sum.Widen(number, type));
      }
    }
    Lanes sums = Unflatten(values, sum.type());
    for (size_t i = 0; i < count; ++i) sums[i] = sum.Add(sums[i], factors[0][i], factors[1][i]);
    return Flatten(sums);
  };
  code.finish = [=, this, &product](ValueRange values) {
    ProductSum sum(builder_, product);
    Lanes lanes;
    for (const Number& number : Unflatten(values, sum.type())) lanes.push_back(sum.Finish(number));
    return lanes;
  };
  return code;
}

// dot, scaled-dot and convolution. The operands of a scaled-dot have a scale for each block, whose
// sizes are those that the scales divide the dimensions into.
ElementEmitter::Step ElementEmitter::StepOfProducts(const Element& element) {
  const Instruction& instruction = *element.instruction;
  const ElementType type = ShapeOf(element).element_type();
  const bool is_scaled = instruction.opcode() == Opcode::kScaledDot;
  if (instruction.operands().size() != 2 && !is_scaled) {
    return Failed(element, "has sparse operands");
  }
  const auto zero = [this, type](llvm::ArrayRef<const Lanes*>) -> Lanes {
    return {ZeroOf(builder_, type)};
  };
  const std::optional<Element> lhs = OperandAt(element, 0);
  const std::optional<Element> rhs = OperandAt(element, 1);
  if (!lhs.has_value() || !rhs.has_value()) return Failed(element, "is not read by one map");
  if (lhs->index.IsKnownEmpty() || rhs->index.IsKnownEmpty()) return {{}, zero};
  if (lhs->index.num_ranges() != rhs->index.num_ranges()) {
    return Failed(element, "reads its operands along different dimensions");
  }
  if (auto turns = plan::ShortTurnsOf({&instruction, element.leaf, element.index}, plans_)) {
    return StepOfTurns(element, *std::move(turns), Step(), ProductCode(element));
  }
  const size_t num_loops = lhs->index.num_ranges() - element.index.num_ranges();
  // Of both: each may know more of the ranges than the other.
  std::vector<Conditions> conditions;
  for (const Element* operand : {&*lhs, &*rhs}) {
    const IndexingMap known =
        plan::WithRangesInFront(element.index, lhs->index.ranges().take_front(num_loops));
    conditions.push_back(ConditionsOf(operand->index, known));
  }
  std::array<std::optional<Element>, 2> scales;
  for (size_t i = 0; i + 2 < instruction.operands().size(); ++i) {
    scales[i] = ScaleOf(i == 0 ? *lhs : *rhs, instruction.operand(i + 2));
  }
  const size_t count = CountOf(element);
  for (Conditions& condition : conditions) {
    if (count == 1 || condition.empty()) continue;
    std::optional<Conditions> same = SameForAllLanes(condition, num_lanes_, plans_.maps);
    if (!same.has_value()) return LaneByLane(element);
    condition = *std::move(same);
  }
  const std::vector<Invariant> invariants = FindInvariants(element, {*lhs, *rhs}, num_loops);
  Step step;
  for (const Invariant& invariant : invariants) step.operands.push_back(invariant.before);
  step.make = [=, this, &instruction](llvm::ArrayRef<const Lanes*> computed) {
    ProductSum sum(builder_, instruction);
    const Values carried = Flatten(Replicate({sum.Zero()}, count));
    const Values results = EmitLoops(lhs->index, num_loops, carried, [&](ValueRange values) {
      RememberInvariants(invariants, computed);
      return EmitWhere(conditions[0], values, [&] {
        return EmitWhere(conditions[1], values, [&] {
          const Lanes a = Factors(sum, *lhs, scales[0], count);
          const Lanes b = Factors(sum, *rhs, scales[1], count);
          Lanes sums = Unflatten(values, sum.type());
          for (size_t i = 0; i < count; ++i) sums[i] = sum.Add(sums[i], a[i], b[i]);
          return Flatten(sums);
        });
      });
    });
    Lanes lanes;
    for (const Number& number : Unflatten(results, sum.type())) {
      lanes.push_back(sum.Finish(number));
    }
    return lanes;
  };
  return step;
}

namespace {

// The dimensions of a ragged-dot's operands and result. Groups are stretches of one dimension of
// lhs, the ragged one: of rows, each with a matrix of its own of rhs; of the sum, each with a
// result of its own; or of the batch, which then says nothing.
struct RaggedDimensions {
  enum class Kind : uint8_t { kFree, kContracting, kBatch };
  explicit RaggedDimensions(const Instruction& dot)
      : lhs_batch(dot.Integers(AttributeName::kLhsBatchDims)),
        rhs_batch(dot.Integers(AttributeName::kRhsBatchDims)),
        lhs_summed(dot.Integers(AttributeName::kLhsContractingDims)),
        rhs_summed(dot.Integers(AttributeName::kRhsContractingDims)),
        ragged(dot.Integers(AttributeName::kLhsRaggedDims)),
        group(dot.Integers(AttributeName::kRhsGroupDims)) {
    if (ragged.size() != 1) return;
    if (llvm::is_contained(lhs_summed, ragged.front())) kind = Kind::kContracting;
    if (llvm::is_contained(lhs_batch, ragged.front())) kind = Kind::kBatch;
  }
  bool IsDefined() const {
    return ragged.size() == 1 && group.size() == (kind == Kind::kFree ? 1U : 0U);
  }

  llvm::ArrayRef<int64_t> lhs_batch;
  llvm::ArrayRef<int64_t> rhs_batch;
  llvm::ArrayRef<int64_t> lhs_summed;
  llvm::ArrayRef<int64_t> rhs_summed;
  llvm::ArrayRef<int64_t> ragged;
  llvm::ArrayRef<int64_t> group;
  Kind kind = Kind::kFree;
};

// The index of an operand whose dimensions are of the batch, summed over, the group, or, in their
// order, others of the result.
llvm::SmallVector<AffineExpr, 6> OperandIndex(
    size_t rank, llvm::ArrayRef<int64_t> batch, llvm::ArrayRef<int64_t> summed,
    llvm::ArrayRef<int64_t> group, llvm::ArrayRef<AffineExpr> of_batch,
    llvm::ArrayRef<AffineExpr> of_sum, AffineExpr of_group, llvm::ArrayRef<AffineExpr>& of_others) {
  llvm::SmallVector<AffineExpr, 6> index(rank);
  for (size_t i = 0; i < batch.size(); ++i) index[static_cast<size_t>(batch[i])] = of_batch[i];
  for (size_t i = 0; i < summed.size(); ++i) index[static_cast<size_t>(summed[i])] = of_sum[i];
  for (const int64_t i : group) index[static_cast<size_t>(i)] = of_group;
  for (AffineExpr& expression : index) {
    if (expression != nullptr) continue;
    expression = of_others.front();
    of_others = of_others.drop_front();
  }
  return index;
}

}  // namespace

// A loop over the groups, and in it, where the element belongs to the group, loops over the sum:
// the ranges in front are those of the sum, then the group.
ElementEmitter::Step ElementEmitter::StepOfRaggedDot(const Element& element) {
  using Kind = RaggedDimensions::Kind;
  if (CountOf(element) > 1) return LaneByLane(element);
  const Instruction& dot = *element.instruction;
  const RaggedDimensions dimensions(dot);
  if (!dimensions.IsDefined()) return Failed(element, "has no one ragged dimension with groups");
  const Shape& lhs_shape = dot.operand(0).shape();
  const Shape& rhs_shape = dot.operand(1).shape();
  const Shape& sizes_shape = dot.operand(2).shape();
  const int64_t num_groups = sizes_shape.sizes().back();
  const size_t num_summed = dimensions.lhs_summed.size();
  std::vector<Variable> loops;
  bool is_empty = num_groups == 0;
  for (const int64_t i : dimensions.lhs_summed) {
    const int64_t size = lhs_shape.sizes()[static_cast<size_t>(i)];
    is_empty = is_empty || size == 0;
    loops.push_back({{0, size - 1}, ""});
  }
  const ElementType type = ShapeOf(element).element_type();
  if (is_empty) {
    return {{}, [this, type](llvm::ArrayRef<const Lanes*>) -> Lanes {
              return {ZeroOf(builder_, type)};
            }};
  }
  const Variable group_loop = {{0, num_groups - 1}, ""};
  const IndexingMap in_group = plan::WithRangesInFront(element.index, {group_loop});
  const IndexingMap in_sum = plan::WithRangesInFront(in_group, loops);
  const auto expressions = [&](const IndexingMap& variables) {
    return llvm::SmallVector<AffineExpr, 6>(variables.affine_map().getResults());
  };
  // Where the groups are: one row of sizes for all, or one for each element of the batch.
  llvm::ArrayRef<AffineExpr> rest;
  const llvm::SmallVector<AffineExpr, 6> of_group = expressions(in_group);
  const size_t first = dimensions.kind == Kind::kContracting ? 1 : 0;
  llvm::SmallVector<AffineExpr, 6> row;
  const bool has_rows = sizes_shape.num_elements() != num_groups;
  for (size_t i = 0; i + 1 < sizes_shape.sizes().size(); ++i) {
    row.push_back(has_rows ? of_group[first + i]
                           : mlir::getAffineConstantExpr(0, plans_.mlir_context));
  }
  const bool fits =
      !has_rows || (row.size() == dimensions.lhs_batch.size() && dimensions.kind != Kind::kBatch);
  if (!fits) return Failed(element, "has sizes of groups along other dimensions than the batch");
  row.push_back(mlir::getAffineSymbolExpr(0, plans_.mlir_context));
  const Element size = ElementAt(element, dot.operand(2), in_group, row);

  const llvm::SmallVector<AffineExpr, 6> of_result = expressions(in_sum);
  rest = llvm::ArrayRef(of_result).drop_front(first);
  const llvm::ArrayRef<AffineExpr> of_batch = rest.take_front(dimensions.lhs_batch.size());
  rest = rest.drop_front(of_batch.size());
  llvm::SmallVector<AffineExpr, 3> of_sum;
  for (unsigned i = 0; i < num_summed; ++i) {
    of_sum.push_back(mlir::getAffineSymbolExpr(i, plans_.mlir_context));
  }
  const AffineExpr group =
      mlir::getAffineSymbolExpr(static_cast<unsigned>(num_summed), plans_.mlir_context);
  const llvm::SmallVector<AffineExpr, 6> lhs_index =
      OperandIndex(lhs_shape.sizes().size(), dimensions.lhs_batch, dimensions.lhs_summed, {},
                   of_batch, of_sum, group, rest);
  const llvm::SmallVector<AffineExpr, 6> rhs_index =
      OperandIndex(rhs_shape.sizes().size(), dimensions.rhs_batch, dimensions.rhs_summed,
                   dimensions.group, of_batch, of_sum, group, rest);
  const Element lhs = ElementAt(element, dot.operand(0), in_sum, lhs_index);
  const Element rhs = ElementAt(element, dot.operand(1), in_sum, rhs_index);
  const auto ragged = static_cast<size_t>(dimensions.ragged.front());
  const IndexingMap place = ElementAt(element, dot.operand(0), in_sum, {lhs_index[ragged]}).index;
  const IndexingMap result_group = ElementAt(element, dot, in_group, {of_group.front()}).index;
  const Interval most = {0, lhs_shape.sizes()[ragged]};
  const auto kind = dimensions.kind;
  return {{}, [=, this, &dot](llvm::ArrayRef<const Lanes*>) -> Lanes {
            mlir::ImplicitLocOpBuilder& ops = builder_.ops();
            ProductSum sum(builder_, dot);
            const auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) -> Value {
              return arith::CmpIOp::create(ops, predicate, builder_.Resize(a, 64), b);
            };
            const auto add_products = [&](ValueRange sums, Value start, Value end) {
              return EmitLoops(in_sum, num_summed, Values(sums), [&](ValueRange values) {
                Value is_inside;
                if (kind != Kind::kBatch) {
                  const Value at = EmitIndex(place);
                  is_inside = builder_.And(compare(arith::CmpIPredicate::sge, at, start),
                                           compare(arith::CmpIPredicate::slt, at, end));
                }
                return builder_.If(
                    is_inside,
                    [&] {
                      return InScope([&] {
                        const Number a = Factors(sum, lhs, std::nullopt, 1).front();
                        const Number b = Factors(sum, rhs, std::nullopt, 1).front();
                        const Number before = Unflatten(values, sum.type()).front();
                        return Flatten({sum.Add(before, a, b)});
                      });
                    },
                    [&] { return Values(values); });
              });
            };
            // The end of the groups so far, then the sum.
            Values carried = {builder_.Integer(64, 0)};
            llvm::append_range(carried, Flatten({sum.Zero()}));
            const Values results = EmitLoops(in_group, 1, carried, [&](ValueRange values) {
              const Value start = values.front();
              const ValueRange sums = values.drop_front();
              const Value of_size = EmitClamped(builder_, Compute(size).front().value,
                                                ShapeOf(size).element_type(), most);
              const Value end = arith::AddIOp::create(ops, start, builder_.Resize(of_size, 64));
              Value is_here;
              if (kind != Kind::kFree) {
                const Value wanted =
                    kind == Kind::kContracting ? EmitIndex(result_group) : builder_.Integer(64, 0);
                is_here =
                    compare(arith::CmpIPredicate::eq, wanted, builder_.Resize(ranges_.front(), 64));
              }
              Values next = {end};
              llvm::append_range(
                  next, builder_.If(
                            is_here,
                            [&] { return InScope([&] { return add_products(sums, start, end); }); },
                            [&] { return Values(sums); }));
              return next;
            });
            return {sum.Finish(Unflatten(ValueRange(results).drop_front(), sum.type()).front())};
          }};
}

}  // namespace hlo_indexing::emit
