#include "hlo/interpreter.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "hlo/evaluate.h"
#include "support/checked_math.h"
#include "support/diagnostics.h"

namespace hlo_indexing::hlo {
namespace {

// What an instruction costs beside its elements.
constexpr int64_t kStepsPerInstruction = 64;

// What reaches beyond the program; run even where the root does not depend on it, so that nothing
// is left out in silence.
bool ReachesOutside(Opcode opcode) {
  return opcode == Opcode::kInfeed || opcode == Opcode::kOutfeed || opcode == Opcode::kSend ||
         opcode == Opcode::kRecv;
}

// Whether a value has the tuple structure, sizes and element types of a shape. Nothing fits an
// unbounded dimension: its size is not in the text, and what follows from it could not be checked.
bool Fits(const Value& value, const Shape& shape) {
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    if (shape.ArrayLeaf(leaf).HasUnboundedDimension()) return false;
  }
  return Compatible(value.shape(), shape, ShapeAspects::kTypeAndDimensions);
}

absl::Status CheckArguments(llvm::ArrayRef<Arguments> arguments,
                            llvm::ArrayRef<const Shape*> shapes,
                            const InterpreterOptions& options) {
  if (options.num_replicas < 1 || options.num_partitions < 1 ||
      options.num_replicas > kMaxDevices || options.num_partitions > kMaxDevices ||
      options.num_devices() > kMaxDevices) {
    return absl::InvalidArgumentError(
        absl::StrCat("between 1 and ", kMaxDevices, " devices can be simulated"));
  }
  if (static_cast<int64_t>(arguments.size()) != options.num_devices()) {
    return absl::InvalidArgumentError(absl::StrCat("arguments are given for ", arguments.size(),
                                                   " devices, there are ", options.num_devices()));
  }
  for (const Arguments& of_device : arguments) {
    if (of_device.size() != shapes.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(shapes.size(), " arguments are needed, ", of_device.size(), " are given"));
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (Fits(of_device[i], *shapes[i])) continue;
      return absl::InvalidArgumentError(absl::StrCat("argument ", i, " must be ",
                                                     shapes[i]->ToString(), ", not ",
                                                     of_device[i].shape().ToString()));
    }
  }
  return absl::OkStatus();
}

llvm::SmallVector<const Shape*, 8> ShapesOf(llvm::ArrayRef<const Instruction*> instructions) {
  llvm::SmallVector<const Shape*, 8> shapes;
  for (const Instruction* instruction : instructions) shapes.push_back(&instruction->shape());
  return shapes;
}

llvm::SmallVector<int64_t, 8> AllDevices(const InterpreterOptions& options) {
  llvm::SmallVector<int64_t, 8> devices;
  for (int64_t i = 0; i < options.num_devices(); ++i) devices.push_back(i);
  return devices;
}

// The value with each element its own source.
Value Mark(const Value& value, Source next, int64_t& leaf, SourceSets& sets) {
  if (value.IsArray()) {
    auto marked = std::make_shared<ArrayValue>(&value.shape());
    next.leaf = leaf++;
    for (int64_t i = 0; i < marked->size(); ++i) {
      marked->CopyFrom(i, value.array(), i);
      next.element = i;
      marked->SetSources(i, sets.Single(next));
    }
    marked->CopyDimensionSizes(value.array());
    return Value(std::move(marked));
  }
  if (value.elements().empty()) return value;
  std::vector<Value> elements;
  for (const Value& element : value.elements()) {
    elements.push_back(Mark(element, next, leaf, sets));
  }
  return Value::Tuple(&value.shape(), std::move(elements));
}

std::vector<Arguments> MarkAll(llvm::ArrayRef<Arguments> arguments, SourceSets& sets) {
  std::vector<Arguments> marked(arguments.size());
  for (size_t device = 0; device < arguments.size(); ++device) {
    for (size_t i = 0; i < arguments[device].size(); ++i) {
      const Source first = {static_cast<int32_t>(device), static_cast<int32_t>(i)};
      int64_t leaf = 0;
      marked[device].push_back(Mark(arguments[device][i], first, leaf, sets));
    }
  }
  return marked;
}

// A node of a set takes eight bytes and at times a mark of the walk.
int64_t MaxNodes(const InterpreterOptions& options) { return options.max_bytes / 16; }

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
  status_ = absl::Status(code, module_.text().empty()
                                   ? text
                                   : support::MakeDiagnostic({module_.file_name(), module_.text()},
                                                             instruction.opcode_offset(), text)
                                         .Render());
  return false;
}

