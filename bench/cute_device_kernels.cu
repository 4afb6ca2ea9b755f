// Small kernels of what users write most, for cute_device_code.py: copies of static and dynamic
// shapes, between global memory, shared memory and registers, by elements and by vectors; slices,
// partitions, sums, products. They use what CuTe has too, so that both libraries compile them.
#include "layout/cute/tensor.h"

using namespace hlo_indexing::cute;  // NOLINT: as kernels do

// Copies of one thread, all of it static.
extern "C" __global__ void copy_static_8x8(float* to, const float* from) {
  Tensor src = make_tensor(make_gmem_ptr(from), Layout<Shape<_8, _8>>{});
  Tensor dst = make_tensor(make_gmem_ptr(to), Layout<Shape<_8, _8>>{});
  copy(src, dst);
}
extern "C" __global__ void copy_static_8x8_transposed(float* to, const float* from) {
  Tensor src = make_tensor(make_gmem_ptr(from), Layout<Shape<_8, _8>>{});
  Tensor dst = make_tensor(make_gmem_ptr(to), Layout<Shape<_8, _8>, Stride<_8, _1>>{});
  copy(src, dst);
}
extern "C" __global__ void copy_static_halves(half_t* to, const half_t* from) {
  Tensor src = make_tensor(make_gmem_ptr(from), Layout<Shape<_16, _4>, Stride<_1, _32>>{});
  Tensor dst = make_tensor(make_gmem_ptr(to), Layout<Shape<_16, _4>, Stride<_1, _16>>{});
  copy(src, dst);
}
extern "C" __global__ void copy_through_registers(float* to, const float* from) {
  Tensor src = make_tensor(make_gmem_ptr(from), Layout<Shape<_8, _8>>{});
  Tensor dst = make_tensor(make_gmem_ptr(to), Layout<Shape<_8, _8>>{});
  Tensor registers = make_tensor_like(src);
  copy(src, registers);
  copy(registers, dst);
}
extern "C" __global__ void copy_assumed_static(float* to, const float* from) {
  Tensor src = make_tensor(make_gmem_ptr(from), Layout<Shape<_8, _8>>{});
  Tensor dst = make_tensor(make_gmem_ptr(to), Layout<Shape<_8, _8>>{});
  copy(AutoVectorizingCopyWithAssumedAlignment<128>{}, src, dst);
}
extern "C" __global__ void copy_assumed_dynamic(float* to, const float* from, int stride) {
  Tensor src = make_tensor(make_gmem_ptr(from), Shape<_8, _8>{}, make_stride(_1{}, stride));
  Tensor dst = make_tensor(make_gmem_ptr(to), Shape<_8, _8>{}, make_stride(_1{}, stride));
  copy(AutoVectorizingCopyWithAssumedAlignment<128>{}, src, dst);
}

// Copies of a tile of a matrix whose size is known at run time only.
extern "C" __global__ void copy_tiles(float* to, const float* from, int m, int n) {
  Tensor src = make_tensor(make_gmem_ptr(from), make_shape(m, n));
  Tensor dst = make_tensor(make_gmem_ptr(to), make_shape(m, n));
  const auto at = make_coord(blockIdx.x, blockIdx.y);
  const auto tile = Shape<_64, _32>{};
  const auto threads = Layout<Shape<_32, _8>>{};
  copy(local_partition(local_tile(src, tile, at), threads, threadIdx.x),
       local_partition(local_tile(dst, tile, at), threads, threadIdx.x));
}
extern "C" __global__ void copy_tiles_guarded(float* to, const float* from, int m, int n) {
  const auto extents = make_shape(m, n);
  Tensor src = make_tensor(make_gmem_ptr(from), extents);
  Tensor dst = make_tensor(make_gmem_ptr(to), extents);
  const auto at = make_coord(blockIdx.x, blockIdx.y);
  const auto tile = Shape<_64, _32>{};
  const auto threads = Layout<Shape<_32, _8>>{};
  Tensor coordinates =
      local_partition(local_tile(make_identity_tensor(extents), tile, at), threads, threadIdx.x);
  Tensor mine = local_partition(local_tile(src, tile, at), threads, threadIdx.x);
  Tensor target = local_partition(local_tile(dst, tile, at), threads, threadIdx.x);
  for (int i = 0; i < size(mine); ++i) {
    if (elem_less(coordinates(i), extents)) target(i) = mine(i);
  }
}
extern "C" __global__ void copy_by_index(float* to, const float* from, int m, int n) {
  Tensor src = make_tensor(make_gmem_ptr(from), make_shape(m, n), make_stride(n, _1{}));
  Tensor dst = make_tensor(make_gmem_ptr(to), make_shape(m, n));
  for (int i = threadIdx.x; i < size(dst); i += blockDim.x) dst(i) = src(i);
}
extern "C" __global__ void copy_by_coordinates(float* to, const float* from, int m, int n) {
  Tensor src = make_tensor(make_gmem_ptr(from), make_shape(m, n), make_stride(n, _1{}));
  Tensor dst = make_tensor(make_gmem_ptr(to), make_shape(m, n));
  for (int j = 0; j < size<1>(dst); ++j) {
    for (int i = threadIdx.x; i < size<0>(dst); i += blockDim.x) dst(i, j) = src(i, j);
  }
}

