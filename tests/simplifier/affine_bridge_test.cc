// Expressions to sums and back, in the shortest form.
#include "simplifier/affine_bridge.h"

#include <gtest/gtest.h>

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::simplifier {
namespace {

using mlir::AffineExpr;

class AffineBridgeTest : public ::testing::Test {
 protected:
  AffineExpr D(unsigned i) { return mlir::getAffineDimExpr(i, &mlir_context_); }

  // The expression over dimensions in [0, size) in its shortest form, as MLIR prints it.
  std::string Shortest(AffineExpr expression, std::vector<int64_t> sizes) {
    DigitContext context;
    std::vector<Sum> dims;
    for (size_t i = 0; i < sizes.size(); ++i) {
      dims.push_back(context.Variable(static_cast<VariableId>(i), {0, sizes[i] - 1}));
    }
    const Sum sum = AffineReader(context, dims, {}).Read(expression);
    const auto leaf = [this](const Atom& atom) { return D(atom.variable); };
    AffineWriter writer(context, &mlir_context_, leaf);
    std::string text;
    llvm::raw_string_ostream out(text);
    out << writer.Write(sum).value();
    return text;
  }

  mlir::MLIRContext mlir_context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(AffineBridgeTest, LiftsQuotientsAndRemainders) {
  const AffineExpr sum = D(0) * 16 + D(1) * 4 + D(2);
  EXPECT_EQ(Shortest(sum.floorDiv(8), {10, 10, 10}), "d0 * 2 + (d1 * 4 + d2) floordiv 8");
  EXPECT_EQ(Shortest(sum % 8, {10, 10, 10}), "(d1 * 4 + d2) mod 8");
}

TEST_F(AffineBridgeTest, Rebases) {
  EXPECT_EQ(Shortest(D(0).floorDiv(4) * 5 + D(0) % 4, {100}), "d0 + d0 floordiv 4");
  EXPECT_EQ(Shortest(D(0).floorDiv(4) * 4, {100}), "(d0 floordiv 4) * 4");
  EXPECT_EQ(Shortest((D(0) % 12).floorDiv(4) * 8 + D(0) % 4, {100}), "(d0 mod 12) * 2 - d0 mod 4");
}

// As many operations as boundaries, though these do not divide each other.
TEST_F(AffineBridgeTest, RebasesOverAnyBoundaries) {
  EXPECT_EQ(Shortest(D(0).floorDiv(4) * 10 + (D(0) % 4) * 2 + D(0).floorDiv(6) * 3, {100}),
            "d0 * 2 + (d0 floordiv 6) * 3 + (d0 floordiv 4) * 2");
  EXPECT_EQ(Shortest(D(0).floorDiv(8) + D(0).floorDiv(7) * 85 + (D(0) % 7) * 12, {100}),
            "d0 * 12 + d0 floordiv 8 + d0 floordiv 7");
}

TEST_F(AffineBridgeTest, TakesRemaindersForFewerMultiplications) {
  EXPECT_EQ(Shortest(D(0) + D(0) % 5, {100}), "d0 + d0 mod 5");
  EXPECT_EQ(Shortest(D(0) - (D(0) % 5) * 12, {100}), "d0 - (d0 mod 5) * 12");
  EXPECT_EQ(Shortest(D(0) * 2 - D(0).floorDiv(5) * 3, {100}), "d0 * 2 - (d0 floordiv 5) * 3");
}

TEST_F(AffineBridgeTest, TurnsSignsOfNestedDivisions) {
  EXPECT_EQ(Shortest((-D(0)).floorDiv(3) % 4, {100}), "((-d0) floordiv 3) mod 4");
  EXPECT_EQ(Shortest(((D(1) - D(0)) % 7).floorDiv(2) * 3, {2, 27}),
            "(((-d0 + d1) mod 7) floordiv 2) * 3");
}

TEST_F(AffineBridgeTest, SettlesConstants) {
  EXPECT_EQ(Shortest((D(0) + 3).floorDiv(2), {5}), "(d0 + 3) floordiv 2");
  EXPECT_EQ(Shortest((D(0) + 8).floorDiv(4), {50}), "d0 floordiv 4 + 2");
  EXPECT_EQ(Shortest((D(0) + 8) % 4, {50}), "d0 mod 4");
}

// As a tree the expression has 2^200 parts. It is not written down, but counting them is quick.
TEST_F(AffineBridgeTest, SharedPartsAreVisitedOnce) {
  DigitContext context;
  Sum sum = context.Variable(0, {0, 1000000});
  for (int i = 0; i < 200; ++i) {
    const Division division = DivMod(context, sum, 7);
    const ScaledSum parts[] = {{division.quotient, 3}, {division.remainder, 5}};
    sum = Linear(context, parts, i);
  }
  EXPECT_EQ(ShortestForm(context).Write(sum).operations, kManyOperations);
}

TEST_F(AffineBridgeTest, LongSumsDoNotRecurse) {
  AffineExpr expression = D(0);
  for (unsigned i = 1; i < 2000; ++i) expression = expression + D(i % 7) * static_cast<int64_t>(i);
  EXPECT_NE(Shortest(expression, std::vector<int64_t>(7, 10)), "");
}

}  // namespace
}  // namespace hlo_indexing::simplifier
