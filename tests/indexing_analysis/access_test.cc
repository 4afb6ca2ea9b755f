// The text of accesses.
#include "indexing_analysis/maps/access.h"

#include <gtest/gtest.h>

#include "simplifier/arithmetic.h"

namespace hlo_indexing::indexing_analysis {
namespace {

TEST(AccessTest, Text) {
  DigitContext digits;
  Access access;
  access.num_dimensions = 1;
  access.map.boxes = {{0, 3}, {0, 1}};
  access.ranges = {1};
  access.runtime = {1};
  const Sum d0 = access.map.Variable(digits, 0);
  const Sum s0 = access.map.Variable(digits, 1);
  access.map.results = {Add(digits, d0, digits.Function(1, {s0}, {0, 5}))};
  EXPECT_EQ(testing::PrintToString(access),
            "(d0)[s0]{rt1} -> (d0 + rt1(s0)), domain: d0 in [0, 3], s0 in [0, 1]");
  access.names = {"row"};
  access.has_device = true;
  access.runtime = {0, 1};
  access.map.results.push_back(digits.Function(0, {}, {0, 7}));
  access.map.constraints.push_back({Add(digits, d0, s0), {1, 2}});
  access.superset_reason = "a loop";
  EXPECT_EQ(access.ToString(),
            "(row)[s0]{rt0, rt1} -> (row + rt1(s0)) on device rt0, domain: row in [0, 3], s0 in "
            "[0, 1], row + s0 in [1, 2], superset: a loop");
  access.map.empty = true;
  access.superset_reason = "";
  EXPECT_EQ(access.ToString(),
            "(row)[s0]{rt0, rt1} -> (row + rt1(s0)) on device rt0, domain: KNOWN EMPTY");
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
