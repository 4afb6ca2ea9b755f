// Convolutions of cuDNN, forward and backward.
#include <utility>

#include "indexing_analysis/rules/library_calls.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::ConvolutionDimensions;
using hlo::WindowDimension;
using mlir::AffineExpr;
using Indices = llvm::SmallVector<AffineExpr, 6>;

// output[b, y, f] = sum over k and i of  input[b, y * stride + k * dilation - padding, g * features
// + i] * kernel[k, i, f],  with group g of f: three arrays, whichever is the result.
struct Convolution {
  const hlo::Shape* input = nullptr;
  const hlo::Shape* kernel = nullptr;
  const hlo::Shape* output = nullptr;
  const ConvolutionDimensions* labels = nullptr;
  llvm::ArrayRef<WindowDimension> window;
  int64_t groups = 1;

  static int64_t Size(const hlo::Shape& shape, llvm::StringRef labels, char label) {
    return shape.sizes()[static_cast<size_t>(ConvolutionDimensions::Find(labels, label))];
  }
  int64_t InputSize(char label) const { return Size(*input, labels->input, label); }
  int64_t KernelSize(char label) const { return Size(*kernel, labels->kernel, label); }
  int64_t OutputSize(char label) const { return Size(*output, labels->output, label); }

  bool HasLabels(const hlo::Shape& shape, llvm::StringRef of_shape, llvm::StringRef others) const {
    if (!shape.IsArray() || shape.HasUnboundedDimension()) return false;
    if (shape.rank() != static_cast<int64_t>(of_shape.size())) return false;
    if (of_shape.size() != window.size() + others.size()) return false;
    const auto has = [&](char label) { return of_shape.count(label) == 1; };
    for (size_t i = 0; i < window.size(); ++i) {
      if (!has(static_cast<char>('0' + i))) return false;
    }
    return llvm::all_of(others, has);
  }

  // Whether positions in the window are numbers of 64 bits, and strides are some.
  static bool IsInRange(const WindowDimension& w, int64_t size) {
    constexpr int64_t kMax = int64_t{1} << 30;
    const auto is_factor = [](int64_t value) { return value >= 1 && value <= kMax; };
    const auto is_padding = [](int64_t value) { return value >= -kMax && value <= kMax; };
    return is_factor(w.size) && is_factor(w.stride) && is_factor(w.window_dilation) &&
           is_padding(w.padding_low) && is_padding(w.padding_high) && size <= kMax;
  }

  // Whether the three arrays belong to one convolution.
  bool Fits() const {
    if (!HasLabels(*input, labels->input, "bf") || !HasLabels(*kernel, labels->kernel, "io") ||
        !HasLabels(*output, labels->output, "bf")) {
      return false;
    }
    if (groups < 1 || groups > OutputSize('f') || KernelSize('i') < 1 ||
        InputSize('b') != OutputSize('b') || KernelSize('o') != OutputSize('f') ||
        KernelSize('i') * groups != InputSize('f') || OutputSize('f') % groups != 0) {
      return false;
    }
    for (size_t i = 0; i < window.size(); ++i) {
      const char label = static_cast<char>('0' + i);
      const WindowDimension& w = window[i];
      if (!IsInRange(w, InputSize(label))) return false;
      const int64_t span = (w.size - 1) * w.window_dilation + 1;
      const int64_t padded = InputSize(label) + w.padding_low + w.padding_high;
      const int64_t positions = padded < span ? 0 : (padded - span) / w.stride + 1;
      if (w.base_dilation != 1 || w.size != KernelSize(label) || positions != OutputSize(label)) {
        return false;
      }
    }
    return true;
  }
};

std::optional<Convolution> ReadConvolution(const hlo::Instruction& call, const hlo::Shape& input,
                                           const hlo::Shape& kernel, const hlo::Shape& output) {
  const auto labels = call.Get<const ConvolutionDimensions*>(AttributeName::kDimLabels);
  if (!labels) return std::nullopt;
  Convolution convolution = {&input, &kernel, &output, *labels, {}, 1};
  convolution.window = call.Get<llvm::ArrayRef<WindowDimension>>(AttributeName::kWindow)
                           .value_or(llvm::ArrayRef<WindowDimension>());
  convolution.groups = call.Get<int64_t>(AttributeName::kFeatureGroupCount).value_or(1);
  if (!convolution.Fits()) return std::nullopt;
  return convolution;
}

// The indices of the three arrays that meet, in the variables of a map.
struct Meeting {
  // By spatial dimension.
  Indices input;
  Indices kernel;
  Indices output;
  AffineExpr batch;
  AffineExpr input_feature;
  AffineExpr kernel_feature;
  AffineExpr output_feature;

