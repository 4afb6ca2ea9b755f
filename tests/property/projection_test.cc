// Projections of relations against enumeration.
#include "indexing_analysis/maps/projection.h"

#include <gtest/gtest.h>

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
using indexing_analysis::Project;
using indexing_analysis::Projection;
using Maps = std::vector<IndexingMap>;

// Some of the numbers below `count`, in any order.
std::vector<size_t> SomeOf(size_t count, Random& random) {
  std::vector<size_t> some;
  for (size_t i = 0; i < count; ++i) {
    if (random.OneIn(2)) continue;
    random.OneIn(2) ? some.insert(some.begin(), i) : some.insert(some.end(), i);
  }
  return some;
}

std::vector<int64_t> Chosen(const std::vector<int64_t>& values, llvm::ArrayRef<size_t> numbers) {
  std::vector<int64_t> chosen;
  for (const size_t number : numbers) chosen.push_back(values[number]);
  return chosen;
}

Relation ProjectionOf(const Relation& relation, const Projection& kept) {
  Relation projected;
  for (const auto& [dimensions, results] : relation) {
    projected.insert({Chosen(dimensions, kept.dimensions), Chosen(results, kept.results)});
  }
  return projected;
}

// Whether there is a range that neither a result mentions nor had to stay.
bool HasRange(llvm::ArrayRef<IndexingMap> maps) {
  return llvm::any_of(maps, [](const IndexingMap& map) { return map.num_ranges() != 0; });
}

TEST(Projection, OfWindowsAgreesWithEnumeration) {
  const int num_maps = NumCases("HLO_INDEXING_RANDOM_RELATIONS", 4000);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(41);
  int without_results = 0;
  int with_ranges = 0;
  for (int i = 0; i < num_maps && !HasFailure(); ++i) {
    const std::string text = RandomWindow(random);
    const IndexingMap map = ParseIndexingMap(text, &context).value();
    const std::vector<size_t> dimensions = SomeOf(2, random);
    const std::vector<size_t> results = SomeOf(2, random);
    const Projection kept = {dimensions, results};
    SCOPED_TRACE(text + " to dimensions " + ::testing::PrintToString(dimensions) + ", results " +
                 ::testing::PrintToString(results));
    const absl::StatusOr<Maps> projected = Project(map, kept);
    ASSERT_TRUE(projected.ok()) << projected.status().message();
    for (const IndexingMap& piece : *projected) ASSERT_TRUE(piece.Verify().ok());
    ASSERT_EQ(RelationOf(*projected), ProjectionOf(RelationOf(map), kept));
    if (!results.empty()) continue;
    ++without_results;
    with_ranges += HasRange(*projected) ? 1 : 0;
  }
  EXPECT_GT(without_results, num_maps / 8);
  EXPECT_EQ(with_ranges, 0) << "of " << without_results;
}

// Nested divisions, several ranges and constraints.
TEST(Projection, OfRandomMapsAgreesWithEnumeration) {
  const int num_maps = NumCases("HLO_INDEXING_RANDOM_RELATIONS", 4000);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(43);
  int without_results = 0;
  int with_ranges = 0;
  for (int i = 0; i < num_maps && !HasFailure(); ++i) {
    const std::string text = RandomMap(random);
    const IndexingMap map = ParseIndexingMap(text, &context).value();
    if (CountPoints(map) > 20000) continue;
    const std::vector<size_t> dimensions = SomeOf(map.num_dimensions(), random);
    const std::vector<size_t> results = SomeOf(map.affine_map().getNumResults(), random);
    const Projection kept = {dimensions, results};
    SCOPED_TRACE(text + " to dimensions " + ::testing::PrintToString(dimensions) + ", results " +
                 ::testing::PrintToString(results));
    const absl::StatusOr<Maps> projected = Project(map, kept);
    ASSERT_TRUE(projected.ok()) << projected.status().message();
    if (llvm::any_of(*projected, [](const IndexingMap& m) { return CountPoints(m) > 200000; })) {
      continue;
    }
    ASSERT_EQ(RelationOf(*projected), ProjectionOf(RelationOf(map), kept));
    if (!results.empty()) continue;
    ++without_results;
    with_ranges += HasRange(*projected) ? 1 : 0;
  }
  EXPECT_GT(without_results, 0);
  EXPECT_LT(with_ranges, without_results / 4) << "of " << without_results;
}

std::string TextOf(const absl::StatusOr<Maps>& maps) {
  if (!maps.ok()) return std::string(maps.status().message());
  std::string text;
  for (const IndexingMap& map : *maps) text += (text.empty() ? "" : "; ") + map.ToString();
  return text;
}

TEST(Projection, Examples) {
  struct Case {
    const char* map;
    std::vector<size_t> dimensions;
    std::vector<size_t> results;
    const char* expected;
  };
  const Case cases[] = {
      // Bounds of one sum under bounds of another.
      {"(d0)[s0] -> (), domain: d0 in [0, 20], s0 in [0, 9], d0 - s0 in [0, 3]",
       {0},
       {},
       "(d0) -> (), domain: d0 in [0, 12]"},
      // Neither factor is 1: every lower bound may be the largest.
      {"(d0)[s0] -> (), domain: d0 in [0, 20], s0 in [0, 4], d0 - s0 * 3 in [0, 1]",
       {0},
       {},
       "(d0) -> (), domain: d0 in [0, 13], d0 mod 3 in [0, 1]"},
      // The same bound by a digit.
      {"(d0)[s0] -> (), domain: d0 in [0, 20], s0 in [0, 9], s0 mod 4 in [2, 2], d0 - s0 in [0, 0]",
       {0},
       {},
       "(d0) -> (), domain: d0 in [2, 6], d0 mod 4 in [2, 2]"},
      {"(d0, d1) -> (d0 + d1), domain: d0 in [0, 9], d1 in [0, 2]",
       {},
       {0},
       "()[s0, s1] -> (s0 + s1), domain: s0 in [0, 9], s1 in [0, 2]"},
      {"(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 2]",
       {1, 0},
       {1},
       "(d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 9]"},
      {"(d0, d1) -> (d0), domain: KNOWN EMPTY", {0}, {0}, ""},
      {"UNKNOWN", {}, {}, "UNKNOWN"},
      {"(d0) -> (d0), domain: d0 in [0, 9]", {1}, {}, "there is no dimension 1: the map has 1"},
      {"(d0) -> (d0), domain: d0 in [0, 9]", {0, 0}, {}, "dimension 0 is named twice"},
  };
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const Case& c : cases) {
    const IndexingMap map = ParseIndexingMap(c.map, &context).value();
    EXPECT_EQ(TextOf(Project(map, {c.dimensions, c.results})), c.expected) << c.map;
  }
}

}  // namespace
}  // namespace hlo_indexing::testing
