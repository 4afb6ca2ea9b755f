#include "codegen/program/compile.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/emit/kernel.h"
#include "codegen/plan/kernels.h"
#include "codegen/plan/our_plan.h"
#include "codegen/plan/plan_context.h"
#include "codegen/program/frame_layout.h"
#include "codegen/program/value_flow.h"
#include "codegen/run/buffer_contents.h"
#include "hlo/attribute.h"
#include "hlo/interpreter/value.h"
#include "indexing_analysis/analysis.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/MLIRContext.h"
#include "support/diagnostics.h"
#include "support/status_macros.h"

namespace hlo_indexing::program {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

using Sharing = CompiledComputation::Sharing;

absl::Status At(const Instruction& instruction, const absl::Status& status) {
  const hlo::Module& module = instruction.parent().parent();
  std::string message(status.message());
  if (!module.text().empty()) {
    message = support::MakeDiagnostic({module.file_name(), module.text()}, instruction.offset(),
                                      std::move(message))
                  .Render();
  }
  return {status.code(), message};
}

absl::Status Refused(const Instruction& instruction, absl::string_view reason) {
  return At(instruction, absl::UnimplementedError(absl::StrCat(
                             "%", instruction.name().str(), ": ",
                             hlo::OpcodeName(instruction.opcode()).str(), " ", reason)));
}

// Whether the elements lie in row-major order, without padding.
bool IsPlain(const Shape& shape) {
  return shape.layout() == nullptr ||
         (shape.layout()->tiles.empty() &&
          shape.layout()->minor_to_major == layout::DefaultLayout(shape.rank()).minor_to_major);
}

// Whether an array of one shape is the same bytes as the array of the other shape with its
// elements, in the same row-major order.
bool AreSameBytes(const Shape& from, const Shape& to) {
  if (&from == &to) return true;
  return from.element_type() == to.element_type() && from.StorageBits() == to.StorageBits() &&
         from.num_elements() == to.num_elements() && IsPlain(from) && IsPlain(to);
}

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

// What the async-start of an async-done starts.
const Computation& CalleeOfAsync(const Instruction& done) {
  const Instruction* start = &done.operand(0);
  while (start->opcode() != Opcode::kAsyncStart) start = &start->operand(0);
  return *start->Callee(AttributeName::kCalls);
}

// What the computations of a program share while they are compiled.
class ProgramCompiler {
 public:
  ProgramCompiler(const hlo::Module& module, const ptx::DeviceModel& device,
                  emit::PtxBackend& backend, const CompileOptions& options)
      : mlir_context_(mlir::MLIRContext::Threading::DISABLED),
        analysis_(&mlir_context_),
        plans_(device, analysis_, &mlir_context_),
        backend_(backend),
        options_(options) {
    program_.module = &module;
  }

  absl::StatusOr<Program> Compile();

  const CompiledComputation& CompiledOf(const Computation& computation) const {
    return program_.computations[NumberOf(computation)];
  }
  size_t NumberOf(const Computation& computation) const { return numbers_.at(&computation); }

  const emit::Kernel& kernel(size_t number) const { return program_.kernels[number]; }
  absl::StatusOr<size_t> AddKernel(const Instruction& instruction);
  size_t AddConstant(const Instruction& instruction, std::vector<uint8_t> bytes) {
    program_.constants.push_back({&instruction, std::move(bytes)});
    return program_.constants.size() - 1;
  }

 private:
  mlir::MLIRContext mlir_context_;
  indexing_analysis::IndexingAnalysis analysis_;
  plan::PlanContext plans_;
  emit::PtxBackend& backend_;
  const CompileOptions& options_;
  Program program_;
  llvm::DenseMap<const Computation*, size_t> numbers_;
};

// Compiles one computation, after all that it calls.
class ComputationCompiler {
 public:
  ComputationCompiler(ProgramCompiler& program, const Computation& computation)
      : program_(program), computation_(computation) {
    compiled_.computation = &computation;
  }

  absl::StatusOr<CompiledComputation> Compile();

