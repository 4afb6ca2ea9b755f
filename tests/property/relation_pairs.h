// The pairs of dimensions and results that maps relate, for tests that enumerate.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RELATION_PAIRS_H_
#define HLO_INDEXING_TESTS_PROPERTY_RELATION_PAIRS_H_

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "tests/property/map_points.h"

namespace hlo_indexing::testing {

using Relation = std::set<std::pair<std::vector<int64_t>, std::vector<int64_t>>>;

inline void AddPairs(const indexing_analysis::IndexingMap& map, Relation& relation) {
  if (map.IsKnownEmpty()) return;
  ForEachPoint(map, [&](llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) {
    if (!map.DomainContains(dimensions, symbols)) return;
    const auto results = map.Evaluate(dimensions, symbols);
    relation.insert({dimensions.vec(), std::vector<int64_t>(results->begin(), results->end())});
  });
}

/// What the maps relate together.
inline Relation RelationOf(llvm::ArrayRef<indexing_analysis::IndexingMap> maps) {
  Relation relation;
  for (const indexing_analysis::IndexingMap& map : maps) AddPairs(map, relation);
  return relation;
}

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RELATION_PAIRS_H_
