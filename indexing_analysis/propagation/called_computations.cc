#include "indexing_analysis/propagation/called_computations.h"

#include "indexing_analysis/rules/forwarding.h"
#include "indexing_analysis/rules/rule_table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::AttributeName;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// An array of the output or of an operand that has a dimension without bound.
const hlo::Shape* AnyUnbounded(const Instruction& instruction, int64_t leaf) {
  const hlo::Shape& output = instruction.shape().ArrayLeaf(leaf);
  if (output.HasUnboundedDimension()) return &output;
  for (const Instruction* operand : instruction.operands()) {
    const hlo::Shape& shape = operand->shape();
    if (shape.IsArray() && shape.HasUnboundedDimension()) return &shape;
  }
  return nullptr;
}

}  // namespace

bool HasControlFlow(const Instruction& instruction) {
  return TraitsOf(instruction.opcode()).control_flow != ControlFlow::kNone;
}

const Computation* CalleeOf(const Instruction& instruction) {
  switch (TraitsOf(instruction.opcode()).control_flow) {
    case ControlFlow::kFusion:
    case ControlFlow::kAsyncStart:
      return instruction.Callee(AttributeName::kCalls);
    case ControlFlow::kCall:
      return instruction.Callee(AttributeName::kToApply);
    case ControlFlow::kNone:
    case ControlFlow::kConditional:
    case ControlFlow::kWhile:
      return nullptr;
  }
  return nullptr;
}

std::optional<int64_t> ForwardedParameter(const Computation& computation, int64_t leaf) {
  const Instruction* instruction = &computation.root();
  while (instruction->opcode() != Opcode::kParameter) {
    const RuleTraits& traits = TraitsOf(instruction->opcode());
    const bool is_element = traits.forwarding == Forwarding::kTuple ||
                            traits.forwarding == Forwarding::kGetTupleElement;
    if (is_element) {
      const std::optional<OperandArray> from = ForwardedOperand(*instruction, leaf);
      instruction = &instruction->operand(from->operand);
      leaf = from->leaf;
    } else if (traits.is_identity) {
      instruction = &instruction->operand(0);
    } else {
      return std::nullopt;
    }
  }
  return leaf;
}

std::string UnboundedReason(const hlo::Shape& shape) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const auto* const unbounded = llvm::find(shape.sizes(), hlo::kUnboundedSize);
  out << "dimension " << unbounded - shape.sizes().begin() << " of [";
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t size = shape.sizes()[static_cast<size_t>(i)];
    out << (i == 0 ? "" : ",");
    if (size == hlo::kUnboundedSize) {
      out << '?';
    } else {
      out << size;
    }
  }
  out << "] has no bound";
  return text;
}

const hlo::Shape* FindUnbounded(const Instruction& instruction, int64_t leaf) {
  const hlo::Shape* const unbounded = AnyUnbounded(instruction, leaf);
  if (unbounded == nullptr) return nullptr;
  const RuleTraits& traits = TraitsOf(instruction.opcode());
  if (traits.forwarding != Forwarding::kNone) return nullptr;
  const bool is_allowed =
      traits.allows_unbounded != nullptr && traits.allows_unbounded(instruction);
  return is_allowed ? nullptr : unbounded;
}

}  // namespace hlo_indexing::indexing_analysis
