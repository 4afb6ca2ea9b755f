#ifndef HLO_INDEXING_EXAMPLES_CUTE_TRANSPOSE_H_
#define HLO_INDEXING_EXAMPLES_CUTE_TRANSPOSE_H_

#include "layout/cute/tensor.h"

// A tiled transpose. What one thread does between two barriers is a function, so that the kernel
// (transpose.cu) and a loop over threads on the host (transpose.cc) run the same code.
namespace examples {

namespace cute = hlo_indexing::layout::cute;

constexpr int kTransposeTile = 32;
constexpr int kTransposeThreads = 256;

/// out(j,i) = in(i,j) for matrices in row-major order, in of m x n elements.
struct TransposeProblem {
  float const* in;
  float* out;
  int m;
  int n;
};

struct TransposeThread {
  using Tile = cute::Shape<cute::Int<kTransposeTile>, cute::Int<kTransposeTile>>;
  /// Rows of 33 elements: the threads of a warp read a column from 32 banks.
  using SharedLayout = cute::Layout<Tile, cute::Stride<cute::Int<kTransposeTile + 1>, cute::_1>>;
  static constexpr int kSharedElements = cute::cosize_v<SharedLayout>;

  TransposeProblem problem;
  float* shared;
  int block_x;  // of tiles along m
  int block_y;  // of tiles along n
  int thread;

  CUTE_HOST_DEVICE cute::Shape<int, int> Extents() const {
    return cute::make_shape(problem.m, problem.n);
  }
  CUTE_HOST_DEVICE cute::Coord<int, int> Block() const {
    return cute::make_coord(block_x, block_y);
  }

  /// Whether element i of this thread's part of the tile lies inside the matrix, which need not be
  /// whole tiles: the same partition of a tensor of coordinates says where the element lies.
  template <class Threads>
  CUTE_HOST_DEVICE auto IsInside(Threads const& threads) const {
    using namespace cute;
    const auto extents = Extents();
    const auto coordinates = local_partition(
        local_tile(make_identity_tensor(extents), Tile{}, Block()), threads, thread);
    return [=](auto i) -> bool { return elem_less(coordinates(i), extents); };
  }

  /// Copies the tile of `in` to shared memory; the threads of a warp read along a row.
  CUTE_HOST_DEVICE void Load() const {
    using namespace cute;
    const auto threads = Layout<Shape<_8, _32>, Stride<_32, _1>>{};
    Tensor in = make_tensor(make_gmem_ptr(problem.in), Extents(), make_stride(problem.n, _1{}));
    Tensor smem = make_tensor(make_smem_ptr(shared), SharedLayout{});
    copy_if(IsInside(threads), local_partition(local_tile(in, Tile{}, Block()), threads, thread),
            local_partition(smem, threads, thread));
  }

  /// Copies shared memory to the tile of `out`; the threads of a warp write along a column of the
  /// tile, which is a row of `out`. All threads have loaded before.
  CUTE_HOST_DEVICE void Store() const {
    using namespace cute;
    const auto threads = Layout<Shape<_32, _8>>{};
    Tensor out = make_tensor(make_gmem_ptr(problem.out), Extents(), make_stride(_1{}, problem.m));
    Tensor smem = make_tensor(make_smem_ptr(shared), SharedLayout{});
    copy_if(IsInside(threads), local_partition(smem, threads, thread),
            local_partition(local_tile(out, Tile{}, Block()), threads, thread));
  }
};

}  // namespace examples

#endif  // HLO_INDEXING_EXAMPLES_CUTE_TRANSPOSE_H_
