// Compares the maps of an instruction, in both directions, with what its elements read.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RELATION_CHECK_H_
#define HLO_INDEXING_TESTS_PROPERTY_RELATION_CHECK_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "tests/property/provenance.h"

namespace hlo_indexing::testing {

/// What every output element reads, by output array and element, on one device. An interpreter that
/// records what it reads may stand behind it as well.
using ReadsOnDevice = std::vector<std::vector<Sources>>;

/// One outcome of running an instruction on all devices.
struct Outcome {
  /// By device.
  std::vector<ReadsOnDevice> reads;
  /// The values of integer arrays that maps may ask for.
  const IntegerValues* integers = nullptr;
};

/// How many records of each kind were compared.
struct RecordCount {
  int64_t exact = 0;
  int64_t superset = 0;
  int64_t unknown = 0;
};

/// What is wrong with the maps of the instruction: a read that is missed, an exact record that has
/// more, a result outside its array, two directions that differ. Empty where all is right.
std::string CheckRelation(const hlo::Instruction& instruction,
                          indexing_analysis::IndexingAnalysis& analysis, const Outcome& outcome,
                          RecordCount& records);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RELATION_CHECK_H_
