// What the document's examples leave out: algorithms, coordinates, packed elements, assumptions.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/layout/cute/text_of.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::layout::cute;            // NOLINT: as kernels do
using namespace hlo_indexing::layout::cute::literals;  // NOLINT

template <class F>
std::string Printed(F&& f) {
  testing::internal::CaptureStdout();
  f();
  return testing::internal::GetCapturedStdout();
}

TEST(Integers, StayStaticWhereTheyCan) {
  static_assert(std::is_same<decltype(13_c), _13>::value, "");
  static_assert(std::is_same<decltype(_3{} * _4{} + _1{}), _13>::value, "");
  static_assert(std::is_same<decltype(_0{} * 7), _0>::value, "");
  static_assert(decltype(65536_c * 65536_c)::value == int64_t{1} << 32, "no overflow");
  EXPECT_EQ(TextOf(make_tuple(_8{}, Int<-3>{}, 8, make_tuple(), _)), "(_8,_-3,8,(),_)");
  EXPECT_EQ(TextOf(make_layout(make_shape(_8{}, assume<8>(24)), make_stride(assume<8>(24), _1{}))),
            "(_8,24{div=8}):(24{div=8},_1)");
  // What is known to divide needs no check, and stays known.
  EXPECT_EQ(TextOf(assume<8>(24) / _4{}), "6{div=2}");
  static_assert(std::is_same<decltype(assume<8>(24) % _4{}), _0>::value, "");
  const auto rows = logical_divide(make_layout(assume<8>(24)), _8{});
  EXPECT_EQ(TextOf(rows), "(_8,3):(_1,_8)");
}

TEST(Tuples, TakeNoSpaceForWhatIsStatic) {
  static_assert(std::is_empty<Layout<Shape<_4, Shape<_2, _1>>>>::value, "");
  EXPECT_EQ(sizeof(make_shape(_4{}, 3, _4{})), sizeof(int));
#if !HLO_INDEXING_CUTE_DEBUG
  float* p = nullptr;
  EXPECT_EQ(sizeof(make_tensor(p, Shape<_4, _8>{})), sizeof(float*));
  EXPECT_EQ(sizeof(make_tensor(p, make_shape(_4{}, 8))), 2 * sizeof(float*));
#endif
}

TEST(Tensors, ThatOwnHaveArraysOfTheirOwn) {
  Tensor column = make_tensor<float>(Shape<_4, _8>{});
  Tensor row = make_tensor<float>(Shape<_4, _8>{}, LayoutRight{});
  Tensor padded = make_tensor<float>(Shape<_4, _8>{}, Stride<_2, _32>{});
  EXPECT_NE(column.data(), row.data());
  EXPECT_EQ(sizeof(decltype(column)::engine_type), 128);
  EXPECT_EQ(sizeof(decltype(padded)::engine_type), 928);  // 231 floats, and aligned to 16 bytes
}

TEST(Tuples, BindToNames) {
  auto [m, n] = make_shape(5, _7{});
  EXPECT_EQ(m + n, 12);
}

TEST(Tensors, PrintAsTables) {
  Tensor t = make_tensor(counting_iterator<int>{0}, make_shape(2, 2));
  EXPECT_EQ(Printed([&] { print_tensor(t); }),
            "counting_iter(0) o (2,2):(_1,2):\n    0    2\n    1    3\n");
  std::ostringstream stream;
  stream << t << make_shape(_2{}, 3);
  EXPECT_EQ(stream.str(), "(2,2):(_1,2)\n        0        2\n        1        3\n(_2,3)");
  EXPECT_EQ(Printed([] {
              print_layout(
                  make_layout(make_shape(2, make_shape(2, 2)), make_stride(4, make_stride(2, 1))));
            }),
            "(2,(2,2)):(4,(2,1))\n"
            "      0   1   2   3 \n"
            "    +---+---+---+---+\n"
            " 0  | 0 | 2 | 1 | 3 |\n"
            "    +---+---+---+---+\n"
            " 1  | 4 | 6 | 5 | 7 |\n"
            "    +---+---+---+---+\n");
  Tensor f = make_tensor<float>(Shape<_1, _2>{});
  fill(f, 1.5F);
  EXPECT_NE(Printed([&] { print_tensor(f); }).find("  1.50e+00  1.50e+00\n"), std::string::npos);
}

