#include "indexing_analysis/queries/coalescing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "indexing_analysis/queries/distinct_sectors.h"
#include "indexing_analysis/queries/known_values.h"
#include "indexing_analysis/queries/runtime_choices.h"
#include "indexing_analysis/queries/sectors.h"
#include "indexing_analysis/queries/warp_requests.h"
#include "llvm/ADT/STLExtras.h"
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

namespace {

// If values known at run time only decide whether an element is accessed, not where it is: the
// access without these conditions, which has all elements of any choice.
std::optional<MemoryAccess> WithoutRuntimeConditions(const MemoryAccess& access) {
  const IndexingMap& map = access.position;
  if (map.num_runtime() == 0) return std::nullopt;
  const auto mentions_runtime = [&](mlir::AffineExpr expression) {
    for (size_t i = map.num_ranges(); i < map.num_ranges() + map.num_runtime(); ++i) {
      if (expression.isFunctionOfSymbol(static_cast<unsigned>(i))) return true;
    }
    return false;
  };
  if (llvm::any_of(map.affine_map().getResults(), mentions_runtime)) return std::nullopt;
  std::vector<MapConstraint> constraints;
  for (const MapConstraint& constraint : map.constraints()) {
    if (!mentions_runtime(constraint.expression)) constraints.push_back(constraint);
  }
  MemoryAccess without = access;
  without.repetitions = 1;
  without.position = IndexingMap(
      mlir::AffineMap::get(map.affine_map().getNumDims(), static_cast<unsigned>(map.num_ranges()),
                           map.affine_map().getResults(), map.context()),
      map.dimensions(), map.ranges(), {}, constraints);
  return without;
}

// The access takes no more than without conditions on values.
void BoundByUnconditional(const MemoryAccess& access, const CoalescingOptions& options,
                          Coalescing& coalescing) {
  const std::optional<MemoryAccess> without = WithoutRuntimeConditions(access);
  if (!without.has_value()) return;
  const std::optional<Coalescing> most = CoalescingOf(*without, options);
  if (!most.has_value() || most->vector_elements != coalescing.vector_elements) return;
  const auto bound = [](Image::Count& count, const Image::Count& by) {
    count.upper = std::min(count.upper, by.upper);
  };
  bound(coalescing.requests, most->requests);
  bound(coalescing.sectors, most->sectors);
  bound(coalescing.ideal_sectors, most->ideal_sectors);
  coalescing.lane_accesses += most->lane_accesses;
}

// There are no more different sectors than all requests touch; and where values decide, as few as
// they leave.
void BoundDistinctSectors(const MemoryAccess& access, int64_t sector_bits, Coalescing& coalescing) {
  Image::Count& distinct = coalescing.distinct_sectors;
  distinct.upper = std::min(distinct.upper, coalescing.sectors.upper);
  const bool depends_on_values = access.position.num_runtime() > 0;
  if (depends_on_values && coalescing.sectors.lower == 0) {
    distinct.lower = 0;
  } else if (depends_on_values) {
    const Image::Count elements = ReachForAnyChoice(access.position).elements;
    const llvm::DynamicAPInt least =
        llvm::ceilDiv(elements.lower * access.element_bits, llvm::DynamicAPInt(sector_bits));
    distinct.lower = std::max(least, llvm::DynamicAPInt(1));
  }
  distinct.lower = std::min(distinct.lower, distinct.upper);
  if (!coalescing.reason.empty() || coalescing.IsExact()) return;
  coalescing.reason = depends_on_values
                          ? "which sectors are the same depends on values known at run time only"
                          : "how many sectors are the same is not known exactly";
}

}  // namespace

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
  result.counts_distinct_sectors = options.counts_distinct_sectors;
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
  const bool is_counted = AreValuesKnown(access) && CountWithKnownValues(access, options, result);
  if (!result.IsTrafficExact()) BoundByUnconditional(access, options, result);
  if (!is_counted) BoundDistinctSectors(access, sector_bits, result);
  for (Image::Count* count : {&result.requests, &result.sectors, &result.ideal_sectors}) {
    count->lower *= access.repetitions;
    count->upper *= access.repetitions;
  }
  return result;
}

}  // namespace hlo_indexing::indexing_analysis
