// Instances of opcodes that read windows.
#include <algorithm>
#include <map>

#include "tests/property/random_opcode_generators.h"

namespace hlo_indexing::testing::generate {
namespace {

// One dimension of a window over `size` elements, and how often it fits.
struct RandomWindow {
  int64_t size, stride, low, high, base, dilation, count;
};

RandomWindow WindowOver(RandomComputation& i, int64_t size, bool is_dilated) {
  constexpr int64_t kMaxCount = 8;
  RandomWindow w = {i.random.Between(1, 3),
                    i.random.Between(1, 3),
                    i.random.Between(-2, 2),
                    i.random.Between(-2, 2),
                    1,
                    1,
                    0};
  if (is_dilated && i.Maybe()) w.base = i.random.Between(1, 3);
  if (is_dilated && i.Maybe()) w.dilation = i.random.Between(1, 3);
  const int64_t base = size == 0 ? 0 : (size - 1) * w.base + 1;
  const int64_t padded = base + w.low + w.high;
  const int64_t extent = (w.size - 1) * w.dilation + 1;
  if (padded < extent || padded <= 0) return w;
  const int64_t places = padded - extent + 1;
  w.stride = std::max(w.stride, (places + kMaxCount - 1) / kMaxCount);
  w.count = (places - 1) / w.stride + 1;
  return w;
}

std::string WindowText(const std::vector<RandomWindow>& window, const std::vector<bool>& reversal) {
  std::string size, stride, pad, base, dilation, reversed;
  for (size_t d = 0; d < window.size(); ++d) {
    const char* x = d == 0 ? "" : "x";
    const RandomWindow& w = window[d];
    size += x + std::to_string(w.size);
    stride += x + std::to_string(w.stride);
    pad += x + std::to_string(w.low) + "_" + std::to_string(w.high);
    base += x + std::to_string(w.base);
    dilation += x + std::to_string(w.dilation);
    reversed += std::string(x) + (!reversal.empty() && reversal[d] ? "1" : "0");
  }
  std::string text = "window={size=" + size + " stride=" + stride + " pad=" + pad +
                     " lhs_dilate=" + base + " rhs_dilate=" + dilation;
  if (!reversal.empty()) text += " rhs_reversal=" + reversed;
  return text + "}";
}

std::vector<RandomWindow> WindowsOver(RandomComputation& i, const Sizes& sizes, bool is_dilated,
                                      Sizes& counts) {
  std::vector<RandomWindow> window;
  for (const int64_t size : sizes) {
    window.push_back(WindowOver(i, size, is_dilated));
    counts.push_back(window.back().count);
  }
  return window;
}

// A random order of the labels, and the sizes in that order.
std::string Labels(RandomComputation& i, const std::map<char, int64_t>& sizes_by_label,
                   Sizes& sizes) {
  std::string letters;
  for (const auto& [label, size] : sizes_by_label) letters += label;
  std::string text;
  for (const int64_t k : i.random.Permutation(letters.size())) {
    text += letters[At(k)];
    sizes.push_back(sizes_by_label.at(letters[At(k)]));
  }
  return text;
}

}  // namespace

void ReduceWindow(RandomComputation& i) {
  const Sizes operand = i.SomeSizes(1, 2);
  Sizes sizes;
  const std::string window = WindowText(WindowsOver(i, operand, true, sizes), {});
  ReduceArrays(i, "reduce-window", operand, sizes, window);
}

void SelectAndScatter(RandomComputation& i) {
  const Sizes operand = i.SomeSizes(1, 2);
  Sizes source;
  const std::string window = WindowText(WindowsOver(i, operand, false, source), {});
  const std::string add = i.callees.Add("add", kAdd);
  const std::string greater = i.callees.Add("greater", kGreater);
  const std::string value = i.Operand(operand);
  const std::string sources = i.Operand(source);
  i.Result(operand, "select-and-scatter(" + value + ", " + sources + ", " + i.Operand(Sizes()) +
                        "), " + window + ", select=" + greater + ", scatter=" + add);
}

void Convolution(RandomComputation& i) {
  const Sizes spatial = i.random.OneIn(2) ? i.SomeSizes(1, 1) : Sizes{i.random.Between(1, 4), 2};
  const int64_t groups = i.random.OneIn(2) ? i.random.Between(1, 3) : 1;
  const bool is_batch = i.Maybe();
  const int64_t feature_groups = is_batch ? 1 : groups;
  const int64_t batch_groups = is_batch ? groups : 1;
  Sizes counts;
  const std::vector<RandomWindow> window = WindowsOver(i, spatial, true, counts);
  std::vector<bool> reversal;
  for (size_t d = 0; d < window.size(); ++d) reversal.push_back(i.random.OneIn(3));
  const int64_t batch = i.random.Between(1, 2);
  const int64_t kernel_inputs = i.random.Between(1, 2);
  const int64_t features = groups * i.random.Between(1, 2);
  std::map<char, int64_t> input = {{'b', batch * batch_groups},
                                   {'f', kernel_inputs * feature_groups}};
  std::map<char, int64_t> kernel = {{'i', kernel_inputs}, {'o', features}};
  std::map<char, int64_t> output = {{'b', batch}, {'f', features}};
  for (size_t d = 0; d < spatial.size(); ++d) {
    const char label = static_cast<char>('0' + d);
    input[label] = spatial[d];
    kernel[label] = window[d].size;
    output[label] = window[d].count;
  }
  Sizes input_sizes, kernel_sizes, output_sizes;
  const std::string input_labels = Labels(i, input, input_sizes);
  const std::string kernel_labels = Labels(i, kernel, kernel_sizes);
  const std::string output_labels = Labels(i, output, output_sizes);
  const std::string labels = input_labels + "_" + kernel_labels + "->" + output_labels;
  const std::string lhs = i.Operand(input_sizes);
  i.Result(output_sizes, "convolution(" + lhs + ", " + i.Operand(kernel_sizes) + "), " +
                             WindowText(window, reversal) + ", dim_labels=" + labels +
                             ", feature_group_count=" + std::to_string(feature_groups) +
                             ", batch_group_count=" + std::to_string(batch_groups));
}

}  // namespace hlo_indexing::testing::generate
