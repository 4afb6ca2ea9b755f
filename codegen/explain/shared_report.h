// The accesses of a kernel to shared memory: how many wavefronts they take, and how many they would
// have to.
//
// Example: XLA's transpose of f32[1024,1024] has a tile of 32 x 33 floats, which neither its stores
// nor its loads meet in one bank: 1.0 wavefronts per request, ideal 1.0.
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_SHARED_REPORT_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_SHARED_REPORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "codegen/plan/kernel_plan.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/bank_conflicts.h"
#include "layout/cute_algebra/swizzle.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::explain {

struct SharedAccessReport {
  /// Which tile of the plan, and which access of it.
  size_t tile = 0;
  size_t access = 0;
  indexing_analysis::BankConflicts conflicts;
};

/// Remembers bank conflicts: the layers of a model have the same tiles again and again.
/// `bench/README.md` has what that gains.
class BankConflictTable {
 public:
  /// What BankConflictsOf answers for blocks of so many threads. The maps of all tiles must be of
  /// one MLIRContext, which must outlive the table.
  std::optional<indexing_analysis::BankConflicts> Of(const plan::SharedTile& tile,
                                                     const plan::SharedAccess& access,
                                                     const std::array<int64_t, 3>& threads);

 private:
  // What the conflicts depend on.
  struct Key {
    indexing_analysis::IndexingMap index;
    llvm::SmallVector<int64_t, 4> strides;
    int64_t element_bits = 0;
    int64_t vector_elements = 1;
    std::array<int64_t, 3> threads = {};
    std::optional<layout::CuteSwizzle> swizzle;

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, std::optional<indexing_analysis::BankConflicts>, Hash> known_;
};

/// All accesses to tiles, in the order of the plan.
std::vector<SharedAccessReport> ReportSharedAccesses(const plan::KernelPlan& plan,
                                                     BankConflictTable& table);
/// The same of one kernel only.
std::vector<SharedAccessReport> ReportSharedAccesses(const plan::KernelPlan& plan);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_SHARED_REPORT_H_
