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

/// A shared access with numbers for its runtime values, in ascending order. One that an AccessTable
/// has made is unique in it.
struct PlacedAccess {
  const SharedAccess* shared = nullptr;
  llvm::SmallVector<uint32_t, 2> runtime;

  bool HasDevice() const;
  /// In the context of the shared access.
  llvm::ArrayRef<Sum> Index() const;
};

/// An access that no context and no question owns: its runtime values are numbered from 0, whatever
/// they stand for, and every one is mentioned.
struct SharedAccess {
  Access access;
  size_t num_runtime = 0;
  /// The same for all that differ only in names and in the order in which range variables and
  /// runtime values print.
  const void* content = nullptr;
  /// Itself where there are no runtime values.
  PlacedAccess alone;
};

/// The accesses of an analysis.
class SharedAccesses {
 public:
  /// The same access, from any context.
  PlacedAccess Share(Access access);

 private:
  // What has the same content.
  struct Variants : support::IdentifiedNode {
    llvm::SmallVector<const SharedAccess*, 1> accesses;
  };

  DigitContext digits_;
  support::IdentifiedSet<Variants> contents_;
  std::deque<SharedAccess> accesses_;
};

/// The access in another context. The form depends on nothing else that the context holds, if it is
/// new.
Access CopyShared(DigitContext& digits, const SharedAccess& shared,
                  llvm::ArrayRef<uint32_t> runtime);
inline Access CopyShared(DigitContext& digits, const PlacedAccess& access) {
  return CopyShared(digits, *access.shared, access.runtime);
}
/// With the numbers that the runtime values have in the shared access.
Access CopyShared(DigitContext& digits, const SharedAccess& shared);

/// The accesses of one question: of those with the same content the first.
class AccessTable {
 public:
  const PlacedAccess* Intern(const SharedAccess& shared, llvm::ArrayRef<uint32_t> runtime);
  const PlacedAccess* Intern(const PlacedAccess& access) {
    return Intern(*access.shared, access.runtime);
  }

 private:
  llvm::SmallDenseMap<const void*, const PlacedAccess*, 8> without_runtime_;
  std::map<std::pair<const void*, llvm::SmallVector<uint32_t, 2>>, PlacedAccess> with_runtime_;
};

inline bool PlacedAccess::HasDevice() const { return shared->access.has_device; }
inline llvm::ArrayRef<Sum> PlacedAccess::Index() const { return shared->access.Index(); }

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_ACCESS_TABLE_H_
