// Counts with parameters against enumeration.
#include "indexing_analysis/maps/count.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "indexing_analysis/maps/image.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/map_points.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_map.h"
#include "tests/property/random_window.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::Count;
using indexing_analysis::Counting;
using indexing_analysis::IndexingMap;
using indexing_analysis::ParseIndexingMap;
using Maps = std::vector<IndexingMap>;
using Point = std::vector<int64_t>;
using Counts = std::map<Point, int64_t>;

Point Chosen(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<size_t> numbers) {
  Point chosen;
  for (const size_t number : numbers) chosen.push_back(values[number]);
  return chosen;
}

// By trying all points, for each value of the parameters and runtime variables that has some.
Counts Enumerate(const Maps& maps, const Counting& counting) {
  Counts points;
  std::map<Point, std::set<Point>> results;
  for (const IndexingMap& map : maps) {
    if (map.IsKnownEmpty()) continue;
    ForEachPoint(map, [&](llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) {
      if (!map.DomainContains(dimensions, symbols)) return;
      Point at = Chosen(dimensions, counting.parameters);
      const llvm::ArrayRef<int64_t> runtime = symbols.drop_front(map.num_ranges());
      at.insert(at.end(), runtime.begin(), runtime.end());
      ++points[at];
      const auto result = map.Evaluate(dimensions, symbols);
      results[at].insert(Point(result->begin(), result->end()));
    });
  }
  if (counting.of == Counting::Of::kPoints) return points;
  Counts counts;
  for (const auto& [at, set] : results) counts[at] = static_cast<int64_t>(set.size());
  return counts;
}

// What the answer says. Fails where two maps of it have a point in common.
Counts Evaluate(const Maps& answer) {
  Counts counts;
  for (const IndexingMap& map : answer) {
    EXPECT_TRUE(map.Verify().ok());
    EXPECT_EQ(map.num_ranges(), 0);
    ForEachPoint(map, [&](llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) {
      if (!map.DomainContains(dimensions, symbols)) return;
      Point at = dimensions.vec();
      at.insert(at.end(), symbols.begin(), symbols.end());
      const int64_t count = (*map.Evaluate(dimensions, symbols))[0];
      EXPECT_TRUE(counts.try_emplace(at, count).second) << "twice at " << map.ToString();
    });
  }
  std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
  return counts;
}

std::string TextOf(const Maps& maps) {
  std::string text;
  for (const IndexingMap& map : maps) text += (text.empty() ? "" : "; ") + map.ToString();
  return text;
}

class CountTest : public ::testing::Test {
 protected:
  IndexingMap Parse(const std::string& text) { return ParseIndexingMap(text, &context_).value(); }

  // Some of the numbers below `count`, in any order.
  std::vector<size_t> SomeOf(size_t count) {
    std::vector<size_t> some;
    for (size_t i = 0; i < count; ++i) {
      if (random_.OneIn(2)) continue;
      random_.OneIn(2) ? some.insert(some.begin(), i) : some.insert(some.end(), i);
    }
    return some;
  }