bool Session::Spend(const Instruction& instruction, int64_t steps) {
  const std::optional<int64_t> total = support::CheckedAdd(steps_, steps);
  if (steps < 0 || !total || *total > options_.max_steps) {
    return Fail(instruction, absl::StatusCode::kResourceExhausted,
                absl::StrCat("the limit of ", options_.max_steps, " steps of work is reached"));
  }
  steps_ = *total;
  return true;
}

std::shared_ptr<ArrayValue> Session::NewArray(const Instruction& instruction, const Shape& shape) {
  if (shape.HasUnboundedDimension()) {
    Fail(instruction, absl::StatusCode::kUnimplemented,
         "an array with an unbounded dimension, " + shape.ToString() + ", has no size");
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
  if (plan != nullptr) return *plan;
  plan = std::make_unique<Plan>();
  const llvm::ArrayRef<const Instruction*> all = computation.instructions();
  std::vector<bool> needed(all.size(), false);
  plan->uses.resize(all.size(), 0);
  needed[static_cast<size_t>(computation.root().index())] = true;
  // The root itself is used by the caller.
  ++plan->uses[static_cast<size_t>(computation.root().index())];
  for (size_t i = all.size(); i-- > 0;) {
    if (ReachesOutside(all[i]->opcode())) needed[i] = true;
    if (!needed[i]) continue;
    for (const Instruction* operand : all[i]->operands()) {
      needed[static_cast<size_t>(operand->index())] = true;
      ++plan->uses[static_cast<size_t>(operand->index())];
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (needed[i]) plan->order.push_back(all[i]);
  }
  return *plan;
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
  const bool ok = RunPlan(PlanOf(computation), computation, devices, arguments, results);
  --depth_;
  return ok;
}

bool Session::RunPlan(const Plan& plan, const Computation& computation,
                      llvm::ArrayRef<int64_t> devices, llvm::ArrayRef<Arguments> arguments,
                      std::vector<Value>& results) {
  // By the index of the instruction; emptied after the last use.
  std::vector<std::vector<Value>> values(computation.instructions().size());
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
  results = std::move(values[static_cast<size_t>(computation.root().index())]);
  return true;
}

bool Session::RunInstruction(const Instruction& instruction, llvm::ArrayRef<int64_t> devices,
                             llvm::ArrayRef<Arguments> operands, std::vector<Value>& results) {
  const EvaluateRow* row = EvaluateRowOf(instruction.opcode());
  if (row == nullptr) {
    return Fail(instruction, absl::StatusCode::kUnimplemented, "it cannot be evaluated");
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
                  "get-dimension-size, dynamic-reshape, elementwise operations and those that pass "
                  "a value on can take it");
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
  const EvaluateRow* row = EvaluateRowOf(instruction.opcode());
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

std::shared_ptr<MemoryLease> Session::Reserve(const Instruction& instruction, int64_t bytes) {
  if (bytes >= 0 && budget_->Take(bytes)) return std::make_shared<MemoryLease>(budget_, bytes);
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

SourceSet Evaluation::SourcesOfAll(const ArrayValue& array) {
  SourceSet all = kNoSources;
  if (!array.has_sources()) return all;
  for (int64_t i = 0; i < array.size(); ++i) all = Union(all, array.SourcesOf(i));
  return all;
}

const Shape& Evaluation::ResultShape(size_t i) const {
  const Shape& shape = instruction_.shape();
  return shape.IsTuple() ? *shape.elements()[i] : shape;
}

bool Evaluation::ReturnEach(std::vector<std::shared_ptr<ArrayValue>> arrays) {
  if (!instruction_.shape().IsTuple()) return Return(std::move(arrays.front()));
  std::vector<Value> elements;
  for (std::shared_ptr<ArrayValue>& array : arrays) elements.emplace_back(std::move(array));
  return Return(Value::Tuple(&instruction_.shape(), std::move(elements)));
}

int64_t GroupEvaluation::SlotOf(int64_t device) const {
  const auto* found = llvm::find(devices_, device);
  return found == devices_.end() ? -1 : found - devices_.begin();
}

bool AddSources(Session& session, const Instruction& instruction, SourceSet sources, Value& value) {
  if (session.sources() == nullptr || sources == kNoSources) return true;
  if (value.IsArray()) {
    std::shared_ptr<ArrayValue> array = session.NewArray(instruction, value.shape());
    if (array == nullptr) return false;
    for (int64_t i = 0; i < array->size(); ++i) {
      array->CopyFrom(i, value.array(), i);
      array->SetSources(i, session.sources()->Union(array->SourcesOf(i), sources));
    }
    array->CopyDimensionSizes(value.array());
    value = Value(std::move(array));
    return true;
  }
  std::vector<Value> elements(value.elements().begin(), value.elements().end());
  for (Value& element : elements) {
    if (!AddSources(session, instruction, sources, element)) return false;
  }
  if (!elements.empty()) value = Value::Tuple(&value.shape(), std::move(elements));
  return true;
}

bool AddSourcesOf(Session& session, const Instruction& instruction, const Value& other,
                  Value& value) {
  if (session.sources() == nullptr) return true;
  if (value.IsArray()) {
    std::shared_ptr<ArrayValue> array = session.NewArray(instruction, value.shape());
    if (array == nullptr) return false;
    for (int64_t i = 0; i < array->size(); ++i) {
      array->CopyFrom(i, value.array(), i);
      array->SetSources(i,
                        session.sources()->Union(array->SourcesOf(i), other.array().SourcesOf(i)));
    }
    array->CopyDimensionSizes(value.array());
    value = Value(std::move(array));
    return true;
  }
  std::vector<Value> elements(value.elements().begin(), value.elements().end());
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!AddSourcesOf(session, instruction, other.elements()[i], elements[i])) return false;
  }
  if (!elements.empty()) value = Value::Tuple(&value.shape(), std::move(elements));
  return true;
}

absl::StatusOr<std::vector<Value>> EvaluateOnDevices(const Computation& computation,
                                                     llvm::ArrayRef<Arguments> arguments,
                                                     const InterpreterOptions& options) {
  absl::Status status = CheckArguments(arguments, ShapesOf(computation.parameters()), options);
  if (!status.ok()) return status;
  Session session(computation.parent(), options, /*sources=*/nullptr);
  std::vector<Value> results;
  if (!session.RunComputation(computation.root(), computation, AllDevices(options), arguments,
                              results)) {
    return session.status();
  }
  return results;
}

absl::StatusOr<Value> Evaluate(const Computation& computation, llvm::ArrayRef<Value> arguments,
                               const InterpreterOptions& options) {
  absl::StatusOr<std::vector<Value>> results =
      EvaluateOnDevices(computation, Arguments(arguments), options);
  if (!results.ok()) return results.status();
  return results->front();
}

std::vector<Source> Provenance::Reads(int64_t leaf, int64_t element, int64_t device) const {
  const std::vector<const ArrayValue*> leaves = result(device).ArrayLeaves();
  return sets_->Members(leaves[static_cast<size_t>(leaf)]->SourcesOf(element));
}

absl::StatusOr<Provenance> TraceReads(const Computation& computation,
                                      llvm::ArrayRef<Arguments> arguments,
                                      const InterpreterOptions& options) {
  absl::Status status = CheckArguments(arguments, ShapesOf(computation.parameters()), options);
  if (!status.ok()) return status;
  auto sets = std::make_unique<SourceSets>(MaxNodes(options));
  Session session(computation.parent(), options, sets.get());
  std::vector<Value> results;
  if (!session.RunComputation(computation.root(), computation, AllDevices(options),
                              MarkAll(arguments, *sets), results)) {
    return session.status();
  }
  return Provenance(std::move(results), std::move(sets));
}

absl::StatusOr<Provenance> TraceReads(const Instruction& instruction,
                                      llvm::ArrayRef<Arguments> operands,
                                      const InterpreterOptions& options) {
  absl::Status status = CheckArguments(operands, ShapesOf(instruction.operands()), options);
  if (!status.ok()) return status;
  auto sets = std::make_unique<SourceSets>(MaxNodes(options));
  Session session(instruction.parent().parent(), options, sets.get());
  std::vector<Value> results;
  if (!session.RunInstruction(instruction, AllDevices(options), MarkAll(operands, *sets),
                              results)) {
    return session.status();
  }
  return Provenance(std::move(results), std::move(sets));
}

}  // namespace hlo_indexing::hlo
