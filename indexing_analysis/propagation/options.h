// The options and limits of an analysis.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_OPTIONS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_OPTIONS_H_

#include <cstddef>
#include <cstdint>

#include "indexing_analysis/propagation/memoization.h"

namespace hlo_indexing::indexing_analysis {

class CustomCallRegistry;

/// What an analysis may do, and when it stops looking.
struct AnalysisOptions {
  /// Whether domains are tightened and expressions simplified by them.
  enum class Simplification : uint8_t { kFull, kNone };
  Simplification simplification = Simplification::kFull;
  /// An array inside of a computation that an output reads by more accesses counts as read whole,
  /// and maps through it are supersets. Parameters and operands do not count: what reaches them is
  /// written as it is.
  size_t max_accesses = 64;
  /// The same if the accesses have more than 24 values, all together, that are known at run time
  /// only: nobody looks at so many cases.
  size_t max_accesses_with_values = 8;
  /// So many applications of a rule to an access are propagated for each output, calls counting as
  /// a hundred each; then every array counts as read whole.
  int64_t max_steps = 500'000;
  /// How deep calls may nest; what is read through deeper ones is unknown.
  int max_call_depth = 200;
  /// What custom calls read. Must outlive the analysis; null: nothing is known of any.
  const CustomCallRegistry* custom_calls = nullptr;
  /// Tables to do without, to measure or test them.
  DisabledMemoTables disabled_memo_tables;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_OPTIONS_H_
