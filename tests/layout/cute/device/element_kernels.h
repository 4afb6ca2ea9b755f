// Kernels of elements of any types: products and conversions.
//
//   PRODUCTS(FloatsOfHalves, float, half_t, half_t, float)   // the types of D, A, B and C
//   CONVERT(ToE4m3, float, float_e4m3_t)                     // from one type to another
#ifndef HLO_INDEXING_TESTS_LAYOUT_CUTE_DEVICE_ELEMENT_KERNELS_H_
#define HLO_INDEXING_TESTS_LAYOUT_CUTE_DEVICE_ELEMENT_KERNELS_H_

#include "layout/cute/tensor.h"

using namespace hlo_indexing::cute;  // NOLINT: as kernels do

// d = a * b + c, the outer product of four numbers and four.
template <class D, class A, class B, class C>
static __device__ void Products(A const* a, B const* b, C const* c, D* d) {
  Tensor rA = make_tensor<A>(Shape<_4>{});
  Tensor rB = make_tensor<B>(Shape<_4>{});
  Tensor rC = make_tensor<C>(Shape<_4, _4>{});
  Tensor rD = make_tensor<D>(Shape<_4, _4>{});
  copy(make_tensor(make_gmem_ptr(a), Shape<_4>{}), rA);
  copy(make_tensor(make_gmem_ptr(b), Shape<_4>{}), rB);
  copy(make_tensor(make_gmem_ptr(c), Shape<_4, _4>{}), rC);
  gemm(rD, rA, rB, rC);
  copy(rD, make_tensor(make_gmem_ptr(d), Shape<_4, _4>{}));
}
#define PRODUCTS(name, D, A, B, C)                                            \
  extern "C" __global__ void name(A const* a, B const* b, C const* c, D* d) { \
    Products(a, b, c, d);                                                     \
  }

// Eight numbers of each thread in another type.
template <class To, class From>
static __device__ void Convert(From const* from, To* to) {
  Tensor in = make_tensor<From>(Shape<_8>{});
  Tensor out = make_tensor<To>(Shape<_8>{});
  copy(make_tensor(make_gmem_ptr(from + 8 * threadIdx.x), Shape<_8>{}), in);
  transform(in, out, [](From const& x) { return static_cast<To>(x); });
  copy(out, make_tensor(make_gmem_ptr(to + 8 * threadIdx.x), Shape<_8>{}));
}
#define CONVERT(name, From, To) \
  extern "C" __global__ void name(From const* from, To* to) { Convert(from, to); }

#endif  // HLO_INDEXING_TESTS_LAYOUT_CUTE_DEVICE_ELEMENT_KERNELS_H_
