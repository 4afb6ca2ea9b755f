// The maps of one instruction as those of an equivalent one. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_OPERAND_RENAMING_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_OPERAND_RENAMING_H_

#include "hlo/module.h"
#include "indexing_analysis/maps/indexing_map.h"

namespace hlo_indexing::indexing_analysis {

/// Whether the map has a runtime variable that stands for an instruction's value.
bool HasRuntimeValues(const IndexingMap& map);

/// The map with runtime variables that stand for operands of `to` in place of those of `from`,
/// which has as many.
/// Example: rt0 = i of dynamic-slice(x, i), dynamic-slice(x, j) -> rt0 = j
IndexingMap RenameOperands(const IndexingMap& map, const hlo::Instruction& from,
                           const hlo::Instruction& to);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_OPERAND_RENAMING_H_
