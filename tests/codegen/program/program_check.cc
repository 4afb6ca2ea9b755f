#include "tests/codegen/program/program_check.h"

#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/program/compile.h"
#include "codegen/program/execute.h"
#include "codegen/program/virtual_gpu.h"
#include "codegen/ptx/device_model.h"
#include "hlo/interpreter/interpreter.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "support/status_macros.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::program {
namespace {

constexpr int64_t kMostInterpreterSteps = 10'000'000;

std::vector<hlo::Value> RandomArguments(const hlo::Module& module, uint64_t seed) {
  std::vector<hlo::Value> arguments;
  for (const hlo::Instruction* parameter : module.entry().parameters()) {
    arguments.push_back(emit::RandomValue(parameter->shape(), seed + arguments.size()));
  }
  return arguments;
}

std::string DifferenceOf(const hlo::Value& expected, const hlo::Value& actual, double tolerance) {
  const auto wanted = expected.ArrayLeaves();
  const auto found = actual.ArrayLeaves();
  if (wanted.size() != found.size()) return "another number of outputs";
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string difference = emit::Difference(*wanted[i], *found[i], tolerance);
    if (!difference.empty()) return absl::StrCat("output ", i, ": ", difference);
  }
  return "";
}

}  // namespace

ProgramCheck::ProgramCheck(const std::string& text, emit::PtxBackend& backend) : backend_(backend) {
  auto module = hlo::ParseModule(text, {.file_name = "test.hlo"});
  if (!module.ok() || !hlo::Verify(**module).ok()) return;
  module_ = *std::move(module);
}

absl::StatusOr<Program> ProgramCheck::Compile() const {
  static const ptx::DeviceModel device = *ptx::FindDeviceModel("h100");
  return program::Compile(*module_, device, backend_);
}

bool ProgramCheck::HasValue(uint64_t seed) const {
  return hlo::Evaluate(module_->entry(), RandomArguments(*module_, seed),
                       {.max_steps = kMostInterpreterSteps})
      .ok();
}

std::string ProgramCheck::RunOn(Gpu& gpu, uint64_t seed, double tolerance) const {
  const absl::StatusOr<Program> program = Compile();
  if (!program.ok()) return absl::StrCat("unsupported: ", program.status().message());
  const std::vector<hlo::Value> arguments = RandomArguments(*module_, seed);
  const absl::StatusOr<hlo::Value> expected =
      hlo::Evaluate(module_->entry(), arguments, {.max_steps = kMostInterpreterSteps});
  if (!expected.ok()) return absl::StrCat("no value: ", expected.status().message());
  const absl::StatusOr<hlo::Value> actual = Execute(*program, gpu, arguments);
  if (!actual.ok()) return std::string(actual.status().message());
  return DifferenceOf(*expected, *actual, tolerance);
}

absl::Status ProgramCheck::RunWithin(Gpu& gpu, int64_t max_steps) const {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Program program, Compile());
  return Execute(program, gpu, RandomArguments(*module_, 1), {.max_steps = max_steps}).status();
}

std::string ProgramCheck::Run(uint64_t seed, double tolerance) const {
  if (const auto gpu = emit::CudaGpuOfEnvironment()) return RunOn(*gpu, seed, tolerance);
  const absl::StatusOr<Program> program = Compile();
  if (!program.ok()) return absl::StrCat("unsupported: ", program.status().message());
  const std::vector<hlo::Value> arguments = RandomArguments(*module_, seed);
  const absl::StatusOr<hlo::Value> expected =
      hlo::Evaluate(module_->entry(), arguments, {.max_steps = kMostInterpreterSteps});
  if (!expected.ok()) return absl::StrCat("no value: ", expected.status().message());
  for (const bool separate : {true, false}) {
    ptx::LaunchOptions launch;
    launch.checks = {.initcheck = separate, .racecheck = separate, .synccheck = true};
    launch.schedule = seed;
    VirtualGpu gpu(launch);
    const absl::StatusOr<hlo::Value> actual =
        Execute(*program, gpu, arguments, {.separate_buffers = separate});
    if (!actual.ok()) return std::string(actual.status().message());
    if (!gpu.findings().empty()) return gpu.findings().front().ToString();
    const std::string difference = DifferenceOf(*expected, *actual, tolerance);
    if (difference.empty()) continue;
    return absl::StrCat(difference, separate ? "" : ", with buffers in one piece of memory");
  }
  return "";
}

}  // namespace hlo_indexing::program
