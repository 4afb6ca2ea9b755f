#include "codegen/plan/plan_context.h"

#include "absl/status/statusor.h"
#include "hlo/memory_layout.h"
#include "indexing_analysis/maps/layout_maps.h"
#include "layout/tiled_layout.h"
#include "llvm/ADT/Hashing.h"

namespace hlo_indexing::plan {

using indexing_analysis::IndexingMap;

size_t MapTable::Hash::operator()(const Pair& maps) const {
  return llvm::hash_combine(hash_value(maps.first), hash_value(maps.second));
}

const IndexingMap& MapTable::Compose(const IndexingMap& first, const IndexingMap& second) {
  const auto [known, is_new] = compositions_.try_emplace({first, second});
  if (is_new) known->second = indexing_analysis::Compose(first, second);
  return known->second;
}

const IndexingMap& MapTable::Positions(const hlo::Shape& shape) {
  const auto [known, is_new] = positions_.try_emplace(&shape);
  if (!is_new) return known->second;
  const absl::StatusOr<layout::TiledLayout> layout = hlo::MemoryLayoutOf(shape);
  if (layout.ok()) known->second = indexing_analysis::PositionMap(*layout, mlir_context_);
  return known->second;
}

const IndexingMap& MapTable::Elements(const hlo::Shape& shape) {
  const auto [known, is_new] = elements_.try_emplace(&shape);
  if (!is_new) return known->second;
  const absl::StatusOr<layout::TiledLayout> layout = hlo::MemoryLayoutOf(shape);
  if (layout.ok()) known->second = indexing_analysis::ElementMap(*layout, mlir_context_);
  return known->second;
}

const IndexingMap& MapTable::Simplified(const IndexingMap& map) {
  const auto [known, is_new] = simplified_.try_emplace(map);
  if (is_new) known->second = indexing_analysis::Simplify(map);
  return known->second;
}

support::SourcePosition PlanContext::PositionOf(const hlo::Instruction& instruction) {
  const hlo::Module& module = instruction.parent().parent();
  if (module.text().empty()) return {.line = 0, .column = 0, .line_text = ""};
  return module.Locate(instruction.offset());
}

}  // namespace hlo_indexing::plan
