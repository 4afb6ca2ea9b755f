#include "codegen/explain/shared_report.h"

#include <optional>
#include <utility>

namespace hlo_indexing::explain {

using indexing_analysis::BankConflicts;

std::vector<SharedAccessReport> ReportSharedAccesses(const plan::KernelPlan& plan) {
  std::vector<SharedAccessReport> reports;
  for (size_t i = 0; i < plan.shared_tiles.size(); ++i) {
    const plan::SharedTile& tile = plan.shared_tiles[i];
    for (size_t j = 0; j < tile.accesses.size(); ++j) {
      indexing_analysis::MemoryAccess access;
      access.position = tile.PositionOf(tile.accesses[j]);
      access.threads = plan.launch.threads;
      access.element_bits = tile.element_bits;
      access.vector_elements = tile.accesses[j].vector_elements;
      std::optional<BankConflicts> conflicts = BankConflictsOf(access, tile.swizzle);
      if (conflicts.has_value()) reports.push_back({i, j, *std::move(conflicts)});
    }
  }
  return reports;
}

}  // namespace hlo_indexing::explain
