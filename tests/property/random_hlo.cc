#include "tests/property/random_hlo.h"

#include <algorithm>
#include <numeric>

namespace hlo_indexing::testing {
namespace {

constexpr int64_t kMaxElements = 150;

std::string Join(const std::vector<int64_t>& values, const char* separator = ",") {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text += separator;
    text += std::to_string(values[i]);
  }
  return text;
}

std::string Braces(const std::vector<int64_t>& values) { return "{" + Join(values) + "}"; }

int64_t Product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// A named f32 array.
struct Value {
  std::string name;
  Sizes sizes;
};

// Writes one computation, instruction by instruction.
class ComputationWriter {
 public:
  ComputationWriter(Random& random, std::string name, const std::vector<ComputationWriter>& callees)
      : random_(random), name_(std::move(name)), callees_(callees) {}

  void Write() {
    const int64_t arrays = random_.Between(1, 3);
    for (int64_t i = 0; i < arrays; ++i) AddParameter(RandomSizes());
    const int64_t scalars = random_.Between(0, 2);
    for (int64_t i = 0; i < scalars; ++i) AddIndexParameter();
    AddIndexConstant();
    const int64_t operations = random_.Between(1, 7);
    for (int64_t i = 0; i < operations; ++i) AddOperation();
    AddRoot();
  }

  // "name { ... }"
  std::string Text() const { return name_ + " {\n" + body_ + "}\n"; }

  // The parameters in order: sizes of arrays; integers that index others are marked.
  struct Parameter {
    Sizes sizes;
    bool is_index = false;
  };
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Sizes>& outputs() const { return outputs_; }
  const std::string& name() const { return name_; }

  std::string OutputShape() const {
    std::string text;
    for (const Sizes& sizes : outputs_) text += (text.empty() ? "" : ", ") + Shape(sizes);
    return outputs_.size() == 1 && !root_is_tuple_ ? text : "(" + text + ")";
  }
  bool root_is_tuple() const { return root_is_tuple_; }

  static std::string Shape(const Sizes& sizes) { return "f32[" + Join(sizes) + "]"; }

 private:
  Sizes RandomSizes() {
    Sizes sizes;
    const int64_t rank = random_.Between(0, 3);
    for (int64_t i = 0; i < rank; ++i) {
      sizes.push_back(random_.OneIn(25) ? 0 : random_.Between(1, 6));
    }
    return sizes;
  }

  std::string FreshName() { return "v" + std::to_string(next_name_++); }

  void AddParameter(const Sizes& sizes) {
    const std::string name = FreshName();
    Line(name, Shape(sizes), "parameter(" + std::to_string(parameters_.size()) + ")");
    parameters_.push_back({sizes, false});
    values_.push_back({name, sizes});
  }

  void AddIndexParameter() {
    const std::string name = FreshName();
    Line(name, "s32[]", "parameter(" + std::to_string(parameters_.size()) + ")");
    parameters_.push_back({{}, true});
    indices_.push_back(name);
  }

  void AddIndexConstant() {
    const std::string name = FreshName();
    Line(name, "s32[]", "constant(" + std::to_string(random_.Between(-2, 7)) + ")");
    indices_.push_back(name);
    if (random_.OneIn(2)) return;
    const std::string sum = FreshName();
    Line(sum, "s32[]", "add(" + random_.Pick(indices_) + ", " + random_.Pick(indices_) + ")");
    indices_.push_back(sum);
  }

  void Line(const std::string& name, const std::string& shape, const std::string& operation) {
    body_ += "  " + name + " = " + shape + " " + operation + "\n";
  }

  void Add(const Sizes& sizes, const std::string& operation) {
    const std::string name = FreshName();
    Line(name, Shape(sizes), operation);
    values_.push_back({name, sizes});
  }

  std::string Zero() {
    const std::string name = FreshName();
    Line(name, "f32[]", "constant(0)");
    return name;
  }

  // Prefers what was made last, so that chains become long.
  const Value& PickValue() { return random_.OneIn(3) ? random_.Pick(values_) : values_.back(); }

  void AddOperation() {
    const Value value = PickValue();
    switch (random_.Between(0, 20)) {
      case 0:
      case 1:
        return AddReshape(value);
      case 2:
        return AddTranspose(value);
      case 3:
        return AddReverse(value);
      case 4:
      case 5:
        return AddPad(value);
      case 6:
        return AddSlice(value);
      case 7:
        return AddConcatenate(value);
      case 8:
        return AddBroadcast(value);
      case 9:
        return AddReduce(value);
      case 10:
        return AddDot(value);
      case 11:
        return AddElementwise(value);
      case 12:
        return AddDynamicSlice(value);
      case 13:
        return AddDynamicUpdateSlice(value);
      case 14:
        return AddBitcast(value);
      case 15:
        return AddClamp(value);
      case 16:
        return AddReduceWindow(value);
      case 17:
        return AddSort(value);
      case 18:
        return AddGather(value);
      case 19:
        return AddCholesky(value);
      default:
        return AddCall();
    }
  }

