// What flows from instruction to instruction: which arrays there are, and which steps make and read
// them.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/plan/fused_computation.h"
#include "codegen/plan/kernels.h"
#include "codegen/plan/thread_map.h"
#include "codegen/program/program_compiler.h"
#include "codegen/run/buffer_contents.h"
#include "hlo/async.h"
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

std::vector<const Shape*> ParameterLeaves(const Computation& computation) {
  std::vector<const Shape*> leaves;
  for (const Instruction* parameter : computation.parameters()) {
    for (int64_t leaf = 0; leaf < parameter->shape().num_array_leaves(); ++leaf) {
      leaves.push_back(&parameter->shape().ArrayLeaf(leaf));
    }
  }
  return leaves;
}

bool HaveSameLayout(const Shape& a, const Shape& b) {
  return AreSameBytes(a, b) || plan::HaveSamePlaces(a, b);
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

absl::StatusOr<size_t> ComputationCompiler::InLayout(const Instruction& instruction, size_t array,
                                                     const Shape& from, const Shape& to) {
  if (&from == &to) return array;
  if (from.element_type() != to.element_type() || from.sizes() != to.sizes()) {
    return Refused(instruction, absl::StrCat("passes ", from.ToString(), " on as ", to.ToString()));
  }
  // What has no elements has no order of them.
  if (HaveSameLayout(from, to) || from.num_elements() == 0) return array;
  absl::StatusOr<size_t> kernel = program_.AddRelayout(from, to);
  if (!kernel.ok()) return At(instruction, kernel.status());
  FlowStep& step = flow_.steps.emplace_back();
  step.instruction = &instruction;
  step.reads = {array};
  step.kernel = *kernel;
  return Make(step, to);
}

absl::Status ComputationCompiler::Forward(const Instruction& instruction,
                                          llvm::ArrayRef<size_t> arrays, const Shape& shape,
                                          int64_t first_leaf) {
  for (const size_t array : arrays) {
    const auto next = static_cast<int64_t>(ArraysOf(instruction).size());
    HLO_INDEXING_ASSIGN_OR_RETURN(const size_t laid_out,
                                  InLayout(instruction, array, shape.ArrayLeaf(first_leaf++),
                                           instruction.shape().ArrayLeaf(next)));
    ArraysOf(instruction).push_back(laid_out);
  }
  return absl::OkStatus();
}

absl::Status ComputationCompiler::ForwardOperand(const Instruction& instruction, size_t operand,
                                                 int64_t first_leaf) {
  const Instruction& from = instruction.operand(operand);
  const int64_t wanted =
      instruction.shape().num_array_leaves() - static_cast<int64_t>(ArraysOf(instruction).size());
  const llvm::ArrayRef<size_t> arrays =
      llvm::ArrayRef(ArraysOf(from)).drop_front(static_cast<size_t>(first_leaf));
  return Forward(instruction, ArrayIds(arrays.take_front(static_cast<size_t>(wanted))),
                 from.shape(), first_leaf);
}

absl::Status ComputationCompiler::AppendOperands(const Instruction& instruction, size_t first,
                                                 size_t count, llvm::ArrayRef<const Shape*> leaves,
                                                 ArrayIds& arrays) {
  size_t next = 0;
  for (size_t i = first; i < first + count; ++i) {
    const Instruction& operand = instruction.operand(i);
    const ArrayIds given = ArraysOf(operand);
    for (size_t leaf = 0; leaf < given.size(); ++leaf, ++next) {
      const Shape& from = operand.shape().ArrayLeaf(static_cast<int64_t>(leaf));
      const Shape& to = next < leaves.size() ? *leaves[next] : from;
      HLO_INDEXING_ASSIGN_OR_RETURN(arrays.emplace_back(),
                                    InLayout(instruction, given[leaf], from, to));
    }
  }
  return absl::OkStatus();
}

FlowStep& ComputationCompiler::AddStep(const Instruction& instruction, ArrayIds reads,
                                       const Shape& output) {
  FlowStep& step = flow_.steps.emplace_back();
  step.instruction = &instruction;
  step.reads = std::move(reads);
  for (int64_t leaf = 0; leaf < output.num_array_leaves(); ++leaf) {
    Make(step, output.ArrayLeaf(leaf));
  }
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
    // Before there is memory for it: tiles may make one number as large as any.
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t in_memory, run::BufferBytes(array->shape()));
    constexpr int64_t kMostPadding = int64_t{1} << 26;
    if (in_memory - std::ssize(array->bytes()) > kMostPadding) {
      return Refused(instruction, absl::StrCat("takes ", in_memory, " bytes in its layout, of ",
                                               array->bytes().size(), " bytes of values"));
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(bytes.emplace_back(), run::BufferOf(*array));
  }
  AddConstants(instruction, bytes);
  return absl::OkStatus();
}