TEST(Tensors, OfCoordinatesGuardAccesses) {
  Tensor t = make_identity_tensor(make_shape(41, 55));
  EXPECT_EQ(TextOf(t), "ArithTuple(_0,_0) o (41,55):(_1@0,_1@1)");
  Tensor tile = local_tile(t, Shape<_4, _8>{}, make_coord(10, 6));
  EXPECT_EQ(TextOf(tile), "ArithTuple(40,48) o (_4,_8):(_1@0,_1@1)");
  int inside = 0;
  for (int i = 0; i < size(tile); ++i) inside += elem_less(tile(i), shape(t)) ? 1 : 0;
  EXPECT_EQ(inside, 7);
}

TEST(Tensors, OfPackedElements) {
  Tensor t = make_tensor<int4b_t>(Shape<_8>{});
  EXPECT_EQ(sizeof(decltype(t)::engine_type), 4);
  for (int i = 0; i < 8; ++i) t(i) = int4b_t(i - 4);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(static_cast<int>(t(i)), i - 4);
  Tensor bytes = recast<uint8_t>(t);
  EXPECT_EQ(TextOf(bytes.layout()), "(_4):(_1)");
  EXPECT_EQ(bytes(0), 0xdc);  // -4 in the low bits
}

TEST(Tensors, DividesKeepUnderscores) {
  const auto layout = Layout<Shape<_8, Shape<_4, _2>>, Stride<_1, Stride<_8, _32>>>{};
  EXPECT_EQ(TextOf(zipped_divide(layout, make_tile(_2{}, _))),
            "((_2,(_4,_2)),(_4,_1)):((_1,(_8,_32)),(_2,_0))");
  EXPECT_EQ(TextOf(zipped_divide(make_layout(make_shape(4, 8)), make_tile(_, _2{}))),
            "((4,_2),(_1,4)):((_1,4),(_0,8))");
}

TEST(Copy, MovesWordsWhereLayoutsProveThem) {
  using RowMajor = Layout<Shape<_4, _8>, Stride<_8, _1>>;
  using Padded = Layout<Shape<_4, _8>, Stride<_12, _1>>;
  using Odd = Layout<Shape<_4, _8>, Stride<_9, _1>>;
  const auto width = [](auto a, auto b) {
    return static_cast<int>(
        size(cute::detail::Evaluate<cute::detail::VectorOperationUpTo<4>>(a, b)));
  };
  EXPECT_EQ(width(RowMajor{}, RowMajor{}), 4);
  EXPECT_EQ(width(RowMajor{}, Padded{}), 4);
  EXPECT_EQ(width(RowMajor{}, Odd{}), 1);
  EXPECT_EQ(width(RowMajor{}, Layout<Shape<_4, _8>>{}), 1);
  EXPECT_EQ(width(Layout<Shape<_6>>{}, Layout<Shape<_6>>{}), 2);
  // Rows of a dynamic pitch stay aligned only if it is known to be a multiple.
  EXPECT_EQ(width(RowMajor{}, make_layout(Shape<_4, _8>{}, make_stride(16, _1{}))), 1);
  EXPECT_EQ(width(RowMajor{}, make_layout(Shape<_4, _8>{}, make_stride(assume<4>(16), _1{}))), 4);
}

