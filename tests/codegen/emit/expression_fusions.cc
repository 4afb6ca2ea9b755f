#include "tests/codegen/emit/expression_fusions.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/codegen/emit/fusion_writer.h"

namespace hlo_indexing::testing {
namespace {

using Values = std::vector<FusedValue>;

// Of an array, so that a case takes some 30 ms.
constexpr int64_t kMostElements = 60'000;

const std::vector<std::string>& Types() {
  static const std::vector<std::string> types = {"f32", "f32", "f32", "bf16", "f16",
                                                 "f64", "s32", "s8",  "s64"};
  return types;
}

// An operation whose result no compiler knows, whatever it knows of the operands: of integers,
// x + (y - x) is y.
std::string BinaryOpcode(Random& random, const std::string& type) {
  const bool is_float = ClassOf(type) == hlo::ElementClass::kFloat;
  if (!is_float) return random.OneIn(2) ? "multiply" : "maximum";
  return random.Pick(std::vector<std::string>{"add", "subtract", "maximum", "multiply"});
}

// Writes an expression of a shape from its root to its parameters. What has been written may be
// used again.
class ExpressionWriter {
 public:
  explicit ExpressionWriter(FusionWriter& writer) : w_(writer) {}

  FusedValue Write(const std::string& type, const Sizes& sizes, int depth) {
    if (w_.random.OneIn(5)) {
      for (const FusedValue& value : values_) {
        if (value.type == type && value.sizes == sizes && w_.random.OneIn(2)) return value;
      }
    }
    values_.push_back(depth == 0 ? Leaf(type, sizes) : Inner(type, sizes, depth - 1));
    return values_.back();
  }

  /// A value and another one.
  FusedValue Combined(const FusedValue& value, int depth) {
    const FusedValue other = WriteOther(value, depth);
    return w_.Add(value.type, value.sizes,
                  BinaryOpcode(w_.random, value.type) + "(" + List({value, other}) + ")");
  }

 private:
  FusedValue Leaf(const std::string& type, const Sizes& sizes) {
    if (sizes.empty() || w_.random.OneIn(2)) return w_.Parameter(type, sizes);
    if (w_.random.OneIn(8)) {
      const int64_t dimension = w_.random.Between(0, std::ssize(sizes) - 1);
      return w_.Add(type, sizes, "iota(), iota_dimension=" + std::to_string(dimension));
    }
    return Broadcast(type, sizes, 0);
  }

  FusedValue Broadcast(const std::string& type, const Sizes& sizes, int depth) {
    Sizes dimensions;
    Sizes of_operand;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (!w_.random.OneIn(2)) continue;
      dimensions.push_back(static_cast<int64_t>(i));
      of_operand.push_back(sizes[i]);
    }
    const FusedValue operand = Write(type, of_operand, depth);
    return w_.Add(type, sizes, "broadcast(" + operand.name + "), dimensions=" + Braces(dimensions));
  }

  FusedValue Binary(const std::string& type, const Sizes& sizes, int depth) {
    const FusedValue left = Write(type, sizes, depth);
    return Combined(left, w_.random.OneIn(2) ? depth : 0);
  }

  FusedValue WriteOther(const FusedValue& value, int depth) {
    FusedValue other = Write(value.type, value.sizes, depth);
    return other.name == value.name ? w_.Parameter(value.type, value.sizes) : other;
  }

  // A predicate that no other value depends on: an element of one that does is known.
  FusedValue Predicate(const Sizes& sizes) {
    if (w_.random.OneIn(2)) return w_.Parameter("pred", sizes);
    const FusedValue operand = w_.Parameter("pred", {sizes.front()});
    return w_.Add("pred", sizes, "broadcast(" + operand.name + "), dimensions={0}");
  }

