// What has reached an array while reads are followed: accesses, each for some of the outputs that
// are asked about. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_REACHED_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_REACHED_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/access_table.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::indexing_analysis {

/// A set of outputs by its number in an OutputSets; equal sets have equal numbers.
using OutputSet = uint32_t;
inline constexpr OutputSet kNoOutputs = 0;

/// Makes sets of outputs, which are numbers below `num_outputs`, and remembers what it has joined.
class OutputSets {
 public:
  explicit OutputSets(size_t num_outputs);

  size_t num_outputs() const { return num_outputs_; }
  OutputSet All() const { return all_; }
  OutputSet Single(size_t output);
  OutputSet Of(llvm::SmallBitVector members);
  OutputSet Union(OutputSet a, OutputSet b);
  OutputSet Difference(OutputSet a, OutputSet b);
  OutputSet Intersection(OutputSet a, OutputSet b) { return Difference(a, Difference(a, b)); }
  const llvm::SmallBitVector& Members(OutputSet set) const { return sets_[set]; }

 private:
  OutputSet Intern(llvm::SmallBitVector set);

  size_t num_outputs_;
  OutputSet all_ = 1;
  std::vector<llvm::SmallBitVector> sets_;
  llvm::DenseMap<llvm::SmallBitVector, OutputSet> numbers_;
  llvm::DenseMap<std::pair<OutputSet, OutputSet>, OutputSet> unions_;
  llvm::DenseMap<std::pair<OutputSet, OutputSet>, OutputSet> differences_;
};

/// An access that has reached an array, for these outputs.
struct Entry {
  const PlacedAccess* access;
  /// Why it covers more than is read; empty where it does not.
  llvm::StringRef reason;
  OutputSet outputs;
};

/// What has reached one array. Entries with accesses of the same content have no output in common.
struct Reached {
  llvm::SmallVector<Entry, 2> entries;
  /// Of which outputs it is not known which elements they read, and why; they have no entries.
  llvm::SmallVector<std::pair<llvm::StringRef, OutputSet>, 0> unknown;

  bool Any() const { return !entries.empty() || !unknown.empty(); }
};

/// The arrays of one instruction's output, by number; empty while nothing has reached it.
using ReachedLeaves = llvm::SmallVector<Reached, 1>;

/// Array `leaf` of an output of that shape, which is given its arrays where it has none yet.
Reached& LeafOf(ReachedLeaves& leaves, const hlo::Shape& shape, int64_t leaf);

/// The outputs that an access has reached the array for.
OutputSet OutputsOf(OutputSets& sets, const Reached& reached);
/// Those whose access reaches another device.
OutputSet OutputsWithDevice(OutputSets& sets, const Reached& reached);

/// For an output for which the access is there, an exact one takes the place of an inexact one.
void AddEntry(OutputSets& sets, Reached& target, Entry entry);
/// Takes the place of the entries of these outputs.
void AddUnknown(OutputSets& sets, Reached& target, llvm::StringRef reason, OutputSet outputs);
/// Adds all that has reached an array to what has reached another one.
void AddAll(OutputSets& sets, const Reached& from, Reached& to);
void AddAll(OutputSets& sets, const ReachedLeaves& from, const hlo::Shape& shape,
            ReachedLeaves& to);
/// Takes the entries of these outputs away.
void RemoveEntries(OutputSets& sets, Reached& reached, OutputSet outputs);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_REACHED_H_