template <class SrcLayout, class DstLayout>
void CopyAndCompare(SrcLayout const& from, DstLayout const& to, int shift) {
  alignas(16) float source[128];
  alignas(16) float target[128] = {};
  for (int i = 0; i < 128; ++i) source[i] = static_cast<float>(i + 1);
  Tensor src = make_tensor(&source[shift], from);
  copy(src, make_tensor(&target[shift], to));
  std::vector<float> expected(128, 0.0F);
  for (int i = 0; i < size(src); ++i) {
    const auto place = static_cast<size_t>(shift) + static_cast<size_t>(to(i));
    expected[place] = source[shift + from(i)];
  }
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(target[i], expected[static_cast<size_t>(i)]) << TextOf(from) << TextOf(to) << i;
  }
}
TEST(Copy, IsTheLoopOverElements) {
  for (int shift = 0; shift < 4; ++shift) {  // also from addresses that are not aligned
    CopyAndCompare(Layout<Shape<_4, _8>, Stride<_8, _1>>{},
                   Layout<Shape<_4, _8>, Stride<_12, _1>>{}, shift);
    CopyAndCompare(Layout<Shape<_4, _8>>{}, Layout<Shape<_4, _8>>{}, shift);
    CopyAndCompare(Layout<Shape<_4, _8>>{}, Layout<Shape<_4, _8>, Stride<_8, _1>>{}, shift);
    CopyAndCompare(make_layout(make_shape(_8{}, 3)),
                   make_layout(make_shape(_8{}, 3), make_stride(_1{}, assume<4>(12))), shift);
    CopyAndCompare(Layout<Shape<_4, Shape<_2, _4>>, Stride<_2, Stride<_1, _8>>>{},
                   Layout<Shape<_4, Shape<_2, _4>>, Stride<_2, Stride<_1, _16>>>{}, shift);
  }
}
TEST(Copy, CooperativeCopiesAddUp) {
  alignas(16) float source[64];
  alignas(16) float target[64] = {};
  for (int i = 0; i < 64; ++i) source[i] = static_cast<float>(i);
  const auto layout = Layout<Shape<_8, _8>, Stride<_8, _1>>{};
  for (int thread = 0; thread < 5; ++thread) {
    cooperative_copy<5>(thread, make_tensor(&source[0], layout), make_tensor(&target[0], layout));
  }
  for (int i = 0; i < 64; ++i) EXPECT_EQ(target[i], source[i]);
}

// D = A * B + C for the rank patterns with vectors, against loops.
TEST(Gemm, OfVectors) {
  Tensor a = make_tensor<int>(Shape<_2, _3, _4>{});
  Tensor b = make_tensor<int>(Shape<_2, _5, _4>{});
  Tensor c = make_tensor<int>(Shape<_2, _3, _5>{});
  for (int i = 0; i < size(a); ++i) a(i) = i % 7 - 3;
  for (int i = 0; i < size(b); ++i) b(i) = i % 5 - 2;
  for (int i = 0; i < size(c); ++i) c(i) = i;
  auto expected = c;
  for (int v = 0; v < 2; ++v) {
    for (int m = 0; m < 3; ++m) {
      for (int n = 0; n < 5; ++n) {
        for (int k = 0; k < 4; ++k) expected(v, m, n) += a(v, m, k) * b(v, n, k);
      }
    }
  }
  gemm(a, b, c);
  for (int i = 0; i < size(c); ++i) EXPECT_EQ(c(i), expected(i));
}

TEST(Swizzles, AreLayoutsBehindAFunction) {
  const auto layout = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  EXPECT_EQ(TextOf(layout), "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)");
  EXPECT_EQ(TextOf(slice_and_offset(make_coord(3, _), layout)),
            "(((_8,_2,_2,_2)):((_1,-8,-16,32)),216)");
  Tensor t = make_tensor(counting_iterator<int>{0}, layout);
  for (int m = 0; m < 8; ++m) {
    for (int n = 0; n < 64; ++n) {
      const int offset = 64 * m + n;
      EXPECT_EQ(t(m, n), offset ^ ((offset >> 6 & 7) << 3));
      EXPECT_EQ(t(m, _)(n), t(m, n));
      EXPECT_EQ(t(_, n)(m), t(m, n));
    }
  }
}

