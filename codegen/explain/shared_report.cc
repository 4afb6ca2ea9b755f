#include "codegen/explain/shared_report.h"

#include <utility>

#include "llvm/ADT/Hashing.h"

namespace hlo_indexing::explain {

using indexing_analysis::BankConflicts;

size_t BankConflictTable::Hash::operator()(const Key& key) const {
  return llvm::hash_combine(
      hash_value(key.index), llvm::hash_combine_range(key.strides.begin(), key.strides.end()),
      key.element_bits, key.vector_elements, key.threads[0], key.threads[1], key.threads[2]);
}

std::optional<BankConflicts> BankConflictTable::Of(const plan::SharedTile& tile,
                                                   const plan::SharedAccess& access,
                                                   const std::array<int64_t, 3>& threads) {
  const auto [known, is_new] = known_.try_emplace({access.index, tile.strides, tile.element_bits,
                                                   access.vector_elements, threads, tile.swizzle});
  if (is_new) {
    indexing_analysis::MemoryAccess memory;
    memory.position = tile.PositionOf(access);
    memory.threads = threads;
    memory.element_bits = tile.element_bits;
    memory.vector_elements = access.vector_elements;
    known->second = BankConflictsOf(memory, tile.swizzle);
  }
  return known->second;
}

std::vector<SharedAccessReport> ReportSharedAccesses(const plan::KernelPlan& plan,
                                                     BankConflictTable& table) {
  std::vector<SharedAccessReport> reports;
  for (size_t i = 0; i < plan.shared_tiles.size(); ++i) {
    const plan::SharedTile& tile = plan.shared_tiles[i];
    for (size_t j = 0; j < tile.accesses.size(); ++j) {
      std::optional<BankConflicts> conflicts =
          table.Of(tile, tile.accesses[j], plan.launch.threads);
      if (conflicts.has_value()) reports.push_back({i, j, *std::move(conflicts)});
    }
  }
  return reports;
}

std::vector<SharedAccessReport> ReportSharedAccesses(const plan::KernelPlan& plan) {
  BankConflictTable table;
  return ReportSharedAccesses(plan, table);
}

}  // namespace hlo_indexing::explain
