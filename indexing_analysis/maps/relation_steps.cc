#include "indexing_analysis/maps/relation_steps.h"

#include <cstddef>
#include <iterator>
#include <string>

#include "indexing_analysis/maps/union.h"

namespace hlo_indexing::indexing_analysis {

bool RelationSteps::TryToTake(const IndexingMap& domain, int64_t count) {
  const int64_t constraints = domain.IsUnknown() ? 0 : std::ssize(domain.constraints());
  const int64_t steps = count * (1 + constraints * constraints * constraints / 8);
  if (steps > kMaxRelationSteps - taken_) return false;
  taken_ += steps;
  return true;
}

absl::Status RelationSteps::Take(const IndexingMap& domain, int64_t count) {
  if (TryToTake(domain, count)) return absl::OkStatus();
  return absl::ResourceExhaustedError("to simplify the domains takes more than " +
                                      std::to_string(kMaxRelationSteps) + " steps");
}

std::vector<IndexingMap> Joined(const std::vector<IndexingMap>& maps, RelationSteps& steps) {
  constexpr size_t kMaxJoined = 64;
  if (maps.size() > kMaxJoined) return maps;
  const auto size = std::ssize(maps);
  for (const IndexingMap& map : maps) {
    if (!steps.TryToTake(map, size)) return maps;
  }
  return Union(maps);
}

}  // namespace hlo_indexing::indexing_analysis
