// Reductions in one block for each group of results, or in several where few results are made of
// many elements: each leaves partial results in scratch memory, and the last to come combines them.
//
// Rows: as many lanes, warps or warps of a block as a row has vectors, at most a block; lanes are
// shuffled together, then a warp adds what the warps of a row have left in shared memory.
// Columns: each lane has a vector of neighbouring columns, each group of lanes other rows, and the
// first group adds what the others have left in shared memory. Nothing is turned: both the input
// and the results are accessed in the order of memory.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/plan/our_emitters.h"
#include "codegen/plan/reduction_plan.h"
#include "codegen/plan/thread_map.h"
#include "codegen/plan/xla_heroes.h"
#include "hlo/opcode.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using indexing_analysis::Interval;
using mlir::AffineExpr;

namespace {

constexpr int64_t kWarpSize = 32;
constexpr int64_t kThreads = 256;
constexpr int64_t kMaxThreads = 1024;

// The most elements of an access that divide the minor dimension: then each row begins at a
// multiple of them.
int64_t VectorOf(const EmitterInput& input, int64_t minor) {
  int64_t vector = WidestVector(input);
  while (minor % vector != 0) vector /= 2;
  return vector;
}

// Among how many blocks the steps of each are divided: several if most multiprocessors would have
// none otherwise, as long as each has two steps at least; a power of two.
int64_t BlocksOfGroup(const EmitterInput& input, int64_t groups, int64_t steps) {
  constexpr int64_t kLeastSteps = 2;
  const int64_t multiprocessors = input.plans.device.multiprocessors;
  if (2 * groups > multiprocessors) return 1;
  int64_t blocks = 1;
  while (groups * blocks < multiprocessors && steps / (2 * blocks) >= kLeastSteps) blocks *= 2;
  return blocks;
}

// The blocks of a group lie along y.
AffineExpr Group(const ThreadMapBuilder& builder) { return builder.Dimension(kBlockX); }
AffineExpr Part(const ThreadMapBuilder& builder) { return builder.Dimension(kBlockY); }

// {reduced, kept, reduced}.
class RowMaps : public ReductionMaps {
 public:
  // Rows whose elements are needed again have one block.
  RowMaps(const EmitterInput& input, const std::array<int64_t, 3>& sizes, bool may_divide)
      : input_(input), sizes_(sizes), vector_(VectorOf(input, sizes[2])) {
    const int64_t vectors = sizes_[2] / vector_;
    // A multiprocessor that has one row only gives it more threads.
    const int64_t most =
        sizes_[1] < int64_t{2} * input.plans.device.multiprocessors ? kMaxThreads : kThreads;
    while (threads_of_row_ < vectors && threads_of_row_ < most) threads_of_row_ *= 2;
    rows_ = std::clamp<int64_t>(sizes_[1], 1, std::max<int64_t>(1, kThreads / threads_of_row_));
    // Fewer if some multiprocessor had no block otherwise, but whole warps.
    while (rows_ > 1 && rows_ * threads_of_row_ > kWarpSize &&
           support::CeilDiv(sizes_[1], rows_) < input.plans.device.multiprocessors) {
      rows_ = support::CeilDiv(rows_, int64_t{2});
    }
    steps_ = support::CeilDiv(vectors, threads_of_row_);
    if (may_divide) Divide();
  }

  const char* variant() const override { return "row reduction"; }
  int64_t threads() const override { return threads_of_row_ * rows_; }
  int64_t blocks() const override { return groups(); }
  int64_t blocks_of_group() const override { return blocks_of_group_; }
  int64_t vector() const override { return vector_; }
  int64_t shuffled_lanes() const override { return std::min(threads_of_row_, kWarpSize); }

