// Tiled copies and products on the host: which elements each thread has, by enumeration over
// coordinate tensors.
#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "tests/layout/cute/text_of.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::cute;  // NOLINT: as kernels do

using Place = std::pair<int, int>;
template <class Coordinate>
Place PlaceOf(Coordinate const& c) {
  return {static_cast<int>(get<0>(c)), static_cast<int>(get<1>(c))};
}
template <class T>
std::vector<Place> PlacesOf(T const& tensor) {
  std::vector<Place> places;
  for (int i = 0; i < size(tensor); ++i) places.push_back(PlaceOf(tensor(i)));
  return places;
}

// Each element of a matrix belongs to as many threads as share it.
template <class Partition>
void ExpectEachElement(int threads, int rows, int columns, int sharing,
                       Partition const& partition) {
  std::map<Place, int> count;
  for (int t = 0; t < threads; ++t) {
    for (Place const& place : partition(t)) ++count[place];
  }
  ASSERT_EQ(static_cast<int>(count.size()), rows * columns);
  for (auto const& [place, times] : count) {
    ASSERT_TRUE(place.first < rows && place.second < columns);
    ASSERT_EQ(times, sharing) << place.first << "," << place.second;
  }
}

// A matrix smaller than the tile: threads and values beyond its edge have coordinates outside of
// it, and no thread has an element of another.
TEST(TiledProducts, WhatHangsOverTheEdgeIsOutside) {
  const auto mma = make_tiled_mma(SM80_8x8x4_F64F64F64F64_TN{}, Layout<Shape<_2, _2, _1>>{});
  const auto check = [&](int rows, int columns, int sharing, auto const& partition) {
    ExpectEachElement(128, rows, columns, sharing, [&](int thread) {
      std::vector<Place> inside;
      for (Place const& place : PlacesOf(partition(mma.get_slice(thread)))) {
        if (place.first < rows && place.second < columns) inside.push_back(place);
      }
      return inside;
    });
  };
  check(13, 7, 1, [](auto const& thread) {
    return thread.partition_C(make_identity_tensor(Shape<Int<13>, _7>{}));
  });
  check(5, 3, 2, [](auto const& thread) {
    return thread.partition_A(make_identity_tensor(make_shape(_5{}, _3{})));
  });
  check(21, 9, 1, [](auto const& thread) {
    return thread.partition_C(make_identity_tensor(make_shape(21, 9)));
  });
}

TEST(TiledCopies, ShareATileWithoutRest) {
  const auto check = [](auto copy, int sharing) {
    const auto matrix = make_identity_tensor(make_shape(_64{}, _128{}));
    const int threads = static_cast<int>(size(copy));
    ExpectEachElement(threads, 64, 128, sharing,
                      [&](int t) { return PlacesOf(copy.get_slice(t).partition_S(matrix)); });
    ExpectEachElement(threads, 64, 128, sharing,
                      [&](int t) { return PlacesOf(copy.get_slice(t).partition_D(matrix)); });
  };
  using Word = Copy_Atom<UniversalCopy<uint128_t>, float>;
  using Async = Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint64_t>, half_t>;
  check(make_tiled_copy(Word{}, Layout<Shape<_16, _8>>{}, Layout<Shape<_4, _1>>{}), 1);
  check(make_tiled_copy(Word{}, Layout<Shape<_8, _16>, Stride<_16, _1>>{}, Layout<Shape<_1, _8>>{}),
        1);
  check(make_tiled_copy(Async{}, Layout<Shape<_32, _4>>{}, Layout<Shape<_2, _4>, Stride<_4, _1>>{}),
        1);
  check(make_tiled_copy(Copy_Atom<DefaultCopy, float>{}, Layout<Shape<_8, _8>>{},
                        Layout<Shape<_2, _2>>{}),
        1);
}

