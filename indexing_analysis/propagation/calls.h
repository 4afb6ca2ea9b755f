// Propagation through computations that run once: calls, fusions, asynchronous starts and branches.
// Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALLS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALLS_H_

#include <cstdint>
#include <optional>

#include "hlo/module.h"
#include "indexing_analysis/propagation/access_set.h"
#include "indexing_analysis/propagation/call_frame.h"
#include "indexing_analysis/propagation/call_summary.h"
#include "indexing_analysis/propagation/query.h"

namespace hlo_indexing::indexing_analysis {

class Propagator;

/// A computation that is propagated through counts as so many applications of a rule: about the
/// time that its frame, its sets and its numbering take.
inline constexpr int64_t kStepsOfCall = 100;

/// Example: of  call(x, y), to_apply=f  with  f(p, q) = p + transpose(q), whose output the identity
/// has reached, f is propagated through from its root and its summary says that parameter p is
/// reached by (d0, d1) -> (d0, d1) and q by (d0, d1) -> (d1, d0). That is added to x and y, and
/// memoized for the next call of f that the identity reaches.
class CallPropagation {
 public:
  CallPropagation(Query& query, Propagator& propagator);

  /// Adds what the accesses to the output of a call or fusion read to what has reached the
  /// operands. `frame` is null for the instruction of the query.
  Dependences PropagateCall(const hlo::Instruction& call, const hlo::Computation& callee,
                            const AccessSets& result, const CallFrame* frame, OperandSets operands);
  Dependences PropagateAsyncStart(const hlo::Instruction& start, const AccessSets& output,
                                  const CallFrame* frame, OperandSets operands);
  Dependences PropagateConditional(const hlo::Instruction& conditional, const AccessSets& output,
                                   const CallFrame* frame, OperandSets operands);

 private:
  // `operands` are those that the parameters of the computation stand for.
  Dependences PropagateCallee(const hlo::Computation& callee, const AccessSets& result,
                              const CallFrame& inside, size_t num_operands, OperandSets operands);
  Dependences AddCallee(const hlo::Computation& callee, const AccessSets& result,
                        const CallFrame& inside, size_t num_operands, OperandSets operands);
  CallSummary Summarize(const hlo::Computation& callee, const AccessSets& result,
                        const CallFrame& inside, size_t num_operands);
  static void MemoizeUnknown(const CallSummary& summary, const CallNumbering& numbering,
                             const CallFrame& inside, MemoizedCall& shared);
  static bool IsKnownEverywhere(const MemoizedCall& call);
  bool AddMemoized(const MemoizedCall& call, const hlo::Computation& callee,
                   const CallNumbering& numbering, const CallFrame& inside, OperandSets operands);

  Query& query_;
  Propagator& propagator_;
  // Of summaries that hold for this query only. Made at the first call: most queries have none.
  std::optional<CallSummaries> own_summaries_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALLS_H_
