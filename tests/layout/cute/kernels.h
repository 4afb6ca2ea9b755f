#ifndef HLO_INDEXING_TESTS_LAYOUT_CUTE_KERNELS_H_
#define HLO_INDEXING_TESTS_LAYOUT_CUTE_KERNELS_H_

#include "layout/cute/tensor.h"

// Two kernels as they are written for CuTe. The bodies are functions of a thread and a phase, so
// that nvcc compiles them for the device and a test runs the same code on the host, thread after
// thread.
namespace cute_kernels {

namespace cute = hlo_indexing::layout::cute;

using TransposeTile = cute::Shape<cute::_32, cute::_32>;
using TransposeShared =
    cute::Layout<TransposeTile, cute::Stride<cute::_33, cute::_1>>;  // no bank conflicts

/// Transposes a (m,n) row-major matrix through a tile in shared memory: loads in the first phase,
/// stores in the second; all threads finish the first before the second.
template <class T>
CUTE_HOST_DEVICE void TransposeThread(T const* in, T* out, int m, int n, T* shared, int block_x,
                                      int block_y, int thread, int phase) {
  using namespace cute;
  Tensor gmem_in = make_tensor(make_gmem_ptr(in), make_shape(m, n), make_stride(n, Int<1>{}));
  Tensor gmem_out = make_tensor(make_gmem_ptr(out), make_shape(m, n), make_stride(Int<1>{}, m));
  Tensor smem = make_tensor(make_smem_ptr(shared), TransposeShared{});
  const auto block = make_coord(block_x, block_y);
  if (phase == 0) {
    const auto threads = Layout<Shape<_8, _32>, Stride<_32, _1>>{};
    copy(local_partition(local_tile(gmem_in, TransposeTile{}, block), threads, thread),
         local_partition(smem, threads, thread));
  } else {
    const auto threads = Layout<Shape<_32, _8>>{};
    copy(local_partition(smem, threads, thread),
         local_partition(local_tile(gmem_out, TransposeTile{}, block), threads, thread));
  }
}

constexpr int kGemmThreads = 64;
using GemmTile = cute::Shape<cute::_32, cute::_32, cute::_8>;
using GemmSharedA = cute::Layout<cute::Shape<cute::_32, cute::_8>>;
using GemmSharedB = cute::Layout<cute::Shape<cute::_32, cute::_8>>;

/// The accumulators of a thread: 4 x 4 of the 32 x 32 elements of the tile.
using GemmAccumulators = cute::ArrayEngine<float, 16>;

/// C = A * B of column-major (m,k), (n,k), (m,n): phase 0 clears, 1 loads tile k_tile, 2
/// multiplies, 3 stores.
CUTE_HOST_DEVICE void GemmThread(float const* a, float const* b, float* c, int m, int n, int k,
                                 float* shared_a, float* shared_b, float* accumulators, int block_x,
                                 int block_y, int thread, int k_tile, int phase) {
  using namespace cute;
  Tensor mA = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(Int<1>{}, m));
  Tensor mB = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(Int<1>{}, n));
  Tensor mC = make_tensor(make_gmem_ptr(c), make_shape(m, n), make_stride(Int<1>{}, m));
  const auto block = make_coord(block_x, block_y, _);
  Tensor gA = local_tile(mA, GemmTile{}, block, Step<_1, X, _1>{});  // (32,8,k)
  Tensor gB = local_tile(mB, GemmTile{}, block, Step<X, _1, _1>{});  // (32,8,k)
  Tensor gC = local_tile(mC, GemmTile{}, block, Step<_1, _1, X>{});  // (32,32)
  Tensor sA = make_tensor(make_smem_ptr(shared_a), GemmSharedA{});
  Tensor sB = make_tensor(make_smem_ptr(shared_b), GemmSharedB{});
  const auto loaders = Layout<Shape<_32, _2>>{};
  const auto workers = Layout<Shape<_8, _8>>{};
  Tensor tCsA = local_partition(sA, workers, thread, Step<_1, X>{});   // (4,8)
  Tensor tCsB = local_partition(sB, workers, thread, Step<X, _1>{});   // (4,8)
  Tensor tCgC = local_partition(gC, workers, thread, Step<_1, _1>{});  // (4,4)
  Tensor tCrC = make_tensor(accumulators, Layout<Shape<_4, _4>>{});
  if (phase == 0) {
    clear(tCrC);
  } else if (phase == 1) {
    copy(local_partition(gA(_, _, k_tile), loaders, thread), local_partition(sA, loaders, thread));
    copy(local_partition(gB(_, _, k_tile), loaders, thread), local_partition(sB, loaders, thread));
  } else if (phase == 2) {
    gemm(tCsA, tCsB, tCrC);
  } else {
    copy(tCrC, tCgC);
  }
}

}  // namespace cute_kernels

#endif  // HLO_INDEXING_TESTS_LAYOUT_CUTE_KERNELS_H_