// The bytes of each word are those that the layout of bytes says.
TEST(Swizzles, StayTheSameInWiderAndNarrowerElements) {
  const auto bytes = composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  const auto words = recast_layout<uint8_t, uint32_t>(bytes);
  EXPECT_EQ(TextOf(words), "Sw<2,1,3> o _0 o (_8,_16):(_16,_1)");
  EXPECT_EQ(TextOf(recast_layout<uint32_t, uint8_t>(words)), TextOf(bytes));
  EXPECT_EQ(TextOf(recast_layout<uint32_t, uint8_t>(Layout<Shape<_8, _16>, Stride<_16, _1>>{})),
            "(_8,_64):(_64,_1)");
  EXPECT_EQ(TextOf(recast_layout<float, half_t>(Layout<Shape<_64>, Stride<_1>>{})), "(_128):(_1)");
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 64; ++column) {
      EXPECT_EQ(words(row, column / 4) * 4 + column % 4, bytes(row, column));
    }
  }
  alignas(16) uint8_t storage[512] = {};
  Tensor t = make_tensor(make_smem_ptr(&storage[0]), bytes);
  for (int i = 0; i < 4; ++i) t(5, 12 + i) = static_cast<uint8_t>(i + 1);
  EXPECT_EQ(recast<uint32_t>(t)(5, 3), 0x04030201U);
}
// A tile goes through swizzled memory: in as words of 128 bits, out as elements, transposed.
TEST(Swizzles, TransposeTiles) {
  alignas(16) static half_t source[64 * 64], target[64 * 64];
  for (int i = 0; i < 64 * 64; ++i) source[i] = half_t(i % 997);
  const auto block = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  const auto layout = tile_to_shape(block, Shape<_64, _64>{});
  alignas(128) static half_t shared[cosize_v<decltype(layout)>];
  Tensor in = make_tensor(make_gmem_ptr(source), Shape<_64, _64>{}, LayoutRight{});
  Tensor out = make_tensor(make_gmem_ptr(target), Shape<_64, _64>{});
  Tensor tile = make_tensor(make_smem_ptr(shared), layout);
  const auto threads = Layout<Shape<_16, _8>, Stride<_8, _1>>{};
  for (int thread = 0; thread < 128; ++thread) {
    copy(local_partition(recast<uint128_t>(in), threads, thread),
         local_partition(recast<uint128_t>(tile), threads, thread));
  }
  for (int thread = 0; thread < 128; ++thread) {
    copy(local_partition(tile, threads, thread), local_partition(out, threads, thread));
  }
  for (int m = 0; m < 64; ++m) {
    for (int n = 0; n < 64; ++n) {
      ASSERT_EQ(target[64 * n + m].storage, source[64 * m + n].storage) << m << ' ' << n;
    }
  }
}
// An array of cosize elements holds all offsets, and is no larger than their blocks.
TEST(Swizzles, NeedTheirBlocksWhole) {
  EXPECT_EQ(TextOf(cosize(composition(Swizzle<3, 3, 3>{}, Layout<_512>{}))), "_512");
  EXPECT_EQ(TextOf(cosize(composition(Swizzle<3, 4, 3>{}, Layout<_64>{}))), "_64");
  EXPECT_EQ(TextOf(cosize(composition(Swizzle<2, 0, 3>{}, Layout<_10>{}))), "_12");
  EXPECT_EQ(TextOf(cosize(composition(Swizzle<1, 0, -2>{}, Layout<_2>{}))), "_8");
  const auto contains_all = [](auto layout) {
    const int64_t array = cosize(layout);
    for (int i = 0; i < size(layout); ++i) {
      if (layout(i) < 0 || layout(i) >= array) return false;
    }
    return true;
  };
  EXPECT_TRUE(contains_all(composition(Swizzle<2, 0, 3>{}, Layout<_10>{})));
  EXPECT_TRUE(
      contains_all(composition(Swizzle<2, 1, 2>{}, Layout<Shape<_3, _5>, Stride<_7, _2>>{})));
  EXPECT_TRUE(contains_all(composition(Swizzle<2, 1, -3>{}, make_layout(make_shape(3, 5)))));
}

TEST(HalfPrecision, RoundsToNearestEven) {
  EXPECT_EQ(half_t(1.0F).storage, 0x3c00);
  EXPECT_EQ(half_t(65504.0F).storage, 0x7bff);
  EXPECT_EQ(half_t(65520.0F).storage, 0x7c00);
  EXPECT_EQ(half_t(5.9604644775390625e-8F).storage, 1);
  EXPECT_EQ(half_t(2.98e-8F).storage, 0);
  EXPECT_EQ(bfloat16_t(1.00390625F).storage, 0x3f80);
  for (int bits = 0; bits < 0x7c00; ++bits) {
    const half_t half = half_t::bitcast(static_cast<uint16_t>(bits));
    ASSERT_EQ(half_t(static_cast<float>(half)).storage, bits);
  }
}

}  // namespace
}  // namespace cute_test
