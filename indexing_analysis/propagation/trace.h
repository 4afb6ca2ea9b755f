// What propagation does, step by step, for people.
//
// Example: the steps for  ROOT t = f32[3,2] transpose(n)  of a fusion's computation, where
// n = f32[2,3] negate(p)  and  p = f32[2,3] parameter(0):
//
//   depth 0  fusion  (d0, d1) -> (d0, d1)
//   depth 1  t       (d0, d1) -> (d0, d1)
//   depth 1  n       (d0, d1) -> (d1, d0)
//   depth 1  p       (d0, d1) -> (d1, d0)
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_TRACE_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::indexing_analysis {

class AccessSet;
struct CallFrame;
struct Query;

/// An array that accesses have reached: an instruction that propagation visits.
struct TraceStep {
  struct Access {
    /// How the elements of the output of the query reach the array: dimension variables are the
    /// index of the output, results that of the array. Simplified for people; propagation itself
    /// only tightens domains on the way. Unknown if nobody knows.
    OperandMap map;
    /// Why the array covers more than is read, or nothing is known; empty if the map is exact.
    std::string reason;
  };

  const hlo::Instruction* instruction = nullptr;
  /// Which array of its output.
  int64_t leaf = 0;
  /// How many computations it is nested in; 0 for the instruction of the query.
  size_t depth = 0;
  /// Whether a call, or a branch, has been reached like an earlier one, so that what that reads is
  /// known and its computation has no steps here.
  bool is_repeated = false;
  std::vector<Access> accesses;
};

/// The steps of a propagation, in the order in which they were taken: users before operands, the
/// instructions of a computation before the operands of its call. A loop's computations come once
/// for each iteration until a fixed point is found.
class Trace {
 public:
  void Add(const Query& query, const hlo::Instruction& instruction, int64_t leaf,
           const CallFrame* frame, const AccessSet& accesses);
  /// The same for all arrays of an output.
  void AddAll(const Query& query, const hlo::Instruction& instruction, const CallFrame* frame,
              llvm::ArrayRef<AccessSet> output);
  /// The call whose steps came last is propagated by its summary.
  void MarkRepeated(const hlo::Instruction& call);

  std::vector<TraceStep> TakeSteps() && { return std::move(steps_); }

 private:
  std::vector<TraceStep> steps_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_TRACE_H_
