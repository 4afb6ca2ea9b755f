#include "codegen/emit/kernel.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/emit/buffers.h"
#include "codegen/emit/cuda_source.h"
#include "codegen/emit/float_types.h"
#include "codegen/emit/kernel_builder.h"
#include "codegen/emit/kernel_emitter.h"
#include "hlo/element_type.h"
#include "llvm/ADT/StringExtras.h"
#include "support/status_macros.h"

namespace hlo_indexing::emit {

using hlo::Instruction;
using plan::KernelPlan;

namespace {

std::vector<KernelArgument> ArgumentsOf(const KernelPlan& plan) {
  std::vector<KernelArgument> arguments;
  for (size_t i = 0; i < plan.Inputs().size(); ++i) {
    const hlo::Shape& input = plan.InputShape(i);
    for (int64_t leaf = 0; leaf < input.num_array_leaves(); ++leaf) {
      arguments.push_back({&input.ArrayLeaf(leaf), static_cast<int64_t>(i), leaf, std::nullopt});
    }
  }
  for (int64_t leaf = 0; leaf < plan.instruction->shape().num_array_leaves(); ++leaf) {
    arguments.push_back({&plan.OutputShape(leaf), std::nullopt, leaf, std::nullopt});
  }
  if (plan.scratch_bytes > 0) arguments.emplace_back().scratch_bytes = plan.scratch_bytes;
  if (plan.counter_bytes() > 0) {
    KernelArgument& counters = arguments.emplace_back();
    counters.scratch_bytes = plan.counter_bytes();
    counters.is_zeros = true;
  }
  return arguments;
}

// Outputs of updates in place have the contents of what is updated.
void SetUpdates(const KernelPlan& plan, std::vector<KernelArgument>& arguments) {
  const bool is_scatter = plan.emitter == plan::Emitter::kScatter;
  if (!is_scatter && plan.emitter != plan::Emitter::kDynamicUpdateSlice) return;
  for (const plan::PlannedRoot& root : plan.roots) {
    for (int64_t leaf = 0; leaf < root.num_outputs; ++leaf) {
      const Instruction* updated = &root.instruction->operand(static_cast<size_t>(leaf));
      while (!plan.InputNumber(*updated).has_value()) updated = &updated->operand(0);
      const int64_t operand = *plan.InputNumber(*updated);
      for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].operand != operand) continue;
        for (KernelArgument& argument : arguments) {
          if (!argument.is_output() || argument.leaf != root.first_output + leaf) continue;
          argument.updates = i;
        }
      }
    }
  }
}

KernelSignature SignatureOf(const Kernel& kernel) {
  KernelSignature signature;
  signature.name = kernel.name;
  signature.threads = kernel.launch.threads;
  signature.blocks = kernel.launch.blocks;
  for (const KernelArgument& argument : kernel.arguments) {
    BufferArgument buffer;
    buffer.is_read_only = argument.operand.has_value();
    signature.arguments.push_back(buffer);
  }
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const std::optional<size_t> updated = kernel.arguments[i].updates;
    if (!updated.has_value()) continue;
    signature.arguments[*updated] = {.is_read_only = false, .is_alone = false};
    signature.arguments[i].is_alone = false;
  }
  return signature;
}

// What an element is in memory, in C++. Complex numbers are two, and floats of few bits codes.
std::string ElementOf(const hlo::Shape& array) {
  const hlo::ElementType type = hlo::RealPartType(array.element_type());
  const int64_t bits = hlo::ElementBits(type);
  switch (hlo::ClassOf(type)) {
    case hlo::ElementClass::kFloat:
      if (bits == 64) return "double";
      if (bits == 32) return "float";
      if (bits == 16) return type == hlo::ElementType::kBF16 ? "bfloat16_t" : "half_t";
      return "uint8_t";
    case hlo::ElementClass::kSigned:
      return bits == 32 ? "int" : absl::StrCat("int", std::max<int64_t>(8, bits), "_t");
    case hlo::ElementClass::kUnsigned:
      return bits == 32 ? "unsigned" : absl::StrCat("uint", std::max<int64_t>(8, bits), "_t");
    default:
      return "uint8_t";
  }
}

// Arguments are called as parameters and results are in HLO.
std::string NameOf(const KernelPlan& plan, const KernelArgument& argument) {
  if (argument.is_scratch()) return "scratch";
  if (argument.operand.has_value()) {
    const Instruction& input = *plan.Inputs()[static_cast<size_t>(*argument.operand)];
    const std::string name = input.name().str();
    return input.shape().IsTuple() ? absl::StrCat(name, "_", argument.leaf) : name;
  }
  for (const plan::PlannedRoot& root : plan.roots) {
    if (argument.leaf < root.first_output ||
        argument.leaf >= root.first_output + root.num_outputs) {
      continue;
    }
    const std::string name = root.instruction->name().str();
    return root.num_outputs > 1 ? absl::StrCat(name, "_", argument.leaf - root.first_output) : name;
  }
  return "out";
}

