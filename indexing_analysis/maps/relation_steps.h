// How much an answer about sets of maps may take. Private to the folder.
//
// Two sets of n maps make n * n pairs, each of which may leave several pieces, and so on: the
// numbers of maps say little of the time. What takes time is to simplify a domain.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_RELATION_STEPS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_RELATION_STEPS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::indexing_analysis {

/// Counts the domains that are simplified for one answer.
class RelationSteps {
 public:
  /// ResourceExhausted if there are no more.
  absl::Status Take(int64_t count = 1);

 private:
  int64_t taken_ = 0;
};

/// As in relation_algebra.h, as parts of an answer.
absl::StatusOr<IndexingMap> Intersect(const IndexingMap& a, const IndexingMap& b,
                                      RelationSteps& steps);
absl::StatusOr<std::vector<IndexingMap>> Subtract(llvm::ArrayRef<IndexingMap> a,
                                                  llvm::ArrayRef<IndexingMap> b,
                                                  RelationSteps& steps);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_RELATION_STEPS_H_