  void AddReshape(const Value& value) {
    const int64_t total = Product(value.sizes);
    const Sizes target = total == 0 ? Sizes{0} : RandomFactors(random_, total, 4);
    Add(target, "reshape(" + value.name + ")");
  }

  void AddTranspose(const Value& value) {
    const std::vector<int64_t> permutation = random_.Permutation(value.sizes.size());
    Sizes sizes;
    for (const int64_t d : permutation) sizes.push_back(value.sizes[static_cast<size_t>(d)]);
    Add(sizes, "transpose(" + value.name + "), dimensions=" + Braces(permutation));
  }

  std::vector<int64_t> RandomSubset(size_t n) {
    std::vector<int64_t> subset;
    for (size_t i = 0; i < n; ++i) {
      if (random_.OneIn(2)) subset.push_back(static_cast<int64_t>(i));
    }
    return subset;
  }

  void AddReverse(const Value& value) {
    Add(value.sizes,
        "reverse(" + value.name + "), dimensions=" + Braces(RandomSubset(value.sizes.size())));
  }

  void AddPad(const Value& value) {
    std::string padding;
    Sizes sizes;
    for (const int64_t size : value.sizes) {
      const int64_t low = random_.Between(-1, 2);
      const int64_t high = random_.Between(-1, 2);
      const int64_t interior = random_.OneIn(3) ? random_.Between(1, 2) : 0;
      const int64_t padded = size + std::max<int64_t>(size - 1, 0) * interior + low + high;
      if (padded < 0) return;
      sizes.push_back(padded);
      if (!padding.empty()) padding += "x";
      padding += std::to_string(low) + "_" + std::to_string(high) + "_" + std::to_string(interior);
    }
    if (Product(sizes) > kMaxElements || sizes.empty()) return;
    const std::string pad_value = ScalarOperand();
    Add(sizes, "pad(" + value.name + ", " + pad_value + "), padding=" + padding);
  }

  // A scalar that may be a parameter, so that reads of it count.
  std::string ScalarOperand() {
    std::vector<std::string> scalars;
    for (const Value& value : values_) {
      if (value.sizes.empty()) scalars.push_back(value.name);
    }
    return scalars.empty() ? Zero() : random_.Pick(scalars);
  }

  void AddSlice(const Value& value) {
    std::string ranges;
    Sizes sizes;
    for (const int64_t size : value.sizes) {
      const int64_t start = random_.Between(0, size);
      const int64_t limit = random_.Between(start, size);
      const int64_t stride = random_.Between(1, 3);
      sizes.push_back((limit - start + stride - 1) / stride);
      if (!ranges.empty()) ranges += ", ";
      ranges += "[" + Join({start, limit, stride}, ":") + "]";
    }
    Add(sizes, "slice(" + value.name + "), slice={" + ranges + "}");
  }

  void AddConcatenate(const Value& value) {
    if (value.sizes.empty()) return;
    const size_t d =
        static_cast<size_t>(random_.Between(0, static_cast<int64_t>(value.sizes.size()) - 1));
    std::string operands = value.name;
    Sizes sizes = value.sizes;
    for (const Value& other : values_) {
      if (other.sizes.size() != sizes.size() || random_.OneIn(3)) continue;
      Sizes same = other.sizes;
      same[d] = sizes[d];
      if (same != sizes || Product(sizes) + Product(other.sizes) > kMaxElements) continue;
      operands += ", " + other.name;
      sizes[d] += other.sizes[d];
    }
    Add(sizes, "concatenate(" + operands + "), dimensions={" + std::to_string(d) + "}");
  }

  void AddBroadcast(const Value& value) {
    const size_t rank = value.sizes.size();
    const size_t target_rank = rank + static_cast<size_t>(random_.Between(0, 2));
    std::vector<int64_t> places = random_.Permutation(target_rank);
    places.resize(rank);
    std::sort(places.begin(), places.end());
    Sizes sizes;
    for (size_t i = 0; i < target_rank; ++i) sizes.push_back(random_.Between(1, 4));
    for (size_t i = 0; i < rank; ++i) sizes[static_cast<size_t>(places[i])] = value.sizes[i];
    if (Product(sizes) > kMaxElements) return;
    Add(sizes, "broadcast(" + value.name + "), dimensions=" + Braces(places));
  }

