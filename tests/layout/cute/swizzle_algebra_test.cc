// Compositions and inverses of swizzled layouts, decided by evaluating both sides at every index.
#include <gtest/gtest.h>

#include "tests/layout/cute/text_of.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::layout::cute;  // NOLINT: as kernels do

using Rows = Layout<Shape<_8, _64>, Stride<_64, _1>>;
using Columns = Layout<Shape<_8, _64>>;
using Padded = Layout<Shape<_8, _6>, Stride<_16, _2>>;

template <class A, class B>
void ExpectComposition(A const& a, B const& b) {
  const auto both = composition(a, b);
  for (int i = 0; i < size(b); ++i) {
    ASSERT_EQ(static_cast<int64_t>(both(i)), static_cast<int64_t>(a(static_cast<int>(b(i)))))
        << TextOf(a) << " o " << TextOf(b) << " = " << TextOf(both) << " at " << i;
  }
}

// All pairs of a family of functions, as far as the second has values in the domain of the first.
template <class... T>
void ExpectAllCompositions(T const&... t) {
  const auto with_all = [&](auto const& a) { (ExpectComposition(a, t), ...); };
  (with_all(t), ...);
}

TEST(SwizzleAlgebra, CompositionsInEveryOrder) {
  ExpectAllCompositions(composition(Swizzle<3, 3, 3>{}, Rows{}),
                        composition(Swizzle<2, 1, 3>{}, Columns{}),
                        composition(Swizzle<2, 0, -3>{}, Rows{}), Rows{}, Columns{},
                        make_composed_layout(Swizzle<1, 2, 4>{}, _0{}, Layout<_512>{}));
  ExpectComposition(composition(Swizzle<3, 3, 3>{}, Rows{}),
                    make_composed_layout(Swizzle<2, 0, 3>{}, _32{}, Layout<_64>{}));
  ExpectComposition(Padded{}, composition(Swizzle<1, 0, 2>{}, Layout<_16>{}));
  ExpectComposition(Layout<Shape<_3, _32>, Stride<_32, _1>>{},
                    composition(Swizzle<2, 0, 3>{}, Layout<_64>{}));
  ExpectComposition(make_layout(make_shape(8, 64), make_stride(64, 1)),
                    composition(Swizzle<3, 3, 3>{}, Rows{}));
}

TEST(SwizzleAlgebra, SwizzlesAfterComposedLayouts) {
  const auto l = composition(Swizzle<3, 3, 3>{}, Rows{});
  const auto check = [&](auto swizzle) {
    const auto both = composition(swizzle, l);
    for (int i = 0; i < size(l); ++i) ASSERT_EQ(both(i), swizzle(l(i))) << TextOf(both);
  };
  check(Swizzle<3, 3, 3>{});
  check(Swizzle<1, 6, 3>{});
  check(Swizzle<2, 0, 6>{});
  check(Swizzle<0, 4, 3>{});
}

TEST(SwizzleAlgebra, LayoutsPassSwizzlesOn) {
  EXPECT_EQ(TextOf(composition(Layout<_8, _2>{}, Swizzle<1, 0, 2>{})), "Sw<1,1,2> o _0 o _8:_2");
  EXPECT_EQ(TextOf(composition(Columns{}, composition(Swizzle<3, 3, 3>{}, Rows{}))),
            "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)");
  // 6 is no power of two: the function itself.
  EXPECT_EQ(TextOf(composition(Padded{}, Swizzle<1, 0, 1>{})), "(_8,_6):(_16,_2) o _0 o Sw<1,0,1>");
}

TEST(SwizzleAlgebra, Inverses) {
  const auto check = [](auto const& l) {
    const auto right = right_inverse(l);
    const auto left = left_inverse(l);
    for (int i = 0; i < size(l); ++i) {
      ASSERT_EQ(static_cast<int>(l(static_cast<int>(right(i)))), i) << TextOf(right);
      ASSERT_EQ(static_cast<int>(left(static_cast<int>(l(i)))), i) << TextOf(left);
    }
  };
  check(composition(Swizzle<3, 3, 3>{}, Rows{}));
  check(composition(Swizzle<2, 1, 3>{}, Columns{}));
  check(composition(Swizzle<2, 0, -3>{}, Rows{}));
  check(composition(Swizzle<1, 4, 2>{},
                    Layout<Shape<_8, Shape<_8, _8>>, Stride<_8, Stride<_1, _64>>>{}));
  EXPECT_EQ(TextOf(right_inverse(composition(Swizzle<3, 3, 3>{}, Rows{}))),
            "Sw<3,0,-6> o _0 o (_64,_8):(_8,_1)");
  // With an offset, at the values that the layout has.
  const auto moved = make_composed_layout(Swizzle<3, 3, 3>{}, _5{}, Layout<_8>{});
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(static_cast<int>(moved(static_cast<int>(right_inverse(moved)(moved(i))))), moved(i));
    EXPECT_EQ(static_cast<int>(left_inverse(moved)(moved(i))), i);
  }
}

TEST(SwizzleAlgebra, Alignment) {
  const auto l = composition(Swizzle<3, 3, 3>{}, Rows{});
  EXPECT_EQ(TextOf(max_alignment(l)), "_8");
  EXPECT_EQ(TextOf(max_alignment(Swizzle<3, 4, 3>{})), "_16");
  EXPECT_EQ(TextOf(max_alignment(Swizzle<2, 0, 3>{})), "_1");
  EXPECT_EQ(TextOf(max_alignment(right_inverse(l))), "_1");
  EXPECT_EQ(TextOf(max_alignment(make_composed_layout(Swizzle<3, 3, 3>{}, _4{}, Rows{}))), "_4");
  EXPECT_EQ(TextOf(max_common_vector(l, l)), "_512");
  EXPECT_EQ(TextOf(max_common_vector(l, Rows{})), "_8");
  EXPECT_EQ(TextOf(max_common_layout(l, Rows{})), "_8:_8");
}

