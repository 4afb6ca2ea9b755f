#include "indexing_analysis/propagation/operand_renaming.h"

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Instruction;

bool HasRuntimeValues(const IndexingMap& map) {
  return llvm::any_of(map.runtime(), [](const RuntimeVariable& variable) {
    return variable.instruction != nullptr;
  });
}

IndexingMap RenameOperands(const IndexingMap& map, const Instruction& from, const Instruction& to) {
  if (map.IsUnknown() || !HasRuntimeValues(map)) return map;
  std::vector<RuntimeVariable> runtime(map.runtime());
  for (RuntimeVariable& variable : runtime) {
    const auto* const operand = llvm::find(from.operands(), variable.instruction);
    if (operand != from.operands().end()) {
      variable.instruction = to.operands()[static_cast<size_t>(operand - from.operands().begin())];
    }
    variable.index = RenameOperands(variable.index, from, to);
  }
  return IndexingMap(map.affine_map(), map.dimensions(), map.ranges(), std::move(runtime),
                     map.constraints());
}

}  // namespace hlo_indexing::indexing_analysis
