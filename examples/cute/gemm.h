#ifndef HLO_INDEXING_EXAMPLES_CUTE_GEMM_H_
#define HLO_INDEXING_EXAMPLES_CUTE_GEMM_H_

#include "layout/cute/tensor.h"

// A tiled matrix product. What one thread does between two barriers is a function, so that the
// kernel (gemm.cu) and a loop over threads on the host (gemm.cc) run the same code.
namespace examples {

namespace cute = hlo_indexing::layout::cute;

constexpr int kGemmTileM = 32;
constexpr int kGemmTileN = 32;
constexpr int kGemmTileK = 8;
constexpr int kGemmThreads = 64;

/// c(i,j) = sum over l of a(i,l) * b(j,l), all in column-major order: a is m x k, b is n x k.
struct GemmProblem {
  float const* a;
  float const* b;
  float* c;
  int m;
  int n;
  int k;
};

struct GemmThread {
  using Tile = cute::Shape<cute::Int<kGemmTileM>, cute::Int<kGemmTileN>, cute::Int<kGemmTileK>>;
  using SharedA = cute::Layout<cute::Shape<cute::Int<kGemmTileM>, cute::Int<kGemmTileK>>>;
  using SharedB = cute::Layout<cute::Shape<cute::Int<kGemmTileN>, cute::Int<kGemmTileK>>>;
  /// The threads as they load a tile of a or b, and as they share the tile of c.
  using Loaders = cute::Layout<cute::Shape<cute::_32, cute::_2>>;
  using Workers = cute::Layout<cute::Shape<cute::_8, cute::_8>>;
  /// A thread's part of the tile of c: 4 x 4 elements, 8 apart.
  using Accumulators = cute::Layout<cute::Shape<cute::_4, cute::_4>>;
  static constexpr int kSharedA = cute::cosize_v<SharedA>;
  static constexpr int kSharedB = cute::cosize_v<SharedB>;
  static constexpr int kAccumulators = cute::cosize_v<Accumulators>;

  GemmProblem problem;
  float* shared_a;
  float* shared_b;
  float* accumulators;
  int block_x;  // of tiles along m
  int block_y;  // of tiles along n
  int thread;

  CUTE_HOST_DEVICE void Clear() const {
    cute::clear(cute::make_tensor(accumulators, Accumulators{}));
  }

  /// Copies tile number k_tile of a and b to shared memory, with zeros for what is outside. All
  /// threads have multiplied the previous tile.
  CUTE_HOST_DEVICE void Load(int k_tile) const {
    using namespace cute;
    LoadTile(problem.a, make_shape(problem.m, problem.k), shared_a, SharedA{},
             make_coord(block_x, k_tile));
    LoadTile(problem.b, make_shape(problem.n, problem.k), shared_b, SharedB{},
             make_coord(block_y, k_tile));
  }

  /// Adds the product of the tiles in shared memory. All threads have loaded.
  CUTE_HOST_DEVICE void Multiply() const {
    using namespace cute;
    Tensor a = make_tensor(make_smem_ptr(shared_a), SharedA{});
    Tensor b = make_tensor(make_smem_ptr(shared_b), SharedB{});
    gemm(local_partition(a, Workers{}, thread, Step<_1, X>{}),  // (4,8)
         local_partition(b, Workers{}, thread, Step<X, _1>{}),  // (4,8)
         make_tensor(accumulators, Accumulators{}));
  }

  CUTE_HOST_DEVICE void Store() const {
    using namespace cute;
    const auto extents = make_shape(problem.m, problem.n);
    const auto tile = select<0, 1>(Tile{});
    const auto block = make_coord(block_x, block_y);
    Tensor c = make_tensor(make_gmem_ptr(problem.c), extents);
    const auto coordinates =
        local_partition(local_tile(make_identity_tensor(extents), tile, block), Workers{}, thread);
    copy_if([&](auto i) -> bool { return elem_less(coordinates(i), extents); },
            make_tensor(accumulators, Accumulators{}),
            local_partition(local_tile(c, tile, block), Workers{}, thread));
  }

 private:
  template <class Extents, class SharedLayout, class Block>
  CUTE_HOST_DEVICE void LoadTile(float const* matrix, Extents const& extents, float* shared,
                                 SharedLayout const& layout, Block const& block) const {
    using namespace cute;
    Tensor gmem = make_tensor(make_gmem_ptr(matrix), extents);
    const auto coordinates = local_partition(
        local_tile(make_identity_tensor(extents), layout.shape(), block), Loaders{}, thread);
    Tensor target = local_partition(make_tensor(make_smem_ptr(shared), layout), Loaders{}, thread);
    clear(target);
    copy_if([&](auto i) -> bool { return elem_less(coordinates(i), extents); },
            local_partition(local_tile(gmem, layout.shape(), block), Loaders{}, thread), target);
  }
};

}  // namespace examples

#endif  // HLO_INDEXING_EXAMPLES_CUTE_GEMM_H_