  void AddReduce(const Value& value) {
    const std::vector<int64_t> reduced = RandomSubset(value.sizes.size());
    Sizes sizes;
    for (size_t i = 0; i < value.sizes.size(); ++i) {
      if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(i)) == reduced.end()) {
        sizes.push_back(value.sizes[i]);
      }
    }
    const std::string init = ScalarOperand();
    if (!random_.OneIn(3)) {
      Add(sizes, "reduce(" + value.name + ", " + init + "), dimensions=" + Braces(reduced) +
                     ", to_apply=add");
      return;
    }
    const std::string name = FreshName();
    Line(name, "(" + Shape(sizes) + ", " + Shape(sizes) + ")",
         "reduce(" + value.name + ", " + value.name + ", " + init + ", " + init +
             "), dimensions=" + Braces(reduced) + ", to_apply=add2");
    Add(sizes, "get-tuple-element(" + name + "), index=" + std::to_string(random_.Between(0, 1)));
  }

  void AddReduceWindow(const Value& value) {
    std::string size, stride, pad, base;
    Sizes sizes;
    for (const int64_t n : value.sizes) {
      const int64_t window = random_.Between(1, 3);
      const int64_t step = random_.Between(1, 2);
      const int64_t low = random_.Between(-1, 1);
      const int64_t high = random_.Between(-1, 1);
      const int64_t dilation = random_.OneIn(3) ? 2 : 1;
      const int64_t padded = (n == 0 ? 0 : (n - 1) * dilation + 1) + low + high;
      sizes.push_back(padded < window || padded <= 0 ? 0 : (padded - window) / step + 1);
      const char* x = size.empty() ? "" : "x";
      size += x + std::to_string(window);
      stride += x + std::to_string(step);
      pad += x + std::to_string(low) + "_" + std::to_string(high);
      base += x + std::to_string(dilation);
    }
    if (sizes.empty() || Product(sizes) > kMaxElements) return;
    const std::string init = ScalarOperand();
    Add(sizes, "reduce-window(" + value.name + ", " + init + "), window={size=" + size +
                   " stride=" + stride + " pad=" + pad + " lhs_dilate=" + base + "}, to_apply=add");
  }

  void AddSort(const Value& value) {
    if (value.sizes.empty()) return;
    const int64_t d = random_.Between(0, static_cast<int64_t>(value.sizes.size()) - 1);
    Add(value.sizes,
        "sort(" + value.name + "), dimensions={" + std::to_string(d) + "}, to_apply=greater");
  }

  // Slices along the first dimension, one for each of a few places.
  void AddGather(const Value& value) {
    if (value.sizes.empty() || value.sizes[0] == 0) return;
    const int64_t count = random_.Between(1, 3);
    Sizes slice = value.sizes;
    slice[0] = random_.Between(1, value.sizes[0]);
    Sizes sizes = slice;
    sizes.insert(sizes.begin(), count);
    if (Product(sizes) > kMaxElements) return;
    const std::string indices = FreshName();
    Line(indices, "s32[" + std::to_string(count) + "]",
         "parameter(" + std::to_string(parameters_.size()) + ")");
    parameters_.push_back({{count}, true});
    std::vector<int64_t> offsets(slice.size());
    std::iota(offsets.begin(), offsets.end(), 1);
    Add(sizes, "gather(" + value.name + ", " + indices + "), offset_dims=" + Braces(offsets) +
                   ", collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, "
                   "slice_sizes=" +
                   Braces(slice));
  }

  void AddCholesky(const Value& value) {
    const size_t rank = value.sizes.size();
    if (rank < 2 || value.sizes[rank - 1] != value.sizes[rank - 2]) return;
    Add(value.sizes,
        "cholesky(" + value.name + "), lower=" + (random_.OneIn(2) ? "true" : "false"));
  }

  void AddDot(const Value& lhs) {
    const Value rhs = PickValue();
    std::vector<int64_t> lhs_dims;
    std::vector<int64_t> rhs_dims;
    for (size_t i = 0; i < lhs.sizes.size(); ++i) {
      for (size_t j = 0; j < rhs.sizes.size(); ++j) {
        const auto used = [](const std::vector<int64_t>& dims, size_t k) {
          return std::find(dims.begin(), dims.end(), static_cast<int64_t>(k)) != dims.end();
        };
        if (lhs.sizes[i] != rhs.sizes[j] || used(lhs_dims, i) || used(rhs_dims, j)) continue;
        lhs_dims.push_back(static_cast<int64_t>(i));
        rhs_dims.push_back(static_cast<int64_t>(j));
      }
    }
    const size_t batch =
        static_cast<size_t>(random_.Between(0, static_cast<int64_t>(lhs_dims.size())));
    Sizes sizes;
    for (size_t i = 0; i < batch; ++i) sizes.push_back(lhs.sizes[static_cast<size_t>(lhs_dims[i])]);
    for (const auto& [value, dims] : {std::pair(&lhs, &lhs_dims), std::pair(&rhs, &rhs_dims)}) {
      for (size_t i = 0; i < value->sizes.size(); ++i) {
        if (std::find(dims->begin(), dims->end(), static_cast<int64_t>(i)) == dims->end()) {
          sizes.push_back(value->sizes[i]);
        }
      }
    }
    if (Product(sizes) > kMaxElements) return;
    const auto part = [&](const std::vector<int64_t>& dims, bool is_batch) {
      const auto middle = dims.begin() + static_cast<std::ptrdiff_t>(batch);
      return Braces(is_batch ? std::vector<int64_t>(dims.begin(), middle)
                             : std::vector<int64_t>(middle, dims.end()));
    };
    Add(sizes, "dot(" + lhs.name + ", " + rhs.name + "), lhs_batch_dims=" + part(lhs_dims, true) +
                   ", rhs_batch_dims=" + part(rhs_dims, true) + ", lhs_contracting_dims=" +
                   part(lhs_dims, false) + ", rhs_contracting_dims=" + part(rhs_dims, false));
  }

  void AddElementwise(const Value& value) {
    for (const Value& other : values_) {
      if (other.sizes == value.sizes && random_.OneIn(2)) {
        Add(value.sizes, "add(" + value.name + ", " + other.name + ")");
        return;
      }
    }
    Add(value.sizes, "exponential(" + value.name + ")");
  }

  void AddClamp(const Value& value) {
    const std::string low = ScalarOperand();
    const std::string high = ScalarOperand();
    Add(value.sizes, "clamp(" + low + ", " + value.name + ", " + high + ")");
  }

  std::string IndexOperands(size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += ", " + random_.Pick(indices_);
    return text;
  }

  void AddDynamicSlice(const Value& value) {
    Sizes sizes;
    for (const int64_t size : value.sizes) sizes.push_back(random_.Between(0, size));
    Add(sizes, "dynamic-slice(" + value.name + IndexOperands(sizes.size()) +
                   "), dynamic_slice_sizes=" + Braces(sizes));
  }

  void AddDynamicUpdateSlice(const Value& value) {
    Sizes sizes;
    for (const int64_t size : value.sizes) sizes.push_back(random_.Between(0, size));
    // The update: a parameter of its own, if none fits.
    const Value* update = nullptr;
    for (const Value& other : values_) {
      bool fits = other.sizes.size() == sizes.size() && other.name != value.name;
      for (size_t i = 0; fits && i < sizes.size(); ++i) fits = other.sizes[i] <= value.sizes[i];
      if (fits) update = &other;
    }
    if (update == nullptr) {
      AddParameter(sizes);
      update = &values_.back();
    }
    const std::string operands = value.name + ", " + update->name;
    Add(value.sizes, "dynamic-update-slice(" + operands + IndexOperands(value.sizes.size()) + ")");
  }

  // To other dimensions in another order in memory; operands are row-major.
  void AddBitcast(const Value& value) {
    const int64_t total = Product(value.sizes);
    if (total == 0) return;
    const Sizes sizes = RandomFactors(random_, total, 3);
    const std::string name = FreshName();
    const std::string layout = sizes.empty() ? "" : Braces(random_.Permutation(sizes.size()));
    Line(name, Shape(sizes) + layout, "bitcast(" + value.name + ")");
    // Back to a row-major array of the same elements, by a copy.
    Add(sizes, "copy(" + name + ")");
  }

  void AddCall() {
    if (callees_.empty()) return;
    const ComputationWriter& callee = random_.Pick(callees_);
    std::string arguments;
    for (const Parameter& parameter : callee.parameters()) {
      std::string argument;
      if (parameter.is_index && !parameter.sizes.empty()) {
        argument = FreshName();
        Line(argument, "s32[" + Join(parameter.sizes) + "]",
             "parameter(" + std::to_string(parameters_.size()) + ")");
        parameters_.push_back(parameter);
      } else if (parameter.is_index) {
        argument = random_.Pick(indices_);
      } else {
        for (const Value& value : values_) {
          if (value.sizes == parameter.sizes) argument = value.name;
        }
        if (argument.empty()) {
          AddParameter(parameter.sizes);
          argument = values_.back().name;
        }
      }
      arguments += (arguments.empty() ? "" : ", ") + argument;
    }
    const std::string call = random_.OneIn(2)
                                 ? "call(" + arguments + "), to_apply=" + callee.name()
                                 : "fusion(" + arguments + "), kind=kLoop, calls=" + callee.name();
    const std::string name = FreshName();
    Line(name, callee.OutputShape(), call);
    if (!callee.root_is_tuple()) {
      values_.push_back({name, callee.outputs()[0]});
      return;
    }
    const int64_t index = random_.Between(0, static_cast<int64_t>(callee.outputs().size()) - 1);
    Add(callee.outputs()[static_cast<size_t>(index)],
        "get-tuple-element(" + name + "), index=" + std::to_string(index));
  }

  void AddRoot() {
    root_is_tuple_ = random_.OneIn(3);
    if (!root_is_tuple_) {
      outputs_ = {values_.back().sizes};
      const std::string name = FreshName();
      body_ +=
          "  ROOT " + name + " = " + Shape(outputs_[0]) + " negate(" + values_.back().name + ")\n";
      return;
    }
    std::string operands = values_.back().name;
    outputs_ = {values_.back().sizes};
    for (const Value& value : values_) {
      if (outputs_.size() == 3 || random_.OneIn(2)) continue;
      operands += ", " + value.name;
      outputs_.push_back(value.sizes);
    }
    body_ += "  ROOT " + FreshName() + " = " + OutputShape() + " tuple(" + operands + ")\n";
  }

  Random& random_;
  std::string name_;
  const std::vector<ComputationWriter>& callees_;
  std::string body_;
  int next_name_ = 0;
  std::vector<Parameter> parameters_;
  std::vector<Value> values_;
  std::vector<std::string> indices_;
  std::vector<Sizes> outputs_;
  bool root_is_tuple_ = false;
};

