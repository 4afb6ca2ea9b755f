// How often a loop runs, by its counters. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_LOOP_ITERATIONS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_LOOP_ITERATIONS_H_

#include <cstddef>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/propagation/call_frame.h"

namespace hlo_indexing::indexing_analysis {

/// What is known of each iteration of a loop.
struct LoopIterations {
  /// Whether the condition is known before each of them and after the last.
  bool is_known = false;
  /// The state before each iteration, then that after the last.
  std::vector<KnownState> states;
  /// The depth of the outermost call one of whose operands was looked at (Dependences), known or
  /// not.
  size_t outermost_call_depth = Dependences::kNoCall;
};

/// Follows the integers of the state through the iterations, up to 16.
///
/// Example: (0, x) before `while`, with the condition i < 2 and the body (i, x) -> (i + 1,
/// reverse(x)) -> states (0, -), (1, -), (2, -)
LoopIterations FollowIterations(const hlo::Instruction& loop, const CallFrame* frame);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_LOOP_ITERATIONS_H_
