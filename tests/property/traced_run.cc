#include "tests/property/traced_run.h"

#include <memory>

#include "hlo/interpreter/element_value.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Arguments;
using hlo::AttributeName;
using hlo::Computation;
using hlo::Element;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using hlo::Source;
using hlo::Value;

Element RandomElement(ElementType type, Random& random) {
  if (type == ElementType::kPred) return hlo::IntegerElement(random.Between(0, 1));
  if (hlo::IsIntegral(type)) {
    const int64_t lowest = hlo::SmallestInteger(type) == 0 ? 0 : -3;
    return hlo::IntegerElement(random.Between(lowest, 8));
  }
  const auto number = [&] { return static_cast<double>(random.Between(1, 4096)) / 1024; };
  return {.real = number(), .imag = number()};
}

// The caller's operand that a parameter of a computation stands for; null where the computation
// runs more than once, or where an update binds the parameter.
const Instruction* OperandFor(const Instruction& parameter, const Instruction& call) {
  const auto number = static_cast<size_t>(parameter.parameter_number());
  switch (call.opcode()) {
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kAsyncStart:
      return number < call.operands().size() ? &call.operand(number) : nullptr;
    case Opcode::kConditional: {
      const Computation* of_true = call.Callee(AttributeName::kTrueComputation);
      if (of_true != nullptr) return &call.operand(&parameter.parent() == of_true ? 1 : 2);
      const auto branches =
          *call.Get<llvm::ArrayRef<const Computation*>>(AttributeName::kBranchComputations);
      const auto* found = llvm::find(branches, &parameter.parent());
      return &call.operand(static_cast<size_t>(found - branches.begin()) + 1);
    }
    default:
      return nullptr;
  }
}

// What an element reads of operands whose opcode has no value in the interpreter.
std::vector<Source> StatedReads(const Instruction& instruction, int64_t leaf, int64_t element,
                                int32_t device) {
  std::vector<Source> reads;
  switch (instruction.opcode()) {
    case Opcode::kRng:
      for (size_t i = 0; i < instruction.operands().size(); ++i) {
        reads.push_back({device, static_cast<int32_t>(i), 0, 0});
      }
      return reads;
    case Opcode::kSend:
      if (leaf == 0) reads.push_back({device, 0, 0, element});
      return reads;
    case Opcode::kRecvDone:
      reads.push_back({device, 0, leaf, element});
      return reads;
    default:
      return reads;
  }
}

}  // namespace

bool HasNoValue(Opcode opcode) {
  switch (opcode) {
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kParameter:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kSend:
    case Opcode::kSendDone:
      return true;
    default:
      return false;
  }
}

Value RandomValue(const Shape& shape, Random& random) {
  if (shape.IsArray()) {
    auto array = std::make_shared<hlo::ArrayValue>(&shape);
    for (int64_t i = 0; i < array->size(); ++i) {
      array->Set(i, RandomElement(shape.element_type(), random));
    }
    return Value(std::move(array));
  }
  if (!shape.IsTuple()) return Value::Token(&shape);
  std::vector<Value> elements;
  for (const Shape* element : shape.elements()) elements.push_back(RandomValue(*element, random));
  return Value::Tuple(&shape, std::move(elements));
}

RunValues::RunValues(const hlo::Module& module, Random& random, int64_t num_devices,
                     int64_t max_steps) {
  options_.max_steps = max_steps;
  options_.num_replicas = num_devices;
  for (const Instruction* parameter : module.entry().parameters()) {
    DeviceValues& values = known_[{parameter, {}}];
    for (int64_t device = 0; device < num_devices; ++device) {
      values.push_back(RandomValue(parameter->shape(), random));
    }
  }
}

absl::StatusOr<DeviceValues> RunValues::ValuesOf(const Instruction& instruction,
                                                 llvm::ArrayRef<const Instruction*> calls) {
  const Key key = {&instruction, {calls.begin(), calls.end()}};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  auto values = Compute(instruction, calls);
  if (values.ok()) known_.emplace(key, *values);
  return values;
}

absl::StatusOr<DeviceValues> RunValues::Compute(const Instruction& instruction,
                                                llvm::ArrayRef<const Instruction*> calls) {
  if (instruction.opcode() == Opcode::kParameter) {
    const Instruction* operand = calls.empty() ? nullptr : OperandFor(instruction, *calls.back());
    if (operand == nullptr) {
      return absl::InternalError("no single value of '" + instruction.name().str() + "'");
    }
    return ValuesOf(*operand, calls.drop_back());
  }
  const auto operands = OperandsOf(instruction, calls);
  if (!operands.ok()) return operands.status();
  const auto run = hlo::TraceReads(instruction, *operands, options_);
  if (!run.ok()) return run.status();
  DeviceValues values;
  for (int64_t device = 0; device < num_devices(); ++device) values.push_back(run->result(device));
  return values;
}

absl::StatusOr<std::vector<Arguments>> RunValues::OperandsOf(
    const Instruction& instruction, llvm::ArrayRef<const Instruction*> calls) {
  std::vector<Arguments> operands(static_cast<size_t>(num_devices()));
  for (const Instruction* operand : instruction.operands()) {
    const auto values = ValuesOf(*operand, calls);
    if (!values.ok()) return values.status();
    for (size_t device = 0; device < operands.size(); ++device) {
      operands[device].push_back((*values)[device]);
    }
  }
  return operands;
}

absl::StatusOr<TracedRun> TracedRun::Make(const Instruction& root, RunValues& values) {
  TracedRun run;
  run.reads_.resize(static_cast<size_t>(values.num_devices()));
  std::optional<hlo::Provenance> trace;
  if (!HasNoValue(root.opcode())) {
    const auto operands = values.OperandsOf(root, {});
    if (!operands.ok()) return operands.status();
    auto traced = hlo::TraceReads(root, *operands, values.options());
    if (!traced.ok()) return traced.status();
    trace = *std::move(traced);
  }
  for (size_t device = 0; device < run.reads_.size(); ++device) {
    for (int64_t leaf = 0; leaf < root.shape().num_array_leaves(); ++leaf) {
      auto& of_leaf = run.reads_[device].emplace_back();
      const int64_t count = root.shape().ArrayLeaf(leaf).num_elements();
      for (int64_t element = 0; element < count; ++element) {
        of_leaf.push_back(trace ? trace->Reads(leaf, element, static_cast<int64_t>(device))
                                : StatedReads(root, leaf, element, static_cast<int32_t>(device)));
      }
    }
  }
  return run;
}

}  // namespace hlo_indexing::testing
