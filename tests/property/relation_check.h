// Compares the maps of an instruction, in both directions, with what its elements read.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RELATION_CHECK_H_
#define HLO_INDEXING_TESTS_PROPERTY_RELATION_CHECK_H_

#include <cstdint>
#include <string>

#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "tests/property/traced_run.h"

namespace hlo_indexing::testing {

/// How many records of each kind were compared.
struct RecordCount {
  int64_t exact = 0;
  int64_t superset = 0;
  int64_t unknown = 0;
};

/// What is wrong with the maps of an instruction of the entry: a read of the run that is missed, an
/// exact record that has more, a result outside its array. The run's own values stand for the maps'
/// runtime variables. Empty where all is right.
std::string CheckRelation(const hlo::Instruction& instruction,
                          indexing_analysis::IndexingAnalysis& analysis, const TracedRun& run,
                          RunValues& values, RecordCount& records);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RELATION_CHECK_H_
