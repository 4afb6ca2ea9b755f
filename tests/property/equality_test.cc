// Equal against enumeration, by each of its ways.
#include "indexing_analysis/maps/equality.h"

#include <gtest/gtest.h>

#include <string>

#include "mlir/IR/MLIRContext.h"
#include "tests/property/random_map.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::Answer;
using indexing_analysis::Equal;
using indexing_analysis::Equality;
using indexing_analysis::EqualityBudget;
using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using indexing_analysis::ParseIndexingMap;

// The bounds of dimensions, ranges and runtime variables.
std::vector<Interval> Boxes(const IndexingMap& map) {
  std::vector<Interval> boxes;
  for (const auto& variable : map.dimensions()) boxes.push_back(variable.bounds);
  for (const auto& variable : map.ranges()) boxes.push_back(variable.bounds);
  for (const auto& variable : map.runtime()) boxes.push_back(variable.bounds);
  return boxes;
}

bool SameAt(const IndexingMap& a, const IndexingMap& b, llvm::ArrayRef<int64_t> point) {
  const auto dimensions = point.take_front(a.num_dimensions());
  const auto symbols = point.drop_front(a.num_dimensions());
  const bool in_a = a.DomainContains(dimensions, symbols);
  if (in_a != b.DomainContains(dimensions, symbols)) return false;
  return !in_a || a.Evaluate(dimensions, symbols) == b.Evaluate(dimensions, symbols);
}

// By trying every point of either box.
bool SameEverywhere(const IndexingMap& a, const IndexingMap& b) {
  std::vector<Interval> boxes = Boxes(a);
  const std::vector<Interval> others = Boxes(b);
  std::vector<int64_t> point;
  for (size_t i = 0; i < boxes.size(); ++i) {
    boxes[i] = {std::min(boxes[i].lower, others[i].lower),
                std::max(boxes[i].upper, others[i].upper)};
    if (boxes[i].IsEmpty()) return true;
    point.push_back(boxes[i].lower);
  }
  while (true) {
    if (!SameAt(a, b, point)) return false;
    size_t i = 0;
    while (i < boxes.size() && point[i] == boxes[i].upper) {
      point[i] = boxes[i].lower;
      ++i;
    }
    if (i == boxes.size()) return true;
    ++point[i];
  }
}

// A map that is like another one, often equal to it: an integer or operator of its text changed.
std::string Variation(std::string text, Random& random) {
  const size_t arrow = text.find("->");
  std::vector<size_t> digits;
  for (size_t i = arrow; i < text.size(); ++i) {
    const bool in_name = std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0;
    if (std::isdigit(static_cast<unsigned char>(text[i])) != 0 && !in_name) digits.push_back(i);
  }
  if (digits.empty()) return text;
  const size_t place =
      digits[static_cast<size_t>(random.Between(0, static_cast<int>(digits.size()) - 1))];
  text[place] = static_cast<char>('1' + random.Between(0, 8));
  return text;
}

struct Way {
  const char* name;
  EqualityBudget budget;
};

class EqualityWays : public ::testing::TestWithParam<Way> {};

TEST_P(EqualityWays, AgreeWithEnumeration) {
  constexpr int kPairs = 3000;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(11);
  int equal = 0;
  int unknown = 0;
  for (int i = 0; i < kPairs && !HasFailure(); ++i) {
    const std::string text = RandomMap(random);
    const std::string other = Variation(text, random);
    SCOPED_TRACE(text + "\n" + other);
    const auto a = ParseIndexingMap(text, &context);
    const auto b = ParseIndexingMap(other, &context);
    if (!a.ok() || !b.ok()) continue;
    const Answer itself = Equal(*a, Simplify(*a), GetParam().budget).answer;
    ASSERT_NE(itself, Answer::kNo);
    unknown += itself == Answer::kUnknown ? 1 : 0;
    const Equality equality = Equal(*a, *b, GetParam().budget);
    unknown += equality.answer == Answer::kUnknown ? 1 : 0;
    if (equality.answer == Answer::kUnknown) continue;
    const bool expected = SameEverywhere(*a, *b);
    equal += expected ? 1 : 0;
    ASSERT_EQ(equality.answer == Answer::kYes, expected) << equality.reason;
    if (expected) continue;
    llvm::SmallVector<int64_t> point(equality.dimensions);
    point.append(equality.symbols);
    ASSERT_FALSE(SameAt(*a, *b, point));
  }
  RecordProperty("equal", equal);
  RecordProperty("unknown", unknown);
  EXPECT_GT(equal, kPairs / 20);
  // One in a thousand may be too hard.
  EXPECT_LE(unknown, kPairs / 1000);
}

// At a point without a value there is no "yes"; other results may differ there.
TEST_P(EqualityWays, WithoutAValueIsNotEqual) {
  const std::string large = "domain: d0 in [4294967296, 4294967299]";
  const struct {
    std::string a, b;
    Answer answer;
  } cases[] = {
      {"(d0) -> (d0 * d0), " + large, "(d0) -> (d0 * d0 + 1), " + large, Answer::kUnknown},
      {"(d0) -> (d0 * d0), " + large, "(d0) -> (7), " + large, Answer::kUnknown},
      {"(d0) -> (2, d0 * d0), " + large, "(d0) -> (3, d0 * d0), " + large, Answer::kNo},
      {"(d0) -> (d0 floordiv (d0 - 3)), domain: d0 in [3, 3]", "(d0) -> (7), domain: d0 in [3, 3]",
       Answer::kUnknown},
      {"(d0) -> (d0), " + large + ", d0 * d0 in [0, 9]", "(d0) -> (d0), " + large,
       Answer::kUnknown},
      {"(d0) -> (d0 * d0), " + large, "(d0) -> (d0 * d0), " + large, Answer::kYes},
  };
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const auto& one : cases) {
    const auto a = ParseIndexingMap(one.a, &context);
    const auto b = ParseIndexingMap(one.b, &context);
    ASSERT_TRUE(a.ok() && b.ok());
    const Equality equality = Equal(*a, *b, GetParam().budget);
    // What is not known to be unequal may be so by another way.
    const bool is_right = equality.answer == one.answer ||
                          (one.answer != Answer::kYes && equality.answer != Answer::kYes);
    EXPECT_TRUE(is_right) << one.a << "\n" << one.b << "\n" << equality.ToString();
  }
}

INSTANTIATE_TEST_SUITE_P(All, EqualityWays,
                         ::testing::Values(Way{"Default", {}}, Way{"AllPoints", {.samples = 0}},
                                           Way{"IntegerProgramming",
                                               {.samples = 0, .max_points = 0}}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace hlo_indexing::testing
