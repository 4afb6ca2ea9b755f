#include "codegen/explain/changed_kernels.h"

#include <utility>

#include "absl/status/statusor.h"
#include "hlo/attribute.h"
#include "hlo/memory_layout.h"
#include "indexing_analysis/rules/rule_table.h"
#include "layout/tiled_layout.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace hlo_indexing::explain {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using plan::KernelPlan;

bool IsElementwise(const Instruction& instruction) {
  const indexing_analysis::RuleTraits& traits = indexing_analysis::TraitsOf(instruction.opcode());
  return traits.is_elementwise && !traits.reads_other_devices && instruction.shape().IsArray();
}

// Whether the kernel computes it.
bool IsInside(const KernelPlan& plan, const Instruction& instruction) {
  return !plan.InputNumber(instruction).has_value();
}

bool IsInPlace(const KernelPlan& plan) {
  return plan.emitter == plan::Emitter::kScatter ||
         (plan.emitter == plan::Emitter::kLoop && plan.variant != "loop");
}

// The root and what it is computed from element by element in the same layout: empty if one of
// these is also seen by others, or is a bitcast, which would mean something else in other memory.
std::vector<const Instruction*> WithLayoutOf(const KernelPlan& plan, const Instruction& root) {
  const layout::Layout layout = hlo::LayoutOrDefault(root.shape());
  llvm::SmallSetVector<const Instruction*, 8> found;
  found.insert(&root);
  for (size_t i = 0; i < found.size(); ++i) {
    const Instruction& instruction = *found[i];
    if (instruction.opcode() == Opcode::kBitcast) return {};
    if (!IsElementwise(instruction)) continue;
    for (const Instruction* operand : instruction.operands()) {
      const bool is_alike = operand->shape().IsArray() &&
                            operand->shape().sizes() == root.shape().sizes() &&
                            hlo::LayoutOrDefault(operand->shape()) == layout;
      if (is_alike && IsInside(plan, *operand)) found.insert(operand);
    }
  }
  const bool is_one_instruction =
      !plan.is_computation && plan.instruction->opcode() != Opcode::kFusion;
  if (is_one_instruction) return {&root};
  const bool is_seen_by_others = llvm::any_of(found, [&](const Instruction* instruction) {
    return llvm::any_of(instruction->users(),
                        [&](const Instruction* user) {
                          return user->opcode() != Opcode::kTuple && !found.contains(user);
                        }) ||
           (instruction != &root && llvm::any_of(plan.roots, [&](const plan::PlannedRoot& other) {
              return other.instruction == instruction;
            }));
  });
  if (is_seen_by_others) return {};
  return {found.begin(), found.end()};
}

// Whether an array of it in memory can be worth its bytes.
bool IsSplit(const KernelPlan& plan, const Instruction& instruction) {
  if (!instruction.shape().IsArray() || !IsInside(plan, instruction)) return false;
  const bool is_root = llvm::any_of(
      plan.roots, [&](const plan::PlannedRoot& root) { return root.instruction == &instruction; });
  if (is_root) return false;
  switch (instruction.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kConstant:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGetTupleElement:
    case Opcode::kIota:
    case Opcode::kScatter:
    case Opcode::kTuple:
      return false;
    default:
      return true;
  }
}

bool MovesElements(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kDot:
    case Opcode::kGather:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kReverse:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<const Instruction*> KernelInstructions(const KernelPlan& plan) {
  llvm::SetVector<const Instruction*> found;
  for (const plan::PlannedRoot& root : plan.roots) found.insert(root.instruction);
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Instruction* operand : found[i]->operands()) {
      if (IsInside(plan, *found[i]) && IsInside(plan, *operand)) found.insert(operand);
    }
  }
  std::vector<const Instruction*> instructions(found.begin(), found.end());
  llvm::sort(instructions,
             [](const Instruction* a, const Instruction* b) { return a->index() > b->index(); });
  return instructions;
}

std::optional<int64_t> BytesOf(const Shape& shape) {
  const absl::StatusOr<layout::TiledLayout> layout = hlo::MemoryLayoutOf(shape);
  if (!layout.ok()) return std::nullopt;
  return layout->used_bytes();
}

std::vector<ResultLayout> OtherResultLayouts(const KernelPlan& plan,
                                             const plan::PlannedRoot& root) {
  std::vector<ResultLayout> results;
  const Shape& shape = root.instruction->shape();
  // A copy is made for the layout that it has.
  const bool is_copy = root.instruction->opcode() == Opcode::kCopy;
  if (IsInPlace(plan) || is_copy || !shape.IsArray() || shape.rank() < 2) return results;
  const layout::Layout now = hlo::LayoutOrDefault(shape);
  const std::optional<int64_t> bytes = BytesOf(shape);
  if (!now.HasOnlyOrder() || !bytes.has_value()) return results;
  const std::vector<const Instruction*> changed = WithLayoutOf(plan, *root.instruction);
  if (changed.empty()) return results;
  for (const int64_t dimension : llvm::ArrayRef(now.minor_to_major).drop_front()) {
    if (shape.sizes()[static_cast<size_t>(dimension)] == 1) continue;
    ResultLayout& result = results.emplace_back();
    result.bytes = *bytes;
    result.layout = now;
    llvm::erase(result.layout.minor_to_major, dimension);
    result.layout.minor_to_major.insert(result.layout.minor_to_major.begin(), dimension);
    result.part.roots = RootsOf(plan);
    for (const Instruction* instruction : changed) {
      result.part.layouts[instruction] = result.layout;
    }
  }
  return results;
}

std::vector<const Instruction*> SplitsOf(const KernelReport& report) {
  const KernelPlan& plan = report.plan;
  const bool is_one_instruction =
      !plan.is_computation && plan.instruction->opcode() != Opcode::kFusion;
  if (is_one_instruction) return {};
  llvm::SetVector<const Instruction*> splits;
  const auto add = [&](const Instruction& instruction) {
    if (IsSplit(plan, instruction)) splits.insert(&instruction);
  };
  for (const AccessReport& access : report.accesses) {
    if (access.waste.origin == nullptr) continue;
    add(*access.waste.origin);
    for (const Instruction* operand : access.waste.origin->operands()) add(*operand);
  }
  for (const Instruction* instruction : KernelInstructions(plan)) {
    if (MovesElements(*instruction)) add(*instruction);
  }
  return {splits.begin(), splits.end()};
}

}  // namespace hlo_indexing::explain
