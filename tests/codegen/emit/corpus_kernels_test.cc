// Kernels of a folder of real modules against the interpreter, and what they move against their
// plans: HLO_CORPUS is the folder, HLO_INDEXING_CORPUS_ELEMENTS the most elements of a kernel's
// arrays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "codegen/plan/kernels.h"
#include "codegen/plan/our_plan.h"
#include "codegen/program/kernel_run.h"
#include "hlo/element_type.h"
#include "hlo/interpreter/interpreter.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "tests/codegen/emit/kernel_check.h"
#include "tests/property/num_cases.h"

namespace hlo_indexing::emit {
namespace {

using hlo::Instruction;
using hlo::Value;

std::vector<std::filesystem::path> ModulesBelow(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string TextOf(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int64_t NumElements(const hlo::Shape& shape) {
  int64_t count = 0;
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    count += shape.ArrayLeaf(leaf).num_elements();
  }
  return count;
}

// What rounding may differ by, where sums come in other orders.
double ToleranceOf(const hlo::Shape& shape) {
  double tolerance = 0;
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    const hlo::ElementType part = hlo::RealPartType(shape.ArrayLeaf(leaf).element_type());
    if (hlo::ClassOf(part) != hlo::ElementClass::kFloat) continue;
    const int64_t bits = hlo::ElementBits(part);
    tolerance = std::max(tolerance, bits < 16    ? 0.25
                                    : bits == 16 ? 0.02
                                    : bits == 32 ? 1e-4
                                                 : 1e-9);
  }
  return tolerance;
}

// Of floats, numbers that are not zero and about 1, so that long products are no NaN in any order.
Value ValueOf(const hlo::Shape& shape, uint64_t seed) {
  Value random = RandomValue(shape, seed);
  if (!shape.IsArray()) return random;
  auto array = std::make_shared<hlo::ArrayValue>(&shape);
  const hlo::ElementClass kind = hlo::ClassOf(shape.element_type());
  const auto near_one = [](double number) {
    return number < 0 ? number / 8 - 0.5 : number / 8 + 0.5;
  };
  for (int64_t i = 0; i < array->size(); ++i) {
    hlo::Element element = random.array().Get(i);
    if (kind == hlo::ElementClass::kFloat) element = hlo::FloatElement(near_one(element.real));
    array->Set(i, element);
  }
  return Value(std::move(array));
}

// Indices that the module promises to be unique, and random ones are not.
bool PromisesUniqueIndices(const plan::Kernel& kernel) {
  const auto promises = [](const Instruction* instruction) {
    return instruction->Get<bool>(hlo::AttributeName::kUniqueIndices).value_or(false);
  };
  const hlo::Computation* computation = nullptr;
  if (kernel.is_computation) computation = &kernel.instruction->parent();
  if (kernel.instruction->opcode() == hlo::Opcode::kFusion) {
    computation = kernel.instruction->Callee(hlo::AttributeName::kCalls);
  }
  if (computation == nullptr) return promises(kernel.instruction);
  return std::any_of(computation->instructions().begin(), computation->instructions().end(),
                     promises);
}

class CorpusCheck {
 public:
  explicit CorpusCheck(int64_t max_elements) : max_elements_(max_elements) {}

  void Check(const std::filesystem::path& file) {
    const std::string text = TextOf(file);
    auto module = hlo::ParseModule(text);
    if (!module.ok() || !hlo::Verify(**module).ok()) return Count("not a module", file.string());
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    indexing_analysis::IndexingAnalysis analysis(&context);
    const ptx::DeviceModel device = *ptx::FindDeviceModel("a100");
    plan::PlanContext plans(device, analysis, &context);
    for (const plan::Kernel& kernel : plan::OurKernelsOf(**module)) {
      const std::string where = file.filename().string() + " %" + kernel.instruction->name().str();
      const std::string result = Run(kernel, plans, where);
      Count(result, where);
    }
  }

  void Print() const {
    for (const auto* counts : {&results_, &traffic_}) {
      for (const auto& [result, where] : *counts) {
        std::cout << where.size() << "  " << result << "  (" << where.front();
        if (where.size() > 1) std::cout << ", ..., " << where.back();
        std::cout << ")\n";
      }
    }
  }

  bool AllAreEqual() const {
    return std::none_of(results_.begin(), results_.end(),
                        [](const auto& result) { return result.first.rfind("wrong", 0) == 0; });
  }

  // Those that values do not decide.
  bool AllMoveWhatIsPlanned() const {
    return std::none_of(traffic_.begin(), traffic_.end(), [](const auto& result) {
      return result.first.rfind("less", 0) == 0 || result.first.rfind("more", 0) == 0;
    });
  }

 private:
  void Count(const std::string& result, const std::string& where) {
    results_[result].push_back(where);
    if (result.rfind("wrong", 0) == 0) std::cout << where << ": " << result << "\n" << std::flush;
  }

  void CountTraffic(const Traffic& traffic, const std::string& emitter, const std::string& where) {
    const char* const how = !traffic.is_exact             ? "decided by values"
                            : traffic.IsAsPlanned()       ? "as planned"
                            : traffic.IsAtMostAsPlanned() ? "less than planned"
                                                          : "more than planned";
    traffic_[std::string(how) + ", " + emitter].push_back(where);
    if (!traffic.is_exact || traffic.IsAsPlanned()) return;
    std::cout << where << ": " << traffic.requests << " requests, " << traffic.sectors
              << " sectors, " << traffic.wavefronts << " wavefronts instead of "
              << traffic.planned_requests << ", " << traffic.planned_sectors << ", "
              << traffic.planned_wavefronts << "\n";
  }

