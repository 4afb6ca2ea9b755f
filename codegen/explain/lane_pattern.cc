#include "codegen/explain/lane_pattern.h"

#include <algorithm>

#include "llvm/ADT/SmallVector.h"
#include "support/checked_math.h"

namespace hlo_indexing::explain {
namespace {

using indexing_analysis::IndexingMap;

constexpr int64_t kWarpSize = 32;

// The positions of the lanes up to the first that is outside of the domain.
llvm::SmallVector<int64_t, kWarpSize> PositionsOfLanes(const IndexingMap& position,
                                                       const std::array<int64_t, 3>& threads) {
  llvm::SmallVector<int64_t, kWarpSize> positions;
  llvm::SmallVector<int64_t, 6> dimensions;
  for (const indexing_analysis::Variable& variable : position.dimensions()) {
    dimensions.push_back(variable.bounds.lower);
  }
  llvm::SmallVector<int64_t, 4> symbols;
  for (const indexing_analysis::Variable& variable : position.ranges()) {
    symbols.push_back(variable.bounds.lower);
  }
  for (const indexing_analysis::RuntimeVariable& variable : position.runtime()) {
    symbols.push_back(variable.bounds.lower);
  }
  const int64_t lanes = std::min(kWarpSize, threads[0] * threads[1] * threads[2]);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    dimensions[0] = lane % threads[0];
    dimensions[1] = lane / threads[0] % threads[1];
    dimensions[2] = lane / (threads[0] * threads[1]);
    if (!position.DomainContains(dimensions, symbols)) break;
    const auto result = position.Evaluate(dimensions, symbols);
    if (!result.has_value()) break;
    positions.push_back(result->front());
  }
  return positions;
}

}  // namespace

LanePattern PatternOfFirstWarp(const IndexingMap& position, const std::array<int64_t, 3>& threads) {
  LanePattern pattern;
  const auto positions = PositionsOfLanes(position, threads);
  if (positions.size() < 2) return pattern;
  const auto distance = [&](size_t from, size_t to) {
    return support::CheckedSub(positions[to], positions[from]);
  };
  pattern.stride = distance(0, 1);
  if (!pattern.stride.has_value()) return pattern;
  size_t next = 1;
  while (next < positions.size() && distance(next - 1, next) == pattern.stride) ++next;
  pattern.run = static_cast<int64_t>(next);
  if (next < positions.size()) pattern.run_stride = distance(0, next);
  return pattern;
}

}  // namespace hlo_indexing::explain