  // The index into an array with these labels; `feature` stands for f, or i and o.
  static Indices ByLabels(llvm::StringRef labels, const Indices& spatial,
                          llvm::ArrayRef<std::pair<char, AffineExpr>> others) {
    Indices index;
    for (const char label : labels) {
      const auto* other = llvm::find_if(others, [&](const auto& o) { return o.first == label; });
      index.push_back(other == others.end() ? spatial[static_cast<size_t>(label - '0')]
                                            : other->second);
    }
    return index;
  }
  Indices InputIndex(const Convolution& c) const {
    return ByLabels(c.labels->input, input, {{'b', batch}, {'f', input_feature}});
  }
  Indices KernelIndex(const Convolution& c) const {
    return ByLabels(c.labels->kernel, kernel, {{'i', kernel_feature}, {'o', output_feature}});
  }
  Indices OutputIndex(const Convolution& c) const {
    return ByLabels(c.labels->output, output, {{'b', batch}, {'f', output_feature}});
  }
};

AffineExpr DimensionOf(const ReadMapBuilder& map, llvm::StringRef labels, char label) {
  return map.Dimension(ConvolutionDimensions::Find(labels, label));
}

// The place of the kernel's element at this offset of the window.
AffineExpr PlaceInKernel(const WindowDimension& window, AffineExpr offset) {
  return window.reversal ? -offset + (window.size - 1) : offset;
}

AffineExpr InputPosition(const WindowDimension& window, AffineExpr output, AffineExpr offset) {
  return output * window.stride + offset * window.window_dilation - window.padding_low;
}

// For an element of the output.
Meeting MeetAtOutput(const Convolution& c, ReadMapBuilder& map) {
  Meeting meeting;
  meeting.batch = DimensionOf(map, c.labels->output, 'b');
  meeting.output_feature = DimensionOf(map, c.labels->output, 'f');
  for (size_t i = 0; i < c.window.size(); ++i) {
    const char label = static_cast<char>('0' + i);
    const AffineExpr offset = map.Range(c.window[i].size);
    meeting.output.push_back(DimensionOf(map, c.labels->output, label));
    meeting.kernel.push_back(PlaceInKernel(c.window[i], offset));
    meeting.input.push_back(InputPosition(c.window[i], meeting.output[i], offset));
    map.Constrain(meeting.input[i], {0, c.InputSize(label) - 1});
  }
  meeting.kernel_feature = map.Range(c.KernelSize('i'));
  const AffineExpr group = meeting.output_feature.floorDiv(c.OutputSize('f') / c.groups);
  meeting.input_feature = group * c.KernelSize('i') + meeting.kernel_feature;
  return meeting;
}

// For an element of the input: the positions of the window that meet it.
Meeting MeetAtInput(const Convolution& c, ReadMapBuilder& map) {
  Meeting meeting;
  meeting.batch = DimensionOf(map, c.labels->input, 'b');
  meeting.input_feature = DimensionOf(map, c.labels->input, 'f');
  for (size_t i = 0; i < c.window.size(); ++i) {
    const char label = static_cast<char>('0' + i);
    const WindowDimension& window = c.window[i];
    const AffineExpr offset = map.Range(window.size);
    meeting.input.push_back(DimensionOf(map, c.labels->input, label));
    meeting.kernel.push_back(PlaceInKernel(window, offset));
    const AffineExpr moved =
        meeting.input[i] + window.padding_low - offset * window.window_dilation;
    map.Constrain(moved % window.stride, {0, 0});
    meeting.output.push_back(moved.floorDiv(window.stride));
    map.Constrain(meeting.output[i], {0, c.OutputSize(label) - 1});
  }
  const int64_t features_of_group = c.OutputSize('f') / c.groups;
  meeting.kernel_feature = meeting.input_feature % c.KernelSize('i');
  meeting.output_feature = meeting.input_feature.floorDiv(c.KernelSize('i')) * features_of_group +
                           map.Range(features_of_group);
  return meeting;
}

// For an element of the kernel: all positions of the window.
Meeting MeetAtKernel(const Convolution& c, ReadMapBuilder& map) {
  Meeting meeting;
  meeting.kernel_feature = DimensionOf(map, c.labels->kernel, 'i');
  meeting.output_feature = DimensionOf(map, c.labels->kernel, 'o');
  for (size_t i = 0; i < c.window.size(); ++i) {
    const char label = static_cast<char>('0' + i);
    const AffineExpr place = DimensionOf(map, c.labels->kernel, label);
    meeting.kernel.push_back(place);
    meeting.output.push_back(map.Range(c.OutputSize(label)));
    // The offset of a place is the place of an offset, reversed or not.
    meeting.input.push_back(
        InputPosition(c.window[i], meeting.output[i], PlaceInKernel(c.window[i], place)));
    map.Constrain(meeting.input[i], {0, c.InputSize(label) - 1});
  }
  meeting.batch = map.Range(c.InputSize('b'));
  const AffineExpr group = meeting.output_feature.floorDiv(c.OutputSize('f') / c.groups);
  meeting.input_feature = group * c.KernelSize('i') + meeting.kernel_feature;
  return meeting;
}

