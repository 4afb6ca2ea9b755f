#include "indexing_analysis/queries/coalescing.h"

#include <algorithm>
#include <utility>

#include "indexing_analysis/queries/distinct_sectors.h"
#include "indexing_analysis/queries/known_values.h"
#include "indexing_analysis/queries/sectors.h"
#include "indexing_analysis/queries/warp_requests.h"
#include "support/checked_math.h"
#include "support/to_double.h"

namespace hlo_indexing::indexing_analysis {
double Coalescing::Efficiency() const {
  if (sectors.upper == 0) return 1;
  return support::RatioOf(ideal_sectors.upper, sectors.upper);
}

void Coalescing::Print(llvm::raw_ostream& out) const {
  const auto write = [&](const char* name, const Image::Count& count) {
    out << name << count.lower;
    if (!count.IsExact()) out << " to " << count.upper;
  };
  write("requests: ", requests);
  write(", sectors: ", sectors);
  write(", ideal: ", ideal_sectors);
  write(", distinct: ", distinct_sectors);
  out << ", vector: " << vector_bytes << " bytes";
  if (lane_stride_bits.has_value()) out << ", stride: " << *lane_stride_bits << " bits";
}

std::optional<Coalescing> CoalescingOf(const MemoryAccess& access,
                                       const CoalescingOptions& options) {
  if (access.position.IsUnknown()) return std::nullopt;
  Coalescing result;
  if (access.position.IsKnownEmpty()) return result;
  const int64_t sector_bits = options.sector_bytes * 8;
  const auto cost = [&](llvm::ArrayRef<int64_t> /*lanes*/, llvm::MutableArrayRef<int64_t> offsets,
                        int64_t width) { return SectorsOf(offsets, width, sector_bits); };
  WarpRequests requests = CountRequests(
      access, options, {cost, /*period_bits=*/sector_bits, /*unit_bits=*/sector_bits});
  if (requests.is_empty) return result;
  result.vector_elements = requests.vector_elements;
  result.vector_bytes = requests.vector_elements * access.element_bits / 8;
  result.distinct_sectors =
      options.counts_distinct_sectors
          ? DistinctSectorsOf(access, sector_bits)
          : Image::Count{llvm::DynamicAPInt(0), llvm::DynamicAPInt(support::kInt64Max)};
  if (access.num_positions > 0) {
    const llvm::DynamicAPInt of_array =
        llvm::ceilDiv(llvm::DynamicAPInt(access.num_positions) * access.element_bits,
                      llvm::DynamicAPInt(sector_bits));
    result.distinct_sectors.upper = std::min(result.distinct_sectors.upper, of_array);
  }
  result.requests = requests.totals.requests;
  result.sectors = requests.totals.sectors;
  result.ideal_sectors = requests.totals.ideal_sectors;
  result.lane_stride_bits = requests.totals.lane_stride_bits;
  result.reason = std::move(requests.totals.reason);
  result.lane_accesses = requests.totals.lane_accesses;
  result.is_cut = requests.totals.is_cut;
  if (AreValuesKnown(access)) CountWithKnownValues(access, options, result);
  for (Image::Count* count : {&result.requests, &result.sectors, &result.ideal_sectors}) {
    count->lower *= access.repetitions;
    count->upper *= access.repetitions;
  }
  if (access.is_alternative && result.vector_elements == 1) {
    for (Image::Count* count :
         {&result.requests, &result.sectors, &result.ideal_sectors, &result.distinct_sectors}) {
      count->lower = 0;
    }
    if (result.reason.empty()) result.reason = "a select may load its other operand instead";
  }
  return result;
}

}  // namespace hlo_indexing::indexing_analysis
