// Images, injectivity and surjectivity against enumeration.
#include "indexing_analysis/maps/image.h"

#include <gtest/gtest.h>

#include <set>

#include "mlir/IR/MLIRContext.h"
#include "tests/property/map_points.h"
#include "tests/property/random_map.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::Answer;
using indexing_analysis::Image;
using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using indexing_analysis::ParseIndexingMap;

using Results = std::vector<int64_t>;

// What enumeration finds.
struct Enumerated {
  std::set<Results> values;
  int64_t points = 0;

  explicit Enumerated(const IndexingMap& map) {
    ForEachPoint(map, [&](llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) {
      if (!map.DomainContains(dimensions, symbols)) return;
      ++points;
      const auto results = map.Evaluate(dimensions, symbols);
      values.insert(Results(results->begin(), results->end()));
    });
  }

  std::vector<Interval> Hull() const {
    std::vector<Interval> hull;
    for (const int64_t value : *values.begin()) hull.push_back(Interval::Point(value));
    for (const Results& value : values) {
      for (size_t i = 0; i < value.size(); ++i) {
        hull[i] = {std::min(hull[i].lower, value[i]), std::max(hull[i].upper, value[i])};
      }
    }
    return hull;
  }

  // All combinations of the progressions.
  static std::set<Results> Expand(llvm::ArrayRef<simplifier::Progression> box) {
    std::set<Results> all = {{}};
    for (const simplifier::Progression& side : box) {
      std::set<Results> longer;
      for (const Results& start : all) {
        for (int64_t i = 0; i < side.size; ++i) {
          Results next = start;
          next.push_back(side.offset + side.stride * i);
          longer.insert(next);
        }
      }
      all = std::move(longer);
    }
    return all;
  }

  // Whether the values are the product of the values of each result, all of them progressions.
  bool IsBox() const {
    std::set<Results> product = {{}};
    for (size_t i = 0; i < values.begin()->size(); ++i) {
      std::set<int64_t> side;
      for (const Results& value : values) side.insert(value[i]);
      if (side.size() > 2) {
        const int64_t stride = *std::next(side.begin()) - *side.begin();
        const auto width = static_cast<int64_t>(side.size() - 1) * stride;
        if (*side.rbegin() - *side.begin() != width) return false;
        for (const int64_t value : side) {
          if ((value - *side.begin()) % stride != 0) return false;
        }
      }
      std::set<Results> longer;
      for (const Results& start : product) {
        for (const int64_t value : side) {
          Results next = start;
          next.push_back(value);
          longer.insert(next);
        }
      }
      product = std::move(longer);
    }
    return product == values;
  }
};

void Check(const IndexingMap& map) {
  const std::optional<Image> image = ImageOf(map);
  ASSERT_TRUE(image.has_value());
  const Enumerated all(map);
  ASSERT_TRUE(image->size.IsExact() && image->points.IsExact()) << image->reason;
  ASSERT_EQ(static_cast<int64_t>(image->size.lower), static_cast<int64_t>(all.values.size()));
  ASSERT_EQ(static_cast<int64_t>(image->points.lower), all.points);
  const bool injective = all.points == static_cast<int64_t>(all.values.size());
  ASSERT_EQ(image->injective, injective ? Answer::kYes : Answer::kNo);
  if (all.values.empty()) return;
  const std::vector<Interval> hull = all.Hull();
  ASSERT_EQ(std::vector<Interval>(image->bounds.begin(), image->bounds.end()), hull);
  ASSERT_EQ(image->box.has_value(), all.IsBox());
  if (image->box) {
    ASSERT_EQ(Enumerated::Expand(*image->box), all.values);
  }
  int64_t volume = 1;
  for (const Interval& side : hull) volume *= side.upper - side.lower + 1;
  const bool onto = volume == static_cast<int64_t>(all.values.size());
  ASSERT_EQ(IsSurjective(map, hull).answer, onto ? Answer::kYes : Answer::kNo);
  ASSERT_EQ(IsBijective(map, hull).answer, onto && injective ? Answer::kYes : Answer::kNo);
}

TEST(ImageOfMaps, AgreesWithEnumeration) {
  constexpr int kMaps = 5000;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(13);
  for (int i = 0; i < kMaps && !HasFailure(); ++i) {
    const std::string text = RandomMap(random);
    SCOPED_TRACE(text);
    const auto map = ParseIndexingMap(text, &context);
    ASSERT_TRUE(map.ok()) << map.status().message();
    Check(*map);
  }
}

// Linear maps, and digits of variables: the closed forms.
TEST(ImageOfMaps, AgreesWithEnumerationOnSumsOfDigits) {
  constexpr int kMaps = 5000;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(17);
  for (int i = 0; i < kMaps && !HasFailure(); ++i) {
    std::string domain;
    const int64_t variables = random.Between(1, 3);
    std::string names;
    for (int64_t k = 0; k < variables; ++k) {
      names += (k ? ", d" : "d") + std::to_string(k);
      const int64_t lower = random.OneIn(4) ? random.Between(-3, 3) : 0;
      domain += (k ? ", d" : "d") + std::to_string(k) + " in [" + std::to_string(lower) + ", " +
                std::to_string(lower + random.Between(0, 23)) + "]";
    }
    std::string results;
    const int64_t num_results = random.Between(1, 3);
    for (int64_t r = 0; r < num_results; ++r) {
      results += r ? ", " : "";
      const int64_t terms = random.Between(1, 3);
      for (int64_t t = 0; t < terms; ++t) {
        static const std::vector<int64_t> factors = {1, 2, 3, 4, 5, 6, 8, 12, 24, 30, -1, -2, -6};
        std::string term = "d" + std::to_string(random.Between(0, variables - 1));
        if (random.OneIn(3)) term += " floordiv " + std::to_string(random.Between(2, 4));
        if (random.OneIn(3)) term = "(" + term + ") mod " + std::to_string(random.Between(2, 6));
        results += (t ? " + (" : "(") + term + ") * " + std::to_string(random.Pick(factors));
      }
    }
    const std::string text = "(" + names + ") -> (" + results + "), domain: " + domain;
    SCOPED_TRACE(text);
    const auto map = ParseIndexingMap(text, &context);
    ASSERT_TRUE(map.ok()) << map.status().message();
    Check(*map);
  }
}

}  // namespace
}  // namespace hlo_indexing::testing
