// Instances of opcodes that move elements to places that the attributes give.
#include <algorithm>

#include "tests/property/random_opcode_generators.h"

namespace hlo_indexing::testing::generate {
void Broadcast(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(1, 4);
  const Sizes dimensions = i.Subset(sizes.size());
  Sizes operand;
  for (const int64_t d : dimensions) operand.push_back(sizes[At(d)]);
  i.Result(sizes, "broadcast(" + i.Operand(operand) + "), dimensions=" + Braces(dimensions));
}

void Transpose(RandomComputation& i) {
  const Sizes operand = i.SomeSizes(0, 4);
  const Sizes permutation = i.random.Permutation(operand.size());
  Sizes sizes;
  for (const int64_t d : permutation) sizes.push_back(operand[At(d)]);
  i.Result(sizes, "transpose(" + i.Operand(operand) + "), dimensions=" + Braces(permutation));
}

void Reverse(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  const Sizes dimensions = i.Subset(sizes.size());
  i.Result(sizes, "reverse(" + i.Operand(sizes) + "), dimensions=" + Braces(dimensions));
}

namespace {

Sizes Reshaped(RandomComputation& i, const Sizes& sizes) {
  const int64_t total = Count(sizes);
  return total == 0 ? Sizes{0, 3} : RandomFactors(i.random, total, 4);
}

}  // namespace

void Reshape(RandomComputation& i) {
  const Sizes operand = i.SomeSizes(0, 3);
  const Sizes sizes = Reshaped(i, operand);
  i.Result(sizes, "reshape(" + i.Operand(operand) + ")");
}

// The sizes are those of the result: a reshape at run time.
void DynamicReshape(RandomComputation& i) {
  const Sizes operand = i.SomeSizes(0, 3);
  const Sizes sizes = Reshaped(i, operand);
  std::string operands = i.Operand(operand);
  for (const int64_t size : sizes) {
    operands += ", " + i.Line("s32[]", "constant(" + std::to_string(size) + ")");
  }
  i.Result(sizes, "dynamic-reshape(" + operands + ")");
}

void Bitcast(RandomComputation& i) {
  const Sizes operand = i.SomeSizes(1, 3);
  const auto layout = [&](const Sizes& sizes) {
    return Braces(i.random.Permutation(sizes.size()));
  };
  // An operand of a chain is row-major; a parameter may have any layout.
  const std::string shape = ShapeText("f32", operand) + layout(operand);
  const std::string value = i.operands() == RandomComputation::Operands::kParameters
                                ? i.AddParameter(shape)
                                : i.Line(shape, "copy(" + i.Operand(operand) + ")");
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
  i.Result(ShapeText(type, sizes) + order, "bitcast(" + value + ")");
}

void BitcastConvert(RandomComputation& i) {
  Sizes sizes = i.SomeSizes(0, 2);
  Sizes with_parts = sizes;
  with_parts.push_back(4);
  switch (i.random.Between(0, 2)) {
    case 0:
      return i.Result(ShapeText("s32", sizes), "bitcast-convert(" + i.Operand(sizes) + ")");
    case 1:
      return i.Result(ShapeText("u8", with_parts), "bitcast-convert(" + i.Operand(sizes) + ")");
    default:
      return i.Result(ShapeText("f32", sizes),
                      "bitcast-convert(" + i.Operand("u8", with_parts) + ")");
  }
}

void Slice(RandomComputation& i) {
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
  i.Result(sizes, "slice(" + i.Operand(operand) + "), slice={" + ranges + "}");
}

void Pad(RandomComputation& i) {
  const Sizes operand = i.SomeSizes(1, 3);
  Sizes sizes;
  std::string padding;
  for (const int64_t size : operand) {
    const int64_t interior = i.Maybe() ? 0 : i.random.Between(1, 2);
    const int64_t base = size + std::max<int64_t>(size - 1, 0) * interior;
    const int64_t low = i.random.Between(-3, 3);
    const int64_t high = std::max(i.random.Between(-3, 3), -base - low);
    sizes.push_back(base + low + high);
    padding += (padding.empty() ? "" : "x") + Join({low, high, interior}, "_");
  }
  const std::string value = i.Operand(operand);
  i.Result(sizes, "pad(" + value + ", " + i.Operand(Sizes()) + "), padding=" + padding);
}

void Concatenate(RandomComputation& i) {
  Sizes sizes = i.SomeSizes(1, 3);
  const size_t d = At(i.random.Between(0, static_cast<int64_t>(sizes.size()) - 1));
  const int64_t count = i.random.Between(1, 4);
  Sizes operand = sizes;
  sizes[d] = 0;
  std::string operands;
  for (int64_t k = 0; k < count; ++k) {
    operand[d] = i.Size();
    sizes[d] += operand[d];
    operands += (k == 0 ? "" : ", ") + i.Operand(operand);
  }
  i.Result(sizes, "concatenate(" + operands + "), dimensions={" + std::to_string(d) + "}");
}

void SetDimensionSize(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(1, 2);
  const Sizes rest(sizes.begin() + 1, sizes.end());
  const int64_t size = i.random.Between(0, sizes[0]);
  const std::string value = i.Operand(sizes);
  const std::string new_size = i.Line("s32[]", "constant(" + std::to_string(size) + ")");
  i.Result("f32[<=" + std::to_string(sizes[0]) + (rest.empty() ? "" : "," + Join(rest)) + "]",
           "set-dimension-size(" + value + ", " + new_size + "), dimensions={0}");
}

}  // namespace hlo_indexing::testing::generate
