// Operations with a window that moves over an array: reduce-window, convolution,
// select-and-scatter.
#include <optional>

#include "indexing_analysis/rules/read_rules.h"

namespace hlo_indexing::indexing_analysis::read_rules {
namespace {

using hlo::AttributeName;
using hlo::ConvolutionDimensions;
using hlo::WindowDimension;
using simplifier::Constant;
using simplifier::ScaledSum;
using Indices = llvm::SmallVector<Sum, 6>;

// Missing for scalars.
llvm::ArrayRef<WindowDimension> WindowOf(const hlo::Instruction& instruction) {
  return instruction.Get<llvm::ArrayRef<WindowDimension>>(AttributeName::kWindow)
      .value_or(llvm::ArrayRef<WindowDimension>());
}

// The element of the array at `offset` of the window with number `window_index`, in one dimension;
// the access is restricted to those for which that is an element, and neither padding nor between
// two elements.
Sum ElementInWindow(ReadContext& context, Access& access, const WindowDimension& window,
                    const Sum& window_index, const Sum& offset, int64_t size) {
  const ScaledSum parts[] = {{window_index, window.stride}, {offset, window.window_dilation}};
  const Sum position = Linear(context.digits(), parts, -window.padding_low);
  if (size == 0) {
    access.map.empty = true;
    return Constant(0);
  }
  // No window moves over a dimension without bound: windows are elements.
  if (size == hlo::kUnboundedSize) return position;
  context.Constrain(access, position, {0, (size - 1) * window.base_dilation});
  if (window.base_dilation == 1) return position;
  const simplifier::Division division = DivMod(context.digits(), position, window.base_dilation);
  context.Constrain(access, division.remainder, {0, 0});
  return division.quotient;
}

// The elements in the window with number `window_index`, with a range variable for each dimension.
Indices Window(ReadContext& context, Access& access, llvm::ArrayRef<WindowDimension> window,
               llvm::ArrayRef<Sum> window_index, llvm::ArrayRef<int64_t> sizes) {
  Indices index;
  for (size_t i = 0; i < window.size(); ++i) {
    const Sum offset = context.AddRange(access, window[i].size);
    index.push_back(ElementInWindow(context, access, window[i], window_index[i], offset, sizes[i]));
  }
  return index;
}

// What relates the indices of a convolution's arrays at one output element.
struct ConvolutionIndices {
  Access access;
  Sum kernel_input_feature;
  // By spatial dimension.
  Indices input;
  Indices kernel;
};

Sum IndexOfLabel(const ReadContext& context, const ConvolutionDimensions& labels, char label) {
  const int64_t position = ConvolutionDimensions::Find(labels.output, label);
  return position < 0 ? Constant(0) : context.index()[static_cast<size_t>(position)];
}

int64_t SizeOfLabel(const hlo::Shape& shape, llvm::StringRef labels, char label) {
  const int64_t position = ConvolutionDimensions::Find(labels, label);
  return position < 0 ? 1 : shape.sizes()[static_cast<size_t>(position)];
}

ConvolutionIndices IndicesOfOutput(ReadContext& context, const ConvolutionDimensions& labels) {
  ConvolutionIndices indices;
  indices.access = context.Start();
  const llvm::ArrayRef<WindowDimension> window = WindowOf(context.instruction());
  for (size_t i = 0; i < window.size(); ++i) {
    const char label = static_cast<char>('0' + i);
    const Sum offset = context.AddRange(indices.access, window[i].size);
    indices.input.push_back(ElementInWindow(context, indices.access, window[i],
                                            IndexOfLabel(context, labels, label), offset,
                                            SizeOfLabel(context.operand(0), labels.input, label)));
    const ScaledSum reversed[] = {{offset, -1}};
    indices.kernel.push_back(
        window[i].reversal ? Linear(context.digits(), reversed, window[i].size - 1) : offset);
    // The window may be larger than the kernel: what lies beyond adds nothing.
    const int64_t kernel_size = SizeOfLabel(context.operand(1), labels.kernel, label);
    if (kernel_size == hlo::kUnboundedSize) continue;
    context.Constrain(indices.access, indices.kernel.back(), {0, kernel_size - 1});
  }
  indices.kernel_input_feature =
      context.AddRange(indices.access, SizeOfLabel(context.operand(1), labels.kernel, 'i'));
  return indices;
}

// An index by labels; `of` gives the index of 'b', 'f', 'i' and 'o', `spatial` those of digits.
// Other labels stand for dimensions that a convolution sums over without a partner.
template <typename IndexOf>
Indices ByLabels(ReadContext& context, Access& access, llvm::StringRef labels,
                 const hlo::Shape& shape, llvm::ArrayRef<Sum> spatial, IndexOf of) {
  Indices index;
  for (size_t i = 0; i < labels.size(); ++i) {
    const char label = labels[i];
    if (label >= '0' && static_cast<size_t>(label - '0') < spatial.size()) {
      index.push_back(spatial[static_cast<size_t>(label - '0')]);
    } else if (const std::optional<Sum> sum = of(label)) {
      index.push_back(*sum);
    } else {
      index.push_back(context.AddRange(access, shape.sizes()[i]));
    }
  }
  return index;
}

// The windows that an element of the operand of a select-and-scatter lies in: their numbers, with a
// range variable for each.
Indices WindowsOver(ReadContext& context, Access& access, llvm::ArrayRef<WindowDimension> window,
                    llvm::ArrayRef<int64_t> windows) {
  Indices window_index;
  for (size_t i = 0; i < window.size(); ++i) {
    const Sum number = context.AddRange(access, windows[i]);
    const ScaledSum parts[] = {{context.index()[i], window[i].base_dilation},
                               {number, -window[i].stride}};
    const Sum offset = Linear(context.digits(), parts, window[i].padding_low);
    const simplifier::Division division =
        DivMod(context.digits(), offset, window[i].window_dilation);
    context.Constrain(access, division.remainder, {0, 0});
    context.Constrain(access, division.quotient, {0, window[i].size - 1});
    window_index.push_back(number);
  }
  return window_index;
}

}  // namespace

// in[i * stride + s * window_dilation - low], if that is an element, for every array; the
// initial values by every element.
void ReduceWindow(ReadContext& context) {
  const llvm::ArrayRef<WindowDimension> window = WindowOf(context.instruction());
  const size_t count = context.num_operands() / 2;
  for (size_t i = 0; i < count; ++i) {
    Access access = context.Start();
    const Indices index =
        Window(context, access, window, context.index(), context.operand(i).sizes());
    // A window that holds no element gives the initial value of its own array alone.
    const bool is_own = i == static_cast<size_t>(context.output_leaf());
    context.Read(count + i, 0, is_own ? context.Start() : access, {});
    context.Read(i, 0, std::move(access), index);
  }
}

// out[b, o, i] = sum over s and f of in[b, f, i * stride + s * window_dilation - low] *
// kernel[o, f, s], if the input has that element. With feature groups, group g of the output's
// features reads group g of the input's; with batch groups, group g of the batch.
void Convolution(ReadContext& context) {
  const hlo::Instruction& convolution = context.instruction();
  const auto& labels =
      *convolution.Required<const ConvolutionDimensions*>(AttributeName::kDimLabels);
  DigitContext& digits = context.digits();
  const Sum batch = IndexOfLabel(context, labels, 'b');
  const Sum feature = IndexOfLabel(context, labels, 'f');
  const int64_t features = SizeOfLabel(context.output(), labels.output, 'f');
  const auto group_of = [&](AttributeName name) {
    const int64_t count = convolution.Get<int64_t>(name).value_or(1);
    return count <= 1 ? Constant(0) : DivMod(digits, feature, features / count).quotient;
  };
  const int64_t batch_groups =
      convolution.Get<int64_t>(AttributeName::kBatchGroupCount).value_or(1);
  const hlo::Shape& input = context.operand(0);
  const hlo::Shape& kernel = context.operand(1);
  ConvolutionIndices of_input = IndicesOfOutput(context, labels);
  const int64_t group_batch = SizeOfLabel(input, labels.input, 'b') / batch_groups;
  const ScaledSum batch_parts[] = {{group_of(AttributeName::kBatchGroupCount), group_batch},
                                   {batch, 1}};
  const ScaledSum feature_parts[] = {
      {group_of(AttributeName::kFeatureGroupCount), SizeOfLabel(kernel, labels.kernel, 'i')},
      {of_input.kernel_input_feature, 1}};
  const Sum input_batch = Linear(digits, batch_parts);
  const Sum input_feature = Linear(digits, feature_parts);
  const Indices input_index =
      ByLabels(context, of_input.access, labels.input, input, of_input.input,
               [&](char label) -> std::optional<Sum> {
                 if (label == 'b') return input_batch;
                 return label == 'f' ? std::optional<Sum>(input_feature) : std::nullopt;
               });
  context.Read(0, 0, std::move(of_input.access), input_index);
  // An input without features or batch has no element to multiply with.
  if (input.num_elements() == 0) return;
  ConvolutionIndices of_kernel = IndicesOfOutput(context, labels);
  const Indices kernel_index =
      ByLabels(context, of_kernel.access, labels.kernel, kernel, of_kernel.kernel,
               [&](char label) -> std::optional<Sum> {
                 if (label == 'i') return of_kernel.kernel_input_feature;
                 return label == 'o' ? std::optional<Sum>(feature) : std::nullopt;
               });
  context.Read(1, 0, std::move(of_kernel.access), kernel_index);
}

// (operand, source, initial value): each window of the operand selects one of its elements, to
// which its element of the source is added. An element may get the source of every window that it
// lies in, and whether it does depends on the whole window.
void SelectAndScatter(ReadContext& context) {
  const llvm::ArrayRef<WindowDimension> window = WindowOf(context.instruction());
  const llvm::ArrayRef<int64_t> windows = context.operand(1).sizes();
  Access of_source = context.Start();
  const Indices window_index = WindowsOver(context, of_source, window, windows);
  Access of_window = of_source;
  context.Read(1, 0, std::move(of_source), window_index);
  const Indices index =
      Window(context, of_window, window, window_index, context.operand(0).sizes());
  context.Read(0, 0, std::move(of_window), index);
  context.Read(2, 0, context.Start(), {});
}

}  // namespace hlo_indexing::indexing_analysis::read_rules
