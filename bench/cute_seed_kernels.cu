// The examples of CuTe's document on tensors as kernels that store what they compute, for
// cute_compile_time.sh: access, partitions, copies. tests/layout/cute/ checks the values of the
// same examples.
#include "layout/cute/tensor.h"

using namespace hlo_indexing::layout::cute;  // the examples are written so

// A nested owning tensor is filled by coordinates, transposed, and copied by index.
__global__ void Access(int* b_ptr) {
  Tensor A = make_tensor<int>(Shape<Shape<_4, _5>, Int<13>>{}, Stride<Stride<_12, _1>, _64>{});
  Tensor B = make_tensor(b_ptr, make_shape(13, 20));
  for (int m0 = 0; m0 < size<0, 0>(A); ++m0)
    for (int m1 = 0; m1 < size<0, 1>(A); ++m1)
      for (int n = 0; n < size<1>(A); ++n) A[make_coord(make_coord(m0, m1), n)] = n + 2 * m0;
  for (int m = 0; m < size<0>(A); ++m)
    for (int n = 0; n < size<1>(A); ++n) B(n, m) = A(m, n);
  for (int i = 0; i < A.size(); ++i) A[i] = B[i];
  for (int i = 0; i < A.size(); ++i) B[i] = A[i] + i;
}

// Slices, inner, outer and thread-value partitions.
__global__ void Partitions(float* ptr, int* sums) {
  Tensor nested =
      make_tensor(ptr, make_shape(make_shape(Int<3>{}, 2), make_shape(2, Int<5>{}, Int<2>{})),
                  make_stride(make_stride(4, 1), make_stride(Int<2>{}, 13, 100)));
  Tensor row = nested(2, _);
  Tensor column = nested(_, 5);
  Tensor part = nested(make_coord(2, _), make_coord(_, 3, _));
  for (int i = 0; i < size(column); ++i) column(i) = row(i) + part(i);

  Tensor A = make_tensor(ptr, make_shape(24, 8));
  auto tiler = Shape<_8, _4>{};
  Tensor tiled_a = zipped_divide(A, tiler);
  Tensor cta_a = tiled_a(make_coord(_, _), make_coord(blockIdx.x, blockIdx.y));
  Tensor thr_a = tiled_a(threadIdx.x, make_coord(_, _));
  Tensor tile = local_tile(A, tiler, make_coord(blockIdx.x, blockIdx.y));
  Tensor mine = local_partition(A, make_layout(tiler), threadIdx.x);
  for (int i = 0; i < size(cta_a); ++i) sums[i] = static_cast<int>(cta_a(i) + tile(i));
  for (int i = 0; i < size(thr_a); ++i) thr_a(i) = mine(i) + 1;

  auto tv_layout =
      Layout<Shape<Shape<_2, _4>, Shape<_2, _2>>, Stride<Stride<_8, _1>, Stride<_4, _16>>>{};
  Tensor tile_4x8 = make_tensor(ptr, Layout<Shape<_4, _8>, Stride<_8, _1>>{});
  Tensor tv = composition(tile_4x8, tv_layout);
  Tensor v = tv(threadIdx.x, _);
  for (int i = 0; i < size(v); ++i) v(i) = v(i) * 2;
}

// Tiles through registers, with all three tilers.
template <class Tiled>
__device__ void CopyTiles(Tiled const& tiled) {
  Tensor rmem = make_tensor_like(tiled(_, 0));
  for (int j = 0; j < size<1>(tiled); ++j) {
    copy(tiled(_, j), rmem);
    for (int i = 0; i < size(rmem); ++i) rmem(i) = rmem(i) * (i + 1);
    copy(rmem, tiled(_, j));
  }
}
__global__ void Copies(float* ptr) {
  CopyTiles(make_tensor(ptr, make_shape(Int<8>{}, 16)));
  Tensor gmem = make_tensor(ptr, make_shape(24, 16));
  CopyTiles(zipped_divide(gmem, Shape<_8, _4>{}));
  CopyTiles(zipped_divide(gmem, Tile<Layout<_8, _3>, Layout<_4, _2>>{}));
}
