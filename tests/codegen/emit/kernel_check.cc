#include "tests/codegen/emit/kernel_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "absl/strings/str_cat.h"
#include "codegen/plan/our_plan.h"
#include "codegen/program/kernel_run.h"
#include "hlo/element_type.h"
#include "hlo/interpreter/element_value.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"

namespace hlo_indexing::emit {

using hlo::ArrayValue;
using hlo::Element;
using hlo::ElementClass;
using hlo::Value;
using program::Gpu;

namespace {

ptx::LaunchOptions AllChecks(uint64_t schedule) {
  ptx::LaunchOptions options;
  options.checks = {.initcheck = true, .racecheck = true, .synccheck = true};
  options.num_host_threads = 1;
  options.schedule = schedule;
  return options;
}

bool IsClose(double expected, double actual, double tolerance) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (expected == actual) return std::signbit(expected) == std::signbit(actual) || tolerance > 0;
  return std::fabs(expected - actual) <= tolerance * std::max(1.0, std::fabs(expected));
}

bool IsClose(hlo::ElementType type, const Element& expected, const Element& actual,
             double tolerance) {
  switch (hlo::ClassOf(type)) {
    case ElementClass::kFloat:
      return IsClose(expected.real, actual.real, tolerance);
    case ElementClass::kComplex: {
      // Of the number: a part that is small beside the other is not more exact.
      const double of_number = tolerance * std::max(1.0, std::abs(expected.number()));
      return IsClose(expected.real, actual.real,
                     of_number / std::max(1.0, std::fabs(expected.real))) &&
             IsClose(expected.imag, actual.imag,
                     of_number / std::max(1.0, std::fabs(expected.imag)));
    }
    default:
      return expected.integer == actual.integer;
  }
}

Element RandomElement(hlo::ElementType type, std::mt19937_64& random) {
  const auto quarter = [&] { return (static_cast<double>(random() % 65) - 32) / 4; };
  switch (hlo::ClassOf(type)) {
    case ElementClass::kFloat:
      return hlo::FloatElement(quarter());
    case ElementClass::kComplex:
      return hlo::ComplexElement({quarter(), quarter()});
    default:
      return hlo::IntegerElement(hlo::WrapInteger(type, static_cast<int64_t>(random() % 14) - 3));
  }
}

}  // namespace

Value RandomValue(const hlo::Shape& shape, uint64_t seed) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (const hlo::Shape* element : shape.elements()) {
      elements.push_back(RandomValue(*element, seed * 31 + elements.size() + 1));
    }
    return Value::Tuple(&shape, std::move(elements));
  }
  if (!shape.IsArray()) return Value::Token(&shape);
  std::mt19937_64 random(seed);
  auto array = std::make_shared<ArrayValue>(&shape);
  for (int64_t i = 0; i < array->size(); ++i) {
    array->Set(i, RandomElement(shape.element_type(), random));
  }
  return Value(std::move(array));
}

std::string Difference(const ArrayValue& expected, const ArrayValue& actual, double tolerance) {
  for (int64_t i = 0; i < expected.size(); ++i) {
    const Element a = expected.Get(i);
    const Element b = actual.Get(i);
    if (IsClose(expected.type(), a, b, tolerance)) continue;
    return absl::StrCat("element ", i, " of ", expected.shape().ToString(), " is (", b.integer,
                        ", ", b.real, ", ", b.imag, ") instead of (", a.integer, ", ", a.real, ", ",
                        a.imag, ")");
  }
  return "";
}

std::unique_ptr<program::CudaGpu> CudaGpuOfEnvironment() {
  const char* const driver = std::getenv("HLO_INDEXING_CUDA_DRIVER");
  if (driver == nullptr) return nullptr;
  const auto open = [&] {
    auto gpu = program::CudaGpu::Open({.driver = driver});
    EXPECT_TRUE(gpu.ok()) << gpu.status().message();
    return gpu.ok() ? *std::move(gpu) : nullptr;
  };
  // The context of the device takes long to make, and lives as long as one of these.
  static const std::unique_ptr<program::CudaGpu> keeps_context = open();
  return open();
}

KernelCheck::KernelCheck(const std::string& text, PtxBackend& backend,
                         std::optional<int> multiprocessors)
    : mlir_context_(mlir::MLIRContext::Threading::DISABLED),
      device_(*ptx::FindDeviceModel("rtx-a6000")),
      analysis_(&mlir_context_),
      plans_(device_, analysis_, &mlir_context_),
      backend_(backend) {
  if (multiprocessors.has_value()) device_.multiprocessors = *multiprocessors;
  auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  module_ = *std::move(module);
  EXPECT_EQ(hlo::Verify(*module_).message(), "");
}

