#include "indexing_analysis/rules/index_operands.h"

namespace hlo_indexing::indexing_analysis::index_operands {
namespace {

using hlo::Instruction;

IndexOperands Vectors(const Instruction& instruction, size_t operand) {
  return {operand, 1, instruction.Required<int64_t>(hlo::AttributeName::kIndexVectorDim)};
}

}  // namespace

IndexOperands DynamicSlice(const Instruction& instruction) {
  return {1, instruction.operands().size() - 1, 0};
}

IndexOperands DynamicUpdateSlice(const Instruction& instruction) {
  return {2, instruction.operands().size() - 2, 0};
}

IndexOperands Gather(const Instruction& instruction) { return Vectors(instruction, 1); }

// (arrays, indices, updates)
IndexOperands Scatter(const Instruction& instruction) {
  return Vectors(instruction, instruction.operands().size() / 2);
}

}  // namespace hlo_indexing::indexing_analysis::index_operands
