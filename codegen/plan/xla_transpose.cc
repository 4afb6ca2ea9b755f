// Transposes through shared memory: a block reads a tile as it lies in the input, waits, and writes
// it as it lies in the output.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "codegen/plan/thread_map.h"
#include "codegen/plan/transpose_plan.h"
#include "codegen/plan/xla_emitters.h"
#include "codegen/plan/xla_heroes.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using mlir::AffineExpr;

namespace {

constexpr int64_t kWarpSize = 32;
constexpr int64_t kThreads = 128;
constexpr int64_t kRowsAtATime = kThreads / kWarpSize;

// A tile of the dimensions that become minor, padded by an element so that neither rows nor columns
// are in one bank.
class TiledTranspose {
 public:
  TiledTranspose(const NormalizedTranspose& transpose, int64_t element_bits,
                 const ptx::DeviceModel& device)
      : transpose_(transpose) {
    const auto rank = transpose.input.size();
    Cut(1);
    if (transpose.KeepsMinorDimension() || element_bits % 8 != 0) return;
    // Wider tiles move 4 bytes of a thread at a time.
    for (int64_t vector = 32 / element_bits; vector > 1; vector /= 2) {
      const int64_t input_minor = transpose.input[rank - 1];
      const int64_t output_minor =
          transpose.input[static_cast<size_t>(transpose.permutation.back())];
      if (input_minor % vector != 0 || output_minor % vector != 0) continue;
      Cut(vector);
      const bool has_work = blocks() >= device.multiprocessors;
      const auto bytes = static_cast<uint64_t>(SharedElements() * element_bits / 8);
      if (has_work && bytes <= device.shared_bytes_per_block) return;
    }
    Cut(1);
  }

  int64_t blocks() const { return Product(counts_); }
  TransposeMaps Maps(const Launch& launch, PlanContext& plans) const {
    TransposeMaps maps;
    maps.input = Map(launch, plans, Side::kInput, To::kArray);
    maps.output = Map(launch, plans, Side::kOutput, To::kArray);
    maps.vector = vector_;
    const Sizes padded = PaddedTile();
    int64_t stride = Product(padded);
    for (size_t i = 0; i < tile_.size(); ++i) {
      stride /= padded[i];
      if (tile_[i] == 1) continue;
      maps.tile.sizes.push_back(tile_[i]);
      maps.tile.strides.push_back(stride);
    }
    maps.tile.accesses = {{true, Map(launch, plans, Side::kInput, To::kTile), vector_},
                          {false, Map(launch, plans, Side::kOutput, To::kTile), vector_}};
    return maps;
  }

 private:
  static int64_t Product(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  }

  // Rows of words or of whole vectors begin in different banks.
  Sizes PaddedTile() const {
    Sizes padded = tile_;
    ++padded[padded.size() - (transpose_.KeepsMinorDimension() ? 2 : 1)];
    return padded;
  }
  int64_t SharedElements() const { return Product(PaddedTile()); }

  void Cut(int64_t vector) {
    const llvm::SmallVector<int64_t, 4>& input = transpose_.input;
    const size_t rank = input.size();
    side_ = kWarpSize * vector;
    tile_.assign(rank, 1);
    if (transpose_.KeepsMinorDimension()) {
      // Whole rows of the minor dimension move together.
      vector = input.back();
      tile_[rank - 1] = vector;
      tile_[rank - 2] = side_;
      tile_[static_cast<size_t>(transpose_.permutation[rank - 2])] = side_;
    } else {
      tile_[rank - 1] = side_;
      tile_[static_cast<size_t>(transpose_.permutation.back())] = side_;
    }
    vector_ = vector;
    counts_.clear();
    for (size_t i = 0; i < rank; ++i) {
      counts_.push_back(support::CeilDiv(input[i], tile_[i]));
    }
  }

  enum class Side : uint8_t { kInput, kOutput };
  enum class To : uint8_t { kArray, kTile };

