// The virtual GPU (codegen/ptx/) as what a program runs on.
#ifndef HLO_INDEXING_CODEGEN_PROGRAM_VIRTUAL_GPU_H_
#define HLO_INDEXING_CODEGEN_PROGRAM_VIRTUAL_GPU_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codegen/program/gpu.h"
#include "codegen/ptx/device.h"
#include "llvm/ADT/DenseMap.h"

namespace hlo_indexing::program {

class VirtualGpu : public Gpu {
 public:
  /// Grid and block of `options` do not count.
  explicit VirtualGpu(ptx::LaunchOptions options = {}) : options_(std::move(options)) {}
  ~VirtualGpu() override;

  absl::StatusOr<uint64_t> Allocate(int64_t bytes, const std::string& name) override;
  absl::Status Free(uint64_t address) override { return device_.Free(address); }
  absl::Status Write(uint64_t to, llvm::ArrayRef<uint8_t> from) override;
  absl::Status Read(uint64_t from, llvm::MutableArrayRef<uint8_t> to) override;
  absl::Status Copy(uint64_t from, uint64_t to, int64_t bytes) override;
  absl::StatusOr<int64_t> Launch(const emit::Kernel& kernel, llvm::ArrayRef<uint64_t> arguments,
                                 int64_t max_steps) override;

  /// Of the checks, of all launches so far.
  const std::vector<ptx::Finding>& findings() const { return findings_; }
  /// Of the last launch that ended, with its profile if options ask for one.
  const ptx::LaunchResult& last_launch() const { return last_launch_; }
  uint64_t warp_instructions() const { return warp_instructions_; }
  int64_t num_launches() const { return num_launches_; }

 private:
  ptx::LaunchOptions options_;
  ptx::Device device_;
  llvm::DenseMap<const emit::Kernel*, std::unique_ptr<ptx::Module>> modules_;
  std::vector<ptx::Finding> findings_;
  ptx::LaunchResult last_launch_;
  uint64_t warp_instructions_ = 0;
  int64_t num_launches_ = 0;
};

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_CODEGEN_PROGRAM_VIRTUAL_GPU_H_
