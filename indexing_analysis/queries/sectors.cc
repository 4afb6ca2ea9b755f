#include "indexing_analysis/queries/sectors.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {

RequestSectors SectorsOf(llvm::MutableArrayRef<int64_t> offsets, int64_t width,
                         int64_t sector_bits) {
  RequestSectors result;
  if (offsets.empty()) return result;
  if (!llvm::is_sorted(offsets)) llvm::sort(offsets);
  int64_t bits = 0;
  int64_t end = offsets.front();
  int64_t last_sector = support::FloorDiv(offsets.front(), sector_bits) - 1;
  for (const int64_t offset : offsets) {
    bits += offset + width - std::max(end, offset);
    end = offset + width;
    const int64_t first = std::max(support::FloorDiv(offset, sector_bits), last_sector + 1);
    const int64_t last = support::FloorDiv(end - 1, sector_bits);
    if (last < first) continue;
    result.sectors += last - first + 1;
    last_sector = last;
  }
  result.ideal_sectors = support::CeilDiv(bits, sector_bits);
  return result;
}

}  // namespace hlo_indexing::indexing_analysis
