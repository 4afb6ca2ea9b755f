// The examples of CuTe's document on tensors, as they are written there, with what they give.
#include <gtest/gtest.h>

#include <string>

#include "tests/layout/cute/text_of.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::layout::cute;  // NOLINT: the examples are written so

// The text of a tensor over a pointer, with the address as ADDR.
template <class T>
std::string WithoutAddress(T const& tensor) {
  std::string text = TextOf(tensor);
  const size_t begin = text.find('(');
  const size_t end = text.find_first_of(".)", begin);
  return text.substr(0, begin + 1) + "ADDR" + text.substr(end);
}
template <class T>
std::string Values(T const& tensor, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(static_cast<int>(tensor(i))) + " ";
  return text;
}
template <class T>
std::string Values(T const& tensor) {
  return Values(tensor, static_cast<int>(size(tensor)));
}
template <class L>
auto Counting(L const& layout) {
  return make_tensor(counting_iterator<int>{0}, layout);
}

TEST(SeedExamples, NonowningTensors) {
  alignas(16) static float storage[512];
  float* A = storage;

  // Untagged pointers
  Tensor tensor_8 = make_tensor(A, make_layout(Int<8>{}));  // Construct with Layout
  Tensor tensor_8s = make_tensor(A, Int<8>{});              // Construct with Shape
  Tensor tensor_8d2 = make_tensor(A, 8, 2);                 // Construct with Shape and Stride

  // Global memory (static or dynamic layouts)
  Tensor gmem_8s = make_tensor(make_gmem_ptr(A), Int<8>{});
  Tensor gmem_8d = make_tensor(make_gmem_ptr(A), 8);
  Tensor gmem_8sx16d = make_tensor(make_gmem_ptr(A), make_shape(Int<8>{}, 16));
  Tensor gmem_8dx16s =
      make_tensor(make_gmem_ptr(A), make_shape(8, Int<16>{}), make_stride(Int<16>{}, Int<1>{}));

  // Shared memory (static or dynamic layouts)
  Layout smem_layout = make_layout(make_shape(Int<4>{}, Int<8>{}));
  static float smem[decltype(cosize(smem_layout))::value];  // (static-only allocation)
  Tensor smem_4x8_col = make_tensor(make_smem_ptr(smem), smem_layout);
  Tensor smem_4x8_row = make_tensor(make_smem_ptr(smem), shape(smem_layout), LayoutRight{});

  EXPECT_EQ(sizeof(smem) / sizeof(float), 32);
  EXPECT_EQ(WithoutAddress(tensor_8), "ptr[32b](ADDR) o _8:_1");
  EXPECT_EQ(WithoutAddress(tensor_8s), "ptr[32b](ADDR) o _8:_1");
  EXPECT_EQ(WithoutAddress(tensor_8d2), "ptr[32b](ADDR) o 8:2");
  EXPECT_EQ(WithoutAddress(gmem_8s), "gmem_ptr[32b](ADDR) o _8:_1");
  EXPECT_EQ(WithoutAddress(gmem_8d), "gmem_ptr[32b](ADDR) o 8:_1");
  EXPECT_EQ(WithoutAddress(gmem_8sx16d), "gmem_ptr[32b](ADDR) o (_8,16):(_1,_8)");
  EXPECT_EQ(WithoutAddress(gmem_8dx16s), "gmem_ptr[32b](ADDR) o (8,_16):(_16,_1)");
  EXPECT_EQ(WithoutAddress(smem_4x8_col), "smem_ptr[32b](ADDR) o (_4,_8):(_1,_4)");
  EXPECT_EQ(WithoutAddress(smem_4x8_row), "smem_ptr[32b](ADDR) o (_4,_8):(_8,_1)");
  char expected[64];
  snprintf(expected, sizeof(expected), "ptr[32b](%p) o _8:_1", static_cast<void*>(A));
  testing::internal::CaptureStdout();
  print(tensor_8);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), expected);
}

