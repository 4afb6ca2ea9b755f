// Patterns of lanes against the sums of each lane by itself.
#include "indexing_analysis/queries/lane_patterns.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/maps/read_map.h"
#include "indexing_analysis/queries/coordinates.h"
#include "mlir/IR/MLIRContext.h"
#include "simplifier/arithmetic.h"
#include "simplifier/quasi_affine_map.h"
#include "tests/property/num_cases.h"
#include "tests/property/random.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::CoordinateSystem;
using indexing_analysis::LanePatterns;
using indexing_analysis::ParseIndexingMap;
using indexing_analysis::RuntimeVariablesAs;

// Compares the patterns of (lane, block) -> (sum, ...) with all lanes; the number of patterns.
size_t CheckPatterns(const std::string& text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto map = ParseIndexingMap(text, &context);
  EXPECT_TRUE(map.ok()) << text;
  simplifier::DigitContext digits;
  simplifier::QuasiAffineMap f =
      indexing_analysis::ReadMap(digits, *map, RuntimeVariablesAs::kVariables);
  simplifier::Simplify(digits, f);
  const std::optional<CoordinateSystem> system = CoordinateSystem::Create(f.results, /*whole=*/{0});
  EXPECT_TRUE(system.has_value()) << text;
  std::vector<size_t> sums;
  for (size_t i = 0; i < f.results.size(); ++i) sums.push_back(i);
  const std::optional<size_t> lane = system->CoordinateOf(0);
  const int64_t num_lanes = f.boxes[0].upper + 1;
  std::optional<LanePatterns> patterns = LanePatterns::Create(*system, lane, num_lanes, sums);
  EXPECT_TRUE(patterns.has_value()) << text;
  if (!patterns.has_value()) return 0;
  std::map<int64_t, std::vector<std::vector<int64_t>>> by_number;
  std::vector<int64_t> point(system->num_coordinates());
  std::vector<int64_t> quotients;
  const auto move = [&] {
    for (size_t x = 0; x < point.size(); ++x) {
      if (lane == x) continue;
      if (++point[x] < system->sizes()[x]) return true;
      point[x] = 0;
    }
    return false;
  };
  do {
    const auto sum_at = [&](size_t sum, int64_t of_lane) {
      if (lane.has_value()) point[*lane] = of_lane;
      system->EvaluateQuotients(point, quotients);
      return CoordinateSystem::Evaluate(system->sums()[sum], point, quotients);
    };
    std::vector<int64_t> first;
    for (const size_t sum : sums) first.push_back(sum_at(sum, 0));
    const LanePatterns::Pattern& pattern = patterns->At(quotients);
    std::vector<std::vector<int64_t>> shifts;
    for (const size_t sum : sums) {
      const LanePatterns::Shifts& found = pattern.sums[sum];
      shifts.emplace_back(found.of_lane.begin(), found.of_lane.end());
      for (int64_t i = 0; i < num_lanes; ++i) {
        const int64_t shift = sum_at(sum, i) - first[sum];
        EXPECT_EQ(found.of_lane[static_cast<size_t>(i)], shift) << text << " lane " << i;
        EXPECT_LE(found.least, shift);
        EXPECT_GE(found.most, shift);
        if (::testing::Test::HasFailure()) return 0;
      }
    }
    const auto [known, is_new] = by_number.try_emplace(pattern.number, shifts);
    EXPECT_EQ(known->second, shifts) << text;
  } while (move());
  return by_number.size();
}

TEST(LanePatterns, OfWhereLanesCrossAMultiple) {
  // 68, 69, ..., 99 as remainders of the first lane; 128 b mod 100 is a multiple of 4.
  EXPECT_EQ(CheckPatterns("(d0, d1) -> (((d1 * 128 + d0) floordiv 100) * 7), domain: d0 in "
                          "[0, 31], d1 in [0, 99]"),
            8);
  // Nothing depends on the lane.
  EXPECT_EQ(CheckPatterns("(d0, d1) -> (d1 floordiv 3 + d1), domain: d0 in [0, 31], d1 in [0, 9]"),
            1);
}

TEST(LanePatterns, OfQuotientsInQuotients) {
  EXPECT_GT(CheckPatterns("(d0, d1) -> (((d0 floordiv 8 + d1 * 4) floordiv 9) mod 7 + "
                          "((d0 * 3 + d1 * 96) floordiv 35) mod 11), domain: d0 in [0, 31], d1 in "
                          "[0, 700]"),
            3);
}

// More patterns than are kept.
TEST(LanePatterns, BeyondItsTable) {
  EXPECT_GT(CheckPatterns("(d0, d1) -> ((d0 * 1009 + d1 * 17) mod 10007), domain: d0 in [0, 31], "
                          "d1 in [0, 9999]"),
            4096);
}

TEST(LanePatterns, EqualEachLaneByItself) {
  Random random(20261123);
  size_t num_patterns = 0;
  for (int i = 0; i < NumCases("HLO_INDEXING_RANDOM_LANE_PATTERNS", 300); ++i) {
    const auto number = [&](int64_t most) { return random.Between(1, most); };
    const auto sum = [&] {
      return absl::StrCat("d0 * ", number(40) - 8, " + d1 * ", number(200), " + ", number(50));
    };
    const auto digit = [&](const std::string& of) {
      std::string text = absl::StrCat("((", of, ") floordiv ", number(60), ")");
      if (random.OneIn(2)) absl::StrAppend(&text, " mod ", number(40));
      return text;
    };
    std::string nested = digit(sum());
    if (random.OneIn(2)) nested = digit(absl::StrCat(nested, " + d1 * ", number(5)));
    num_patterns += CheckPatterns(
        absl::StrCat("(d0, d1) -> (", digit(sum()), " + (", nested, ") * ", number(9), ", ", sum(),
                     "), domain: d0 in [0, ", number(32) - 1, "], d1 in [0, 300]"));
    if (HasFailure()) return;
  }
  EXPECT_GT(num_patterns, 300U);
}

}  // namespace
}  // namespace hlo_indexing::testing
