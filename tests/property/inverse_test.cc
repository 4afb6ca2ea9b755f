// The inverse of a map has exactly the pairs of the map.
#include "indexing_analysis/maps/inverse.h"

#include <gtest/gtest.h>

#include <set>

#include "mlir/IR/MLIRContext.h"
#include "tests/property/map_points.h"
#include "tests/property/random_map.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::ParseIndexingMap;

// The dimensions and the results that a map relates.
using Relation = std::set<std::pair<std::vector<int64_t>, std::vector<int64_t>>>;

Relation RelationOf(const IndexingMap& map) {
  Relation relation;
  ForEachPoint(map, [&](llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) {
    if (!map.DomainContains(dimensions, symbols)) return;
    const auto results = map.Evaluate(dimensions, symbols);
    ASSERT_TRUE(results.has_value());
    relation.insert({dimensions.vec(), std::vector<int64_t>(results->begin(), results->end())});
  });
  return relation;
}

Relation Swapped(const Relation& relation) {
  Relation swapped;
  for (const auto& [a, b] : relation) swapped.insert({b, a});
  return swapped;
}

TEST(Inverse, HasThePairsOfTheMap) {
  constexpr int kMaps = 4000;
  constexpr int64_t kMaxPoints = 100000;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(11);
  int compared = 0;
  for (int i = 0; i < kMaps && !HasFailure(); ++i) {
    const std::string text = RandomMap(random);
    SCOPED_TRACE(text);
    const auto map = ParseIndexingMap(text, &context);
    ASSERT_TRUE(map.ok()) << map.status().message();
    const absl::StatusOr<IndexingMap> inverse = Inverse(*map);
    ASSERT_TRUE(inverse.ok()) << inverse.status();
    SCOPED_TRACE(inverse->ToString());
    ASSERT_TRUE(inverse->Verify().ok());
    ASSERT_EQ(inverse->num_dimensions(), map->affine_map().getNumResults());
    if (CountPoints(*inverse) > kMaxPoints) continue;
    ++compared;
    ASSERT_EQ(Swapped(RelationOf(*inverse)), RelationOf(*map));
  }
  // The others have ranges too wide to try.
  EXPECT_GT(compared, kMaps * 9 / 10);
}

}  // namespace
}  // namespace hlo_indexing::testing
