#include "tests/property/random_opcode.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace hlo_indexing::testing {
namespace {

using hlo::Opcode;

std::string Join(const Sizes& values, const char* separator = ",") {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text += separator;
    text += std::to_string(values[i]);
  }
  return text;
}

std::string Braces(const Sizes& values) { return "{" + Join(values) + "}"; }

std::string Shape(const char* type, const Sizes& sizes) {
  return std::string(type) + "[" + Join(sizes) + "]";
}

int64_t Count(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

size_t At(int64_t i) { return static_cast<size_t>(i); }

// Puts a module together.
class Instance {
 public:
  explicit Instance(Random& source) : random(source) {}

  Random& random;
  std::string computations;

  // A new parameter of the entry; its name.
  std::string Parameter(const std::string& shape) {
    const std::string name = "p" + std::to_string(parameters_++);
    body_ += "  " + name + " = " + shape + " parameter(" + name.substr(1) + ")\n";
    return name;
  }
  std::string Parameter(const Sizes& sizes) { return Parameter(Shape("f32", sizes)); }
  void Line(const std::string& line) { body_ += "  " + line + "\n"; }
  void Root(const std::string& shape, const std::string& operation) {
    body_ += "  ROOT r = " + shape + " " + operation + "\n";
  }
  void Root(const Sizes& sizes, const std::string& operation) {
    Root(Shape("f32", sizes), operation);
  }
  std::string Text() const {
    return "HloModule random, replica_count=" + std::to_string(kNumDevices) + "\n" + computations +
           "ENTRY main {\n" + body_ + "}\n";
  }

  int64_t Size() {
    if (random.OneIn(12)) return 0;
    return random.Pick(std::vector<int64_t>{1, 1, 2, 3, 4, 5, 6, 7});
  }
  Sizes SomeSizes(int64_t min_rank, int64_t max_rank) {
    Sizes sizes;
    const int64_t rank = random.Between(min_rank, max_rank);
    for (int64_t i = 0; i < rank; ++i) sizes.push_back(Size());
    return sizes;
  }
  // As many of the numbers below n, ascending.
  Sizes Subset(size_t n, size_t count) {
    Sizes subset = random.Permutation(n);
    subset.resize(count);
    std::sort(subset.begin(), subset.end());
    return subset;
  }
  Sizes Subset(size_t n) { return Subset(n, At(random.Between(0, static_cast<int64_t>(n)))); }
  bool Maybe() { return random.OneIn(2); }

 private:
  int parameters_ = 0;
  std::string body_;
};

// One dimension of a window over `size` elements, and how often it fits.
struct RandomWindow {
  int64_t size, stride, low, high, base, dilation, count;
};

RandomWindow WindowOver(Instance& i, int64_t size, bool is_dilated) {
  while (true) {
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
    w.count = padded < extent || padded <= 0 ? 0 : (padded - extent) / w.stride + 1;
    if (w.count <= 8) return w;
  }
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

constexpr const char* kAdd =
    "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n";
constexpr const char* kTake =
    "take {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n";
constexpr const char* kGreater =
    "greater {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT c = pred[] compare(a, b), direction=GT\n}\n";

// Operations on elements. `types` are those of the operands; `result` that of the result.
void Elementwise(Instance& i, const std::string& name, const std::vector<const char*>& types,
                 const char* result, const std::string& attributes = "") {
  const Sizes sizes = i.SomeSizes(0, 3);
  std::string operands;
  for (const char* type : types) {
    operands += (operands.empty() ? "" : ", ") + i.Parameter(Shape(type, sizes));
  }
  i.Root(Shape(result, sizes), name + "(" + operands + ")" + attributes);
}

void Clamp(Instance& i) {
  const Sizes sizes = i.SomeSizes(0, 3);
  const auto bound = [&] { return i.Parameter(i.Maybe() ? sizes : Sizes()); };
  const std::string low = bound();
  const std::string value = i.Parameter(sizes);
  i.Root(sizes, "clamp(" + low + ", " + value + ", " + bound() + ")");
}

void Select(Instance& i) {
  const Sizes sizes = i.SomeSizes(0, 3);
  const std::string chosen = i.Parameter(Shape("pred", i.Maybe() ? sizes : Sizes()));
  const std::string on_true = i.Parameter(sizes);
  i.Root(sizes, "select(" + chosen + ", " + on_true + ", " + i.Parameter(sizes) + ")");
}

void Map(Instance& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  Sizes all(sizes.size());
  std::iota(all.begin(), all.end(), 0);
  i.computations += kAdd;
  const std::string a = i.Parameter(sizes);
  i.Root(sizes, "map(" + a + ", " + i.Parameter(sizes) + "), dimensions=" + Braces(all) +
                    ", to_apply=add");
}

void Broadcast(Instance& i) {
  const Sizes sizes = i.SomeSizes(1, 4);
  const Sizes dimensions = i.Subset(sizes.size());
  Sizes operand;
  for (const int64_t d : dimensions) operand.push_back(sizes[At(d)]);
  i.Root(sizes, "broadcast(" + i.Parameter(operand) + "), dimensions=" + Braces(dimensions));
}

void Transpose(Instance& i) {
  const Sizes operand = i.SomeSizes(0, 4);
  const Sizes permutation = i.random.Permutation(operand.size());
  Sizes sizes;
  for (const int64_t d : permutation) sizes.push_back(operand[At(d)]);
  i.Root(sizes, "transpose(" + i.Parameter(operand) + "), dimensions=" + Braces(permutation));
}

void Reverse(Instance& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  i.Root(sizes,
         "reverse(" + i.Parameter(sizes) + "), dimensions=" + Braces(i.Subset(sizes.size())));
}

Sizes Reshaped(Instance& i, const Sizes& sizes) {
  const int64_t total = Count(sizes);
  return total == 0 ? Sizes{0, 3} : RandomFactors(i.random, total, 4);
}

void Reshape(Instance& i, const std::string& name) {
  const Sizes operand = i.SomeSizes(0, 3);
  const Sizes sizes = Reshaped(i, operand);
  std::string operands = i.Parameter(operand);
  for (size_t d = 0; d < sizes.size() && name == "dynamic-reshape"; ++d) {
    operands += ", " + i.Parameter("s32[]");
  }
  i.Root(sizes, name + "(" + operands + ")");
}

void Bitcast(Instance& i) {
  const Sizes operand = i.SomeSizes(1, 3);
  const auto layout = [&](const Sizes& sizes) {
    return Braces(i.random.Permutation(sizes.size()));
  };
  const std::string value = i.Parameter(Shape("f32", operand) + layout(operand));
  Sizes sizes = Reshaped(i, operand);
  const char* type = "f32";
  std::string order = layout(sizes);
  if (i.random.OneIn(3)) {
    // Bytes, the innermost dimension holds those of one element.
    type = "u8";
    sizes.push_back(4);
    order = "{" + std::to_string(sizes.size() - 1);
    for (const int64_t d : i.random.Permutation(sizes.size() - 1)) {
      order += "," + std::to_string(d);
    }
    order += "}";
  }
  i.Root(Shape(type, sizes) + order, "bitcast(" + value + ")");
}

void BitcastConvert(Instance& i) {
  Sizes sizes = i.SomeSizes(0, 2);
  Sizes with_parts = sizes;
  with_parts.push_back(4);
  switch (i.random.Between(0, 2)) {
    case 0:
      return i.Root(Shape("s32", sizes), "bitcast-convert(" + i.Parameter(sizes) + ")");
    case 1:
      return i.Root(Shape("u8", with_parts), "bitcast-convert(" + i.Parameter(sizes) + ")");
    default:
      return i.Root(Shape("f32", sizes),
                    "bitcast-convert(" + i.Parameter(Shape("u8", with_parts)) + ")");
  }
}

void Slice(Instance& i) {
  const Sizes operand = i.SomeSizes(1, 3);
  Sizes sizes;
  std::string ranges;
  for (const int64_t size : operand) {
    const int64_t start = i.random.Between(0, size);
    const int64_t limit = i.random.Between(start, size);
    const int64_t stride = i.random.Between(1, 3);
    sizes.push_back((limit - start + stride - 1) / stride);
    ranges += (ranges.empty() ? "[" : ", [") + Join({start, limit, stride}, ":") + "]";
  }
  i.Root(sizes, "slice(" + i.Parameter(operand) + "), slice={" + ranges + "}");
}

void Pad(Instance& i) {
  const Sizes operand = i.SomeSizes(1, 3);
  Sizes sizes;
  std::string padding;
  for (const int64_t size : operand) {
    int64_t low = 0;
    int64_t high = 0;
    const int64_t interior = i.Maybe() ? 0 : i.random.Between(1, 2);
    const int64_t base = size + std::max<int64_t>(size - 1, 0) * interior;
    do {
      low = i.random.Between(-3, 3);
      high = i.random.Between(-3, 3);
    } while (base + low + high < 0);
    sizes.push_back(base + low + high);
    padding += (padding.empty() ? "" : "x") + Join({low, high, interior}, "_");
  }
  const std::string value = i.Parameter(operand);
  i.Root(sizes, "pad(" + value + ", " + i.Parameter(Sizes()) + "), padding=" + padding);
}

void Concatenate(Instance& i) {
  Sizes sizes = i.SomeSizes(1, 3);
  const size_t d = At(i.random.Between(0, static_cast<int64_t>(sizes.size()) - 1));
  const int64_t count = i.random.Between(1, 4);
  Sizes operand = sizes;
  sizes[d] = 0;
  std::string operands;
  for (int64_t k = 0; k < count; ++k) {
    operand[d] = i.Size();
    sizes[d] += operand[d];
    operands += (k == 0 ? "" : ", ") + i.Parameter(operand);
  }
  i.Root(sizes, "concatenate(" + operands + "), dimensions={" + std::to_string(d) + "}");
}

std::string IndexOperands(Instance& i, size_t count) {
  std::string text;
  for (size_t k = 0; k < count; ++k) {
    if (i.random.OneIn(4)) {
      const std::string name = "c" + std::to_string(k);
      i.Line(name + " = s32[] constant(" + std::to_string(i.random.Between(-3, 8)) + ")");
      text += ", " + name;
    } else {
      text += ", " + i.Parameter("s32[]");
    }
  }
  return text;
}

void DynamicSlice(Instance& i) {
  const Sizes operand = i.SomeSizes(1, 3);
  Sizes sizes;
  for (const int64_t size : operand) sizes.push_back(i.random.Between(0, size));
  const std::string value = i.Parameter(operand);
  i.Root(sizes, "dynamic-slice(" + value + IndexOperands(i, sizes.size()) +
                    "), dynamic_slice_sizes=" + Braces(sizes));
}

void DynamicUpdateSlice(Instance& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  Sizes update;
  for (const int64_t size : sizes) update.push_back(i.random.Between(0, size));
  const std::string value = i.Parameter(sizes);
  const std::string updates = i.Parameter(update);
  i.Root(sizes,
         "dynamic-update-slice(" + value + ", " + updates + IndexOperands(i, sizes.size()) + ")");
}

// How gather and scatter address an array: windows, batching dimensions, index vectors.
struct Addressing {
  Sizes array, indices, batch, window, offsets_of;
  Sizes unit_dims, array_batching, indices_batching, start_map, offset_dims, result;
  int64_t vector_dim = 0;
  Sizes slice;
};

Addressing RandomAddressing(Instance& i) {
  Addressing a;
  a.array = i.SomeSizes(1, 3);
  for (int64_t& size : a.array) size = std::max<int64_t>(size, 1);
  const size_t rank = a.array.size();
  const Sizes special = i.Subset(rank);
  for (const int64_t d : special) {
    (i.random.OneIn(3) ? a.array_batching : a.unit_dims).push_back(d);
  }
  Sizes starts;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t dimension = static_cast<int64_t>(d);
    const bool is_unit = std::count(a.unit_dims.begin(), a.unit_dims.end(), dimension) != 0;
    const bool is_batch =
        std::count(a.array_batching.begin(), a.array_batching.end(), dimension) != 0;
    a.slice.push_back(is_unit || is_batch ? 1 : i.random.Between(0, a.array[d]));
    if (!is_unit && !is_batch) a.window.push_back(a.slice.back());
    if (!is_batch && i.random.Between(0, 2) != 0) starts.push_back(dimension);
  }
  for (const int64_t k : i.random.Permutation(starts.size())) {
    a.start_map.push_back(starts[At(k)]);
  }
  const size_t extra = At(i.random.Between(0, 2));
  a.batch = Sizes(extra + a.array_batching.size(), 0);
  const Sizes places = i.random.Permutation(a.batch.size());
  for (size_t k = 0; k < a.batch.size(); ++k) {
    const bool is_batching = k < a.array_batching.size();
    a.batch[At(places[k])] =
        is_batching ? a.array[At(a.array_batching[k])] : i.random.Between(0, 3);
    if (is_batching) a.indices_batching.push_back(places[k]);
  }
  a.vector_dim = i.random.Between(0, static_cast<int64_t>(a.batch.size()));
  a.indices = a.batch;
  const bool is_scalar = a.start_map.size() == 1 && i.Maybe();
  if (is_scalar) {
    a.vector_dim = static_cast<int64_t>(a.batch.size());
  } else {
    a.indices.insert(a.indices.begin() + a.vector_dim, static_cast<int64_t>(a.start_map.size()));
    for (int64_t& d : a.indices_batching) d += d >= a.vector_dim ? 1 : 0;
  }
  a.offset_dims = i.Subset(a.batch.size() + a.window.size(), a.window.size());
  size_t next_window = 0;
  size_t next_batch = 0;
  for (size_t d = 0; d < a.batch.size() + a.window.size(); ++d) {
    const bool is_offset =
        std::count(a.offset_dims.begin(), a.offset_dims.end(), static_cast<int64_t>(d)) != 0;
    a.result.push_back(is_offset ? a.window[next_window++] : a.batch[next_batch++]);
  }
  return a;
}

void Gather(Instance& i) {
  const Addressing a = RandomAddressing(i);
  const std::string operand = i.Parameter(a.array);
  i.Root(a.result, "gather(" + operand + ", " + i.Parameter(Shape("s32", a.indices)) +
                       "), offset_dims=" + Braces(a.offset_dims) + ", collapsed_slice_dims=" +
                       Braces(a.unit_dims) + ", operand_batching_dims=" + Braces(a.array_batching) +
                       ", start_indices_batching_dims=" + Braces(a.indices_batching) +
                       ", start_index_map=" + Braces(a.start_map) + ", index_vector_dim=" +
                       std::to_string(a.vector_dim) + ", slice_sizes=" + Braces(a.slice));
}

void Scatter(Instance& i) {
  const Addressing a = RandomAddressing(i);
  const bool is_variadic = i.random.OneIn(4);
  const bool combines = is_variadic || i.random.Between(0, 2) != 0;
  i.computations += is_variadic ? "two {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                                  "  c = f32[] parameter(2)\n  d = f32[] parameter(3)\n"
                                  "  e = f32[] add(a, c)\n  f = f32[] multiply(b, d)\n"
                                  "  ROOT g = (f32[], f32[]) tuple(e, f)\n}\n"
                    : combines  ? kAdd
                                : kTake;
  const std::string attributes = "), update_window_dims=" + Braces(a.offset_dims) +
                                 ", inserted_window_dims=" + Braces(a.unit_dims) +
                                 ", input_batching_dims=" + Braces(a.array_batching) +
                                 ", scatter_indices_batching_dims=" + Braces(a.indices_batching) +
                                 ", scatter_dims_to_operand_dims=" + Braces(a.start_map) +
                                 ", index_vector_dim=" + std::to_string(a.vector_dim) +
                                 ", to_apply=" +
                                 (is_variadic ? "two"
                                  : combines  ? "add"
                                              : "take");
  std::string arrays = i.Parameter(a.array);
  if (is_variadic) arrays += ", " + i.Parameter(a.array);
  const std::string indices = i.Parameter(Shape("s32", a.indices));
  std::string updates = i.Parameter(a.result);
  if (is_variadic) updates += ", " + i.Parameter(a.result);
  const std::string shape = Shape("f32", a.array);
  i.Root(is_variadic ? "(" + shape + ", " + shape + ")" : shape,
         "scatter(" + arrays + ", " + indices + ", " + updates + attributes);
}

void Reduce(Instance& i) {
  const Sizes operand = i.SomeSizes(0, 3);
  const Sizes reduced = i.Subset(operand.size());
  Sizes sizes;
  for (size_t d = 0; d < operand.size(); ++d) {
    if (std::count(reduced.begin(), reduced.end(), static_cast<int64_t>(d)) == 0) {
      sizes.push_back(operand[d]);
    }
  }
  i.computations += kAdd;
  const std::string value = i.Parameter(operand);
  i.Root(sizes, "reduce(" + value + ", " + i.Parameter(Sizes()) +
                    "), dimensions=" + Braces(reduced) + ", to_apply=add");
}

std::vector<RandomWindow> WindowsOver(Instance& i, const Sizes& sizes, bool is_dilated,
                                      Sizes& counts) {
  std::vector<RandomWindow> window;
  for (const int64_t size : sizes) {
    window.push_back(WindowOver(i, size, is_dilated));
    counts.push_back(window.back().count);
  }
  return window;
}

void ReduceWindow(Instance& i) {
  const Sizes operand = i.SomeSizes(1, 2);
  Sizes sizes;
  const std::string window = WindowText(WindowsOver(i, operand, true, sizes), {});
  i.computations += kAdd;
  const std::string value = i.Parameter(operand);
  i.Root(sizes, "reduce-window(" + value + ", " + i.Parameter(Sizes()) + "), " + window +
                    ", to_apply=add");
}

void SelectAndScatter(Instance& i) {
  const Sizes operand = i.SomeSizes(1, 2);
  Sizes source;
  const std::string window = WindowText(WindowsOver(i, operand, false, source), {});
  i.computations += std::string(kAdd) + kGreater;
  const std::string value = i.Parameter(operand);
  const std::string sources = i.Parameter(source);
  i.Root(operand, "select-and-scatter(" + value + ", " + sources + ", " + i.Parameter(Sizes()) +
                      "), " + window + ", select=greater, scatter=add");
}

// A random order of the labels, and the sizes in that order.
std::string Labels(Instance& i, const std::map<char, int64_t>& sizes_by_label, Sizes& sizes) {
  std::string letters;
  for (const auto& [label, size] : sizes_by_label) letters += label;
  std::string text;
  for (const int64_t k : i.random.Permutation(letters.size())) {
    text += letters[At(k)];
    sizes.push_back(sizes_by_label.at(letters[At(k)]));
  }
  return text;
}

void Convolution(Instance& i) {
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
  const std::string lhs = i.Parameter(input_sizes);
  i.Root(output_sizes, "convolution(" + lhs + ", " + i.Parameter(kernel_sizes) + "), " +
                           WindowText(window, reversal) + ", dim_labels=" + labels +
                           ", feature_group_count=" + std::to_string(feature_groups) +
                           ", batch_group_count=" + std::to_string(batch_groups));
}

// The operands of a dot, in random order of dimensions.
struct DotOperands {
  Sizes lhs, rhs, result;
  std::string attributes;
};

DotOperands RandomDot(Instance& i) {
  const Sizes batch = i.SomeSizes(0, 1);
  const Sizes contracted = i.SomeSizes(0, 2);
  DotOperands dot;
  dot.result = batch;
  const auto side = [&](const char* name, Sizes& sizes) {
    const Sizes free = i.SomeSizes(0, 1);
    Sizes all = batch;
    all.insert(all.end(), contracted.begin(), contracted.end());
    all.insert(all.end(), free.begin(), free.end());
    const Sizes places = i.random.Permutation(all.size());
    sizes.assign(all.size(), 0);
    Sizes batch_dims, contracting_dims;
    for (size_t k = 0; k < all.size(); ++k) {
      sizes[At(places[k])] = all[k];
      if (k < batch.size()) {
        batch_dims.push_back(places[k]);
      } else if (k < batch.size() + contracted.size()) {
        contracting_dims.push_back(places[k]);
      }
    }
    dot.result.insert(dot.result.end(), free.begin(), free.end());
    dot.attributes += std::string(", ") + name + "_batch_dims=" + Braces(batch_dims) + ", " + name +
                      "_contracting_dims=" + Braces(contracting_dims);
  };
  side("lhs", dot.lhs);
  side("rhs", dot.rhs);
  return dot;
}

void Dot(Instance& i) {
  const DotOperands dot = RandomDot(i);
  const std::string lhs = i.Parameter(dot.lhs);
  i.Root(dot.result, "dot(" + lhs + ", " + i.Parameter(dot.rhs) + ")" + dot.attributes);
}

void ScaledDot(Instance& i) {
  DotOperands dot = RandomDot(i);
  const auto scale = [&](const Sizes& sizes) {
    Sizes scales;
    for (const int64_t size : sizes) {
      std::vector<int64_t> divisors;
      for (int64_t k = 1; k <= size; ++k) {
        if (size % k == 0) divisors.push_back(k);
      }
      scales.push_back(divisors.empty() ? 0 : i.random.Pick(divisors));
    }
    return scales;
  };
  const std::string lhs = i.Parameter(dot.lhs);
  const std::string rhs = i.Parameter(dot.rhs);
  const std::string lhs_scale = i.Parameter(scale(dot.lhs));
  i.Root(dot.result, "scaled-dot(" + lhs + ", " + rhs + ", " + lhs_scale + ", " +
                         i.Parameter(scale(dot.rhs)) + ")" + dot.attributes);
}

void RaggedDot(Instance& i) {
  const int64_t m = i.random.Between(1, 6), k = i.random.Between(0, 3), n = i.random.Between(1, 3);
  const int64_t groups = i.random.Between(1, 3);
  const std::string lhs = i.Parameter(Sizes{m, k});
  const std::string rhs = i.Parameter(Sizes{groups, k, n});
  i.Root(Sizes{m, n},
         "ragged-dot(" + lhs + ", " + rhs + ", " + i.Parameter(Shape("s32", {groups})) +
             "), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
             "rhs_group_dims={0}");
}

void Sort(Instance& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  const std::string d = std::to_string(i.random.Between(0, static_cast<int64_t>(sizes.size()) - 1));
  const std::string shape = Shape("f32", sizes);
  if (i.Maybe()) {
    i.computations += kGreater;
    return i.Root(sizes,
                  "sort(" + i.Parameter(sizes) + "), dimensions={" + d + "}, to_apply=greater");
  }
  i.computations +=
      "both {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n"
      "  d = f32[] parameter(3)\n  e = f32[] add(a, c)\n  f = f32[] add(b, d)\n"
      "  ROOT g = pred[] compare(e, f), direction=LT\n}\n";
  const std::string keys = i.Parameter(sizes);
  i.Root("(" + shape + ", " + shape + ")", "sort(" + keys + ", " + i.Parameter(sizes) +
                                               "), dimensions={" + d +
                                               "}, is_stable=true, to_apply=both");
}

void TopK(Instance& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  Sizes result = sizes;
  result.back() = i.random.Between(0, sizes.back());
  i.Root("(" + Shape("f32", result) + ", " + Shape("s32", result) + ")",
         "topk(" + i.Parameter(sizes) + "), k=" + std::to_string(result.back()) + ", largest=true");
}

void Fft(Instance& i) {
  Sizes sizes = i.SomeSizes(1, 3);
  const size_t count = At(i.random.Between(1, static_cast<int64_t>(sizes.size())));
  Sizes lengths(sizes.end() - static_cast<std::ptrdiff_t>(count), sizes.end());
  switch (i.random.Between(0, 2)) {
    case 0:
      return i.Root(Shape("c64", sizes), "fft(" + i.Parameter(Shape("c64", sizes)) +
                                             "), fft_type=" + (i.Maybe() ? "FFT" : "IFFT") +
                                             ", fft_length=" + Braces(lengths));
    case 1: {
      Sizes result = sizes;
      if (lengths.back() != 0) result.back() = lengths.back() / 2 + 1;
      return i.Root(Shape("c64", result), "fft(" + i.Parameter(sizes) +
                                              "), fft_type=RFFT, fft_length=" + Braces(lengths));
    }
    default: {
      lengths.back() = std::max<int64_t>(lengths.back(), 1);
      Sizes result = sizes;
      result.back() = lengths.back();
      sizes.back() = lengths.back() / 2 + 1;
      return i.Root(result, "fft(" + i.Parameter(Shape("c64", sizes)) +
                                "), fft_type=IRFFT, fft_length=" + Braces(lengths));
    }
  }
}

void Scan(Instance& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  const size_t d = At(i.random.Between(0, static_cast<int64_t>(sizes.size()) - 1));
  Sizes carry = sizes;
  carry.erase(carry.begin() + static_cast<std::ptrdiff_t>(d));
  // The sum up to here, the sum before, or the element itself; on slices.
  const std::string part = Shape("f32", carry);
  const std::string output = i.random.Pick(std::vector<std::string>{"c", "b", "a"});
  i.computations += "step {\n  a = " + part + " parameter(0)\n  b = " + part +
                    " parameter(1)\n  c = " + part + " add(a, b)\n  ROOT t = (" + part + ", " +
                    part + ") tuple(" + output + ", c)\n}\n";
  const std::string input = i.Parameter(sizes);
  i.Root("(" + Shape("f32", sizes) + ", " + Shape("f32", carry) + ")",
         "scan(" + input + ", " + i.Parameter(carry) + "), dimensions={" + std::to_string(d) +
             "}, num_carries=1, is_reverse=" + (i.Maybe() ? "true" : "false") +
             ", is_associative=true, to_apply=step");
}

void BatchNorm(Instance& i, Opcode opcode) {
  const Sizes sizes = i.SomeSizes(1, 3);
  const int64_t feature = i.random.Between(0, static_cast<int64_t>(sizes.size()) - 1);
  const Sizes of_feature = {sizes[At(feature)]};
  const std::string attributes = "), epsilon=0.001, feature_index=" + std::to_string(feature);
  std::string operands = i.Parameter(sizes);
  const int more = opcode == Opcode::kBatchNormInference ? 4
                   : opcode == Opcode::kBatchNormGrad    ? 3
                                                         : 2;
  for (int k = 0; k < more; ++k) operands += ", " + i.Parameter(of_feature);
  if (opcode == Opcode::kBatchNormGrad) operands += ", " + i.Parameter(sizes);
  const std::string name = hlo::OpcodeName(opcode).str();
  if (opcode == Opcode::kBatchNormInference) {
    return i.Root(sizes, name + "(" + operands + attributes);
  }
  const std::string statistic = Shape("f32", of_feature);
  i.Root("(" + Shape("f32", sizes) + ", " + statistic + ", " + statistic + ")",
         name + "(" + operands + attributes);
}

Sizes Matrix(Instance& i, int64_t rows, int64_t columns, const Sizes& batch) {
  Sizes sizes = batch;
  sizes.push_back(rows);
  sizes.push_back(columns);
  (void)i;
  return sizes;
}

const char* Choice(bool value) { return value ? "true" : "false"; }

void Cholesky(Instance& i) {
  const int64_t n = i.random.Between(0, 5);
  const Sizes sizes = Matrix(i, n, n, i.SomeSizes(0, 1));
  i.Root(sizes, "cholesky(" + i.Parameter(sizes) + "), lower=" + Choice(i.Maybe()));
}

void TriangularSolve(Instance& i) {
  const int64_t n = i.random.Between(0, 4);
  const int64_t other = i.random.Between(0, 3);
  const bool is_left = i.Maybe();
  const Sizes batch = i.SomeSizes(0, 1);
  const std::string a = i.Parameter(Matrix(i, n, n, batch));
  const Sizes sizes = is_left ? Matrix(i, n, other, batch) : Matrix(i, other, n, batch);
  const std::string transpose =
      i.random.Pick(std::vector<std::string>{"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"});
  i.Root(sizes, "triangular-solve(" + a + ", " + i.Parameter(sizes) +
                    "), left_side=" + Choice(is_left) + ", lower=" + Choice(i.Maybe()) +
                    ", unit_diagonal=" + Choice(i.Maybe()) + ", transpose_a=" + transpose);
}

// Groups of equal size over all devices, in one of the forms of the text.
std::string Groups(Instance& i, int64_t& members) {
  members = i.random.Pick(std::vector<int64_t>{1, 2, 4, 8});
  switch (i.random.Between(0, 3)) {
    case 0:
      members = kNumDevices;
      return "replica_groups={}";
    case 1: {
      const std::string shape =
          "[" + std::to_string(kNumDevices / members) + "," + std::to_string(members) + "]";
      return "replica_groups=" + shape +
             (i.Maybe() ? "<=[8]" : "<=[2,2,2]T(" + Join(i.random.Permutation(3)) + ")");
    }
    default: {
      const Sizes numbers = i.random.Permutation(At(kNumDevices));
      const bool is_sorted = i.Maybe();
      std::string text;
      for (int64_t k = 0; k < kNumDevices; ++k) {
        text += k % members == 0 ? (k == 0 ? "{" : "},{") : ",";
        text += std::to_string(is_sorted ? k : numbers[At(k)]);
      }
      return "replica_groups={" + text + "}}";
    }
  }
}

void AllReduce(Instance& i, const std::string& name) {
  const Sizes sizes = i.SomeSizes(0, 2);
  int64_t members = 0;
  i.computations += kAdd;
  const std::string groups = Groups(i, members);
  i.Root(sizes, name + "(" + i.Parameter(sizes) + "), " + groups + ", to_apply=add");
}

void Resharded(Instance& i, Opcode opcode) {
  Sizes part = i.SomeSizes(1, 2);
  for (int64_t& size : part) size = std::max<int64_t>(size, 1);
  const size_t d = At(i.random.Between(0, static_cast<int64_t>(part.size()) - 1));
  int64_t members = 0;
  const std::string attributes = Groups(i, members) + ", dimensions={" + std::to_string(d) + "}";
  Sizes whole = part;
  whole[d] *= members;
  if (opcode == Opcode::kAllGather) {
    return i.Root(whole, "all-gather(" + i.Parameter(part) + "), " + attributes);
  }
  if (opcode == Opcode::kAllToAll) {
    return i.Root(whole, "all-to-all(" + i.Parameter(whole) + "), " + attributes);
  }
  i.computations += kAdd;
  i.Root(part, "reduce-scatter(" + i.Parameter(whole) + "), " + attributes + ", to_apply=add");
}

void AllToAll(Instance& i) {
  if (i.Maybe()) return Resharded(i, Opcode::kAllToAll);
  const Sizes sizes = i.SomeSizes(0, 2);
  int64_t members = 0;
  const std::string groups = Groups(i, members);
  std::string operands;
  std::string shape;
  for (int64_t k = 0; k < members; ++k) {
    operands += (k == 0 ? "" : ", ") + i.Parameter(sizes);
    shape += (k == 0 ? "(" : ", ") + Shape("f32", sizes);
  }
  i.Root(shape + ")", "all-to-all(" + operands + "), " + groups);
}

void CollectiveBroadcast(Instance& i) {
  const Sizes sizes = i.SomeSizes(0, 2);
  int64_t members = 0;
  const std::string groups = Groups(i, members);
  i.Root(sizes, "collective-broadcast(" + i.Parameter(sizes) + "), " + groups);
}

void CollectivePermute(Instance& i) {
  const Sizes sizes = i.SomeSizes(0, 2);
  const Sizes targets = i.random.Permutation(At(kNumDevices));
  const bool is_ring = i.Maybe();
  std::string pairs;
  for (int64_t k = 0; k < kNumDevices; ++k) {
    if (i.random.OneIn(4)) continue;
    const int64_t target = is_ring ? (k + 3) % kNumDevices : targets[At(k)];
    pairs += (pairs.empty() ? "{" : ",{") + Join({k, target}) + "}";
  }
  if (pairs.empty()) pairs = "{0,1}";
  i.Root(sizes,
         "collective-permute(" + i.Parameter(sizes) + "), source_target_pairs={" + pairs + "}");
}

void Rng(Instance& i) {
  const std::string low = i.Parameter(Sizes());
  i.Root(i.SomeSizes(0, 2),
         "rng(" + low + ", " + i.Parameter(Sizes()) + "), distribution=rng_uniform");
}

void RngBitGenerator(Instance& i) {
  const std::string state = i.Parameter("u64[3]");
  i.Root("(u64[3], " + Shape("u32", i.SomeSizes(0, 2)) + ")",
         "rng-bit-generator(" + state + "), algorithm=rng_default");
}

void Tuple(Instance& i) {
  const std::string a = Shape("f32", i.SomeSizes(0, 2));
  const std::string b = Shape("f32", i.SomeSizes(0, 2));
  const std::string pair = i.Parameter("(" + a + ", " + b + ")");
  i.Root("(" + a + ", (" + a + ", " + b + "))", "tuple(" + i.Parameter(a) + ", " + pair + ")");
}

void GetTupleElement(Instance& i) {
  const std::string a = Shape("f32", i.SomeSizes(0, 2));
  const std::string b = Shape("f32", i.SomeSizes(0, 2));
  const int64_t index = i.random.Between(0, 2);
  const std::string pair = "(" + a + ", " + b + ")";
  i.Root(index == 1 ? pair : b, "get-tuple-element(" +
                                    i.Parameter("(" + b + ", " + pair + ", " + b + ")") +
                                    "), index=" + std::to_string(index));
}

// Passes a tuple or array on.
void PassOn(Instance& i, const std::string& name, const std::string& attributes = "") {
  const std::string a = Shape("f32", i.SomeSizes(0, 2));
  const std::string shape = i.Maybe() ? a : "(" + a + ", f32[3])";
  i.Root(shape, name + "(" + i.Parameter(shape) + ")" + attributes);
}

void AddDependency(Instance& i) {
  const std::string shape = Shape("f32", i.SomeSizes(0, 2));
  i.Line("t = token[] after-all()");
  i.Root(shape, "add-dependency(" + i.Parameter(shape) + ", t)");
}

void AsyncDone(Instance& i, Opcode opcode) {
  const std::string shape = Shape("f32", i.SomeSizes(0, 2));
  const std::string name = hlo::OpcodeName(opcode).str();
  const bool is_first = opcode == Opcode::kCopyDone;
  if (opcode == Opcode::kAllReduceDone) return i.Root(shape, name + "(" + i.Parameter(shape) + ")");
  if (opcode == Opcode::kRecvDone) {
    return i.Root("(" + shape + ", token[])",
                  "recv-done(" + i.Parameter("(" + shape + ", u32[], token[])") + ")");
  }
  const bool is_async = opcode == Opcode::kAsyncDone;
  const std::string first = is_async ? "(f32[5])" : is_first ? shape : "f32[5]";
  const std::string operand = "(" + first + ", " + shape + ", u32[])";
  i.Root(shape, name + "(" + i.Parameter(operand) + ")");
}

void CopyStart(Instance& i) {
  const std::string shape = Shape("f32", i.SomeSizes(0, 2));
  i.Root("(" + shape + ", " + shape + ", u32[])", "copy-start(" + i.Parameter(shape) + ")");
}

void Send(Instance& i) {
  const std::string shape = Shape("f32", i.SomeSizes(0, 2));
  i.Line("t = token[] after-all()");
  i.Root("(" + shape + ", u32[], token[])", "send(" + i.Parameter(shape) + ", t), channel_id=1");
}

void AsyncStart(Instance& i) {
  const Sizes sizes = i.SomeSizes(1, 2);
  const std::string shape = Shape("f32", sizes);
  i.computations += "f {\n  p = " + shape + " parameter(0)\n  ROOT r = " + shape +
                    " reverse(p), dimensions={0}\n}\n";
  i.Root("((" + shape + "), " + shape + ", s32[])",
         "async-start(" + i.Parameter(shape) + "), calls=f");
}

void AsyncUpdate(Instance& i) {
  const std::string shape = Shape("f32", i.SomeSizes(1, 2));
  const std::string state = "((f32[3]), " + shape + ", s32[])";
  i.Root(state, "async-update(" + i.Parameter(state) + ")");
}

void Conditional(Instance& i) {
  const Sizes sizes = i.SomeSizes(1, 2);
  const std::string shape = Shape("f32", sizes);
  const bool is_predicate = i.Maybe();
  const int64_t count = is_predicate ? 2 : i.random.Between(1, 4);
  const std::string selector = i.Parameter(is_predicate ? "pred[]" : "s32[]");
  std::string names, operands;
  for (int64_t k = 0; k < count; ++k) {
    const std::string name = "b" + std::to_string(k);
    const std::string operation = i.random.Pick(
        std::vector<std::string>{"negate(p)", "reverse(p), dimensions={0}", "copy(p)"});
    i.computations += name + " {\n  p = " + shape + " parameter(0)\n  ROOT r = " + shape + " " +
                      operation + "\n}\n";
    names += (k == 0 ? "" : ", ") + name;
    operands += ", " + i.Parameter(sizes);
  }
  const std::string branches = is_predicate && i.Maybe()
                                   ? "true_computation=b0, false_computation=b1"
                                   : "branch_computations={" + names + "}";
  i.Root(shape, "conditional(" + selector + operands + "), " + branches);
}

void While(Instance& i) {
  const Sizes sizes = {i.random.Between(1, 5), i.random.Between(1, 3)};
  const std::string a = Shape("f32", sizes);
  const std::string state = "(s32[], " + a + ", " + a + ", f32[])";
  const std::string change = i.random.Pick(std::vector<std::string>{
      "reverse(x), dimensions={0}", "add(x, y)", "broadcast(s), dimensions={}",
      "dynamic-update-slice(x, row, n, zero)"});
  i.computations +=
      "condition {\n  p = " + state +
      " parameter(0)\n  n = s32[] get-tuple-element(p), index=0\n  k = s32[] constant(3)\n"
      "  ROOT r = pred[] compare(n, k), direction=LT\n}\n"
      "body {\n  p = " +
      state + " parameter(0)\n  n = s32[] get-tuple-element(p), index=0\n  x = " + a +
      " get-tuple-element(p), index=1\n  y = " + a +
      " get-tuple-element(p), index=2\n  s = f32[] get-tuple-element(p), index=3\n"
      "  one = s32[] constant(1)\n  zero = s32[] constant(0)\n  m = s32[] add(n, one)\n  row = " +
      Shape("f32", {1, sizes[1]}) + " slice(y), slice={[0:1], [0:" + std::to_string(sizes[1]) +
      "]}\n  z = " + a + " " + change + "\n  ROOT t = " + state + " tuple(m, z, y, s)\n}\n";
  i.Root(state, "while(" + i.Parameter(state) + "), condition=condition, body=body");
}

void Called(Instance& i, bool is_fusion) {
  const Sizes sizes = i.SomeSizes(1, 3);
  const std::string shape = Shape("f32", sizes);
  i.computations += "f {\n  p = " + shape + " parameter(0)\n  q = " + shape +
                    " parameter(1)\n  v = " + shape + " reverse(p), dimensions={0}\n  ROOT r = (" +
                    shape + ", " + shape + ") tuple(v, q)\n}\n";
  const std::string a = i.Parameter(sizes);
  const std::string operands = a + ", " + i.Parameter(sizes);
  i.Root("(" + shape + ", " + shape + ")", is_fusion
                                               ? "fusion(" + operands + "), kind=kLoop, calls=f"
                                               : "call(" + operands + "), to_apply=f");
}

void SetDimensionSize(Instance& i) {
  const Sizes sizes = i.SomeSizes(1, 2);
  Sizes rest(sizes.begin() + 1, sizes.end());
  const std::string size = std::to_string(sizes[0]);
  const std::string value = i.Parameter(sizes);
  i.Root("f32[<=" + size + (rest.empty() ? "" : "," + Join(rest)) + "]",
         "set-dimension-size(" + value + ", " + i.Parameter("s32[]") + "), dimensions={0}");
}

bool IsOneOf(Opcode opcode, std::initializer_list<Opcode> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
}

// Opcodes that make an element of one element of each operand, by their types.
bool ElementwiseInstance(Instance& i, Opcode opcode) {
  const std::string name = hlo::OpcodeName(opcode).str();
  const hlo::OpcodeInfo& info = hlo::InfoOf(opcode);
  if (IsOneOf(opcode,
              {Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kShiftLeft,
               Opcode::kShiftRightArithmetic, Opcode::kShiftRightLogical, Opcode::kMulhi})) {
    Elementwise(i, name, {"s32", "s32"}, "s32");
  } else if (IsOneOf(opcode,
                     {Opcode::kNot, Opcode::kPopulationCount, Opcode::kCountLeadingZeros})) {
    Elementwise(i, name, {"s32"}, "s32");
  } else if (opcode == Opcode::kCompare) {
    Elementwise(i, name, {"f32", "f32"}, "pred", ", direction=LT");
  } else if (opcode == Opcode::kComplex) {
    Elementwise(i, name, {"f32", "f32"}, "c64");
  } else if (IsOneOf(opcode, {Opcode::kReal, Opcode::kImag})) {
    Elementwise(i, name, {"c64"}, "f32");
  } else if (opcode == Opcode::kConvert) {
    Elementwise(i, name, {"f32"}, "s8");
  } else if (opcode == Opcode::kIsFinite) {
    Elementwise(i, name, {"f32"}, "pred");
  } else if (opcode == Opcode::kReducePrecision) {
    Elementwise(i, name, {"f32"}, "f32", ", exponent_bits=5, mantissa_bits=10");
  } else if (opcode == Opcode::kStochasticConvert) {
    Elementwise(i, name, {"f32", "u32"}, "s8");
  } else if (info.max_operands == 1 && info.required_attributes.empty()) {
    Elementwise(i, name, {"f32"}, "f32");
  } else if (info.min_operands == 2 && info.max_operands == 2 && info.required_attributes.empty()) {
    Elementwise(i, name, {"f32", "f32"}, "f32");
  } else {
    return false;
  }
  return true;
}

// Opcodes that read nothing.
bool SourceInstance(Instance& i, Opcode opcode) {
  const Sizes sizes = i.SomeSizes(1, 2);
  switch (opcode) {
    case Opcode::kAfterAll:
      i.Line("t = token[] after-all()");
      i.Root("token[]", "after-all(t)");
      return true;
    case Opcode::kConstant:
      i.Root("f32[]", "constant(1.5)");
      return true;
    case Opcode::kIota:
      i.Root(sizes, "iota(), iota_dimension=0");
      return true;
    case Opcode::kParameter:
      i.Root(sizes, "parameter(0)");
      return true;
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      i.Root("u32[]", hlo::OpcodeName(opcode).str() + "()");
      return true;
    case Opcode::kRngGetAndUpdateState:
      i.Root("u64[2]", "rng-get-and-update-state(), delta=3");
      return true;
    case Opcode::kInfeed:
      i.Line("t = token[] after-all()");
      i.Root("(" + Shape("f32", sizes) + ", token[])", "infeed(t)");
      return true;
    case Opcode::kOutfeed: {
      const std::string shape = Shape("f32", sizes);
      const std::string value = i.Parameter(shape);
      i.Line("t = token[] after-all()");
      i.Root("token[]", "outfeed(" + value + ", t), outfeed_shape=" + shape);
      return true;
    }
    case Opcode::kRecv:
      i.Line("t = token[] after-all()");
      i.Root("(" + Shape("f32", sizes) + ", u32[], token[])", "recv(t), channel_id=1");
      return true;
    case Opcode::kSendDone:
      i.Root("token[]", "send-done(" + i.Parameter("(f32[3], u32[], token[])") + "), channel_id=1");
      return true;
    case Opcode::kGetDimensionSize:
      i.Root("s32[]", "get-dimension-size(" + i.Parameter(sizes) + "), dimensions={0}");
      return true;
    default:
      return false;
  }
}

using Generator = void (*)(Instance&);

const std::map<Opcode, Generator>& Generators() {
  static const auto* const kGenerators = new std::map<Opcode, Generator>{
      {Opcode::kAddDependency, AddDependency},
      {Opcode::kAllGather, [](Instance& i) { Resharded(i, Opcode::kAllGather); }},
      {Opcode::kAllGatherDone, [](Instance& i) { AsyncDone(i, Opcode::kAllGatherDone); }},
      {Opcode::kAllReduce, [](Instance& i) { AllReduce(i, "all-reduce"); }},
      {Opcode::kAllReduceDone, [](Instance& i) { AsyncDone(i, Opcode::kAllReduceDone); }},
      {Opcode::kAllReduceStart, [](Instance& i) { AllReduce(i, "all-reduce-start"); }},
      {Opcode::kAllToAll, AllToAll},
      {Opcode::kAsyncDone, [](Instance& i) { AsyncDone(i, Opcode::kAsyncDone); }},
      {Opcode::kAsyncStart, AsyncStart},
      {Opcode::kAsyncUpdate, AsyncUpdate},
      {Opcode::kBatchNormGrad, [](Instance& i) { BatchNorm(i, Opcode::kBatchNormGrad); }},
      {Opcode::kBatchNormInference, [](Instance& i) { BatchNorm(i, Opcode::kBatchNormInference); }},
      {Opcode::kBatchNormTraining, [](Instance& i) { BatchNorm(i, Opcode::kBatchNormTraining); }},
      {Opcode::kBitcast, Bitcast},
      {Opcode::kBitcastConvert, BitcastConvert},
      {Opcode::kBroadcast, Broadcast},
      {Opcode::kCall, [](Instance& i) { Called(i, false); }},
      {Opcode::kCholesky, Cholesky},
      {Opcode::kClamp, Clamp},
      {Opcode::kCollectiveBroadcast, CollectiveBroadcast},
      {Opcode::kCollectivePermute, CollectivePermute},
      {Opcode::kCollectivePermuteDone,
       [](Instance& i) { AsyncDone(i, Opcode::kCollectivePermuteDone); }},
      {Opcode::kConcatenate, Concatenate},
      {Opcode::kConditional, Conditional},
      {Opcode::kConvolution, Convolution},
      {Opcode::kCopy, [](Instance& i) { PassOn(i, "copy"); }},
      {Opcode::kCopyDone, [](Instance& i) { AsyncDone(i, Opcode::kCopyDone); }},
      {Opcode::kCopyStart, CopyStart},
      {Opcode::kDomain,
       [](Instance& i) {
         PassOn(i, "domain", ", domain={kind=\"sharding\", entry={replicated}, exit={replicated}}");
       }},
      {Opcode::kDot, Dot},
      {Opcode::kDynamicReshape, [](Instance& i) { Reshape(i, "dynamic-reshape"); }},
      {Opcode::kDynamicSlice, DynamicSlice},
      {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice},
      {Opcode::kFft, Fft},
      {Opcode::kFusion, [](Instance& i) { Called(i, true); }},
      {Opcode::kGather, Gather},
      {Opcode::kGetTupleElement, GetTupleElement},
      {Opcode::kMap, Map},
      {Opcode::kOptimizationBarrier, [](Instance& i) { PassOn(i, "opt-barrier"); }},
      {Opcode::kPad, Pad},
      {Opcode::kRaggedDot, RaggedDot},
      {Opcode::kRecvDone, [](Instance& i) { AsyncDone(i, Opcode::kRecvDone); }},
      {Opcode::kReduce, Reduce},
      {Opcode::kReduceScatter, [](Instance& i) { Resharded(i, Opcode::kReduceScatter); }},
      {Opcode::kReduceWindow, ReduceWindow},
      {Opcode::kReshape, [](Instance& i) { Reshape(i, "reshape"); }},
      {Opcode::kReverse, Reverse},
      {Opcode::kRng, Rng},
      {Opcode::kRngBitGenerator, RngBitGenerator},
      {Opcode::kScaledDot, ScaledDot},
      {Opcode::kScan, Scan},
      {Opcode::kScatter, Scatter},
      {Opcode::kSelect, Select},
      {Opcode::kSelectAndScatter, SelectAndScatter},
      {Opcode::kSend, Send},
      {Opcode::kSetDimensionSize, SetDimensionSize},
      {Opcode::kSlice, Slice},
      {Opcode::kSort, Sort},
      {Opcode::kTopK, TopK},
      {Opcode::kTranspose, Transpose},
      {Opcode::kTriangularSolve, TriangularSolve},
      {Opcode::kTuple, Tuple},
      {Opcode::kWhile, While},
  };
  return *kGenerators;
}

}  // namespace

std::string RandomInstance(Random& random, Opcode opcode) {
  Instance instance(random);
  const auto found = Generators().find(opcode);
  if (found != Generators().end()) {
    found->second(instance);
  } else if (!SourceInstance(instance, opcode) && !ElementwiseInstance(instance, opcode)) {
    return "";
  }
  return instance.Text();
}

}  // namespace hlo_indexing::testing
