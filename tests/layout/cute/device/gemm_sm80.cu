// A product of halves for sm_80, in CuTe's vocabulary: tiles come by cp.async into three stages of
// swizzled shared memory, go on by ldmatrix into registers, and are multiplied by mma.sync.
// gemm_sm80_test.cc runs gemm_sm80.ptx, which nvcc made of this:
//
//   nvcc -arch=sm_80 -std=c++17 -O3 -DNDEBUG -ptx -I. tests/layout/cute/device/gemm_sm80.cu -o - |
//     grep -v '^//' > tests/layout/cute/device/gemm_sm80.ptx
#include "layout/cute/tensor.h"

namespace {

namespace cute = hlo_indexing::cute;

struct Configuration {
  using Tile = cute::Shape<cute::_64, cute::_64, cute::_32>;
  using Stages = cute::_3;
  // Rows of 32 halves; eight of them are swizzled together.
  using Block = decltype(cute::composition(
      cute::Swizzle<2, 3, 3>{},
      cute::Layout<cute::Shape<cute::_8, cute::_32>, cute::Stride<cute::_32, cute::_1>>{}));
  using SharedLayout =
      decltype(cute::tile_to_shape(Block{}, cute::Shape<cute::_64, cute::_32, Stages>{}));
  using GlobalCopy = decltype(cute::make_tiled_copy(
      cute::Copy_Atom<cute::SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>, cute::half_t>{},
      cute::Layout<cute::Shape<cute::_32, cute::_4>, cute::Stride<cute::_4, cute::_1>>{},
      cute::Layout<cute::Shape<cute::_1, cute::_8>>{}));
  using SharedCopy = cute::Copy_Atom<cute::SM75_U32x4_LDSM_N, cute::half_t>;
  using Mma = decltype(cute::make_tiled_mma(cute::SM80_16x8x16_F32F16F16F32_TN{},
                                            cute::Layout<cute::Shape<cute::_2, cute::_2>>{},
                                            cute::Tile<cute::_32, cute::_32, cute::_16>{}));
};

}  // namespace

// C (M,N) = A (M,K) * B (N,K), A and B with neighbours along K, C along N. M and N are multiples of
// 64, K of 32.
extern "C" __global__ void __launch_bounds__(128)
    gemm_sm80(const cute::half_t* a, const cute::half_t* b, float* c, int m, int n, int k) {
  using namespace cute;  // NOLINT: as kernels do
  using Config = Configuration;
  __shared__ half_t shared_a[cosize_v<Config::SharedLayout>];
  __shared__ half_t shared_b[cosize_v<Config::SharedLayout>];

  Tensor mA = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(k, _1{}));
  Tensor mB = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(k, _1{}));
  Tensor mC = make_tensor(make_gmem_ptr(c), make_shape(m, n), make_stride(n, _1{}));
  const auto tile = Config::Tile{};
  const auto at = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(mA, tile, at, Step<_1, X, _1>{});
  Tensor gB = local_tile(mB, tile, at, Step<X, _1, _1>{});
  Tensor gC = local_tile(mC, tile, at, Step<_1, _1, X>{});
  Tensor sA = make_tensor(make_smem_ptr(shared_a), Config::SharedLayout{});
  Tensor sB = make_tensor(make_smem_ptr(shared_b), Config::SharedLayout{});

  Config::GlobalCopy global_copy;
  auto thread_copy = global_copy.get_slice(threadIdx.x);
  Tensor tAgA = thread_copy.partition_S(gA);
  Tensor tAsA = thread_copy.partition_D(sA);
  Tensor tBgB = thread_copy.partition_S(gB);
  Tensor tBsB = thread_copy.partition_D(sB);

  Config::Mma mma;
  auto thread_mma = mma.get_slice(threadIdx.x);
  Tensor tCgC = thread_mma.partition_C(gC);
  Tensor tCrA = thread_mma.partition_fragment_A(sA(_, _, 0));
  Tensor tCrB = thread_mma.partition_fragment_B(sB(_, _, 0));
  Tensor tCrC = thread_mma.make_fragment_C(tCgC);
  clear(tCrC);

  auto copy_a = make_tiled_copy_A(Config::SharedCopy{}, mma);
  auto copy_b = make_tiled_copy_B(Config::SharedCopy{}, mma);
  auto thread_a = copy_a.get_slice(threadIdx.x);
  auto thread_b = copy_b.get_slice(threadIdx.x);
  Tensor tXsA = thread_a.partition_S(sA);
  Tensor tXrA = thread_a.retile_D(tCrA);
  Tensor tXsB = thread_b.partition_S(sB);
  Tensor tXrB = thread_b.retile_D(tCrB);

  const int tiles = static_cast<int>(size<3>(tAgA));
  constexpr int stages = Config::Stages::value;
  for (int stage = 0; stage < stages - 1; ++stage) {
    if (stage < tiles) {
      copy(global_copy, tAgA(_, _, _, stage), tAsA(_, _, _, stage));
      copy(global_copy, tBgB(_, _, _, stage), tBsB(_, _, _, stage));
    }
    cp_async_fence();
  }
  for (int t = 0; t < tiles; ++t) {
    cp_async_wait<stages - 2>();
    __syncthreads();
    const int next = t + stages - 1;
    if (next < tiles) {
      copy(global_copy, tAgA(_, _, _, next), tAsA(_, _, _, next % stages));
      copy(global_copy, tBgB(_, _, _, next), tBsB(_, _, _, next % stages));
    }
    cp_async_fence();
    CUTE_UNROLL
    for (int block = 0; block < size<2>(tCrA); ++block) {
      copy(copy_a, tXsA(_, _, block, t % stages), tXrA(_, _, block));
      copy(copy_b, tXsB(_, _, block, t % stages), tXrB(_, _, block));
      gemm(mma, tCrA(_, _, block), tCrB(_, _, block), tCrC);
    }
  }
  copy(tCrC, tCgC);
}
