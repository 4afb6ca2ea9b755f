// Kernels on the virtual GPU.
#include <array>
#include <cstring>
#include <optional>

#include "codegen/ptx/device.h"
#include "codegen/ptx/device_model.h"
#include "python/core/bindings.h"
#include "python/core/device.h"
#include "python/core/errors.h"
#include "python/core/long_work.h"
#include "support/status_macros.h"
#include "tools/ptx_report.h"

namespace hlo_indexing::python {

namespace nb = nanobind;

namespace {

using Bytes = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// What a kernel is launched with: the bytes of an array, which it may write, or of a number.
struct LaunchArgument {
  std::optional<Bytes> array;
  bool is_written_before = true;
  std::string number;
};

struct LaunchSettings {
  ptx::Dimensions grid = {1, 1, 1};
  ptx::Dimensions block = {1, 1, 1};
  uint64_t shared_bytes = 0;
  bool initcheck = false;
  bool racecheck = false;
  bool synccheck = true;
  bool is_cooperative = false;
  uint64_t schedule = 0;
  uint64_t max_warp_instructions = ptx::LaunchOptions().max_warp_instructions;
  int max_findings = ptx::LaunchOptions().max_findings;
  bool profile = false;
  std::string device;
  uint64_t registers = 0;
};

// An argument: (bytes of an array, whether its contents count as written) or the bytes of a number.
LaunchArgument ArgumentOf(const nb::handle& given) {
  LaunchArgument argument;
  if (nb::isinstance<nb::bytes>(given)) {
    const auto number = nb::cast<nb::bytes>(given);
    argument.number.assign(number.c_str(), number.size());
    return argument;
  }
  const auto [array, is_written] = nb::cast<std::pair<Bytes, bool>>(given);
  argument.array = array;
  argument.is_written_before = is_written;
  return argument;
}

absl::StatusOr<ptx::LaunchResult> LaunchOn(ptx::Device& device, const ptx::Module& module,
                                           const std::string& kernel,
                                           std::vector<LaunchArgument>& arguments,
                                           const ptx::LaunchOptions& options) {
  std::vector<ptx::Argument> values;
  std::vector<uint64_t> addresses(arguments.size(), 0);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const LaunchArgument& argument = arguments[i];
    if (!argument.array.has_value()) {
      ptx::Argument value;
      value.bytes.resize(argument.number.size());
      std::memcpy(value.bytes.data(), argument.number.data(), argument.number.size());
      values.push_back(std::move(value));
      continue;
    }
    const absl::StatusOr<uint64_t> address =
        device.Allocate(argument.array->size(), "argument " + std::to_string(i));
    if (!address.ok()) return address.status();
    addresses[i] = *address;
    values.push_back(ptx::Argument::Of(*address));
    if (!argument.is_written_before) continue;
    HLO_INDEXING_RETURN_IF_ERROR(
        device.Write(*address, argument.array->data(), argument.array->size()));
  }
  absl::StatusOr<ptx::LaunchResult> result = device.Launch(module, kernel, values, options);
  if (!result.ok()) return result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].array.has_value()) continue;
    HLO_INDEXING_RETURN_IF_ERROR(
        device.Read(addresses[i], arguments[i].array->data(), arguments[i].array->size()));
  }
  return result;
}

