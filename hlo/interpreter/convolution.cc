// Convolution with every attribute: any order of dimensions, strides, padding, both dilations,
// reversal, feature and batch groups.
#include "hlo/array_indices.h"
#include "hlo/interpreter/opcode_table.h"
#include "hlo/interpreter/sum_of_products.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// Where a letter of dim_labels stands in an array: its size and stride; 1 and 0 if it is missing.
struct LabelledDimension {
  int64_t size = 1;
  int64_t stride = 0;
};

LabelledDimension Labelled(const ArrayValue& array, llvm::StringRef labels, char label) {
  const int64_t dimension = ConvolutionDimensions::Find(labels, label);
  if (dimension < 0) return {};
  const llvm::ArrayRef<int64_t> sizes = array.shape().sizes();
  return {sizes[dimension], RowMajorStrides(sizes)[dimension]};
}

class ConvolutionEvaluation {
 public:
  explicit ConvolutionEvaluation(Evaluation& e);

  bool Run();

 private:
  // Output coordinates by label.
  struct Output {
    int64_t batch = 0;
    int64_t feature = 0;
    Index spatial;
  };
  Output CoordinatesOf(llvm::ArrayRef<int64_t> index) const;
  void AddWindow(SumOfProducts& sum, const Output& output);
  bool Locate(llvm::ArrayRef<int64_t> offset, const Output& output, int64_t& input,
              int64_t& kernel) const;

  Evaluation& e_;
  const ConvolutionDimensions& labels_;
  llvm::ArrayRef<WindowDimension> window_;
  int64_t feature_groups_;
  int64_t batch_groups_;
  LabelledDimension input_batch_;
  LabelledDimension input_feature_;
  LabelledDimension kernel_input_;
  LabelledDimension kernel_output_;
  llvm::SmallVector<LabelledDimension, 4> input_spatial_;
  llvm::SmallVector<LabelledDimension, 4> kernel_spatial_;
};

ConvolutionEvaluation::ConvolutionEvaluation(Evaluation& e)
    : e_(e),
      labels_(*e.instruction().Required<const ConvolutionDimensions*>(AttributeName::kDimLabels)),
      window_(e.instruction()
                  .Get<llvm::ArrayRef<WindowDimension>>(AttributeName::kWindow)
                  .value_or(llvm::ArrayRef<WindowDimension>())),
      feature_groups_(e.instruction().Get<int64_t>(AttributeName::kFeatureGroupCount).value_or(1)),
      batch_groups_(e.instruction().Get<int64_t>(AttributeName::kBatchGroupCount).value_or(1)),
      input_batch_(Labelled(e.array(0), labels_.input, 'b')),
      input_feature_(Labelled(e.array(0), labels_.input, 'f')),
      kernel_input_(Labelled(e.array(1), labels_.kernel, 'i')),
      kernel_output_(Labelled(e.array(1), labels_.kernel, 'o')) {
  for (size_t i = 0; i < window_.size(); ++i) {
    const char label = static_cast<char>('0' + i);
    input_spatial_.push_back(Labelled(e.array(0), labels_.input, label));
    kernel_spatial_.push_back(Labelled(e.array(1), labels_.kernel, label));
  }
}

ConvolutionEvaluation::Output ConvolutionEvaluation::CoordinatesOf(
    llvm::ArrayRef<int64_t> index) const {
  Output output;
  output.spatial.resize(window_.size(), 0);
  for (size_t i = 0; i < index.size(); ++i) {
    const char label = labels_.output[i];
    if (label == 'b') output.batch = index[i];
    if (label == 'f') output.feature = index[i];
    if (label >= '0' && label <= '9') output.spatial[static_cast<size_t>(label - '0')] = index[i];
  }
  return output;
}

// Where an offset in the window reads input and kernel; false if it falls between or beyond the
// elements of the input.
bool ConvolutionEvaluation::Locate(llvm::ArrayRef<int64_t> offset, const Output& output,
                                   int64_t& input, int64_t& kernel) const {
  for (size_t i = 0; i < offset.size(); ++i) {
    const WindowDimension& window = window_[i];
    const int64_t dilated =
        output.spatial[i] * window.stride - window.padding_low + offset[i] * window.window_dilation;
    if (dilated < 0 || dilated % window.base_dilation != 0) return false;
    const int64_t at = dilated / window.base_dilation;
    if (at >= input_spatial_[i].size) return false;
    const int64_t of_kernel = window.reversal ? window.size - 1 - offset[i] : offset[i];
    if (of_kernel >= kernel_spatial_[i].size) return false;
    input += at * input_spatial_[i].stride;
    kernel += of_kernel * kernel_spatial_[i].stride;
  }
  return true;
}

void ConvolutionEvaluation::AddWindow(SumOfProducts& sum, const Output& output) {
  const int64_t outputs_per_group = std::max<int64_t>(kernel_output_.size / feature_groups_, 1);
  const int64_t feature_group = output.feature / outputs_per_group;
  const int64_t outputs_per_batch_group = std::max<int64_t>(kernel_output_.size / batch_groups_, 1);
  const int64_t batch = output.feature / outputs_per_batch_group *
                            (input_batch_.size / batch_groups_) * (batch_groups_ > 1 ? 1 : 0) +
                        output.batch;
  const int64_t first_input =
      batch * input_batch_.stride + feature_group * kernel_input_.size * input_feature_.stride;
  const int64_t first_kernel = output.feature * kernel_output_.stride;
  Index sizes;
  for (const WindowDimension& window : window_) sizes.push_back(window.size);
  ForEachIndex(sizes, [&](llvm::ArrayRef<int64_t> offset) {
    int64_t input = first_input;
    int64_t kernel = first_kernel;
    if (!Locate(offset, output, input, kernel)) return true;
    for (int64_t feature = 0; feature < kernel_input_.size; ++feature) {
      sum.Add(input + feature * input_feature_.stride, kernel + feature * kernel_input_.stride);
    }
    return true;
  });
}

bool ConvolutionEvaluation::Run() {
  const std::shared_ptr<ArrayValue> result = e_.NewResult();
  if (result == nullptr) return false;
  std::optional<int64_t> of_each = kernel_input_.size;
  for (const WindowDimension& window : window_) {
    if (of_each) of_each = support::CheckedMul(*of_each, window.size);
  }
  const std::optional<int64_t> steps =
      of_each ? support::CheckedMul(*of_each, result->size()) : std::nullopt;
  const ElementType wide_type = WideTypeOf(e_);
  WideArray input;
  WideArray kernel;
  if (!e_.CanSpend(steps.value_or(-1)) || !Widen(e_, e_.array(0), wide_type, input) ||
      !Widen(e_, e_.array(1), wide_type, kernel)) {
    return false;
  }
  SumOfProducts sum(e_, input, kernel, wide_type);
  int64_t position = 0;
  const bool is_done = ForEachIndex(result->shape().sizes(), [&](llvm::ArrayRef<int64_t> index) {
    if (!e_.Spend(*of_each)) return false;
    AddWindow(sum, CoordinatesOf(index));
    result->Set(position++, sum.Finish(result->type()));
    return true;
  });
  return is_done && e_.Return(result);
}

}  // namespace

bool Convolution(Evaluation& e) { return ConvolutionEvaluation(e).Run(); }

}  // namespace hlo_indexing::hlo::evaluate
