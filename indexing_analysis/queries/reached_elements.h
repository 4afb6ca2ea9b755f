// Which elements of an array several maps reach together, counted exactly where that is possible.
// Private to the folder.
//
// Images that are strided boxes are taken away from the whole array: what is left is the part that
// is not reached. Other images get a bit for each element. Example, of f32[10]:
//
//   (d0) -> (d0), d0 in [0, 4] and (d0) -> (d0 + 3), d0 in [0, 2] -> 6, not reached: [6:10]
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_REACHED_ELEMENTS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_REACHED_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/strided_boxes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"

namespace hlo_indexing::indexing_analysis {

struct ReachLimits {
  /// Arrays with more elements get no bits.
  int64_t max_elements_with_bits = 0;
  /// Points that are tried, and words of bits moved, for one array.
  int64_t max_work = 0;
  size_t max_boxes = 0;
  /// Points that are tried for the image of a map.
  int64_t max_image_points = simplifier::kMaxImagePoints;
};

struct ReachedElements {
  Image::Count count;
  /// The others, in boxes that share none; nullopt if these would be too many.
  std::optional<std::vector<StridedBox>> unreached;
  /// Why the count is a range; empty if it is exact.
  std::string reason;
};

class ReachCounter {
 public:
  explicit ReachCounter(const ReachLimits& limits) : limits_(limits) {}

  /// What the maps reach for all values of their variables, those known at run time included, in an
  /// array of these sizes. No map is unknown, and every variable has bounds.
  ReachedElements Count(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<int64_t> sizes);

  /// The image of such a map; remembered.
  const Image& ImageOfMap(const IndexingMap& map);

 private:
  struct MapHash {
    size_t operator()(const IndexingMap& map) const { return hash_value(map); }
  };

  ReachLimits limits_;
  std::unordered_map<IndexingMap, Image, MapHash> images_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_REACHED_ELEMENTS_H_
