#ifndef HLO_INDEXING_EXAMPLES_CUTE_DEVICE_H_
#define HLO_INDEXING_EXAMPLES_CUTE_DEVICE_H_

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

// Memory and errors of the device, for the examples that run there.
namespace examples {

/// What test runners take for "skipped".
constexpr int kSkipped = 77;

inline void Check(cudaError_t status) {
  if (status == cudaSuccess) return;
  printf("CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

inline bool HasDevice() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

/// A copy of a matrix in the memory of the device.
class DeviceMatrix {
 public:
  explicit DeviceMatrix(std::vector<float> const& values) : bytes_(values.size() * sizeof(float)) {
    Check(cudaMalloc(&data_, bytes_));
    Check(cudaMemcpy(data_, values.data(), bytes_, cudaMemcpyHostToDevice));
  }
  ~DeviceMatrix() { cudaFree(data_); }
  DeviceMatrix(DeviceMatrix const&) = delete;
  DeviceMatrix& operator=(DeviceMatrix const&) = delete;

  float* data() const { return static_cast<float*>(data_); }
  std::vector<float> ToHost() const {
    std::vector<float> values(bytes_ / sizeof(float));
    Check(cudaMemcpy(values.data(), data_, bytes_, cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  size_t bytes_;
  void* data_ = nullptr;
};

}  // namespace examples

#endif  // HLO_INDEXING_EXAMPLES_CUTE_DEVICE_H_
