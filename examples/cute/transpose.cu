// The tiled transpose as a kernel:
//   nvcc -std=c++17 -arch=native -O3 -DNDEBUG -I. examples/cute/transpose.cu -o transpose
#include "examples/cute/device.h"
#include "examples/cute/reference.h"
#include "examples/cute/transpose.h"

namespace {

using namespace examples;  // a program of one page

__global__ void __launch_bounds__(kTransposeThreads) TransposeKernel(TransposeProblem problem) {
  __shared__ float shared[TransposeThread::kSharedElements];
  const TransposeThread thread = {problem, shared, static_cast<int>(blockIdx.x),
                                  static_cast<int>(blockIdx.y), static_cast<int>(threadIdx.x)};
  thread.Load();
  __syncthreads();
  thread.Store();
}

bool Transpose(int m, int n) {
  const std::vector<float> in = MakeMatrix(m, n, 1009);
  const DeviceMatrix device_in(in);
  const DeviceMatrix device_out(std::vector<float>(in.size(), -1.0F));
  const dim3 grid(Tiles(m, kTransposeTile), Tiles(n, kTransposeTile));
  TransposeKernel<<<grid, kTransposeThreads>>>({device_in.data(), device_out.data(), m, n});
  Check(cudaGetLastError());
  return IsTranspose(in, device_out.ToHost(), m, n);
}

}  // namespace

int main() {
  if (!HasDevice()) {
    printf("skipped: there is no device\n");
    return kSkipped;
  }
  const bool whole_tiles = Transpose(1024, 2048);
  const bool parts_of_tiles = Transpose(1000, 45);
  return whole_tiles && parts_of_tiles ? 0 : 1;
}