  FusedValue Slice(const std::string& type, const Sizes& sizes, int depth) {
    Sizes of_operand;
    std::string bounds;
    for (const int64_t size : sizes) {
      const int64_t start = w_.random.OneIn(2) ? 0 : w_.random.Between(0, 5);
      const int64_t stride = w_.random.OneIn(5) ? 2 : 1;
      const int64_t limit = start + (size - 1) * stride + 1;
      of_operand.push_back(limit + (w_.random.OneIn(2) ? 0 : w_.random.Between(0, 9)));
      bounds += (bounds.empty() ? "[" : ", [") + std::to_string(start) + ":" +
                std::to_string(limit) + ":" + std::to_string(stride) + "]";
    }
    const FusedValue operand = Write(type, of_operand, depth);
    return w_.Add(type, sizes, "slice(" + operand.name + "), slice={" + bounds + "}");
  }

  FusedValue Concatenate(const std::string& type, const Sizes& sizes, int depth) {
    const size_t dimension = At(w_.random.Between(0, std::ssize(sizes) - 1));
    Sizes of_operand = sizes;
    Values operands;
    if (sizes[dimension] % 2 == 0 && w_.random.OneIn(2)) {
      // An operand that comes twice, as halves of a rotation do.
      of_operand[dimension] = sizes[dimension] / 2;
      const FusedValue operand = Write(type, of_operand, depth);
      operands = {operand, w_.random.OneIn(2) ? operand : Write(type, of_operand, depth)};
    } else {
      for (int64_t rest = sizes[dimension]; rest > 0; rest -= of_operand[dimension]) {
        of_operand[dimension] = operands.size() == 3 ? rest : w_.random.Between(1, rest);
        operands.push_back(Write(type, of_operand, depth));
      }
    }
    return w_.Add(type, sizes,
                  "concatenate(" + List(operands) +
                      "), dimensions=" + Braces({static_cast<int64_t>(dimension)}));
  }

  FusedValue Pad(const std::string& type, const Sizes& sizes, int depth) {
    Sizes of_operand;
    std::string padding;
    for (const int64_t size : sizes) {
      const int64_t low =
          w_.random.OneIn(2) ? w_.random.Between(0, std::min<int64_t>(size - 1, 4)) : 0;
      const int64_t high =
          w_.random.OneIn(2) ? w_.random.Between(0, std::min<int64_t>(size - 1 - low, 4)) : 0;
      of_operand.push_back(size - low - high);
      padding += (padding.empty() ? "" : "x") + std::to_string(low) + "_" + std::to_string(high);
    }
    const FusedValue operand = Write(type, of_operand, depth);
    return w_.Add(type, sizes,
                  "pad(" + List({operand, w_.Constant(type, "1")}) + "), padding=" + padding);
  }

  FusedValue Transpose(const std::string& type, const Sizes& sizes, int depth) {
    const std::vector<int64_t> permutation = w_.random.Permutation(sizes.size());
    Sizes of_operand(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) of_operand[At(permutation[i])] = sizes[i];
    const FusedValue operand = Write(type, of_operand, depth);
    return w_.Add(type, sizes,
                  "transpose(" + operand.name + "), dimensions=" + Braces(permutation));
  }

