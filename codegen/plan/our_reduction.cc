// Reductions in one block for each group of results, or in several where few results are made of
// many elements: each leaves partial results in scratch memory, and the last to come combines them.
//
// Rows: row_maps.h. Columns: each lane has a vector of neighbouring columns, each group of lanes
// other rows. The groups of a warp are shuffled together, and the first group adds what the others,
// or the other warps, have left in shared memory. Nothing is turned: both the input and the results
// are accessed in the order of memory.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "codegen/plan/bytes_in_flight.h"
#include "codegen/plan/our_emitters.h"
#include "codegen/plan/reduction_plan.h"
#include "codegen/plan/row_maps.h"
#include "codegen/plan/thread_map.h"
#include "codegen/plan/xla_heroes.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using indexing_analysis::Interval;
using mlir::AffineExpr;

namespace {

constexpr int64_t kWarpSize = 32;

// {kept, reduced, kept}.
class ColumnMaps : public ReductionMaps {
 public:
  ColumnMaps(const EmitterInput& input, const std::array<int64_t, 3>& sizes)
      : input_(input), sizes_(sizes), vector_(VectorOfRows(input, sizes[2])) {
    const int64_t vectors = sizes_[2] / vector_;
    lanes_ = std::clamp<int64_t>(vectors, 1, kWarpSize);
    blocks_of_row_ = support::CeilDiv(vectors, lanes_);
    groups_ = std::clamp<int64_t>(sizes_[1], 1, MostThreads() / lanes_);
    // The groups of a warp are shuffled together: whole warps.
    if (kWarpSize % lanes_ == 0 && groups_ * lanes_ >= kWarpSize) {
      shuffled_lanes_ = kWarpSize / lanes_;
      groups_ = support::CeilDiv(groups_, shuffled_lanes_) * shuffled_lanes_;
    }
    const int64_t steps = support::CeilDiv(sizes_[1], groups_);
    blocks_of_group_ = BlocksOfGroup(input, num_groups(), steps);
    steps_ = support::CeilDiv(steps, blocks_of_group_);
  }

  const char* variant() const override { return "column reduction"; }
  int64_t threads() const override { return lanes_ * groups_; }
  int64_t blocks() const override { return num_groups(); }
  int64_t blocks_of_group() const override { return blocks_of_group_; }
  int64_t vector() const override { return vector_; }
  int64_t vector_of_results() const override { return vector_; }
  int64_t shuffled_lanes() const override { return shuffled_lanes_; }
  int64_t shuffle_distance() const override { return lanes_; }

  IndexingMap Input(const Launch& launch, int64_t group) const override {
    ThreadMapBuilder builder(launch, input_.plans);
    builder.Bound(kBlockZ, Interval::Point(group));
    const AffineExpr step = builder.LoopOrZero(steps_);
    const AffineExpr row =
        (step * blocks_of_group_ + Part(builder)) * groups_ + builder.Thread().floorDiv(lanes_);
    const AffineExpr column = Column(builder, builder.LoopOrZero(vector_));
    builder.Constrain(row, {0, sizes_[1] - 1});
    builder.Constrain(VectorOfRow(builder), {0, sizes_[2] / vector_ - 1});
    return builder.Build({Major(builder), row, column});
  }

  IndexingMap Output(const Launch& launch, int64_t group) const override {
    ThreadMapBuilder builder(launch, input_.plans);
    builder.Bound(kBlockZ, Interval::Point(group));
    const AffineExpr column = Column(builder, builder.LoopOrZero(vector_));
    builder.Bound(kBlockY, Interval::Point(blocks_of_group_ - 1));
    builder.Constrain(builder.Thread(), {0, lanes_ - 1});
    builder.Constrain(VectorOfRow(builder), {0, sizes_[2] / vector_ - 1});
    return builder.Build({Major(builder), column});
  }

  // A vector of partial results of each first lane, which the groups of lanes read by turns.
  SharedTile Partials(const Launch& launch, int64_t group) const override {
    SharedTile partials;
    partials.sizes = {blocks_of_group_, sizes_[0], sizes_[2]};
    partials.strides = {sizes_[0] * sizes_[2], sizes_[2], 1};
    ThreadMapBuilder fill(launch, input_.plans);
    fill.Bound(kBlockZ, Interval::Point(group));
    const AffineExpr filled = Column(fill, fill.LoopOrZero(vector_));
    fill.Constrain(fill.Thread(), {0, lanes_ - 1});
    fill.Constrain(filled, {0, sizes_[2] - 1});
    partials.accesses.push_back({true, fill.Build({Part(fill), Major(fill), filled}), vector_});
    ThreadMapBuilder read(launch, input_.plans);
    read.Bound(kBlockZ, Interval::Point(group));
    const AffineExpr step = read.LoopOrZero(support::CeilDiv(blocks_of_group_, groups_));
    const AffineExpr part = step * groups_ + read.Thread().floorDiv(lanes_);
    const AffineExpr column = Column(read, read.LoopOrZero(vector_));
    read.Bound(kBlockY, Interval::Point(blocks_of_group_ - 1));
    read.Constrain(part, {0, blocks_of_group_ - 1});
    read.Constrain(column, {0, sizes_[2] - 1});
    partials.accesses.push_back({false, read.Build({part, Major(read), column}), vector_});
    return partials;
  }

