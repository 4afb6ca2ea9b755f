// Subsumption and unions against enumeration.
#include "indexing_analysis/maps/union.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mlir/IR/MLIRContext.h"
#include "tests/property/random_window.h"
#include "tests/property/relation_pairs.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::ParseIndexingMap;
using support::Answer;

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
