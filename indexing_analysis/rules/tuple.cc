// Operations that put arrays together, take them apart or hand them on, and custom calls.
#include <string>
#include <utility>
#include <vector>

#include "indexing_analysis/maps/equality.h"
#include "indexing_analysis/maps/index_range.h"
#include "indexing_analysis/rules/custom_calls.h"
#include "indexing_analysis/rules/forwarding.h"
#include "indexing_analysis/rules/read_rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace hlo_indexing::indexing_analysis::read_rules {
namespace {

// Element `element` of the tuple that operand 0 is.
void ElementOfOperand(ReadContext& context, int64_t element) {
  const hlo::Shape& tuple = context.operand(0);
  if (static_cast<size_t>(element) >= tuple.elements().size()) {
    context.ReadUnknown("the operand has no element " + std::to_string(element));
    return;
  }
  context.ReadSameIndexWithin(0, tuple.FirstLeafOfElement(element) + context.output_leaf());
}

// The element of a tuple that an array leaf belongs to, and the leaf's number inside it.
std::pair<int64_t, int64_t> ElementAndLeaf(const hlo::Shape& tuple, int64_t leaf) {
  const int64_t element = tuple.ElementOfLeaf(leaf);
  return {element, leaf - tuple.FirstLeafOfElement(element)};
}

// Whether the ranges of variables and digits alone keep the index in the array.
bool IsInside(llvm::ArrayRef<Sum> index, const hlo::Shape& array) {
  if (index.size() != array.sizes().size()) return false;
  for (size_t i = 0; i < index.size(); ++i) {
    const Interval bounds = IndexRange(array.sizes()[i]);
    if (!bounds.Contains(simplifier::NaturalRange(index[i]))) return false;
  }
  return true;
}

// Whether a map gives some element of the output an index outside of the array.
bool LeavesArray(const IndexingMap& map, const hlo::Shape& output, const hlo::Shape& array) {
  const llvm::ArrayRef<mlir::AffineExpr> results = map.affine_map().getResults();
  if (results.size() != array.sizes().size()) return false;
  std::vector<Variable> dimensions(map.dimensions());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    dimensions[i].bounds = dimensions[i].bounds.Intersect({0, output.sizes()[i] - 1});
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Interval below = {Interval::kMinusInfinity, -1};
    const Interval above = {array.sizes()[i], Interval::kPlusInfinity};
    for (const Interval bounds : {below, above}) {
      std::vector<MapConstraint> constraints(map.constraints());
      constraints.push_back({results[i], bounds});
      const IndexingMap outside(map.affine_map(), dimensions, map.ranges(), {}, constraints);
      if (Equal(outside, IndexingMap::KnownEmpty(outside)).answer == Answer::kNo) return true;
    }
  }
  return false;
}

// Whether a division by an expression may have no value in the domain.
bool MayDivideByZero(const IndexingMap& map) {
  llvm::SmallSetVector<mlir::AffineExpr, 2> divisors;
  const auto collect = [&](mlir::AffineExpr part) {
    const auto binary = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(part);
    const bool divides = binary && part.getKind() != mlir::AffineExprKind::Add &&
                         part.getKind() != mlir::AffineExprKind::Mul;
    if (divides && !mlir::isa<mlir::AffineConstantExpr>(binary.getRHS())) {
      divisors.insert(binary.getRHS());
    }
  };
  for (const mlir::AffineExpr result : map.affine_map().getResults()) result.walk(collect);
  for (const MapConstraint& constraint : map.constraints()) constraint.expression.walk(collect);
  return llvm::any_of(divisors, [&](mlir::AffineExpr divisor) {
    const IndexingMap zero(map.affine_map(), map.dimensions(), map.ranges(), {},
                           {{divisor, Interval::Point(0)}});
    return Equal(zero, IndexingMap::KnownEmpty(zero)).answer != Answer::kYes;
  });
}

void ReadForwarded(ReadContext& context) {
  const auto from = ForwardedOperand(context.instruction(), context.output_leaf());
  context.ReadSameIndex(from->operand, from->leaf);
}

// An output that starts with so many copies of operand 0. What follows holds no data.
void CopiesOfOperand(ReadContext& context, int64_t copies) {
  const int64_t leaves = context.operand(0).num_array_leaves();
  if (context.output_leaf() >= copies * leaves) return;
  context.ReadSameIndexWithin(0, context.output_leaf() % leaves);
}

}  // namespace

