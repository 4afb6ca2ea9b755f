#include "codegen/ptx/device.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/device_model.h"
#include "codegen/ptx/machine/address.h"
#include "codegen/ptx/machine/launcher.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

constexpr uint32_t kMaxThreads = 1024;

absl::Status CheckSizes(const syntax::Function& kernel, const LaunchOptions& options) {
  uint64_t threads = 1;
  uint64_t blocks = 1;
  for (size_t i = 0; i < 3; ++i) {
    if (options.block[i] == 0 || options.grid[i] == 0) {
      return absl::InvalidArgumentError("grid and block have at least one element each way");
    }
    threads *= std::min(options.block[i], kMaxThreads + 1);
    if (blocks > uint64_t{std::numeric_limits<int64_t>::max()} / options.grid[i]) {
      return absl::InvalidArgumentError("a grid of more than 2^63 blocks");
    }
    blocks *= options.grid[i];
  }
  if (threads > kMaxThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("a block has at most ", kMaxThreads, " threads"));
  }
  const auto text = [](const std::array<uint32_t, 3>& size) {
    return absl::StrCat(size[0], ",", size[1], ",", size[2]);
  };
  if (kernel.required_block[0] != 0 && kernel.required_block != options.block) {
    return absl::InvalidArgumentError(absl::StrCat(
        "kernel '", std::string(kernel.name), "' requires blocks of ", text(kernel.required_block),
        " threads (.reqntid), not ", text(options.block)));
  }
  uint64_t most = 1;
  for (const uint32_t size : kernel.max_block) most *= size;
  if (kernel.max_block[0] != 0 && threads > most) {
    return absl::InvalidArgumentError(absl::StrCat("kernel '", std::string(kernel.name),
                                                   "' allows blocks of ", most,
                                                   " threads (.maxntid), not ", threads));
  }
  for (const uint32_t size : kernel.required_cluster) {
    if (size > 1) {
      return absl::UnimplementedError(
          absl::StrCat("kernel '", std::string(kernel.name),
                       "' requires clusters of several blocks, which are not supported"));
    }
  }
  return absl::OkStatus();
}

// All blocks of a cooperative launch have to be on the device at once.
absl::Status CheckFitsDevice(const Program& program, const LaunchOptions& options) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const DeviceModel h100, FindDeviceModel("h100"));
  const DeviceModel& device = options.device != nullptr ? *options.device : h100;
  const uint64_t threads = uint64_t{options.block[0]} * options.block[1] * options.block[2];
  const uint64_t shared = program.OwnSharedBytes(options.dynamic_shared_bytes);
  const Occupancy occupancy = ComputeOccupancy(device, threads, /*registers_per_thread=*/0, shared);
  const uint64_t most =
      static_cast<uint64_t>(device.multiprocessors) * static_cast<uint64_t>(occupancy.blocks);
  // A grid of 2^63 blocks was refused.
  const uint64_t blocks = uint64_t{options.grid[0]} * options.grid[1] * options.grid[2];
  if (blocks <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "a cooperative launch of ", blocks, " blocks of ", threads, " threads with ", shared,
      " bytes of shared memory: ", device.name, " holds ", most, " of them at once"));
}

}  // namespace

absl::StatusOr<uint64_t> Device::GridBarrier() {
  constexpr uint64_t kBytes = 8;
  if (grid_barrier_ == 0) {
    HLO_INDEXING_ASSIGN_OR_RETURN(
        grid_barrier_, memory_.Allocate(kBytes, "the barrier of the grid", 16, Contents::kZeros));
  }
  // What a launch that was ended has left.
  HLO_INDEXING_RETURN_IF_ERROR(memory_.Fill(grid_barrier_, 0, kBytes));
  return grid_barrier_;
}

