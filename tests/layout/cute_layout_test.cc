#include "layout/cute_algebra/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "layout/cute_algebra/int_tuple.h"
#include "llvm/Support/raw_ostream.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

using ::testing::HasSubstr;

IntTuple S(int64_t value) { return IntTuple::Static(value); }
IntTuple D(int64_t value) { return IntTuple::Dynamic(value); }
template <class... T>
IntTuple Tuple(T... members) {
  return IntTuple::Tuple({std::move(members)...});
}
CuteLayout Make(IntTuple shape, IntTuple stride) {
  return CuteLayout::Create(std::move(shape), std::move(stride)).value();
}
std::string ErrorOf(IntTuple shape, IntTuple stride) {
  return std::string(CuteLayout::Create(std::move(shape), std::move(stride)).status().message());
}

// The layout of the examples: (_4,(_2,8)):(_1,(_4,_8)).
CuteLayout Example() {
  return Make(Tuple(S(4), Tuple(S(2), D(8))), Tuple(S(1), Tuple(S(4), S(8))));
}

TEST(IntTuple, RankDepthAndText) {
  EXPECT_EQ(S(8).ToString(), "_8");
  EXPECT_EQ(S(-2).ToString(), "_-2");
  EXPECT_EQ(IntTuple::Dynamic(24, 8).ToString(), "24{div=8}");
  EXPECT_EQ(IntTuple().ToString(), "()");
  const IntTuple nested = Tuple(S(4), Tuple(D(2), Tuple()), Tuple(S(3)));
  EXPECT_EQ(nested.ToString(), "(_4,(2,()),(_3))");
  EXPECT_EQ(nested.rank(), 3);
  EXPECT_EQ(nested.depth(), 3);
  EXPECT_EQ(nested.Leaves().size(), 3);
  EXPECT_EQ(D(5).rank(), 1);
  EXPECT_EQ(D(5).depth(), 0);
  EXPECT_EQ(IntTuple().rank(), 0);
  EXPECT_EQ(IntTuple().depth(), 1);
}

TEST(IntTuple, EqualityKnowsMarksAndNesting) {
  EXPECT_EQ(Tuple(S(4), D(2)), Tuple(S(4), D(2)));
  EXPECT_NE(Tuple(S(4), D(2)), Tuple(S(4), S(2)));
  EXPECT_NE(Tuple(S(4)), S(4));
  EXPECT_NE(IntTuple::Dynamic(8, 4), D(8));
}

TEST(IntTuple, CongruenceIsNestingAlone) {
  EXPECT_TRUE(AreCongruent(Tuple(S(4), Tuple(S(2), D(8))), Tuple(D(1), Tuple(D(2), D(3)))));
  EXPECT_FALSE(AreCongruent(Tuple(S(4), Tuple(S(2), D(8))), Tuple(D(1), D(2))));
  EXPECT_FALSE(AreCongruent(Tuple(S(4)), S(4)));
  EXPECT_FALSE(AreCongruent(Tuple(S(4)), Tuple(S(4), S(4))));
  EXPECT_TRUE(AreCongruent(IntTuple(), IntTuple()));
}

TEST(IntTuple, ProductsThatDoNotFitAreNotThere) {
  EXPECT_EQ(Product(Tuple(S(4), Tuple(S(2), D(8)))), 64);
  EXPECT_EQ(Product(IntTuple()), 1);
  EXPECT_EQ(Product(Tuple(D(int64_t{1} << 32), D(int64_t{1} << 31))), std::nullopt);
  EXPECT_EQ(Product(Tuple(D(int64_t{1} << 32), D(int64_t{1} << 31), D(0))), 0);
}

TEST(CuteLayout, Properties) {
  const CuteLayout layout = Example();
  EXPECT_EQ(layout.ToString(), "(_4,(_2,8)):(_1,(_4,_8))");
  EXPECT_EQ(layout.rank(), 2);
  EXPECT_EQ(layout.depth(), 2);
  EXPECT_EQ(layout.size(), 64);
  EXPECT_EQ(layout.cosize(), 64);
  EXPECT_EQ(Make(Tuple(S(4), S(8)), Tuple(S(2), S(16))).cosize(), 119);
  const CuteLayout reversed = Make(S(4), S(-2));
  EXPECT_EQ(reversed.offsets(), (simplifier::Interval{-6, 0}));
  EXPECT_EQ(reversed.cosize(), 7);
  EXPECT_EQ(Make(IntTuple(), IntTuple()).size(), 1);
}

TEST(CuteLayout, CoordinatesMayBeCoarserThanTheShape) {
  const CuteLayout layout = Example();
  EXPECT_EQ(layout.Offset(Tuple(D(3), Tuple(D(1), D(2)))).value(), 23);
  EXPECT_EQ(layout.Offset(Tuple(D(3), D(5))).value(), 23);
  EXPECT_EQ(layout.Offset(23).value(), 23);
  const CuteLayout row_major = Make(Tuple(S(4), S(8)), Tuple(S(8), S(1)));
  EXPECT_EQ(row_major.Offset(6).value(), 17);
  EXPECT_EQ(row_major.Offset(Tuple(S(2), S(1))).value(), 17);
}