  void Check(const Maps& maps) {
    const std::vector<size_t> parameters = SomeOf(maps[0].num_dimensions());
    const Counting counting = {
        .of = random_.OneIn(2) ? Counting::Of::kPoints : Counting::Of::kResults,
        .parameters = parameters};
    SCOPED_TRACE(TextOf(maps) + " by " + ::testing::PrintToString(parameters) +
                 (counting.of == Counting::Of::kPoints ? ", points" : ", results"));
    const absl::StatusOr<Maps> answer = Count(maps, counting);
    ++(answer.ok() ? answered_ : refused_[std::string(answer.status().message())]);
    if (!answer.ok()) return;
    SCOPED_TRACE(TextOf(*answer));
    num_maps_ += answer->size();
    ASSERT_EQ(Evaluate(*answer), Enumerate(maps, counting));
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  Random random_{47};
  int answered_ = 0;
  std::map<std::string, int> refused_;
  size_t num_maps_ = 0;
};

TEST_F(CountTest, OfWindowsAgreesWithEnumeration) {
  const int cases = NumCases("HLO_INDEXING_RANDOM_COUNTS", 800);
  for (int i = 0; i < cases && !HasFailure(); ++i) {
    Maps maps = {Parse(RandomWindow(random_))};
    if (random_.OneIn(4)) maps.push_back(Parse(RandomWindow(random_)));
    Check(maps);
  }
  EXPECT_GT(answered_, cases * 95 / 100) << ::testing::PrintToString(refused_);
  RecordProperty("maps", static_cast<int>(num_maps_));
}

// Nested divisions, several ranges and constraints.
TEST_F(CountTest, OfRandomMapsAgreesWithEnumeration) {
  const int cases = NumCases("HLO_INDEXING_RANDOM_COUNTS", 400);
  int tried = 0;
  for (int i = 0; i < cases && !HasFailure(); ++i) {
    const IndexingMap map = Parse(RandomMap(random_));
    if (CountPoints(map) > 20000) continue;
    ++tried;
    Check({map});
  }
  EXPECT_GT(answered_, tried * 8 / 10) << ::testing::PrintToString(refused_);
  RecordProperty("maps", static_cast<int>(num_maps_));
}

// Several groups of variables that hang together with no other, each with constraints.
TEST_F(CountTest, OfIndependentVariablesAgreesWithEnumeration) {
  const int cases = NumCases("HLO_INDEXING_RANDOM_COUNTS", 400);
  for (int i = 0; i < cases && !HasFailure(); ++i) {
    const auto number = [&](int64_t low, int64_t high) {
      return std::to_string(random_.Between(low, high));
    };
    std::string domain = "d0 in [0, " + number(0, 5) + "], d1 in [0, " + number(0, 9) + "]";
    for (int s = 0; s < 3; ++s) {
      domain += ", s" + std::to_string(s) + " in [" + number(0, 1) + ", " + number(2, 6) + "]";
    }
    const std::string modulus = number(2, 4);
    domain += ", d1 mod " + modulus + " in [0, " + number(0, 1) + "]";
    domain += ", s" + number(0, 2) + " mod " + number(2, 3) + " in [" + number(0, 1) + ", 1]";
    domain += ", s1 + s2 in [" + number(0, 3) + ", " + number(4, 9) + "]";
    if (random_.OneIn(2)) domain += ", d0 + s0 in [1, " + number(3, 7) + "]";
    Check({Parse("(d0, d1)[s0, s1, s2] -> (s0 * " + number(1, 3) + ", d1, s1 + s2 * " +
                 number(1, 3) + "), domain: " + domain)});
  }
  EXPECT_GT(answered_, cases * 8 / 10) << ::testing::PrintToString(refused_);
}

// A variable that is counted in a product of variables: right, or refused.
TEST_F(CountTest, OfProductsAgreesWithEnumeration) {
  const int cases = NumCases("HLO_INDEXING_RANDOM_COUNTS", 400);
  for (int i = 0; i < cases && !HasFailure(); ++i) {
    const auto number = [&](int64_t low, int64_t high) {
      return std::to_string(random_.Between(low, high));
    };
    const std::string factor = random_.OneIn(2) ? "s0" : "(s0 floordiv " + number(2, 3) + ")";
    Check({Parse("(d0)[s0, s1] -> (s0 * " + number(-3, 3) + " + s1 * " + number(0, 2) +
                 "), domain: d0 in [0, " + number(0, 4) + "], s0 in [0, " + number(1, 7) +
                 "], s1 in [0, " + number(0, 2) + "], d0 * " + factor + " in [" + number(0, 2) +
                 ", " + number(2, 12) + "]")});
  }
}

// Too many points to be tried: at some values of the parameter, the images are counted.
TEST_F(CountTest, OfLargeWindowsAgreesWithImages) {
  const int cases = NumCases("HLO_INDEXING_RANDOM_COUNTS", 40);
  for (int i = 0; i < cases && !HasFailure(); ++i) {
    const auto number = [&](int64_t low, int64_t high) {
      return std::to_string(random_.Between(low, high));
    };
    const std::string size = number(20000, 90000);
    const std::string stride = number(1, 5);
    const std::string domain = ", d1 in [0, " + number(300, 1500) + "], s0 in [0, " +
                               number(1, 100) + "], d0 * " + number(1, 3) + " + d1 * " + stride +
                               " - s0 in [" + number(-50, 400) + ", " + number(9000, 90000) + "]";
    const std::string results = " -> (d1 * " + stride + " + s0)";
    const IndexingMap map =
        Parse("(d0, d1)[s0]" + results + ", domain: d0 in [0, " + size + "]" + domain);
    SCOPED_TRACE(map.ToString());
    const size_t parameters[] = {0};
    const absl::StatusOr<Maps> answer =
        Count(map, {.of = Counting::Of::kPoints, .parameters = parameters});
    ASSERT_TRUE(answer.ok()) << answer.status().message();
    SCOPED_TRACE(TextOf(*answer));
    for (int k = 0; k < 5; ++k) {
      const int64_t at = random_.Between(0, 30000);
      const std::string place = std::to_string(at);
      const auto image = indexing_analysis::ImageOf(Parse(
          "(d0, d1)[s0]" + results + ", domain: d0 in [" + place + ", " + place + "]" + domain));
      ASSERT_TRUE(image->points.IsExact());
      int64_t count = 0;
      for (const IndexingMap& piece : *answer) {
        if (piece.DomainContains({at}, {})) count = (*piece.Evaluate({at}, {}))[0];
      }
      if (std::stoll(size) < at) continue;
      EXPECT_EQ(image->points.lower, count) << "at " << at;
    }
  }
}

TEST_F(CountTest, Examples) {
  struct Case {
    const char* map;
    std::vector<size_t> parameters;
    Counting::Of of;
    const char* expected;
  };
  constexpr auto kResults = Counting::Of::kResults;
  constexpr auto kPoints = Counting::Of::kPoints;
  const Case cases[] = {
      // A window with padding.
      {"(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 7], s0 in [0, 2], d0 + s0 in [1, 8]",
       {0},
       kResults,
       "(d0) -> (d0 + 2), domain: d0 in [0, 1]; (d0) -> (3), domain: d0 in [2, 5]; (d0) -> (-d0 + "
       "9), domain: d0 in [6, 7]"},
      // A triangle.
      {"(d0)[s0] -> (s0), domain: d0 in [0, 99], s0 in [0, 99], d0 - s0 in [0, 99]",
       {0},
       kResults,
       "(d0) -> (d0 + 1), domain: d0 in [0, 99]"},
      {"(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 99], s0 in [0, 99], s1 in [0, 99], d0 - s0 in "
       "[0, 99], s0 - s1 in [0, 99]",
       {0},
       kResults,
       "(d0) -> ((d0 * d0 + d0 * 3) floordiv 2 + 1), domain: d0 in [0, 99]"},
      // All points, by no parameter: 1 + 2 + ... + 100.
      {"(d0)[s0] -> (s0), domain: d0 in [0, 99], s0 in [0, 99], d0 - s0 in [0, 99]",
       {},
       kPoints,
       "() -> (5050)"},
      // Every second place has an element.
      {"(d0)[s0] -> ((d0 + s0) floordiv 2), domain: d0 in [0, 9], s0 in [0, 2], (d0 + s0) mod 2 in "
       "[0, 0]",
       {0},
       kResults,
       "(d0) -> (d0 floordiv 2 + (-d0) floordiv 2 + 2), domain: d0 in [0, 9]"},
      // A runtime variable is a parameter.
      {"(d0)[s0]{rt0} -> (s0), domain: d0 in [0, 9], s0 in [0, 9], rt0 in [0, 9], rt0 - s0 in [0, "
       "9]",
       {},
       kResults,
       "(){rt0} -> (rt0 + 1), domain: rt0 in [0, 9]"},
      {"(d0) -> (d0), domain: KNOWN EMPTY", {0}, kResults, ""},
  };
  for (const Case& c : cases) {
    const absl::StatusOr<Maps> answer =
        Count({Parse(c.map)}, {.of = c.of, .parameters = c.parameters});
    ASSERT_TRUE(answer.ok()) << answer.status().message();
    EXPECT_EQ(TextOf(*answer), c.expected) << c.map;
  }
}

}  // namespace
}  // namespace hlo_indexing::testing
