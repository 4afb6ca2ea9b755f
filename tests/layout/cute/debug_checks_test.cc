// What debug builds check; a failed check throws here.
#include <stdexcept>

#define HLO_INDEXING_CUTE_DEBUG 1
#define HLO_INDEXING_CUTE_FAIL(message) throw std::runtime_error(message)

#include <gtest/gtest.h>

#include <string>

#include "layout/cute/tensor.h"

namespace cute_test {
namespace {

using namespace hlo_indexing::layout::cute;  // NOLINT: as kernels do

// The message of the check that fails, or "" if none does.
template <class F>
std::string FailureOf(F&& f) {
  try {
    f();
  } catch (std::runtime_error const& error) {
    return error.what();
  }
  return "";
}

constexpr char kOutside[] = "tensor access: the coordinate lies outside the shape of the tensor";

TEST(DebugChecks, AccessOutsideTheShape) {
  Tensor t = make_tensor<float>(Shape<_4, _8>{});
  EXPECT_EQ(FailureOf([&] { t(3, 7) = 1; }), "");
  EXPECT_EQ(FailureOf([&] { t(4, 0) = 1; }), kOutside);
  EXPECT_EQ(FailureOf([&] { t(-1, 0) = 1; }), kOutside);
  EXPECT_EQ(FailureOf([&] { t(31) = 1; }), "");
  EXPECT_EQ(FailureOf([&] { t(32) = 1; }), kOutside);
  EXPECT_EQ(FailureOf([&] { t(4, _); }),
            "tensor slice: the coordinate lies outside the shape of the tensor");
}

// Elements wider or narrower than others follow each other upwards, one mode at a time.
TEST(DebugChecks, PartsOfElementsAreThoseOfOneMode) {
  constexpr char kUpcast[] =
      "upcast<n>: several modes run through the parts of an element, or one runs through them "
      "backwards";
  constexpr char kDowncast[] =
      "downcast<n>: several modes run through the parts of an element, or one runs through them "
      "backwards";
  const auto with_strides = [](int a, int b) {
    return make_layout(make_shape(4, 2), make_stride(a, b));
  };
  EXPECT_EQ(FailureOf([&] { upcast<2>(with_strides(1, 4)); }), "");
  EXPECT_EQ(FailureOf([&] { upcast<2>(with_strides(1, -4)); }), "");
  EXPECT_EQ(FailureOf([&] { upcast<2>(with_strides(1, 1)); }), kUpcast);
  EXPECT_EQ(FailureOf([&] { upcast<2>(with_strides(-1, 4)); }), kUpcast);
  const auto beside_unit = [](int b) {
    return make_layout(make_shape(4, 2), make_stride(_1{}, b));
  };
  EXPECT_EQ(FailureOf([&] { downcast<2>(beside_unit(4)); }), "");
  EXPECT_EQ(FailureOf([&] { downcast<2>(beside_unit(1)); }), kDowncast);
  EXPECT_EQ(FailureOf([&] { downcast<2>(beside_unit(-1)); }), kDowncast);
  // A mode of one element has no parts to count twice.
  const auto one = downcast<2>(Layout<Shape<_1, _4>, Stride<_1, _1>>{});
  EXPECT_EQ(size(one), 8);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(one(i), i);
}

TEST(DebugChecks, TilesThatReachBeyondTheMemory) {
  float storage[41 * 55];
  Tensor t = make_tensor(&storage[0], make_shape(41, 55));
  Tensor last = local_tile(t, Shape<_4, _8>{}, make_coord(10, 6));  // 1 x 7 elements are inside
  EXPECT_EQ(FailureOf([&] { last(0, 6) = 1; }), "");
  EXPECT_EQ(FailureOf([&] { last(0, 7) = 1; }),
            "tensor access: the element lies outside the memory of the tensor");
  EXPECT_EQ(FailureOf([&] { last(3, 6) = 1; }),
            "tensor access: the element lies outside the memory of the tensor");
  const auto extent = tile_extent(t.shape(), Shape<_4, _8>{}, make_coord(10, 6));
  EXPECT_EQ(get<0>(extent), 1);
  EXPECT_EQ(get<1>(extent), 7);
  int inside = 0;
  for (int i = 0; i < size(last); ++i) {
    inside += elem_less(idx2crd(i, last.shape()), extent) ? 1 : 0;
  }
  EXPECT_EQ(inside, 7);
}

// Vectors are copied without a look at each element only where all of the tensor is in memory.
TEST(DebugChecks, CopiesOfTilesThatReachBeyondTheMemory) {
  alignas(16) float storage[24] = {};
  Tensor t = make_tensor(&storage[0], make_shape(_6{}, _4{}));
  Tensor inside = local_tile(t, Shape<_2, _4>{}, make_coord(2, 0));
  Tensor beyond = local_tile(t, Shape<_4, _4>{}, make_coord(1, 0));
  EXPECT_EQ(FailureOf([&] { copy(inside, make_tensor_like(inside)); }), "");
  EXPECT_EQ(FailureOf([&] { copy(beyond, make_tensor_like(beyond)); }),
            "tensor access: the element lies outside the memory of the tensor");
  EXPECT_EQ(FailureOf([&] { cooperative_copy<1>(0, beyond, make_tensor_like(beyond)); }),
            "tensor access: the element lies outside the memory of the tensor");
}

TEST(DebugChecks, SizesThatDoNotAgree) {
  float storage[64] = {};
  Tensor small = make_tensor(&storage[0], make_shape(4, 3));
  Tensor large = make_tensor(&storage[16], make_shape(4, 4));
  EXPECT_EQ(FailureOf([&] { copy(large, small); }), "");
  EXPECT_EQ(FailureOf([&] { copy(small, large); }),
            "copy(src, dst): src has fewer elements than dst");
  const char gemm_sizes[] = "gemm(D, A, B, C): the sizes of M, N, K or V do not agree";
  EXPECT_EQ(FailureOf([&] { gemm(small, small, large); }), "");
  EXPECT_EQ(FailureOf([&] { gemm(small, large, large); }), gemm_sizes);
  EXPECT_EQ(FailureOf([&] { gemm(small, small, small, large); }), gemm_sizes);  // D is not C's size
  Tensor vectors = make_tensor(&storage[0], make_shape(3, 4));
  Tensor results = make_tensor(&storage[0], make_shape(4, 3, 4));
  EXPECT_EQ(FailureOf([&] { gemm(small, vectors, results); }), gemm_sizes);
}

TEST(DebugChecks, DestinationsThatAlias) {
  int storage[16] = {};
  // Orders that tie leave both modes with stride 1.
  const auto tied = make_ordered_layout(make_shape(4, 4), Step<_1, _1>{});
  Tensor aliased = make_tensor(&storage[0], tied);
  const char message[] = "the destination maps two coordinates to one element";
  EXPECT_EQ(FailureOf([&] { fill(aliased, 1); }), message);
  EXPECT_EQ(FailureOf([&] { copy(make_tensor<int>(Shape<_4, _4>{}), aliased); }), message);
  EXPECT_EQ(FailureOf([&] { fill(make_tensor(&storage[0], make_shape(4, 4)), 1); }), "");
  // Static: found at the first write as well, and not where strides merely interleave.
  EXPECT_EQ(
      FailureOf([&] { clear(make_tensor(&storage[0], Layout<Shape<_4, _4>, Stride<_1, _1>>{})); }),
      message);
  EXPECT_EQ(
      FailureOf([&] { clear(make_tensor(&storage[0], Layout<Shape<_3, _2>, Stride<_2, _3>>{})); }),
      "");
  // A stride of 0 is a broadcast.
  EXPECT_EQ(
      FailureOf([&] { clear(make_tensor(&storage[0], Layout<Shape<_4, _4>, Stride<_1, _0>>{})); }),
      "");
}

TEST(DebugChecks, DestinationsThatAliasInLargeLayouts) {
  static int storage[30000];
  const char message[] = "the destination maps two coordinates to one element";
  const auto fills = [&](auto shape, auto stride) {
    return FailureOf([&] { fill(make_tensor(&storage[10000], shape, stride), 1); });
  };
  EXPECT_EQ(fills(make_shape(100, 100), make_stride(1, 2)), message);
  EXPECT_EQ(fills(make_shape(100, 100), make_stride(1, -99)), message);
  EXPECT_EQ(fills(make_shape(100, 100), make_stride(1, 100)), "");
  EXPECT_EQ(fills(make_shape(100, 100), make_stride(-1, 100)), "");
  // Only all three modes together meet: 1 * 2 + 1 * 3 = 1 * 5.
  EXPECT_EQ(fills(make_shape(3, 2, 2), make_stride(2, 3, 5)), message);
  EXPECT_EQ(fills(make_shape(2, 2, 2), make_stride(2, 3, 6)), "");
  // Without elements, or with one in a mode, there is nothing to meet.
  EXPECT_EQ(fills(make_shape(0, 4), make_stride(1, 0)), "");
  EXPECT_EQ(fills(make_shape(4, 1), make_stride(1, 0)), "");
  EXPECT_EQ(FailureOf([&] {
              cooperative_copy<4>(0, make_tensor(&storage[0], make_shape(4, 4)),
                                  make_tensor(&storage[100], make_shape(4, 4), make_stride(1, 2)));
            }),
            message);
}

TEST(DebugChecks, SizesThatOverflow) {
  const auto large = make_layout(make_shape(65536, 65536));
  EXPECT_EQ(size(large), int64_t{1} << 32);
  EXPECT_EQ(cosize(large), int64_t{1} << 32);
  EXPECT_EQ(large(65535, 65535), (int64_t{1} << 32) - 1);
  const auto message = "a size or an offset does not fit 64 bits";
  const int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(FailureOf([&] { size(make_shape(huge, huge)); }), message);
  // Sums, of which each part fits.
  const int64_t half = int64_t{1} << 62;
  const auto wide = make_layout(make_shape(2, 2), make_stride(half, half));
  EXPECT_EQ(FailureOf([&] { wide(1, 0); }), "");
  EXPECT_EQ(FailureOf([&] { wide(1, 1); }), message);
  EXPECT_EQ(FailureOf([&] { cosize(wide); }), message);
  char byte = 0;
  EXPECT_EQ(FailureOf([&] { make_tensor(&byte, wide); }), message);
}

TEST(DebugChecks, AssumptionsThatDoNotHold) {
  EXPECT_EQ(FailureOf([] { assume<8>(24); }), "");
  EXPECT_EQ(FailureOf([] { assume<8>(20); }), "assume<divisor>(n): n is not a multiple of divisor");
}

TEST(DebugChecks, RecastsOfDataThatIsNotAligned) {
  alignas(16) half_t storage[16];
  EXPECT_EQ(FailureOf([&] { recast<uint32_t>(make_tensor(&storage[2], Shape<_8>{})); }), "");
  EXPECT_EQ(FailureOf([&] { recast<uint32_t>(make_tensor(&storage[1], Shape<_8>{})); }),
            "recast<T>(tensor): the data of the tensor is not aligned for T");
}

TEST(DebugChecks, ThreadsThatDoNotExist) {
  Tensor t = make_tensor<float>(Shape<_4, _8>{});
  EXPECT_EQ(FailureOf([&] { cooperative_copy<4>(4, t, t); }),
            "cooperative_copy<threads>: there is no thread of that number");
  const auto threads = Layout<Shape<_2, _4>>{};
  EXPECT_EQ(FailureOf([&] { local_partition(t, threads, 7); }), "");
  EXPECT_EQ(FailureOf([&] { local_partition(t, threads, 8); }),
            "local_partition(t, threads, index): the index is not one of a thread");
}

// These stay in every build: they stand for a wrong layout.
TEST(Checks, DynamicCompositionsThatDoNotExist) {
  const auto a = make_layout(make_shape(4, 6, 8), make_stride(2, 3, 5));
  EXPECT_NE(FailureOf([&] { composition(a, make_layout(6, 3)); }), "");
  EXPECT_EQ(FailureOf([&] { composition(a, make_layout(2, 2)); }), "");
  const auto b = make_layout(make_shape(5, 8), make_stride(8, 1));
  EXPECT_NE(
      FailureOf([&] { composition(b, make_layout(make_shape(2, 2, 2), make_stride(1, 2, 4))); }),
      "");
  // A stride of 0 divides nothing.
  const auto zero = composition(make_layout(make_shape(8, 3), make_stride(3, 1)),
                                make_layout(make_shape(4, 1), make_stride(1, 0)));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(zero(i), 3 * i);
}
TEST(Checks, RecastsThatDoNotExist) {
  // An extent that is static would have to change with the stride.
  EXPECT_NE(FailureOf([] { recast_layout<half_t, uint32_t>(make_layout(_16{}, 1)); }), "");
  EXPECT_NE(FailureOf([] { recast_layout<half_t, uint32_t>(make_layout(15, 1)); }), "");
  const auto words = recast_layout<half_t, uint32_t>(make_layout(16, 1));
  EXPECT_EQ(size(words), 8);
  EXPECT_EQ(words(7), 7);
  EXPECT_EQ(FailureOf([] { recast_layout<half_t, uint32_t>(make_layout(16, 2)); }), "");
}

// Modes that turn out to continue each other are one, for what has no place in the first of them.
TEST(Checks, CompositionsThroughModesThatContinueEachOther) {
  const auto composed = [](auto const& a, auto const& b) {
    const auto result = composition(a, b);
    for (int i = 0; i < static_cast<int>(size(b)); ++i) EXPECT_EQ(result(i), a(b(i)));
    EXPECT_EQ(size(result), size(b));
    return result;
  };
  const auto two = make_layout(make_shape(7, 4), make_stride(1, 7));
  const auto result = composed(two, make_layout(3, 4));
  EXPECT_EQ(get<0>(shape(result)), 3);
  EXPECT_EQ(get<1>(shape(result)), 1);
  EXPECT_EQ(get<0>(stride(result)), 4);
  composed(two, make_layout(10, 1));
  composed(two, make_layout(9, -3));
  composed(two, make_layout(make_shape(3, 2), make_stride(4, 5)));
  composed(two, make_layout(_3{}, 4));
  composed(make_layout(make_shape(2, 7, 4), make_stride(1, 100, 700)), make_layout(3, 8));
  // With an end: 7 * 4 numbers go on evenly, and the fifth run of 28 begins at 1000.
  const auto three = make_layout(make_shape(7, 4, 5), make_stride(1, 7, 1000));
  composed(three, make_layout(6, 5));
  EXPECT_NE(FailureOf([&] { composition(three, make_layout(7, 5)); }), "");
  // Together they would run past the end.
  EXPECT_NE(
      FailureOf([&] { composition(three, make_layout(make_shape(3, 4), make_stride(4, 7))); }), "");
  constexpr char kBetween[] =
      "composition(A, B): no layout is found for these run-time numbers, for a stride of B neither "
      "divides the extent of a mode of A nor is a multiple of it, and the next mode of A does not "
      "continue that one";
  const auto padded = make_layout(make_shape(7, 4), make_stride(1, 8));
  EXPECT_EQ(FailureOf([&] { composition(padded, make_layout(3, 4)); }), kBetween);
  EXPECT_EQ(
      FailureOf([&] { composition(padded, make_layout(10, 1)); }),
      "composition(A, B): no layout is found for these run-time numbers, for a mode of B runs "
      "past the end of a mode of A, its extent is no multiple of what fits there, and the "
      "next mode of A does not continue that one");
  EXPECT_EQ(
      FailureOf([&] { composition(padded, make_layout(make_shape(3, 3), make_stride(1, 3))); }),
      "composition(A, B): no layout is found for these run-time numbers, for modes of B run "
      "together past the end of a mode of A, and the next does not continue it");
}

// One mode of a dynamic stride: what lies between its elements are as many places as the stride
// says.
TEST(DebugChecks, DynamicStridesOfComplementsArePositive) {
  constexpr char kNotPositive[] =
      "complement, divide or product: there is none, a dynamic stride is not above 0";
  for (int stride : {-3, -1, 0}) {
    EXPECT_EQ(FailureOf([&] { complement(make_layout(2, stride), 12); }), kNotPositive);
    EXPECT_EQ(FailureOf([&] { logical_divide(make_layout(12, 1), make_layout(_2{}, stride)); }),
              kNotPositive);
    EXPECT_EQ(FailureOf([&] { logical_product(make_layout(4, stride), make_layout(3, 1)); }),
              kNotPositive);
  }
  EXPECT_EQ(FailureOf([&] { complement(make_layout(2, 3), 12); }), "");
}

}  // namespace
}  // namespace cute_test