TEST(CuteLayout, CoordinatesOutsideAreErrors) {
  const CuteLayout layout = Example();
  const auto message = [&](const IntTuple& coordinate) {
    return std::string(layout.Offset(coordinate).status().message());
  };
  EXPECT_THAT(message(D(64)), HasSubstr("64 is outside of the shape (_4,(_2,8))"));
  EXPECT_THAT(message(D(-1)), HasSubstr("outside"));
  EXPECT_THAT(message(Tuple(D(4), D(0))), HasSubstr("4 is outside of the shape _4"));
  EXPECT_THAT(message(Tuple(D(0), Tuple(D(0), D(8)))), HasSubstr("8 is outside of the shape 8"));
  EXPECT_THAT(message(Tuple(D(0))), HasSubstr("does not have the nesting"));
  EXPECT_THAT(message(Tuple(Tuple(D(0)), D(0))), HasSubstr("does not have the nesting"));
}

TEST(CuteLayout, LayoutsThatAreNone) {
  EXPECT_THAT(ErrorOf(Tuple(S(4), S(8)), S(1)), HasSubstr("(_4,_8):_1: shape and stride differ"));
  EXPECT_THAT(ErrorOf(Tuple(S(4), D(-8)), Tuple(S(1), S(4))), HasSubstr("extent is negative"));
  const IntTuple large = D(int64_t{1} << 32);
  EXPECT_THAT(ErrorOf(Tuple(large, large), Tuple(S(0), S(0))), HasSubstr("its size"));
  EXPECT_THAT(ErrorOf(D(3), D(support::kInt64Max)), HasSubstr("its offsets"));
  EXPECT_THAT(ErrorOf(Tuple(D(2), D(2)), Tuple(D(support::kInt64Max), D(1))),
              HasSubstr("its offsets"));
}

TEST(CuteLayout, TheEndsOf64Bits) {
  // Partial sums stay between the ends, and so does a stride that is the smallest integer.
  const CuteLayout layout =
      Make(Tuple(D(2), D(2)), Tuple(D(support::kInt64Max), D(support::kInt64Min)));
  EXPECT_EQ(layout.Offset(1).value(), support::kInt64Max);
  EXPECT_EQ(layout.Offset(2).value(), support::kInt64Min);
  EXPECT_EQ(layout.Offset(3).value(), -1);
  EXPECT_EQ(layout.cosize(), std::nullopt);
  // A mode of one element reaches nowhere.
  EXPECT_EQ(Make(D(1), D(support::kInt64Min)).cosize(), 1);
}

TEST(CuteLayout, EmptyLayoutsHaveNoElements) {
  const CuteLayout layout = Make(Tuple(D(0), D(4)), Tuple(S(1), S(3)));
  EXPECT_EQ(layout.size(), 0);
  EXPECT_EQ(layout.cosize(), 0);
  EXPECT_TRUE(layout.offsets().IsEmpty());
  EXPECT_FALSE(layout.Offset(0).ok());
  EXPECT_FALSE(layout.Offset(Tuple(D(0), D(0))).ok());
}

std::string TextOf(const mlir::AffineMap& map) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  map.print(stream);
  return text;
}

TEST(CuteLayout, AffineMapsAreShort) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto text = [&](const CuteLayout& layout, LayoutDomain domain) {
    return TextOf(ToAffineMap(layout, domain, &context).map);
  };
  EXPECT_EQ(text(Example(), LayoutDomain::kIndex), "(d0) -> (d0)");
  EXPECT_EQ(text(Example(), LayoutDomain::kFlatModes), "(d0, d1, d2) -> (d0 + d1 * 4 + d2 * 8)");
  EXPECT_EQ(text(Make(Tuple(S(4), S(8)), Tuple(S(8), S(1))), LayoutDomain::kIndex),
            "(d0) -> ((d0 mod 4) * 8 + d0 floordiv 4)");
  EXPECT_EQ(text(Make(Tuple(S(4), S(1), S(8)), Tuple(S(2), S(7), S(8))), LayoutDomain::kIndex),
            "(d0) -> (d0 * 2)");
  EXPECT_EQ(text(Make(Tuple(D(0), D(4)), Tuple(S(1), S(3))), LayoutDomain::kIndex), "(d0) -> (0)");
  const BoundedAffineMap empty =
      ToAffineMap(Make(Tuple(D(0), D(4)), Tuple(S(1), S(3))), LayoutDomain::kFlatModes, &context);
  EXPECT_TRUE(empty.dimension_bounds[0].IsEmpty());
  EXPECT_EQ(empty.map.getNumDims(), 2);
}

}  // namespace
}  // namespace hlo_indexing::layout