TEST(SeedExamples, TaggedPointers) {
  static float storage[16];
  void* untyped = storage;
  void const* constant = storage;
  Tensor typed = make_tensor(make_gmem_ptr<float>(untyped), Int<8>{});
  EXPECT_EQ(WithoutAddress(typed), "gmem_ptr[32b](ADDR) o _8:_1");
  EXPECT_EQ(WithoutAddress(make_tensor(make_gmem_ptr<double>(constant), Int<8>{})),
            "gmem_ptr[64b](ADDR) o _8:_1");
  EXPECT_EQ(WithoutAddress(make_tensor(make_smem_ptr<half_t>(untyped), Int<8>{})),
            "smem_ptr[16b](ADDR) o _8:_1");
  EXPECT_EQ(WithoutAddress(make_tensor(make_gmem_ptr<int4b_t>(untyped), Int<8>{})),
            "gmem_subptr[4b](ADDR.0) o _8:_1");
  EXPECT_EQ(WithoutAddress(make_tensor(make_gmem_ptr(make_gmem_ptr(storage)), Int<8>{})),
            "gmem_ptr[32b](ADDR) o _8:_1");
  using Gmem = decltype(make_gmem_ptr(&storage[0]));
  using Smem = decltype(make_smem_ptr(storage));
  EXPECT_TRUE(is_gmem<Gmem>::value);
  EXPECT_FALSE(is_gmem<Smem>::value);
  EXPECT_FALSE(is_gmem<float*>::value);
  EXPECT_TRUE(is_smem<Smem>::value);
  EXPECT_TRUE(is_rmem<float*>::value);
}

TEST(SeedExamples, OwningTensors) {
  static float smem[256];
  Tensor smem_4x8_pad = make_tensor(make_smem_ptr(smem), Shape<_4, _8>{}, Stride<_32, _2>{});
  // Register memory (static layouts only)
  Tensor rmem_4x8_col = make_tensor<float>(Shape<_4, _8>{});
  Tensor rmem_4x8_row = make_tensor<float>(Shape<_4, _8>{}, LayoutRight{});
  Tensor rmem_4x8_pad = make_tensor<float>(Shape<_4, _8>{}, Stride<_2, _32>{});
  Tensor rmem_4x8_like = make_tensor_like(smem_4x8_pad);
  EXPECT_EQ(WithoutAddress(rmem_4x8_col), "ptr[32b](ADDR) o (_4,_8):(_1,_4)");
  EXPECT_EQ(WithoutAddress(rmem_4x8_row), "ptr[32b](ADDR) o (_4,_8):(_8,_1)");
  EXPECT_EQ(WithoutAddress(rmem_4x8_pad), "ptr[32b](ADDR) o (_4,_8):(_2,_32)");
  EXPECT_EQ(WithoutAddress(rmem_4x8_like), "ptr[32b](ADDR) o (_4,_8):(_8,_1)");
  EXPECT_EQ(TextOf(make_tensor_like(rmem_4x8_pad).layout()), "(_4,_8):(_1,_4)");
  EXPECT_NE(rmem_4x8_col.data(), rmem_4x8_row.data());
  EXPECT_EQ(sizeof(ArrayEngine<float, 32>), 128);
  EXPECT_EQ(sizeof(decltype(rmem_4x8_pad)::engine_type), 928);

  Tensor owner = make_tensor<int>(Shape<_4>{});
  owner(0) = 1;
  auto copied = owner;  // its own elements
  copied(0) = 2;
  EXPECT_EQ(owner(0), 1);
  auto view = owner(_);
  auto same = view;  // the same elements
  same(0) = 3;
  EXPECT_EQ(owner(0), 3);
  EXPECT_EQ(WithoutAddress(rmem_4x8_col(_, 2)), "ptr[32b](ADDR) o (_4):(_1)");
}

