#include "codegen/plan/kernels.h"

#include <variant>

#include "codegen/plan/emitters.h"
#include "codegen/plan/fused_computation.h"
#include "codegen/plan/our_plan.h"
#include "codegen/plan/xla_plan.h"
#include "hlo/attribute.h"
#include "llvm/ADT/DenseSet.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// The computations whose instructions are run for an instruction, or computed in its kernel.
llvm::SmallVector<const Computation*, 4> CalledBy(const Instruction& instruction) {
  llvm::SmallVector<const Computation*, 4> called;
  const auto add = [&](AttributeName name) {
    if (const Computation* computation = instruction.Callee(name)) called.push_back(computation);
  };
  switch (instruction.opcode()) {
    case Opcode::kFusion:
    case Opcode::kAsyncStart:
      add(AttributeName::kCalls);
      break;
    case Opcode::kCall:
      add(AttributeName::kToApply);
      break;
    case Opcode::kWhile:
      add(AttributeName::kCondition);
      add(AttributeName::kBody);
      break;
    case Opcode::kConditional:
      called = instruction.Branches();
      break;
    default:
      break;
  }
  return called;
}

bool IsOnlyRoot(const FusedComputation& fused, const Instruction& instruction) {
  return fused.roots().size() == 1 && fused.roots().front().instruction == &instruction;
}

}  // namespace

bool RunsAsCall(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kFusion) return false;
  struct Pending {
    const Computation* computation;
    int depth;
  };
  // What lies deeper than compilers nest fusions is not looked at: it has no kernel.
  constexpr int kDeepest = 8;
  std::vector<Pending> pending;
  llvm::DenseSet<const Computation*> seen;
  const auto add = [&](const Instruction& caller, int depth) {
    for (const Computation* called : CalledBy(caller)) {
      if (seen.insert(called).second) pending.push_back({called, depth});
    }
  };
  add(instruction, 0);
  while (!pending.empty()) {
    const auto [computation, depth] = pending.back();
    pending.pop_back();
    for (const Instruction* inside : computation->PostOrder()) {
      if (IsByItself(*inside) &&
          (depth > 0 || !IsOnlyRoot(FusedComputation(instruction), *inside))) {
        return true;
      }
      if (depth < kDeepest) add(*inside, depth + 1);
    }
  }
  return false;
}

llvm::SmallVector<const Computation*, 4> ComputationsRunBy(const Instruction& instruction) {
  const bool is_one_kernel = instruction.opcode() == Opcode::kFusion && !RunsAsCall(instruction);
  return is_one_kernel ? llvm::SmallVector<const Computation*, 4>() : CalledBy(instruction);
}

std::vector<const Computation*> ExecutedComputations(const hlo::Module& module) {
  llvm::DenseSet<const Computation*> executed = {&module.entry()};
  std::vector<const Computation*> pending = {&module.entry()};
  while (!pending.empty()) {
    const Computation* computation = pending.back();
    pending.pop_back();
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* called : ComputationsRunBy(*instruction)) {
        if (executed.insert(called).second) pending.push_back(called);
      }
    }
  }
  std::vector<const Computation*> in_order;
  for (const Computation* computation : module.computations()) {
    if (executed.contains(computation)) in_order.push_back(computation);
  }
  return in_order;
}

bool HasNoElements(const Instruction& instruction) {
  const hlo::Shape& shape = instruction.shape();
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    if (shape.ArrayLeaf(leaf).num_elements() != 0) return false;
  }
  return true;
}

namespace {

std::vector<Kernel> KernelsWith(const hlo::Module& module,
                                absl::Status (*has_kernel)(const Instruction&)) {
  if (!module.has_entry_keyword()) return {{&module.entry().root(), true}};
  std::vector<Kernel> kernels;
  for (const Computation* computation : ExecutedComputations(module)) {
    for (const Instruction* instruction : computation->instructions()) {
      if (has_kernel(*instruction).ok()) kernels.push_back({instruction, false});
    }
  }
  return kernels;
}

}  // namespace

std::vector<Kernel> KernelsOf(const hlo::Module& module) { return KernelsWith(module, HasKernel); }

std::vector<Kernel> OurKernelsOf(const hlo::Module& module) {
  return KernelsWith(module, HasOurKernel);
}

}  // namespace hlo_indexing::plan
