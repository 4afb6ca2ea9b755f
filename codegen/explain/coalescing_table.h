// Remembers the coalescing of accesses, and the bank conflicts of those to shared memory: the
// layers of a model launch the same kernels again and again. `bench/README.md` has what that gains.
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_COALESCING_TABLE_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_COALESCING_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "codegen/explain/shared_report.h"
#include "indexing_analysis/queries/coalescing.h"

namespace hlo_indexing::explain {

class CoalescingTable {
 public:
  CoalescingTable() = default;
  explicit CoalescingTable(const indexing_analysis::CoalescingOptions& options)
      : options_(options) {}

  /// What CoalescingOf answers. The maps of all accesses must be of one MLIRContext, which must
  /// outlive the table.
  std::optional<indexing_analysis::Coalescing> Of(const indexing_analysis::MemoryAccess& access);
  /// The same within a budget of lane accesses, from which it takes what it needs: what several
  /// accesses may need together. Beyond it counts are ranges. The answer depends on the access and
  /// the budget only.
  std::optional<indexing_analysis::Coalescing> Of(const indexing_analysis::MemoryAccess& access,
                                                  int64_t& budget);

  size_t size() const { return known_.size(); }

  BankConflictTable& bank_conflicts() { return bank_conflicts_; }

 private:
  struct Hash {
    size_t operator()(const indexing_analysis::MemoryAccess& access) const;
  };
  struct Equal {
    bool operator()(const indexing_analysis::MemoryAccess& a,
                    const indexing_analysis::MemoryAccess& b) const;
  };
  indexing_analysis::CoalescingOptions options_;
  std::unordered_map<indexing_analysis::MemoryAccess, std::optional<indexing_analysis::Coalescing>,
                     Hash, Equal>
      known_;
  BankConflictTable bank_conflicts_;
};

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_COALESCING_TABLE_H_