 private:
  absl::Status Flow(const Instruction& instruction);
  absl::Status FlowOfKernel(const Instruction& instruction);
  absl::Status FlowOfConstant(const Instruction& instruction);
  absl::Status FlowOfBitcast(const Instruction& instruction);
  absl::Status FlowOfCopyStart(const Instruction& instruction);
  absl::Status FlowOfAsync(const Instruction& instruction);
  void FlowOfWhile(const Instruction& instruction);
  // Something is done for it; all its operands are read, all its arrays made.
  FlowStep& AddStep(const Instruction& instruction);
  size_t AddArray(ArrayOrigin origin);
  size_t Make(FlowStep& step, const Shape& shape);
  void AddConstants(const Instruction& instruction, const std::vector<std::vector<uint8_t>>& bytes);
  ArrayIds& ArraysOf(const Instruction& instruction) {
    return arrays_of_[static_cast<size_t>(instruction.index())];
  }
  // Those of all operands from one on.
  ArrayIds OperandArrays(const Instruction& instruction, size_t first = 0);

  void SetPlaces(const StorageAssignment& storages);
  std::vector<Place> PlacesOf(llvm::ArrayRef<size_t> arrays) const;
  size_t AddBuffer(FrameBuffer::Content content, const Instruction& instruction, int64_t bytes,
                   size_t step);
  Step StepOf(size_t number);
  WhileStep StepOfWhile(const Instruction& instruction, size_t step);
  ConditionalStep StepOfConditional(const Instruction& instruction, size_t step);
  void AddCopies();
  void SetSharing(const StorageAssignment& storages);
  int64_t FrameOf(const Computation& callee);

  ProgramCompiler& program_;
  const Computation& computation_;
  CompiledComputation compiled_;
  ValueFlow flow_;
  // By index of the instruction: its array leaves.
  std::vector<ArrayIds> arrays_of_;
  // Of the steps that are launches.
  llvm::DenseMap<const Instruction*, size_t> kernels_;
  std::vector<Place> places_;
};

size_t ComputationCompiler::AddArray(ArrayOrigin origin) {
  flow_.arrays.push_back(origin);
  return flow_.arrays.size() - 1;
}

// That the number of bytes is known has been checked.
size_t ComputationCompiler::Make(FlowStep& step, const Shape& shape) {
  const size_t array = AddArray(
      {ArrayOrigin::Kind::kMade, 0, step.instruction, run::BufferBytes(shape).value_or(0)});
  step.makes.push_back(array);
  return array;
}

ArrayIds ComputationCompiler::OperandArrays(const Instruction& instruction, size_t first) {
  ArrayIds arrays;
  for (const Instruction* operand : instruction.operands().drop_front(first)) {
    llvm::append_range(arrays, ArraysOf(*operand));
  }
  return arrays;
}

FlowStep& ComputationCompiler::AddStep(const Instruction& instruction) {
  FlowStep& step = flow_.steps.emplace_back();
  step.instruction = &instruction;
  step.reads = OperandArrays(instruction);
  ArrayIds arrays;
  for (int64_t leaf = 0; leaf < instruction.shape().num_array_leaves(); ++leaf) {
    arrays.push_back(Make(step, instruction.shape().ArrayLeaf(leaf)));
  }
  ArraysOf(instruction) = std::move(arrays);
  return step;
}

void ComputationCompiler::AddConstants(const Instruction& instruction,
                                       const std::vector<std::vector<uint8_t>>& bytes) {
  for (const std::vector<uint8_t>& array : bytes) {
    const size_t number = program_.AddConstant(instruction, array);
    ArraysOf(instruction)
        .push_back(AddArray({ArrayOrigin::Kind::kConstant, number, &instruction,
                             static_cast<int64_t>(array.size())}));
  }
}

absl::Status ComputationCompiler::FlowOfConstant(const Instruction& instruction) {
  const absl::StatusOr<hlo::Value> value = hlo::Value::FromLiteral(*instruction.literal());
  if (!value.ok()) return At(instruction, value.status());
  std::vector<std::vector<uint8_t>> bytes;
  for (const hlo::ArrayValue* array : value->ArrayLeaves()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(bytes.emplace_back(), run::BufferOf(*array));
  }
  AddConstants(instruction, bytes);
  return absl::OkStatus();
}

absl::Status ComputationCompiler::FlowOfBitcast(const Instruction& instruction) {
  const ArrayIds arrays = ArraysOf(instruction.operand(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t bytes, run::BufferBytes(instruction.shape()));
  if (bytes != flow_.arrays[arrays.front()].bytes) {
    return Refused(instruction, absl::StrCat("is of ", flow_.arrays[arrays.front()].bytes,
                                             " bytes in memory, its result of ", bytes));
  }
  ArraysOf(instruction) = arrays;
  return absl::OkStatus();
}

// (copy, original, what the copy engine needs to know)
absl::Status ComputationCompiler::FlowOfCopyStart(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  if (!AreSameBytes(instruction.operand(0).shape(), shape.ArrayLeaf(0))) {
    return Refused(instruction, "changes the layout");
  }
  const ArrayIds arrays = ArraysOf(instruction.operand(0));
  ArraysOf(instruction) = {arrays.front(), arrays.front()};
  if (shape.num_array_leaves() > 2) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t bytes, run::BufferBytes(shape.ArrayLeaf(2)));
    AddConstants(instruction, {std::vector<uint8_t>(static_cast<size_t>(bytes))});
  }
  return absl::OkStatus();
}

