// Intersection and difference of relations against enumeration.
#include "indexing_analysis/maps/relation_algebra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "mlir/IR/MLIRContext.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_map.h"
#include "tests/property/random_window.h"
#include "tests/property/relation_pairs.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::ParseIndexingMap;

Relation Intersection(const Relation& a, const Relation& b) {
  Relation both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}

Relation Difference(const Relation& a, const Relation& b) {
  Relation left;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(left, left.end()));
  return left;
}

TEST(RelationAlgebra, AgreesWithEnumeration) {
  const int num_pairs = NumCases("HLO_INDEXING_RANDOM_RELATIONS", 4000);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(29);
  int subtracted = 0;
  int pieces = 0;
  for (int i = 0; i < num_pairs && !HasFailure(); ++i) {
    const std::string texts[] = {RandomWindow(random), RandomWindow(random)};
    SCOPED_TRACE(texts[0] + " ; " + texts[1]);
    const IndexingMap a = ParseIndexingMap(texts[0], &context).value();
    const IndexingMap b = ParseIndexingMap(texts[1], &context).value();
    const Relation pairs_of_a = RelationOf(a);
    const Relation pairs_of_b = RelationOf(b);
    const absl::StatusOr<IndexingMap> both = Intersect(a, b);
    ASSERT_TRUE(both.ok()) << both.status().message();
    ASSERT_TRUE(both->Verify().ok());
    ASSERT_EQ(RelationOf(*both), Intersection(pairs_of_a, pairs_of_b)) << both->ToString();
    const absl::StatusOr<std::vector<IndexingMap>> left = Subtract(a, b);
    if (!left.ok()) {
      ASSERT_TRUE(absl::IsUnimplemented(left.status()));
      continue;
    }
    ++subtracted;
    pieces += static_cast<int>(left->size());
    ASSERT_EQ(RelationOf(*left), Difference(pairs_of_a, pairs_of_b));
    // No pair is in two pieces.
    size_t sum = 0;
    for (const IndexingMap& piece : *left) sum += RelationOf(piece).size();
    ASSERT_EQ(sum, RelationOf(*left).size());
  }
  EXPECT_EQ(subtracted, num_pairs);
  EXPECT_GT(pieces, subtracted);
}

TEST(RelationAlgebra, SetsAreOneRelation) {
  const int num_sets = NumCases("HLO_INDEXING_RANDOM_RELATIONS", 4000) / 8;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(31);
  int subtracted = 0;
  for (int i = 0; i < num_sets && !HasFailure(); ++i) {
    std::vector<IndexingMap> sets[2];
    std::string texts;
    for (std::vector<IndexingMap>& set : sets) {
      for (int64_t k = random.Between(1, 3); k > 0; --k) {
        texts += RandomWindow(random);
        set.push_back(ParseIndexingMap(texts.substr(texts.rfind("(d0, d1)[")), &context).value());
        texts += " ; ";
      }
    }
    SCOPED_TRACE(texts);
    const Relation a = RelationOf(sets[0]);
    const Relation b = RelationOf(sets[1]);
    const auto both = Intersect(llvm::ArrayRef(sets[0]), llvm::ArrayRef(sets[1]));
    ASSERT_TRUE(both.ok());
    ASSERT_EQ(RelationOf(*both), Intersection(a, b));
    const auto left = Subtract(llvm::ArrayRef(sets[0]), llvm::ArrayRef(sets[1]));
    if (!left.ok()) continue;
    ++subtracted;
    ASSERT_EQ(RelationOf(*left), Difference(a, b));
  }
  EXPECT_EQ(subtracted, num_sets);
}

// Nested divisions, several ranges and constraints.
TEST(RelationAlgebra, OfAMapWithItself) {
  const int num_maps = NumCases("HLO_INDEXING_RANDOM_RELATIONS", 4000);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(37);
  int subtracted = 0;
  for (int i = 0; i < num_maps && !HasFailure(); ++i) {
    const std::string text = RandomMap(random);
    SCOPED_TRACE(text);
    const IndexingMap map = ParseIndexingMap(text, &context).value();
    if (CountPoints(map) > 20000) continue;
    const absl::StatusOr<IndexingMap> both = Intersect(map, map);
    ASSERT_TRUE(both.ok()) << both.status().message();
    if (CountPoints(*both) <= 200000) {
      ASSERT_EQ(RelationOf(*both), RelationOf(map)) << both->ToString();
    }
    const absl::StatusOr<std::vector<IndexingMap>> left = Subtract(map, map);
    if (!left.ok()) continue;
    ++subtracted;
    ASSERT_TRUE(RelationOf(*left).empty());
  }
  EXPECT_GT(subtracted, num_maps * 9 / 10);
}

}  // namespace
}  // namespace hlo_indexing::testing
