// Calls that CuTe's documents describe and that the examples of its document on tensors leave out.
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <utility>

#include "tests/layout/cute/text_of.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::layout::cute;  // NOLINT: as kernels do

TEST(DocumentedApi, TensorsOfArrays) {
  float storage[32] = {};
  Tensor t = make_tensor(storage, Shape<_4, _8>{});
  t(1, 1) = 3;
  EXPECT_EQ(storage[5], 3);
  const float constant[4] = {1, 2, 3, 4};
  EXPECT_EQ(make_tensor(constant, Int<4>{})(3), 4);
  EXPECT_EQ(TextOf(make_fragment_like<float>(Shape<_4, _2>{}).layout()), "(_4,_2):(_1,_4)");
}

TEST(DocumentedApi, MembersOfTensorsAndLayouts) {
  float storage[64] = {};
  Tensor t = make_tensor(&storage[0], Shape<_4, Shape<_2, _8>>{});
  EXPECT_EQ(TextOf(t.shape<1, 0>()), "_2");
  EXPECT_EQ(TextOf(t.stride<1>()), "(_4,_8)");
  EXPECT_EQ(TextOf(t.size<1>()), "_16");
  EXPECT_EQ(TextOf(t.tile(Shape<_2, _4>{}).layout()), "((_2,_4),_2,_4):((_1,_4),_2,_16)");
  EXPECT_EQ(TextOf(t.layout().tile(_2{}, _4{})), TextOf(t.tile(_2{}, _4{}).layout()));
  EXPECT_EQ(TextOf(t.compose(_2{}, _4{}).layout()), "(_2,_4):(_1,_4)");
  EXPECT_EQ(TextOf(t.compose(Layout<_4, _16>{}).layout()), "_4:_16");
  EXPECT_EQ(TextOf(max_common_vector(t, t)), "_64");
  EXPECT_EQ(TextOf(max_common_vector(t, recast<int>(t))), "_0");
  EXPECT_EQ(TextOf(max_common_layout(t, t)), "_64:_1");
  EXPECT_EQ(TextOf(max_alignment(t)), "_64");
}

TEST(DocumentedApi, Tuples) {
  const auto t = make_tuple(_1{}, 2, make_tuple(3, _4{}));
  EXPECT_EQ(fold(t, _0{}, [](auto a, auto b) { return a + size(b); }), 15);
  EXPECT_EQ(TextOf(transform_apply(
                t, [](auto x) { return size(x); }, [](auto... x) { return make_tuple(x...); })),
            "(_1,2,12)");
  EXPECT_EQ(TextOf(filter_tuple(t, [](auto x) { return wrap(x); })), "(_1,2,3,_4)");
  EXPECT_EQ(TextOf(reverse(t)), "((3,_4),2,_1)");
  EXPECT_EQ(TextOf(reverse(Layout<Shape<_2, _3>>{})), "(_3,_2):(_2,_1)");
  EXPECT_EQ(TextOf(remove<1>(t)), "(_1,(3,_4))");
  EXPECT_EQ(TextOf(insert<1>(t, _9{})), "(_1,_9,2,(3,_4))");
  const auto all = all_of(Shape<_2, _4>{}, [](auto x) { return x > _1{}; });
  static_assert(decltype(all)::value, "");
  const auto any = any_of(Shape<_2, _4>{}, [](auto x) { return x > _4{}; });
  static_assert(!decltype(any)::value, "");
  EXPECT_TRUE(none_of(make_tuple(1, 2), [](auto x) { return x > 2; }));
  EXPECT_EQ(TextOf(lcm(_4{}, _6{})), "_12");
  EXPECT_EQ(lcm(4, make_tuple(6, _5{})), 60);
  EXPECT_EQ(sum(make_tuple(2000000000, 2000000000)), 4000000000);
}

// All pairs of coordinates below (2,(3,2)), by their numbers from left to right and from right to
// left.
TEST(DocumentedApi, StaticMembersTakeNoSpace) {
  static_assert(std::is_empty_v<tuple<_1, tuple<_1, tuple<_1>>>>, "");
  static_assert(sizeof(tuple<_1, tuple<_1, int>>) == sizeof(int), "");
  static_assert(sizeof(tuple<_1, int, tuple<_1, tuple<_1, int64_t>>>) == 2 * sizeof(int64_t), "");
  static_assert(sizeof(tuple<tuple<_1, int>, tuple<_1, int>, _1>) == 2 * sizeof(int), "");
  static_assert(
      sizeof(Layout<Shape<_1, Shape<_1, int>>, Stride<_1, Stride<_1, int>>>) == 2 * sizeof(int),
      "");
}

