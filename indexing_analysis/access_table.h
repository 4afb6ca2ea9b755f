// Accesses, one for each content: those of one context, and those that contexts exchange. Private
// to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_ACCESS_TABLE_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_ACCESS_TABLE_H_

#include <map>
#include <utility>

#include "indexing_analysis/access.h"
#include "llvm/ADT/DenseMap.h"
#include "support/identified_set.h"

namespace hlo_indexing::indexing_analysis {

/// An access, unique in its table.
struct UniqueAccess : support::IdentifiedNode {
  Access access;
  /// The same in SharedAccesses; null where it cannot be shared.
  const UniqueAccess* shared = nullptr;
};

/// Accesses that consist of digits of variables and runtime values, unique in an analysis, whose
/// questions are followed in contexts of their own. Runtime value i of a shared access is number i,
/// whatever it stands for.
class SharedAccesses {
 public:
  /// Null where the access holds more than that.
  const UniqueAccess* Share(const Access& access);

 private:
  DigitContext digits_;
  support::IdentifiedSet<UniqueAccess> accesses_;
};

/// A shared access in another context, with these numbers for its runtime values.
Access CopyShared(DigitContext& digits, const UniqueAccess& shared,
                  llvm::ArrayRef<uint32_t> runtime);

/// The accesses of one context.
class AccessTable {
 public:
  AccessTable(DigitContext& digits, SharedAccesses& shared_accesses)
      : digits_(digits), shared_accesses_(shared_accesses) {}

  /// Range variables, runtime values and names in their order of printing do not tell accesses
  /// apart.
  const UniqueAccess* Intern(Access access);
  /// The access of this table for a shared one with these numbers for its runtime values.
  const UniqueAccess* FromShared(const UniqueAccess& shared, llvm::ArrayRef<uint32_t> runtime);

 private:
  const UniqueAccess* AddShared(const UniqueAccess& shared, llvm::ArrayRef<uint32_t> runtime);
  std::pair<UniqueAccess*, bool> Insert(Access access);

  DigitContext& digits_;
  SharedAccesses& shared_accesses_;
  support::IdentifiedSet<UniqueAccess> accesses_;
  /// Of those without runtime values, and of those with.
  llvm::DenseMap<const UniqueAccess*, const UniqueAccess*> of_shared_;
  std::map<std::pair<const UniqueAccess*, llvm::SmallVector<uint32_t, 2>>, const UniqueAccess*>
      with_runtime_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_ACCESS_TABLE_H_