bool IsWorkspace(const hlo::Instruction& call, int64_t output_leaf) {
  return output_leaf != 0 && output_leaf + 1 == call.shape().num_array_leaves();
}

}  // namespace

std::optional<CustomCallReads> ReadConvolutionForward(const hlo::Instruction& call,
                                                      int64_t output_leaf,
                                                      mlir::MLIRContext* context) {
  if (call.operands().size() < 2) return std::nullopt;
  const hlo::Shape& output = call.shape().ArrayLeaf(0);
  const auto convolution =
      ReadConvolution(call, call.operand(0).shape(), call.operand(1).shape(), output);
  if (!convolution) return std::nullopt;
  if (output_leaf != 0) {
    if (!IsWorkspace(call, output_leaf)) return std::nullopt;
    return ReadAllOperands(call, kWorkspaceReason);
  }
  ReadMapBuilder of_input(output, context);
  ReadMapBuilder of_kernel(output, context);
  const Indices input = MeetAtOutput(*convolution, of_input).InputIndex(*convolution);
  const Indices kernel = MeetAtOutput(*convolution, of_kernel).KernelIndex(*convolution);
  CustomCallReads reads = {{0, 0, of_input.Build(input), ""}, {1, 0, of_kernel.Build(kernel), ""}};
  for (size_t i = 2; i < call.operands().size(); ++i) {
    const hlo::Shape& operand = call.operand(i).shape();
    if (!operand.IsArray()) return std::nullopt;
    const bool is_bias =
        i == 2 && operand.rank() == 1 && operand.sizes()[0] == convolution->OutputSize('f');
    if (is_bias) {
      const ReadMapBuilder map(output, context);
      reads.push_back({i, 0, map.Build({DimensionOf(map, convolution->labels->output, 'f')}), ""});
    } else if (operand.sizes() == output.sizes()) {
      reads.push_back({i, 0, SameIndex(output, context), ""});
    } else {
      reads.push_back(
          {i, 0, std::nullopt,
           operand.IsScalar() ? "" : "what this operand of a library call is, is not known"});
    }
  }
  return reads;
}

std::optional<CustomCallReads> ReadConvolutionBackwardInput(const hlo::Instruction& call,
                                                            int64_t output_leaf,
                                                            mlir::MLIRContext* context) {
  if (call.operands().size() != 2) return std::nullopt;
  const hlo::Shape& input = call.shape().ArrayLeaf(0);
  const auto convolution =
      ReadConvolution(call, input, call.operand(1).shape(), call.operand(0).shape());
  if (!convolution) return std::nullopt;
  if (output_leaf != 0) return ReadAllOperands(call, kWorkspaceReason);
  ReadMapBuilder of_output(input, context);
  ReadMapBuilder of_kernel(input, context);
  const Indices output = MeetAtInput(*convolution, of_output).OutputIndex(*convolution);
  const Indices kernel = MeetAtInput(*convolution, of_kernel).KernelIndex(*convolution);
  return CustomCallReads{{0, 0, of_output.Build(output), ""}, {1, 0, of_kernel.Build(kernel), ""}};
}

std::optional<CustomCallReads> ReadConvolutionBackwardKernel(const hlo::Instruction& call,
                                                             int64_t output_leaf,
                                                             mlir::MLIRContext* context) {
  if (call.operands().size() != 2) return std::nullopt;
  const hlo::Shape& kernel = call.shape().ArrayLeaf(0);
  const auto convolution =
      ReadConvolution(call, call.operand(0).shape(), kernel, call.operand(1).shape());
  if (!convolution) return std::nullopt;
  if (output_leaf != 0) return ReadAllOperands(call, kWorkspaceReason);
  ReadMapBuilder of_input(kernel, context);
  ReadMapBuilder of_output(kernel, context);
  const Indices input = MeetAtKernel(*convolution, of_input).InputIndex(*convolution);
  const Indices output = MeetAtKernel(*convolution, of_output).OutputIndex(*convolution);
  return CustomCallReads{{0, 0, of_input.Build(input), ""}, {1, 0, of_output.Build(output), ""}};
}

}  // namespace hlo_indexing::indexing_analysis