constexpr const char* kReducers =
    "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
    "add2 {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n"
    "  d = f32[] parameter(3)\n  e = f32[] add(a, c)\n  f = f32[] add(b, d)\n"
    "  ROOT t = (f32[], f32[]) tuple(e, f)\n}\n"
    "greater {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT c = pred[] compare(a, b), direction=GT\n}\n";

}  // namespace

std::vector<int64_t> Random::Permutation(size_t n) {
  std::vector<int64_t> permutation(n);
  std::iota(permutation.begin(), permutation.end(), 0);
  for (size_t i = n; i > 1; --i) {
    std::swap(permutation[i - 1],
              permutation[static_cast<size_t>(Between(0, static_cast<int64_t>(i) - 1))]);
  }
  return permutation;
}

Sizes RandomFactors(Random& random, int64_t total, size_t max_rank) {
  Sizes sizes;
  while (sizes.size() + 1 < max_rank && !random.OneIn(4)) {
    std::vector<int64_t> divisors;
    for (int64_t k = 1; k * k <= total; ++k) {
      if (total % k != 0) continue;
      divisors.push_back(k);
      divisors.push_back(total / k);
    }
    sizes.push_back(random.Pick(divisors));
    total /= sizes.back();
  }
  if (total > 1 || sizes.empty()) sizes.push_back(total);
  return sizes;
}