// Through shared memory, padded and swizzled, in vectors.
template <class SharedLayout>
__device__ void ThroughShared(float* to, const float* from, int stride,
                              SharedLayout const& layout) {
  __shared__ alignas(16) float memory[cosize_v<SharedLayout>];
  const auto threads = Layout<Shape<_32, _8>>{};
  Tensor shared = make_tensor(make_smem_ptr(memory), layout);
  Tensor src = make_tensor(make_gmem_ptr(from), Shape<_32, _32>{}, make_stride(_1{}, stride));
  Tensor dst = make_tensor(make_gmem_ptr(to), Shape<_32, _32>{}, make_stride(stride, _1{}));
  copy(local_partition(src, threads, threadIdx.x), local_partition(shared, threads, threadIdx.x));
  __syncthreads();
  const auto across = Layout<Shape<_8, _32>, Stride<_32, _1>>{};
  copy(local_partition(shared, across, threadIdx.x), local_partition(dst, across, threadIdx.x));
}
extern "C" __global__ void through_padded_shared(float* to, const float* from, int stride) {
  ThroughShared(to, from, stride, Layout<Shape<_32, _32>, Stride<_1, Int<33>>>{});
}
extern "C" __global__ void through_swizzled_shared(float* to, const float* from, int stride) {
  ThroughShared(to, from, stride, composition(Swizzle<5, 0, 5>{}, Layout<Shape<_32, _32>>{}));
}

// Thread-value layouts, sums, updates.
extern "C" __global__ void thread_values(float* data) {
  const auto tv =
      Layout<Shape<Shape<_8, _4>, Shape<_2, _2>>, Stride<Stride<_4, _1>, Stride<_32, _64>>>{};
  Tensor values = composition(make_tensor(make_gmem_ptr(data), Layout<Shape<_32, _4>>{}), tv);
  Tensor mine = values(threadIdx.x, _);
  for (int i = 0; i < size(mine); ++i) mine(i) = mine(i) * 2.0F;
}
extern "C" __global__ void scaled_sum(float* to, const float* from, int stride, float alpha,
                                      float beta) {
  Tensor x = make_tensor(make_gmem_ptr(from + 8 * threadIdx.x), Shape<_8, _4>{},
                         make_stride(_1{}, stride));
  Tensor y =
      make_tensor(make_gmem_ptr(to + 8 * threadIdx.x), Shape<_8, _4>{}, make_stride(_1{}, stride));
  axpby(alpha, x, beta, y);
}
extern "C" __global__ void rows_summed(float* to, const float* from, int m, int n) {
  Tensor matrix = make_tensor(make_gmem_ptr(from), make_shape(m, n));
  Tensor row = matrix(threadIdx.x, _);
  float sum = 0.0F;
  for (int i = 0; i < size(row); ++i) sum += row(i);
  to[threadIdx.x] = sum;
}
extern "C" __global__ void outer_product(float* to, const float* a, const float* b) {
  Tensor x = make_tensor(make_gmem_ptr(a), Layout<Shape<_8, _4>>{});
  Tensor y = make_tensor(make_gmem_ptr(b), Layout<Shape<_8, _4>>{});
  Tensor rx = make_tensor_like(x);
  Tensor ry = make_tensor_like(y);
  copy(x, rx);
  copy(y, ry);
  Tensor sums = make_tensor<float>(Shape<_8, _8>{});
  clear(sums);
  gemm(rx, ry, sums);
  copy(sums, make_tensor(make_gmem_ptr(to), Layout<Shape<_8, _8>>{}));
}

// Layouts that are computed on the device.
extern "C" __global__ void dynamic_layouts(int* to, int m, int n, int k) {
  const auto layout =
      make_layout(make_shape(m, make_shape(n, k)), make_stride(k, make_stride(m * k, _1{})));
  const auto tiled = zipped_divide(layout, Shape<_4, _8>{});
  const auto flat = coalesce(layout);
  to[threadIdx.x] = tiled(make_coord(threadIdx.x, 1)) + flat(threadIdx.x) + layout(threadIdx.x, 3);
}
