// Instances of opcodes that sum along dimensions.
#include <algorithm>

#include "tests/property/random_opcode_generators.h"

namespace hlo_indexing::testing::generate {
void ReduceArrays(RandomComputation& i, const std::string& opcode, const Sizes& operand,
                  const Sizes& result, const std::string& attributes) {
  const bool is_variadic = i.random.OneIn(4);
  const std::string computation =
      is_variadic ? i.callees.Add("add_pairs", kAddPairs) : i.callees.Add("add", kAdd);
  std::string operands = i.Operand(operand);
  if (is_variadic) operands += ", " + i.Operand(operand);
  for (int k = 0; k < (is_variadic ? 2 : 1); ++k) operands += ", " + i.Operand(Sizes());
  const std::string shape = ShapeText("f32", result);
  i.Result(is_variadic ? "(" + shape + ", " + shape + ")" : shape,
           opcode + "(" + operands + "), " + attributes + ", to_apply=" + computation);
}

void Reduce(RandomComputation& i) {
  const Sizes operand = i.SomeSizes(0, 3);
  const Sizes reduced = i.Subset(operand.size());
  Sizes sizes;
  for (size_t d = 0; d < operand.size(); ++d) {
    if (std::count(reduced.begin(), reduced.end(), static_cast<int64_t>(d)) == 0) {
      sizes.push_back(operand[d]);
    }
  }
  ReduceArrays(i, "reduce", operand, sizes, "dimensions=" + Braces(reduced));
}

namespace {

// The operands of a dot, in random order of dimensions.
struct DotOperands {
  Sizes lhs, rhs, result;
  std::string attributes;
};

DotOperands RandomDot(RandomComputation& i) {
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

}  // namespace

void Dot(RandomComputation& i) {
  const DotOperands dot = RandomDot(i);
  const std::string lhs = i.Operand(dot.lhs);
  i.Result(dot.result, "dot(" + lhs + ", " + i.Operand(dot.rhs) + ")" + dot.attributes);
}

void ScaledDot(RandomComputation& i) {
  DotOperands dot = RandomDot(i);
  const auto scale = [&](const Sizes& sizes) {
    Sizes scales;
    if (i.random.OneIn(6)) return scales;
    for (const int64_t size : sizes) {
      std::vector<int64_t> divisors;
      for (int64_t k = 1; k <= size; ++k) {
        if (size % k == 0) divisors.push_back(k);
      }
      scales.push_back(divisors.empty() ? 0 : i.random.Pick(divisors));
    }
    return scales;
  };
  const std::string lhs = i.Operand(dot.lhs);
  const std::string rhs = i.Operand(dot.rhs);
  const std::string lhs_scale = i.Operand(scale(dot.lhs));
  const std::string rhs_scale = i.Operand(scale(dot.rhs));
  i.Result(dot.result, "scaled-dot(" + lhs + ", " + rhs + ", " + lhs_scale + ", " + rhs_scale +
                           ")" + dot.attributes);
}

// The sizes are unsigned: none is negative, and together they may fill the rows or not.
void RaggedDot(RandomComputation& i) {
  const int64_t m = i.random.Between(1, 12);
  const int64_t k = i.random.Between(0, 3);
  const int64_t n = i.random.Between(1, 3);
  const int64_t groups = i.random.Between(1, 3);
  const std::string lhs = i.Operand(Sizes{m, k});
  const std::string rhs = i.Operand(Sizes{groups, k, n});
  const std::string sizes = i.Operand("u32", {groups});
  i.Result(Sizes{m, n}, "ragged-dot(" + lhs + ", " + rhs + ", " + sizes +
                            "), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
                            "lhs_ragged_dims={0}, rhs_group_dims={0}");
}

}  // namespace hlo_indexing::testing::generate
