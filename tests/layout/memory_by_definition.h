// An array's memory by the definition of tiled layouts, executed on an actual array: transposed,
// joined, padded, reshaped and transposed element by element. Shares no code with layout/.
#ifndef HLO_INDEXING_TESTS_LAYOUT_MEMORY_BY_DEFINITION_H_
#define HLO_INDEXING_TESTS_LAYOUT_MEMORY_BY_DEFINITION_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "layout/xla_layout.h"

namespace hlo_indexing::testing {

using Sizes = std::vector<int64_t>;

/// What stands for padding in memory.
inline constexpr int64_t kHole = -1;

/// A row-major array of element numbers.
struct PlainArray {
  Sizes shape;
  std::vector<int64_t> values;

  /// Elements 0, 1, 2, ...
  static PlainArray Counting(const Sizes& shape);
  /// Dimension i of the result is dimension permutation[i] of this.
  PlainArray Transposed(const std::vector<int64_t>& permutation) const;
  /// With holes behind the ends of the dimensions.
  PlainArray PaddedTo(const Sizes& shape) const;
  /// The same values in another shape.
  PlainArray Reshaped(const Sizes& shape) const;
};

/// For every position in memory, the row-major number of the element there, or a hole.
std::vector<int64_t> MemoryByDefinition(const Sizes& dimensions, const layout::Layout& layout);

/// An array and a layout that is valid for it.
struct RandomCase {
  Sizes dimensions;
  layout::Layout layout;
  /// *"[3,5]{1,0:T(2,2)}"*
  std::string ToString() const;
};

/// A random shape of up to `max_rank` dimensions with a random order.
RandomCase RandomShape(std::mt19937& random, int max_rank);
/// Adds up to 3 tiles: with `*`, repeated, larger than the array, of size 1; and a padded tail.
void AddRandomTiles(std::mt19937& random, RandomCase& random_case);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_LAYOUT_MEMORY_BY_DEFINITION_H_
