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

inline constexpr int64_t kMaxRelationSteps = int64_t{1} << 12;

/// Counts the domains that are simplified for one answer: one with n constraints, each of which is
/// propagated through all others in many rounds, takes 1 + n^3 / 8 steps.
class RelationSteps {
 public:
  /// To simplify so many domains like this one. ResourceExhausted if there are not as many steps.
  absl::Status Take(const IndexingMap& domain, int64_t count);
  /// Whether there are, and if so takes them.
  bool TryToTake(const IndexingMap& domain, int64_t count);

 private:
  int64_t taken_ = 0;
};

/// The same maps, fewer where some can be joined in the steps that there are: each pair is looked
/// at.
std::vector<IndexingMap> Joined(const std::vector<IndexingMap>& maps, RelationSteps& steps);

/// As in relation_algebra.h, as parts of an answer.
absl::StatusOr<IndexingMap> Intersect(const IndexingMap& a, const IndexingMap& b,
                                      RelationSteps& steps);
absl::StatusOr<std::vector<IndexingMap>> Subtract(llvm::ArrayRef<IndexingMap> a,
                                                  llvm::ArrayRef<IndexingMap> b,
                                                  RelationSteps& steps);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_RELATION_STEPS_H_
