// Arithmetic of narrow floats and of complex numbers. narrow_floats_test.cc runs
// narrow_floats.ptx, which nvcc made of this file:
//
//   nvcc -arch=sm_90 -std=c++17 -O3 -DNDEBUG -ptx -I. narrow_floats.cu -o - | grep -v '^//'
#include "tests/layout/cute/device/element_kernels.h"

PRODUCTS(HalvesOfHalves, half_t, half_t, half_t, half_t)
PRODUCTS(FloatsOfHalves, float, half_t, half_t, float)
PRODUCTS(BrainsOfBrains, bfloat16_t, bfloat16_t, bfloat16_t, bfloat16_t)
PRODUCTS(FloatsOfBrains, float, bfloat16_t, bfloat16_t, float)
PRODUCTS(FloatsOfTf32, float, tfloat32_t, tfloat32_t, float)
PRODUCTS(HalvesAndFloats, float, half_t, float, float)
PRODUCTS(Complex, complex<float>, complex<float>, complex<float>, complex<float>)

CONVERT(ToTf32, float, tfloat32_t)
CONVERT(FromTf32, tfloat32_t, float)

// b = a > b ? a - b * a : a == b ? -a : b
template <class T>
static __device__ void Greater(T const* a, T* b) {
  Tensor rA = make_tensor<T>(Shape<_8>{});
  Tensor rB = make_tensor<T>(Shape<_8>{});
  Tensor gB = make_tensor(make_gmem_ptr(b), Shape<_8>{});
  copy(make_tensor(make_gmem_ptr(a), Shape<_8>{}), rA);
  copy(gB, rB);
  CUTE_UNROLL
  for (int i = 0; i < 8; ++i) {
    if (rA(i) > rB(i)) {
      rB(i) = rA(i) - rB(i) * rA(i);
    } else if (rA(i) == rB(i)) {
      rB(i) = -rA(i);
    }
  }
  copy(rB, gB);
}
extern "C" __global__ void GreaterHalves(half_t const* a, half_t* b) { Greater(a, b); }
extern "C" __global__ void GreaterBrains(bfloat16_t const* a, bfloat16_t* b) { Greater(a, b); }

// b = a / b, two of each thread.
extern "C" __global__ void Quotients(half_t const* a, half_t* b) {
  const unsigned at = 2 * threadIdx.x;
  b[at] = a[at] / b[at];
  half_t quotient = a[at + 1];
  quotient /= b[at + 1];
  b[at + 1] = quotient;
}
