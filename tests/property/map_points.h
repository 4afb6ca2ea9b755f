// The points of a map's box, for tests that enumerate.
#ifndef HLO_INDEXING_TESTS_PROPERTY_MAP_POINTS_H_
#define HLO_INDEXING_TESTS_PROPERTY_MAP_POINTS_H_

#include <cstdint>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::testing {

/// Calls `visit(dimensions, symbols)` for every point of the box of the map's dimension, range and
/// runtime variables, whether or not it meets the constraints.
template <typename Visit>
void ForEachPoint(const indexing_analysis::IndexingMap& map, Visit visit) {
  std::vector<indexing_analysis::Interval> boxes;
  for (const auto& variable : map.dimensions()) boxes.push_back(variable.bounds);
  for (const auto& variable : map.ranges()) boxes.push_back(variable.bounds);
  for (const auto& variable : map.runtime()) boxes.push_back(variable.bounds);
  std::vector<int64_t> point;
  for (const auto& box : boxes) {
    if (box.IsEmpty()) return;
    point.push_back(box.lower);
  }
  while (true) {
    visit(llvm::ArrayRef<int64_t>(point).take_front(map.num_dimensions()),
          llvm::ArrayRef<int64_t>(point).drop_front(map.num_dimensions()));
    size_t i = 0;
    while (i < boxes.size() && point[i] == boxes[i].upper) {
      point[i] = boxes[i].lower;
      ++i;
    }
    if (i == boxes.size()) return;
    ++point[i];
  }
}

/// The number of points that ForEachPoint visits, up to 2^40.
inline int64_t CountPoints(const indexing_analysis::IndexingMap& map) {
  constexpr int64_t kMany = int64_t{1} << 40;
  int64_t points = 1;
  const auto add = [&points](const indexing_analysis::Interval& box) {
    if (points == 0 || box.IsEmpty()) {
      points = 0;
    } else {
      const int64_t size = box.upper - box.lower + 1;
      points = size > kMany / points ? kMany : points * size;
    }
  };
  for (const auto& variable : map.dimensions()) add(variable.bounds);
  for (const auto& variable : map.ranges()) add(variable.bounds);
  for (const auto& variable : map.runtime()) add(variable.bounds);
  return points;
}

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_MAP_POINTS_H_