  FusedValue Inner(const std::string& type, const Sizes& sizes, int depth) {
    if (sizes.empty()) return w_.Add(type, sizes, "negate(" + Write(type, sizes, depth).name + ")");
    switch (w_.random.Between(0, 12)) {
      case 0:
        return Slice(type, sizes, depth);
      case 1:
        return Concatenate(type, sizes, depth);
      case 2:
        return Pad(type, sizes, depth);
      case 3:
        return Broadcast(type, sizes, depth);
      case 4: {
        const int64_t dimension = w_.random.Between(0, std::ssize(sizes) - 1);
        return w_.Add(
            type, sizes,
            "reverse(" + Write(type, sizes, depth).name + "), dimensions=" + Braces({dimension}));
      }
      case 5: {
        const Sizes others = RandomFactors(w_.random, Count(sizes), 3);
        return w_.Add(type, sizes, "reshape(" + Write(type, others, depth).name + ")");
      }
      case 6: {
        const std::string other = w_.random.Pick(Types());
        return w_.Add(type, sizes, "convert(" + Write(other, sizes, depth).name + ")");
      }
      case 7: {
        const FusedValue on_true = Write(type, sizes, depth);
        const FusedValue on_false = WriteOther(on_true, depth);
        return w_.Add(type, sizes, "select(" + List({Predicate(sizes), on_true, on_false}) + ")");
      }
      case 8:
        if (w_.random.OneIn(3)) return Transpose(type, sizes, depth);
        return Binary(type, sizes, depth);
      case 9:
        return w_.Add(type, sizes, "negate(" + Write(type, sizes, depth).name + ")");
      default:
        return Binary(type, sizes, depth);
    }
  }

  FusionWriter& w_;
  Values values_;
};

// A size as models have them, or one beside it.
int64_t SomeSize(Random& random, int64_t most) {
  const std::vector<int64_t> usual = {1,  2,   3,   4,   8,   12,  16,  32,  33,   48,   64,
                                      96, 100, 128, 192, 250, 256, 384, 512, 1000, 1024, 3000};
  const int64_t size = random.OneIn(3) ? random.Between(1, most) : random.Pick(usual);
  return std::clamp<int64_t>(size, 1, most);
}

// A shape of at least `least_rank` dimensions.
Sizes SomeSizes(Random& random, int64_t least_rank, int64_t most_rank) {
  const int64_t rank = random.Between(least_rank, most_rank);
  Sizes sizes;
  int64_t most = kMostElements;
  for (int64_t i = 0; i < rank; ++i) {
    sizes.push_back(SomeSize(random, std::min<int64_t>(most, 6000)));
    most = std::max<int64_t>(1, most / sizes.back());
  }
  std::vector<int64_t> order = random.Permutation(sizes.size());
  Sizes result;
  for (const int64_t i : order) result.push_back(sizes[At(i)]);
  return result;
}

class Family {
 public:
  Family(FusionWriter& writer, ExpressionWriter& expressions)
      : w_(writer), expressions_(expressions), type_(w_.random.Pick(Types())) {}

  Values Loop() {
    const Sizes sizes = SomeSizes(w_.random, 1, 4);
    return {Expression(sizes), Expression(w_.random.OneIn(2) ? sizes : Reordered(sizes))};
  }

  Values Transpose() {
    const Sizes sizes = SomeSizes(w_.random, 2, 4);
    const FusedValue operand = Expression(sizes);
    const std::vector<int64_t> permutation = w_.random.Permutation(sizes.size());
    Sizes of_result;
    for (const int64_t i : permutation) of_result.push_back(sizes[At(i)]);
    FusedValue result = w_.Add(
        type_, of_result, "transpose(" + operand.name + "), dimensions=" + Braces(permutation));
    if (w_.random.OneIn(2)) result = Combined(result);
    Values outputs = {result};
    if (w_.random.OneIn(3)) outputs.push_back(Combined(operand));
    return outputs;
  }

  Values Reductions() {
    const Sizes sizes = SomeSizes(w_.random, 1, 4);
    const Sizes dimensions = SomeDimensions(sizes);
    const FusedValue operand = Expression(sizes);
    FusedValue result = Reduce(operand, dimensions);
    if (w_.random.OneIn(3)) result = Combined(result);
    Values outputs = {result};
    if (w_.random.OneIn(3)) outputs.push_back(Combined(operand));
    if (w_.random.OneIn(3)) {
      outputs.push_back(
          Reduce(w_.random.OneIn(2) ? Combined(operand) : Expression(sizes), dimensions));
    }
    return outputs;
  }

