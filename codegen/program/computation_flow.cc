// What flows from instruction to instruction: which arrays there are, and which steps make and read
// them.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/program/program_compiler.h"
#include "codegen/run/buffer_contents.h"
#include "hlo/attribute.h"
#include "hlo/interpreter/value.h"
#include "llvm/ADT/STLExtras.h"
#include "support/status_macros.h"

namespace hlo_indexing::program {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using Sharing = CompiledComputation::Sharing;

namespace {

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

}  // namespace

const Computation* CalleeOfAsync(const Instruction& done) {
  const Instruction* start = &done.operand(0);
  while (start->opcode() == Opcode::kAsyncUpdate) start = &start->operand(0);
  return start->opcode() == Opcode::kAsyncStart ? start->Callee(AttributeName::kCalls) : nullptr;
}

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
  const Computation* callee = CalleeOfAsync(instruction);
  if (callee == nullptr) return Refused(instruction, "ends no async-start of a computation");
  FlowStep& step = AddStep(instruction);
  if (step.reads.size() != program_.CompiledOf(*callee).num_parameters ||
      step.makes.size() != program_.CompiledOf(*callee).sharing.size()) {
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
    if (argument.is_zeros) {
      // Kernels leave zeros as they find them: a constant.
      const auto bytes = static_cast<size_t>(argument.scratch_bytes);
      const size_t constant = program_.AddConstant(instruction, std::vector<uint8_t>(bytes));
      step.zeros =
          AddArray({ArrayOrigin::Kind::kConstant, constant, &instruction, argument.scratch_bytes});
    } else if (argument.is_scratch()) {
      step.makes.push_back(
          AddArray({ArrayOrigin::Kind::kMade, 0, &instruction, argument.scratch_bytes}));
    }
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

}  // namespace hlo_indexing::program
