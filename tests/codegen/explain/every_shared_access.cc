#include "tests/codegen/explain/every_shared_access.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "codegen/ptx/machine/access_footprint.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::explain {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;

// The byte at which an element lies; nullopt if no thread is there.
std::optional<int64_t> AddressAt(const plan::SharedTile& tile, const IndexingMap& index,
                                 llvm::ArrayRef<int64_t> thread_and_block,
                                 llvm::ArrayRef<int64_t> loops) {
  if (!index.DomainContains(thread_and_block, loops)) return std::nullopt;
  const auto element = index.Evaluate(thread_and_block, loops);
  int64_t offset = 0;
  for (size_t i = 0; i < tile.strides.size(); ++i) offset += (*element)[i] * tile.strides[i];
  if (tile.swizzle.has_value()) offset = tile.swizzle->Apply(offset);
  return offset * tile.element_bits / 8;
}

// Calls `visit` at all points of a box.
template <typename Visit>
void ForEachIn(llvm::ArrayRef<Interval> box, Visit visit) {
  llvm::SmallVector<int64_t, 8> point;
  for (const Interval& interval : box) {
    if (interval.IsEmpty()) return;
    point.push_back(interval.lower);
  }
  while (true) {
    visit(point);
    size_t i = 0;
    while (i < box.size() && point[i] == box[i].upper) {
      point[i] = box[i].lower;
      ++i;
    }
    if (i == box.size()) return;
    ++point[i];
  }
}

}  // namespace

SharedTraffic CountSharedByEveryThread(const plan::KernelPlan& plan, const plan::SharedTile& tile,
                                       const plan::SharedAccess& access, int64_t vector_bytes) {
  constexpr int64_t kWarpSize = 32;
  const IndexingMap& index = access.index;
  const int64_t element_bytes = std::max<int64_t>(1, tile.element_bits / 8);
  const int64_t vector = vector_bytes / element_bytes;
  std::vector<Interval> grid;
  for (size_t i = 3; i < 6; ++i) grid.push_back(index.dimensions()[i].bounds);
  grid.push_back({0, (plan.launch.threads_per_block() + kWarpSize - 1) / kWarpSize - 1});
  for (size_t i = 0; i < index.num_ranges(); ++i) {
    Interval bounds = index.ranges()[i].bounds;
    if (i + 1 == index.num_ranges() && vector > 1) bounds.upper = bounds.upper / vector;
    grid.push_back(bounds);
  }
  SharedTraffic traffic;
  ForEachIn(grid, [&](llvm::ArrayRef<int64_t> point) {
    ptx::WarpAccess warp;
    warp.lanes = 0;
    warp.bytes = static_cast<uint32_t>(vector_bytes);
    for (int64_t lane = 0; lane < kWarpSize; ++lane) {
      const int64_t thread = point[3] * kWarpSize + lane;
      if (thread >= plan.launch.threads_per_block()) break;
      const std::vector<int64_t> dimensions = {thread, 0, 0, point[0], point[1], point[2]};
      llvm::SmallVector<int64_t, 4> loops(point.drop_front(4));
      if (vector > 1) loops.back() *= vector;
      const std::optional<int64_t> first = AddressAt(tile, index, dimensions, loops);
      for (int64_t i = 1; i < vector; ++i) {
        ++loops.back();
        const std::optional<int64_t> next = AddressAt(tile, index, dimensions, loops);
        ASSERT_EQ(next.has_value(), first.has_value());
        if (next.has_value()) {
          ASSERT_EQ(*next, *first + i * element_bytes);
        }
      }
      if (!first.has_value()) continue;
      ASSERT_EQ(*first % vector_bytes, 0);
      ASSERT_LE(*first + vector_bytes, tile.bytes());
      warp.lanes |= ptx::LaneMask{1} << static_cast<unsigned>(lane);
      warp.addresses[static_cast<size_t>(lane)] = static_cast<uint64_t>(*first);
    }
    if (warp.lanes == 0) return;
    const ptx::SharedFootprint footprint = ptx::SharedFootprintOf(warp);
    ++traffic.requests;
    traffic.wavefronts += footprint.wavefronts;
    traffic.ideal_wavefronts += footprint.ideal_wavefronts;
  });
  return traffic;
}

}  // namespace hlo_indexing::explain