TEST(DocumentedApi, MembersOfExpiringTuples) {
  using Pointers = tuple<std::unique_ptr<int>, _1>;
  Pointers pointers;
  get<0>(pointers) = std::make_unique<int>(7);
  static_assert(std::is_same_v<decltype(get<0>(pointers)), std::unique_ptr<int>&>, "");
  static_assert(std::is_same_v<decltype(get<0>(std::move(pointers))), std::unique_ptr<int>&&>, "");
  static_assert(std::is_same_v<decltype(get<1>(std::move(pointers))), _1>, "");
  const std::unique_ptr<int> moved = get<0>(std::move(pointers));
  EXPECT_EQ(*moved, 7);
  auto [m, n] = make_tuple(3, _4{});
  EXPECT_EQ(m * n, 12);
  using Packed = packed_tuple<int, _1>;
  static_assert(std::is_same_v<decltype(get<0>(Packed{})), int&&>, "");
  static_assert(std::is_same_v<decltype(get<1>(Packed{})), _1>, "");
}

TEST(DocumentedApi, OrdersOfCoordinates) {
  const auto coordinate = [](int i) { return make_coord(i / 6, make_coord(i / 2 % 3, i % 2)); };
  const auto backwards = [](int i) { return i / 6 + 2 * (i / 2 % 3) + 6 * (i % 2); };
  for (int i = 0; i < 12; ++i) {
    for (int k = 0; k < 12; ++k) {
      const auto a = coordinate(i);
      const auto b = coordinate(k);
      const bool all_below = i / 6 < k / 6 && i / 2 % 3 < k / 2 % 3 && i % 2 < k % 2;
      const bool none_above = i / 6 <= k / 6 && i / 2 % 3 <= k / 2 % 3 && i % 2 <= k % 2;
      EXPECT_EQ(lex_less(a, b), i < k) << i << " " << k;
      EXPECT_EQ(colex_less(a, b), backwards(i) < backwards(k)) << i << " " << k;
      EXPECT_EQ(elem_less(a, b), all_below) << i << " " << k;
      EXPECT_EQ(elem_gtr(b, a), all_below) << i << " " << k;
      EXPECT_EQ(elem_leq(a, b), none_above) << i << " " << k;
      EXPECT_EQ(elem_geq(b, a), none_above) << i << " " << k;
    }
  }
}

TEST(DocumentedApi, ThreadsAndTheirValues) {
  // Four by two threads, row-major, each with two values in a row.
  const auto tv = make_layout_tv(Layout<Shape<_4, _2>, Stride<_2, _1>>{}, Layout<Shape<_1, _2>>{});
  EXPECT_EQ(TextOf(tv), "((_4,_4),((_2,_4),_2):((_8,_1),_4))");
  for (int thread = 0; thread < 8; ++thread) {
    for (int value = 0; value < 2; ++value) {
      EXPECT_EQ(get<1>(tv)(thread, value), thread / 2 + 4 * (thread % 2 * 2 + value));
    }
  }
}

TEST(DocumentedApi, ThreadsAndTheirValuesBackwards) {
  const auto tv =
      Layout<Shape<Shape<_2, _4>, Shape<_2, _2>>, Stride<Stride<_8, _1>, Stride<_4, _16>>>{};
  const auto inverse = right_inverse(tv).with_shape(_4{}, _8{});
  for (int thread = 0; thread < 8; ++thread) {
    for (int value = 0; value < 4; ++value) {
      EXPECT_EQ(inverse(tv(thread, value)), thread + 8 * value);
    }
  }
}

