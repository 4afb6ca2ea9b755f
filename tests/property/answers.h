// What an analysis says of the arrays of a module, as text that tests compare.
#ifndef HLO_INDEXING_TESTS_PROPERTY_ANSWERS_H_
#define HLO_INDEXING_TESTS_PROPERTY_ANSWERS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/analysis.h"

namespace hlo_indexing::testing {

/// An array of an instruction.
using Output = std::pair<const hlo::Instruction*, int64_t>;

/// Every array of a module, in the order of the text.
std::vector<Output> OutputsOf(const hlo::Module& module);

/// The maps of an instruction's array in both directions, with the instructions that give the
/// values of their runtime variables, exactness and reasons.
std::string Answers(indexing_analysis::IndexingAnalysis& analysis,
                    const hlo::Instruction& instruction, int64_t leaf);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_ANSWERS_H_
