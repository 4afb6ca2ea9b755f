#include "codegen/plan/row_maps.h"

#include <algorithm>
#include <utility>

#include "codegen/plan/our_emitters.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using indexing_analysis::Interval;
using mlir::AffineExpr;

namespace {

constexpr int64_t kWarpSize = 32;

}  // namespace

RowMaps::RowMaps(const EmitterInput& input, const std::array<int64_t, 3>& sizes)
    : input_(input), sizes_(sizes), vector_(VectorOfRows(input, sizes[2])) {
  ChooseThreads([] { return true; });
  ChooseRows();
  Divide();
}

RowMaps::RowMaps(const EmitterInput& input, const std::array<int64_t, 3>& sizes,
                 std::optional<int64_t> kept)
    : input_(input), sizes_(sizes), vector_(VectorOfRows(input, sizes[2])) {
  const auto fits = [&] { return kept.has_value() && MayKeep(*kept); };
  ChooseThreads(fits);
  const int64_t threads = threads_of_row_;
  while (kept.has_value() && !fits() && threads_of_row_ < kMaxThreadsOfReduction) {
    threads_of_row_ *= 2;
  }
  keeps_rows_ = fits();
  if (!keeps_rows_) threads_of_row_ = threads;
  ChooseRows();
}

// Two vectors of a thread take fewer instructions than one, if requests are whole lines, or those
// of whole warps.
void RowMaps::ChooseThreads(llvm::function_ref<bool()> fits) {
  // Eight accesses of 16 bytes, of the widest array.
  const int64_t of_line = 8 * WidestVector(input_);
  while (threads_of_row_ < vectors() && threads_of_row_ < MostThreads() &&
         (!fits() || 2 * threads_of_row_ < vectors() ||
          (threads_of_row_ < kWarpSize && threads_of_row_ * vector_ < of_line))) {
    threads_of_row_ *= 2;
  }
}

int64_t RowMaps::groups() const { return support::CeilDiv(sizes_[1], rows_); }

int64_t RowMaps::shuffled_lanes() const { return std::min(threads_of_row_, kWarpSize); }

// A multiprocessor that has one row only gives it more threads.
int64_t RowMaps::MostThreads() const {
  return sizes_[1] < int64_t{2} * input_.plans.device.multiprocessors ? kMaxThreadsOfReduction
                                                                      : kThreadsOfReduction;
}

// Whether what a thread has of a row stays in its registers, of which it has 64 if a
// multiprocessor is to have half of the threads that it can have. Its loop is written out then,
// which large fusions would make too much code of.
bool RowMaps::MayKeep(int64_t kept) const {
  constexpr int64_t kMostElements = 32;
  constexpr int64_t kMostRegisters = 64;
  constexpr int64_t kMostInstructions = 1024;
  const int64_t turns = support::CeilDiv(vectors(), threads_of_row_);
  const int64_t elements = turns * vector_;
  const auto instructions = static_cast<int64_t>(input_.fused.instructions().size());
  return elements <= kMostElements && elements * kept <= kMostRegisters &&
         (turns == 1 || turns * instructions <= kMostInstructions);
}

void RowMaps::ChooseRows() {
  rows_ = std::clamp<int64_t>(sizes_[1], 1,
                              std::max<int64_t>(1, kThreadsOfReduction / threads_of_row_));
  // Fewer if some multiprocessor had no block otherwise, but whole warps.
  while (rows_ > 1 && rows_ * threads_of_row_ > kWarpSize &&
         support::CeilDiv(sizes_[1], rows_) < input_.plans.device.multiprocessors) {
    rows_ = support::CeilDiv(rows_, int64_t{2});
  }
  steps_ = support::CeilDiv(vectors(), threads_of_row_);
}

// A row has a thread for each of its partial results.
void RowMaps::Divide() {
  const int64_t most = BlocksOfGroup(input_, groups(), sizes_[0] * steps_);
  blocks_of_group_ = std::min(most, threads_of_row_);
  while (blocks_of_steps_ < blocks_of_group_ && 2 * blocks_of_steps_ <= steps_) {
    blocks_of_steps_ *= 2;
  }
}

AffineExpr RowMaps::Row(const ThreadMapBuilder& builder) const {
  return Group(builder) * rows_ + builder.Thread().floorDiv(threads_of_row_);
}

AffineExpr RowMaps::InRow(const ThreadMapBuilder& builder) const {
  return builder.Thread() % threads_of_row_;
}

