// Reductions in one block for each group of results: the row, multi-row, column and small column
// emitters.
//
// All of them see the input as three dimensions, {reduced, kept, reduced} or {kept, reduced, kept}
// (xla_heroes.h), cut the last one into vectors, and let the threads of a block go over a part.
// Then lanes are shuffled together, and warps through shared memory.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/plan/reduction_plan.h"
#include "codegen/plan/thread_map.h"
#include "codegen/plan/xla_emitters.h"
#include "codegen/plan/xla_heroes.h"
#include "hlo/attribute.h"
#include "hlo/element_type.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Shape;
using indexing_analysis::Interval;
using mlir::AffineExpr;

namespace {

constexpr int64_t kWarpSize = 32;
constexpr int64_t kThreadsWanted = 256;

bool HasSingleBit(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

bool IsComplex(const Shape& shape) {
  return shape.element_type() == hlo::ElementType::kC64 ||
         shape.element_type() == hlo::ElementType::kC128;
}

// How many neighbouring elements of the minor dimension a thread takes at a time.
int64_t VectorSize(const EmitterInput& input, int64_t minor, int64_t threads) {
  if (minor % 2 != 0 || threads * 2 > minor) return 1;
  for (const Instruction* hero : input.heroes) {
    for (const Instruction* operand : hero->operands()) {
      if (operand->shape().IsArray() && IsComplex(operand->shape())) return 1;
    }
  }
  const int64_t bits = input.fused.SmallestInputBits();
  if (bits >= 64) return 1;
  if (bits >= 32 || threads * 4 > minor) return 2;
  return minor % 4 == 0 ? 4 : 2;
}

class XlaReductionMaps : public ReductionMaps {
 public:
  XlaReductionMaps(const EmitterInput& input, const ReductionDimensions& dimensions)
      : input_(input), sizes_(dimensions.sizes), is_row_(dimensions.is_row) {
    if (is_row_) {
      if (!ChooseMultiRow()) ChooseRow();
    } else if (kWarpSize % sizes_[2] == 0) {
      ChooseSmallColumn();
    } else {
      ChooseColumn();
    }
  }

  const char* variant() const override { return variant_; }
  int64_t threads() const override { return threads_kept_ * threads_reduced_; }
  int64_t blocks() const override { return blocks_; }
  int64_t vector() const override { return vector_; }
  IndexingMap Input(const Launch& launch, int64_t group) const override {
    ThreadMapBuilder builder(launch, input_.plans);
    builder.Bound(kBlockZ, Interval::Point(group));
    const AffineExpr thread = builder.Thread();
    const AffineExpr block = builder.Block();
    switch (kind_) {
      case Kind::kMultiRow: {
        const AffineExpr reduced = builder.Loop(sizes_[0]);
        const AffineExpr element = builder.Loop(vector_);
        return BuildInput(builder,
                          {reduced, block * threads_kept_ + thread.floorDiv(threads_reduced_),
                           (thread % threads_reduced_) * vector_ + element});
      }
      case Kind::kRow: {
        const AffineExpr reduced = builder.Loop(sizes_[0]);
        const AffineExpr step = builder.Loop(steps_);
        const AffineExpr element = builder.Loop(vector_);
        const AffineExpr minor = step * threads_reduced_ + thread % threads_reduced_;
        return BuildInput(builder,
                          {reduced, block * threads_kept_ + thread.floorDiv(threads_reduced_),
                           minor * vector_ + element});
      }
      case Kind::kColumn: {
        const AffineExpr step = builder.Loop(steps_);
        const AffineExpr element = builder.Loop(vector_);
        const int64_t per_row = BlocksOfRow();
        const AffineExpr minor = (block % per_row) * kWarpSize + thread % kWarpSize;
        return BuildInput(builder,
                          {block.floorDiv(per_row), step * kWarpSize + thread.floorDiv(kWarpSize),
                           minor * vector_ + element});
      }
      case Kind::kSmallColumn: {
        const AffineExpr step = builder.Loop(steps_);
        const AffineExpr element = builder.Loop(vector_);
        const AffineExpr position = step * threads() + thread;
        const int64_t vectors_of_row = sizes_[2] / vector_;
        builder.Constrain(position, {0, sizes_[1] * vectors_of_row - 1});
        return BuildInput(builder, {block, position.floorDiv(vectors_of_row),
                                    (position % vectors_of_row) * vector_ + element});
      }
    }
    return {};
  }

  IndexingMap Output(const Launch& launch, int64_t group) const override {
    ThreadMapBuilder builder(launch, input_.plans);
    builder.Bound(kBlockZ, Interval::Point(group));
    const AffineExpr thread = builder.Thread();
    const AffineExpr block = builder.Block();
    switch (kind_) {
      case Kind::kMultiRow:
      case Kind::kRow: {
        const AffineExpr kept = block * threads_kept_ + thread.floorDiv(threads_reduced_);
        builder.Constrain(kept, {0, sizes_[1] - 1});
        builder.Constrain(thread % threads_reduced_, {0, 0});
        return builder.Build({kept});
      }
      case Kind::kColumn: {
        const AffineExpr element = builder.Loop(vector_);
        const int64_t per_row = BlocksOfRow();
        const AffineExpr minor =
            ((block % per_row) * kWarpSize + thread.floorDiv(kWarpSize)) * vector_ + element;
        builder.Constrain(minor, {0, sizes_[2] - 1});
        builder.Constrain(thread % kWarpSize, {0, 0});
        return builder.Build({block.floorDiv(per_row), minor});
      }
      case Kind::kSmallColumn: {
        const int64_t at_a_time = threads() / shared_rows_;
        const AffineExpr step = builder.Loop(sizes_[2] / at_a_time);
        builder.Constrain(thread % shared_rows_, {0, 0});
        return builder.Build({block, step * at_a_time + thread.floorDiv(shared_rows_)});
      }
    }
    return {};
  }

  // A partial result of each warp of a row, or the tile in which columns of partial results are
  // turned.
  std::optional<SharedTile> Tile(const Launch& launch, int64_t group) const override {
    SharedTile tile;
    ThreadMapBuilder write(launch, input_.plans);
    ThreadMapBuilder read(launch, input_.plans);
    write.Bound(kBlockZ, Interval::Point(group));
    read.Bound(kBlockZ, Interval::Point(group));
    const AffineExpr thread = write.Thread();
    switch (kind_) {
      case Kind::kMultiRow:
        return std::nullopt;
      case Kind::kRow: {
        if (threads_reduced_ <= kWarpSize) return std::nullopt;
        const int64_t warps = threads_reduced_ / kWarpSize;
        tile.sizes = {threads_kept_, warps};
        tile.strides = {warps, 1};
        const AffineExpr row = thread.floorDiv(threads_reduced_);
        const AffineExpr in_row = thread % threads_reduced_;
        write.Constrain(thread % kWarpSize, {0, 0});
        tile.accesses.push_back({true, write.Build({row, in_row.floorDiv(kWarpSize)}), 1});
        read.Constrain(in_row, {0, warps - 1});
        tile.accesses.push_back({false, read.Build({row, in_row}), 1});
        return tile;
      }
      case Kind::kColumn: {
        tile.sizes = {kWarpSize * vector_, kWarpSize};
        tile.strides = {kWarpSize + 1, 1};
        const AffineExpr lane = thread % kWarpSize;
        const AffineExpr warp = thread.floorDiv(kWarpSize);
        const AffineExpr written = write.Loop(vector_);
        tile.accesses.push_back({true, write.Build({lane * vector_ + written, warp}), 1});
        const AffineExpr element = read.Loop(vector_);
        tile.accesses.push_back({false, read.Build({warp * vector_ + element, lane}), 1});
        return tile;
      }
      case Kind::kSmallColumn: {
        tile.sizes = {sizes_[2], shared_rows_};
        tile.strides = {shared_rows_ + 1, 1};
        const AffineExpr written = write.Loop(vector_);
        const AffineExpr position = thread * vector_ + written;
        tile.accesses.push_back(
            {true, write.Build({position % sizes_[2], position.floorDiv(sizes_[2])}), 1});
        const int64_t at_a_time = threads() / shared_rows_;
        const AffineExpr step = read.Loop(sizes_[2] / at_a_time);
        tile.accesses.push_back(
            {false,
             read.Build({step * at_a_time + thread.floorDiv(shared_rows_), thread % shared_rows_}),
             1});
        return tile;
      }
    }
    return std::nullopt;
  }

 private:
  enum class Kind : uint8_t { kMultiRow, kRow, kColumn, kSmallColumn };

  IndexingMap BuildInput(ThreadMapBuilder& builder, llvm::ArrayRef<AffineExpr> index) const {
    for (size_t i = 0; i < index.size(); ++i) builder.Constrain(index[i], {0, sizes_[i] - 1});
    return builder.Build(index);
  }

  int64_t BlocksOfRow() const { return support::CeilDiv(sizes_[2], kWarpSize * vector_); }

  // As many rows beside each other as make a block; one, if that takes more threads.
  int64_t RowsOfBlock(int64_t threads_of_row) const {
    return sizes_[1] * threads_of_row <= kThreadsWanted
               ? sizes_[1]
               : std::max<int64_t>(1, kThreadsWanted / threads_of_row);
  }

  // Rows that a part of a warp reduces.
  bool ChooseMultiRow() {
    const int64_t minor = sizes_[2];
    if (!HasSingleBit(minor)) return false;
    const int64_t largest =
        std::max(input_.fused.LargestInputBits(), input_.fused.LargestOutputBits());
    const int64_t smallest =
        std::min(input_.fused.SmallestInputBits(), input_.fused.SmallestOutputBits());
    int64_t vector = std::max<int64_t>(1, std::min(minor, 64 / smallest));
    if (largest >= 32) vector = std::max<int64_t>(1, std::min(128 / largest, vector));
    if (minor > vector * kWarpSize) return false;
    const auto blocks = [&] { return support::CeilDiv(sizes_[1], RowsOfBlock(minor / vector)); };
    // Every multiprocessor has work.
    while (vector > 1 && blocks() < input_.plans.device.multiprocessors) vector /= 2;
    if (minor > vector * kWarpSize) return false;
    kind_ = Kind::kMultiRow;
    variant_ = "multi-row reduction";
    vector_ = vector;
    threads_reduced_ = minor / vector;
    threads_kept_ = RowsOfBlock(threads_reduced_);
    blocks_ = blocks();
    return true;
  }

  void ChooseRow() {
    constexpr int64_t kElementsOfThread = 16;
    constexpr int64_t kMaxThreads = 1024;
    kind_ = Kind::kRow;
    variant_ = "row reduction";
    const int64_t warps =
        support::CeilDiv(support::CeilDiv(sizes_[2], kElementsOfThread), kWarpSize);
    threads_reduced_ = std::min(kMaxThreads, warps * kWarpSize);
    if (threads_reduced_ * 2 <= kThreadsWanted) threads_kept_ = RowsOfBlock(threads_reduced_);
    vector_ = VectorSize(input_, sizes_[2], threads_reduced_);
    const int64_t vectors = sizes_[2] / vector_;
    // Rows that are longer than what the threads take at a time run through them again.
    steps_ =
        std::max(std::min(kElementsOfThread / vector_, support::CeilDiv(vectors, threads_reduced_)),
                 support::CeilDiv(vectors, threads_reduced_));
    blocks_ = support::CeilDiv(sizes_[1], threads_kept_);
  }

  void ChooseColumn() {
    kind_ = Kind::kColumn;
    variant_ = "column reduction";
    vector_ = VectorSize(input_, sizes_[2], kWarpSize);
    threads_kept_ = kWarpSize;
    threads_reduced_ = kWarpSize;
    steps_ = support::CeilDiv(sizes_[1], kWarpSize);
    blocks_ = sizes_[0] * BlocksOfRow();
  }

  void ChooseSmallColumn() {
    constexpr int64_t kThreads = 128;
    kind_ = Kind::kSmallColumn;
    variant_ = "small column reduction";
    vector_ = VectorSize(input_, sizes_[2], 1);
    threads_reduced_ = kThreads;
    shared_rows_ = vector_ * kThreads / sizes_[2];
    // One warp reduces all rows of shared memory.
    while (shared_rows_ > kWarpSize && vector_ > 1) {
      vector_ /= 2;
      shared_rows_ /= 2;
    }
    if (shared_rows_ > kWarpSize) {
      shared_rows_ = kWarpSize;
      threads_reduced_ = sizes_[2] * kWarpSize;
    }
    steps_ = support::CeilDiv(sizes_[1] * sizes_[2], threads_reduced_ * vector_);
    blocks_ = sizes_[0];
  }

  const EmitterInput& input_;
  std::array<int64_t, 3> sizes_;
  bool is_row_;
  Kind kind_ = Kind::kRow;
  const char* variant_ = "";
  int64_t threads_kept_ = 1;
  int64_t threads_reduced_ = 1;
  int64_t vector_ = 1;
  int64_t steps_ = 1;
  int64_t shared_rows_ = 0;
  int64_t blocks_ = 1;
};

}  // namespace

KernelPlan PlanReduction(const EmitterInput& input) {
  const ReductionDimensions dimensions = DimensionsOfReduction(input);
  return AssembleReduction(input, dimensions, XlaReductionMaps(input, dimensions));
}

}  // namespace hlo_indexing::plan
