#include "codegen/program/virtual_gpu.h"

#include <algorithm>
#include <utility>

#include "codegen/program/program.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::program {

VirtualGpu::~VirtualGpu() = default;

// Whole units of the alignment: a word may be read for the sake of a byte, whatever follows it.
absl::StatusOr<uint64_t> VirtualGpu::Allocate(int64_t bytes, const std::string& name) {
  const auto used = static_cast<uint64_t>(bytes);
  const auto size =
      static_cast<uint64_t>(std::max<int64_t>(1, support::CeilDiv(bytes, emit::kBufferAlignment)) *
                            emit::kBufferAlignment);
  HLO_INDEXING_ASSIGN_OR_RETURN(const uint64_t address, device_.Allocate(size, name));
  if (used == size) return address;
  HLO_INDEXING_RETURN_IF_ERROR(device_.Fill(address + used, 0, size - used));
  return address;
}

absl::Status VirtualGpu::Write(uint64_t to, llvm::ArrayRef<uint8_t> from) {
  return from.empty() ? absl::OkStatus() : device_.Write(to, from.data(), from.size());
}

absl::Status VirtualGpu::Read(uint64_t from, llvm::MutableArrayRef<uint8_t> to) {
  return to.empty() ? absl::OkStatus() : device_.Read(from, to.data(), to.size());
}

absl::Status VirtualGpu::Copy(uint64_t from, uint64_t to, int64_t bytes) {
  std::vector<uint8_t> contents(static_cast<size_t>(bytes));
  HLO_INDEXING_RETURN_IF_ERROR(Read(from, contents));
  return Write(to, contents);
}

absl::StatusOr<int64_t> VirtualGpu::Launch(const emit::Kernel& kernel,
                                           llvm::ArrayRef<uint64_t> arguments, int64_t max_steps) {
  std::unique_ptr<ptx::Module>& module = modules_[&kernel];
  if (module == nullptr) {
    HLO_INDEXING_ASSIGN_OR_RETURN(ptx::Module parsed,
                                  ptx::Module::Parse(kernel.text, kernel.name + ".ptx"));
    module = std::make_unique<ptx::Module>(std::move(parsed));
  }
  std::vector<ptx::Argument> addresses;
  for (const uint64_t address : arguments) addresses.push_back(ptx::Argument::Of(address));
  ptx::LaunchOptions options = options_;
  options.max_warp_instructions =
      std::min(options.max_warp_instructions, static_cast<uint64_t>(max_steps));
  for (size_t i = 0; i < 3; ++i) {
    options.grid[i] = static_cast<uint32_t>(kernel.launch.blocks[i]);
    options.block[i] = static_cast<uint32_t>(kernel.launch.threads[i]);
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(last_launch_,
                                device_.Launch(*module, kernel.name, addresses, options));
  const ptx::LaunchResult& result = last_launch_;
  ++num_launches_;
  warp_instructions_ += result.warp_instructions;
  findings_.insert(findings_.end(), result.findings.begin(), result.findings.end());
  // Its own limit, not that of the caller.
  if (absl::IsDeadlineExceeded(result.status) &&
      options.max_warp_instructions < static_cast<uint64_t>(max_steps)) {
    return absl::ResourceExhaustedError(result.status.message());
  }
  HLO_INDEXING_RETURN_IF_ERROR(result.status);
  return static_cast<int64_t>(result.warp_instructions);
}

}  // namespace hlo_indexing::program