// A computation that is started, given more operands by updates, and awaited: it runs where it is
// awaited, when all operands are there. What stands for it before is no array but these operands.
absl::Status ComputationCompiler::FlowOfAsync(const Instruction& instruction) {
  const bool is_done = instruction.opcode() == Opcode::kAsyncDone;
  if (!is_done) {
    for (const Instruction* user : instruction.users()) {
      if (user->opcode() == Opcode::kAsyncUpdate || user->opcode() == Opcode::kAsyncDone) continue;
      return Refused(instruction, "is used by others than its async-done");
    }
    if (instruction.IsRoot()) return Refused(instruction, "has no async-done");
    ArraysOf(instruction) = OperandArrays(instruction);
    return absl::OkStatus();
  }
  const Computation& callee = CalleeOfAsync(instruction);
  FlowStep& step = AddStep(instruction);
  if (step.reads.size() != program_.CompiledOf(callee).num_parameters ||
      step.makes.size() != program_.CompiledOf(callee).sharing.size()) {
    return Refused(instruction, "does not fit what is started");
  }
  return absl::OkStatus();
}

// What the body passes on is not copied.
void ComputationCompiler::FlowOfWhile(const Instruction& instruction) {
  const CompiledComputation& body = program_.CompiledOf(*instruction.Callee(AttributeName::kBody));
  FlowStep& step = flow_.steps.emplace_back();
  step.instruction = &instruction;
  step.reads = OperandArrays(instruction);
  ArrayIds arrays;
  for (size_t i = 0; i < body.sharing.size(); ++i) {
    const size_t initial = step.reads[i];
    if (body.sharing[i] == Sharing::kPassed) {
      arrays.push_back(initial);
      continue;
    }
    arrays.push_back(Make(step, instruction.shape().ArrayLeaf(static_cast<int64_t>(i))));
    step.updates.emplace_back(arrays.back(), initial);
  }
  ArraysOf(instruction) = std::move(arrays);
}

absl::Status ComputationCompiler::FlowOfKernel(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  bool is_empty = true;
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    is_empty = is_empty && shape.ArrayLeaf(leaf).num_elements() == 0;
  }
  if (is_empty) {
    AddConstants(instruction,
                 std::vector<std::vector<uint8_t>>(static_cast<size_t>(shape.num_array_leaves())));
    return absl::OkStatus();
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const size_t number, program_.AddKernel(instruction));
  kernels_[&instruction] = number;
  FlowStep& step = AddStep(instruction);
  const emit::Kernel& kernel = program_.kernel(number);
  // Inputs and outputs of the kernel are in the order of the arrays.
  for (const emit::KernelArgument& argument : kernel.arguments) {
    if (!argument.updates.has_value()) continue;
    step.updates.emplace_back(step.makes[static_cast<size_t>(argument.leaf)],
                              step.reads[*argument.updates]);
  }
  return absl::OkStatus();
}

