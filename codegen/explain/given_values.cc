#include "codegen/explain/given_values.h"

#include "absl/status/statusor.h"
#include "hlo/element_type.h"

namespace hlo_indexing::explain {

using hlo::Computation;
using hlo::Instruction;
using hlo::Value;
using indexing_analysis::IndexingMap;
using indexing_analysis::KnownArray;
using indexing_analysis::RuntimeVariable;
using plan::KernelPlan;

namespace {

// The integers of an array; null if it has none.
std::shared_ptr<const KnownArray> IntegersOf(const hlo::ArrayValue& array) {
  const hlo::ElementClass kind = hlo::ClassOf(array.type());
  const bool is_integer = kind == hlo::ElementClass::kSigned ||
                          kind == hlo::ElementClass::kUnsigned ||
                          kind == hlo::ElementClass::kPredicate;
  if (!is_integer || array.IsPartlyFilled()) return nullptr;
  auto known = std::make_shared<KnownArray>();
  known->sizes.assign(array.shape().sizes().begin(), array.shape().sizes().end());
  known->values.reserve(static_cast<size_t>(array.size()));
  for (int64_t i = 0; i < array.size(); ++i) known->values.push_back(array.Integer(i));
  return known;
}

}  // namespace

GivenValues::GivenValues(const Computation& entry, std::vector<Value> arguments,
                         const hlo::InterpreterOptions& options)
    : entry_(entry), arguments_(std::move(arguments)), options_(options) {}

std::vector<std::shared_ptr<const KnownArray>> GivenValues::ArraysOf(const KernelPlan& plan,
                                                                     const IndexingMap& map) {
  std::vector<Array> arrays;
  for (const RuntimeVariable& variable : map.runtime()) {
    const std::pair key = {plan.instruction, std::pair(variable.instruction, variable.leaf)};
    const auto [known, is_new] = arrays_.try_emplace(key);
    // Inside of a computation that the kernel calls, the same instruction has other values.
    if (is_new && variable.calls.empty()) known->second = ArrayOf(plan, variable);
    arrays.push_back(variable.calls.empty() ? known->second : nullptr);
  }
  return arrays;
}

GivenValues::Array GivenValues::ArrayOf(const KernelPlan& plan, const RuntimeVariable& variable) {
  // The number of the device is nobody's value.
  if (variable.instruction == nullptr) return nullptr;
  const Instruction& instruction = *variable.instruction;
  std::optional<Value> value;
  if (&instruction.parent() == &entry_) {
    value = ValueInEntry(instruction);
  } else if (&plan.instruction->parent() == &entry_ && !plan.is_computation) {
    std::vector<Value> arguments;
    for (const Instruction* operand : plan.instruction->operands()) {
      arguments.push_back(ValueInEntry(*operand).value_or(Value()));
    }
    absl::StatusOr<Value> found = hlo::EvaluateInstruction(instruction, arguments, options_);
    if (found.ok()) value = *std::move(found);
  }
  if (!value.has_value()) return nullptr;
  const std::vector<const hlo::ArrayValue*> leaves = value->ArrayLeaves();
  return IntegersOf(*leaves[static_cast<size_t>(variable.leaf)]);
}

std::optional<Value> GivenValues::ValueInEntry(const Instruction& instruction) {
  const auto [known, is_new] = in_entry_.try_emplace(&instruction);
  if (!is_new) return known->second;
  absl::StatusOr<Value> value = hlo::EvaluateInstruction(instruction, arguments_, options_);
  if (value.ok()) known->second = *std::move(value);
  return known->second;
}

}  // namespace hlo_indexing::explain
