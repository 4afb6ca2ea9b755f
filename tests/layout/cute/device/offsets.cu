// Offsets below 0 at unsigned coordinates, and bits of swizzled offsets. offsets_test.cc runs
// offsets.ptx, which nvcc made of this:
//
//   nvcc -arch=sm_80 -std=c++17 -O3 -DNDEBUG -ptx -I. tests/layout/cute/device/offsets.cu -o - |
//     grep -v '^//' > tests/layout/cute/device/offsets.ptx
#include "layout/cute/tensor.h"

// From the ends of 16 x 8 numbers to the front, by elements and by slices; the same through
// swizzled shared memory, at an index into a mode of two pieces and at a coordinate, and from there
// to swizzled global memory.
extern "C" __global__ void run_backwards(int* to, int* through_shared, int* through_global,
                                         const int* last) {
  using namespace hlo_indexing::cute;  // NOLINT: as kernels do
  __shared__ int memory[128];
  const unsigned x = threadIdx.x;
  Tensor src = make_tensor(make_gmem_ptr(last), Layout<Shape<_16, _8>, Stride<_m1, _m16>>{});
  Tensor dst = make_tensor(make_gmem_ptr(to), Layout<Shape<_16, _8>>{});
  for (unsigned y = 0; y < 4; ++y) dst(x, y) = src(x, y);
  Tensor mine = src(x, _);
  for (int y = 4; y < 8; ++y) dst(x, y) = mine(y);

  const auto layout = composition(Swizzle<3, 0, 4>{}, Layout<Shape<Shape<_4, _4>, _8>>{});
  Tensor shared = make_tensor(make_smem_ptr(memory), layout);
  copy(mine, shared(x, _));
  __syncthreads();
  Tensor result = make_tensor(make_gmem_ptr(through_shared), Layout<Shape<_16, _8>>{});
  if (x < 8) copy(shared(_, x), result(_, x));

  // Dynamic strides, of which the signs are those of bits of x.
  Tensor swizzled = make_tensor(through_global, layout);
  if (x < 8) {
    Tensor column = swizzled(_, x);
    for (unsigned i = 0; i < 16; ++i) column(i) = result(i, x);
  }
}
