// Operations that move data.
#include <algorithm>
#include <optional>

#include "hlo/memory_layout.h"
#include "indexing_analysis/rules/read_rules.h"
#include "layout/row_major.h"
#include "layout/tiled_index.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis::read_rules {
namespace {

using hlo::AttributeName;
using hlo::PaddingDimension;
using hlo::Shape;
using hlo::SliceRange;
using simplifier::Constant;
using simplifier::ScaledSum;
using Indices = llvm::SmallVector<Sum, 6>;

// The elements of the operand that share bits with element `position` of the output, both counted
// in memory order.
std::optional<Sum> SameBits(ReadContext& context, Access& access, const Sum& position) {
  DigitContext& digits = context.digits();
  const int64_t output_bits = context.output().StorageBits();
  const int64_t operand_bits = context.operand(0).StorageBits();
  if (output_bits == operand_bits) return position;
  if (output_bits % operand_bits == 0) {
    const int64_t ratio = output_bits / operand_bits;
    const ScaledSum parts[] = {{position, ratio}, {context.AddRange(access, ratio), 1}};
    return Linear(digits, parts);
  }
  if (operand_bits % output_bits != 0) return std::nullopt;
  return DivMod(digits, position, operand_bits / output_bits).quotient;
}

// The position of one output index relative to the operand in a padded dimension. One without bound
// is not padded, and has no end.
struct PaddedDimension {
  Sum position;      // relative to the first element, in units of the output
  Sum element;       // the operand's index
  Sum between;       // the distance past that element; 0 at an element
  int64_t span = 0;  // position of the last element
  int64_t interior = 0;
};

PaddedDimension PositionInPadded(DigitContext& digits, const Sum& index,
                                 const PaddingDimension& padding, int64_t size) {
  PaddedDimension dimension;
  dimension.position = Subtract(digits, index, Constant(padding.low));
  if (size == hlo::kUnboundedSize) {
    dimension.element = dimension.position;
    dimension.between = Constant(0);
    dimension.span = Interval::kPlusInfinity;
    return dimension;
  }
  const simplifier::Division division = DivMod(digits, dimension.position, padding.interior + 1);
  dimension.element = division.quotient;
  dimension.between = division.remainder;
  dimension.span = (size - 1) * (padding.interior + 1);
  dimension.interior = padding.interior;
  return dimension;
}

// The padding value is read if some dimension misses the operand: the union over dimensions of
// missing it there and hitting it in all dimensions before.
void ReadPaddingValue(ReadContext& context, llvm::ArrayRef<PaddedDimension> dimensions) {
  Access inside = context.Start();
  for (const PaddedDimension& dimension : dimensions) {
    Access before = inside;
    context.Constrain(before, dimension.position, {Interval::kMinusInfinity, -1});
    context.Read(1, 0, std::move(before), {});
    if (dimension.span == Interval::kPlusInfinity) continue;
    Access after = inside;
    context.Constrain(after, dimension.position, {dimension.span + 1, Interval::kPlusInfinity});
    context.Read(1, 0, std::move(after), {});
    context.Constrain(inside, dimension.position, {0, dimension.span});
    if (dimension.interior == 0) continue;
    Access between = inside;
    context.Constrain(between, dimension.between, {1, dimension.interior});
    context.Read(1, 0, std::move(between), {});
    context.Constrain(inside, dimension.between, {0, 0});
  }
}

}  // namespace

// out[i] = in[i[dimensions[0]], i[dimensions[1]], ...]
void Broadcast(ReadContext& context) {
  Indices index;
  for (const int64_t dimension : context.instruction().Integers(AttributeName::kDimensions)) {
    index.push_back(context.index()[static_cast<size_t>(dimension)]);
  }
  context.Read(0, 0, context.Start(), index);
}

