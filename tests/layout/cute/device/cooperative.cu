// Products of matrices in shared memory by cooperative_gemm, and moves within a warp.
// cooperative_test.cc runs cooperative.ptx, which nvcc made of this:
//
//   nvcc -arch=sm_90 -std=c++17 -O3 -DNDEBUG -ptx -I. tests/layout/cute/device/cooperative.cu -o -
//   |
//     grep -v '^//' > tests/layout/cute/device/cooperative.ptx
#include "layout/cute/tensor.h"

namespace {

using namespace hlo_indexing::cute;  // NOLINT: as kernels do

// C = 2 * A * B + 3 * C by way of shared memory; SA, SB and SC are the layouts there, A and B in
// global memory are K-major, C is M-major.
template <int threads, class CopyA, class CopyB, class Mma, class SA, class SB, class SC, class TA,
          class TB, class TC, class... Functions>
__device__ void Multiply(Mma const& mma, SA const& layout_a, SB const& layout_b, SC const& layout_c,
                         TA const* a, TB const* b, TC* c, Functions const&... functions) {
  __shared__ alignas(16) TA smem_a[cosize_v<SA>];
  __shared__ alignas(16) TB smem_b[cosize_v<SB>];
  __shared__ alignas(16) TC smem_c[cosize_v<SC>];
  Tensor sA = make_tensor(make_smem_ptr(&smem_a[0]), layout_a);
  Tensor sB = make_tensor(make_smem_ptr(&smem_b[0]), layout_b);
  Tensor sC = make_tensor(make_smem_ptr(&smem_c[0]), layout_c);
  Tensor gA = make_tensor(make_gmem_ptr(a), product_each(shape(layout_a)), LayoutRight{});
  Tensor gB = make_tensor(make_gmem_ptr(b), product_each(shape(layout_b)), LayoutRight{});
  Tensor gC = make_tensor(make_gmem_ptr(c), product_each(shape(layout_c)));
  const auto move = [](auto const& from, auto&& to) {
    for (int i = static_cast<int>(threadIdx.x); i < size(to); i += threads) to(i) = from(i);
  };
  move(gA, sA);
  move(gB, sB);
  move(gC, sC);
  __syncthreads();
  if constexpr (sizeof...(functions) == 0) {
    cooperative_gemm(threadIdx.x, mma, TC(2), sA, sB, TC(3), sC, identity{}, identity{}, identity{},
                     identity{}, CopyA{}, CopyB{});
  } else {
    cooperative_gemm(threadIdx.x, mma, TC(2), sA, sB, TC(3), sC, functions...);
  }
  __syncthreads();
  move(sC, gC);
}

template <int m, int k>
using RowMajor = Layout<Shape<Int<m>, Int<k>>, Stride<Int<k>, _1>>;
template <int m, int n>
using ColumnMajor = Layout<Shape<Int<m>, Int<n>>>;

}  // namespace