TEST(SeedExamples, Access) {
  static int storage[260];
  int* b_ptr = storage;
  Tensor A = make_tensor<int>(Shape<Shape<_4, _5>, _13>{}, Stride<Stride<_12, _1>, _64>{});
  Tensor B = make_tensor(b_ptr, make_shape(13, 20));

  // Fill A via natural coordinates op[]
  for (int m0 = 0; m0 < size<0, 0>(A); ++m0) {
    for (int m1 = 0; m1 < size<0, 1>(A); ++m1) {
      for (int n = 0; n < size<1>(A); ++n) A[make_coord(make_coord(m0, m1), n)] = n + 2 * m0;
    }
  }
  EXPECT_EQ(Values(A, 40),
            "0 2 4 6 0 2 4 6 0 2 4 6 0 2 4 6 0 2 4 6 1 3 5 7 1 3 5 7 1 3 5 7 1 3 5 7 1 3 5 7 ");

  // Transpose A into B using variadic op()
  for (int m = 0; m < size<0>(A); ++m) {
    for (int n = 0; n < size<1>(A); ++n) B(n, m) = A(m, n);
  }
  EXPECT_EQ(Values(B, 40),
            "0 1 2 3 4 5 6 7 8 9 10 11 12 2 3 4 5 6 7 8 9 10 11 12 13 14 4 5 6 7 8 9 10 11 12 13 "
            "14 15 16 6 ");

  // Copy B to A as if they are arrays
  for (int i = 0; i < A.size(); ++i) A[i] = B[i];
  EXPECT_EQ(Values(A), Values(B));
  int64_t checksum = 0;
  for (int i = 0; i < A.size(); ++i) checksum += int64_t{i + 1} * A[i];
  EXPECT_EQ(checksum, 317460);

  EXPECT_EQ(TextOf(A.layout()), "((_4,_5),_13):((_12,_1),_64)");
  EXPECT_EQ(TextOf(B.layout()), "(13,20):(_1,13)");
  EXPECT_EQ(TextOf(A.size()), "_260");
  EXPECT_EQ(TextOf(B.size()), "260");
  EXPECT_EQ(TextOf(rank(A)), "_2");
  EXPECT_EQ(TextOf(depth(A)), "_2");
  EXPECT_EQ(TextOf(shape<0, 1>(A)), "_5");
  EXPECT_EQ(TextOf(size<0>(A)), "_20");
  EXPECT_EQ(TextOf(layout<0>(A)), "(_4,_5):(_12,_1)");
  EXPECT_EQ(TextOf(rank<0>(A)), "_2");
  EXPECT_EQ(TextOf(depth<0>(A)), "_1");
  EXPECT_EQ(TextOf(depth<1>(A)), "_0");
  EXPECT_EQ(TextOf(tensor<0>(A).layout()), "(_4,_5):(_12,_1)");
  EXPECT_EQ((TextOf(tensor<0, 1>(A).layout())), "_5:_1");
  EXPECT_EQ(TextOf(stride<0>(A)), "(_12,_1)");
  EXPECT_EQ(TextOf(cosize(A.layout())), "_809");
}

TEST(SeedExamples, Tiling) {
  Tensor A = Counting(make_layout(make_shape(24, 8)));
  const auto tiler = Shape<_8, _4>{};
  EXPECT_EQ(TextOf(composition(A, tiler)), "counting_iter(0) o (_8,_4):(_1,24)");
  EXPECT_EQ(TextOf(logical_divide(A, tiler)),
            "counting_iter(0) o ((_8,3),(_4,2)):((_1,_8),(24,96))");
  EXPECT_EQ(TextOf(zipped_divide(A, tiler)),
            "counting_iter(0) o ((_8,_4),(3,2)):((_1,24),(_8,96))");
  EXPECT_EQ(TextOf(tiled_divide(A, tiler)), "counting_iter(0) o ((_8,_4),3,2):((_1,24),_8,96)");
  EXPECT_EQ(TextOf(flat_divide(A, tiler)), "counting_iter(0) o (_8,_4,3,2):(_1,24,_8,96)");
}

TEST(SeedExamples, Slicing) {
  const auto ptr = counting_iterator<int>{0};
  // ((_3,2),(2,_5,_2)):((4,1),(_2,13,100))
  Tensor A =
      make_tensor(ptr, make_shape(make_shape(Int<3>{}, 2), make_shape(2, Int<5>{}, Int<2>{})),
                  make_stride(make_stride(4, 1), make_stride(Int<2>{}, 13, 100)));
  // ((2,_5,_2)):((_2,13,100))
  Tensor B = A(2, _);
  // ((_3,2)):((4,1))
  Tensor C = A(_, 5);
  // (_3,2):(4,1)
  Tensor D = A(make_coord(_, _), 5);
  // (2,2,_2):(1,_2,100)
  Tensor E = A(make_coord(2, _), make_coord(_, 3, _));
  EXPECT_EQ(TextOf(A), "counting_iter(0) o ((_3,2),(2,_5,_2)):((4,1),(_2,13,100))");
  EXPECT_EQ(TextOf(B), "counting_iter(8) o ((2,_5,_2)):((_2,13,100))");
  EXPECT_EQ(Values(B), "8 10 21 23 34 36 47 49 60 62 108 110 121 123 134 136 147 149 160 162 ");
  EXPECT_EQ(TextOf(C), "counting_iter(28) o ((_3,2)):((4,1))");
  EXPECT_EQ(Values(C), "28 32 36 29 33 37 ");
  EXPECT_EQ(TextOf(D), "counting_iter(28) o (_3,2):(4,1)");
  EXPECT_EQ(Values(D), "28 32 36 29 33 37 ");
  EXPECT_EQ(TextOf(E), "counting_iter(47) o (2,2,_2):(1,_2,100)");
  EXPECT_EQ(Values(E), "47 48 49 50 147 148 149 150 ");
  EXPECT_EQ(TextOf(A(_, _)), TextOf(A));
  EXPECT_EQ(TextOf(A(_)), TextOf(A));
  EXPECT_EQ(TextOf(A.layout()(2, _)), "((2,_5,_2)):((_2,13,100))");
  EXPECT_EQ(TextOf(A(_, make_coord(_, _, _))),
            "counting_iter(0) o ((_3,2),2,_5,_2):((4,1),_2,13,100)");
  EXPECT_EQ(TextOf(A(Int<2>{}, _)), TextOf(B));
  EXPECT_EQ(TextOf(A(make_coord(2, 1), _)), "counting_iter(9) o ((2,_5,_2)):((_2,13,100))");
  EXPECT_EQ(TextOf(A(_, make_coord(1, 3, 1))), "counting_iter(141) o ((_3,2)):((4,1))");
}

