// How much of its operands an instruction reads: which elements, how often, and which not.
//
// Example: a fusion that adds the elements 0 to 7 and 2 to 9 of f32[10]:
//
//   IndexingAnalysis analysis(&context);
//   UtilizationAnalysis utilization(analysis);
//   for (const OperandUtilization& operand : utilization.OfInstruction(fusion)) use(operand);
//
// gives for its one operand: 10 of 10 elements, 40 bytes, in 16 reads. If it adds elements 0 and 3
// alone, the operand has 2 of 10 elements, 2 reads, and [1:3] and [4:10] are not read.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_UTILIZATION_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_UTILIZATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "hlo/shape.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/operand_array.h"
#include "indexing_analysis/queries/strided_boxes.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/Support/raw_ostream.h"
#include "support/printing.h"

namespace hlo_indexing::indexing_analysis {

struct UtilizationOptions {
  /// Where images are no strided boxes, elements are counted by a bit for each, up to so many: 8
  /// MiB.
  int64_t max_elements_with_bits = int64_t{1} << 26;
  /// How many points are tried, and words of bits moved, for one array before its count becomes a
  /// range; a point counts 16.
  int64_t max_work = int64_t{1} << 26;
  /// How many boxes the elements that are not read may have; beyond that they are only counted.
  size_t max_boxes = 4096;
  /// How many choices of values known at run time are tried.
  int64_t max_runtime_choices = 64;
};

/// What is read of one array of an operand. Where the maps are supersets or unknown, or values
/// known at run time decide, counts are ranges.
struct OperandUtilization {
  OperandArray array;
  const hlo::Shape* shape = nullptr;

  /// Different elements that are read, each counted once. Dynamic dimensions count with their
  /// bounds. Where devices read each other's arrays, an element is a place in the array, on
  /// whichever device.
  Image::Count elements_read;
  /// Reads in all: for each element of the output, one for each point of the domains of the maps.
  /// Where two values of ranges lead to one element, that counts for both. nullopt if nothing is
  /// known.
  std::optional<Image::Count> reads;
  /// What is read in no case, as boxes that share no element; nullopt if it is not known or these
  /// would be too many. All that is not read if `elements_read` is exact and no value known at run
  /// time decides which it is.
  std::optional<std::vector<StridedBox>> unread;
  /// Why `elements_read` is a range; empty if it is exact.
  std::string reason;

  bool IsExact() const { return elements_read.IsExact(); }
  /// Whether it is known how many elements are not read, but not for all of these which they are.
  /// Example: a dynamic-slice of half of an array
  bool UnreadDependsOnRuntime() const;
  /// The elements of the array.
  llvm::DynamicAPInt Elements() const { return llvm::DynamicAPInt(shape->num_elements()); }
  /// The bytes of the elements that are read, by the bits that each takes in memory, rounded up.
  Image::Count Bytes() const;

  /// Writes `operand 0: 2 of 10 elements, 8 bytes, 2 reads`, and a line of what is not read.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// Answers for instructions of modules, and remembers what is alike. The analysis must outlive it.
class UtilizationAnalysis {
 public:
  explicit UtilizationAnalysis(IndexingAnalysis& analysis, const UtilizationOptions& options = {});
  ~UtilizationAnalysis();
  UtilizationAnalysis(const UtilizationAnalysis&) = delete;
  UtilizationAnalysis& operator=(const UtilizationAnalysis&) = delete;

  /// What all outputs together read of each array of the operands, read or not, in order: an
  /// element that two outputs read counts once, its reads twice. Of the tuple that a
  /// get-tuple-element takes an element of, of the arrays of that element.
  std::vector<OperandUtilization> OfInstruction(const hlo::Instruction& instruction);

  /// The same of a computation by itself, by its root, of its parameters.
  std::vector<OperandUtilization> OfComputation(const hlo::Computation& computation);

  /// What one output array reads of the arrays of the operands that it depends on; all of them if
  /// nothing is known.
  std::vector<OperandUtilization> OfOutput(const hlo::Instruction& instruction,
                                           int64_t output_leaf);

 private:
  class Counter;
  std::unique_ptr<Counter> counter_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_UTILIZATION_H_
