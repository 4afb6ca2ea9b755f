// What a map reaches, and how often.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_IMAGE_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_IMAGE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "simplifier/image.h"
#include "support/answer.h"

namespace hlo_indexing::indexing_analysis {

using simplifier::Image;
using support::Answer;
using support::ReasonedAnswer;

/// The image of a map: the results at all points of its domain, that is for all values of its
/// dimension, range and runtime variables. nullopt for the unknown map, and where a variable has no
/// bound, as the index of f32[?]: WhyNoImage says which.
/// Tries at most so many points for each group of variables (simplifier/image.h).
/// Example: (d0)[s0] -> (d0 * 2 + s0), d0 in [0, 4], s0 in [0, 2] -> 11 values, 0 to 10, of 15
/// points
std::optional<Image> ImageOf(const IndexingMap& map,
                             int64_t max_points = simplifier::kMaxImagePoints);

/// Why ImageOf gives nullopt.
/// Example: (d0) -> (d0), d0 in [0, inf] -> "d0 has no bound"
std::string WhyNoImage(const IndexingMap& map);

/// Whether different points of the domain have different results.
/// Example: the map above -> no: 15 points have 11 results
ReasonedAnswer IsInjective(const IndexingMap& map);

/// Whether the image is the box, which has an interval for each result.
ReasonedAnswer IsSurjective(const IndexingMap& map, llvm::ArrayRef<Interval> box);

/// Whether the map is injective, and surjective onto the box.
ReasonedAnswer IsBijective(const IndexingMap& map, llvm::ArrayRef<Interval> box);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_IMAGE_H_
