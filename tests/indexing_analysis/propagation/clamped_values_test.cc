#include "indexing_analysis/propagation/clamped_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hlo/parser/parser.h"
#include "simplifier/arithmetic.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::indexing_analysis {
namespace {

// Functions 0 and 1 are elements of two arrays.
class ClampedValuesTest : public testing::Test {
 protected:
  ClampedValuesTest() : table_(2) {
    auto module = hlo::ParseModule(
        "ENTRY e {\n  i = s32[] parameter(0)\n  j = s32[] parameter(1)\n  ROOT r = s32[] add(i, "
        "j)\n}\n");
    EXPECT_TRUE(module.ok()) << module.status();
    module_ = std::move(*module);
    for (unsigned i = 0; i < 2; ++i) table_[i].instruction = &module_->entry().root().operand(i);
    access_.num_dimensions = 1;
    access_.map.boxes = {{0, 7}};
    access_.runtime = {0, 1};
  }

  Sum Clamped(Interval range, uint32_t number = 0) { return digits_.Function(number, {}, range); }
  Sum D0() { return access_.map.Variable(digits_, 0); }

  std::string Merged() {
    simplifier::Simplify(digits_, access_.map);
    MergeClampedValues(digits_, table_, access_);
    return access_.map.empty ? "empty" : access_.ToString();
  }

  std::unique_ptr<hlo::Module> module_;
  RuntimeTable table_;
  DigitContext digits_;
  Access access_;
};

TEST_F(ClampedValuesTest, ExampleOfTheHeader) {
  const Sum d0 = D0();
  access_.map.results = {Add(digits_, d0, Clamped({0, 3}))};
  access_.map.constraints = {{Clamped({0, 1}), {0, 0}}};
  EXPECT_EQ(Merged(), "(d0){rt0, rt1} -> (d0), domain: d0 in [0, 7], rt0 in [0, 0]");
}

// The bounds come from a constraint with other variables, on either sign.
TEST_F(ClampedValuesTest, BoundsOfDifferences) {
  access_.map.boxes = {{1, 2}};
  const Sum d0 = D0();
  const Sum wide = Clamped({0, 5});
  const Sum narrow = Clamped({0, 3});
  access_.map.results = {Subtract(digits_, d0, wide)};
  access_.map.constraints = {{Subtract(digits_, d0, narrow), {0, 2}}};
  EXPECT_EQ(Merged(),
            "(d0){rt0, rt1} -> (d0 - rt0), domain: d0 in [1, 2], d0 - rt0 - 1 in [-1, 1]");
}

TEST_F(ClampedValuesTest, AtTheEndOfARangeTheElementMayBeBeyond) {
  access_.map.results = {Clamped({0, 3})};
  access_.map.constraints = {{Clamped({0, 1}), {1, 1}}};
  EXPECT_EQ(Merged(), "(d0){rt0, rt1} -> (rt0), domain: d0 in [0, 7], rt0 in [1, 1]");
}

TEST_F(ClampedValuesTest, OtherElementsAreOthers) {
  access_.map.results = {Clamped({0, 3}, 1)};
  access_.map.constraints = {{Clamped({0, 1}, 0), {0, 0}}};
  EXPECT_EQ(Merged(), "(d0){rt0, rt1} -> (rt1), domain: d0 in [0, 7], rt0 in [0, 0]");
}

// x is below 1 and above 1.
TEST_F(ClampedValuesTest, AContradictionIsFound) {
  access_.map.results = {D0()};
  access_.map.constraints = {{Clamped({0, 3}), {2, 3}}, {Clamped({0, 4}), {1, 1}}};
  EXPECT_EQ(Merged(), "empty");
}

// All elements, domains and pairs of ranges: what is left holds for the same x, with the same
// result.
TEST_F(ClampedValuesTest, NothingElseChanges) {
  int merged = 0;
  const auto value_of = [&](const Sum& sum, int64_t x) {
    return simplifier::Evaluate(sum, [&](const simplifier::Atom& atom) -> std::optional<int64_t> {
      const Interval range = atom.ValueRange();
      return atom.IsFunction() ? std::min(std::max(x, range.lower), range.upper) : 0;
    });
  };
  for (int64_t code = 0; code < int64_t{4} * 4 * 5 * 5 * 5 * 5; ++code) {
    int64_t left = code;
    const auto next = [&](int64_t base) {
      const int64_t digit = left % base;
      left /= base;
      return digit;
    };
    const Interval a = {next(4) - 2, 0 + next(4)};
    const Interval b = {next(5) - 2, 1};
    const Interval known_a = {next(5) - 2, 2};
    const Interval known_b = {-1, next(5) - 1};
    const int64_t offset = next(5) - 2;
    Access before;
    before.num_dimensions = 0;
    before.runtime = {0};
    const Sum of_a = Clamped(a);
    const Sum of_b = Clamped(b);
    before.map.results = {Add(digits_, of_a, simplifier::Constant(offset))};
    before.map.constraints = {{of_a, known_a}, {Subtract(digits_, of_b, of_a), known_b}};
    simplifier::Simplify(digits_, before.map);
    Access after = before;
    MergeClampedValues(digits_, table_, after);
    merged += after.map.constraints == before.map.constraints ? 0 : 1;
    const auto holds_at = [&](const Access& access, int64_t x) {
      bool holds = !access.map.empty;
      for (const auto& [expression, bounds] : access.map.constraints) {
        holds = holds && bounds.Contains(*value_of(expression, x));
      }
      return holds;
    };
    for (int64_t x = -6; x <= 6; ++x) {
      ASSERT_EQ(holds_at(before, x), holds_at(after, x))
          << code << " at " << x << ": " << before.ToString() << " became " << after.ToString();
      if (!holds_at(before, x)) continue;
      ASSERT_EQ(value_of(before.map.results[0], x), value_of(after.map.results[0], x))
          << code << " at " << x;
    }
  }
  EXPECT_GT(merged, 300);
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
