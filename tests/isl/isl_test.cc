// What the simplifier and the questions about maps say, decided again by isl on maps whose points
// nobody could enumerate. isl has a budget for each question; few may go without an answer.
#include <gtest/gtest.h>

#include "indexing_analysis/maps/equality.h"
#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/inverse.h"
#include "indexing_analysis/maps/union.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/isl/isl_relation.h"
#include "tests/isl/large_map.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::Equality;
using indexing_analysis::Image;
using indexing_analysis::IndexingMap;
using support::Answer;

class IslTest : public ::testing::Test {
 protected:
  // Fails where more than one question in twenty has no answer.
  void TearDown() override {
    RecordProperty("asked", oracle_.asked());
    RecordProperty("unanswered", oracle_.unanswered());
    EXPECT_GT(oracle_.asked(), 0);
    EXPECT_LT(oracle_.unanswered() * 20, oracle_.asked());
  }

  // Maps of both kinds in turn.
  IndexingMap RandomMap(int i, int64_t max_reshapes) {
    return i % 2 == 0 ? RandomMovement(random_, &mlir_context_, max_reshapes)
                      : RandomDivisions(random_, &mlir_context_);
  }

  mlir::MLIRContext mlir_context_{mlir::MLIRContext::Threading::DISABLED};
  IslOracle oracle_;
  Random random_{5};
};

TEST_F(IslTest, SimplifyKeepsDomainAndFunction) {
  constexpr int kMaps = 1400;
  int empty = 0;
  int missed_empty = 0;
  for (int i = 0; i < kMaps && !HasFailure(); ++i) {
    const IndexingMap map = RandomMap(i, 3);
    const IndexingMap simplified = Simplify(map);
    SCOPED_TRACE(map.ToString() + "\n" + simplified.ToString());
    const auto is_empty = oracle_.Ask([&] { return oracle_.Domain(map).is_empty(); });
    if (is_empty) {
      ASSERT_TRUE(*is_empty || !simplified.IsKnownEmpty());
      empty += *is_empty ? 1 : 0;
      missed_empty += *is_empty && !simplified.IsKnownEmpty() ? 1 : 0;
    }
    const auto is_same =
        oracle_.Ask([&] { return oracle_.Function(map).is_equal(oracle_.Function(simplified)); });
    ASSERT_TRUE(is_same.value_or(true));
  }
  RecordProperty("empty", empty);
  RecordProperty("missed_empty", missed_empty);
  EXPECT_GT(empty, kMaps / 100);
  EXPECT_EQ(missed_empty, 0);
}

TEST_F(IslTest, InverseIsTheReverseRelation) {
  constexpr int kMaps = 400;
  int inverses = 0;
  for (int i = 0; i < kMaps && !HasFailure(); ++i) {
    const IndexingMap map = RandomMovement(random_, &mlir_context_, 1);
    const absl::StatusOr<IndexingMap> inverse = Inverse(map);
    SCOPED_TRACE(map.ToString());
    if (!inverse.ok()) continue;
    SCOPED_TRACE(inverse->ToString());
    ++inverses;
    const auto is_reverse = oracle_.Ask(
        [&] { return oracle_.Relation(map).reverse().is_equal(oracle_.Relation(*inverse)); });
    ASSERT_TRUE(is_reverse.value_or(true));
  }
  EXPECT_EQ(inverses, kMaps);
}

// No value of a result is outside its bounds, which are tight where the image is a box.
void CheckBounds(IslOracle& oracle, const isl::set& values, const Image& image) {
  for (size_t k = 0; k < image.bounds.size(); ++k) {
    const auto side = static_cast<int>(k);
    const auto lower = oracle.Ask([&] { return ToInteger(values.dim_min_val(side)); });
    const auto upper = oracle.Ask([&] { return ToInteger(values.dim_max_val(side)); });
    if (!lower || !upper) continue;
    ASSERT_LE(image.bounds[k].lower, *lower);
    ASSERT_GE(image.bounds[k].upper, *upper);
    if (!image.box) continue;
    EXPECT_EQ(image.bounds[k].lower, *lower);
    EXPECT_EQ(image.bounds[k].upper, *upper);
  }
}

// How many values there are, where counting them one by one is no matter of hours. Whether it was
// checked.
bool CheckSize(IslOracle& oracle, const isl::set& values, const Image& image) {
  constexpr int64_t kCountable = 1000;
  if (image.size.lower > kCountable) return false;
  const auto count = oracle.Ask(
      [&] { return ToInteger(isl::manage(isl_set_count_val(values.get()))).value_or(INT64_MAX); });
  if (!count) return false;
  EXPECT_LE(image.size.lower, *count);
  EXPECT_GE(image.size.upper, *count);
  return image.size.IsExact();
}