// in[j] with j[dimensions[k]] = i[k]
void Transpose(ReadContext& context) {
  const llvm::ArrayRef<int64_t> dimensions =
      context.instruction().Integers(AttributeName::kDimensions);
  Indices index(dimensions.size(), Constant(0));
  for (size_t i = 0; i < dimensions.size(); ++i) {
    index[static_cast<size_t>(dimensions[i])] = context.index()[i];
  }
  context.Read(0, 0, context.Start(), index);
}

// n - 1 - i in the reversed dimensions
void Reverse(ReadContext& context) {
  Indices index(context.index().begin(), context.index().end());
  for (const int64_t dimension : context.instruction().Integers(AttributeName::kDimensions)) {
    const size_t i = static_cast<size_t>(dimension);
    const ScaledSum parts[] = {{index[i], -1}};
    index[i] = Linear(context.digits(), parts, context.output().sizes()[i] - 1);
  }
  context.Read(0, 0, context.Start(), index);
}

// The element at the same row-major position. A dimension without bound stays: what is before it
// and what is behind it, each is reshaped by itself.
void Reshape(ReadContext& context) {
  Indices index;
  llvm::ArrayRef<Sum> to = context.index();
  llvm::ArrayRef<int64_t> to_sizes = context.output().sizes();
  llvm::ArrayRef<int64_t> from_sizes = context.operand(0).sizes();
  const auto reshape_front = [&](size_t num_to, size_t num_from) {
    // An array that is read has elements, and their number fits in 64 bits.
    const Sum position =
        layout::Linearize(context.digits(), to.take_front(num_to), to_sizes.take_front(num_to))
            .value();
    llvm::append_range(
        index, layout::Delinearize(context.digits(), position, from_sizes.take_front(num_from)));
    to = to.drop_front(num_to);
    to_sizes = to_sizes.drop_front(num_to);
    from_sizes = from_sizes.drop_front(num_from);
  };
  if (const auto* const unbounded = llvm::find(to_sizes, hlo::kUnboundedSize);
      unbounded != to_sizes.end()) {
    const auto* const unbounded_from = llvm::find(from_sizes, hlo::kUnboundedSize);
    reshape_front(static_cast<size_t>(unbounded - to_sizes.begin()),
                  static_cast<size_t>(unbounded_from - from_sizes.begin()));
    index.push_back(to.front());
    to = to.drop_front();
    to_sizes = to_sizes.drop_front();
    from_sizes = from_sizes.drop_front();
  }
  reshape_front(to.size(), from_sizes.size());
  context.Read(0, 0, context.Start(), index);
}

// As reshape if the strides do not depend on sizes that are known at run time only: these are sizes
// of all dimensions but the outermost.
void DynamicReshape(ReadContext& context) {
  const auto has_inner_dynamic = [](const Shape& shape) {
    for (int64_t i = 1; i < shape.rank(); ++i) {
      if (shape.IsDynamic(i)) return true;
    }
    return false;
  };
  const Shape& operand = context.operand(0);
  const bool is_reshape = !has_inner_dynamic(operand) && !has_inner_dynamic(context.output());
  if (!operand.IsArray() || operand.num_elements() == 0) return;
  if (is_reshape && operand.num_elements() == context.output().num_elements()) {
    Reshape(context);
    return;
  }
  context.ReadWhole(0, 0, "where an element lies depends on sizes that are known at run time only");
  for (size_t i = 1; i < context.num_operands(); ++i) context.ReadWholeOperand(i);
}