absl::Status ComputationCompiler::FlowOfBitcast(const Instruction& instruction) {
  if (absl::Status status = plan::CheckBitcast(instruction); !status.ok()) {
    return At(instruction, status);
  }
  ArraysOf(instruction) = ArrayIds(ArraysOf(instruction.operand(0)));
  return absl::OkStatus();
}

// (copy, original, what the copy engine needs to know)
absl::Status ComputationCompiler::FlowOfCopyStart(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  const ArrayIds arrays = ArraysOf(instruction.operand(0));
  HLO_INDEXING_RETURN_IF_ERROR(Forward(instruction, arrays, instruction.operand(0).shape()));
  HLO_INDEXING_RETURN_IF_ERROR(Forward(instruction, arrays, instruction.operand(0).shape()));
  if (shape.num_array_leaves() > 2) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t bytes, run::BufferBytes(shape.ArrayLeaf(2)));
    AddConstants(instruction, {std::vector<uint8_t>(static_cast<size_t>(bytes))});
  }
  return absl::OkStatus();
}

// A computation that is started, given more operands by updates, and awaited: it runs where it is
// awaited, when all operands are there. What stands for it before is no array but these operands,
// as the computation has them.
absl::Status ComputationCompiler::FlowOfAsync(const Instruction& instruction) {
  for (const Instruction* user : instruction.users()) {
    if (user->opcode() == Opcode::kAsyncUpdate || user->opcode() == Opcode::kAsyncDone) continue;
    return Refused(instruction, "is used by others than its async-done");
  }
  if (instruction.IsRoot()) return Refused(instruction, "has no async-done");
  const bool is_start = instruction.opcode() == Opcode::kAsyncStart;
  const Computation* callee =
      is_start ? instruction.Callee(AttributeName::kCalls) : CalleeOfAsync(instruction);
  if (callee == nullptr) return Refused(instruction, "starts or continues no computation");
  ArrayIds bound;
  if (!is_start) bound = ArraysOf(instruction.operand(0));
  const std::vector<const Shape*> leaves = ParameterLeaves(*callee);
  const size_t first = is_start ? 0 : 1;
  HLO_INDEXING_RETURN_IF_ERROR(AppendOperands(
      instruction, first, instruction.operands().size() - first,
      llvm::ArrayRef(leaves).drop_front(std::min(bound.size(), leaves.size())), bound));
  ArraysOf(instruction) = std::move(bound);
  return absl::OkStatus();
}

absl::Status ComputationCompiler::FlowOfAsyncDone(const Instruction& instruction) {
  const Computation* callee = CalleeOfAsync(instruction);
  if (callee == nullptr) return Refused(instruction, "ends no async-start of a computation");
  const CompiledComputation& compiled = program_.CompiledOf(*callee);
  const Shape& output = program_.OutputShape(*callee);
  const ArrayIds bound = ArraysOf(instruction.operand(0));
  if (bound.size() != compiled.num_parameters ||
      output.num_array_leaves() != instruction.shape().num_array_leaves()) {
    return Refused(instruction, "does not fit what is started");
  }
  return Forward(instruction, ArrayIds(AddStep(instruction, bound, output).makes), output);
}

absl::Status ComputationCompiler::FlowOfCall(const Instruction& instruction) {
  const Computation& callee = *plan::ComputationsRunBy(instruction).front();
  ArrayIds arguments;
  HLO_INDEXING_RETURN_IF_ERROR(AppendOperands(instruction, 0, instruction.operands().size(),
                                              ParameterLeaves(callee), arguments));
  const Shape& output = program_.OutputShape(callee);
  return Forward(instruction, ArrayIds(AddStep(instruction, arguments, output).makes), output);
}

// Reads the selector, then what each branch is given.
absl::Status ComputationCompiler::FlowOfConditional(const Instruction& instruction) {
  ArrayIds reads = ArraysOf(instruction.operand(0));
  size_t operand = 1;
  const Shape* output = nullptr;
  for (const Computation* branch : instruction.Branches()) {
    HLO_INDEXING_RETURN_IF_ERROR(
        AppendOperands(instruction, operand++, 1, ParameterLeaves(*branch), reads));
    const Shape& of_branch = program_.OutputShape(*branch);
    if (output == nullptr) output = &of_branch;
    for (int64_t leaf = 0; leaf < output->num_array_leaves(); ++leaf) {
      if (HaveSameLayout(output->ArrayLeaf(leaf), of_branch.ArrayLeaf(leaf))) continue;
      return Refused(instruction, absl::StrCat("has a branch %", branch->name().str(),
                                               " that others call for another layout"));
    }
  }
  return Forward(instruction, ArrayIds(AddStep(instruction, reads, *output).makes), *output);
}

