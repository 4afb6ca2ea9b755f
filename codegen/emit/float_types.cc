#include "codegen/emit/float_types.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/emit/elementwise.h"
#include "codegen/plan/movement.h"
#include "hlo/attribute.h"
#include "hlo/element_type.h"
#include "hlo/module.h"
#include "hlo/opcode.h"
#include "llvm/ADT/DenseSet.h"

namespace hlo_indexing::emit {

using hlo::AttributeName;
using hlo::Computation;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

// How arrays of an instruction belong together.
enum class Arrays : uint8_t {
  kAny,       // they may have several types
  kAlike,     // all operands and results
  kOfNumber,  // those of each number: operands, initial values or updates, and results
  kOfScan,    // each operand and parameter, each result and that of the computation
};

Arrays ArraysOf(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConvert:
    case Opcode::kStochasticConvert:
    case Opcode::kBitcastConvert:
    case Opcode::kBitcast:
      return Arrays::kAny;
    case Opcode::kPad:
    case Opcode::kConcatenate:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kSelectAndScatter:
    case Opcode::kTriangularSolve:
    case Opcode::kCholesky:
    case Opcode::kTopK:
      return Arrays::kAlike;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
    case Opcode::kSort:
    case Opcode::kMap:
      return Arrays::kOfNumber;
    case Opcode::kScan:
      return Arrays::kOfScan;
    default:
      if (plan::IsMovement(instruction.opcode())) return Arrays::kAlike;
      return IsElementwise(instruction.opcode()) && instruction.operands().size() > 1
                 ? Arrays::kAlike
                 : Arrays::kAny;
  }
}

// The float types that have been met: nothing is wrong with one.
class FloatTypes {
 public:
  explicit FloatTypes(const Instruction& instruction) : instruction_(instruction) {}

  void Add(const Shape& shape) {
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      const Shape& array = shape.ArrayLeaf(leaf);
      if (array.IsArray()) Add(array.element_type());
    }
  }
  absl::Status status() const { return status_; }

 private:
  void Add(ElementType type) {
    if (hlo::ClassOf(type) != hlo::ElementClass::kFloat) return;
    if (!type_.has_value()) type_ = type;
    if (*type_ == type || !status_.ok()) return;
    status_ = absl::UnimplementedError(absl::StrCat(
        "%", instruction_.name().str(), ": ", hlo::OpcodeName(instruction_.opcode()).str(),
        " mixes ", hlo::ElementTypeName(*type_).str(), " and ", hlo::ElementTypeName(type).str(),
        "; convert its operands"));
  }

  const Instruction& instruction_;
  std::optional<ElementType> type_;
  absl::Status status_;
};

absl::Status CheckArraysOfNumber(const Instruction& instruction) {
  const Shape& result = instruction.shape();
  const auto num_arrays = static_cast<size_t>(result.num_array_leaves());
  const bool has_index = instruction.opcode() == Opcode::kScatter;
  const Computation* const applied = instruction.Callee(AttributeName::kToApply);
  for (size_t array = 0; array < num_arrays; ++array) {
    FloatTypes types(instruction);
    if (instruction.opcode() != Opcode::kMap) {
      types.Add(result.ArrayLeaf(static_cast<int64_t>(array)));
    }
    // Scatters have the indices between arrays and updates.
    for (size_t i = 0; i < instruction.operands().size(); ++i) {
      const size_t number = has_index && i > num_arrays ? i - 1 : i;
      if (has_index && i == num_arrays) continue;
      const bool is_of_array = instruction.opcode() == Opcode::kMap || number % num_arrays == array;
      if (is_of_array) types.Add(instruction.operand(i).shape());
    }
    // A sort's computation has two elements of each array beside each other.
    const bool is_sort = instruction.opcode() == Opcode::kSort;
    for (size_t i = 0; applied != nullptr && i < applied->parameters().size(); ++i) {
      const size_t number = is_sort ? i / 2 : i % num_arrays;
      if (number == array) types.Add(applied->parameters()[i]->shape());
    }
    // Of the others, a map gives what its shape says, and a sort's tells an order.
    if (applied != nullptr && !is_sort && instruction.opcode() != Opcode::kMap) {
      const Shape& root = applied->root().shape();
      if (static_cast<int64_t>(array) < root.num_array_leaves()) {
        types.Add(root.ArrayLeaf(static_cast<int64_t>(array)));
      }
    }
    if (!types.status().ok()) return types.status();
  }
  return absl::OkStatus();
}

absl::Status CheckScan(const Instruction& scan) {
  const Computation& applied = *scan.Callee(AttributeName::kToApply);
  for (size_t i = 0; i < scan.operands().size(); ++i) {
    FloatTypes types(scan);
    types.Add(scan.operand(i).shape());
    types.Add(applied.parameters()[i]->shape());
    if (!types.status().ok()) return types.status();
  }
  const Shape& root = applied.root().shape();
  for (int64_t leaf = 0; leaf < scan.shape().num_array_leaves(); ++leaf) {
    FloatTypes types(scan);
    types.Add(scan.shape().ArrayLeaf(leaf));
    types.Add(root.ArrayLeaf(leaf));
    if (!types.status().ok()) return types.status();
  }
  return absl::OkStatus();
}

absl::Status CheckTypes(const Instruction& instruction) {
  switch (ArraysOf(instruction)) {
    case Arrays::kAny:
      return absl::OkStatus();
    case Arrays::kAlike: {
      FloatTypes types(instruction);
      for (const Instruction* operand : instruction.operands()) types.Add(operand->shape());
      types.Add(instruction.shape());
      // What a select-and-scatter compares and combines.
      if (const Computation* select = instruction.Callee(AttributeName::kSelect)) {
        for (const Instruction* parameter : select->parameters()) types.Add(parameter->shape());
      }
      if (const Computation* combine = instruction.Callee(AttributeName::kScatter)) {
        for (const Instruction* parameter : combine->parameters()) types.Add(parameter->shape());
        types.Add(combine->root().shape());
      }
      return types.status();
    }
    case Arrays::kOfNumber:
      return CheckArraysOfNumber(instruction);
    case Arrays::kOfScan:
      return CheckScan(instruction);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckFloatTypes(const plan::KernelPlan& plan) {
  std::vector<const Computation*> pending;
  llvm::DenseSet<const Computation*> known;
  const auto add = [&](const Computation* computation) {
    if (computation != nullptr && known.insert(computation).second) pending.push_back(computation);
  };
  const auto check = [&](const Instruction& instruction) {
    for (const AttributeName name :
         {AttributeName::kToApply, AttributeName::kCalls, AttributeName::kCondition,
          AttributeName::kBody, AttributeName::kSelect, AttributeName::kScatter}) {
      add(instruction.Callee(name));
    }
    for (const Computation* branch : instruction.Branches()) add(branch);
    return CheckTypes(instruction);
  };
  if (plan.is_computation) {
    add(&plan.instruction->parent());
  } else if (absl::Status status = check(*plan.instruction); !status.ok()) {
    return status;
  }
  while (!pending.empty()) {
    const Computation* computation = pending.back();
    pending.pop_back();
    for (const Instruction* instruction : computation->instructions()) {
      if (absl::Status status = check(*instruction); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace hlo_indexing::emit
