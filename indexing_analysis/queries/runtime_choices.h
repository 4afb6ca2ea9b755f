// Maps whose results or domains depend on values that are known at run time only: how much they
// reach at least and at most, whatever the values are. Private to the folder.
//
// A value is *uniform* if all points of the domain have the same, as the start of a dynamic-slice,
// and varies otherwise, as the indices of a gather do.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_RUNTIME_CHOICES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_RUNTIME_CHOICES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hlo_indexing::indexing_analysis {

/// What identifies a uniform value: equal texts are equal values. nullopt for one that varies, or
/// of which that is not known.
std::optional<std::string> UniformValue(const RuntimeVariable& variable);

/// The map with numbers in place of all its runtime variables.
/// Example: (d0){rt0} -> (d0 + rt0), d0 in [0, 3], at {2} -> (d0) -> (d0 + 2), d0 in [0, 3]
IndexingMap WithValues(const IndexingMap& map, llvm::ArrayRef<int64_t> values);

/// Different elements that a map reaches for one choice of values, and points of its domain: from
/// the fewest to the most of all choices. Either end may be out of reach, if which element a value
/// is makes choices depend on each other.
struct ReachPerChoice {
  Image::Count elements;
  Image::Count points;
};
ReachPerChoice ReachForAnyChoice(const IndexingMap& map);

/// All choices of the uniform values of some maps, as long as they are at most `max_choices`.
class UniformChoices {
 public:
  /// nullopt if a value varies, or there are more choices.
  static std::optional<UniformChoices> Of(llvm::ArrayRef<IndexingMap> maps, int64_t max_choices);

  /// Calls `visit` with the maps at each choice.
  void ForEach(llvm::function_ref<void(llvm::ArrayRef<IndexingMap>)> visit) const;

 private:
  std::vector<IndexingMap> maps_;
  // Of each value.
  std::vector<Interval> bounds_;
  // Which value each runtime variable of each map is.
  std::vector<std::vector<size_t>> values_of_map_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_RUNTIME_CHOICES_H_
