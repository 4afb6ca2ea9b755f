// What a program runs on: memory, and launches of kernels.
#ifndef HLO_INDEXING_CODEGEN_PROGRAM_GPU_H_
#define HLO_INDEXING_CODEGEN_PROGRAM_GPU_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/emit/kernel.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::program {

class Gpu {
 public:
  Gpu() = default;
  virtual ~Gpu() = default;
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  /// Global memory, at a multiple of kFrameAlignment. The name is for messages.
  virtual absl::StatusOr<uint64_t> Allocate(int64_t bytes, const std::string& name) = 0;
  virtual absl::Status Free(uint64_t address) = 0;
  virtual absl::Status Write(uint64_t to, llvm::ArrayRef<uint8_t> from) = 0;
  /// After all launches before it.
  virtual absl::Status Read(uint64_t from, llvm::MutableArrayRef<uint8_t> to) = 0;
  /// From one place in its memory to another one.
  virtual absl::Status Copy(uint64_t from, uint64_t to, int64_t bytes) = 0;
  /// A kernel, whose text is PTX, on the addresses of its arguments. The same kernel is launched
  /// many times: it must live as long as this. Returns the steps that it took, warp instructions,
  /// as far as the GPU counts them, else 0; kDeadlineExceeded if they exceed `max_steps`.
  virtual absl::StatusOr<int64_t> Launch(const emit::Kernel& kernel,
                                         llvm::ArrayRef<uint64_t> arguments, int64_t max_steps) = 0;
};

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_CODEGEN_PROGRAM_GPU_H_
