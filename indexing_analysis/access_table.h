// Accesses, one for each content: those that all questions of an analysis exchange, and those of
// one question. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_ACCESS_TABLE_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_ACCESS_TABLE_H_

#include <deque>
#include <map>
#include <utility>

#include "indexing_analysis/access.h"
#include "llvm/ADT/DenseMap.h"
#include "support/identified_set.h"

namespace hlo_indexing::indexing_analysis {

struct SharedAccess;

/// The runtime value of each question that is the number of the device that asks.
inline constexpr uint32_t kOwnDevice = 0;

/// A shared access with numbers for its runtime values, in ascending order. One that an AccessTable
/// has made is unique: in the analysis where there are no runtime values, else in the question.
struct PlacedAccess {
  const SharedAccess* shared = nullptr;
  llvm::SmallVector<uint32_t, 2> runtime;

  /// Whether the two differ in names and the order of printing at most.
  bool HasContentOf(const PlacedAccess& other) const;
  bool HasDevice() const;
};

/// An access that no context and no question owns: its runtime values are numbered from 0, whatever
/// they stand for, and every one is mentioned.
struct SharedAccess {
  Access access;
  size_t num_runtime = 0;
  /// Whether it holds so many marks or values that copying them at every rule would take long.
  bool is_large = false;
  /// The same for all that differ only in names and in the order in which range variables and
  /// runtime values print.
  const void* content = nullptr;
  /// Itself where there are no runtime values.
  PlacedAccess alone;
};

/// Copies of atoms in another context, of those without runtime values inside: what has been copied
/// before need not be copied again.
using AtomCopies = llvm::DenseMap<const simplifier::Atom*, const simplifier::Atom*>;

/// A context in which rules work on large accesses, one after the other.
struct LargeAccesses {
  DigitContext digits;
  AtomCopies from_shared;
  AtomCopies to_shared;
};

/// The accesses of an analysis.
class SharedAccesses {
 public:
  /// The same access, from any context, with what has been copied from there before.
  PlacedAccess Share(Access access, AtomCopies& copies);
  PlacedAccess Share(Access access) {
    AtomCopies copies;
    return Share(std::move(access), copies);
  }

 private:
  // What has the same content.
  struct Variants : support::IdentifiedNode {
    llvm::SmallVector<const SharedAccess*, 1> accesses;
  };

  DigitContext digits_;
  support::IdentifiedSet<Variants> contents_;
  std::deque<SharedAccess> accesses_;
};

/// The access in another context, with what has been copied to there before. In a new context the
/// form depends on nothing else.
Access CopyShared(DigitContext& digits, AtomCopies& copies, const PlacedAccess& access);
Access CopyShared(DigitContext& digits, const PlacedAccess& access);
/// With the numbers that the runtime values have in the shared access.
Access CopyShared(DigitContext& digits, const SharedAccess& shared);

/// The accesses of one question.
class AccessTable {
 public:
  const PlacedAccess* Intern(const SharedAccess& shared, llvm::ArrayRef<uint32_t> runtime);
  const PlacedAccess* Intern(const PlacedAccess& access) {
    return Intern(*access.shared, access.runtime);
  }

 private:
  std::map<std::pair<const SharedAccess*, llvm::SmallVector<uint32_t, 2>>, PlacedAccess>
      with_runtime_;
};

inline bool PlacedAccess::HasContentOf(const PlacedAccess& other) const {
  return this == &other || (shared->content == other.shared->content && runtime == other.runtime);
}
inline bool PlacedAccess::HasDevice() const { return shared->access.has_device; }

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_ACCESS_TABLE_H_
