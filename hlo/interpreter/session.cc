#include "hlo/interpreter/session.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"
#include "hlo/interpreter/scalar_function.h"
#include "llvm/ADT/DenseSet.h"
#include "support/checked_math.h"
#include "support/diagnostics.h"

namespace hlo_indexing::hlo {
namespace {

// What an instruction costs beside its elements.
constexpr int64_t kStepsPerInstruction = 64;

// What reaches beyond the program; run even if the root does not depend on it, so that nothing
// is left out in silence.
bool ReachesOutside(Opcode opcode) {
  return opcode == Opcode::kInfeed || opcode == Opcode::kOutfeed || opcode == Opcode::kSend ||
         opcode == Opcode::kRecv;
}

// Whether the result is different if there are other devices.
bool DependsOnDevices(const OpcodeRow& row) {
  if (row.on_one == evaluate::ReplicaId || row.on_one == evaluate::PartitionId) return true;
  const bool is_control_flow = row.on_group == evaluate::Call || row.on_group == evaluate::While ||
                               row.on_group == evaluate::Conditional ||
                               row.on_group == evaluate::AsyncStart ||
                               row.on_group == evaluate::AsyncUpdate;
  return row.on_group != nullptr && !is_control_flow;
}

}  // namespace

Session::Session(const Module& module, const InterpreterOptions& options, SourceSets* sources)
    : module_(module),
      options_(options),
      sources_(sources),
      budget_(std::make_shared<MemoryBudget>(options.max_bytes)),
      plans_(module.computations().size()),
      functions_(module.computations().size()) {}

Session::~Session() = default;

bool Session::Fail(const Instruction& instruction, absl::StatusCode code,
                   const std::string& message) {
  if (!status_.ok()) return false;
  const std::string text = absl::StrCat(
      "instruction '", instruction.name().str(), "' (", OpcodeName(instruction.opcode()).str(),
      ") of computation '", instruction.parent().name().str(), "': ", message);
  status_ = absl::Status(
      code,
      module_.text().empty()
          ? text
          : support::MakeDiagnostic(module_.source(), instruction.opcode_offset(), text).Render());
  return false;
}

bool Session::CanSpend(const Instruction& instruction, int64_t steps) {
  const std::optional<int64_t> total = support::CheckedAdd(steps_, steps);
  return (steps >= 0 && total && *total <= options_.max_steps) ||
         Fail(instruction, absl::StatusCode::kResourceExhausted,
              absl::StrCat("the limit of ", options_.max_steps, " steps of work is reached"));
}

bool Session::Spend(const Instruction& instruction, int64_t steps) {
  if (!CanSpend(instruction, steps)) return false;
  steps_ += steps;
  if (steps_ < next_question_ || !options_.keep_running) return true;
  next_question_ = steps_ + kStepsBetweenQuestions;
  return options_.keep_running(instruction, steps_) ||
         Fail(instruction, absl::StatusCode::kCancelled,
              absl::StrCat("stopped after ", steps_, " steps of work"));
}

bool Session::FailUnbounded(const Instruction& instruction, const Shape& shape) {
  return Fail(instruction, absl::StatusCode::kUnimplemented,
              "an array with an unbounded dimension, " + shape.ToString() + ", has no size");
}

std::shared_ptr<ArrayValue> Session::NewArray(const Instruction& instruction, const Shape& shape) {
  if (shape.HasUnboundedDimension()) {
    FailUnbounded(instruction, shape);
    return nullptr;
  }
  std::shared_ptr<ArrayValue> array = ArrayValue::Make(&shape, budget_);
  if (array == nullptr) {
    Fail(instruction, absl::StatusCode::kResourceExhausted,
         absl::StrCat("the limit of ", options_.max_bytes, " bytes of values is reached with ",
                      shape.ToString()));
  }
  return array;
}

const Session::Plan& Session::PlanOf(const Computation& computation) {
  std::unique_ptr<Plan>& plan = plans_[static_cast<size_t>(computation.index())];
  if (plan == nullptr) {
    plan = std::make_unique<Plan>(MakePlan(computation.root(), /*needs_outside=*/true));
  }
  return *plan;
}

Session::Plan Session::MakePlan(const Instruction& last, bool needs_outside) {
  Plan plan;
  const llvm::ArrayRef<const Instruction*> all = last.parent().instructions();
  std::vector<bool> needed(all.size(), false);
  plan.uses.resize(all.size(), 0);
  needed[static_cast<size_t>(last.index())] = true;
  // The last one itself is used by the caller.
  ++plan.uses[static_cast<size_t>(last.index())];
  for (size_t i = all.size(); i-- > 0;) {
    if (needs_outside && ReachesOutside(all[i]->opcode())) needed[i] = true;
    if (!needed[i]) continue;
    for (const Instruction* operand : all[i]->operands()) {
      needed[static_cast<size_t>(operand->index())] = true;
      ++plan.uses[static_cast<size_t>(operand->index())];
    }
  }
  // The shapes of a module are few.
  llvm::SmallDenseSet<const Shape*, 16> seen;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!needed[i]) continue;
    plan.order.push_back(all[i]);
    const Shape& shape = all[i]->shape();
    if (plan.unbounded != nullptr || !seen.insert(&shape).second) continue;
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      if (!shape.ArrayLeaf(leaf).HasUnboundedDimension()) continue;
      plan.unbounded = all[i];
      plan.unbounded_shape = &shape.ArrayLeaf(leaf);
      break;
    }
  }
  return plan;
}

