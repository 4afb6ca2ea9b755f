// What has reached an array during propagation. Private to the folder.
//
// A dataflow fact is a set of accesses, each for some of the outputs of the query. Example: of
//
//   fusion = (f32[6,6], f32[6,6]) fusion(f32[6,6] p), outputs  e = exponential(p)  and
//                                                              t = transpose(e)
//
// whose outputs have the same sizes and are propagated together, p is reached by this set, in the
// dimensions of the outputs:
//
//   (d0, d1) -> (d0, d1) for {0}      (d0, d1) -> (d1, d0) for {1}
//
// Sets are joined by Add: equal accesses are one entry, for the outputs of both.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_ACCESS_SET_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_ACCESS_SET_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "hlo/module.h"
#include "indexing_analysis/propagation/access_interner.h"
#include "indexing_analysis/propagation/output_set.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::indexing_analysis {

/// The accesses that have reached one array. Entries whose accesses have the same content have no
/// output in common.
class AccessSet {
 public:
  /// An access, for these outputs.
  struct Entry {
    const BoundAccess* access = nullptr;
    /// Why it covers more than is read; empty if it does not.
    llvm::StringRef reason;
    OutputSet outputs = kNoOutputs;

    /// Writes `(d0) -> (7 - d0), domain: d0 in [0, 7] for {0, 2}`, and why it is a superset if it
    /// is.
    void Print(const OutputSets& sets, llvm::raw_ostream& out) const;
  };
  /// Outputs of which it is not known which elements they read, and why; they have no entries.
  struct Unknown {
    llvm::StringRef reason;
    OutputSet outputs = kNoOutputs;

    /// Writes `unknown for {1}: a dimension has no bound`.
    void Print(const OutputSets& sets, llvm::raw_ostream& out) const;
  };

  bool IsEmpty() const { return entries_.empty() && unknown_.empty(); }
  llvm::ArrayRef<Entry> entries() const { return entries_; }
  llvm::ArrayRef<Unknown> unknown() const { return unknown_; }

  /// The outputs of the entries.
  OutputSet Outputs(OutputSets& sets) const;
  /// Those with an access to another device.
  OutputSet OutputsWithDevice(OutputSets& sets) const;
  /// Those with more entries than that.
  OutputSet OutputsWithMoreThan(OutputSets& sets, size_t num_entries) const;
  /// Those whose entries have more runtime values than that, all together.
  OutputSet OutputsWithMoreValuesThan(OutputSets& sets, size_t num_values) const;

  /// Of an output that has the access already, an exact entry replaces an inexact one.
  void Add(OutputSets& sets, Entry entry);
  /// Replaces the entries of these outputs.
  void AddUnknown(OutputSets& sets, llvm::StringRef reason, OutputSet outputs);
  /// Joins another set to this one.
  void AddAll(OutputSets& sets, const AccessSet& other);
  /// Takes outputs away from the entries, which go when they have none left.
  void Remove(OutputSets& sets, OutputSet outputs);
  void Remove(OutputSets& sets, llvm::function_ref<OutputSet(const Entry&)> outputs_of);
  void ClearUnknown() { unknown_.clear(); }

  /// Writes a line for each entry, then one for each reason why nothing is known.
  void Print(const OutputSets& sets, llvm::raw_ostream& out) const;

 private:
  // Places of entries by the hash of their content, of as many as there were when it was looked at.
  struct PlacesByContent {
    llvm::DenseMap<size_t, llvm::SmallVector<size_t, 1>> places;
    size_t num_entries = 0;
  };
  // Made where entries are many, for one set: a copy begins without.
  class LazyPlaces {
   public:
    LazyPlaces() = default;
    LazyPlaces(LazyPlaces&&) = default;
    LazyPlaces& operator=(LazyPlaces&&) = default;
    LazyPlaces(const LazyPlaces& /*other*/) {}
    LazyPlaces& operator=(const LazyPlaces& other) {
      if (this != &other) places_.reset();
      return *this;
    }
    ~LazyPlaces() = default;

    PlacesByContent& Get() {
      if (places_ == nullptr) places_ = std::make_unique<PlacesByContent>();
      return *places_;
    }
    void Clear() { places_.reset(); }

   private:
    std::unique_ptr<PlacesByContent> places_;
  };

  OutputSet OutputsWithTotalAbove(OutputSets& sets, size_t limit,
                                  llvm::function_ref<size_t(const Entry&)> amount_of) const;
  void AddExact(OutputSets& sets, const Entry& entry);
  // Entries with the content of the access, in their order.
  llvm::SmallVector<Entry*, 2> WithContentOf(const BoundAccess& access);

  llvm::SmallVector<Entry, 2> entries_;
  llvm::SmallVector<Unknown, 0> unknown_;
  LazyPlaces places_;
};

/// The access sets of the arrays of one instruction's output, by number; empty as long as nothing
/// has reached any of them.
using AccessSets = llvm::SmallVector<AccessSet, 1>;

/// The set of array `leaf` of an output of that shape; makes the sets of all arrays if there are
/// none yet.
AccessSet& SetOfLeaf(AccessSets& arrays, const hlo::Shape& shape, int64_t leaf);

/// Joins the sets of the arrays of an output of that shape to others of the same arrays.
void AddAll(OutputSets& sets, const AccessSets& from, const hlo::Shape& shape, AccessSets& to);

/// Where the operands of an instruction, or the parameters of a computation, collect what reaches
/// them.
using OperandSets = llvm::function_ref<AccessSets*(size_t operand)>;

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_ACCESS_SET_H_
