// A GPU of NVIDIA, through the CUDA driver (codegen/cuda/driver.h), as what a program runs on.
#ifndef HLO_INDEXING_CODEGEN_PROGRAM_CUDA_GPU_H_
#define HLO_INDEXING_CODEGEN_PROGRAM_CUDA_GPU_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "codegen/cuda/driver.h"
#include "codegen/program/gpu.h"
#include "llvm/ADT/DenseMap.h"

namespace hlo_indexing::program {

struct CudaOptions {
  /// The driver's library, as dlopen finds it.
  std::string driver = "libcuda.so.1";
  int device = 0;
};

class CudaGpu : public Gpu {
 public:
  /// kUnavailable, with the reason, if there is no driver or no device.
  static absl::StatusOr<std::unique_ptr<CudaGpu>> Open(const CudaOptions& options = {});
  ~CudaGpu() override;

  /// The number in sm_90.
  int architecture() const { return driver_->architecture(); }

  absl::StatusOr<uint64_t> Allocate(int64_t bytes, const std::string& name) override;
  absl::Status Free(uint64_t address) override;
  absl::Status Write(uint64_t to, llvm::ArrayRef<uint8_t> from) override;
  absl::Status Read(uint64_t from, llvm::MutableArrayRef<uint8_t> to) override;
  absl::Status Copy(uint64_t from, uint64_t to, int64_t bytes) override;
  /// kInternal, with the kernel's name, if the driver's compiler refuses its PTX.
  absl::StatusOr<int64_t> Launch(const emit::Kernel& kernel, llvm::ArrayRef<uint64_t> arguments,
                                 int64_t max_steps) override;

 private:
  struct LoadedKernel {
    cuda::Handle module = nullptr;
    cuda::Handle function = nullptr;
  };

  explicit CudaGpu(std::unique_ptr<cuda::Driver> driver);
  absl::StatusOr<cuda::Handle> Load(const emit::Kernel& kernel);

  std::unique_ptr<cuda::Driver> driver_;
  llvm::DenseMap<const emit::Kernel*, LoadedKernel> kernels_;
};

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_CODEGEN_PROGRAM_CUDA_GPU_H_