// Runs a kernel; the arrays become what it leaves in them.
nb::dict Launch(const std::string& text, const std::string& name, const std::string& kernel,
                const nb::list& given, const LaunchSettings& settings, nb::object progress) {
  std::vector<LaunchArgument> arguments;
  for (const nb::handle argument : given) arguments.push_back(ArgumentOf(argument));
  ptx::LaunchOptions options;
  options.grid = settings.grid;
  options.block = settings.block;
  options.dynamic_shared_bytes = settings.shared_bytes;
  options.checks = {.initcheck = settings.initcheck,
                    .racecheck = settings.racecheck,
                    .synccheck = settings.synccheck};
  options.is_cooperative = settings.is_cooperative;
  options.schedule = settings.schedule;
  options.max_warp_instructions = settings.max_warp_instructions;
  options.max_findings = settings.max_findings;
  options.profile = settings.profile;
  const ptx::DeviceModel model = DeviceNamed(settings.device);
  options.device = &model;
  LongWork work(std::move(progress));
  options.keep_running = [&](uint64_t ended, uint64_t blocks) {
    work.Report(kernel, static_cast<int64_t>(ended), static_cast<int64_t>(blocks));
    return !work.MustStop();
  };
  absl::StatusOr<ptx::LaunchResult> result;
  std::string report;
  {
    const nb::gil_scoped_release release;
    const absl::StatusOr<ptx::Module> module = ptx::Module::Parse(text, name);
    if (module.ok()) {
      ptx::Device device;
      result = LaunchOn(device, *module, kernel, arguments, options);
      if (result.ok()) {
        llvm::raw_string_ostream out(report);
        tools::PrintLaunch({.file = name,
                            .module = *module,
                            .kernel = kernel,
                            .options = options,
                            .result = *result,
                            .device = model,
                            .registers = settings.registers},
                           /*as_json=*/true, out);
      }
    } else {
      result = module.status();
    }
  }
  work.RaiseIfStopped();
  if (!result.ok()) Raise(result.status());
  nb::list findings;
  for (const ptx::Finding& finding : result->findings) {
    nb::dict record;
    record["check"] = std::string(ptx::NameOf(finding.check));
    record["message"] = finding.message;
    record["kernel"] = finding.kernel;
    record["line"] = finding.line;
    record["source_file"] = finding.source_file;
    record["source_line"] = finding.source_line;
    record["block"] = nb::make_tuple(finding.block[0], finding.block[1], finding.block[2]);
    record["thread"] = nb::make_tuple(finding.thread[0], finding.thread[1], finding.thread[2]);
    record["warp"] = finding.warp;
    record["lane"] = finding.lane;
    record["count"] = finding.count;
    record["text"] = finding.ToString();
    findings.append(record);
  }
  nb::dict record;
  record["ended_early"] = std::string(result->status.message());
  record["findings"] = findings;
  record["unchecked"] = result->unchecked;
  record["warp_instructions"] = result->warp_instructions;
  record["output"] = result->output;
  record["report"] = report;
  return record;
}

// Name and parameters (name, bytes, whether it is an address) of each kernel, and the block that
// the text asks for, of zeros where it does not; then what `ptx --list` says, as lines of JSON.
nb::tuple Kernels(const std::string& text, const std::string& name) {
  const ptx::Module module = ValueOrRaise(ptx::Module::Parse(text, name));
  nb::list kernels;
  for (const std::string_view kernel : module.kernels()) {
    const ptx::KernelSummary summary = module.Summarize(ValueOrRaise(module.FindKernel(kernel)));
    nb::list parameters;
    for (const auto& parameter : summary.parameters) {
      parameters.append(nb::make_tuple(std::string(parameter.name),
                                       std::string(ptx::NameOf(parameter.type)), parameter.bytes,
                                       parameter.is_pointer));
    }
    kernels.append(
        nb::make_tuple(std::string(kernel), parameters,
                       nb::make_tuple(summary.block[0], summary.block[1], summary.block[2])));
  }
  std::string report;
  llvm::raw_string_ostream out(report);
  tools::PrintKernels(name, module, /*as_json=*/true, out);
  return nb::make_tuple(kernels, report);
}

ptx::Dimensions DimensionsOf(const std::vector<uint32_t>& sizes) {
  ptx::Dimensions dimensions = {1, 1, 1};
  for (size_t i = 0; i < sizes.size() && i < dimensions.size(); ++i) dimensions[i] = sizes[i];
  return dimensions;
}

}  // namespace

void BindKernels(nb::module_& module) {
  module.def(
      "launch",
      [](const std::string& text, const std::string& name, const std::string& kernel,
         const nb::list& arguments, const std::vector<uint32_t>& grid,
         const std::vector<uint32_t>& block, uint64_t shared_bytes, bool initcheck, bool racecheck,
         bool synccheck, bool is_cooperative, uint64_t schedule, uint64_t max_warp_instructions,
         int max_findings, bool profile, const std::string& device, uint64_t registers,
         nb::object progress) {
        LaunchSettings settings;
        settings.grid = DimensionsOf(grid);
        settings.block = DimensionsOf(block);
        settings.shared_bytes = shared_bytes;
        settings.initcheck = initcheck;
        settings.racecheck = racecheck;
        settings.synccheck = synccheck;
        settings.is_cooperative = is_cooperative;
        settings.schedule = schedule;
        settings.max_warp_instructions = max_warp_instructions;
        settings.max_findings = max_findings;
        settings.profile = profile;
        settings.device = device;
        settings.registers = registers;
        return Launch(text, name, kernel, arguments, settings, std::move(progress));
      },
      "text"_a, "name"_a, "kernel"_a, "arguments"_a, "grid"_a, "block"_a, "shared_bytes"_a,
      "initcheck"_a, "racecheck"_a, "synccheck"_a, "is_cooperative"_a, "schedule"_a,
      "max_warp_instructions"_a, "max_findings"_a, "profile"_a, "device"_a, "registers"_a,
      "progress"_a.none());
  module.def("kernels", &Kernels, "text"_a, "name"_a);
}

}  // namespace hlo_indexing::python
