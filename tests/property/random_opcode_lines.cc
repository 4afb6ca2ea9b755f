// Instances of opcodes that read whole lines or matrices.
#include <algorithm>

#include "tests/property/random_opcode_generators.h"

namespace hlo_indexing::testing::generate {

using hlo::Opcode;
void Sort(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  const std::string d = std::to_string(i.random.Between(0, static_cast<int64_t>(sizes.size()) - 1));
  const std::string shape = ShapeText("f32", sizes);
  const std::string keys = i.Operand(sizes);
  if (i.Maybe()) {
    return i.Result(sizes, "sort(" + keys + "), dimensions={" + d +
                               "}, to_apply=" + i.callees.Add("greater", kGreater));
  }
  // Which operands are looked at: both, or one alone.
  const std::string compared[][2] = {{"e", "f"}, {"a", "b"}, {"c", "d"}};
  const int64_t which = i.random.Between(0, 2);
  const auto& [left, right] = compared[which];
  const std::string name = std::string("compare_") + left + right;
  const std::string comparator = i.callees.Add(
      name,
      "{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n"
      "  d = f32[] parameter(3)\n  e = f32[] add(a, c)\n  f = f32[] add(b, d)\n"
      "  ROOT g = pred[] compare(" +
          left + ", " + right + "), direction=LT\n}");
  i.Result("(" + shape + ", " + shape + ")", "sort(" + keys + ", " + i.Operand(sizes) +
                                                 "), dimensions={" + d +
                                                 "}, is_stable=true, to_apply=" + comparator);
}

void TopK(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  Sizes result = sizes;
  result.back() = i.random.Between(0, sizes.back());
  i.Result("(" + ShapeText("f32", result) + ", " + ShapeText("s32", result) + ")",
           "topk(" + i.Operand(sizes) + "), k=" + std::to_string(result.back()) + ", largest=true");
}

void Fft(RandomComputation& i) {
  Sizes sizes = i.SomeSizes(1, 3);
  const size_t count = At(i.random.Between(1, static_cast<int64_t>(sizes.size())));
  Sizes lengths(sizes.end() - static_cast<std::ptrdiff_t>(count), sizes.end());
  std::string value;
  switch (i.random.Between(0, 2)) {
    case 0:
      value = i.Operand("c64", sizes);
      return i.Result(ShapeText("c64", sizes), "fft(" + value +
                                                   "), fft_type=" + (i.Maybe() ? "FFT" : "IFFT") +
                                                   ", fft_length=" + Braces(lengths));
    case 1: {
      Sizes result = sizes;
      if (lengths.back() != 0) result.back() = lengths.back() / 2 + 1;
      return i.Result(
          ShapeText("c64", result),
          "fft(" + i.Operand(sizes) + "), fft_type=RFFT, fft_length=" + Braces(lengths));
    }
    default: {
      lengths.back() = std::max<int64_t>(lengths.back(), 1);
      Sizes result = sizes;
      result.back() = lengths.back();
      sizes.back() = lengths.back() / 2 + 1;
      return i.Result(result, "fft(" + i.Operand("c64", sizes) +
                                  "), fft_type=IRFFT, fft_length=" + Braces(lengths));
    }
  }
}

void Scan(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  const size_t d = At(i.random.Between(0, static_cast<int64_t>(sizes.size()) - 1));
  Sizes carry = sizes;
  carry.erase(carry.begin() + static_cast<std::ptrdiff_t>(d));
  // The sum up to here, the sum before, or the element itself; on slices.
  const std::string part = ShapeText("f32", carry);
  const std::string output = i.random.Pick(std::vector<std::string>{"c", "b", "a"});
  const std::string step =
      i.callees.Add("step", "{\n  a = " + part + " parameter(0)\n  b = " + part +
                                " parameter(1)\n  c = " + part + " add(a, b)\n  ROOT t = (" + part +
                                ", " + part + ") tuple(" + output + ", c)\n}");
  const std::string input = i.Operand(sizes);
  const std::string initial = i.Operand(carry);
  i.Result("(" + ShapeText("f32", sizes) + ", " + ShapeText("f32", carry) + ")",
           "scan(" + input + ", " + initial + "), dimensions={" + std::to_string(d) +
               "}, num_carries=1, is_reverse=" + (i.Maybe() ? "true" : "false") +
               ", is_associative=true, to_apply=" + step);
}

void BatchNorm(RandomComputation& i, Opcode opcode) {
  const Sizes sizes = i.SomeSizes(1, 3);
  const int64_t feature = i.random.Between(0, static_cast<int64_t>(sizes.size()) - 1);
  const Sizes of_feature = {sizes[At(feature)]};
  const std::string attributes = "), epsilon=0.001, feature_index=" + std::to_string(feature);
  std::string operands = i.Operand(sizes);
  const int more = opcode == Opcode::kBatchNormInference ? 4
                   : opcode == Opcode::kBatchNormGrad    ? 3
                                                         : 2;
  for (int k = 0; k < more; ++k) operands += ", " + i.Operand(of_feature);
  if (opcode == Opcode::kBatchNormGrad) operands += ", " + i.Operand(sizes);
  const std::string name = hlo::OpcodeName(opcode).str();
  if (opcode == Opcode::kBatchNormInference) {
    return i.Result(sizes, name + "(" + operands + attributes);
  }
  const std::string statistic = ShapeText("f32", of_feature);
  i.Result("(" + ShapeText("f32", sizes) + ", " + statistic + ", " + statistic + ")",
           name + "(" + operands + attributes);
}

namespace {

Sizes Matrix(Sizes batch, int64_t rows, int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

std::string Flag(RandomComputation& i, const std::string& name) {
  return ", " + name + "=" + (i.Maybe() ? "true" : "false");
}

}  // namespace

void Cholesky(RandomComputation& i) {
  const int64_t n = i.random.Between(0, 5);
  const Sizes sizes = Matrix(i.SomeSizes(0, 1), n, n);
  const std::string matrix = i.Operand(sizes);
  i.Result(sizes, "cholesky(" + matrix + ")" + Flag(i, "lower"));
}

void TriangularSolve(RandomComputation& i) {
  const int64_t n = i.random.Between(0, 4);
  const int64_t other = i.random.Between(0, 3);
  const bool is_left = i.Maybe();
  const Sizes batch = i.SomeSizes(0, 1);
  const std::string a = i.Operand(Matrix(batch, n, n));
  const Sizes sizes = is_left ? Matrix(batch, n, other) : Matrix(batch, other, n);
  const std::string b = i.Operand(sizes);
  std::string attributes = std::string(", left_side=") + (is_left ? "true" : "false");
  attributes += Flag(i, "lower");
  attributes += Flag(i, "unit_diagonal");
  attributes += ", transpose_a=" +
                i.random.Pick(std::vector<std::string>{"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"});
  i.Result(sizes, "triangular-solve(" + a + ", " + b + ")" + attributes);
}

}  // namespace hlo_indexing::testing::generate