  // On both sides threads go over the tile in the order of its memory there. Indices of the tile
  // are in the order of the input, without dimensions of which it has one element.
  IndexingMap Map(const Launch& launch, PlanContext& plans, Side side, To to) const {
    ThreadMapBuilder builder(launch, plans);
    const size_t rank = transpose_.input.size();
    Sizes dimensions;
    Sizes tile;
    for (size_t i = 0; i < rank; ++i) {
      dimensions.push_back(side == Side::kInput ? static_cast<int64_t>(i)
                                                : transpose_.permutation[i]);
      tile.push_back(tile_[static_cast<size_t>(dimensions.back())]);
    }
    const int64_t steps = support::CeilDiv(Product(tile), kThreads * vector_);
    const AffineExpr step = builder.Loop(steps);
    const AffineExpr element = builder.Loop(vector_);
    const AffineExpr position = (step * kThreads + builder.Thread()) * vector_ + element;
    const Expressions in_tile = Delinearize(position, tile);
    const Expressions block_of_input = Delinearize(builder.Block(), counts_);
    Expressions of_array(rank);
    Expressions of_tile(rank);
    for (size_t i = 0; i < rank; ++i) {
      const auto dimension = static_cast<size_t>(dimensions[i]);
      of_array[i] = block_of_input[dimension] * tile[i] + in_tile[i];
      of_tile[dimension] = in_tile[i];
      builder.Constrain(of_array[i], {0, transpose_.input[dimension] - 1});
    }
    if (to == To::kArray) return builder.Build(of_array);
    Expressions cut;
    for (size_t i = 0; i < rank; ++i) {
      if (tile_[i] != 1) cut.push_back(of_tile[i]);
    }
    return builder.Build(cut);
  }

  const NormalizedTranspose& transpose_;
  int64_t side_ = kWarpSize;
  int64_t vector_ = 1;
  Sizes tile_;
  Sizes counts_;
};

// Elements below 32 bits, several of which are one word of shared memory: [T2, A, T1] to
// [T1, A, T2] by tiles of at most 32 words in each direction.
class PackedTranspose {
 public:
  PackedTranspose(const NormalizedTranspose& transpose, const PackedTile& tile)
      : transpose_(transpose), tile_(tile), tile_of_input_(transpose.input.size(), 1) {
    tile_of_input_.back() = tile.t1;
    tile_of_input_[static_cast<size_t>(tile.dimension_t2)] = tile.t2;
    if (tile.dimension_a.has_value()) {
      tile_of_input_[static_cast<size_t>(*tile.dimension_a)] = tile.a;
    }
    for (const int64_t dimension : transpose.permutation) {
      const auto i = static_cast<size_t>(dimension);
      counts_of_output_.push_back(support::CeilDiv(transpose.input[i], tile_of_input_[i]));
    }
  }

  int64_t blocks() const {
    return std::accumulate(counts_of_output_.begin(), counts_of_output_.end(), int64_t{1},
                           std::multiplies<>());
  }
  TransposeMaps Maps(const Launch& launch, PlanContext& plans) const {
    TransposeMaps maps;
    const int64_t side = kWarpSize * tile_.vector;
    maps.vector = tile_.vector;
    maps.side_outputs_with_output = true;
    maps.tile.sizes = {side, side};
    maps.tile.strides = {side, 1};
    {
      // A row of the tile is an element of T2; the lanes go over A and T1.
      const auto map = [&](To to) {
        ThreadMapBuilder builder(launch, plans);
        const AffineExpr step = builder.Loop(support::CeilDiv(tile_.t2, kRowsAtATime));
        const AffineExpr element = builder.Loop(tile_.vector);
        const AffineExpr thread = builder.Thread();
        return Map(builder, step * kRowsAtATime + thread.floorDiv(kWarpSize),
                   (thread % kWarpSize) * tile_.vector + element, to);
      };
      maps.input = map(To::kInput);
      maps.tile.accesses.push_back({true, map(To::kTile), tile_.vector});
    }
    // A row are as many neighbours of T1 as make a word, read together and written one after the
    // other; the lanes go over T2.
    const auto map = [&](To to) {
      ThreadMapBuilder builder(launch, plans);
      const int64_t words = support::CeilDiv(tile_.a * tile_.t1, tile_.vector);
      const AffineExpr step = builder.Loop(support::CeilDiv(words, kRowsAtATime));
      AffineExpr row = builder.Loop(tile_.vector);
      AffineExpr element = builder.Loop(tile_.vector);
      if (to == To::kTile) std::swap(row, element);
      const AffineExpr thread = builder.Thread();
      const AffineExpr word = step * kRowsAtATime + thread.floorDiv(kWarpSize);
      return Map(builder, (thread % kWarpSize) * tile_.vector + element, word * tile_.vector + row,
                 to);
    };
    maps.output = map(To::kOutput);
    maps.tile.accesses.push_back({false, map(To::kTile), tile_.vector});
    return maps;
  }