// The elements at the same position in memory, by both layouts.
void Bitcast(ReadContext& context) {
  const Shape& output = context.output();
  if (!context.operand(0).IsArray()) {
    context.ReadSameIndex(0, context.output_leaf());
    return;
  }
  const Shape& operand = context.operand(0);
  DigitContext& digits = context.digits();
  const layout::Layout output_layout = hlo::LayoutOrDefault(output);
  const layout::Layout operand_layout = hlo::LayoutOrDefault(operand);
  const auto output_elements = layout::PhysicalElements(output.sizes(), output_layout);
  const auto operand_elements = layout::PhysicalElements(operand.sizes(), operand_layout);
  const auto position =
      layout::PhysicalIndex(digits, context.index(), output.sizes(), output_layout);
  Access access = context.Start();
  const std::optional<Sum> same = position ? SameBits(context, access, *position) : std::nullopt;
  if (!same || !output_elements || !operand_elements) {
    context.ReadUnknown(
        "bitcast between element sizes that do not divide each other, or too large");
    return;
  }
  // Padding of one layout may reach beyond the other.
  const auto output_bits = support::CheckedMul(*output_elements, output.StorageBits());
  const auto operand_bits = support::CheckedMul(*operand_elements, operand.StorageBits());
  if (!output_bits || output_bits != operand_bits) {
    context.Constrain(access, *same, {0, *operand_elements - 1});
  }
  const auto logical = layout::LogicalIndex(digits, *same, operand.sizes(), operand_layout);
  if (!logical) {
    context.ReadUnknown("the operand's tiled layout is too large");
    return;
  }
  for (const simplifier::Constraint& constraint : logical->constraints) {
    context.Constrain(access, constraint.expression, constraint.bounds);
  }
  context.Read(0, 0, std::move(access), logical->index);
}

// start + stride * i
void Slice(ReadContext& context) {
  const auto ranges =
      context.instruction().Required<llvm::ArrayRef<SliceRange>>(AttributeName::kSlice);
  Access access = context.Start();
  Indices index;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const SliceRange& range = ranges[i];
    const ScaledSum parts[] = {{context.index()[i], range.stride}};
    index.push_back(Linear(context.digits(), parts, range.start));
    // A dimension may be written as one of unknown size.
    if (context.output().sizes()[i] == hlo::kUnboundedSize) {
      context.Constrain(access, index.back(), {range.start, range.limit - 1});
    }
  }
  context.Read(0, 0, std::move(access), index);
}

// in[(i - low) / (interior + 1)] if that is whole and inside, the padding value elsewhere.
void Pad(ReadContext& context) {
  const Shape& operand = context.operand(0);
  const auto padding =
      context.instruction().Required<llvm::ArrayRef<PaddingDimension>>(AttributeName::kPadding);
  if (operand.num_elements() == 0) {
    context.Read(1, 0, context.Start(), {});
    return;
  }
  llvm::SmallVector<PaddedDimension, 6> dimensions;
  for (size_t i = 0; i < padding.size(); ++i) {
    dimensions.push_back(
        PositionInPadded(context.digits(), context.index()[i], padding[i], operand.sizes()[i]));
  }
  Access access = context.Start();
  Indices index;
  for (const PaddedDimension& dimension : dimensions) {
    context.Constrain(access, dimension.position, {0, dimension.span});
    context.Constrain(access, dimension.between, {0, 0});
    index.push_back(dimension.element);
  }
  context.Read(0, 0, std::move(access), index);
  ReadPaddingValue(context, dimensions);
}

// Each operand if the index lies in its part of the dimension, counted from the part's start.
void Concatenate(ReadContext& context) {
  const size_t dimension =
      static_cast<size_t>(context.instruction().Integers(AttributeName::kDimensions)[0]);
  int64_t start = 0;
  for (size_t i = 0; i < context.num_operands(); ++i) {
    const int64_t size = context.operand(i).sizes()[dimension];
    const bool has_end = size != hlo::kUnboundedSize;
    Access access = context.Start();
    context.Constrain(access, context.index()[dimension],
                      {start, has_end ? start + size - 1 : Interval::kPlusInfinity});
    Indices index(context.index().begin(), context.index().end());
    index[dimension] = Add(context.digits(), index[dimension], Constant(-start));
    context.Read(i, 0, std::move(access), index);
    // Only the last operand may have no end.
    if (has_end) start += size;
  }
}

}  // namespace hlo_indexing::indexing_analysis::read_rules