TEST(SwizzleAlgebra, MembersOfComposedLayouts) {
  const auto l = composition(Swizzle<3, 3, 3>{}, Rows{});
  EXPECT_EQ(TextOf(l.compose(_8{}, _8{})), "Sw<3,3,3> o _0 o (_8,_8):(_64,_1)");
  EXPECT_EQ(TextOf(l.with_shape(_512{})), "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)");
  EXPECT_EQ(crd2idx(make_coord(3, 5), l), l(3, 5));
}

// Every slice that keeps one or two modes of three, at every coordinate, and slices of slices.
template <class Sw, class L>
void ExpectSlices(Sw const& swizzle, L const& rows) {
  const auto l = composition(swizzle, rows);
  const auto at = [](auto const& sliced, auto const& coord) {
    return static_cast<int64_t>(get<0>(sliced)(coord)) + static_cast<int64_t>(get<1>(sliced));
  };
  for (int i = 0; i < size<0>(rows); ++i) {
    for (int j = 0; j < size<1>(rows); ++j) {
      for (int k = 0; k < size<2>(rows); ++k) {
        const auto expected = static_cast<int64_t>(l(i, j, k));
        ASSERT_EQ(at(slice_and_offset(make_coord(i, j, _), l), make_coord(k)), expected);
        ASSERT_EQ(at(slice_and_offset(make_coord(i, _, k), l), make_coord(j)), expected);
        ASSERT_EQ(at(slice_and_offset(make_coord(_, j, k), l), make_coord(i)), expected);
        ASSERT_EQ(at(slice_and_offset(make_coord(i, _, _), l), make_coord(j, k)), expected);
        ASSERT_EQ(at(slice_and_offset(make_coord(_, j, _), l), make_coord(i, k)), expected);
        const auto first = slice_and_offset(make_coord(i, _, _), l);
        ASSERT_EQ(at(slice_and_offset(make_coord(j, _), get<0>(first)), make_coord(k)) +
                      static_cast<int64_t>(get<1>(first)),
                  expected);
      }
    }
  }
}
TEST(SwizzleSlices, OfModesOfAnyExtent) {
  ExpectSlices(Swizzle<2, 3, 3>{}, Layout<Shape<_64, _32, _3>, Stride<_32, _1, _2048>>{});
  ExpectSlices(Swizzle<2, 3, 3>{}, Layout<Shape<_16, _32, _3>, Stride<_32, _1, Int<3 * 512>>>{});
  ExpectSlices(Swizzle<2, 3, 3>{}, Layout<Shape<_16, _8, _3>, Stride<_8, _1, _32>>{});
  ExpectSlices(Swizzle<3, 2, 3>{}, Layout<Shape<_8, _24, _5>, Stride<_64, _1, _512>>{});
  ExpectSlices(Swizzle<1, 0, -2>{}, Layout<Shape<_8, _3, _5>, Stride<_1, _8, _32>>{});
  ExpectSlices(Swizzle<2, 0, 3>{}, Layout<Shape<_3, _3, _6>, Stride<_32, _4, _16>>{});
  ExpectSlices(Swizzle<3, 3, -3>{}, Layout<Shape<_8, _8, _8>, Stride<_64, _8, _1>>{});
}
TEST(SwizzleSlices, AtIndicesOfModesOfSeveralPieces) {
  using Pieces =
      Layout<Shape<Shape<_2, _4>, _8, Shape<_2, _2>>, Stride<Stride<_1, _8>, _64, Stride<_4, _2>>>;
  ExpectSlices(Swizzle<3, 0, 3>{}, Pieces{});
  ExpectSlices(Swizzle<2, 1, -3>{}, Pieces{});
  ExpectSlices(Swizzle<1, 4, 2>{}, Pieces{});
  ExpectSlices(Swizzle<2, 0, 6>{}, Pieces{});
  ExpectSlices(Swizzle<2, 3, 3>{}, Layout<Shape<Shape<_2, Shape<_2, _4>>, _4, _4>,
                                          Stride<Stride<_4, Stride<_64, _16>>, _1, _128>>{});
}
TEST(SwizzleSlices, OfOneOfSeveralStagesAreLayouts) {
  const auto l =
      composition(Swizzle<2, 3, 3>{}, Layout<Shape<_64, _32, _3>, Stride<_32, _1, _2048>>{});
  const auto stages = get<0>(slice_and_offset(make_coord(5, 3, _), l));
  EXPECT_EQ(TextOf(stages), "(_3):(_2048)");
}

// 32 bits where everything is static, 64 where it is not.
TEST(OffsetsOfLayouts, HaveTheBitsThatTheyNeed) {
  using Static = decltype(Layout<Shape<_8, _4>>{}(1, 2));
  using Large = decltype(Layout<Shape<_65536, _65536>>{}(1, 2));
  using Dynamic = decltype(make_layout(make_shape(8, 4))(1, 2));
  using OfCoordinates = decltype(get<0>(make_identity_tensor(make_shape(8, 4))(1, 2)));
  EXPECT_TRUE((std::is_same<Static, int>::value));
  EXPECT_TRUE((std::is_same<Large, int64_t>::value));
  EXPECT_TRUE((std::is_same<Dynamic, int64_t>::value));
  EXPECT_TRUE((std::is_same<std::decay_t<OfCoordinates>, int>::value));
}

}  // namespace
}  // namespace cute_test