void Tuple(ReadContext& context) { ReadForwarded(context); }

void GetTupleElement(ReadContext& context) { ReadForwarded(context); }

// (copy, operand, context)
void CopyStart(ReadContext& context) { CopiesOfOperand(context, 2); }

// (operand, context, token)
void Send(ReadContext& context) { CopiesOfOperand(context, 1); }

// copy-done, recv-done
void FirstElement(ReadContext& context) { ElementOfOperand(context, 0); }

// all-gather-done, async-done and others: of (operands, results, ...) the results.
void SecondElement(ReadContext& context) { ElementOfOperand(context, 1); }

// ((operands), result, ...) with the operands that are bound late behind those from the start.
// Which of their elements the result reads, the computation of the start says.
void AsyncUpdate(ReadContext& context) {
  const hlo::Shape& shape = context.instruction().shape();
  const hlo::Shape& before = context.operand(0);
  const auto [element, leaf] = ElementAndLeaf(shape, context.output_leaf());
  if (element > 0) {
    context.ReadSameIndexWithin(0, before.FirstLeafOfElement(element) + leaf);
    for (size_t i = 1; element == 1 && i < context.num_operands(); ++i) {
      context.ReadWholeOperand(i, "bound while the computation runs: it may read less");
    }
    return;
  }
  const hlo::Shape& operands = *shape.elements()[0];
  const auto [operand, operand_leaf] = ElementAndLeaf(operands, leaf);
  const int64_t bound_before = static_cast<int64_t>(before.elements()[0]->elements().size());
  if (operand < bound_before) {
    context.ReadSameIndexWithin(0, leaf);
  } else {
    context.ReadSameIndexWithin(static_cast<size_t>(operand - bound_before) + 1, operand_leaf);
  }
}

// What the registry says of the target.
void CustomCall(ReadContext& context) {
  const std::string target = context.instruction()
                                 .Required<hlo::QuotedString>(hlo::AttributeName::kCustomCallTarget)
                                 .Unescape();
  const CustomCallRegistry* registry = context.custom_calls();
  const CustomCallRule* rule = registry == nullptr ? nullptr : registry->Find(target);
  const std::optional<CustomCallReads> reads =
      rule == nullptr
          ? std::nullopt
          : (*rule)(context.instruction(), context.output_leaf(), context.mlir_context());
  if (!reads) {
    context.ReadUnknown(rule == nullptr
                            ? "no maps are registered for the custom call '" + target + "'"
                            : "what is registered for the custom call '" + target +
                                  "' does not tell what it reads with this configuration and "
                                  "these shapes");
    return;
  }
  for (const CustomCallRead& read : *reads) {
    const bool has_operand = read.operand < context.num_operands() && read.leaf >= 0 &&
                             read.leaf < context.operand(read.operand).num_array_leaves();
    if (!has_operand) {
      context.ReadUnknown("the maps registered for '" + target +
                          "' name an array that is not there");
      return;
    }
    if (!read.map) {
      context.ReadWhole(read.operand, read.leaf, read.superset_reason);
      continue;
    }
    const bool fits = !read.map->IsUnknown() && read.map->num_runtime() == 0 &&
                      read.map->num_dimensions() == context.index().size();
    if (!fits) {
      context.ReadUnknown("a map registered for '" + target + "' does not fit the output");
      return;
    }
    const hlo::Shape& array = context.operand(read.operand).ArrayLeaf(read.leaf);
    if (read.map->affine_map().getNumResults() != array.sizes().size()) {
      context.ReadUnknown("a map registered for '" + target + "' does not fit the array " +
                          array.ToString() + " of operand " + std::to_string(read.operand));
      return;
    }
    if (MayDivideByZero(*read.map)) {
      context.ReadUnknown("a map registered for '" + target + "' divides by what may be 0");
      return;
    }
    Access access = context.Start();
    context.Compose(*read.map, access);
    access.superset_reason = read.superset_reason;
    const llvm::SmallVector<Sum, 6> index(access.Index());
    if (!IsInside(index, array) && LeavesArray(*read.map, context.output(), array)) {
      context.ReadUnknown("a map registered for '" + target + "' leaves the array " +
                          array.ToString() + " of operand " + std::to_string(read.operand));
      return;
    }
    context.ReadWithin(read.operand, read.leaf, std::move(access), index);
  }
}

}  // namespace hlo_indexing::indexing_analysis::read_rules
