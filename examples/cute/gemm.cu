// The tiled matrix product as a kernel:
//   nvcc -std=c++17 -arch=native -O3 -DNDEBUG -I. examples/cute/gemm.cu -o gemm
#include "examples/cute/device.h"
#include "examples/cute/gemm.h"
#include "examples/cute/reference.h"

namespace {

using namespace examples;  // a program of one page

__global__ void __launch_bounds__(kGemmThreads) GemmKernel(GemmProblem problem) {
  __shared__ float shared_a[GemmThread::kSharedA];
  __shared__ float shared_b[GemmThread::kSharedB];
  float accumulators[GemmThread::kAccumulators];
  const GemmThread thread = {problem,
                             shared_a,
                             shared_b,
                             accumulators,
                             static_cast<int>(blockIdx.x),
                             static_cast<int>(blockIdx.y),
                             static_cast<int>(threadIdx.x)};
  thread.Clear();
  for (int k_tile = 0; k_tile * kGemmTileK < problem.k; ++k_tile) {
    thread.Load(k_tile);
    __syncthreads();
    thread.Multiply();
    __syncthreads();
  }
  thread.Store();
}

bool Gemm(int m, int n, int k) {
  const std::vector<float> a = MakeMatrix(m, k, 11);
  const std::vector<float> b = MakeMatrix(n, k, 7);
  const DeviceMatrix device_a(a);
  const DeviceMatrix device_b(b);
  const DeviceMatrix device_c(MakeMatrix(m, n, 3));
  const dim3 grid(Tiles(m, kGemmTileM), Tiles(n, kGemmTileN));
  GemmKernel<<<grid, kGemmThreads>>>({device_a.data(), device_b.data(), device_c.data(), m, n, k});
  Check(cudaGetLastError());
  return IsProduct(a, b, device_c.ToHost(), m, n, k);
}

}  // namespace

int main() {
  if (!HasDevice()) {
    printf("skipped: there is no device\n");
    return kSkipped;
  }
  const bool whole_tiles = Gemm(512, 256, 128);
  const bool parts_of_tiles = Gemm(245, 170, 119);
  return whole_tiles && parts_of_tiles ? 0 : 1;
}
