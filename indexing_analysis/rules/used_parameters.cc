#include "indexing_analysis/rules/used_parameters.h"

#include <algorithm>

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

std::vector<bool> SortKeys(const hlo::Instruction& sort) {
  const std::vector<bool> used = UsedParameters(*sort.Callee(hlo::AttributeName::kToApply), 0);
  std::vector<bool> keys(sort.operands().size());
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = used[2 * i] || used[2 * i + 1];
  return keys;
}

std::vector<size_t> SortedAlike(const hlo::Instruction& sort) {
  const std::vector<bool> keys = SortKeys(sort);
  const auto first = static_cast<size_t>(std::find(keys.begin(), keys.end(), true) - keys.begin());
  std::vector<size_t> alike(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) alike[i] = keys[i] ? first : i;
  return alike;
}

std::vector<size_t> ReducedAlike(const hlo::Instruction& reduce) {
  const size_t count = reduce.operands().size() / 2;
  const llvm::ArrayRef<int64_t> sizes = reduce.operand(0).shape().sizes();
  const bool is_empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  return is_empty ? std::vector<size_t>() : std::vector<size_t>(count, 0);
}

}  // namespace hlo_indexing::indexing_analysis
