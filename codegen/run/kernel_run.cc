#include "codegen/run/kernel_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/run/buffer_contents.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::run {

using emit::KernelArgument;

namespace {

ptx::Dimensions DimensionsOf(const std::array<int64_t, 3>& sizes) {
  ptx::Dimensions dimensions;
  for (size_t i = 0; i < 3; ++i) dimensions[i] = static_cast<uint32_t>(sizes[i]);
  return dimensions;
}

// Buffers are whole units of their alignment: a word may be read for the sake of a byte.
int64_t AllocatedBytes(int64_t bytes) {
  return std::max<int64_t>(1, support::CeilDiv(bytes, emit::kBufferAlignment)) *
         emit::kBufferAlignment;
}

}  // namespace

absl::StatusOr<KernelRun> RunKernel(const emit::Kernel& kernel, llvm::ArrayRef<hlo::Value> operands,
                                    ptx::LaunchOptions options) {
  HLO_INDEXING_ASSIGN_OR_RETURN(ptx::Module module,
                                ptx::Module::Parse(kernel.text, kernel.name + ".ptx"));
  ptx::Device device;
  std::vector<uint64_t> addresses;
  std::vector<ptx::Argument> arguments;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const KernelArgument& argument = kernel.arguments[i];
    int64_t bytes = argument.scratch_bytes;
    if (!argument.is_scratch()) {
      HLO_INDEXING_ASSIGN_OR_RETURN(bytes, BufferBytes(*argument.shape));
    }
    const std::string name =
        argument.is_scratch() ? "scratch memory"
        : argument.operand.has_value()
            ? absl::StrCat("operand ", *argument.operand, " leaf ", argument.leaf)
            : absl::StrCat("output ", argument.leaf);
    const auto allocated = static_cast<uint64_t>(AllocatedBytes(bytes));
    HLO_INDEXING_ASSIGN_OR_RETURN(const uint64_t address, device.Allocate(allocated, name));
    addresses.push_back(address);
    arguments.push_back(ptx::Argument::Of(address));
    if (argument.is_zeros) {
      const std::vector<uint8_t> zeros(allocated);
      HLO_INDEXING_RETURN_IF_ERROR(device.Write(address, zeros.data(), zeros.size()));
    }
    // An output that is updated begins with what its operand has.
    const KernelArgument* contents = argument.operand.has_value() ? &argument : nullptr;
    if (argument.updates.has_value()) contents = &kernel.arguments[*argument.updates];
    if (contents == nullptr || bytes == 0) continue;
    const hlo::Value& operand = operands[static_cast<size_t>(*contents->operand)];
    const hlo::ArrayValue* array = operand.ArrayLeaves()[static_cast<size_t>(contents->leaf)];
    HLO_INDEXING_ASSIGN_OR_RETURN(std::vector<uint8_t> buffer, BufferOf(*array));
    buffer.resize(allocated);
    HLO_INDEXING_RETURN_IF_ERROR(device.Write(address, buffer.data(), buffer.size()));
  }
  options.grid = DimensionsOf(kernel.launch.blocks);
  options.block = DimensionsOf(kernel.launch.threads);
  KernelRun run;
  run.module = std::make_shared<const ptx::Module>(module);
  HLO_INDEXING_ASSIGN_OR_RETURN(run.launch,
                                device.Launch(*run.module, kernel.name, arguments, options));
  HLO_INDEXING_RETURN_IF_ERROR(run.launch.status);
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const KernelArgument& argument = kernel.arguments[i];
    if (!argument.is_output()) continue;
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t bytes, BufferBytes(*argument.shape));
    std::vector<uint8_t> buffer(static_cast<size_t>(bytes));
    if (bytes > 0) {
      HLO_INDEXING_RETURN_IF_ERROR(device.Read(addresses[i], buffer.data(), buffer.size()));
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(auto array, ArrayOf(*argument.shape, buffer));
    run.outputs.push_back(std::move(array));
  }
  return run;
}

}  // namespace hlo_indexing::run
