#include "tests/property/random_computation.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>

namespace hlo_indexing::testing {
namespace {

// Larger arrays are made but not used any more.
constexpr int64_t kMaxElements = 120;

struct TypedSizes {
  std::string type;
  Sizes sizes;
  bool has_layout = false;
};

// The arrays of a shape: one, or the elements of a flat tuple of static arrays. Nothing for others.
std::vector<TypedSizes> ArraysOf(const std::string& shape) {
  const bool is_tuple = shape.front() == '(';
  const std::string inner = is_tuple ? shape.substr(1, shape.size() - 2) : shape;
  if (inner.find_first_of("()<") != std::string::npos) return {};
  std::vector<TypedSizes> arrays;
  for (size_t at = 0; at < inner.size();) {
    const size_t open = inner.find('[', at);
    const size_t close = inner.find(']', at);
    if (open == std::string::npos) return {};
    TypedSizes& array = arrays.emplace_back();
    array.type = inner.substr(at, open - at);
    for (size_t digit = open + 1; digit < close;) {
      array.sizes.push_back(std::strtol(inner.c_str() + digit, nullptr, 10));
      const size_t comma = inner.find(',', digit);
      digit = comma > close ? close : comma + 1;
    }
    at = close + 1;
    if (at < inner.size() && inner[at] == '{') {
      array.has_layout = true;
      at = inner.find('}', at) + 1;
    }
    // ", "
    at += 2;
  }
  return arrays;
}

}  // namespace

std::string Join(const Sizes& values, const char* separator) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text += separator;
    text += std::to_string(values[i]);
  }
  return text;
}

std::string Braces(const Sizes& values) { return "{" + Join(values) + "}"; }

std::string ShapeText(const std::string& type, const Sizes& sizes) {
  return type + "[" + Join(sizes) + "]";
}

