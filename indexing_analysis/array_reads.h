// Which arrays an array depends on, whatever their elements. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_ARRAY_READS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_ARRAY_READS_H_

#include <cstdint>
#include <tuple>
#include <utility>

#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/read_rules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::indexing_analysis {

/// What an array is read from.
struct ArrayReads {
  /// Operand arrays, as operand and array number.
  llvm::SmallVector<std::pair<size_t, int64_t>, 2> arrays;
  /// Whether what is read may lie on another device than the array.
  bool reaches_other_devices = false;
  /// Of an array that a loop hands on: whether it says when the loop ends, so that every element is
  /// read from what decides. Follows from the array, and tells no two sets of arrays apart.
  bool decides_when_loop_ends = false;

  friend bool operator<(const ArrayReads& a, const ArrayReads& b) {
    return std::tie(a.arrays, a.reaches_other_devices) <
           std::tie(b.arrays, b.reaches_other_devices);
  }
};

/// Finds the operand arrays that an array of an instruction's output is read from, through calls
/// and any number of iterations of loops, and remembers them.
class ArrayReadsFinder {
 public:
  /// For the instructions of a module that runs on so many devices.
  ArrayReadsFinder(mlir::MLIRContext* mlir_context, const AnalysisOptions& options,
                   const DeviceCounts& devices)
      : mlir_context_(mlir_context), options_(options), devices_(devices) {}

  /// Valid until the next question. *while with the body (x, y) -> (x + y, y), array 0 -> arrays 0
  /// and 1*
  const ArrayReads& ReadsOf(const hlo::Instruction& instruction, int64_t leaf) {
    return ReadsOf(instruction, leaf, /*call_depth=*/0);
  }

 private:
  class Sink;

  const ArrayReads& ReadsOf(const hlo::Instruction& instruction, int64_t leaf, int call_depth);
  const ArrayReads& ReadsOfCallee(const hlo::Computation& callee, int64_t leaf, int call_depth);
  ArrayReads FindReadsOfCallee(const hlo::Computation& callee, int64_t leaf, int call_depth);
  ArrayReads ReadsOfRule(const hlo::Instruction& instruction, int64_t leaf);
  ArrayReads ReadsOfConditional(const hlo::Instruction& conditional, int64_t leaf, int call_depth);
  ArrayReads ReadsOfAsyncStart(const hlo::Instruction& start, int64_t leaf, int call_depth);
  ArrayReads ReadsOfCalled(const hlo::Instruction& instruction, int64_t leaf, int call_depth);
  ArrayReads ReadsOfWhile(const hlo::Instruction& loop, int64_t leaf, int call_depth);

  const Access& WholeArray(const hlo::Shape& shape);

  mlir::MLIRContext* mlir_context_;
  const AnalysisOptions& options_;
  DeviceCounts devices_;
  DigitContext digits_;
  RuntimeTable table_;
  llvm::DenseMap<const hlo::Shape*, Access> wholes_;
  llvm::DenseMap<std::pair<const hlo::Instruction*, int64_t>, ArrayReads> instructions_;
  /// The arrays of the parameters that an array of a computation's root is read from.
  llvm::DenseMap<std::pair<const hlo::Computation*, int64_t>, ArrayReads> computations_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_ARRAY_READS_H_
