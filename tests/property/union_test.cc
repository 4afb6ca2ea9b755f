// Subsumption and unions against enumeration.
#include "indexing_analysis/maps/union.h"

#include <gtest/gtest.h>

#include <set>

#include "mlir/IR/MLIRContext.h"
#include "tests/property/map_points.h"
#include "tests/property/random_map.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::ParseIndexingMap;
using support::Answer;

using Relation = std::set<std::pair<std::vector<int64_t>, std::vector<int64_t>>>;

void AddPairs(const IndexingMap& map, Relation& relation) {
  ForEachPoint(map, [&](llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) {
    if (!map.DomainContains(dimensions, symbols)) return;
    const auto results = map.Evaluate(dimensions, symbols);
    relation.insert({dimensions.vec(), std::vector<int64_t>(results->begin(), results->end())});
  });
}

Relation RelationOf(llvm::ArrayRef<IndexingMap> maps) {
  Relation relation;
  for (const IndexingMap& map : maps) AddPairs(map, relation);
  return relation;
}

// Maps that often hold each other: windows, strides and shifts of two dimensions and a range.
std::string RandomWindow(Random& random) {
  static const std::vector<std::string> results = {
      "d0 + s0", "d0", "s0", "d0 * 2 + s0", "s0 * 2", "(d0 + s0) floordiv 2", "d0 + d1", "d1 + s0"};
  const auto box = [&](const std::string& name) {
    const int64_t lower = random.Between(0, 3);
    return name + " in [" + std::to_string(lower) + ", " +
           std::to_string(lower + random.Between(0, 5)) + "]";
  };
  std::string text = "(d0, d1)[s0] -> (" + random.Pick(results) + ", " + random.Pick(results) +
                     "), domain: " + box("d0") + ", " + box("d1") + ", " + box("s0");
  if (random.OneIn(3)) text += ", d0 + s0 in [" + std::to_string(random.Between(0, 4)) + ", 9]";
  if (random.OneIn(4)) text += ", s0 mod 2 in [0, 0]";
  return text;
}

TEST(UnionOfMaps, SubsumesWhatEnumerationSubsumes) {
  constexpr int kPairs = 4000;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(19);
  int yes = 0;
  for (int i = 0; i < kPairs && !HasFailure(); ++i) {
    const std::string texts[] = {RandomWindow(random), RandomWindow(random)};
    SCOPED_TRACE(texts[0] + " ; " + texts[1]);
    const IndexingMap a = ParseIndexingMap(texts[0], &context).value();
    const IndexingMap b = ParseIndexingMap(texts[1], &context).value();
    const Relation larger = RelationOf(a);
    const Relation smaller = RelationOf(b);
    const bool contained =
        std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end());
    const Answer answer = Subsumes(a, b).answer;
    ASSERT_EQ(answer, contained ? Answer::kYes : Answer::kNo);
    ASSERT_EQ(Subsumes(a, a).answer, Answer::kYes);
    yes += answer == Answer::kYes ? 1 : 0;
  }
  RecordProperty("yes", yes);
  EXPECT_GT(yes, kPairs / 100);
}

TEST(UnionOfMaps, HasThePairsOfAll) {
  constexpr int kUnions = 2000;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(23);
  int given = 0;
  int left = 0;
  for (int i = 0; i < kUnions && !HasFailure(); ++i) {
    std::vector<IndexingMap> maps;
    std::string texts;
    const int64_t count = random.Between(1, 4);
    for (int64_t k = 0; k < count; ++k) {
      const std::string text = RandomWindow(random);
      texts += text + " ; ";
      maps.push_back(ParseIndexingMap(text, &context).value());
    }
    SCOPED_TRACE(texts);
    const std::vector<IndexingMap> joined = Union(maps);
    ASSERT_EQ(RelationOf(joined), RelationOf(maps));
    given += static_cast<int>(maps.size());
    left += static_cast<int>(joined.size());
  }
  RecordProperty("given", given);
  RecordProperty("left", left);
  EXPECT_LT(left, given);
}

TEST(UnionOfMaps, JoinsWhatTouches) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto parse = [&](const char* text) { return ParseIndexingMap(text, &context).value(); };
  const std::vector<IndexingMap> joined =
      indexing_analysis::Union({parse("(d0) -> (d0 + 1), domain: d0 in [0, 3]"),
                                parse("(d0) -> (d0 + 1), domain: d0 in [6, 9]"),
                                parse("(d0) -> (d0 + 1), domain: d0 in [4, 5]")});
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(joined[0].ToString(), "(d0) -> (d0 + 1), domain: d0 in [0, 9]");
}

}  // namespace
}  // namespace hlo_indexing::testing
