// Layout functions as types: orders of nested modes, products of padded and of dynamic blocks,
// compositions that run backwards, even divides.
#include <gtest/gtest.h>

#include "tests/layout/cute/text_of.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::layout::cute;  // NOLINT: as kernels do

TEST(OrderedLayouts, NestedModeUnderOneStepIsCompact) {
  EXPECT_EQ(TextOf(make_ordered_layout(Shape<Shape<_2, _2>, _3>{}, Step<_1, _0>{})),
            "((_2,_2),_3):((_3,_6),_1)");
  EXPECT_EQ(TextOf(make_ordered_layout(make_shape(make_shape(2, _2{}), _3{}), Step<_1, _0>{})),
            "((2,_2),_3):((_3,6),_1)");
  EXPECT_EQ(TextOf(make_ordered_layout(Shape<Shape<_2, _2>, _3>{}, make_step(_1{}, 0))),
            "((_2,_2),_3):((_1,_2),_4)");
}

// Which elements a product has, each once.
template <class L>
void ExpectEachOnce(L const& layout, int expected_size) {
  std::vector<bool> seen(static_cast<size_t>(cosize(layout)));
  ASSERT_EQ(size(layout), expected_size);
  for (int i = 0; i < size(layout); ++i) {
    const auto offset = static_cast<size_t>(layout(i));
    ASSERT_FALSE(seen[offset]) << TextOf(layout) << " at " << i;
    seen[offset] = true;
  }
}

TEST(Products, OfDynamicIntegersHaveAllElements) {
  ExpectEachOnce(blocked_product(make_layout(4, 1), make_layout(3, 1)), 12);
  ExpectEachOnce(raked_product(make_layout(4, 1), make_layout(3, 1)), 12);
  ExpectEachOnce(blocked_product(make_layout(4, 2), make_layout(make_shape(2, 3))), 24);
  ExpectEachOnce(raked_product(make_layout(make_shape(4), make_stride(2)), make_layout(4)), 16);
}

TEST(Products, OfPaddedBlocks) {
  const auto padded = make_layout(Shape<_32, _32>{}, Stride<Int<33>, _1>{});
  EXPECT_EQ(TextOf(tile_to_shape(padded, Shape<_32, _32, _2>{})),
            "((_32,_1),(_32,_1),(_1,_2)):((_33,_0),(_1,_0),(_0,_1056))");
  ExpectEachOnce(tile_to_shape(padded, make_shape(64, 32, 3)), 64 * 32 * 3);
  EXPECT_EQ(TextOf(complement(make_layout(make_shape(3, 6), Stride<_1, _10>{}), _60{})),
            "(3,1):(3,60)");
  ExpectEachOnce(logical_product(make_layout(make_shape(3, 6), Stride<_1, _10>{}), Layout<_6>{}),
                 108);
}

// Outcomes with more nodes or instructions than evaluations have room for at first.
TEST(ManyModes, StaticAndDynamic) {
  const auto ten = Layout<Shape<_2, _2, _2, _2, _2, _2, _2, _2, _2, _2>,
                          Stride<_512, _1, _256, _2, _128, _4, _64, _8, _32, _16>>{};
  const auto twenty = make_layout(ten, ten);
  EXPECT_EQ(decltype(rank(flatten(twenty)))::value, 20);
  const auto same = composition(ten, Layout<Shape<_4, _256>>{});
  EXPECT_EQ(TextOf(same),
            "((_2,_2),(_2,_2,_2,_2,_2,_2,_2,_2)):"
            "((_512,_1),(_256,_2,_128,_4,_64,_8,_32,_16))");
  const auto inverse = right_inverse(ten);
  for (int i = 0; i < 1024; ++i) ASSERT_EQ(ten(inverse(i)), i);

  const auto five = make_layout(make_shape(2, 3, 4, 5, 6), make_stride(1, 2, 6, 24, 120));
  const auto squared = composition(five, five);
  EXPECT_EQ(size(squared), 720);
  for (int i = 0; i < 720; ++i) ASSERT_EQ(squared(i), i);
}

TEST(Compositions, ThatRunBackwards) {
  const auto a = Layout<Shape<_1, Shape<_2, _4>>, Stride<_0, Stride<_m1, _512>>>{};
  EXPECT_EQ(TextOf(composition(a, Layout<_2, _m1>{})), "_2:_1");
  EXPECT_EQ(TextOf(composition(a, Layout<_4, _m1>{})), "(_2,_2):(_1,_-512)");
  // Of a stride that is known at run time only.
  for (const int step : {-4, -2, -1, 1, 2, 4}) {
    const auto b = make_layout(make_shape(2), make_stride(step));
    const auto composed = composition(a, b);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(composed(i), a(b(i))) << step;
  }
}

TEST(Inverses, OfLayoutsThatRunBackwards) {
  const auto l = Layout<Shape<_4, _2>, Stride<_m1, _m8>>{};
  const auto inverse = left_inverse(l);
  EXPECT_EQ(TextOf(inverse), "(_8,_2):(_-1,_-4)");
  for (int i = 0; i < 8; ++i) EXPECT_EQ(inverse(l(i)), i);
}

TEST(EvenDivides, TilesOfLayouts) {
  static_assert(!decltype(evenly_divides(_32{}, Layout<_8, _3>{}))::value, "spans 24");
  static_assert(decltype(evenly_divides(_48{}, Layout<_8, _3>{}))::value, "");
  static_assert(decltype(evenly_divides(_16{}, Shape<_16>{}))::value, "one mode");
  static_assert(decltype(evenly_divides(Shape<_16, _4>{}, Shape<_16>{}))::value, "");
  static_assert(decltype(evenly_divides(Shape<_16, _5>{}, make_tile(_8{}, _)))::value, "");
  static_assert(!decltype(evenly_divides(Shape<_16>{}, Shape<_2, _2>{}))::value, "");
  EXPECT_TRUE(evenly_divides(48, make_layout(8, 3)));
  EXPECT_FALSE(evenly_divides(32, make_layout(8, 3)));
  EXPECT_FALSE(evenly_divides(12, Layout<Shape<_2, _2>, Stride<_1, _3>>{}));
}

TEST(Indices, OfAnyIntegerAndOfLayouts) {
  const auto l = Layout<Shape<_4, _2>, Stride<_1, _8>>{};
  EXPECT_EQ(TextOf(idx2crd(5U, l)), "(1,1)");
  EXPECT_EQ(TextOf(idx2crd(size_t{5}, l)), TextOf(idx2crd(5, l)));
  EXPECT_EQ(TextOf(idx2crd(_5{}, l)), "(_1,_1)");
  EXPECT_EQ(crd2idx(make_coord(1, 1), l), 9);
  EXPECT_EQ(crd2idx(5, l), 9);
}

TEST(Slices, OfSwizzledLayoutsHaveTheFewestStaticModes) {
  const auto l = composition(Swizzle<3, 4, 3>{}, Layout<Shape<_8, _128>, Stride<_128, _1>>{});
  EXPECT_EQ(TextOf(slice(make_coord(_7{}, _), l)), "((_16,_8)):((_1,_-16))");
  EXPECT_EQ(TextOf(slice(make_coord(_5{}, _), l)), "((_16,_2,_2,_2)):((_1,_-16,_32,_-64))");
  EXPECT_EQ(TextOf(slice(make_coord(_0{}, _), l)), "(_128):(_1)");
  EXPECT_EQ(TextOf(slice(make_coord(7, _), l)), "((_16,_2,_2,_2)):((_1,-16,-32,-64))");
}

}  // namespace
}  // namespace cute_test
