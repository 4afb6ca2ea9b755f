// Accesses, one object for each content: those that all queries of an analysis share, and those of
// one query. Private to the folder.
//
// Example: the access (d0, d1) -> (d0 + rt7, d1) of a query in which runtime value 7 is the start
// of a dynamic-slice is the interned access (d0, d1) -> (d0 + rt0, d1), which every query that
// slices along the first dimension shares, bound to the runtime values {7}.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_ACCESS_INTERNER_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_ACCESS_INTERNER_H_

#include <deque>
#include <map>
#include <utility>

#include "indexing_analysis/maps/access.h"
#include "llvm/ADT/DenseMap.h"
#include "support/identified_set.h"

namespace hlo_indexing::indexing_analysis {

struct InternedAccess;

/// The runtime value of every query that is the number of the executing device.
inline constexpr uint32_t kExecutingDevice = 0;

/// An interned access and the numbers that its runtime values have in a query, in ascending order.
/// One that BoundAccesses has made is unique: in the analysis if it has no runtime values, else in
/// the query.
struct BoundAccess {
  const InternedAccess* interned = nullptr;
  llvm::SmallVector<uint32_t, 2> runtime;

  /// Whether the two differ in names and the order of printing at most.
  bool HasContentOf(const BoundAccess& other) const;
  /// Whether the array of another device may be read.
  bool HasDevice() const;

  /// Writes the access with the runtime values of the query.
  /// Example: (d0, d1){rt7} -> (d0 + rt7, d1), domain: d0 in [0, 3], d1 in [0, 7]
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// More range variables, or runtime values, of one access are not followed: each further
/// instruction would copy and simplify them all, and a runtime value is written with its index.
inline constexpr size_t kMaxRangeVariables = 128;
inline constexpr size_t kMaxRuntimeValues = 32;

/// An access that no context and no query owns: its runtime values are numbered from 0, whatever
/// they stand for, and every one is mentioned.
struct InternedAccess {
  Access access;
  size_t num_runtime = 0;
  /// Whether it holds so many quotient variables or runtime values that copying them at every rule
  /// would take long.
  bool is_large = false;
  /// Whether its index is beyond what is followed: operations nest deeper than kMaxDepth in it, or
  /// it holds more than kMaxRangeVariables or kMaxRuntimeValues.
  bool is_beyond_limits = false;
  /// Whether an index has no upper end, as of an array whose size is not known.
  bool has_unbounded_index = false;
  /// The same for all that differ only in names and in the order in which range variables and
  /// runtime values print.
  const void* content = nullptr;
  /// Itself if it has no runtime values.
  BoundAccess unbound;
};

/// Copies of atoms in another context, of those without runtime values inside: what has been copied
/// before need not be copied again.
using AtomCopies = llvm::DenseMap<const simplifier::Atom*, const simplifier::Atom*>;

/// A context in which the rules work on the large accesses of a query, one after the other, so that
/// what these have in common is copied once and not at every instruction.
struct LargeAccesses {
  DigitContext digits;
  AtomCopies from_interned;
  AtomCopies to_interned;
};

/// The accesses of an analysis.
class AccessInterner {
 public:
  /// `large_accesses` says whether any access counts as large.
  explicit AccessInterner(bool large_accesses = true) : large_accesses_(large_accesses) {}

  /// The same access, from any context, with what has been copied from there before.
  BoundAccess Intern(Access access, AtomCopies& copies);
  BoundAccess Intern(Access access) {
    AtomCopies copies;
    return Intern(std::move(access), copies);
  }

  /// The element of an array of these sizes itself. Null if there is none.
  const InternedAccess* Identity(llvm::ArrayRef<int64_t> sizes);
  /// Every element of an array of these sizes, for every element that `identity` is of; on any of
  /// the devices unless there are 0. Null if there is none.
  const InternedAccess* WholeArray(const InternedAccess& identity, llvm::ArrayRef<int64_t> sizes,
                                   int64_t devices);

 private:
  // What has the same content.
  struct Variants : support::IdentifiedNode {
    llvm::SmallVector<const InternedAccess*, 1> accesses;
  };

  // An access whose sums are in `digits_` already, with runtime values numbered from 0.
  const InternedAccess& InternOwn(Access access, size_t num_runtime);

  bool large_accesses_;
  DigitContext digits_;
  support::IdentifiedSet<Variants> contents_;
  std::deque<InternedAccess> accesses_;
};

/// The access in another context, with what has been copied to there before. In a new context the
/// form depends on nothing else.
Access CopyTo(DigitContext& digits, AtomCopies& copies, const BoundAccess& access);
Access CopyTo(DigitContext& digits, const BoundAccess& access);
/// With the numbers that the runtime values have in the interned access.
Access CopyTo(DigitContext& digits, const InternedAccess& interned);

/// The accesses of one query.
class BoundAccesses {
 public:
  const BoundAccess* Bind(const InternedAccess& interned, llvm::ArrayRef<uint32_t> runtime);
  const BoundAccess* Bind(const BoundAccess& access) {
    return Bind(*access.interned, access.runtime);
  }

 private:
  std::map<std::pair<const InternedAccess*, llvm::SmallVector<uint32_t, 2>>, BoundAccess>
      with_runtime_;
};

inline bool BoundAccess::HasContentOf(const BoundAccess& other) const {
  if (this == &other) return true;
  if (interned->content != other.interned->content) return false;
  // Of thousands of accesses by values of their own, the last ones differ.
  if (!runtime.empty() && !other.runtime.empty() && runtime.back() != other.runtime.back()) {
    return false;
  }
  return runtime == other.runtime;
}
inline bool BoundAccess::HasDevice() const { return interned->access.has_device; }

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_ACCESS_INTERNER_H_
