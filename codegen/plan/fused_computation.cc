#include "codegen/plan/fused_computation.h"

#include <algorithm>
#include <climits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "hlo/element_type.h"
#include "hlo/memory_layout.h"
#include "hlo/opcode.h"
#include "layout/tiled_layout.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// Calls `visit` with the shape of each array of an output.
void ForEachArray(const hlo::Shape& shape, llvm::function_ref<void(const hlo::Shape&)> visit) {
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) visit(shape.ArrayLeaf(leaf));
}

int64_t ReduceBits(llvm::ArrayRef<const Instruction*> instructions, int64_t first,
                   int64_t (*reduce)(int64_t, int64_t)) {
  int64_t result = first;
  for (const Instruction* instruction : instructions) {
    ForEachArray(instruction->shape(),
                 [&](const hlo::Shape& shape) { result = reduce(result, ElementWidth(shape)); });
  }
  return result;
}

int64_t Least(int64_t a, int64_t b) { return std::min(a, b); }
int64_t Most(int64_t a, int64_t b) { return std::max(a, b); }

}  // namespace

int64_t ElementWidth(const hlo::Shape& shape) {
  if (shape.element_type() == hlo::ElementType::kPred) return 8;
  return hlo::ElementBits(shape.element_type());
}

FusedComputation::FusedComputation(const Instruction& instruction) {
  const hlo::Computation* computation = instruction.opcode() == Opcode::kFusion
                                            ? instruction.Callee(hlo::AttributeName::kCalls)
                                            : nullptr;
  if (computation != nullptr) {
    Collect(computation->root());
    return;
  }
  instructions_.insert(&instruction);
  post_order_.push_back(&instruction);
  inputs_.assign(instruction.operands().begin(), instruction.operands().end());
  AddRoot(instruction, 0);
}

FusedComputation::FusedComputation(const hlo::Computation& computation) {
  Collect(computation.root());
}

void FusedComputation::Collect(const Instruction& root) {
  for (const Instruction* instruction : root.parent().PostOrder()) {
    if (instruction->opcode() == Opcode::kParameter) {
      inputs_.push_back(instruction);
    } else if (instruction != &root || root.opcode() != Opcode::kTuple) {
      instructions_.insert(instruction);
      post_order_.push_back(instruction);
    }
  }
  if (root.opcode() != Opcode::kTuple) {
    AddRoot(root, 0);
    return;
  }
  for (size_t i = 0; i < root.operands().size(); ++i) {
    AddRoot(root.operand(i), root.shape().FirstLeafOfElement(static_cast<int64_t>(i)));
  }
}

void FusedComputation::AddRoot(const Instruction& root, int64_t first_output) {
  all_roots_.push_back({&root, first_output});
  bool has_elements = false;
  ForEachArray(root.shape(),
               [&](const hlo::Shape& shape) { has_elements |= shape.num_elements() != 0; });
  if (has_elements) roots_.push_back({&root, first_output});
}

bool FusedComputation::Reaches(const Instruction& from, const Instruction& to) const {
  // Backwards from `to`; what stands before `from` cannot depend on it.
  llvm::DenseSet<const Instruction*> seen = {&to};
  std::vector<const Instruction*> pending = {&to};
  while (!pending.empty()) {
    const Instruction* instruction = pending.back();
    pending.pop_back();
    if (instruction == &from) return true;
    if (!Contains(*instruction)) continue;
    for (const Instruction* operand : instruction->operands()) {
      if (operand->index() < from.index() || !seen.insert(operand).second) continue;
      pending.push_back(operand);
    }
  }
  return false;
}

int64_t FusedComputation::SmallestInputBits() const { return ReduceBits(inputs_, INT_MAX, Least); }
int64_t FusedComputation::LargestInputBits() const { return ReduceBits(inputs_, 0, Most); }