 private:
  enum class To : uint8_t { kInput, kOutput, kTile };

  // `t2` and `a_t1` are places in the tile.
  IndexingMap Map(ThreadMapBuilder& builder, AffineExpr t2, AffineExpr a_t1, To to) const {
    builder.Constrain(t2, {0, tile_.t2 - 1});
    builder.Constrain(a_t1, {0, tile_.a * tile_.t1 - 1});
    const size_t rank = transpose_.input.size();
    const Expressions blocks = Delinearize(builder.Block(), counts_of_output_);
    Expressions of_input(rank);
    for (size_t i = 0; i < rank; ++i) {
      const auto dimension = static_cast<size_t>(transpose_.permutation[i]);
      of_input[dimension] = blocks[i] * tile_of_input_[dimension];
    }
    AffineExpr& minor = of_input[rank - 1];
    minor = minor + a_t1 % tile_.t1;
    AffineExpr& last = of_input[static_cast<size_t>(tile_.dimension_t2)];
    last = last + t2;
    if (tile_.dimension_a.has_value()) {
      AffineExpr& a = of_input[static_cast<size_t>(*tile_.dimension_a)];
      a = a + a_t1.floorDiv(tile_.t1);
    }
    for (size_t i = 0; i < rank; ++i) {
      builder.Constrain(of_input[i], {0, transpose_.input[i] - 1});
    }
    if (to == To::kTile) {
      // Rows are turned by a word each time that a word of rows has passed.
      const AffineExpr turned = a_t1 + t2.floorDiv(tile_.vector) * tile_.vector;
      return builder.Build({t2, turned % (kWarpSize * tile_.vector)});
    }
    if (to == To::kInput) return builder.Build(of_input);
    Expressions of_output;
    for (const int64_t dimension : transpose_.permutation) {
      of_output.push_back(of_input[static_cast<size_t>(dimension)]);
    }
    return builder.Build(of_output);
  }

  const NormalizedTranspose& transpose_;
  PackedTile tile_;
  Sizes tile_of_input_;
  Sizes counts_of_output_;
};

}  // namespace

KernelPlan PlanTranspose(const EmitterInput& input) {
  const TransposeHeroes heroes = HeroesOfTranspose(input);
  Launch launch;
  launch.threads[0] = kThreads;
  if (const auto tile = PackedTileOf(heroes.transpose, heroes.element_bits)) {
    const PackedTranspose packed(heroes.transpose, *tile);
    launch.blocks[0] = packed.blocks();
    return AssembleTranspose(input, heroes.transpose, launch, packed.Maps(launch, input.plans),
                             "packed transpose");
  }
  const TiledTranspose tiled(heroes.transpose, heroes.element_bits, input.plans.device);
  launch.blocks[0] = tiled.blocks();
  return AssembleTranspose(input, heroes.transpose, launch, tiled.Maps(launch, input.plans),
                           "transpose");
}

}  // namespace hlo_indexing::plan