CudaSource SourceOf(const KernelPlan& plan, const Kernel& kernel, SourceLines lines) {
  CudaSource source;
  for (const KernelArgument& argument : kernel.arguments) {
    source.arguments.push_back({NameOf(plan, argument), argument.is_scratch()
                                                            ? std::string("uint8_t")
                                                            : ElementOf(*argument.shape)});
  }
  source.lines = std::move(lines);
  return source;
}

absl::Status OfInstruction(const absl::Status& status, const Instruction& instruction) {
  return {status.code(),
          absl::StrCat("%", instruction.name().str(), ": ", std::string(status.message()))};
}

}  // namespace

std::string KernelName(const Instruction& instruction) {
  std::string name = instruction.name().str();
  for (char& c : name) {
    if (!llvm::isAlnum(c) && c != '_') c = '_';
  }
  // A lone underscore is no name of PTX.
  if (name.empty() || name == "_" || llvm::isDigit(name.front())) name.insert(0, "kernel_");
  return name;
}

absl::StatusOr<Kernel> CompileKernel(const KernelPlan& plan, plan::PlanContext& plans,
                                     PtxBackend& backend, const LoweringOptions& options) {
  if (std::string refused = plan.launch.WhyRefused(); !refused.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("%", plan.instruction->name().str(), ": ", refused));
  }
  HLO_INDEXING_RETURN_IF_ERROR(CheckFloatTypes(plan));
  HLO_INDEXING_RETURN_IF_ERROR(CheckElementSizes(plan));
  Kernel kernel;
  kernel.name = KernelName(*plan.instruction);
  kernel.launch = plan.launch;
  kernel.arguments = ArgumentsOf(plan);
  SetUpdates(plan, kernel.arguments);
  const bool is_source = options.stage == Stage::kCuda;
  // Of a name of its own: some are taken by C++ or by its libraries.
  if (is_source) kernel.name += "_kernel";
  KernelSignature signature = SignatureOf(kernel);
  signature.is_source = is_source;
  const hlo::Module& module = plan.instruction->parent().parent();
  const bool has_lines =
      options.has_lines && (is_source || options.stage == Stage::kPtx) && !module.text().empty();
  if (has_lines) {
    signature.file = module.file_name().empty() ? "<input>" : module.file_name().str();
  }
  KernelBuilder builder(backend.context(), signature);
  KernelEmitter emitter(builder, plans, plan);
  emitter.elements().SetPosition(*plan.instruction);
  switch (plan.emitter) {
    case plan::Emitter::kLoop:
    case plan::Emitter::kConcatenate:
      EmitLoop(emitter);
      break;
    case plan::Emitter::kDynamicUpdateSlice:
      EmitInPlaceUpdate(emitter);
      break;
    case plan::Emitter::kReduction:
      EmitReduction(emitter);
      break;
    case plan::Emitter::kRows:
      EmitRows(emitter);
      break;
    case plan::Emitter::kTranspose:
      EmitTranspose(emitter);
      break;
    case plan::Emitter::kScatter:
      EmitScatter(emitter);
      break;
    case plan::Emitter::kSort:
      EmitSort(emitter);
      break;
    case plan::Emitter::kScan:
      EmitScan(emitter);
      break;
    case plan::Emitter::kNormalization:
      EmitNormalization(emitter);
      break;
    case plan::Emitter::kMatrices:
      EmitMatrices(emitter);
      break;
    case plan::Emitter::kProducts:
      EmitProducts(emitter);
      break;
  }
  HLO_INDEXING_RETURN_IF_ERROR(emitter.elements().status());
  const SourceLines lines = builder.lines();
  mlir::OwningOpRef<mlir::ModuleOp> code = std::move(builder).Take();
  if (is_source) {
    HLO_INDEXING_RETURN_IF_ERROR(backend.Simplify(*code));
    const absl::StatusOr<std::string> text = WriteCuda(*code, SourceOf(plan, kernel, lines));
    if (!text.ok()) return OfInstruction(text.status(), *plan.instruction);
    kernel.text = *text;
    return kernel;
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(kernel.text, backend.Lower(std::move(code), options));
  return kernel;
}

}  // namespace hlo_indexing::emit