  std::string Run(const plan::Kernel& planned, plan::PlanContext& plans, const std::string& where) {
    const Instruction& instruction = *planned.instruction;
    auto plan = planned.is_computation ? plan::PlanKernel(instruction.parent(), plans)
                                       : plan::PlanKernel(instruction, plans);
    if (!plan.ok()) return "no plan: " + std::string(plan.status().message());
    LoweringOptions lowering;
    lowering.has_lines = false;
    const absl::StatusOr<Kernel> kernel = CompileKernel(*plan, plans, backend_, lowering);
    if (!kernel.ok()) return "no kernel: " + std::string(kernel.status().message());
    // The same kernel again, under another name.
    std::string text = kernel->text;
    for (size_t at = text.find(kernel->name); at != std::string::npos;
         at = text.find(kernel->name, at)) {
      text.erase(at, kernel->name.size());
    }
    if (!seen_.insert(std::hash<std::string>()(text)).second) return "as one before";
    if (PromisesUniqueIndices(planned)) return "indices are promised to be unique";
    int64_t elements = NumElements(instruction.shape());
    for (const Instruction* input : plan->Inputs()) elements += NumElements(input->shape());
    if (elements > max_elements_) return "larger";
    std::vector<Value> operands;
    std::map<const Instruction*, Value> known;
    for (const Instruction* input : plan->Inputs()) {
      known.try_emplace(input, OperandOf(planned, *input, known.size() + 1));
      operands.push_back(known.at(input));
    }
    hlo::InterpreterOptions options;
    options.max_steps = 40'000'000;
    absl::StatusOr<Value> expected = Expected(planned, operands, options);
    if (!expected.ok()) return "no value: " + Short(expected.status());
    ptx::LaunchOptions launch;
    launch.checks = {.initcheck = true, .racecheck = true, .synccheck = true};
    launch.num_host_threads = 1;
    launch.max_warp_instructions = 20'000'000;
    launch.profile = true;
    program::VirtualGpu virtual_gpu(launch);
    const std::unique_ptr<program::CudaGpu> cuda_gpu = CudaGpuOfEnvironment();
    const auto outputs = program::RunKernel(
        *kernel, operands,
        cuda_gpu == nullptr ? static_cast<program::Gpu&>(virtual_gpu) : *cuda_gpu);
    if (!outputs.ok()) {
      return (cuda_gpu == nullptr ? "not run: " : "wrong: not run: ") + Short(outputs.status());
    }
    if (!virtual_gpu.findings().empty()) {
      return "wrong: finding " + virtual_gpu.findings().front().ToString();
    }
    const std::vector<const hlo::ArrayValue*> leaves = expected->ArrayLeaves();
    for (size_t i = 0; i < leaves.size(); ++i) {
      std::string difference =
          Difference(*leaves[i], *(*outputs)[i], ToleranceOf(instruction.shape()));
      if (!difference.empty()) {
        return "wrong: " + plan::EmitterName(plan->emitter).str() + " " + difference;
      }
    }
    if (cuda_gpu == nullptr) {
      Traffic traffic = PlannedTraffic(*plan, plans);
      SetMeasured(*virtual_gpu.last_launch().profile, traffic);
      CountTraffic(traffic, plan::EmitterName(plan->emitter).str(), where);
    }
    return "equal, " + plan::EmitterName(plan->emitter).str();
  }

  // Operands that follow from constants are what they are: the maps know it.
  static Value OperandOf(const plan::Kernel& planned, const Instruction& input, uint64_t seed) {
    if (!planned.is_computation && input.opcode() != hlo::Opcode::kParameter) {
      hlo::InterpreterOptions options;
      options.max_steps = 1000;
      absl::StatusOr<Value> value = hlo::EvaluateInstruction(input, {}, options);
      if (value.ok()) return *std::move(value);
    }
    return ValueOf(input.shape(), seed);
  }

  static absl::StatusOr<Value> Expected(const plan::Kernel& planned,
                                        const std::vector<Value>& operands,
                                        const hlo::InterpreterOptions& options) {
    const Instruction& instruction = *planned.instruction;
    if (planned.is_computation) {
      return hlo::Evaluate(instruction.parent(), operands, options);
    }
    if (instruction.opcode() == hlo::Opcode::kFusion) {
      return hlo::Evaluate(*instruction.Callee(hlo::AttributeName::kCalls), operands, options);
    }
    auto traced = hlo::TraceReads(instruction, {operands}, options);
    if (!traced.ok()) return traced.status();
    return traced->result();
  }

  // Without the place.
  static std::string Short(const absl::Status& status) {
    const std::string message(status.message());
    return message.substr(message.rfind(": ") == std::string::npos ? 0 : message.rfind(": ") + 2);
  }

  int64_t max_elements_;
  PtxBackend backend_;
  std::set<size_t> seen_;
  // Kernels, by what came out and by what they moved.
  std::map<std::string, std::vector<std::string>> results_;
  std::map<std::string, std::vector<std::string>> traffic_;
};

TEST(CorpusKernels, ComputeWhatTheInterpreterDoes) {
  const char* const folder = std::getenv("HLO_CORPUS");
  if (folder == nullptr) GTEST_SKIP() << "HLO_CORPUS names no folder";
  CorpusCheck check(testing::NumCases("HLO_INDEXING_CORPUS_ELEMENTS", 1 << 16));
  for (const std::filesystem::path& file : ModulesBelow(folder)) check.Check(file);
  check.Print();
  EXPECT_TRUE(check.AllAreEqual());
  EXPECT_TRUE(check.AllMoveWhatIsPlanned());
}

}  // namespace
}  // namespace hlo_indexing::emit
