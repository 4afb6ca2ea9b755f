#include "indexing_analysis/queries/known_values.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "indexing_analysis/queries/sectors.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;

constexpr int64_t kWarpSize = 32;
constexpr size_t kNumThreads = 3;
constexpr size_t kNumGrid = 6;

// Which range variables matter: others are loops that an invariant access leaves.
std::vector<bool> UsedRanges(const IndexingMap& map) {
  std::vector<bool> used(map.num_ranges());
  const auto look_at = [&](mlir::AffineExpr expression) {
    for (size_t i = 0; i < used.size(); ++i) {
      if (expression.isFunctionOfSymbol(static_cast<unsigned>(i))) used[i] = true;
    }
  };
  for (const mlir::AffineExpr result : map.affine_map().getResults()) look_at(result);
  for (const MapConstraint& constraint : map.constraints()) look_at(constraint.expression);
  for (const RuntimeVariable& value : map.runtime()) {
    for (const mlir::AffineExpr result : value.index.affine_map().getResults()) look_at(result);
  }
  return used;
}

// Goes over blocks, iterations and warps.
class Counter {
 public:
  Counter(const MemoryAccess& access, int64_t vector_elements, int64_t sector_bits)
      : access_(access),
        map_(access.position),
        vector_elements_(vector_elements),
        sector_bits_(sector_bits),
        used_(UsedRanges(map_)),
        dimensions_(map_.num_dimensions()),
        symbols_(map_.num_ranges() + map_.num_runtime()) {}

  // Lanes of all warps in all iterations; nullopt if they do not fit 64 bits.
  std::optional<int64_t> NumLaneAccesses() const {
    std::optional<int64_t> count = 1;
    const auto times = [&](int64_t factor) {
      if (count.has_value()) count = support::CheckedMul(*count, factor);
    };
    for (const int64_t threads : access_.threads) times(threads);
    for (size_t i = kNumThreads; i < dimensions_.size(); ++i) {
      times(map_.dimensions()[i].bounds.upper - map_.dimensions()[i].bounds.lower + 1);
    }
    for (size_t i = 0; i < used_.size(); ++i) times(NumIterations(i));
    return count;
  }

  // False if a value is not there.
  bool Count() {
    for (size_t i = 0; i < map_.num_ranges(); ++i) symbols_[i] = map_.ranges()[i].bounds.lower;
    return CountBlocks(kNumThreads);
  }

  DynamicAPInt requests = DynamicAPInt(0);
  DynamicAPInt sectors = DynamicAPInt(0);
  DynamicAPInt ideal_sectors = DynamicAPInt(0);
  DynamicAPInt DistinctSectors() const {
    return DynamicAPInt(static_cast<int64_t>(distinct_.size()));
  }

 private:
  int64_t NumIterations(size_t range) const {
    if (!used_[range]) return 1;
    const Interval bounds = map_.ranges()[range].bounds;
    const int64_t size = bounds.upper - bounds.lower + 1;
    return range + 1 == used_.size() ? support::CeilDiv(size, vector_elements_) : size;
  }

  bool CountBlocks(size_t dimension) {
    if (dimension == dimensions_.size()) return CountLoops(0);
    const Interval bounds = map_.dimensions()[dimension].bounds;
    for (int64_t i = bounds.lower; i <= bounds.upper; ++i) {
      dimensions_[dimension] = i;
      if (!CountBlocks(dimension + 1)) return false;
    }
    return true;
  }

  bool CountLoops(size_t range) {
    if (range == map_.num_ranges()) return CountWarps();
    const int64_t lower = map_.ranges()[range].bounds.lower;
    const int64_t step = range + 1 == map_.num_ranges() ? vector_elements_ : 1;
    for (int64_t i = 0; i < NumIterations(range); ++i) {
      symbols_[range] = lower + i * step;
      if (!CountLoops(range + 1)) return false;
    }
    symbols_[range] = lower;
    return true;
  }