int64_t FusedComputation::SmallestOutputBits() const {
  int64_t least = INT_MAX;
  for (const FusionRoot& root : roots_) {
    ForEachArray(root.instruction->shape(), [&](const hlo::Shape& shape) {
      // A pred, too, may be packed.
      least = std::min({least, ElementWidth(shape), shape.StorageBits()});
    });
  }
  return least;
}
int64_t FusedComputation::SmallestStorageBits() const {
  int64_t least = INT_MAX;
  for (const FusionRoot& root : roots_) {
    ForEachArray(root.instruction->shape(),
                 [&](const hlo::Shape& shape) { least = std::min(least, shape.StorageBits()); });
  }
  return least;
}
int64_t FusedComputation::LargestOutputBits() const {
  std::vector<const Instruction*> roots;
  for (const FusionRoot& root : roots_) roots.push_back(root.instruction);
  return ReduceBits(roots, 0, Most);
}

namespace {

// nullopt for layouts that are refused where they are accessed.
std::optional<int64_t> BytesOf(const hlo::Shape& array) {
  const absl::StatusOr<layout::TiledLayout> layout = hlo::MemoryLayoutOf(array);
  return layout.ok() ? std::optional(layout->bytes()) : std::nullopt;
}

}  // namespace

absl::Status CheckBitcast(const Instruction& bitcast) {
  const hlo::Shape& from_shape = bitcast.operand(0).shape();
  const hlo::Shape& to_shape = bitcast.shape();
  for (int64_t leaf = 0; leaf < to_shape.num_array_leaves(); ++leaf) {
    const hlo::Shape& from = from_shape.ArrayLeaf(leaf);
    const hlo::Shape& to = to_shape.ArrayLeaf(leaf);
    const std::string name = absl::StrCat("%", bitcast.name().str(), " is a bitcast of ");
    const std::optional<int64_t> from_bytes = BytesOf(from);
    const std::optional<int64_t> to_bytes = BytesOf(to);
    if (from_bytes.has_value() && to_bytes.has_value() && *from_bytes != *to_bytes) {
      return absl::UnimplementedError(
          absl::StrCat(name, *from_bytes, " bytes in memory, its result of ", *to_bytes));
    }
    if (from.element_type() != to.element_type() && !hlo::AnyBitsAreElements(to)) {
      return absl::UnimplementedError(absl::StrCat(name, from.ToString(), " to ", to.ToString(),
                                                   ", of which not all bits are elements"));
    }
  }
  return absl::OkStatus();
}

absl::Status FusedComputation::CheckShapes() const {
  const auto check = [](const Instruction& instruction) -> absl::Status {
    const hlo::Shape& shape = instruction.shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      if (shape.ArrayLeaf(leaf).HasUnboundedDimension()) {
        return absl::UnimplementedError(
            absl::StrCat("%", instruction.name().str(),
                         " has a dimension without a bound: ", shape.ArrayLeaf(leaf).ToString()));
      }
    }
    return absl::OkStatus();
  };
  for (const Instruction* instruction : post_order_) {
    if (absl::Status status = check(*instruction); !status.ok()) return status;
    if (instruction->opcode() != hlo::Opcode::kBitcast) continue;
    if (absl::Status status = CheckBitcast(*instruction); !status.ok()) return status;
  }
  for (const Instruction* input : inputs_) {
    if (absl::Status status = check(*input); !status.ok()) return status;
  }
  const bool has_only_arrays = llvm::all_of(all_roots_, [](const FusionRoot& root) {
    return root.instruction->shape().num_array_leaves() != 0;
  });
  if (all_roots_.empty() || !has_only_arrays) {
    return absl::UnimplementedError("a result without arrays needs no kernel");
  }
  if (roots_.empty()) {
    return absl::UnimplementedError("a result without elements needs no kernel");
  }
  for (const FusionRoot& root : roots_) {
    const hlo::Shape& shape = root.instruction->shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      if (shape.ArrayLeaf(leaf).num_elements() != 0) continue;
      return absl::UnimplementedError(
          absl::StrCat("%", root.instruction->name().str(), " is ", shape.ToString(),
                       ", of which one array has elements and another none"));
    }
  }
  return absl::OkStatus();
}

}  // namespace hlo_indexing::plan