IndexingMap RowMaps::Input(const Launch& launch, int64_t group) const {
  ThreadMapBuilder builder(launch, input_.plans);
  builder.Bound(kBlockZ, Interval::Point(group));
  // Blocks of a group have steps of a row by turns, and rows by turns.
  const int64_t blocks_of_majors = blocks_of_group_ / blocks_of_steps_;
  const AffineExpr major =
      builder.LoopOrZero(support::CeilDiv(sizes_[0], blocks_of_majors)) * blocks_of_majors +
      Part(builder).floorDiv(blocks_of_steps_);
  const AffineExpr step =
      builder.LoopOrZero(support::CeilDiv(steps_, blocks_of_steps_)) * blocks_of_steps_ +
      Part(builder) % blocks_of_steps_;
  const AffineExpr element = builder.LoopOrZero(vector_);
  const AffineExpr vector = step * threads_of_row_ + InRow(builder);
  builder.Constrain(major, {0, sizes_[0] - 1});
  builder.Constrain(Row(builder), {0, sizes_[1] - 1});
  builder.Constrain(vector, {0, sizes_[2] / vector_ - 1});
  return builder.Build({major, Row(builder), vector * vector_ + element});
}

IndexingMap RowMaps::Output(const Launch& launch, int64_t group) const {
  ThreadMapBuilder builder(launch, input_.plans);
  builder.Bound(kBlockZ, Interval::Point(group));
  builder.Bound(kBlockY, Interval::Point(blocks_of_group_ - 1));
  builder.Constrain(Row(builder), {0, sizes_[1] - 1});
  builder.Constrain(InRow(builder), {0, 0});
  return builder.Build({Row(builder)});
}

SharedTile RowMaps::Partials(const Launch& launch, int64_t group) const {
  SharedTile partials;
  partials.sizes = {sizes_[1], blocks_of_group_};
  partials.strides = {blocks_of_group_, 1};
  ThreadMapBuilder fill(launch, input_.plans);
  fill.Bound(kBlockZ, Interval::Point(group));
  fill.Constrain(Row(fill), {0, sizes_[1] - 1});
  fill.Constrain(InRow(fill), {0, 0});
  partials.accesses.push_back({true, fill.Build({Row(fill), Part(fill)}), 1});
  ThreadMapBuilder read(launch, input_.plans);
  read.Bound(kBlockZ, Interval::Point(group));
  read.Bound(kBlockY, Interval::Point(blocks_of_group_ - 1));
  read.Constrain(Row(read), {0, sizes_[1] - 1});
  read.Constrain(InRow(read), {0, blocks_of_group_ - 1});
  partials.accesses.push_back({false, read.Build({Row(read), InRow(read)}), 1});
  return partials;
}

IndexingMap RowMaps::Rows(const Launch& launch) const {
  ThreadMapBuilder builder(launch, input_.plans);
  builder.Constrain(Row(builder), {0, sizes_[1] - 1});
  return builder.Build({Row(builder)});
}

std::optional<SharedTile> RowMaps::TileOfWarps(const Launch& launch, int64_t group,
                                               bool is_for_all) const {
  if (threads_of_row_ <= kWarpSize) return std::nullopt;
  const int64_t warps = threads_of_row_ / kWarpSize;
  SharedTile tile;
  tile.sizes = {rows_, warps};
  tile.strides = {warps, 1};
  ThreadMapBuilder fill(launch, input_.plans);
  fill.Bound(kBlockZ, Interval::Point(group));
  fill.Constrain(fill.Thread() % kWarpSize, {0, 0});
  const AffineExpr row = fill.Thread().floorDiv(threads_of_row_);
  tile.accesses.push_back({true, fill.Build({row, InRow(fill).floorDiv(kWarpSize)}), 1});
  ThreadMapBuilder read(launch, input_.plans);
  read.Bound(kBlockZ, Interval::Point(group));
  if (!is_for_all) read.Constrain(InRow(read), {0, warps - 1});
  const AffineExpr warp = is_for_all ? read.Thread() % warps : InRow(read);
  tile.accesses.push_back({false, read.Build({row, warp}), 1});
  return tile;
}

std::optional<SharedTile> RowMaps::Tile(const Launch& launch, int64_t group) const {
  return TileOfWarps(launch, group, /*is_for_all=*/false);
}

std::optional<SharedTile> RowMaps::TileForAll(const Launch& launch) const {
  return TileOfWarps(launch, /*group=*/0, /*is_for_all=*/true);
}

}  // namespace hlo_indexing::plan