TEST(TiledCopies, CopyByTheirThreads) {
  constexpr size_t kElements = 2048;  // 64 x 32
  std::vector<float> from(kElements), to(kElements), predicated(kElements);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  const auto shape = Shape<_64, _32>{};
  Tensor src = make_tensor(make_gmem_ptr(from.data()), shape);
  Tensor dst = make_tensor(make_smem_ptr(to.data()), shape, LayoutRight{});
  const auto visit = [&](auto copy_of_tile) {
    std::fill(to.begin(), to.end(), -1.0F);
    for (int t = 0; t < size(copy_of_tile); ++t) {
      const auto part = copy_of_tile.get_slice(t);
      copy(copy_of_tile, part.partition_S(src), part.partition_D(dst));
    }
    for (int i = 0; i < 64; ++i) {
      for (int j = 0; j < 32; ++j) ASSERT_EQ(dst(i, j), src(i, j));
    }
  };
  visit(make_tiled_copy(Copy_Atom<UniversalCopy<float>, float>{}, Layout<Shape<_8, _4>>{},
                        Layout<Shape<_2, _2>>{}));
  visit(make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<float>, float>{},
                        Layout<Shape<_16, _2>>{}, Layout<Shape<_1, _4>>{}));
  visit(make_tiled_copy(Copy_Atom<AutoVectorizingCopy, float>{}, Layout<Shape<_32>>{}));

  // Where the predicate of an asynchronous copy is false it writes zeros; copy_if leaves alone.
  Tensor rows = make_tensor(make_smem_ptr(predicated.data()), shape);
  using Filling = Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint128_t>, float>;
  const auto filling = make_tiled_copy(Filling{}, Layout<Shape<_16, _32>>{}, Layout<Shape<_4>>{});
  fill(rows, -1);
  for (int t = 0; t < size(filling); ++t) {
    const auto part = filling.get_slice(t);
    copy(filling.with(t % 2 == 0), part.partition_S(src), part.partition_D(rows));
  }
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 32; ++j) ASSERT_EQ(rows(i, j), i / 4 % 2 == 0 ? src(i, j) : 0);
  }
  fill(rows, -1);
  const auto plain =
      make_tiled_copy(Copy_Atom<UniversalCopy<float>, float>{}, Layout<Shape<_16, _2>>{});
  for (int t = 0; t < size(plain); ++t) {
    const auto part = plain.get_slice(t);
    copy_if(plain, [](int i) { return i % 3 == 0; }, part.partition_S(src), part.partition_D(rows));
  }
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 32; ++j) {
      ASSERT_EQ(rows(i, j), (i / 16 + 4 * (j / 2)) % 3 == 0 ? src(i, j) : -1);
    }
  }
}

template <class Mma>
void ExpectPartitions(Mma const& mma) {
  const int threads = static_cast<int>(size(mma));
  const auto c = make_identity_tensor(Shape<_64, _64>{});
  const auto part_of_c = [&](int t) { return PlacesOf(mma.get_slice(t).partition_C(c)); };
  ExpectEachElement(threads, 64, 64, 1, part_of_c);
  const int along_m = static_cast<int>(size<1>(mma.get_thr_layout_vmnk()));
  const int along_n = static_cast<int>(size<2>(mma.get_thr_layout_vmnk()));
  ExpectEachElement(threads, 64, 64, along_n,
                    [&](int t) { return PlacesOf(mma.get_slice(t).partition_A(c)); });
  ExpectEachElement(threads, 64, 64, along_m,
                    [&](int t) { return PlacesOf(mma.get_slice(t).partition_B(c)); });
  // The layouts of one tile say the same.
  const auto tile = make_identity_tensor(make_shape(tile_size<0>(mma), tile_size<1>(mma)));
  const auto tv = mma.get_layoutC_TV();
  for (int t = 0; t < threads; ++t) {
    const auto part = mma.get_slice(t).partition_C(tile);
    for (int v = 0; v < size(part); ++v) ASSERT_EQ(PlaceOf(tile(tv(t, v))), PlaceOf(part(v)));
  }
}

TEST(TiledProducts, ShareMatricesWithoutRest) {
  ExpectPartitions(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}));
  ExpectPartitions(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{},
                                  Tile<_32, _32, _16>{}));
  ExpectPartitions(make_tiled_mma(SM80_16x8x8_F32TF32TF32F32_TN{}, Layout<Shape<_4, _1>>{}));
  ExpectPartitions(
      make_tiled_mma(SM80_8x8x4_F64F64F64F64_TN{}, Layout<Shape<_2, _4>, Stride<_4, _1>>{}));
  ExpectPartitions(make_tiled_mma(SM80_16x8x32_S32S8U8S32_TN{}, Layout<Shape<_2, _2>>{}));
  ExpectPartitions(make_tiled_mma(UniversalFMA<float>{}, Layout<Shape<_16, _16, _1>>{}));
}