bool Session::RunUpTo(const Instruction& last, llvm::ArrayRef<Value> arguments, Value& result) {
  const Plan plan = MakePlan(last, /*needs_outside=*/false);
  for (const Instruction* instruction : plan.order) {
    if (instruction->opcode() != Opcode::kParameter) continue;
    const auto number = static_cast<size_t>(instruction->parameter_number());
    if (number < arguments.size() && arguments[number].HasValue()) continue;
    return Fail(*instruction, absl::StatusCode::kInvalidArgument, "its value is not known");
  }
  is_any_device_ = true;
  std::vector<Value> results;
  const int64_t device = 0;
  if (!RunPlan(plan, last, device, Arguments(arguments), results)) return false;
  result = std::move(results.front());
  return true;
}

bool Session::RunComputation(const Instruction& caller, const Computation& computation,
                             llvm::ArrayRef<int64_t> devices, llvm::ArrayRef<Arguments> arguments,
                             std::vector<Value>& results) {
  if (depth_ >= options_.max_call_depth) {
    return Fail(
        caller, absl::StatusCode::kResourceExhausted,
        absl::StrCat("computations call each other more than ", options_.max_call_depth, " deep"));
  }
  ++depth_;
  const bool ok = RunPlan(PlanOf(computation), computation.root(), devices, arguments, results);
  --depth_;
  return ok;
}

bool Session::RunPlan(const Plan& plan, const Instruction& last, llvm::ArrayRef<int64_t> devices,
                      llvm::ArrayRef<Arguments> arguments, std::vector<Value>& results) {
  // What follows from a size that is not in the text could not be checked.
  if (plan.unbounded != nullptr) return FailUnbounded(*plan.unbounded, *plan.unbounded_shape);
  // By the index of the instruction; emptied after the last use.
  std::vector<std::vector<Value>> values(last.parent().instructions().size());
  std::vector<int64_t> uses = plan.uses;
  for (const Instruction* instruction : plan.order) {
    std::vector<Value>& of_instruction = values[static_cast<size_t>(instruction->index())];
    std::vector<Arguments> operands(devices.size());
    for (size_t slot = 0; slot < devices.size(); ++slot) {
      if (instruction->opcode() == Opcode::kParameter) {
        of_instruction.push_back(
            arguments[slot][static_cast<size_t>(instruction->parameter_number())]);
        continue;
      }
      for (const Instruction* operand : instruction->operands()) {
        operands[slot].push_back(values[static_cast<size_t>(operand->index())][slot]);
      }
    }
    if (instruction->opcode() == Opcode::kParameter) continue;
    if (!RunInstruction(*instruction, devices, operands, of_instruction)) return false;
    for (const Instruction* operand : instruction->operands()) {
      const size_t i = static_cast<size_t>(operand->index());
      if (--uses[i] == 0) values[i].clear();
    }
  }
  results = std::move(values[static_cast<size_t>(last.index())]);
  return true;
}