absl::Status ComputationCompiler::Flow(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    const Shape& array = shape.ArrayLeaf(leaf);
    for (int64_t i = 0; i < array.rank(); ++i) {
      if (array.IsDynamic(i)) return Refused(instruction, "has a dimension of unknown size");
    }
    const absl::StatusOr<int64_t> bytes = run::BufferBytes(array);
    if (!bytes.ok()) return At(instruction, bytes.status());
  }
  switch (instruction.opcode()) {
    case Opcode::kParameter:
      return absl::OkStatus();
    case Opcode::kConstant:
      return FlowOfConstant(instruction);
    case Opcode::kTuple:
    case Opcode::kOptimizationBarrier:
    case Opcode::kAfterAll:
      ArraysOf(instruction) = OperandArrays(instruction);
      return absl::OkStatus();
    // Other operands say only what comes before.
    case Opcode::kAddDependency:
    case Opcode::kDomain:
      ArraysOf(instruction) = ArrayIds(ArraysOf(instruction.operand(0)));
      return absl::OkStatus();
    case Opcode::kCopyDone:
      ArraysOf(instruction) = {ArraysOf(instruction.operand(0)).front()};
      return absl::OkStatus();
    case Opcode::kGetTupleElement: {
      const Shape& tuple = instruction.operand(0).shape();
      const int64_t element = instruction.Required<int64_t>(AttributeName::kIndex);
      const llvm::ArrayRef<size_t> arrays = ArraysOf(instruction.operand(0));
      ArraysOf(instruction) =
          ArrayIds(arrays.slice(static_cast<size_t>(tuple.FirstLeafOfElement(element)),
                                static_cast<size_t>(shape.num_array_leaves())));
      return absl::OkStatus();
    }
    case Opcode::kBitcast:
      return FlowOfBitcast(instruction);
    case Opcode::kReshape:
    case Opcode::kCopy:
      if (!AreSameBytes(instruction.operand(0).shape(), shape)) break;
      ArraysOf(instruction) = ArrayIds(ArraysOf(instruction.operand(0)));
      return absl::OkStatus();
    case Opcode::kCopyStart:
      return FlowOfCopyStart(instruction);
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return FlowOfAsync(instruction);
    case Opcode::kCall:
    case Opcode::kConditional:
      AddStep(instruction);
      return absl::OkStatus();
    case Opcode::kWhile:
      FlowOfWhile(instruction);
      return absl::OkStatus();
    // A program runs on one device.
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      AddConstants(instruction, {std::vector<uint8_t>(4)});
      return absl::OkStatus();
    case Opcode::kGetDimensionSize: {
      const auto dimension =
          static_cast<size_t>(instruction.Integers(AttributeName::kDimensions).front());
      auto size = static_cast<uint32_t>(instruction.operand(0).shape().sizes()[dimension]);
      std::vector<uint8_t> bytes;
      for (int i = 0; i < 4; ++i, size >>= 8) bytes.push_back(static_cast<uint8_t>(size));
      AddConstants(instruction, {bytes});
      return absl::OkStatus();
    }
    default:
      break;
  }
  return FlowOfKernel(instruction);
}

std::vector<Place> ComputationCompiler::PlacesOf(llvm::ArrayRef<size_t> arrays) const {
  std::vector<Place> places;
  for (const size_t array : arrays) places.push_back(places_[array]);
  return places;
}

void ComputationCompiler::SetPlaces(const StorageAssignment& storages) {
  std::vector<Place> of_storage;
  for (const Storage& storage : storages.storages) {
    if (storage.output.has_value()) {
      of_storage.push_back({Place::Kind::kOutput, *storage.output});
      continue;
    }
    of_storage.push_back({Place::Kind::kFrame, compiled_.frame.size()});
    compiled_.frame.push_back({FrameBuffer::Content::kValue, storage.instruction, storage.bytes, 0,
                               storage.first_step, storage.last_step});
  }
  for (size_t i = 0; i < flow_.arrays.size(); ++i) {
    const ArrayOrigin& array = flow_.arrays[i];
    if (storages.of_array[i].has_value()) {
      places_.push_back(of_storage[*storages.of_array[i]]);
    } else {
      places_.push_back({array.kind == ArrayOrigin::Kind::kParameter ? Place::Kind::kParameter
                                                                     : Place::Kind::kConstant,
                         array.number});
    }
  }
}

