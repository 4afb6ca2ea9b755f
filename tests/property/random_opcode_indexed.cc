// Instances of opcodes that move elements to places that values give.
#include <algorithm>

#include "tests/property/random_opcode_generators.h"

namespace hlo_indexing::testing::generate {
namespace {

std::string IndexOperands(RandomComputation& i, size_t count) {
  std::string text;
  for (size_t k = 0; k < count; ++k) text += ", " + i.Index();
  return text;
}

}  // namespace

void DynamicSlice(RandomComputation& i) {
  const Sizes operand = i.SomeSizes(1, 3);
  Sizes sizes;
  for (const int64_t size : operand) sizes.push_back(i.random.Between(0, size));
  const std::string value = i.Operand(operand);
  i.Result(sizes, "dynamic-slice(" + value + IndexOperands(i, sizes.size()) +
                      "), dynamic_slice_sizes=" + Braces(sizes));
}

void DynamicUpdateSlice(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  Sizes update;
  for (const int64_t size : sizes) update.push_back(i.random.Between(0, size));
  const std::string value = i.Operand(sizes);
  const std::string updates = i.Operand(update);
  i.Result(sizes,
           "dynamic-update-slice(" + value + ", " + updates + IndexOperands(i, sizes.size()) + ")");
}

namespace {

// How gather and scatter address an array: windows, batching dimensions, index vectors.
struct Addressing {
  Sizes array, indices, batch, window, offsets_of;
  Sizes unit_dims, array_batching, indices_batching, start_map, offset_dims, result;
  int64_t vector_dim = 0;
  Sizes slice;
};

Addressing RandomAddressing(RandomComputation& i) {
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

}  // namespace

void Gather(RandomComputation& i) {
  const Addressing a = RandomAddressing(i);
  const std::string operand = i.Operand(a.array);
  i.Result(a.result, "gather(" + operand + ", " + i.Operand("s32", a.indices) + "), offset_dims=" +
                         Braces(a.offset_dims) + ", collapsed_slice_dims=" + Braces(a.unit_dims) +
                         ", operand_batching_dims=" + Braces(a.array_batching) +
                         ", start_indices_batching_dims=" + Braces(a.indices_batching) +
                         ", start_index_map=" + Braces(a.start_map) + ", index_vector_dim=" +
                         std::to_string(a.vector_dim) + ", slice_sizes=" + Braces(a.slice));
}

void Scatter(RandomComputation& i) {
  const Addressing a = RandomAddressing(i);
  const bool is_variadic = i.random.OneIn(4);
  const bool combines = is_variadic || i.random.Between(0, 2) != 0;
  const std::string computation = is_variadic ? i.callees.Add("add_pairs", kAddPairs)
                                  : combines  ? i.callees.Add("add", kAdd)
                                              : i.callees.Add("take", kTake);
  const std::string attributes = "), update_window_dims=" + Braces(a.offset_dims) +
                                 ", inserted_window_dims=" + Braces(a.unit_dims) +
                                 ", input_batching_dims=" + Braces(a.array_batching) +
                                 ", scatter_indices_batching_dims=" + Braces(a.indices_batching) +
                                 ", scatter_dims_to_operand_dims=" + Braces(a.start_map) +
                                 ", index_vector_dim=" + std::to_string(a.vector_dim) +
                                 ", to_apply=" + computation;
  std::string arrays = i.Operand(a.array);
  if (is_variadic) arrays += ", " + i.Operand(a.array);
  const std::string indices = i.Operand("s32", a.indices);
  std::string updates = i.Operand(a.result);
  if (is_variadic) updates += ", " + i.Operand(a.result);
  const std::string shape = ShapeText("f32", a.array);
  i.Result(is_variadic ? "(" + shape + ", " + shape + ")" : shape,
           "scatter(" + arrays + ", " + indices + ", " + updates + attributes);
}

}  // namespace hlo_indexing::testing::generate
