// The steps of a computation, when it is known what flows between them: places, launches, calls,
// loops and branches.
#include <algorithm>
#include <optional>
#include <utility>

#include "codegen/plan/kernels.h"
#include "codegen/program/frame_layout.h"
#include "codegen/program/program_compiler.h"
#include "codegen/run/buffer_contents.h"
#include "hlo/async.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"
#include "support/status_macros.h"

namespace hlo_indexing::program {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using Sharing = CompiledComputation::Sharing;

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
  const ArrayIds& initial = flow_.steps[step].reads;
  const ArrayIds& arrays = flow_.steps[step].results;
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
  llvm::ArrayRef<size_t> reads = flow_.steps[step].reads;
  conditional.selector = places_[reads.front()];
  reads = reads.drop_front();
  conditional.selector_is_pred =
      instruction.operand(0).shape().element_type() == hlo::ElementType::kPred;
  int64_t bytes = 0;
  for (const Computation* branch : instruction.Branches()) {
    const size_t count = program_.CompiledOf(*branch).num_parameters;
    conditional.branches.push_back({program_.NumberOf(*branch), PlacesOf(reads.take_front(count))});
    reads = reads.drop_front(count);
    bytes = std::max(bytes, FrameOf(*branch));
  }
  conditional.frame = AddBuffer(FrameBuffer::Content::kCallee, instruction, bytes, step);
  conditional.outputs = PlacesOf(flow_.steps[step].makes);
  return conditional;
}

Step ComputationCompiler::StepOf(size_t number) {
  const FlowStep& step = flow_.steps[number];
  const Instruction& instruction = *step.instruction;
  if (step.kernel.has_value()) {
    LaunchStep launch;
    launch.kernel = *step.kernel;
    launch.arguments = PlacesOf(step.reads);
    llvm::append_range(launch.arguments, PlacesOf(step.makes));
    if (step.zeros.has_value()) launch.arguments.push_back(places_[*step.zeros]);
    return {&instruction, std::move(launch)};
  }
  switch (instruction.opcode()) {
    case Opcode::kWhile:
      return {&instruction, StepOfWhile(instruction, number)};
    case Opcode::kConditional:
      return {&instruction, StepOfConditional(instruction, number)};
    // A call, a fusion that runs as one, or an async-done.
    default: {
      const Computation& callee = instruction.opcode() == Opcode::kAsyncDone
                                      ? *CalleeOfAsync(instruction)
                                      : *plan::ComputationsRunBy(instruction).front();
      CallStep call;
      call.computation = program_.NumberOf(callee);
      call.frame = AddBuffer(FrameBuffer::Content::kCallee, instruction, FrameOf(callee), number);
      call.parameters = PlacesOf(step.reads);
      call.outputs = PlacesOf(step.makes);
      return {&instruction, std::move(call)};
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
  const Shape& output = program_.OutputShape(computation_);
  for (int64_t leaf = 0; leaf < output.num_array_leaves(); ++leaf) {
    HLO_INDEXING_ASSIGN_OR_RETURN(
        flow_.outputs.emplace_back(),
        InLayout(computation_.root(), ArraysOf(computation_.root())[static_cast<size_t>(leaf)],
                 computation_.root().shape().ArrayLeaf(leaf), output.ArrayLeaf(leaf)));
  }
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

}  // namespace hlo_indexing::program
