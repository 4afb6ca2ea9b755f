// Which parameters of a computation its result depends on.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_USED_PARAMETERS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_USED_PARAMETERS_H_

#include <cstddef>
#include <vector>

#include "hlo/module.h"

namespace hlo_indexing::indexing_analysis {

/// Which parameters an array of the computation's root depends on, taking every operand of an
/// instruction as used.
///
/// Example: tuple(add(a, b), a), 1 -> {true, false}
std::vector<bool> UsedParameters(const hlo::Computation& computation, size_t leaf);

/// Which operands a sort compares by.
std::vector<bool> SortKeys(const hlo::Instruction& sort);

/// For each array of a sort's result the first one that reads the same operands: those of what is
/// compared read all that is compared, each other one its own operand, too.
/// Example: a sort of (a, b, c, d) by b and d -> {0, 1, 2, 1}
std::vector<size_t> SortedAlike(const hlo::Instruction& sort);
/// The same of a reduction's results: every element reads all operands, unless what is reduced is
/// empty. Then each result reads its own initial value.
std::vector<size_t> ReducedAlike(const hlo::Instruction& reduce);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_USED_PARAMETERS_H_