size_t ComputationCompiler::AddBuffer(FrameBuffer::Content content, const Instruction& instruction,
                                      int64_t bytes, size_t step) {
  compiled_.frame.push_back({content, &instruction, bytes, 0, step, step});
  return compiled_.frame.size() - 1;
}

int64_t ComputationCompiler::FrameOf(const Computation& callee) {
  const CompiledComputation& compiled = program_.CompiledOf(callee);
  compiled_.depth = std::max(compiled_.depth, compiled.depth + 1);
  return compiled.frame_bytes;
}

WhileStep ComputationCompiler::StepOfWhile(const Instruction& instruction, size_t step) {
  const Computation& condition = *instruction.Callee(AttributeName::kCondition);
  const Computation& body = *instruction.Callee(AttributeName::kBody);
  WhileStep loop;
  loop.condition = program_.NumberOf(condition);
  loop.body = program_.NumberOf(body);
  loop.frame = AddBuffer(FrameBuffer::Content::kCallee, instruction,
                         std::max(FrameOf(condition), FrameOf(body)), step);
  loop.predicate = {Place::Kind::kFrame,
                    AddBuffer(FrameBuffer::Content::kPredicate, instruction, 1, step)};
  const ArrayIds initial = OperandArrays(instruction);
  const ArrayIds& arrays = ArraysOf(instruction);
  for (size_t i = 0; i < arrays.size(); ++i) {
    LoopState& state = loop.state.emplace_back();
    state.initial = places_[initial[i]];
    state.place = places_[arrays[i]];
    state.bytes = flow_.arrays[initial[i]].bytes;
    if (program_.CompiledOf(body).sharing[i] != Sharing::kSeparate) continue;
    state.second = {Place::Kind::kFrame,
                    AddBuffer(FrameBuffer::Content::kSecondState, instruction, state.bytes, step)};
  }
  return loop;
}

ConditionalStep ComputationCompiler::StepOfConditional(const Instruction& instruction,
                                                       size_t step) {
  ConditionalStep conditional;
  conditional.selector = places_[ArraysOf(instruction.operand(0)).front()];
  conditional.selector_is_pred =
      instruction.operand(0).shape().element_type() == hlo::ElementType::kPred;
  int64_t bytes = 0;
  size_t operand = 1;
  for (const Computation* branch : instruction.Branches()) {
    conditional.branches.push_back(
        {program_.NumberOf(*branch), PlacesOf(ArraysOf(instruction.operand(operand++)))});
    bytes = std::max(bytes, FrameOf(*branch));
  }
  conditional.frame = AddBuffer(FrameBuffer::Content::kCallee, instruction, bytes, step);
  conditional.outputs = PlacesOf(ArraysOf(instruction));
  return conditional;
}

Step ComputationCompiler::StepOf(size_t number) {
  const FlowStep& step = flow_.steps[number];
  const Instruction& instruction = *step.instruction;
  switch (instruction.opcode()) {
    case Opcode::kWhile:
      return {&instruction, StepOfWhile(instruction, number)};
    case Opcode::kConditional:
      return {&instruction, StepOfConditional(instruction, number)};
    case Opcode::kCall:
    case Opcode::kAsyncDone: {
      const Computation& callee = instruction.opcode() == Opcode::kCall
                                      ? *instruction.Callee(AttributeName::kToApply)
                                      : CalleeOfAsync(instruction);
      CallStep call;
      call.computation = program_.NumberOf(callee);
      call.frame = AddBuffer(FrameBuffer::Content::kCallee, instruction, FrameOf(callee), number);
      call.parameters = PlacesOf(step.reads);
      call.outputs = PlacesOf(step.makes);
      return {&instruction, std::move(call)};
    }
    default: {
      LaunchStep launch;
      launch.kernel = kernels_.at(&instruction);
      launch.arguments = PlacesOf(step.reads);
      llvm::append_range(launch.arguments, PlacesOf(step.makes));
      return {&instruction, std::move(launch)};
    }
  }
}

