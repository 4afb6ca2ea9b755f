#include "codegen/explain/cures.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "hlo/memory_layout.h"
#include "indexing_analysis/maps/layout_maps.h"
#include "layout/tiled_layout.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::explain {
namespace {

using indexing_analysis::Coalescing;
using indexing_analysis::IndexingMap;
using indexing_analysis::MemoryAccess;
using llvm::DynamicAPInt;

// The loads of one operand.
struct Loads {
  int64_t operand = 0;
  int64_t leaf = 0;
  llvm::SmallVector<const AccessReport*, 2> accesses;
};

std::vector<Loads> LoadsByOperand(llvm::ArrayRef<AccessReport> accesses) {
  std::vector<Loads> loads;
  for (const AccessReport& report : accesses) {
    if (!report.access.IsOfOperand()) continue;
    const auto known = llvm::find_if(loads, [&](const Loads& other) {
      return other.operand == report.access.operand && other.leaf == report.access.leaf;
    });
    Loads& of_operand = known != loads.end() ? *known : loads.emplace_back();
    of_operand.operand = report.access.operand;
    of_operand.leaf = report.access.leaf;
    of_operand.accesses.push_back(&report);
  }
  return loads;
}

// The sectors of the loads if the array had this layout; nullopt if they are not known.
std::optional<DynamicAPInt> SectorsIn(const Loads& loads, const layout::TiledLayout& layout,
                                      mlir::MLIRContext* context, CoalescingTable& table) {
  const IndexingMap positions = indexing_analysis::PositionMap(layout, context);
  DynamicAPInt sectors(0);
  for (const AccessReport* report : loads.accesses) {
    MemoryAccess access = report->access.access;
    access.position = Compose(report->access.element, positions);
    const std::optional<Coalescing> coalescing = table.Of(access);
    if (!coalescing.has_value()) return std::nullopt;
    sectors += coalescing->sectors.upper;
  }
  return sectors;
}

std::optional<LayoutCure> CureOf(const Loads& loads, mlir::MLIRContext* context,
                                 CoalescingTable& table) {
  const hlo::Shape& shape = *loads.accesses.front()->access.shape;
  const layout::Layout now = hlo::LayoutOrDefault(shape);
  if (shape.rank() < 2 || !now.HasOnlyOrder()) return std::nullopt;
  LayoutCure cure;
  cure.operand = loads.operand;
  cure.leaf = loads.leaf;
  bool has_waste = false;
  for (const AccessReport* report : loads.accesses) {
    if (!report->coalescing.has_value()) return std::nullopt;
    has_waste |= report->waste.reason != WasteReason::kNone;
    cure.sectors_now += report->coalescing->sectors.upper;
  }
  if (!has_waste) return std::nullopt;
  cure.sectors_then = cure.sectors_now;
  for (const int64_t dimension : llvm::ArrayRef(now.minor_to_major).drop_front()) {
    if (shape.sizes()[static_cast<size_t>(dimension)] == 1) continue;
    layout::Layout other = now;
    llvm::erase(other.minor_to_major, dimension);
    other.minor_to_major.insert(other.minor_to_major.begin(), dimension);
    const auto layout = layout::TiledLayout::Create(shape.sizes(), shape.StorageBits(), other);
    if (!layout.ok()) continue;
    const std::optional<DynamicAPInt> sectors = SectorsIn(loads, *layout, context, table);
    if (!sectors.has_value() || *sectors >= cure.sectors_then) continue;
    cure.sectors_then = *sectors;
    cure.minor_to_major.assign(other.minor_to_major.begin(), other.minor_to_major.end());
    // Read once, written once.
    cure.copy_bytes = 2 * layout->used_bytes();
  }
  if (cure.sectors_then * 4 > cure.sectors_now * 3) return std::nullopt;
  return cure;
}

}  // namespace

std::vector<LayoutCure> LayoutCures(llvm::ArrayRef<AccessReport> accesses,
                                    mlir::MLIRContext* context, CoalescingTable& table) {
  std::vector<LayoutCure> cures;
  for (const Loads& loads : LoadsByOperand(accesses)) {
    std::optional<LayoutCure> cure = CureOf(loads, context, table);
    if (cure.has_value()) cures.push_back(*std::move(cure));
  }
  return cures;
}

}  // namespace hlo_indexing::explain
