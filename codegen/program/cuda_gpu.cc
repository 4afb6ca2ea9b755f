#include "codegen/program/cuda_gpu.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "support/status_macros.h"

namespace hlo_indexing::program {

CudaGpu::CudaGpu(std::unique_ptr<cuda::Driver> driver) : driver_(std::move(driver)) {}

CudaGpu::~CudaGpu() {
  for (const auto& [kernel, loaded] : kernels_) driver_->UnloadModule(loaded.module);
}

absl::StatusOr<std::unique_ptr<CudaGpu>> CudaGpu::Open(const CudaOptions& options) {
  HLO_INDEXING_ASSIGN_OR_RETURN(std::unique_ptr<cuda::Driver> driver,
                                cuda::Driver::Open(options.driver, options.device));
  return std::unique_ptr<CudaGpu>(new CudaGpu(std::move(driver)));
}

absl::StatusOr<cuda::Handle> CudaGpu::Load(const emit::Kernel& kernel) {
  LoadedKernel& loaded = kernels_[&kernel];
  if (loaded.function != nullptr) return loaded.function;
  if (loaded.module == nullptr) {
    HLO_INDEXING_ASSIGN_OR_RETURN(
        loaded.module, driver_->LoadModule(kernel.text, absl::StrCat("the kernel ", kernel.name)));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(loaded.function, driver_->FindKernel(loaded.module, kernel.name));
  return loaded.function;
}

absl::StatusOr<uint64_t> CudaGpu::Allocate(int64_t bytes, const std::string& name) {
  // A word may be read for the sake of a byte.
  return driver_->Allocate(static_cast<size_t>(std::max<int64_t>(bytes, emit::kBufferAlignment)),
                           name);
}

absl::Status CudaGpu::Free(uint64_t address) { return driver_->Free(address); }

absl::Status CudaGpu::Write(uint64_t to, llvm::ArrayRef<uint8_t> from) {
  return driver_->Write(to, from.data(), from.size());
}

absl::Status CudaGpu::Read(uint64_t from, llvm::MutableArrayRef<uint8_t> to) {
  return driver_->Read(from, to.data(), to.size());
}

absl::Status CudaGpu::Copy(uint64_t from, uint64_t to, int64_t bytes) {
  return driver_->Copy(from, to, static_cast<size_t>(bytes));
}

absl::StatusOr<int64_t> CudaGpu::Launch(const emit::Kernel& kernel,
                                        llvm::ArrayRef<uint64_t> arguments, int64_t /*max_steps*/) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const cuda::Handle function, Load(kernel));
  std::vector<const void*> parameters;
  for (const uint64_t& argument : arguments) parameters.push_back(&argument);
  cuda::LaunchShape shape;
  for (size_t i = 0; i < 3; ++i) {
    shape.grid[i] = static_cast<unsigned>(kernel.launch.blocks[i]);
    shape.block[i] = static_cast<unsigned>(kernel.launch.threads[i]);
  }
  HLO_INDEXING_RETURN_IF_ERROR(
      driver_->Launch(function, shape, parameters, absl::StrCat("the kernel ", kernel.name)));
  return 0;
}

}  // namespace hlo_indexing::program