// Outputs that are parameters or constants, or are there twice.
void ComputationCompiler::AddCopies() {
  for (size_t i = 0; i < flow_.outputs.size(); ++i) {
    const Place output = {Place::Kind::kOutput, i};
    const Place place = places_[flow_.outputs[i]];
    if (place == output) continue;
    compiled_.steps.push_back(
        {&computation_.root(), CopyStep{place, output, flow_.arrays[flow_.outputs[i]].bytes}});
  }
}

void ComputationCompiler::SetSharing(const StorageAssignment& storages) {
  // The last step that reads each parameter; nullopt if none does.
  std::vector<std::optional<size_t>> last_reads(compiled_.num_parameters);
  for (size_t s = 0; s < flow_.steps.size(); ++s) {
    for (const size_t read : flow_.steps[s].reads) {
      const ArrayOrigin& array = flow_.arrays[read];
      if (array.kind == ArrayOrigin::Kind::kParameter) last_reads[array.number] = s;
    }
  }
  std::vector<bool> is_output(compiled_.num_parameters, false);
  for (const size_t output : flow_.outputs) {
    const ArrayOrigin& array = flow_.arrays[output];
    if (array.kind == ArrayOrigin::Kind::kParameter) is_output[array.number] = true;
  }
  for (size_t i = 0; i < flow_.outputs.size(); ++i) {
    Sharing& sharing = compiled_.sharing.emplace_back(Sharing::kSeparate);
    if (i >= compiled_.num_parameters) continue;
    const ArrayOrigin& array = flow_.arrays[flow_.outputs[i]];
    if (array.kind == ArrayOrigin::Kind::kParameter && array.number == i) {
      sharing = Sharing::kPassed;
      continue;
    }
    const std::optional<size_t> number = storages.of_array[flow_.outputs[i]];
    if (!number.has_value() || is_output[i]) continue;
    const Storage& storage = storages.storages[*number];
    if (storage.output != i) continue;
    const bool is_read_before =
        !last_reads[i].has_value() || *last_reads[i] < storage.first_step ||
        (*last_reads[i] == storage.first_step && storage.updated_parameter == i);
    if (is_read_before) sharing = Sharing::kInPlace;
  }
}

absl::StatusOr<CompiledComputation> ComputationCompiler::Compile() {
  arrays_of_.resize(computation_.instructions().size());
  for (const Instruction* parameter : computation_.parameters()) {
    const Shape& shape = parameter->shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      const absl::StatusOr<int64_t> bytes = run::BufferBytes(shape.ArrayLeaf(leaf));
      if (!bytes.ok()) return At(*parameter, bytes.status());
      ArraysOf(*parameter)
          .push_back(AddArray(
              {ArrayOrigin::Kind::kParameter, compiled_.num_parameters++, parameter, *bytes}));
    }
  }
  std::vector<bool> is_needed(computation_.instructions().size(), false);
  for (const Instruction* instruction : computation_.PostOrder()) {
    is_needed[static_cast<size_t>(instruction->index())] = true;
  }
  for (const Instruction* instruction : computation_.instructions()) {
    if (!is_needed[static_cast<size_t>(instruction->index())]) continue;
    HLO_INDEXING_RETURN_IF_ERROR(Flow(*instruction));
  }
  flow_.outputs = ArraysOf(computation_.root());
  const StorageAssignment storages = AssignStorages(flow_);
  SetPlaces(storages);
  for (size_t i = 0; i < flow_.steps.size(); ++i) compiled_.steps.push_back(StepOf(i));
  AddCopies();
  SetSharing(storages);
  const FrameSize size = LayOutFrame(compiled_.frame);
  compiled_.frame_bytes = size.bytes;
  compiled_.live_bytes = size.live_bytes;
  return std::move(compiled_);
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

absl::StatusOr<Program> ProgramCompiler::Compile() {
  for (const Computation* computation : CalleesFirst(*program_.module)) {
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

}  // namespace

absl::StatusOr<Program> Compile(const hlo::Module& module, const ptx::DeviceModel& device,
                                emit::PtxBackend& backend, const CompileOptions& options) {
  return ProgramCompiler(module, device, backend, options).Compile();
}

}  // namespace hlo_indexing::program