TEST_F(IslTest, ImagesHaveTheirSizeBoundsAndBox) {
  constexpr int kMaps = 200;
  int counted = 0;
  int boxes = 0;
  int injective = 0;
  for (int i = 0; i < kMaps && !HasFailure(); ++i) {
    const IndexingMap map = RandomMap(i, 2);
    SCOPED_TRACE(map.ToString());
    const Image image = *ImageOf(map);
    const auto function = oracle_.Ask([&] { return oracle_.Function(map); });
    const auto values = oracle_.Ask([&] { return oracle_.Function(map).range(); });
    if (!function || !values) continue;
    const auto is_empty = oracle_.Ask([&] { return values->is_empty(); });
    if (is_empty.value_or(true)) {
      EXPECT_TRUE(!is_empty || image.size.lower == 0);
      continue;
    }
    EXPECT_GT(image.size.upper, 0);
    CheckBounds(oracle_, *values, image);
    counted += CheckSize(oracle_, *values, image) ? 1 : 0;
    if (image.box) {
      ++boxes;
      const auto is_box = oracle_.Ask([&] { return values->is_equal(oracle_.Box(*image.box)); });
      EXPECT_TRUE(is_box.value_or(true));
    }
    if (image.injective == Answer::kUnknown) continue;
    const auto is_injective = oracle_.Ask([&] { return function->is_injective(); });
    if (!is_injective) continue;
    EXPECT_EQ(image.injective == Answer::kYes, *is_injective);
    injective += *is_injective ? 1 : 0;
  }
  RecordProperty("counted", counted);
  RecordProperty("boxes", boxes);
  RecordProperty("injective", injective);
  EXPECT_GT(counted, kMaps / 20);
  EXPECT_GT(boxes, kMaps / 20);
  EXPECT_GT(injective, kMaps / 20);
}

TEST_F(IslTest, EqualIsNeverWrong) {
  constexpr int kPairs = 600;
  int yes = 0;
  int no = 0;
  int unknown = 0;
  for (int i = 0; i < kPairs && !HasFailure(); ++i) {
    const IndexingMap a = RandomMap(i / 2, 2);
    const IndexingMap rewritten = Rewritten(random_, a);
    const IndexingMap b = i % 2 == 0 ? rewritten : ChangedAtTheEnd(random_, rewritten);
    SCOPED_TRACE(a.ToString() + "\n" + b.ToString());
    const Equality equality = Equal(a, b);
    if (equality.answer == Answer::kUnknown) {
      ++unknown;
      continue;
    }
    const auto is_equal =
        oracle_.Ask([&] { return oracle_.Function(a).is_equal(oracle_.Function(b)); });
    if (!is_equal) continue;
    ASSERT_EQ(equality.answer == Answer::kYes, *is_equal) << equality.reason;
    (*is_equal ? yes : no) += 1;
  }
  RecordProperty("yes", yes);
  RecordProperty("no", no);
  RecordProperty("unknown", unknown);
  EXPECT_GT(yes, kPairs / 4);
  EXPECT_GT(no, kPairs / 4);
  EXPECT_LT(unknown * 20, kPairs);
}

TEST_F(IslTest, SubsumesIsInclusionOfRelations) {
  constexpr int kPairs = 1000;
  int yes = 0;
  int no = 0;
  int unknown = 0;
  for (int i = 0; i < kPairs && !HasFailure(); ++i) {
    const IndexingMap window = RandomWindow(random_, &mlir_context_);
    const IndexingMap other = random_.OneIn(4) ? RandomWindow(random_, &mlir_context_)
                                               : Narrowed(random_, Rewritten(random_, window));
    const IndexingMap& a = random_.OneIn(4) ? other : window;
    const IndexingMap& b = &a == &other ? window : other;
    SCOPED_TRACE(a.ToString() + "\n" + b.ToString());
    const Answer answer = Subsumes(a, b).answer;
    unknown += answer == Answer::kUnknown ? 1 : 0;
    if (answer == Answer::kUnknown) continue;
    const auto is_subset =
        oracle_.Ask([&] { return oracle_.Relation(b).is_subset(oracle_.Relation(a)); });
    if (!is_subset) continue;
    ASSERT_EQ(answer == Answer::kYes, *is_subset);
    (*is_subset ? yes : no) += 1;
  }
  RecordProperty("yes", yes);
  RecordProperty("no", no);
  RecordProperty("unknown", unknown);
  EXPECT_GT(yes, kPairs / 4);
  EXPECT_GT(no, kPairs / 4);
  EXPECT_LT(unknown * 5, kPairs);
}

TEST_F(IslTest, UnionHasThePairsOfAll) {
  constexpr int kUnions = 300;
  int given = 0;
  int left = 0;
  const auto relation_of = [&](const std::vector<IndexingMap>& maps) {
    isl::map relation = oracle_.Relation(maps.front());
    for (size_t i = 1; i < maps.size(); ++i) relation = relation.unite(oracle_.Relation(maps[i]));
    return relation;
  };
  for (int i = 0; i < kUnions && !HasFailure(); ++i) {
    std::vector<IndexingMap> maps;
    std::string texts;
    for (int64_t k = random_.Between(2, 4); k > 0; --k) {
      const bool is_new = maps.empty() || random_.OneIn(3);
      maps.push_back(is_new ? RandomWindow(random_, &mlir_context_)
                            : Narrowed(random_, maps.front()));
      texts += maps.back().ToString() + "\n";
    }
    SCOPED_TRACE(texts);
    const std::vector<IndexingMap> joined = Union(maps);
    given += static_cast<int>(maps.size());
    left += static_cast<int>(joined.size());
    const auto is_same = oracle_.Ask([&] {
      if (joined.empty()) return relation_of(maps).is_empty();
      return relation_of(joined).is_equal(relation_of(maps));
    });
    ASSERT_TRUE(is_same.value_or(true));
  }
  RecordProperty("given", given);
  RecordProperty("left", left);
  EXPECT_LT(left, given);
}

}  // namespace
}  // namespace hlo_indexing::testing
