// Sets of the outputs of a query. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_OUTPUT_SET_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_OUTPUT_SET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"
#include "support/printing.h"

namespace hlo_indexing::indexing_analysis {

using support::operator<<;
using support::PrintTo;

/// A set of outputs by its number in an OutputSets; equal sets have equal numbers.
using OutputSet = uint32_t;
inline constexpr OutputSet kNoOutputs = 0;

/// Interns sets of outputs, which are numbers below `num_outputs`.
/// Example: with OutputSets sets(3), sets.Union(sets.Single(0), sets.Single(2)) is the number of
/// {0, 2}, and sets.Difference(sets.All(), that) == sets.Single(1).
class OutputSets {
 public:
  explicit OutputSets(size_t num_outputs);

  size_t num_outputs() const { return num_outputs_; }
  OutputSet All() const { return kAll; }
  OutputSet Single(size_t output);
  OutputSet Of(llvm::SmallBitVector members);
  OutputSet Union(OutputSet a, OutputSet b);
  OutputSet Difference(OutputSet a, OutputSet b);
  OutputSet Intersection(OutputSet a, OutputSet b) { return Difference(a, Difference(a, b)); }
  const llvm::SmallBitVector& Members(OutputSet set) const { return sets_[set]; }

  /// Writes every set by its number: `0: {}, 1: {0, 1, 2}, 2: {0, 2}`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
  /// `{0, 2}`.
  std::string ToString(OutputSet set) const;

 private:
  static constexpr OutputSet kAll = 1;

  size_t num_outputs_;
  llvm::SmallVector<llvm::SmallBitVector, 2> sets_;
  llvm::DenseMap<llvm::SmallBitVector, OutputSet> numbers_;
};

/// A value that names its outputs by sets of a query, to be written with these.
/// Example: out << WithOutputs(sets, accesses)
template <typename T>
class WithOutputs {
 public:
  WithOutputs(const OutputSets& sets, const T& value) : sets_(sets), value_(value) {}

  void Print(llvm::raw_ostream& out) const { value_.Print(sets_, out); }
  std::string ToString() const { return support::ToString(*this); }

 private:
  const OutputSets& sets_;
  const T& value_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_OUTPUT_SET_H_
