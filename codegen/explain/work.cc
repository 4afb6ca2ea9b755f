#include "codegen/explain/work.h"

#include <algorithm>
#include <cstdint>

#include "hlo/attribute.h"
#include "hlo/element_type.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::explain {
namespace {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

constexpr double kWarpSize = 32;
constexpr double kSlowInstruction = 10;

double NumElements(const Shape& shape) {
  if (shape.num_array_leaves() == 0) return 0;
  return std::max(0.0, static_cast<double>(shape.ArrayLeaf(0).num_elements()));
}

double WindowSize(const Instruction& instruction) {
  using Window = llvm::ArrayRef<hlo::WindowDimension>;
  double size = 1;
  for (const hlo::WindowDimension& dimension :
       instruction.Get<Window>(AttributeName::kWindow).value_or(Window())) {
    size *= static_cast<double>(dimension.size);
  }
  return size;
}

// The elements that a dot combines for one of its own.
double ContractedSize(const Instruction& dot) {
  double size = 1;
  for (const int64_t dimension : dot.Integers(AttributeName::kLhsContractingDims)) {
    size *= static_cast<double>(dot.operand(0).shape().sizes()[static_cast<size_t>(dimension)]);
  }
  return size;
}

// For all elements of an instruction.
double InstructionsFor(const Instruction& instruction) {
  const double elements = NumElements(instruction.shape());
  switch (instruction.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kConstant:
    case Opcode::kCopy:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kGetTupleElement:
    case Opcode::kPad:
    case Opcode::kParameter:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kTuple:
      return 0;
    case Opcode::kReduce:
    case Opcode::kScatter:
    case Opcode::kSort:
      return NumElements(instruction.operand(0).shape());
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter:
    case Opcode::kConvolution:
      return elements * WindowSize(instruction);
    case Opcode::kDot:
      return elements * ContractedSize(instruction);
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan2:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCosh:
    case Opcode::kCosine:
    case Opcode::kDivide:
    case Opcode::kErf:
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kPower:
    case Opcode::kRemainder:
    case Opcode::kRsqrt:
    case Opcode::kSine:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kTan:
    case Opcode::kTanh:
      return elements * kSlowInstruction;
    default:
      return elements;
  }
}

bool IsOfDoubles(const Instruction& instruction) {
  return instruction.shape().num_array_leaves() != 0 &&
         instruction.shape().ArrayLeaf(0).element_type() == hlo::ElementType::kF64;
}

}  // namespace

double ArithmeticWarpInstructions(const plan::KernelPlan& plan, const ptx::DeviceModel& device) {
  const double lanes_ratio =
      static_cast<double>(device.fp32_lanes) / std::max(1, device.fp64_lanes);
  double instructions = 0;
  const auto add = [&](const Instruction& instruction) {
    instructions += InstructionsFor(instruction) * (IsOfDoubles(instruction) ? lanes_ratio : 1);
  };
  const Instruction& planned = *plan.instruction;
  if (plan.is_computation) {
    for (const Instruction* instruction : planned.parent().instructions()) add(*instruction);
  } else if (planned.opcode() == Opcode::kFusion) {
    const hlo::Computation& fused = *planned.Callee(AttributeName::kCalls);
    for (const Instruction* instruction : fused.instructions()) add(*instruction);
  } else {
    add(planned);
  }
  return instructions / kWarpSize;
}

}  // namespace hlo_indexing::explain
