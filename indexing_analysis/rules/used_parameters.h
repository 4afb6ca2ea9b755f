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

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_USED_PARAMETERS_H_
