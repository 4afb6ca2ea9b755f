// Sorts and the largest of lines: a block for each line, whose threads share the comparisons of a
// sorting network. What the threads read to compare depends on the values; what they store in the
// end does not.
#include <algorithm>
#include <bit>
#include <optional>

#include "codegen/plan/our_emitters.h"
#include "codegen/plan/thread_map.h"
#include "codegen/plan/top_k.h"
#include "hlo/attribute.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Shape;
using mlir::AffineExpr;

namespace {

// Whether the order of a line fits where an output will be.
bool HasPlaceForOrder(const Instruction& sort, int64_t length) {
  constexpr int64_t kMostHalves = int64_t{1} << 16;
  for (int64_t leaf = 0; leaf < sort.shape().num_array_leaves(); ++leaf) {
    const int64_t bits = sort.shape().ArrayLeaf(leaf).StorageBits();
    if (bits >= 32 || (bits >= 16 && length <= kMostHalves)) return true;
  }
  return false;
}

}  // namespace

KernelPlan PlanOurSort(const EmitterInput& input) {
  const FusionRoot& root = input.fused.roots().front();
  const Instruction& sort = *root.instruction;
  const std::optional<TopK> top = TopKOf(sort);
  const Shape& shape = sort.operand(0).shape();
  const auto dimension =
      top.has_value() ? shape.sizes().size() - 1
                      : static_cast<size_t>(sort.Integers(AttributeName::kDimensions).front());
  const int64_t length = shape.sizes()[dimension];
  const int64_t lines = shape.num_elements() / length;
  KernelPlan plan;
  plan.emitter = Emitter::kSort;
  plan.variant = top.has_value() ? "top k" : "sort";
  // A thread for each comparison of a step, of which there are half as many as elements.
  constexpr int64_t kMostThreads = 1024;
  const auto power = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length)));
  plan.launch.threads[0] = std::clamp<int64_t>(power / 2, 1, kMostThreads);
  plan.launch.blocks[1] = support::CeilDiv(lines, kMostBlocks[0]);
  plan.launch.blocks[0] = support::CeilDiv(lines, plan.launch.blocks[1]);

  ThreadMapBuilder builder(plan.launch, input.plans);
  const AffineExpr line = builder.Block();
  const int64_t stored = top.has_value() ? top->count : length;
  const AffineExpr place =
      builder.Thread() +
      builder.LoopOrZero(support::CeilDiv(stored, plan.launch.threads[0])) * plan.launch.threads[0];
  builder.Constrain(line, {0, lines - 1});
  builder.Constrain(place, {0, stored - 1});
  // Neighbouring blocks have neighbouring lines.
  Sizes sizes;
  Sizes order;
  for (const int64_t i : PhysicalDimensions(shape)) {
    if (static_cast<size_t>(i) != dimension) order.push_back(i);
  }
  sizes.assign(shape.sizes().begin(), shape.sizes().end());
  sizes[dimension] = 1;
  order.push_back(static_cast<int64_t>(dimension));
  Expressions element = ThreadMapBuilder::ElementAt(line, sizes, order);
  element[dimension] = place;
  const IndexingMap map = builder.Build(element);
  for (int64_t leaf = 0; leaf < sort.shape().num_array_leaves(); ++leaf) {
    const auto operand = static_cast<size_t>(top.has_value() ? 0 : leaf);
    if (operand == static_cast<size_t>(leaf)) {
      plan.passes.push_back(LoadPass(sort.operand(operand), IndexingMap(), 1));
    }
    plan.passes.push_back(StorePass(sort, leaf, root.first_output + leaf, map, 1));
    plan.heroes.push_back(
        {root.first_output + leaf, &sort, static_cast<int64_t>(operand), IndexingMap()});
  }
  // Which element is at each place, while the line is sorted.
  constexpr int64_t kMostSharedBytes = int64_t{48} * 1024;
  constexpr int64_t kOrderBits = 32;
  if (length == 1) return plan;
  if (length * kOrderBits / 8 <= kMostSharedBytes) {
    SharedTile& tile = plan.shared_tiles.emplace_back();
    tile.hero = &sort;
    tile.element_bits = kOrderBits;
    tile.sizes = {length};
    tile.strides = {1};
  } else if (top.has_value() || !HasPlaceForOrder(sort, length)) {
    plan.scratch_bytes = length * lines * kOrderBits / 8;
  }
  return plan;
}

}  // namespace hlo_indexing::plan
