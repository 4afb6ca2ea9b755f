// Propagation through loops. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_LOOPS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_LOOPS_H_

#include <cstdint>
#include <optional>

#include "hlo/module.h"
#include "indexing_analysis/propagation/access_set.h"
#include "indexing_analysis/propagation/call_frame.h"
#include "indexing_analysis/propagation/loop_iterations.h"
#include "indexing_analysis/propagation/query.h"
#include "indexing_analysis/propagation/widening.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::indexing_analysis {

class Propagator;

/// The state after a loop reads the state before it after any number of iterations: a least fixed
/// point, which widening reaches after few steps.
///
/// Example: the body (i, x) -> (i + 1, reverse(x)) of f32[8] x, whose result x the identity has
/// reached. Iteration after iteration, going back in time, x is reached by (d0) -> (d0),
/// (d0) -> (7 - d0), and then by nothing new. i is read by what decides when the loop ends.
///
/// If counters say how often the loop runs, at most 16 times, each iteration is followed by itself,
/// from the last to the first (loop_iterations.h), if that shows exactly what is read: else all the
/// iterations would be work for nothing.
///
/// Loops with more than 300 instructions or 16 arrays, with a conditional or a further loop, and
/// loops in loops are propagated by arrays: an array that another one depends on counts as read
/// whole. So does one that is read by more than 4 accesses.
class LoopPropagation {
 public:
  LoopPropagation(Query& query, Widening& widening, Propagator& propagator)
      : query_(query), widening_(widening), propagator_(propagator) {}

  /// Adds what the accesses to the output of a `while` read to what has reached its operand.
  Dependences Propagate(const hlo::Instruction& loop, const AccessSets& output,
                        const CallFrame* frame, OperandSets operands);

 private:
  // The state is the tuple that the loop carries; what is new to it since the last iteration is
  // fresh.
  void PropagateByArrays(const hlo::Instruction& loop, const AccessSets& output,
                         llvm::ArrayRef<int64_t> leaves, OperandSets operands);
  Dependences PropagateByElement(const hlo::Instruction& loop, int64_t leaf,
                                 const AccessSet& accesses, const CallFrame* frame,
                                 OperandSets operands);
  std::optional<AccessSets> FollowEachIteration(const hlo::Instruction& loop,
                                                const LoopIterations& iterations, int64_t leaf,
                                                const AccessSet& accesses, const CallFrame* frame,
                                                Dependences& dependences);
  Dependences PropagateIteration(const hlo::Instruction& loop, const AccessSets& after,
                                 const CallFrame& inside, AccessSets& before);
  void JoinState(const AccessSet& found, const hlo::Shape& shape, AccessSet& state,
                 AccessSet& fresh);
  void WidenState(OutputSet outputs, const hlo::Shape& shape, AccessSet& state, AccessSet& fresh);
  void AddWholeArrayOfState(AccessSets& state, const hlo::Shape& shape, unsigned leaf,
                            llvm::StringRef reason, OutputSet executing_device,
                            OutputSet any_device);

  Query& query_;
  Widening& widening_;
  Propagator& propagator_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_LOOPS_H_