bool Session::RunInstruction(const Instruction& instruction, llvm::ArrayRef<int64_t> devices,
                             llvm::ArrayRef<Arguments> operands, std::vector<Value>& results) {
  const OpcodeRow* row = OpcodeRowOf(instruction.opcode());
  if (row == nullptr) {
    return Fail(instruction, absl::StatusCode::kUnimplemented, "it cannot be evaluated");
  }
  if (is_any_device_ && DependsOnDevices(*row)) {
    return Fail(instruction, absl::StatusCode::kUnimplemented, "its value depends on the device");
  }
  const Shape& shape = instruction.shape();
  const int64_t elements = shape.IsArray() ? std::max<int64_t>(shape.num_elements(), 0) : 0;
  for (size_t slot = 0; slot < devices.size(); ++slot) {
    const std::optional<int64_t> steps = support::CheckedAdd(elements, kStepsPerInstruction);
    if (!Spend(instruction, steps.value_or(-1))) return false;
    if (row->partly_filled == PartlyFilled::kYes) continue;
    for (const Value& operand : operands[slot]) {
      if (!operand.IsArray() || !operand.array().IsPartlyFilled()) continue;
      return Fail(instruction, absl::StatusCode::kUnimplemented,
                  "an operand has a dynamic dimension below its bound; only set-dimension-size, "
                  "get-dimension-size, dynamic-reshape, elementwise operations and those that "
                  "forward a value accept it");
    }
  }
  const bool ok =
      row->on_group == nullptr ? RunOnEach(instruction, devices, operands, results) : [&] {
        results.assign(devices.size(), Value());
        GroupEvaluation group(*this, instruction, devices, operands, results);
        return row->on_group(group);
      }();
  if (ok && sources_ != nullptr && sources_->is_exhausted()) {
    return Fail(
        instruction, absl::StatusCode::kResourceExhausted,
        absl::StrCat("what is read takes more than the limit of ", options_.max_bytes, " bytes"));
  }
  return ok;
}

bool Session::RunOnEach(const Instruction& instruction, llvm::ArrayRef<int64_t> devices,
                        llvm::ArrayRef<Arguments> operands, std::vector<Value>& results) {
  const OpcodeRow* row = OpcodeRowOf(instruction.opcode());
  results.clear();
  for (size_t slot = 0; slot < devices.size(); ++slot) {
    Evaluation evaluation(*this, instruction, devices[slot], operands[slot]);
    if (!row->on_one(evaluation)) return false;
    results.push_back(evaluation.TakeResult());
  }
  return true;
}

const ScalarFunction& Session::FunctionOf(const Computation& computation) {
  std::unique_ptr<ScalarFunction>& function = functions_[static_cast<size_t>(computation.index())];
  if (function == nullptr) function = std::make_unique<ScalarFunction>(*this, computation);
  return *function;
}

std::shared_ptr<MemoryReservation> Session::Reserve(const Instruction& instruction, int64_t bytes) {
  if (bytes >= 0 && budget_->Reserve(bytes)) {
    return std::make_shared<MemoryReservation>(budget_, bytes);
  }
  Fail(instruction, absl::StatusCode::kResourceExhausted,
       absl::StrCat("the limit of ", options_.max_bytes, " bytes is reached"));
  return nullptr;
}

bool Session::ZeroValue(const Instruction& instruction, const Shape& shape, Value& value) {
  if (shape.IsArray()) {
    std::shared_ptr<ArrayValue> array = NewArray(instruction, shape);
    if (array == nullptr) return false;
    value = Value(std::move(array));
    return true;
  }
  std::vector<Value> elements(shape.elements().size());
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!ZeroValue(instruction, *shape.elements()[i], elements[i])) return false;
  }
  value = elements.empty() && !shape.IsTuple() ? Value::Token(&shape)
                                               : Value::Tuple(&shape, std::move(elements));
  return true;
}

}  // namespace hlo_indexing::hlo