absl::Status Device::Initialize(const LoadedModule& loaded) {
  const syntax::Module& module = *loaded.module;
  for (size_t i = 0; i < module.variables.size(); ++i) {
    const syntax::Variable& variable = module.variables[i];
    if (variable.initializers.empty()) continue;
    const uint64_t size = static_cast<uint64_t>(BitWidth(variable.type) + 7) / 8;
    std::vector<std::byte> bytes(variable.SizeInBytes());
    for (size_t k = 0; k < variable.initializers.size() && (k + 1) * size <= bytes.size(); ++k) {
      const syntax::Initializer& initializer = variable.initializers[k];
      uint64_t value = initializer.bits;
      if (initializer.variable != 0) {
        const uint32_t named = initializer.variable - 1;
        value += loaded.variable_addresses[named];
        if (initializer.is_generic) value += WindowOf(module.variables[named].space);
      } else if (initializer.function != 0) {
        value += kFunctionWindow + uint64_t{16} * (initializer.function - 1);
      }
      if (initializer.byte_of_address >= 0) value >>= 8 * initializer.byte_of_address;
      std::memcpy(bytes.data() + k * size, &value, std::min<uint64_t>(size, sizeof(value)));
    }
    const uint64_t address = loaded.variable_addresses[i];
    HLO_INDEXING_RETURN_IF_ERROR(variable.space == Space::kConst
                                     ? memory_.WriteConstant(address, bytes.data(), bytes.size())
                                     : memory_.Write(address, bytes.data(), bytes.size()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Device::Loaded*> Device::Load(const Module& module) {
  std::unique_ptr<Loaded>& entry = modules_[&module.syntax()];
  if (entry != nullptr) return entry.get();
  auto loaded = std::make_unique<Loaded>();
  loaded->module = std::make_unique<Module>(module);
  loaded->loaded = {.text = module.text(),
                    .file = module.name(),
                    .module = &loaded->module->syntax(),
                    .variable_addresses = {}};
  for (const syntax::Variable& variable : module.syntax().variables) {
    uint64_t address = 0;
    const uint64_t bytes = variable.SizeInBytes();
    const std::string name(variable.name);
    if (variable.space == Space::kConst) {
      HLO_INDEXING_ASSIGN_OR_RETURN(
          address, memory_.AllocateConstant(bytes, name, std::max(variable.alignment, 4u)));
    } else if (variable.space == Space::kGlobal) {
      HLO_INDEXING_ASSIGN_OR_RETURN(
          address,
          memory_.Allocate(bytes, name, std::max(variable.alignment, 16u), Contents::kZeros));
    }
    loaded->loaded.variable_addresses.push_back(address);
  }
  HLO_INDEXING_RETURN_IF_ERROR(Initialize(loaded->loaded));
  entry = std::move(loaded);
  return entry.get();
}

absl::StatusOr<uint64_t> Device::VariableAddress(const Module& module, std::string_view variable) {
  HLO_INDEXING_ASSIGN_OR_RETURN(Loaded * loaded, Load(module));
  const std::vector<syntax::Variable>& variables = module.syntax().variables;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].name == variable && variables[i].space != Space::kShared) {
      return loaded->loaded.variable_addresses[i];
    }
  }
  return absl::NotFoundError(absl::StrCat(std::string(module.name()), " has no variable '",
                                          std::string(variable), "' in global or constant memory"));
}

absl::StatusOr<LaunchResult> Device::Launch(const Module& module, std::string_view kernel,
                                            std::span<const Argument> arguments,
                                            const LaunchOptions& options) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const uint32_t index, module.FindKernel(kernel));
  const syntax::Function& function = module.syntax().functions[index];
  HLO_INDEXING_RETURN_IF_ERROR(CheckSizes(function, options));
  HLO_INDEXING_ASSIGN_OR_RETURN(Loaded * loaded, Load(module));
  std::shared_ptr<const Program>& program = loaded->programs[index];
  if (program == nullptr) {
    HLO_INDEXING_ASSIGN_OR_RETURN(Program decoded, DecodeKernel(loaded->loaded, index));
    program = std::make_shared<const Program>(std::move(decoded));
  }
  constexpr uint64_t kMaxShared = uint64_t{1} << 26;
  if (options.dynamic_shared_bytes > kMaxShared) {
    return absl::InvalidArgumentError(
        absl::StrCat("dynamic shared memory of more than ", kMaxShared, " bytes"));
  }
  const std::vector<VariablePlace>& places = program->functions.front().parameters;
  if (arguments.size() != places.size()) {
    return absl::InvalidArgumentError(absl::StrCat("kernel '", std::string(function.name),
                                                   "' takes ", places.size(), " arguments, ",
                                                   arguments.size(), " were given"));
  }
  std::vector<std::byte> parameters(program->parameter_bytes);
  for (size_t i = 0; i < places.size(); ++i) {
    if (arguments[i].bytes.size() != places[i].size) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, " of kernel '", std::string(function.name), "' has ",
                       places[i].size, " bytes, ", arguments[i].bytes.size(), " were given"));
    }
    std::ranges::copy(arguments[i].bytes,
                      parameters.begin() + static_cast<std::ptrdiff_t>(places[i].offset));
  }
  const uint64_t shared = program->OwnSharedBytes(options.dynamic_shared_bytes);
  if (options.device != nullptr && shared > options.device->shared_bytes_per_block) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel '", std::string(function.name), "' takes ", shared,
                     " bytes of shared memory; a block of ", options.device->name, " has at most ",
                     options.device->shared_bytes_per_block));
  }
  uint64_t grid_barrier = 0;
  if (options.is_cooperative) {
    HLO_INDEXING_RETURN_IF_ERROR(CheckFitsDevice(*program, options));
    HLO_INDEXING_ASSIGN_OR_RETURN(grid_barrier, GridBarrier());
  }
  FindingLog findings(options.max_findings);
  LaunchEnd end = RunLaunch(*program, options, memory_, parameters, findings, grid_barrier);
  memory_.ReleaseFreed();
  LaunchResult result;
  if (!end.stop_reason.empty()) {
    result.status = end.is_limit ? absl::DeadlineExceededError(end.stop_reason)
                                 : absl::AbortedError(end.stop_reason);
  }
  if (end.is_interrupted) result.status = absl::CancelledError("the launch was interrupted");
  result.findings = findings.Sorted();
  result.unchecked = std::move(end.unchecked);
  result.warp_instructions = end.warp_instructions;
  result.output = std::move(end.output);
  result.profile = std::move(end.profile);
  result.program = program;
  return result;
}

}  // namespace hlo_indexing::ptx
