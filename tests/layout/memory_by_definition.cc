#include "tests/layout/memory_by_definition.h"

#include <algorithm>

namespace hlo_indexing::testing {
namespace {

int64_t Volume(const Sizes& shape) {
  int64_t volume = 1;
  for (const int64_t size : shape) volume *= size;
  return volume;
}

// The row-major index of element number `flat`.
Sizes IndexOf(int64_t flat, const Sizes& shape) {
  Sizes index(shape.size(), 0);
  for (size_t i = shape.size(); i-- > 0; flat /= shape[i]) index[i] = flat % shape[i];
  return index;
}

int64_t NumberOf(const Sizes& index, const Sizes& shape) {
  int64_t flat = 0;
  for (size_t i = 0; i < shape.size(); ++i) flat = flat * shape[i] + index[i];
  return flat;
}

int Between(std::mt19937& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

// One tile: what the document calls pad-reshape-transpose, after joining dimensions.
PlainArray Tiled(PlainArray array, const layout::Tile& tile) {
  while (array.shape.size() < tile.dimensions.size()) array.shape.insert(array.shape.begin(), 1);
  const size_t first = array.shape.size() - tile.dimensions.size();
  Sizes joined(array.shape.begin(), array.shape.begin() + static_cast<std::ptrdiff_t>(first));
  Sizes padded = joined;
  Sizes reshaped = joined;
  std::vector<int64_t> order;
  for (size_t i = 0; i < first; ++i) order.push_back(static_cast<int64_t>(i));
  std::vector<int64_t> places;
  int64_t carried = 1;
  for (size_t i = 0; i < tile.dimensions.size(); ++i) {
    carried *= array.shape[first + i];
    const int64_t size = tile.dimensions[i];
    if (size == layout::kCombineDimension) continue;
    const int64_t tiles = (carried + size - 1) / size;
    joined.push_back(carried);
    padded.push_back(tiles * size);
    order.push_back(static_cast<int64_t>(reshaped.size()));
    reshaped.push_back(tiles);
    places.push_back(static_cast<int64_t>(reshaped.size()));
    reshaped.push_back(size);
    carried = 1;
  }
  order.insert(order.end(), places.begin(), places.end());
  return array.Reshaped(joined).PaddedTo(padded).Reshaped(reshaped).Transposed(order);
}

}  // namespace

PlainArray PlainArray::Counting(const Sizes& shape) {
  PlainArray array = {shape, {}};
  for (int64_t i = 0; i < Volume(shape); ++i) array.values.push_back(i);
  return array;
}

PlainArray PlainArray::Transposed(const std::vector<int64_t>& permutation) const {
  PlainArray result;
  for (const int64_t dimension : permutation) {
    result.shape.push_back(shape[static_cast<size_t>(dimension)]);
  }
  result.values.resize(values.size());
  for (size_t flat = 0; flat < values.size(); ++flat) {
    const Sizes index = IndexOf(static_cast<int64_t>(flat), result.shape);
    Sizes from(shape.size(), 0);
    for (size_t i = 0; i < permutation.size(); ++i) {
      from[static_cast<size_t>(permutation[i])] = index[i];
    }
    result.values[flat] = values[static_cast<size_t>(NumberOf(from, shape))];
  }
  return result;
}

PlainArray PlainArray::PaddedTo(const Sizes& padded) const {
  PlainArray result = {padded, std::vector<int64_t>(static_cast<size_t>(Volume(padded)), kHole)};
  for (size_t flat = 0; flat < values.size(); ++flat) {
    const int64_t to = NumberOf(IndexOf(static_cast<int64_t>(flat), shape), padded);
    result.values[static_cast<size_t>(to)] = values[flat];
  }
  return result;
}

PlainArray PlainArray::Reshaped(const Sizes& reshaped) const { return {reshaped, values}; }

std::vector<int64_t> MemoryByDefinition(const Sizes& dimensions, const layout::Layout& layout) {
  const std::vector<int64_t> order(layout.minor_to_major.rbegin(), layout.minor_to_major.rend());
  PlainArray array = PlainArray::Counting(dimensions).Transposed(order);
  for (const layout::Tile& tile : layout.tiles) array = Tiled(array, tile);
  const auto alignment = static_cast<size_t>(layout.tail_padding_alignment);
  while (array.values.size() % alignment != 0) array.values.push_back(kHole);
  return array.values;
}

std::string RandomCase::ToString() const {
  std::string text = "[";
  for (size_t i = 0; i < dimensions.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(dimensions[i]);
  }
  return text + "]" + layout.ToString();
}

RandomCase RandomShape(std::mt19937& random, int max_rank) {
  RandomCase result;
  const int rank = Between(random, 0, max_rank);
  // Few elements, so that all can be tried.
  const int largest = rank <= 2 ? 12 : rank <= 4 ? 5 : 3;
  auto& order = result.layout.minor_to_major;
  for (int d = 0; d < rank; ++d) {
    result.dimensions.push_back(Between(random, 0, 40) == 0 ? 0 : Between(random, 1, largest));
    order.insert(order.begin() + Between(random, 0, d), d);
  }
  return result;
}

void AddRandomTiles(std::mt19937& random, RandomCase& random_case) {
  layout::Layout& layout = random_case.layout;
  int physical_rank = static_cast<int>(random_case.dimensions.size());
  const int levels = Between(random, 0, 3);
  for (int level = 0; level < levels; ++level) {
    layout::Tile& tile = layout.tiles.emplace_back();
    // Later tiles may be as long as all that is there, across the tiles of the earlier ones.
    const int tile_rank = Between(random, 1, std::max(physical_rank, 1) + (level == 0 ? 1 : 0));
    for (int d = 0; d < tile_rank; ++d) {
      const bool combines = d + 1 < tile_rank && Between(random, 0, 4) == 0;
      tile.dimensions.push_back(combines ? layout::kCombineDimension : Between(random, 1, 4));
    }
    physical_rank = std::min(physical_rank + tile_rank, 5);
  }
  if (Between(random, 0, 3) == 0) layout.tail_padding_alignment = Between(random, 1, 9);
}

}  // namespace hlo_indexing::testing