  // Rows that become others by what they are reduced to.
  Values Rows() {
    Sizes sizes = SomeSizes(w_.random, 2, 3);
    FusedValue value = Expression(sizes);
    const int64_t last = std::ssize(sizes) - 1;
    Sizes kept;
    for (int64_t i = 0; i < last; ++i) kept.push_back(i);
    const int64_t steps = w_.random.Between(1, 2);
    for (int64_t i = 0; i < steps; ++i) {
      FusedValue reduced = Reduce(value, {last});
      if (w_.random.OneIn(3)) reduced = Combined(reduced);
      const FusedValue again =
          w_.Add(type_, sizes, "broadcast(" + reduced.name + "), dimensions=" + Braces(kept));
      value =
          w_.Add(type_, sizes, BinaryOpcode(w_.random, type_) + "(" + List({value, again}) + ")");
      if (w_.random.OneIn(3)) value = Combined(value);
    }
    return {value};
  }

  Values UpdateInPlace() {
    const Sizes sizes = SomeSizes(w_.random, 1, 3);
    Sizes of_update;
    std::string starts;
    const FusedValue updated = w_.Parameter(type_, sizes);
    for (const int64_t size : sizes) {
      of_update.push_back(w_.random.OneIn(2) ? size : w_.random.Between(1, size));
      starts +=
          ", " +
          w_.Constant("s32", std::to_string(w_.random.Between(0, size - of_update.back()))).name;
    }
    const FusedValue update = Expression(of_update);
    return {w_.AddLike(updated, "dynamic-update-slice(" + List({updated, update}) + starts + ")")};
  }

 private:
  FusedValue Expression(const Sizes& sizes) {
    return expressions_.Write(type_, sizes, static_cast<int>(w_.random.Between(0, 4)));
  }

  FusedValue Combined(const FusedValue& value) {
    return expressions_.Combined(value, static_cast<int>(w_.random.Between(0, 2)));
  }

  Sizes Reordered(const Sizes& sizes) {
    Sizes result;
    for (const int64_t i : w_.random.Permutation(sizes.size())) result.push_back(sizes[At(i)]);
    return result;
  }

  Sizes SomeDimensions(const Sizes& sizes) {
    Sizes dimensions;
    for (int64_t i = 0; i < std::ssize(sizes); ++i) {
      if (w_.random.OneIn(2)) dimensions.push_back(i);
    }
    if (dimensions.empty()) dimensions.push_back(w_.random.Between(0, std::ssize(sizes) - 1));
    return dimensions;
  }

  FusedValue Reduce(const FusedValue& value, const Sizes& dimensions) {
    Sizes kept;
    for (size_t i = 0; i < value.sizes.size(); ++i) {
      const bool is_kept = std::find(dimensions.begin(), dimensions.end(), i) == dimensions.end();
      if (is_kept) kept.push_back(value.sizes[i]);
    }
    const std::string reducer = w_.Reducer(value.type, w_.random.OneIn(2) ? "add" : "maximum");
    return w_.Add(value.type, kept,
                  "reduce(" + List({value, w_.Constant(value.type, "1")}) +
                      "), dimensions=" + Braces(dimensions) + ", to_apply=" + reducer);
  }

  FusionWriter& w_;
  ExpressionWriter& expressions_;
  std::string type_;
};

}  // namespace

ExpressionFusion RandomExpressionFusion(Random& random) {
  FusionWriter writer(random, FusionWriter::Layouts::kRowMajor);
  ExpressionWriter expressions(writer);
  Family family(writer, expressions);
  switch (random.Between(0, 4)) {
    case 0:
      return {"loop", writer.Module(family.Loop())};
    case 1:
      return {"transpose", writer.Module(family.Transpose())};
    case 2:
      return {"reductions", writer.Module(family.Reductions())};
    case 3:
      return {"rows", writer.Module(family.Rows())};
    default:
      return {"update in place", writer.Module(family.UpdateInPlace())};
  }
}

}  // namespace hlo_indexing::testing
