#include "codegen/program/compile.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/plan/kernels.h"
#include "codegen/plan/our_plan.h"
#include "codegen/program/program_compiler.h"
#include "hlo/async.h"
#include "hlo/attribute.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "llvm/ADT/DenseSet.h"
#include "support/diagnostics.h"
#include "support/status_macros.h"

namespace hlo_indexing::program {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

// Those that the entry runs, each after those that it runs itself.
std::vector<const Computation*> CalleesFirst(const hlo::Module& module) {
  struct Pending {
    const Computation* computation;
    // Its callees have been put in front of it.
    bool is_opened = false;
  };
  std::vector<const Computation*> in_order;
  llvm::DenseSet<const Computation*> done;
  std::vector<Pending> pending = {{&module.entry()}};
  while (!pending.empty()) {
    Pending& last = pending.back();
    const Computation* const computation = last.computation;
    if (last.is_opened || done.contains(computation)) {
      if (done.insert(computation).second) in_order.push_back(computation);
      pending.pop_back();
      continue;
    }
    last.is_opened = true;
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* called : plan::ComputationsRunBy(*instruction)) {
        if (!done.contains(called)) pending.push_back({called});
      }
    }
  }
  return in_order;
}

}  // namespace

absl::Status At(const Instruction& instruction, const absl::Status& status) {
  const hlo::Module& module = instruction.parent().parent();
  std::string message(status.message());
  if (!module.text().empty()) {
    message =
        support::MakeDiagnostic(module.source(), instruction.offset(), std::move(message)).Render();
  }
  return {status.code(), message};
}

absl::StatusOr<size_t> ProgramCompiler::AddKernel(const Instruction& instruction) {
  if (options_.keep_running &&
      !options_.keep_running(instruction, static_cast<int64_t>(program_.kernels.size()))) {
    return absl::CancelledError("stopped");
  }
  const absl::StatusOr<plan::KernelPlan> plan = plan::PlanKernel(instruction, plans_);
  if (!plan.ok()) return At(instruction, plan.status());
  absl::StatusOr<emit::Kernel> kernel =
      emit::CompileKernel(*plan, plans_, backend_, options_.lowering);
  if (!kernel.ok()) return At(instruction, kernel.status());
  program_.kernels.push_back(*std::move(kernel));
  return program_.kernels.size() - 1;
}

absl::StatusOr<size_t> ProgramCompiler::AddRelayout(const Shape& from, const Shape& to) {
  const std::string text =
      absl::StrCat("ENTRY copies {\n  array = ", from.ToString(),
                   " parameter(0)\n  ROOT relayout = ", to.ToString(), " copy(array)\n}\n");
  if (const auto known = relayouts_.find(text); known != relayouts_.end()) return known->second;
  HLO_INDEXING_ASSIGN_OR_RETURN(std::unique_ptr<hlo::Module> module, hlo::ParseModule(text));
  HLO_INDEXING_RETURN_IF_ERROR(hlo::Verify(*module));
  program_.relayouts.push_back(std::move(module));
  HLO_INDEXING_ASSIGN_OR_RETURN(const size_t kernel,
                                AddKernel(program_.relayouts.back()->entry().root()));
  relayouts_[text] = kernel;
  return kernel;
}

const Shape& ProgramCompiler::OutputShape(const Computation& computation) const {
  const auto found = output_shapes_.find(&computation);
  return found == output_shapes_.end() ? computation.root().shape() : *found->second;
}

void ProgramCompiler::SetOutputShapes(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kWhile: {
      const Computation* body = instruction.Callee(AttributeName::kBody);
      output_shapes_.try_emplace(body, &body->parameters().front()->shape());
      return;
    }
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kConditional:
      for (const Computation* callee : plan::ComputationsRunBy(instruction)) {
        output_shapes_.try_emplace(callee, &instruction.shape());
      }
      return;
    case Opcode::kAsyncDone:
      if (const Computation* callee = CalleeOfAsync(instruction)) {
        output_shapes_.try_emplace(callee, &instruction.shape());
      }
      return;
    default:
      return;
  }
}

absl::StatusOr<Program> ProgramCompiler::Compile() {
  const std::vector<const Computation*> computations = CalleesFirst(*program_.module);
  for (const Computation* computation : computations) {
    for (const Instruction* instruction : computation->instructions()) {
      SetOutputShapes(*instruction);
    }
  }
  for (const Computation* computation : computations) {
    absl::StatusOr<CompiledComputation> compiled =
        ComputationCompiler(*this, *computation).Compile();
    if (!compiled.ok()) return compiled.status();
    if (compiled->depth > kMaxCallDepth) {
      return At(computation->root(),
                absl::ResourceExhaustedError(absl::StrCat("computations call each other more than ",
                                                          kMaxCallDepth, " deep")));
    }
    numbers_[computation] = program_.computations.size();
    program_.computations.push_back(*std::move(compiled));
  }
  return std::move(program_);
}

absl::StatusOr<Program> Compile(const hlo::Module& module, const ptx::DeviceModel& device,
                                emit::PtxBackend& backend, const CompileOptions& options) {
  return ProgramCompiler(module, device, backend, options).Compile();
}

}  // namespace hlo_indexing::program