absl::StatusOr<plan::KernelPlan> KernelCheck::Plan() {
  // A call is no kernel, but what it calls may be one. A module without ENTRY is one.
  if (root().opcode() == hlo::Opcode::kCall) {
    return plan::PlanKernel(*root().Callee(hlo::AttributeName::kToApply), plans_);
  }
  return module_->has_entry_keyword() ? plan::PlanKernel(root(), plans_)
                                      : plan::PlanKernel(module_->entry(), plans_);
}

absl::StatusOr<Kernel> KernelCheck::Compile(const LoweringOptions& options) {
  auto plan = Plan();
  if (!plan.ok()) return plan.status();
  return CompileKernel(*plan, plans_, backend_, options);
}

absl::StatusOr<KernelCheck::Values> KernelCheck::RandomValues(uint64_t seed) {
  std::vector<Value> arguments;
  for (const hlo::Instruction* parameter : module_->entry().parameters()) {
    arguments.push_back(RandomValue(parameter->shape(), seed + arguments.size()));
  }
  Values values;
  for (const hlo::Instruction* operand :
       module_->has_entry_keyword() ? root().operands() : module_->entry().parameters()) {
    auto value = hlo::EvaluateInstruction(*operand, arguments);
    if (!value.ok()) return value.status();
    values.operands.push_back(*std::move(value));
  }
  auto value = hlo::EvaluateInstruction(root(), arguments);
  if (!value.ok()) return value.status();
  values.expected = *std::move(value);
  return values;
}

std::string KernelCheck::Run(uint64_t seed, double tolerance) {
  const absl::StatusOr<Kernel> kernel = Compile();
  if (!kernel.ok()) return absl::StrCat("unsupported: ", kernel.status().message());
  const absl::StatusOr<Values> values = RandomValues(seed);
  if (!values.ok()) return absl::StrCat("not run: ", values.status().message());
  program::VirtualGpu virtual_gpu(AllChecks(seed));
  const std::unique_ptr<program::CudaGpu> cuda_gpu = CudaGpuOfEnvironment();
  const auto outputs = program::RunKernel(
      *kernel, values->operands, cuda_gpu == nullptr ? static_cast<Gpu&>(virtual_gpu) : *cuda_gpu);
  if (!outputs.ok()) return absl::StrCat("not run: ", outputs.status().message());
  if (!virtual_gpu.findings().empty()) {
    return absl::StrCat("finding: ", virtual_gpu.findings().front().ToString());
  }
  const std::vector<const ArrayValue*> leaves = values->expected.ArrayLeaves();
  for (size_t i = 0; i < leaves.size(); ++i) {
    std::string difference = Difference(*leaves[i], *(*outputs)[i], tolerance);
    if (!difference.empty()) return difference;
  }
  return "";
}

std::string KernelCheck::RunInSchedules(int count) {
  const absl::StatusOr<Kernel> kernel = Compile();
  if (!kernel.ok()) return absl::StrCat("unsupported: ", kernel.status().message());
  const absl::StatusOr<Values> values = RandomValues(1);
  if (!values.ok()) return absl::StrCat("not run: ", values.status().message());
  std::vector<std::shared_ptr<const ArrayValue>> first;
  for (int schedule = 0; schedule < count; ++schedule) {
    program::VirtualGpu gpu(AllChecks(static_cast<uint64_t>(schedule)));
    const auto outputs = program::RunKernel(*kernel, values->operands, gpu);
    if (!outputs.ok()) return absl::StrCat("not run: ", outputs.status().message());
    if (!gpu.findings().empty()) {
      return absl::StrCat("finding: ", gpu.findings().front().ToString());
    }
    if (schedule == 0) first = *outputs;
    for (size_t i = 0; i < first.size(); ++i) {
      std::string difference = Difference(*first[i], *(*outputs)[i], 0);
      if (!difference.empty()) return absl::StrCat("schedule ", schedule, ": ", difference);
    }
  }
  return "";
}

Traffic KernelCheck::Measure() {
  Traffic traffic;
  const auto plan = Plan();
  const absl::StatusOr<Kernel> kernel = Compile();
  if (!kernel.ok()) {
    traffic.error = std::string(kernel.status().message());
    return traffic;
  }
  traffic = PlannedTraffic(*plan, plans_);
  const absl::StatusOr<Values> values = RandomValues(1);
  ptx::LaunchOptions options = AllChecks(1);
  options.profile = true;
  program::VirtualGpu gpu(options);
  absl::Status status = values.status();
  if (status.ok()) status = program::RunKernel(*kernel, values->operands, gpu).status();
  if (!status.ok()) {
    traffic.error = std::string(status.message());
    return traffic;
  }
  SetMeasured(*gpu.last_launch().profile, traffic);
  return traffic;
}

}  // namespace hlo_indexing::emit
