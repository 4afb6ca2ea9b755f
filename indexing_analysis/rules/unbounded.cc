#include "indexing_analysis/rules/unbounded.h"

#include <optional>

#include "layout/row_major.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis::allows_unbounded {
namespace {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::kUnboundedSize;
using hlo::Shape;

// Whether the size of the dimension is known.
bool IsBounded(const Shape& shape, int64_t dimension) {
  return shape.sizes()[static_cast<size_t>(dimension)] != kUnboundedSize;
}

bool AreBounded(const Shape& shape, llvm::ArrayRef<int64_t> dimensions) {
  return llvm::all_of(dimensions, [&](int64_t i) { return IsBounded(shape, i); });
}

// The place of the one dimension without bound.
std::optional<size_t> OnlyUnbounded(llvm::ArrayRef<int64_t> sizes) {
  if (llvm::count(sizes, kUnboundedSize) != 1) return std::nullopt;
  return static_cast<size_t>(llvm::find(sizes, kUnboundedSize) - sizes.begin());
}

// Whether windows and elements are the same.
bool IsTrivial(const hlo::WindowDimension& window) {
  return window.size == 1 && window.stride == 1 && window.padding_low == 0 &&
         window.padding_high == 0 && window.base_dilation == 1;
}

// Whether all dimensions are bounded but the one of that label.
bool IsBoundedBut(const Shape& shape, llvm::StringRef labels, char label) {
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != label && !IsBounded(shape, static_cast<int64_t>(i))) return false;
  }
  return true;
}

}  // namespace

bool Anywhere(const Instruction&) { return true; }

bool BitcastConvert(const Instruction& convert) {
  const Shape& operand = convert.operand(0).shape();
  return operand.rank() <= convert.shape().rank() || IsBounded(operand, operand.rank() - 1);
}

// Where an operand starts, the sizes of those before it say.
bool Concatenate(const Instruction& concatenate) {
  const int64_t dimension = concatenate.Integers(AttributeName::kDimensions)[0];
  return llvm::all_of(concatenate.operands().drop_back(), [&](const Instruction* operand) {
    return IsBounded(operand->shape(), dimension);
  });
}

bool Convolution(const Instruction& convolution) {
  const auto& labels =
      *convolution.Required<const hlo::ConvolutionDimensions*>(AttributeName::kDimLabels);
  return convolution.Get<int64_t>(AttributeName::kBatchGroupCount).value_or(1) == 1 &&
         IsBoundedBut(convolution.operand(0).shape(), labels.input, 'b') &&
         IsBoundedBut(convolution.shape(), labels.output, 'b') &&
         !convolution.operand(1).shape().HasUnboundedDimension();
}

bool Dot(const Instruction& dot) {
  return AreBounded(dot.operand(0).shape(), dot.Integers(AttributeName::kLhsContractingDims)) &&
         AreBounded(dot.operand(1).shape(), dot.Integers(AttributeName::kRhsContractingDims)) &&
         dot.operands().size() == 2;
}

bool Gather(const Instruction& gather) {
  const Shape& indices = gather.operand(1).shape();
  const int64_t vectors = gather.Required<int64_t>(AttributeName::kIndexVectorDim);
  return AreBounded(gather.operand(0).shape(), gather.Integers(AttributeName::kStartIndexMap)) &&
         (vectors >= indices.rank() || IsBounded(indices, vectors));
}

bool Pad(const Instruction& pad) {
  const auto padding = pad.Required<llvm::ArrayRef<hlo::PaddingDimension>>(AttributeName::kPadding);
  for (size_t i = 0; i < padding.size(); ++i) {
    const bool is_padded = padding[i].low != 0 || padding[i].high != 0 || padding[i].interior != 0;
    if (is_padded && !IsBounded(pad.operand(0).shape(), static_cast<int64_t>(i))) return false;
  }
  return true;
}

bool Reduce(const Instruction& reduce) {
  const llvm::ArrayRef<int64_t> reduced = reduce.Integers(AttributeName::kDimensions);
  const size_t count = reduce.operands().size() / 2;
  for (size_t i = 0; i < count; ++i) {
    if (!AreBounded(reduce.operand(i).shape(), reduced)) return false;
    if (reduce.operand(count + i).shape().rank() != 0) return false;
  }
  return true;
}

bool ReduceWindow(const Instruction& reduce_window) {
  const auto window =
      reduce_window.Get<llvm::ArrayRef<hlo::WindowDimension>>(AttributeName::kWindow)
          .value_or(llvm::ArrayRef<hlo::WindowDimension>());
  for (const Instruction* operand : reduce_window.operands()) {
    const Shape& shape = operand->shape();
    for (int64_t i = 0; i < shape.rank(); ++i) {
      const bool moves =
          static_cast<size_t>(i) >= window.size() || !IsTrivial(window[static_cast<size_t>(i)]);
      if (moves && !IsBounded(shape, i)) return false;
    }
  }
  return true;
}

bool Reshape(const Instruction& reshape) {
  const llvm::ArrayRef<int64_t> from = reshape.operand(0).shape().sizes();
  const llvm::ArrayRef<int64_t> to = reshape.shape().sizes();
  const std::optional<size_t> place = OnlyUnbounded(from);
  const std::optional<size_t> new_place = OnlyUnbounded(to);
  if (!place || !new_place) return false;
  const auto before = layout::Product(from.take_front(*place));
  const auto behind = layout::Product(from.drop_front(*place + 1));
  return before && behind && before == layout::Product(to.take_front(*new_place)) &&
         behind == layout::Product(to.drop_front(*new_place + 1)) && *before > 0 && *behind > 0;
}

bool Reverse(const Instruction& reverse) {
  return AreBounded(reverse.shape(), reverse.Integers(AttributeName::kDimensions));
}

bool Sort(const Instruction& sort) {
  return llvm::all_of(sort.operands(), [&](const Instruction* operand) {
    return AreBounded(operand->shape(), sort.Integers(AttributeName::kDimensions));
  });
}

}  // namespace hlo_indexing::indexing_analysis::allows_unbounded
