// Copies of which vector_copy_test.cc counts the accesses, in vector_copy.ptx, which nvcc made of
// this:
//
//   nvcc -arch=sm_80 -std=c++17 -O3 -ptx -I. tests/layout/cute/device/vector_copy.cu -o - |
//     grep -v '^//' > tests/layout/cute/device/vector_copy.ptx
#include "layout/cute/tensor.h"

// 8 x 8 floats through registers, to columns of a stride that is known at run time only.
extern "C" __global__ void copy_assuming_alignment(float* to, const float* from, int stride) {
  using namespace hlo_indexing::cute;  // NOLINT: as kernels do
  Tensor dst = make_tensor(make_gmem_ptr(to), Shape<_8, _8>{}, make_stride(_1{}, stride));
  Tensor src = make_tensor(make_gmem_ptr(from), Shape<_8, _8>{});
  Tensor registers = make_tensor<float>(Shape<_8, _8>{});
  copy(AutoVectorizingCopyWithAssumedAlignment<128>{}, src, registers);
  copy(AutoVectorizingCopyWithAssumedAlignment<128>{}, registers, dst);
}
