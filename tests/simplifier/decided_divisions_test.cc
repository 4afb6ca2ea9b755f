// Divisions that ranges decide, against what normal forms write.
#include "simplifier/decided_divisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "mlir/IR/MLIRContext.h"
#include "simplifier/affine_bridge.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {
namespace {

using mlir::AffineExpr;
using ::testing::ElementsAre;
using ::testing::Optional;

class DecidedDivisionsTest : public ::testing::Test {
 protected:
  AffineExpr D(unsigned i) { return mlir::getAffineDimExpr(i, &mlir_context_); }
  AffineExpr S(unsigned i) { return mlir::getAffineSymbolExpr(i, &mlir_context_); }
  AffineExpr C(int64_t value) { return mlir::getAffineConstantExpr(value, &mlir_context_); }

  // What normal forms write: dimensions first, then symbols.
  std::optional<AffineExpr> Written(AffineExpr expression, size_t num_dimensions,
                                    llvm::ArrayRef<Interval> boxes) {
    DigitContext context;
    QuasiAffineMap map;
    map.boxes.assign(boxes.begin(), boxes.end());
    std::vector<Sum> variables;
    for (size_t i = 0; i < boxes.size(); ++i) {
      variables.push_back(context.Variable(static_cast<VariableId>(i), boxes[i]));
    }
    const llvm::ArrayRef<Sum> all = variables;
    map.results = {
        AffineReader(context, all.take_front(num_dimensions), all.drop_front(num_dimensions))
            .Read(expression)};
    Simplify(context, map);
    const auto leaf = [&](const Atom& atom) {
      return atom.variable < num_dimensions
                 ? D(atom.variable)
                 : S(atom.variable - static_cast<unsigned>(num_dimensions));
    };
    return AffineWriter(context, &mlir_context_, leaf).Write(map.results.front());
  }

  mlir::MLIRContext mlir_context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(DecidedDivisionsTest, Examples) {
  const Interval boxes[] = {{0, 9}, {0, 3}};
  const AffineExpr flat = D(0) * 4 + S(0);
  const auto decided = DecideDivisions(
      {flat.floorDiv(4), flat % 4, (flat + 1).ceilDiv(64), flat.floorDiv(2) + S(0)}, 1, boxes);
  EXPECT_EQ(decided, std::nullopt) << "the last one is not";
  EXPECT_THAT(DecideDivisions({flat.floorDiv(4), flat % 4, (flat + 1).ceilDiv(64)}, 1, boxes),
              Optional(ElementsAre(D(0), S(0), C(1))));
}

TEST_F(DecidedDivisionsTest, NothingWhereADivisionStays) {
  const Interval boxes[] = {{0, 9}, {0, 3}};
  EXPECT_EQ(DecideDivisions({D(0), D(0).floorDiv(4)}, 2, boxes), std::nullopt);
  EXPECT_EQ(DecideDivisions(D(0) * D(1), 2, boxes), std::nullopt);
  EXPECT_EQ(DecideDivisions(D(0) % D(1), 2, boxes), std::nullopt);
  EXPECT_EQ(DecideDivisions(D(0), 1, Interval::Empty()), std::nullopt);
  EXPECT_EQ(DecideDivisions(D(0), 1, Interval::All()), std::nullopt);
  const std::vector<Interval> many(9, {0, 1});
  EXPECT_EQ(DecideDivisions(D(0), 9, many), std::nullopt);
}

TEST_F(DecidedDivisionsTest, NothingOnOverflow) {
  const int64_t large = support::kInt64Max / 2;
  const Interval boxes[] = {{0, 5}};
  EXPECT_EQ(DecideDivisions(D(0) * large, 1, boxes), llvm::SmallVector<AffineExpr>{D(0) * large});
  EXPECT_EQ(DecideDivisions((D(0) * large).floorDiv(7), 1, boxes), std::nullopt);
  const AffineExpr sum = (D(0) * large) + (D(0).floorDiv(6) + D(0)) * large;
  EXPECT_EQ(DecideDivisions({sum, sum + sum}, 1, boxes), std::nullopt);
}

// Long expressions are left to normal forms at once.
TEST_F(DecidedDivisionsTest, LeavesLongExpressions) {
  AffineExpr expression = D(0);
  for (int i = 0; i < 50; ++i) expression = (expression * 5 + D(1)).floorDiv(5) + i;
  const Interval boxes[] = {{0, 1000}, {0, 0}};
  EXPECT_EQ(DecideDivisions(expression, 2, boxes), std::nullopt);
}

// Nested expressions in which divisors and coefficients are often multiples of each other.
class RandomExpression {
 public:
  RandomExpression(uint64_t seed, mlir::MLIRContext* context)
      : engine_(seed), context_(context), num_dimensions_(Below(3) + 1) {
    const size_t num_variables = num_dimensions_ + Below(2);
    for (size_t i = 0; i < num_variables; ++i) {
      const int64_t lower = Below(3) == 0 ? static_cast<int64_t>(Below(9)) - 4 : 0;
      boxes_.push_back({lower, lower + static_cast<int64_t>(Below(8))});
    }
  }

  size_t num_dimensions() const { return num_dimensions_; }
  llvm::ArrayRef<Interval> boxes() const { return boxes_; }

  AffineExpr Make(int depth) {
    if (depth == 0) return Leaf();
    const AffineExpr inner = Make(depth - 1);
    const int64_t factor = Factor();
    switch (Below(7)) {
      case 0:
        return inner.floorDiv(static_cast<uint64_t>(factor));
      case 1:
        return inner % static_cast<uint64_t>(factor);
      case 2:
        return inner.ceilDiv(static_cast<uint64_t>(factor));
      case 3:
        return inner * -1 + factor;
      default:
        return inner * factor + Make(depth - 1);
    }
  }

 private:
  uint64_t Below(uint64_t limit) { return engine_() % limit; }
  int64_t Factor() { return std::vector<int64_t>{1, 2, 3, 4, 6, 8, 12, 24, 48, 7}[Below(10)]; }
  AffineExpr Leaf() {
    const size_t i = Below(boxes_.size() + 1);
    if (i == boxes_.size()) {
      return mlir::getAffineConstantExpr(static_cast<int64_t>(Below(20)) - 10, context_);
    }
    return i < num_dimensions_
               ? mlir::getAffineDimExpr(static_cast<unsigned>(i), context_)
               : mlir::getAffineSymbolExpr(static_cast<unsigned>(i - num_dimensions_), context_);
  }

  std::mt19937_64 engine_;
  mlir::MLIRContext* context_;
  size_t num_dimensions_;
  std::vector<Interval> boxes_;
};

TEST_F(DecidedDivisionsTest, AreWhatNormalFormsWrite) {
  int decided_divisions = 0;
  for (uint64_t seed = 0; seed < 50'000; ++seed) {
    RandomExpression random(seed, &mlir_context_);
    const AffineExpr expression = random.Make(1 + static_cast<int>(seed % 4));
    const auto decided = DecideDivisions(expression, random.num_dimensions(), random.boxes());
    if (!decided) continue;
    ASSERT_EQ(decided->front(), Written(expression, random.num_dimensions(), random.boxes()))
        << "seed " << seed;
    if (decided->front() != expression) ++decided_divisions;
  }
  EXPECT_GT(decided_divisions, 10'000);
}

}  // namespace
}  // namespace hlo_indexing::simplifier