TEST(SeedExamples, InnerAndOuterPartitioning) {
  const auto ptr = counting_iterator<int>{0};
  Tensor A = make_tensor(ptr, make_shape(24, 8));
  auto tiler = Shape<_8, _4>{};
  Tensor tiled_a = zipped_divide(A, tiler);  // ((_8,_4),(3,2))
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 2; ++y) {
      Tensor cta_a = tiled_a(make_coord(_, _), make_coord(x, y));  // (_8,_4)
      const std::string expected =
          "counting_iter(" + std::to_string(8 * x + 96 * y) + ") o (_8,_4):(_1,24)";
      EXPECT_EQ(TextOf(cta_a), expected);
      EXPECT_EQ(TextOf(inner_partition(A, tiler, make_coord(x, y))), expected);
      EXPECT_EQ(TextOf(local_tile(A, tiler, make_coord(x, y))), expected);
    }
  }
  for (int thread = 0; thread < 32; ++thread) {
    Tensor thr_a = tiled_a(thread, make_coord(_, _));  // (3,2)
    const auto at = [](int offset) {
      return "counting_iter(" + std::to_string(offset) + ") o (3,2):(_8,96)";
    };
    const std::string expected = at(thread % 8 + 24 * (thread / 8));
    EXPECT_EQ(TextOf(thr_a), expected);
    EXPECT_EQ(TextOf(outer_partition(A, tiler, thread)), expected);
    EXPECT_EQ(TextOf(local_partition(A, Layout<Shape<_8, _4>>{}, thread)), expected);
    EXPECT_EQ(TextOf(local_partition(A, make_layout(tiler, LayoutRight{}), thread)),
              at(thread / 4 + 24 * (thread % 4)));
  }
  EXPECT_EQ(TextOf(local_tile(A, tiler, 5)), "counting_iter(112) o (_8,_4):(_1,24)");
  EXPECT_EQ(TextOf(local_tile(A, tiler, make_coord(1, _))),
            "counting_iter(8) o (_8,_4,2):(_1,24,96)");
}

TEST(SeedExamples, ThreadValuePartitioning) {
  // (T8,V4) -> (M4,N8)
  auto tv_layout = Layout<Shape<Shape<_2, _4>, Shape<_2, _2>>,
                          Stride<Stride<_8, _1>, Stride<_4, _16>>>{};  // (8,4)
  Tensor A = make_tensor<float>(Shape<_4, _8>{}, LayoutRight{});       // (4,8)
  for (int i = 0; i < 32; ++i) A.data()[i] = static_cast<float>(i);
  Tensor tv = composition(A, tv_layout);  // (8,4)
  EXPECT_EQ(TextOf(tv.layout()), "((_2,_4),(_2,_2)):((_2,_8),(_1,_4))");
  const char* expected[] = {"0 1 4 5 ",     "2 3 6 7 ",     "8 9 12 13 ",   "10 11 14 15 ",
                            "16 17 20 21 ", "18 19 22 23 ", "24 25 28 29 ", "26 27 30 31 "};
  for (int thread = 0; thread < 8; ++thread) {
    Tensor v = tv(thread, _);  // (4)
    EXPECT_EQ(TextOf(v.layout()), "((_2,_2)):((_1,_4))");
    EXPECT_EQ(Values(v), expected[thread]);
  }
  EXPECT_EQ(TextOf(right_inverse(tv_layout)), "(_8,_2,_2):(_2,_1,_16)");
  EXPECT_EQ(TextOf(left_inverse(tv_layout)), "(_8,_2,_2):(_2,_1,_16)");
  const auto inverse = right_inverse(tv_layout).with_shape(Int<4>{}, Int<8>{});
  EXPECT_EQ(TextOf(inverse), "(_4,(_2,_2,_2)):(_2,(_8,_1,_16))");
  for (int thread = 0; thread < 8; ++thread) {
    for (int value = 0; value < 4; ++value) {
      EXPECT_EQ(inverse(tv_layout(thread, value)), thread + 8 * value);
    }
  }
}