TEST(DocumentedApi, ComposedLayouts) {
  const auto l = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  EXPECT_EQ(TextOf(get<1>(l)), "Sw<3,3,3> o _0 o _64:_1");
  EXPECT_EQ(TextOf(select<1, 0>(l)), "Sw<3,3,3> o _0 o (_64,_8):(_1,_64)");
  EXPECT_EQ(TextOf(append<3>(l)), "Sw<3,3,3> o _0 o (_8,_64,_1):(_64,_1,_0)");
  EXPECT_EQ(TextOf(coalesce(l)), "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)");
  EXPECT_EQ(TextOf(get_swizzle_portion(l)), "Sw<3,3,3>");
  EXPECT_EQ(TextOf(get_nonswizzle_portion(l)), "(_8,_64):(_64,_1)");
  std::ostringstream stream;
  stream << l << ' ' << Swizzle<1, 2, 3>{} << ' ' << assume<8>(16);
  EXPECT_EQ(stream.str(), "Sw<3,3,3> o _0 o (_8,_64):(_64,_1) Sw<1,2,3> 16{div=8}");
}

TEST(DocumentedApi, Printing) {
  testing::internal::CaptureStdout();
  print_tensor(make_identity_tensor(Shape<_2, _2>{}));
  if (thread0() && thread(0, 0) && block0() && !thread(1)) print(0.5F);
  print(2.0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "ArithTuple(_0,_0) o (_2,_2):(_1@0,_1@1):\n  (0,0)  (0,1)\n  (1,0)  (1,1)\n"
            "0.5000002.000000");
  Tensor t = make_tensor(counting_iterator<int>{3}, Shape<_2, _2>{});
  Tensor squares = cute::lazy::transform(t, [](int x) { return x * x; });
  EXPECT_EQ(TextOf(squares), "trans_counting_iter(3) o (_2,_2):(_1,_2)");
  EXPECT_EQ(squares(1, 1), 36);
}

TEST(DocumentedApi, AlgorithmsWithStaticScalars) {
  Tensor x = make_tensor<float>(Shape<_4>{});
  Tensor y = make_tensor<float>(Shape<_4>{});
  fill(x, 3);
  fill(y, 5);
  axpby(2.0F, x, _1{}, y);
  EXPECT_EQ(y(3), 11);
  axpby(_2{}, x, _0{}, y);
  EXPECT_EQ(y(3), 6);
}

// The sum of no products is C.
TEST(DocumentedApi, GemmWithoutProducts) {
  float storage[12] = {};
  Tensor a = make_tensor(&storage[0], make_shape(2, 0));
  Tensor b = make_tensor(&storage[0], make_shape(3, 0));
  Tensor c = make_tensor(&storage[0], make_shape(2, 3));
  Tensor d = make_tensor(&storage[6], make_shape(2, 3));
  fill(c, 7);
  gemm(d, a, b, c);
  for (float x : storage) EXPECT_EQ(x, 7);
}

TEST(DocumentedApi, TensorsWithoutElements) {
  float storage[4] = {1, 2, 3, 4};
  const auto visit = [&](auto const& layout) {
    Tensor t = make_tensor(&storage[0], layout);
    for (int i = 0; i < size(t); ++i) t(i) = 0;
    fill(t, 1);
    copy(t, t);
    Tensor tiles = local_tile(t, Shape<_4, _4>{}, make_coord(_, 0));
    EXPECT_EQ(size(tiles), 0);
    EXPECT_EQ(size(composition(t, Layout<Shape<_2, _0>>{})), 0);
  };
  visit(Layout<Shape<_0, _4>>{});
  visit(make_layout(make_shape(0, 4)));
  visit(make_layout(make_shape(0, _4{})));
  EXPECT_EQ(storage[0], 1);
  EXPECT_EQ(TextOf(zipped_divide(Layout<Shape<_0, _4>>{}, Shape<_4, _4>{})),
            "((_4,_4),(_0,_1)):((_1,_0),(_4,_0))");
  Tensor owner = make_tensor<float>(Shape<_0>{});
  clear(owner);
  EXPECT_EQ(TextOf(size(owner)), "_0");
}

// A negative stride may go below 0 in the last mode, and nowhere else.
TEST(DocumentedApi, CompositionWithNegativeStrides) {
  const auto a = Layout<Shape<_4, _8>, Stride<_16, _1>>{};
  EXPECT_EQ(TextOf(composition(a, Layout<_3, Int<-8>>{})), "_3:_-2");
  EXPECT_EQ(TextOf(composition(Layout<_8, _3>{}, Layout<_3, Int<-1>>{})), "_3:_-3");
}

}  // namespace
}  // namespace cute_test