TEST(TiledProducts, OfOneThreadEach) {
  const auto mma = make_tiled_mma(UniversalFMA<float, float, float>{}, Layout<Shape<_4, _2, _1>>{});
  std::vector<float> a(128), b(64), c(128);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5);
  Tensor mA = make_tensor(a.data(), Shape<_16, _8>{});
  Tensor mB = make_tensor(b.data(), Shape<_8, _8>{});
  Tensor mC = make_tensor(c.data(), Shape<_16, _8>{});
  for (int t = 0; t < size(mma); ++t) {
    const auto thread = mma.get_slice(t);
    Tensor tC = thread.partition_C(mC);
    Tensor sum = thread.make_fragment_C(tC);
    clear(sum);
    gemm(mma, thread.partition_A(mA), thread.partition_B(mB), sum);
    copy(sum, tC);
  }
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      float expected = 0;
      for (int k = 0; k < 8; ++k) expected += mA(i, k) * mB(j, k);
      ASSERT_EQ(mC(i, j), expected);
    }
  }
}

// The registers of a fragment, arranged for another copy: each is the element of the matrix that
// the copy writes there.
template <class Mma, class Copy, class Shape, class Partition>
void ExpectRetiled(Mma const& mma, Copy const& tiled, Shape const& shape,
                   Partition const& partition) {
  const auto matrix = make_identity_tensor(shape);
  for (int t = 0; t < size(mma); ++t) {
    const auto of_mma = partition(mma.get_slice(t), matrix);
    Tensor fragment = make_fragment_like<float>(of_mma.layout().shape());
    const auto of_copy = tiled.get_slice(t).partition_D(matrix);
    // The fragment's offset of each of its indices, and back.
    std::map<int, Place> place_of;
    for (int i = 0; i < size(fragment); ++i) {
      place_of[static_cast<int>(fragment.layout()(i))] = PlaceOf(of_mma(i));
    }
    const auto retiled = tiled.get_slice(t).retile_D(fragment);
    ASSERT_EQ(TextOf(product_each(retiled.shape())), TextOf(product_each(of_copy.shape())));
    for (int i = 0; i < size(retiled); ++i) {
      ASSERT_EQ(place_of[static_cast<int>(retiled.layout()(i))], PlaceOf(of_copy(i)))
          << TextOf(retiled.layout()) << " thread " << t << " at " << i;
    }
  }
}

TEST(TiledProducts, RetiledFragments) {
  const auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{},
                                  Tile<_32, _32, _16>{});
  const auto a = [](auto const& thread, auto const& m) { return thread.partition_A(m); };
  const auto b = [](auto const& thread, auto const& m) { return thread.partition_B(m); };
  const auto c = [](auto const& thread, auto const& m) { return thread.partition_C(m); };
  using Four = Copy_Atom<SM75_U32x4_LDSM_N, half_t>;
  using Two = Copy_Atom<SM75_U32x2_LDSM_N, half_t>;
  using One = Copy_Atom<UniversalCopy<uint32_t>, half_t>;
  ExpectRetiled(mma, make_tiled_copy_A(Four{}, mma), Shape<_64, _64>{}, a);
  ExpectRetiled(mma, make_tiled_copy_B(Four{}, mma), Shape<_64, _32>{}, b);
  ExpectRetiled(mma, make_tiled_copy_A(Two{}, mma), Shape<_32, _64>{}, a);
  ExpectRetiled(mma, make_tiled_copy_B(One{}, mma), Shape<_64, _32>{}, b);
  ExpectRetiled(mma, make_tiled_copy_C(One{}, mma), Shape<_64, _64>{}, c);
  const auto plain = make_tiled_mma(SM80_16x8x8_F32F16F16F32_TN{}, Layout<Shape<_1, _4>>{});
  ExpectRetiled(plain, make_tiled_copy_A(Two{}, plain), Shape<_64, _32>{}, a);
  ExpectRetiled(plain, make_tiled_copy_B(One{}, plain), Shape<_64, _32>{}, b);
}

TEST(Atoms, HaveTheLayoutsOfTheirInstructions) {
  using Traits = MMA_Traits<SM80_16x8x16_F32F16F16F32_TN>;
  EXPECT_EQ(TextOf(Traits::ALayout{}), "((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))");
  EXPECT_EQ(TextOf(Traits::BLayout{}), "((_4,_8),(_2,_2)):((_16,_1),(_8,_64))");
  EXPECT_EQ(TextOf(Traits::CLayout{}), "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))");
  const auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{});
  EXPECT_EQ(TextOf(tile_shape(mma)), "(_32,_16,_16)");
  EXPECT_EQ(TextOf(size(mma)), "_128");
  EXPECT_EQ(TextOf(partition_shape_C(mma, Shape<_64, _64>{})), "((_2,_2),_2,_4)");
}

}  // namespace
}  // namespace cute_test