TEST(SeedExamples, CopyOfRows) {
  static float storage[8 * 16];
  for (int i = 0; i < 8 * 16; ++i) storage[i] = static_cast<float>(i);
  float* ptr = storage;
  Tensor gmem = make_tensor(ptr, make_shape(Int<8>{}, 16));  // (_8,16)
  Tensor rmem = make_tensor_like(gmem(_, 0));                // (_8)
  CUTE_STATIC_ASSERT_V(rank(gmem) == Int<2>{});
  CUTE_STATIC_ASSERT_V(is_static<decltype(shape<0>(gmem))>{});
  EXPECT_EQ(TextOf(rmem.layout()), "(_8):(_1)");
  EXPECT_EQ(TextOf(gmem(_, 0).layout()), "(_8):(_1)");
  for (int j = 0; j < size<1>(gmem); ++j) {
    copy(gmem(_, j), rmem);
    for (int i = 0; i < size(rmem); ++i) EXPECT_EQ(rmem(i), gmem(i, j));
  }
}

template <class Tiler>
int64_t CopyTiles(Tiler const& tiler, std::string* tiled, std::string* fragment) {
  static float storage[24 * 16];
  for (int i = 0; i < 24 * 16; ++i) storage[i] = static_cast<float>(i);
  float* ptr = storage;
  Tensor gmem = make_tensor(ptr, make_shape(24, 16));  // (24,16)
  Tensor gmem_tiled = zipped_divide(gmem, tiler);      // ((_8,_4),Rest)
  Tensor rmem = make_tensor_like(gmem_tiled(_, 0));    // ((_8,_4))
  *tiled = TextOf(gmem_tiled.layout());
  *fragment = TextOf(rmem.layout());
  int64_t seen = 0;
  for (int j = 0; j < size<1>(gmem_tiled); ++j) {
    copy(gmem_tiled(_, j), rmem);
    for (int i = 0; i < size(rmem); ++i) {
      EXPECT_EQ(rmem(i), gmem_tiled(i, j));
      ++seen;
    }
  }
  return seen;
}

TEST(SeedExamples, CopyOfTiles) {
  std::string tiled, fragment;
  EXPECT_EQ(CopyTiles(Shape<_8, _4>{}, &tiled, &fragment), 24 * 16);  // 8x4 tiler
  EXPECT_EQ(tiled, "((_8,_4),(3,4)):((_1,24),(_8,96))");
  EXPECT_EQ(fragment, "((_8,_4)):((_1,_8))");
  // 8x4 tiler with stride-3 and stride-2
  EXPECT_EQ((CopyTiles(Tile<Layout<_8, _3>, Layout<_4, _2>>{}, &tiled, &fragment)), 24 * 16);
  EXPECT_EQ(tiled, "((_8,_4),((_3,1),(_2,2))):((_3,48),((_1,_24),(24,192)))");
  EXPECT_EQ(fragment, "((_8,_4)):((_1,_8))");
  Tensor gmem = Counting(make_layout(make_shape(24, 16)));
  Tensor strided = zipped_divide(gmem, Tile<Layout<_8, _3>, Layout<_4, _2>>{});
  EXPECT_EQ(Values(strided(_, 1)),
            "1 4 7 10 13 16 19 22 49 52 55 58 61 64 67 70 97 100 103 106 109 112 115 118 145 148 "
            "151 154 157 160 163 "
            "166 ");
}

}  // namespace
}  // namespace cute_test
