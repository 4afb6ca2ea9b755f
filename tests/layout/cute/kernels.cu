// The kernels of kernels.h for the device.
#include "tests/layout/cute/kernels.h"

using cute_kernels::GemmSharedA;
using cute_kernels::GemmSharedB;
using cute_kernels::TransposeShared;

extern "C" __global__ void transpose(float const* in, float* out, int m, int n) {
  __shared__ float shared[decltype(cosize(TransposeShared{}))::value];
  for (int phase = 0; phase < 2; ++phase) {
    cute_kernels::TransposeThread(in, out, m, n, shared, static_cast<int>(blockIdx.x),
                                  static_cast<int>(blockIdx.y), static_cast<int>(threadIdx.x),
                                  phase);
    __syncthreads();
  }
}

extern "C" __global__ void gemm_nt(float const* a, float const* b, float* c, int m, int n, int k) {
  __shared__ float shared_a[decltype(cosize(GemmSharedA{}))::value];
  __shared__ float shared_b[decltype(cosize(GemmSharedB{}))::value];
  float accumulators[16];
  const auto run = [&](int k_tile, int phase) {
    cute_kernels::GemmThread(a, b, c, m, n, k, shared_a, shared_b, accumulators,
                             static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y),
                             static_cast<int>(threadIdx.x), k_tile, phase);
  };
  run(0, 0);
  for (int k_tile = 0; k_tile < k / 8; ++k_tile) {
    run(k_tile, 1);
    __syncthreads();
    run(k_tile, 2);
    __syncthreads();
  }
  run(0, 3);
}
