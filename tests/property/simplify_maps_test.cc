// Simplifying changes neither a map's domain nor its values, and simplifying again changes nothing.
#include <gtest/gtest.h>

#include "indexing_analysis/maps/indexing_map.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/map_points.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_map.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::ParseIndexingMap;

int CountDivisions(const std::string& text) {
  int count = 0;
  for (const char* word : {" floordiv ", " ceildiv ", " mod "}) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      ++count;
    }
  }
  return count;
}

TEST(SimplifyMaps, KeepsDomainAndValuesAndIsIdempotent) {
  const int num_maps = NumCases("HLO_INDEXING_RANDOM_MAPS", 20000);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(7);
  int before = 0;
  int after = 0;
  int missed_empty = 0;
  for (int i = 0; i < num_maps && !HasFailure(); ++i) {
    const std::string text = RandomMap(random);
    SCOPED_TRACE(text);
    const auto map = ParseIndexingMap(text, &context);
    ASSERT_TRUE(map.ok()) << map.status().message();
    const IndexingMap simplified = Simplify(*map);
    SCOPED_TRACE(simplified.ToString());
    ASSERT_TRUE(simplified.Verify().ok());
    int64_t points = 0;
    ForEachPoint(*map, [&](llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) {
      const bool contained = map->DomainContains(dimensions, symbols);
      ASSERT_EQ(contained, simplified.DomainContains(dimensions, symbols));
      if (!contained) return;
      ++points;
      ASSERT_EQ(map->Evaluate(dimensions, symbols), simplified.Evaluate(dimensions, symbols));
    });
    const auto again = ParseIndexingMap(simplified.ToString(), &context);
    ASSERT_TRUE(again.ok()) << again.status().message();
    ASSERT_EQ(*again, simplified) << again->ToString();
    ASSERT_EQ(Simplify(simplified), simplified) << Simplify(simplified).ToString();
    missed_empty += points == 0 && !simplified.IsKnownEmpty() ? 1 : 0;
    const int old_count = CountDivisions(map->ToString());
    const int new_count = simplified.IsKnownEmpty() ? 0 : CountDivisions(simplified.ToString());
    before += old_count;
    after += new_count;
    ASSERT_LE(new_count, old_count);
  }
  RecordProperty("divisions_before", before);
  RecordProperty("divisions_after", after);
  EXPECT_EQ(missed_empty, 0);
  // Four of five divisions are superfluous.
  EXPECT_LT(after * 4, before);
}

}  // namespace
}  // namespace hlo_indexing::testing
