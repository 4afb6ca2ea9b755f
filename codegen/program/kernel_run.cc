#include "codegen/program/kernel_run.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/run/buffer_contents.h"
#include "support/status_macros.h"

namespace hlo_indexing::program {

using emit::KernelArgument;

namespace {

std::string NameOf(const KernelArgument& argument) {
  if (argument.is_scratch()) return "scratch memory";
  if (argument.operand.has_value()) {
    return absl::StrCat("operand ", *argument.operand, " leaf ", argument.leaf);
  }
  return absl::StrCat("output ", argument.leaf);
}

absl::StatusOr<int64_t> BytesOf(const KernelArgument& argument) {
  if (argument.is_scratch()) return argument.scratch_bytes;
  return run::BufferBytes(*argument.shape);
}

// What the buffer of an argument has before the launch; empty if that does not matter.
absl::StatusOr<std::vector<uint8_t>> ContentsOf(const emit::Kernel& kernel,
                                                const KernelArgument& argument, int64_t bytes,
                                                llvm::ArrayRef<hlo::Value> operands) {
  if (argument.is_zeros) return std::vector<uint8_t>(static_cast<size_t>(bytes));
  // An output that is updated begins with what its operand has.
  const KernelArgument& source =
      argument.updates.has_value() ? kernel.arguments[*argument.updates] : argument;
  if (!source.operand.has_value() || bytes == 0) return std::vector<uint8_t>();
  const hlo::Value& operand = operands[static_cast<size_t>(*source.operand)];
  return run::BufferOf(*operand.ArrayLeaves()[static_cast<size_t>(source.leaf)]);
}

}  // namespace

absl::StatusOr<std::vector<std::shared_ptr<const hlo::ArrayValue>>> RunKernel(
    const emit::Kernel& kernel, llvm::ArrayRef<hlo::Value> operands, Gpu& gpu) {
  std::vector<uint64_t> addresses;
  for (const KernelArgument& argument : kernel.arguments) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(argument));
    HLO_INDEXING_ASSIGN_OR_RETURN(addresses.emplace_back(), gpu.Allocate(bytes, NameOf(argument)));
    HLO_INDEXING_ASSIGN_OR_RETURN(const std::vector<uint8_t> contents,
                                  ContentsOf(kernel, argument, bytes, operands));
    HLO_INDEXING_RETURN_IF_ERROR(gpu.Write(addresses.back(), contents));
  }
  HLO_INDEXING_RETURN_IF_ERROR(
      gpu.Launch(kernel, addresses, std::numeric_limits<int64_t>::max()).status());
  std::vector<std::shared_ptr<const hlo::ArrayValue>> outputs;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (kernel.arguments[i].is_output()) {
      HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(kernel.arguments[i]));
      std::vector<uint8_t> buffer(static_cast<size_t>(bytes));
      HLO_INDEXING_RETURN_IF_ERROR(gpu.Read(addresses[i], buffer));
      HLO_INDEXING_ASSIGN_OR_RETURN(outputs.emplace_back(),
                                    run::ArrayOf(*kernel.arguments[i].shape, buffer));
    }
  }
  for (const uint64_t address : addresses) HLO_INDEXING_RETURN_IF_ERROR(gpu.Free(address));
  return outputs;
}

}  // namespace hlo_indexing::program