  IndexingMap Input(const Launch& launch, int64_t group) const override {
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

  IndexingMap Output(const Launch& launch, int64_t group) const override {
    ThreadMapBuilder builder(launch, input_.plans);
    builder.Bound(kBlockZ, Interval::Point(group));
    builder.Bound(kBlockY, Interval::Point(blocks_of_group_ - 1));
    builder.Constrain(Row(builder), {0, sizes_[1] - 1});
    builder.Constrain(InRow(builder), {0, 0});
    return builder.Build({Row(builder)});
  }

  // A partial result of each block, which the first threads of the row read.
  SharedTile Partials(const Launch& launch, int64_t group) const override {
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

  // The row that a thread works on.
  IndexingMap Rows(const Launch& launch) const {
    ThreadMapBuilder builder(launch, input_.plans);
    builder.Constrain(Row(builder), {0, sizes_[1] - 1});
    return builder.Build({Row(builder)});
  }

  // The result of each row, which all its threads read; or, where one loop needs it only, those
  // that have elements there.
  SharedTile ResultTile(const Launch& launch, bool is_for_one_loop) const {
    SharedTile tile;
    tile.sizes = {rows_};
    tile.strides = {1};
    ThreadMapBuilder fill(launch, input_.plans);
    const AffineExpr row = fill.Thread().floorDiv(threads_of_row_);
    fill.Constrain(InRow(fill), {0, 0});
    tile.accesses.push_back({true, fill.Build({row}), 1});
    ThreadMapBuilder read(launch, input_.plans);
    if (is_for_one_loop) {
      read.Constrain(Row(read), {0, sizes_[1] - 1});
      read.Constrain(InRow(read), {0, sizes_[2] / vector_ - 1});
    }
    tile.accesses.push_back({false, read.Build({row}), 1});
    return tile;
  }

  // A partial result of each warp of a row.
  std::optional<SharedTile> Tile(const Launch& launch, int64_t group) const override {
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
    read.Constrain(InRow(read), {0, warps - 1});
    tile.accesses.push_back({false, read.Build({row, InRow(read)}), 1});
    return tile;
  }

 private:
  int64_t groups() const { return support::CeilDiv(sizes_[1], rows_); }

  // A row has a thread for each of its partial results.
  void Divide() {
    const int64_t most = BlocksOfGroup(input_, groups(), sizes_[0] * steps_);
    blocks_of_group_ = std::min(most, threads_of_row_);
    while (blocks_of_steps_ < blocks_of_group_ && 2 * blocks_of_steps_ <= steps_) {
      blocks_of_steps_ *= 2;
    }
  }

  AffineExpr Row(const ThreadMapBuilder& builder) const {
    return Group(builder) * rows_ + builder.Thread().floorDiv(threads_of_row_);
  }
  AffineExpr InRow(const ThreadMapBuilder& builder) const {
    return builder.Thread() % threads_of_row_;
  }

  const EmitterInput& input_;
  std::array<int64_t, 3> sizes_;
  int64_t vector_;
  int64_t threads_of_row_ = 1;
  int64_t rows_ = 1;
  int64_t steps_ = 1;
  // The blocks that have a row, and among how many of them its steps are divided.
  int64_t blocks_of_group_ = 1;
  int64_t blocks_of_steps_ = 1;
};

// {kept, reduced, kept}.
class ColumnMaps : public ReductionMaps {
 public:
  ColumnMaps(const EmitterInput& input, const std::array<int64_t, 3>& sizes)
      : input_(input), sizes_(sizes), vector_(VectorOf(input, sizes[2])) {
    const int64_t vectors = sizes_[2] / vector_;
    lanes_ = std::clamp<int64_t>(vectors, 1, kWarpSize);
    blocks_of_row_ = support::CeilDiv(vectors, lanes_);
    // Where there are few blocks, each has all threads that it can have.
    const bool is_few = num_groups() < input.plans.device.multiprocessors;
    const int64_t most = (is_few ? kMaxThreads : kThreads) / lanes_;
    groups_ = std::clamp<int64_t>(sizes_[1], 1, most);
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

  // A vector of partial results of each thread.
  std::optional<SharedTile> Tile(const Launch& launch, int64_t group) const override {
    if (groups_ == 1) return std::nullopt;
    SharedTile tile;
    tile.sizes = {groups_, lanes_ * vector_};
    tile.strides = {lanes_ * vector_, 1};
    ThreadMapBuilder fill(launch, input_.plans);
    fill.Bound(kBlockZ, Interval::Point(group));
    const AffineExpr lane = fill.Thread() % lanes_;
    const AffineExpr filled = lane * vector_ + fill.LoopOrZero(vector_);
    tile.accesses.push_back({true, fill.Build({fill.Thread().floorDiv(lanes_), filled}), vector_});
    ThreadMapBuilder read(launch, input_.plans);
    read.Bound(kBlockZ, Interval::Point(group));
    read.Constrain(read.Thread(), {0, lanes_ - 1});
    // The first group has its own in registers.
    const AffineExpr other = read.LoopOrZero(groups_ - 1) + 1;
    const AffineExpr column = lane * vector_ + read.LoopOrZero(vector_);
    tile.accesses.push_back({false, read.Build({other, column}), vector_});
    return tile;
  }

 private:
  int64_t num_groups() const { return sizes_[0] * blocks_of_row_; }

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
  int64_t blocks_of_row_ = 1;
  int64_t blocks_of_group_ = 1;
  int64_t steps_ = 1;
};

}  // namespace

KernelPlan PlanOurReduction(const EmitterInput& input) {
  const ReductionDimensions dimensions = DimensionsOfReduction(input);
  // Two threads would write to one byte.
  const auto writes_bytes = [&](const ReductionMaps& maps) {
    return input.fused.SmallestOutputBits() * std::min(maps.vector_of_results(), maps.vector()) >=
           8;
  };
  if (dimensions.is_row) {
    const RowMaps maps(input, dimensions.sizes, /*may_divide=*/true);
    return writes_bytes(maps) ? AssembleReduction(input, dimensions, maps) : PlanOurLoop(input);
  }
  const ColumnMaps maps(input, dimensions.sizes);
  return writes_bytes(maps) ? AssembleReduction(input, dimensions, maps) : PlanOurLoop(input);
}

namespace {

// The reductions of rows of as many elements as each root has, operands before users.
std::vector<const Instruction*> RowHeroes(const EmitterInput& input) {
  // Shorter ones are read again by each element.
  constexpr int64_t kShortestRow = 16;
  const llvm::ArrayRef<FusionRoot> roots = input.fused.roots();
  const int64_t elements = roots.front().instruction->shape().IsArray()
                               ? roots.front().instruction->shape().num_elements()
                               : 0;
  std::vector<const Instruction*> heroes;
  for (const FusionRoot& root : roots) {
    const hlo::Shape& shape = root.instruction->shape();
    if (!shape.IsArray() || shape.num_elements() != elements) return {};
  }
  for (const Instruction* instruction : input.fused.instructions()) {
    if (instruction->opcode() != hlo::Opcode::kReduce) continue;
    const ReductionDimensions dimensions = DimensionsOf(*instruction);
    const bool has_scalars =
        llvm::all_of(instruction->operands().take_back(instruction->operands().size() / 2),
                     [](const Instruction* initial) { return initial->shape().IsScalar(); });
    const bool is_row = dimensions.is_row && ReducesOneOrder(*instruction) &&
                        dimensions.sizes[0] == 1 && dimensions.sizes[2] >= kShortestRow &&
                        has_scalars && instruction->operand(0).shape().num_elements() == elements;
    if (!is_row) continue;
    if (!heroes.empty() && !(DimensionsOf(*heroes.front()) == dimensions)) continue;
    heroes.push_back(instruction);
  }
  return heroes;
}

// Whether an instruction is computed from a reduction, and not only from others that are.
bool NeedsResult(const EmitterInput& input, llvm::ArrayRef<const Instruction*> heroes,
                 const Instruction& instruction, const Instruction& hero) {
  llvm::DenseSet<const Instruction*> seen = {&instruction};
  std::vector<const Instruction*> pending = {&instruction};
  while (!pending.empty()) {
    const Instruction* needed = pending.back();
    pending.pop_back();
    if (needed == &hero) return true;
    if (needed != &instruction && llvm::is_contained(heroes, needed)) continue;
    for (const Instruction* operand : needed->operands()) {
      if (input.fused.Contains(*operand) && seen.insert(operand).second) pending.push_back(operand);
    }
  }
  return false;
}

// How many of the loops over rows read the results: other reductions, and the roots together, if
// they have one order.
int64_t NumReaders(const EmitterInput& input, llvm::ArrayRef<const Instruction*> heroes,
                   const Instruction& hero) {
  int64_t count = llvm::count_if(heroes, [&](const Instruction* other) {
    return other != &hero && NeedsResult(input, heroes, *other, hero);
  });
  std::vector<Sizes> orders;
  for (const FusionRoot& root : input.fused.roots()) {
    const Sizes order = PhysicalDimensions(root.instruction->shape());
    if (llvm::is_contained(orders, order)) continue;
    if (NeedsResult(input, heroes, *root.instruction, hero)) orders.push_back(order);
  }
  return count + std::ssize(orders);
}

}  // namespace

// Rows that are reduced, perhaps several times, and then made of the results, as normalizations
// and softmax: the threads of a row have its results by shared memory. For each reduction: its
// arrays, initial values, and the results that the threads have then; in the end the roots.
std::optional<KernelPlan> PlanOurRows(const EmitterInput& input) {
  const std::vector<const Instruction*> heroes = RowHeroes(input);
  if (heroes.empty()) return std::nullopt;
  const std::array<int64_t, 3> sizes = DimensionsOf(*heroes.front()).sizes;
  const RowMaps maps(input, sizes, /*may_divide=*/false);
  if (input.fused.SmallestOutputBits() * maps.vector() < 8) return std::nullopt;
  KernelPlan plan;
  plan.emitter = Emitter::kRows;
  plan.variant = "rows";
  plan.shuffled_lanes = maps.shuffled_lanes();
  plan.launch.threads[0] = maps.threads();
  plan.launch.blocks[0] = maps.blocks();
  const IndexingMap read = maps.Input(plan.launch, 0);
  const IndexingMap rows = maps.Rows(plan.launch);
  const IndexingMap scalar = ThreadMapBuilder(plan.launch, input.plans).Build({});
  llvm::SmallVector<const Instruction*, 2> done;
  for (const Instruction* hero : heroes) {
    const size_t num_arrays = hero->operands().size() / 2;
    for (size_t k = 0; k < hero->operands().size(); ++k) {
      const Instruction& operand = hero->operand(k);
      const bool is_array = k < num_arrays;
      ElementPass& pass = plan.passes.emplace_back(
          LoadPass(operand, is_array ? Bitcast(read, sizes, operand.shape()) : scalar,
                   is_array ? maps.vector() : 1));
      pass.available = done;
      if (is_array) plan.heroes.push_back({0, hero, static_cast<int64_t>(k), pass.map});
    }
    done.push_back(hero);
    for (size_t k = 0; k < num_arrays; ++k) {
      ElementPass& pass = plan.passes.emplace_back(
          LoadPass(*hero, ResultOf(rows, {sizes[1]}, *hero, input.plans), 1));
      pass.leaf = static_cast<int64_t>(k);
      pass.available = {hero};
    }
    const auto add_tile = [&](SharedTile tile, size_t array) {
      tile.hero = hero;
      tile.element_bits = support::CeilDiv(ElementWidth(hero->operand(array).shape()), 8) * 8;
      plan.shared_tiles.push_back(std::move(tile));
    };
    for (size_t k = 0; k < num_arrays; ++k) {
      if (std::optional<SharedTile> tile = maps.Tile(plan.launch, 0)) add_tile(*std::move(tile), k);
    }
    const bool is_for_one_loop = NumReaders(input, heroes, *hero) == 1;
    for (size_t k = 0; k < num_arrays; ++k) {
      add_tile(maps.ResultTile(plan.launch, is_for_one_loop), k);
    }
  }
  for (const FusionRoot& root : input.fused.roots()) {
    ElementPass& pass = plan.passes.emplace_back(LoadPass(
        *root.instruction, Bitcast(read, sizes, root.instruction->shape()), maps.vector()));
    pass.available = done;
    pass.store = StoreKind::kStore;
    pass.output = root.first_output;
  }
  return plan;
}

}  // namespace hlo_indexing::plan
