#include "indexing_analysis/rules/used_parameters.h"

namespace hlo_indexing::indexing_analysis {

std::vector<bool> UsedParameters(const hlo::Computation& computation, size_t leaf) {
  const hlo::Instruction* root = &computation.root();
  if (root->opcode() == hlo::Opcode::kTuple && leaf < root->operands().size()) {
    root = &root->operand(leaf);
  }
  // By position: an operand stands before its users.
  std::vector<bool> is_used(computation.instructions().size(), false);
  is_used[static_cast<size_t>(root->index())] = true;
  for (size_t i = is_used.size(); i-- > 0;) {
    if (!is_used[i]) continue;
    for (const hlo::Instruction* operand : computation.instructions()[i]->operands()) {
      is_used[static_cast<size_t>(operand->index())] = true;
    }
  }
  std::vector<bool> parameters;
  for (const hlo::Instruction* parameter : computation.parameters()) {
    parameters.push_back(is_used[static_cast<size_t>(parameter->index())]);
  }
  return parameters;
}

}  // namespace hlo_indexing::indexing_analysis