std::string RandomModule(Random& random) {
  std::vector<ComputationWriter> callees;
  const int64_t depth = random.Between(0, 2);
  callees.reserve(static_cast<size_t>(depth) + 1);
  std::string text = "HloModule random\n\n" + std::string(kReducers);
  for (int64_t i = 0; i <= depth; ++i) {
    // Each computation may call the earlier ones.
    ComputationWriter writer(random, "c" + std::to_string(i), callees);
    writer.Write();
    text += writer.Text();
    callees.push_back(writer);
  }
  const ComputationWriter& top = callees.back();
  std::string arguments;
  text += "ENTRY main {\n";
  for (size_t i = 0; i < top.parameters().size(); ++i) {
    const auto& parameter = top.parameters()[i];
    const std::string name = "p" + std::to_string(i);
    const std::string shape = parameter.is_index ? "s32[" + Join(parameter.sizes) + "]"
                                                 : ComputationWriter::Shape(parameter.sizes);
    text += "  " + name + " = " + shape + " parameter(" + std::to_string(i) + ")\n";
    arguments += (arguments.empty() ? "" : ", ") + name;
  }
  return text + "  ROOT f = " + top.OutputShape() + " fusion(" + arguments +
         "), kind=kLoop, calls=" + top.name() + "\n}\n";
}

}  // namespace hlo_indexing::testing
