// Which arrays an array depends on, whatever their elements. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_ARRAY_READS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_ARRAY_READS_H_

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/maps/operand_array.h"
#include "indexing_analysis/propagation/options.h"
#include "indexing_analysis/rules/read_context.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// The arrays that the elements of an array depend on.
struct ArrayReads {
  /// One may be there twice.
  llvm::SmallVector<OperandArray, 2> arrays;
  /// Whether what is read may lie on another device than the array.
  bool reaches_other_devices = false;
};

/// What the arrays of a loop's state depend on after any number of iterations: all of them on those
/// that decide, by the condition, when the loop ends, and each on the arrays of its group.
///
/// Example: while with the body (x, y, z) -> (x + 1, y + z, z) and a condition on x: x decides; the
/// group of y is {y, z}, that of z is {z}
struct LoopReads {
  /// Arrays that an array is read from apart from those that decide.
  struct Group {
    /// In ascending order.
    llvm::SmallVector<unsigned, 2> arrays;
    /// Whether what is read may lie on another device; that of what decides included.
    bool reaches_other_devices = false;
  };

  /// The arrays that say when the loop ends, and all that these are read from.
  llvm::BitVector deciding;
  /// Each set of arrays once.
  std::vector<Group> groups;
  /// For each array of the state the number of its group; that of an array that decides is empty.
  std::vector<size_t> group_of_array;
};

/// Finds the operand arrays that an array of an instruction's output is read from, through calls
/// and any number of iterations of loops. Memoizes what it finds of computations and loops.
class ArrayReadsFinder {
 public:
  /// For the instructions of a module that runs on so many devices.
  ArrayReadsFinder(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
                   const DeviceCounts& devices)
      : mlir_context_(mlir_context),
        options_(options),
        devices_(devices),
        is_memoized_(!options.disabled_memo_tables.IsDisabled(MemoTable::kArrayReads)) {}

  /// Example: while with the body (x, y) -> (x + y, y), array 0 -> arrays 0 and 1
  ArrayReads ReadsOf(const hlo::Instruction& instruction, int64_t leaf) {
    ArrayReads reads;
    FindReads(instruction, leaf, /*call_depth=*/0, reads);
    return reads;
  }
  /// Of a `while`.
  const LoopReads& ReadsOfLoop(const hlo::Instruction& loop) {
    return ReadsOfLoop(loop, /*call_depth=*/0);
  }

 private:
  class ComputationArrays;
  class Sink;

  void FindReads(const hlo::Instruction& instruction, int64_t leaf, int call_depth,
                 ArrayReads& reads);
  void FindReadsOfRule(const hlo::Instruction& instruction, int64_t leaf, ArrayReads& reads);
  void FindReadsOfConditional(const hlo::Instruction& conditional, int64_t leaf, int call_depth,
                              ArrayReads& reads);
  void FindReadsOfAsyncStart(const hlo::Instruction& start, int64_t leaf, int call_depth,
                             ArrayReads& reads);
  void FindReadsOfWhile(const hlo::Instruction& loop, int64_t leaf, int call_depth,
                        ArrayReads& reads);
  const LoopReads& ReadsOfLoop(const hlo::Instruction& loop, int call_depth);
  LoopReads FindReadsOfLoop(const hlo::Instruction& loop, int call_depth);
  llvm::ArrayRef<ArrayReads> ReadsOfCallee(const hlo::Computation& callee, int call_depth);
  std::vector<ArrayReads> FindReadsOfCallee(const hlo::Computation& callee, int call_depth);

  mlir::MLIRContext* mlir_context_;
  const AnalysisOptions& options_;
  DeviceCounts devices_;
  DigitContext digits_;
  RuntimeTable table_;
  bool is_memoized_;
  std::deque<LoopReads> loop_reads_;
  llvm::DenseMap<const hlo::Instruction*, const LoopReads*> loops_;
  /// For each array of a computation's root the arrays of the parameters that it is read from, as
  /// parameter and array number in ascending order.
  std::deque<std::vector<ArrayReads>> computation_reads_;
  llvm::DenseMap<const hlo::Computation*, const std::vector<ArrayReads>*> computations_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_ARRAY_READS_H_
