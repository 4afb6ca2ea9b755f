#include "codegen/explain/given_values.h"

#include <cstddef>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "hlo/element_type.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

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

// The parameters of its computation that an instruction depends on, by their numbers.
std::set<int64_t> ParametersFor(const Instruction& instruction) {
  std::set<int64_t> parameters;
  llvm::DenseSet<const Instruction*> seen = {&instruction};
  std::vector<const Instruction*> pending = {&instruction};
  while (!pending.empty()) {
    const Instruction* next = pending.back();
    pending.pop_back();
    if (next->opcode() == hlo::Opcode::kParameter) parameters.insert(next->parameter_number());
    for (const Instruction* operand : next->operands()) {
      if (seen.insert(operand).second) pending.push_back(operand);
    }
  }
  return parameters;
}

// The message of an error without its place and without the excerpt of the text.
std::string ReasonOf(const absl::Status& status) {
  constexpr llvm::StringLiteral kError = ": error: ";
  const llvm::StringRef message(status.message().data(), status.message().size());
  const llvm::StringRef line = message.split('\n').first;
  const size_t start = line.find(kError);
  return (start == llvm::StringRef::npos ? line : line.drop_front(start + kError.size())).str();
}

}  // namespace

GivenValues::GivenValues(const Computation& entry, std::vector<Value> arguments,
                         const hlo::InterpreterOptions& options)
    : entry_(entry), arguments_(std::move(arguments)), options_(options) {}

GivenValues::Arrays GivenValues::ArraysOf(const KernelPlan& plan, const IndexingMap& map) {
  Arrays arrays;
  for (const RuntimeVariable& variable : map.runtime()) {
    const absl::StatusOr<Array> array = ArrayOf(plan, variable);
    arrays.by_variable.push_back(array.ok() ? *array : nullptr);
    if (array.ok() || !arrays.reason.empty()) continue;
    const std::string name =
        variable.instruction == nullptr ? "a value" : "%" + variable.instruction->name().str();
    arrays.reason = name + " is not known: " + ReasonOf(array.status());
  }
  return arrays;
}

absl::StatusOr<GivenValues::Array> GivenValues::ArrayOf(const KernelPlan& plan,
                                                        const RuntimeVariable& variable) {
  if (variable.instruction == nullptr) {
    return absl::UnimplementedError("it is the number of the device");
  }
  // Inside of a computation that the kernel calls, the same instruction has other values.
  if (!variable.calls.empty()) {
    return absl::UnimplementedError(absl::StrCat("the kernel computes it in the computation '",
                                                 variable.instruction->parent().name().str(),
                                                 "', which it calls"));
  }
  const std::pair key = {plan.instruction, std::pair(variable.instruction, variable.leaf)};
  const auto known = arrays_.find(key);
  if (known != arrays_.end()) return known->second;
  return arrays_.emplace(key, Evaluate(plan, *variable.instruction, variable.leaf)).first->second;
}

absl::StatusOr<GivenValues::Array> GivenValues::Evaluate(const KernelPlan& plan,
                                                         const Instruction& instruction,
                                                         int64_t leaf) {
  const auto integers_of = [&](const absl::StatusOr<Value>& value) -> absl::StatusOr<Array> {
    if (!value.ok()) return value.status();
    Array integers = IntegersOf(*value->ArrayLeaves()[static_cast<size_t>(leaf)]);
    if (integers == nullptr) return absl::UnimplementedError("its elements are no integers");
    return integers;
  };
  if (&instruction.parent() == &entry_) return integers_of(ValueInEntry(instruction));
  if (&plan.instruction->parent() != &entry_ || plan.is_computation) {
    return absl::UnimplementedError(absl::StrCat("the kernel runs in the computation '",
                                                 plan.instruction->parent().name().str(),
                                                 "', not in the entry"));
  }
  // Other operands may be large, or take long.
  std::vector<Value> arguments(plan.instruction->operands().size());
  for (const int64_t parameter : ParametersFor(instruction)) {
    const auto number = static_cast<size_t>(parameter);
    const absl::StatusOr<Value>& value = ValueInEntry(plan.instruction->operand(number));
    if (!value.ok()) return value.status();
    arguments[number] = *value;
  }
  return integers_of(hlo::EvaluateInstruction(instruction, arguments, options_));
}

const absl::StatusOr<Value>& GivenValues::ValueInEntry(const Instruction& instruction) {
  const auto known = in_entry_.find(&instruction);
  if (known != in_entry_.end()) return known->second;
  return in_entry_
      .emplace(&instruction, hlo::EvaluateInstruction(instruction, arguments_, options_))
      .first->second;
}

}  // namespace hlo_indexing::explain