// What the body passes on is not copied. The state is laid out as the body has it.
absl::Status ComputationCompiler::FlowOfWhile(const Instruction& instruction) {
  const Computation& body = *instruction.Callee(AttributeName::kBody);
  const Computation& condition = *instruction.Callee(AttributeName::kCondition);
  const Shape& state = body.parameters().front()->shape();
  for (int64_t leaf = 0; leaf < state.num_array_leaves(); ++leaf) {
    const Shape& array = state.ArrayLeaf(leaf);
    if (!HaveSameLayout(array, condition.parameters().front()->shape().ArrayLeaf(leaf)) ||
        !HaveSameLayout(array, program_.OutputShape(body).ArrayLeaf(leaf))) {
      return Refused(instruction, "has a condition or a body that is run with another layout");
    }
  }
  ArrayIds initial;
  HLO_INDEXING_RETURN_IF_ERROR(AppendOperands(instruction, 0, 1, ParameterLeaves(body), initial));
  FlowStep& step = flow_.steps.emplace_back();
  step.instruction = &instruction;
  step.reads = initial;
  const std::vector<Sharing>& sharing = program_.CompiledOf(body).sharing;
  for (size_t i = 0; i < sharing.size(); ++i) {
    if (sharing[i] == Sharing::kPassed) {
      step.results.push_back(initial[i]);
      continue;
    }
    step.results.push_back(Make(step, state.ArrayLeaf(static_cast<int64_t>(i))));
    step.updates.emplace_back(step.results.back(), initial[i]);
  }
  return Forward(instruction, ArrayIds(step.results), state);
}

absl::Status ComputationCompiler::FlowOfKernel(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  if (plan::HasNoElements(instruction)) {
    AddConstants(instruction,
                 std::vector<std::vector<uint8_t>>(static_cast<size_t>(shape.num_array_leaves())));
    return absl::OkStatus();
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const size_t number, program_.AddKernel(instruction));
  // Inputs and outputs of the kernel are in the order of the arrays. A fusion has them as its
  // computation says.
  std::vector<const Shape*> leaves;
  std::vector<const Shape*> outputs;
  for (const emit::KernelArgument& argument : program_.kernel(number).arguments) {
    if (argument.is_scratch()) continue;
    (argument.is_output() ? outputs : leaves).push_back(argument.shape);
  }
  ArrayIds reads;
  HLO_INDEXING_RETURN_IF_ERROR(
      AppendOperands(instruction, 0, instruction.operands().size(), leaves, reads));
  FlowStep& step = flow_.steps.emplace_back();
  step.instruction = &instruction;
  step.kernel = number;
  step.reads = std::move(reads);
  for (const Shape* output : outputs) Make(step, *output);
  const ArrayIds made = step.makes;
  const emit::Kernel& kernel = program_.kernel(number);
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
  for (size_t i = 0; i < made.size(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(
        ArraysOf(instruction).emplace_back(),
        InLayout(instruction, made[i], *outputs[i], shape.ArrayLeaf(static_cast<int64_t>(i))));
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
    // A token is no array, and arrays may come before it.
    case Opcode::kAfterAll:
      return absl::OkStatus();
    case Opcode::kConstant:
      return FlowOfConstant(instruction);
    case Opcode::kTuple:
    case Opcode::kOptimizationBarrier:
      for (size_t i = 0; i < instruction.operands().size(); ++i) {
        HLO_INDEXING_RETURN_IF_ERROR(Forward(instruction,
                                             ArrayIds(ArraysOf(instruction.operand(i))),
                                             instruction.operand(i).shape()));
      }
      return absl::OkStatus();
    // Other operands say only what comes before.
    case Opcode::kAddDependency:
    case Opcode::kDomain:
    case Opcode::kCopyDone:
      return ForwardOperand(instruction, 0);
    case Opcode::kGetTupleElement:
      return ForwardOperand(instruction, 0,
                            instruction.operand(0).shape().FirstLeafOfElement(
                                instruction.Required<int64_t>(AttributeName::kIndex)));
    case Opcode::kBitcast:
      return shape.IsArray() ? FlowOfBitcast(instruction) : ForwardOperand(instruction, 0);
    case Opcode::kReshape:
    case Opcode::kCopy:
      if (!shape.IsArray()) return ForwardOperand(instruction, 0);
      if (!AreSameBytes(instruction.operand(0).shape(), shape)) break;
      ArraysOf(instruction) = ArrayIds(ArraysOf(instruction.operand(0)));
      return absl::OkStatus();
    case Opcode::kCopyStart:
      return FlowOfCopyStart(instruction);
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
      return FlowOfAsync(instruction);
    case Opcode::kAsyncDone:
      return FlowOfAsyncDone(instruction);
    case Opcode::kCall:
      return FlowOfCall(instruction);
    case Opcode::kFusion:
      if (!plan::RunsAsCall(instruction)) break;
      return FlowOfCall(instruction);
    case Opcode::kConditional:
      return FlowOfConditional(instruction);
    case Opcode::kWhile:
      return FlowOfWhile(instruction);
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