extern "C" __global__ void WholeTiles(half_t const* a, half_t const* b, float* c) {
  Multiply<128, DefaultCopy, DefaultCopy>(
      make_tiled_mma(SM80_16x8x8_F32F16F16F32_TN{}, Layout<Shape<_2, _2, _1>>{}),
      RowMajor<64, 32>{}, RowMajor<48, 32>{}, ColumnMajor<64, 48>{}, a, b, c);
}
// Swizzled, loaded by ldmatrix: B is N-major.
extern "C" __global__ void Swizzled(half_t const* a, half_t const* b, float* c) {
  const auto rows = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  const auto columns = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_64, _8>>{});
  Multiply<128, SM75_U32x4_LDSM_N, SM75_U16x8_LDSM_T>(
      make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2, _1>>{},
                     Tile<_32, _32, _16>{}),
      tile_to_shape(rows, Shape<_64, _64>{}), tile_to_shape(columns, Shape<_64, _64>{}),
      RowMajor<64, 64>{}, a, b, c);
}
// Tiles that hang over all edges.
extern "C" __global__ void Overhanging(tfloat32_t const* a, tfloat32_t const* b, float* c) {
  Multiply<64, DefaultCopy, DefaultCopy>(
      make_tiled_mma(SM80_16x8x8_F32TF32TF32F32_TN{}, Layout<Shape<_1, _2, _1>>{}),
      RowMajor<19, 9>{}, RowMajor<21, 9>{}, ColumnMajor<19, 21>{}, a, b, c);
}
// -(2 * (-A) * (-B) + 3 * (-C))
extern "C" __global__ void Negated(tfloat32_t const* a, tfloat32_t const* b, float* c) {
  Multiply<64, DefaultCopy, DefaultCopy>(
      make_tiled_mma(SM80_16x8x8_F32TF32TF32F32_TN{}, Layout<Shape<_1, _2, _1>>{}),
      RowMajor<9, 9>{}, RowMajor<9, 9>{}, ColumnMajor<9, 9>{}, a, b, c, negate{}, negate{},
      negate{}, negate{});
}
extern "C" __global__ void ComplexDoubles(complex<double> const* a, complex<double> const* b,
                                          complex<double>* c) {
  Multiply<128, DefaultCopy, DefaultCopy>(
      make_tiled_mma(SM80_8x8x4_C64C64C64C64_TN{}, Layout<Shape<_2, _2, _1>>{}), RowMajor<13, 35>{},
      RowMajor<7, 35>{}, ColumnMajor<13, 7>{}, a, b, c);
}
// By the wider instruction of sm_90.
extern "C" __global__ void WideComplexDoubles([[maybe_unused]] complex<double> const* a,
                                              [[maybe_unused]] complex<double> const* b,
                                              [[maybe_unused]] complex<double>* c) {
#if __CUDA_ARCH__ >= 900
  Multiply<64, DefaultCopy, DefaultCopy>(
      make_tiled_mma(SM90_16x8x8_C64C64C64C64_TN{}, Layout<Shape<_1, _2, _1>>{}),
      RowMajor<13, 35>{}, RowMajor<7, 35>{}, ColumnMajor<13, 7>{}, a, b, c);
#endif
}
extern "C" __global__ void PlainProducts(half_t const* a, half_t const* b, float* c) {
  Multiply<64, DefaultCopy, DefaultCopy>(
      make_tiled_mma(UniversalFMA<float, half_t, half_t, float>{}, Layout<Shape<_8, _8, _1>>{}),
      RowMajor<8, 3>{}, RowMajor<7, 3>{}, ColumnMajor<8, 7>{}, a, b, c);
}

extern "C" __global__ void Transpose8x8(uint32_t const* from, uint32_t* to) {
  Tensor in = make_tensor<uint32_t>(Shape<_1, _1, _1>{});
  Tensor out = make_tensor<uint32_t>(Shape<_1, _1, _1>{});
  in(0) = from[threadIdx.x];
  copy(Copy_Atom<SM75_U32x1_MOVM_T, uint32_t>{}, in, out);
  to[threadIdx.x] = out(0);
}
extern "C" __global__ void LoadMatrices(uint128_t const* from, uint128_t* to,
                                        uint64_t* transposed) {
  __shared__ uint128_t rows[32];
  prefetch(make_tensor(make_gmem_ptr(from), Layout<_32>{}));
  copy(AutoCopyAsync{}, make_tensor(make_gmem_ptr(from + threadIdx.x), Layout<_1>{}),
       make_tensor(make_smem_ptr(&rows[threadIdx.x]), Layout<_1>{}));
  cp_async_fence();
  cp_async_wait<0>();
  __syncthreads();
  copy_ldsm(&rows[threadIdx.x], to + threadIdx.x);
  copy_ldsm_trans(&rows[threadIdx.x % 16], transposed + threadIdx.x);
}
// Matrices from registers to rows in shared memory, and from there to global memory.
template <int matrices>
static __device__ void Store([[maybe_unused]] array<uint32_t, matrices> const* from,
                             [[maybe_unused]] uint128_t* to,
                             [[maybe_unused]] uint128_t* transposed) {
#if __CUDA_ARCH__ >= 900
  __shared__ uint128_t rows[8 * matrices];
  const unsigned row = threadIdx.x % (8 * matrices);
  const array<uint32_t, matrices> registers = from[threadIdx.x];
  copy_stsm(&registers, &rows[row]);
  __syncthreads();
  if (threadIdx.x < 8 * matrices) to[row] = rows[row];
  __syncthreads();
  copy_stsm_trans(&registers, &rows[row]);
  __syncthreads();
  if (threadIdx.x < 8 * matrices) transposed[row] = rows[row];
#endif
}
extern "C" __global__ void StoreFour(array<uint32_t, 4> const* from, uint128_t* to,
                                     uint128_t* transposed) {
  Store<4>(from, to, transposed);
}
extern "C" __global__ void StoreTwo(array<uint32_t, 2> const* from, uint128_t* to,
                                    uint128_t* transposed) {
  Store<2>(from, to, transposed);
}
extern "C" __global__ void StoreOne(array<uint32_t, 1> const* from, uint128_t* to,
                                    uint128_t* transposed) {
  Store<1>(from, to, transposed);
}