int64_t Count(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

std::string Callees::Add(const std::string& name, const std::string& body) {
  for (const auto& [known, text] : computations_) {
    if (text == body && known.starts_with(name)) return known;
  }
  computations_.emplace_back(name + "_" + std::to_string(computations_.size()), body);
  return computations_.back().first;
}

std::string Callees::Text() const {
  std::string text;
  for (const auto& [name, body] : computations_) text += name + " " + body + "\n";
  return text;
}

std::string RandomComputation::AddParameter(Parameter parameter) {
  std::string name = "p" + std::to_string(parameters_.size());
  body_ += "  " + name + " = " + parameter.shape + " parameter(" +
           std::to_string(parameters_.size()) + ")\n";
  parameters_.push_back(std::move(parameter));
  return name;
}

RandomComputation::Parameter RandomComputation::RandomArray() {
  const Sizes sizes = SomeSizes(0, 3);
  return {ShapeText("f32", sizes), sizes, Parameter::Kind::kArray};
}

std::string RandomComputation::Line(const std::string& shape, const std::string& operation) {
  std::string name = "v" + std::to_string(next_name_++);
  body_ += "  " + name + " = " + shape + " " + operation + "\n";
  return name;
}

void RandomComputation::Result(const std::string& shape, const std::string& operation) {
  if (operands_ == Operands::kParameters) {
    body_ += "  ROOT r = " + shape + " " + operation + "\n";
    return;
  }
  AddArrays(Line(shape, operation), shape);
}

void RandomComputation::AddArrays(const std::string& name, const std::string& shape) {
  const std::vector<TypedSizes> arrays = ArraysOf(shape);
  for (size_t i = 0; i < arrays.size(); ++i) {
    const TypedSizes& array = arrays[i];
    std::string element = name;
    if (shape.front() == '(') {
      element = Line(ShapeText(array.type, array.sizes),
                     "get-tuple-element(" + name + "), index=" + std::to_string(i));
    }
    // Back to a row-major array of the same elements.
    if (array.has_layout) {
      element = Line(ShapeText(array.type, array.sizes), "copy(" + element + ")");
    }
    AddArray(element, array.type, array.sizes);
  }
}

void RandomComputation::AddArray(const std::string& name, const std::string& type,
                                 const Sizes& sizes) {
  if (Count(sizes) > kMaxElements) return;
  if (type == "s32" && sizes.empty()) indices_.push_back(name);
  std::string array = name;
  if (type == "c64") array = Line(ShapeText("f32", sizes), "real(" + name + ")");
  if (type != "c64" && type != "f32") {
    array = Line(ShapeText("f32", sizes), "convert(" + name + ")");
  }
  arrays_.push_back({array, sizes});
}

// Prefers what was made last, so that chains become long.
const RandomComputation::Array& RandomComputation::PickArray() {
  return random.OneIn(3) ? random.Pick(arrays_) : arrays_.back();
}

// The elements in row-major order, some of them, or with others around them.
std::string RandomComputation::Adapted(const Array& array, const Sizes& sizes) {
  if (array.sizes == sizes) return array.name;
  const int64_t have = Count(array.sizes);
  const int64_t want = Count(sizes);
  std::string name = array.name;
  if (have != want) {
    name = Line(ShapeText("f32", {have}), "reshape(" + name + ")");
    if (have > want) {
      const int64_t start = random.Between(0, have - want);
      name = Line(ShapeText("f32", {want}),
                  "slice(" + name + "), slice={[" + Join({start, start + want}, ":") + "]}");
    } else {
      const int64_t low = random.Between(0, want - have);
      const std::string value = Line("f32[]", "constant(0)");
      name =
          Line(ShapeText("f32", {want}),
               "pad(" + name + ", " + value + "), padding=" + Join({low, want - have - low}, "_"));
    }
  }
  return Line(ShapeText("f32", sizes), "reshape(" + name + ")");
}

std::string RandomComputation::Operand(const std::string& type, const Sizes& sizes) {
  const std::string shape = ShapeText(type, sizes);
  if (type == "f32") {
    const Parameter parameter = {shape, sizes, Parameter::Kind::kArray};
    if (operands_ == Operands::kParameters) return AddParameter(parameter);
    // Few parameters: each is an array to compare.
    if (arrays_.empty() || random.OneIn(6)) {
      std::string name = AddParameter(parameter);
      Known(name);
      return name;
    }
    const Array array = PickArray();
    return Adapted(array, sizes);
  }
  if (operands_ == Operands::kParameters || arrays_.empty() || random.OneIn(3)) {
    return AddParameter(shape);
  }
  const std::string value = Operand(sizes);
  if (type == "pred") return Line(shape, "compare(" + value + ", " + value + "), direction=LT");
  if (type == "c64") return Line(shape, "complex(" + value + ", " + value + ")");
  return Line(shape, "convert(" + value + ")");
}

std::string RandomComputation::Index() {
  if (operands_ == Operands::kParameters) {
    if (!random.OneIn(4)) return AddParameter({"s32[]", {}, Parameter::Kind::kIndex});
    return Line("s32[]", "constant(" + std::to_string(random.Between(-3, 8)) + ")");
  }
  if (!indices_.empty() && Maybe()) return random.Pick(indices_);
  indices_.push_back(PickIndex());
  return indices_.back();
}

std::string RandomComputation::PickIndex() {
  switch (random.Between(0, indices_.empty() ? 1 : 4)) {
    case 0:
      return AddParameter({"s32[]", {}, Parameter::Kind::kIndex});
    case 1:
      return Line("s32[]", "constant(" + std::to_string(random.Between(-3, 8)) + ")");
    case 2: {
      const std::string other = random.Pick(indices_);
      return Line("s32[]", "add(" + random.Pick(indices_) + ", " + other + ")");
    }
    case 3: {
      // An index that is looked up by another one.
      const std::string table = AddParameter(ShapeText("s32", {random.Between(1, 5)}));
      const std::string found =
          Line("s32[1]", "dynamic-slice(" + table + ", " + random.Pick(indices_) +
                             "), dynamic_slice_sizes={1}");
      return Line("s32[]", "reshape(" + found + ")");
    }
    default:
      return Line("s32[]", "convert(" + Operand(Sizes()) + ")");
  }
}

std::string RandomComputation::AddRoot() {
  const bool is_tuple = random.OneIn(3);
  std::string operands = arrays_.back().name;
  std::string shape = ShapeText("f32", arrays_.back().sizes);
  if (!is_tuple) {
    body_ += "  ROOT r = " + shape + " negate(" + operands + ")\n";
    return shape;
  }
  const size_t count = std::min<size_t>(arrays_.size() - 1, At(random.Between(0, 2)));
  for (const int64_t i : Subset(arrays_.size() - 1, count)) {
    operands += ", " + arrays_[At(i)].name;
    shape += ", " + ShapeText("f32", arrays_[At(i)].sizes);
  }
  shape = "(" + shape + ")";
  body_ += "  ROOT r = " + shape + " tuple(" + operands + ")\n";
  return shape;
}

int64_t RandomComputation::Size() {
  const bool is_alone = operands_ == Operands::kParameters;
  if (random.OneIn(is_alone ? 12 : 25)) return 0;
  const int64_t size = random.Pick(std::vector<int64_t>{1, 1, 2, 3, 4, 5, 6, 7});
  return is_alone ? size : (size + 2) / 2;
}

Sizes RandomComputation::SomeSizes(int64_t min_rank, int64_t max_rank) {
  if (!arrays_.empty() && Maybe()) {
    const Sizes& sizes = arrays_.back().sizes;
    const auto rank = static_cast<int64_t>(sizes.size());
    if (rank >= min_rank && rank <= max_rank) return sizes;
  }
  Sizes sizes;
  const int64_t rank = random.Between(min_rank, max_rank);
  for (int64_t i = 0; i < rank; ++i) sizes.push_back(Size());
  return sizes;
}

Sizes RandomComputation::Subset(size_t n, size_t count) {
  Sizes subset = random.Permutation(n);
  subset.resize(count);
  std::sort(subset.begin(), subset.end());
  return subset;
}

}  // namespace hlo_indexing::testing
