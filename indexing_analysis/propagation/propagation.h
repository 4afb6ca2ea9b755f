// Propagates accesses from output arrays of an instruction back to its operands, through the
// computations that it calls. Private to the folder.
//
// It is a backward dataflow analysis: the facts are access sets (access_set.h), the transfer
// functions read rules (transfer.h), joins happen at operands with several users. Example:
//
//   fused {                                                   reached, users before operands:
//     p = f32[6,4] parameter(0)                               4. {(d0, d1) -> (d1, d0),
//                                                                 (d0, d1) -> (d1, 3 - d0)}
//     r = f32[6,4] reverse(p), dimensions={1}                 3. {(d0, d1) -> (d1, d0)}
//     a = f32[6,4] add(p, r)                                  2. {(d0, d1) -> (d1, d0)}
//     ROOT t = f32[4,6] transpose(a), dimensions={1,0}        1. {(d0, d1) -> (d0, d1)}
//   }
//
// What has reached p is what has reached the operand of the fusion. `maps --trace` prints this.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_PROPAGATION_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_PROPAGATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/propagation/access_set.h"
#include "indexing_analysis/propagation/array_reads.h"
#include "indexing_analysis/propagation/call_frame.h"
#include "indexing_analysis/propagation/calls.h"
#include "indexing_analysis/propagation/loops.h"
#include "indexing_analysis/propagation/map_writer.h"
#include "indexing_analysis/propagation/options.h"
#include "indexing_analysis/propagation/query.h"
#include "indexing_analysis/propagation/transfer.h"
#include "indexing_analysis/propagation/widening.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// Straight-line propagation: visits the instructions of a computation once, users before operands,
/// each with all the accesses that have reached it. Equal accesses are one, so that a graph costs
/// about as much as it has edges, not paths.
class Propagator {
 public:
  explicit Propagator(Query& query);

  /// Propagates what has reached the arrays of the root back to the parameters.
  Dependences PropagateComputation(const hlo::Computation& computation, AccessSets root,
                                   const CallFrame& frame, OperandSets parameters);

  /// The same from any instruction of a computation, on all ways that do not lead through
  /// `available`: what these read is not followed, and what has reached them goes to `parameters`,
  /// numbered behind the parameters. `frame` is null in the computation of the query.
  Dependences PropagateToParameters(const hlo::Instruction& start, AccessSets accesses,
                                    llvm::ArrayRef<const hlo::Instruction*> available,
                                    const CallFrame* frame, OperandSets parameters);

  /// Adds what the accesses to an instruction's output read to what has reached its operands. First
  /// `output` is widened, and what is unknown of it is taken away. `frame` is null for the
  /// instruction of the query.
  Dependences PropagateInstruction(const hlo::Instruction& instruction, AccessSets& output,
                                   const CallFrame* frame, OperandSets operands);

  /// Every element that `accesses` reach depends on one scalar, as on the condition of a loop: adds
  /// how they reach that.
  void AddScalarAccesses(const AccessSet& accesses, AccessSet& scalar);

  /// Whether so many more computations may be nested in `frame`.
  bool MayNest(const CallFrame* frame, size_t depth) const;

  /// See Widening.
  void WidenOperandOfNestedCall(const hlo::Shape& shape, AccessSets& arrays);
  /// For the end of a propagation: see Widening.
  void RemoveSubsumed(AccessSets& arrays, const hlo::Shape& shape);
  void RestrictToArrays(AccessSets& arrays, const hlo::Shape& shape);

 private:
  Dependences PropagateControlFlow(const hlo::Instruction& instruction, const AccessSets& output,
                                   const CallFrame* frame, OperandSets operands);
  void PropagateByArrays(const hlo::Instruction& instruction, const AccessSets& output,
                         OperandSets operands);
  void PropagateUnknown(const hlo::Instruction& instruction, int64_t leaf,
                        const AccessSet& accesses, OperandSets operands);

  Query& query_;
  Widening widening_;
  TransferFunctions transfer_;
  CallPropagation calls_;
  LoopPropagation loops_;
};

/// What the elements of some output arrays of an instruction read, which have the same sizes: they
/// are propagated together, as they mostly read the same things.
class Propagation {
 public:
  /// `array_reads` is for the instruction's module, which runs on so many devices. `trace` may be
  /// null.
  Propagation(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
              PropagationMemory& memory, ArrayReadsFinder& array_reads, const DeviceCounts& devices,
              const hlo::Instruction& instruction, llvm::ArrayRef<int64_t> output_leaves,
              Trace* trace);

  /// Back to `inputs`: the parameters of the instruction's own computation, then instructions of it
  /// whose operands are not followed. The list must live as long as this.
  struct ToParameters {};
  Propagation(ToParameters, mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
              PropagationMemory& memory, ArrayReadsFinder& array_reads, const DeviceCounts& devices,
              const hlo::Instruction& instruction, int64_t output_leaf,
              llvm::ArrayRef<const hlo::Instruction*> inputs);

  /// What has reached the operands, or the parameters. Valid as long as this object, which must not
  /// be moved.
  OperandAccesses accesses() const {
    return {instruction_, output_leaves_,        query_.outputs,        inputs_,
            reached_,     query_.values.table(), query_.devices.Count()};
  }

  /// Whether the maps depend on which instruction gives an operand's value, so that they are not
  /// those of equal instructions.
  bool depends_on_values() const { return dependences_.OnValuesGivenTo(/*call_depth=*/1); }

 private:
  Propagation(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
              PropagationMemory& memory, ArrayReadsFinder& array_reads, const DeviceCounts& devices,
              const hlo::Instruction& instruction, llvm::ArrayRef<int64_t> output_leaves,
              llvm::ArrayRef<const hlo::Instruction*> inputs, Trace* trace);
  // The accesses to the outputs themselves; none if these have no elements.
  AccessSets Start();
  void Finish(Propagator& propagator);

  const hlo::Instruction& instruction_;
  // Where propagation ends: the operands, or the parameters.
  llvm::ArrayRef<const hlo::Instruction*> inputs_;
  llvm::SmallVector<int64_t, 1> output_leaves_;
  Query query_;
  // By input.
  llvm::SmallVector<AccessSets, 2> reached_;
  Dependences dependences_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_PROPAGATION_H_