  // A vector of partial results of each group of lanes, or of each warp if its groups are shuffled
  // together.
  std::optional<SharedTile> Tile(const Launch& launch, int64_t group) const override {
    const int64_t rows = groups_ / shuffled_lanes();
    if (rows == 1) return std::nullopt;
    const int64_t threads_of_row = lanes_ * shuffled_lanes();
    SharedTile tile;
    tile.sizes = {rows, lanes_ * vector_};
    tile.strides = {lanes_ * vector_, 1};
    ThreadMapBuilder fill(launch, input_.plans);
    fill.Bound(kBlockZ, Interval::Point(group));
    const AffineExpr lane = fill.Thread() % lanes_;
    const AffineExpr filled = lane * vector_ + fill.LoopOrZero(vector_);
    fill.Constrain(fill.Thread() % threads_of_row, {0, lanes_ - 1});
    tile.accesses.push_back(
        {true, fill.Build({fill.Thread().floorDiv(threads_of_row), filled}), vector_});
    ThreadMapBuilder read(launch, input_.plans);
    read.Bound(kBlockZ, Interval::Point(group));
    read.Constrain(read.Thread(), {0, lanes_ - 1});
    // The first group has its own in registers.
    const AffineExpr other = read.LoopOrZero(rows - 1) + 1;
    const AffineExpr column = lane * vector_ + read.LoopOrZero(vector_);
    tile.accesses.push_back({false, read.Build({other, column}), vector_});
    return tile;
  }

 private:
  int64_t num_groups() const { return sizes_[0] * blocks_of_row_; }

  // As many as it takes to keep the memory busy. Few blocks have all threads that they can have;
  // but where several have the same results, what they exchange counts more than what each has on
  // its way.
  int64_t MostThreads() const {
    constexpr int64_t kThreadsOfDivided = 512;
    const int64_t multiprocessors = input_.plans.device.multiprocessors;
    if (num_groups() >= multiprocessors) {
      const int64_t bits = vector_ * BitsOfLargestInput();
      int64_t threads = kThreadsOfReduction;
      const auto in_flight = [&] {
        const int64_t turns = sizes_[1] * lanes_ / threads;
        const int64_t bytes = support::CeilDiv(bits, 8);
        return num_groups() * threads * bytes * TurnsAtOnce(turns, bytes);
      };
      const int64_t asked = BytesAsked(input_.plans.device) * multiprocessors;
      while (threads < kMaxThreadsOfReduction && in_flight() < asked) threads *= 2;
      return threads;
    }
    return MayDivide(input_, num_groups()) ? kThreadsOfDivided : kMaxThreadsOfReduction;
  }

  // Of an element of the largest array that is read.
  int64_t BitsOfLargestInput() const {
    int64_t elements = 0;
    int64_t bits = 8;
    for (const hlo::Instruction* read : input_.fused.inputs()) {
      for (int64_t leaf = 0; leaf < read->shape().num_array_leaves(); ++leaf) {
        const hlo::Shape& array = read->shape().ArrayLeaf(leaf);
        if (array.num_elements() <= elements) continue;
        elements = array.num_elements();
        bits = array.StorageBits();
      }
    }
    return bits;
  }

  AffineExpr Major(const ThreadMapBuilder& builder) const {
    return Group(builder).floorDiv(blocks_of_row_);
  }
  AffineExpr VectorOfRow(const ThreadMapBuilder& builder) const {
    return (Group(builder) % blocks_of_row_) * lanes_ + builder.Thread() % lanes_;
  }
  AffineExpr Column(const ThreadMapBuilder& builder, AffineExpr element) const {
    return VectorOfRow(builder) * vector_ + element;
  }

  const EmitterInput& input_;
  std::array<int64_t, 3> sizes_;
  int64_t vector_;
  int64_t lanes_ = 1;
  int64_t groups_ = 1;
  int64_t shuffled_lanes_ = 1;
  int64_t blocks_of_row_ = 1;
  int64_t blocks_of_group_ = 1;
  int64_t steps_ = 1;
};

}  // namespace

KernelPlan PlanOurReduction(const EmitterInput& input) {
  const ReductionDimensions dimensions = DimensionsOfReduction(input);
  // Two threads would write to one byte.
  const auto writes_bytes = [&](const ReductionMaps& maps) {
    return input.fused.SmallestStorageBits() * std::min(maps.vector_of_results(), maps.vector()) >=
           8;
  };
  if (dimensions.is_row) {
    const RowMaps maps(input, dimensions.sizes);
    return writes_bytes(maps) ? AssembleReduction(input, dimensions, maps) : PlanOurLoop(input);
  }
  const ColumnMaps maps(input, dimensions.sizes);
  return writes_bytes(maps) ? AssembleReduction(input, dimensions, maps) : PlanOurLoop(input);
}

}  // namespace hlo_indexing::plan