  bool CountWarps() {
    const auto& sizes = access_.threads;
    const int64_t threads = sizes[0] * sizes[1] * sizes[2];
    for (int64_t first = 0; first < threads; first += kWarpSize) {
      offsets_.clear();
      for (int64_t thread = first; thread < std::min(first + kWarpSize, threads); ++thread) {
        dimensions_[0] = thread % sizes[0];
        dimensions_[1] = thread / sizes[0] % sizes[1];
        dimensions_[2] = thread / (sizes[0] * sizes[1]);
        if (!AddLane()) return false;
      }
      if (offsets_.empty()) continue;
      const int64_t width = access_.element_bits * vector_elements_;
      for (const int64_t offset : offsets_) {
        const int64_t last = support::FloorDiv(offset + width - 1, sector_bits_);
        for (int64_t s = support::FloorDiv(offset, sector_bits_); s <= last; ++s) {
          distinct_.insert(s);
        }
      }
      const RequestSectors request = SectorsOf(offsets_, width, sector_bits_);
      requests += DynamicAPInt(1);
      sectors += DynamicAPInt(request.sectors);
      ideal_sectors += DynamicAPInt(request.ideal_sectors);
    }
    return true;
  }

  bool AddLane() {
    const size_t num_ranges = map_.num_ranges();
    for (size_t i = 0; i < map_.num_runtime(); ++i) {
      const RuntimeVariable& variable = map_.runtime()[i];
      const KnownArray& array = *access_.known_arrays[i];
      const auto index = variable.index.Evaluate(
          dimensions_, llvm::ArrayRef<int64_t>(symbols_).take_front(variable.index.num_ranges()));
      if (!index.has_value() || index->size() != array.sizes.size()) return false;
      int64_t position = 0;
      bool is_inside = true;
      for (size_t k = 0; k < index->size() && is_inside; ++k) {
        is_inside = 0 <= (*index)[k] && (*index)[k] < array.sizes[k];
        if (is_inside) position = position * array.sizes[k] + (*index)[k];
      }
      // Threads beyond the domain may ask for anything.
      const Interval bounds = variable.bounds;
      const int64_t value = is_inside ? array.values[static_cast<size_t>(position)] : bounds.lower;
      symbols_[num_ranges + i] = std::clamp(value, bounds.lower, bounds.upper);
    }
    if (!map_.DomainContains(dimensions_, symbols_)) return true;
    const auto position = map_.Evaluate(dimensions_, symbols_);
    if (!position.has_value()) return false;
    const auto offset = support::CheckedMul(position->front(), access_.element_bits);
    if (!offset.has_value()) return false;
    offsets_.push_back(*offset);
    return true;
  }

  const MemoryAccess& access_;
  const IndexingMap& map_;
  int64_t vector_elements_;
  int64_t sector_bits_;
  std::vector<bool> used_;
  llvm::SmallVector<int64_t, 8> dimensions_;
  llvm::SmallVector<int64_t, 8> symbols_;
  llvm::SmallVector<int64_t, 32> offsets_;
  llvm::DenseSet<int64_t> distinct_;
};

}  // namespace

bool AreValuesKnown(const MemoryAccess& access) {
  const IndexingMap& map = access.position;
  if (map.num_runtime() == 0 || access.known_arrays.size() != map.num_runtime()) return false;
  if (map.num_dimensions() != kNumGrid) return false;
  for (size_t i = 0; i < map.num_runtime(); ++i) {
    const IndexingMap& index = map.runtime()[i].index;
    const bool is_known = access.known_arrays[i] != nullptr && !index.IsUnknown() &&
                          index.num_runtime() == 0 && index.num_ranges() == map.num_ranges() &&
                          index.num_dimensions() == map.num_dimensions();
    if (!is_known) return false;
  }
  return true;
}

bool CountWithKnownValues(const MemoryAccess& access, const CoalescingOptions& options,
                          Coalescing& coalescing) {
  Counter counter(access, coalescing.vector_elements, options.sector_bytes * 8);
  const std::optional<int64_t> lanes = counter.NumLaneAccesses();
  if (!lanes.has_value() || *lanes > options.max_lane_accesses) {
    coalescing.is_cut = true;
    if (!coalescing.reason.empty()) {
      coalescing.reason += "; they are given, but the lanes access more than " +
                           std::to_string(options.max_lane_accesses) + " elements, one by one";
    }
    return false;
  }
  coalescing.lane_accesses += *lanes;
  if (!counter.Count()) return false;
  const auto exactly = [](const DynamicAPInt& count) { return Image::Count{count, count}; };
  coalescing.requests = exactly(counter.requests);
  coalescing.sectors = exactly(counter.sectors);
  coalescing.ideal_sectors = exactly(counter.ideal_sectors);
  coalescing.distinct_sectors = exactly(counter.DistinctSectors());
  coalescing.reason.clear();
  return true;
}

}  // namespace hlo_indexing::indexing_analysis
