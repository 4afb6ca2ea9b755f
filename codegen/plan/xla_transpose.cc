// Transposes through shared memory: a block reads a tile as it lies in the input, waits, and writes
// it as it lies in the output.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "codegen/plan/thread_map.h"
#include "codegen/plan/xla_emitters.h"
#include "codegen/plan/xla_heroes.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using mlir::AffineExpr;

namespace {

constexpr int64_t kWarpSize = 32;
constexpr int64_t kThreads = 128;
constexpr int64_t kRowsAtATime = kThreads / kWarpSize;

// The maps of a transpose in normalized dimensions.
struct TransposeMaps {
  IndexingMap input;   // to the input
  IndexingMap output;  // to the output
};

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
      const auto bytes = static_cast<uint64_t>(shared_elements() * element_bits / 8);
      if (has_work && bytes <= device.shared_bytes_per_block) return;
    }
    Cut(1);
  }

  int64_t blocks() const { return Product(counts_); }
  int64_t vector() const { return vector_; }
  int64_t shared_elements() const {
    return transpose_.KeepsMinorDimension() ? side_ * (side_ + 1) * vector_ : side_ * (side_ + 1);
  }

  TransposeMaps Maps(const Launch& launch, PlanContext& plans) const {
    TransposeMaps maps;
    maps.input = Map(launch, plans, /*is_input=*/true);
    maps.output = Map(launch, plans, /*is_input=*/false);
    return maps;
  }

 private:
  static int64_t Product(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  }

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

  // In both directions threads go over the tile in the order of its memory there.
  IndexingMap Map(const Launch& launch, PlanContext& plans, bool is_input) const {
    ThreadMapBuilder builder(launch, plans);
    const size_t rank = transpose_.input.size();
    Sizes tile;
    Sizes sizes;
    Expressions blocks;
    const Expressions block_of_input = Delinearize(builder.Block(), counts_);
    for (size_t i = 0; i < rank; ++i) {
      const size_t dimension = is_input ? i : static_cast<size_t>(transpose_.permutation[i]);
      tile.push_back(tile_[dimension]);
      sizes.push_back(transpose_.input[dimension]);
      blocks.push_back(block_of_input[dimension]);
    }
    const int64_t steps = support::CeilDiv(Product(tile), kThreads * vector_);
    const AffineExpr step = builder.Loop(steps);
    const AffineExpr element = builder.Loop(vector_);
    const AffineExpr position = (step * kThreads + builder.Thread()) * vector_ + element;
    const Expressions in_tile = Delinearize(position, tile);
    Expressions index(rank);
    for (size_t i = 0; i < rank; ++i) {
      index[i] = blocks[i] * tile[i] + in_tile[i];
      builder.Constrain(index[i], {0, sizes[i] - 1});
    }
    return builder.Build(index);
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
  int64_t vector() const { return tile_.vector; }
  int64_t shared_elements() const { return kWarpSize * tile_.vector * kWarpSize * tile_.vector; }

  TransposeMaps Maps(const Launch& launch, PlanContext& plans) const {
    TransposeMaps maps;
    {
      // A row of the tile is an element of T2; the lanes go over A and T1.
      ThreadMapBuilder builder(launch, plans);
      const AffineExpr step = builder.Loop(support::CeilDiv(tile_.t2, kRowsAtATime));
      const AffineExpr element = builder.Loop(tile_.vector);
      const AffineExpr thread = builder.Thread();
      maps.input = Map(builder, step * kRowsAtATime + thread.floorDiv(kWarpSize),
                       (thread % kWarpSize) * tile_.vector + element, /*is_input=*/true);
    }
    // A row are as many neighbours of T1 as make a word, written one after the other; the lanes go
    // over T2.
    ThreadMapBuilder builder(launch, plans);
    const int64_t words = support::CeilDiv(tile_.a * tile_.t1, tile_.vector);
    const AffineExpr step = builder.Loop(support::CeilDiv(words, kRowsAtATime));
    const AffineExpr row = builder.Loop(tile_.vector);
    const AffineExpr element = builder.Loop(tile_.vector);
    const AffineExpr thread = builder.Thread();
    const AffineExpr word = step * kRowsAtATime + thread.floorDiv(kWarpSize);
    maps.output = Map(builder, (thread % kWarpSize) * tile_.vector + element,
                      word * tile_.vector + row, /*is_input=*/false);
    return maps;
  }

 private:
  // `t2` and `a_t1` are places in the tile.
  IndexingMap Map(ThreadMapBuilder& builder, AffineExpr t2, AffineExpr a_t1, bool is_input) const {
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
    if (is_input) return builder.Build(of_input);
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
  const llvm::ArrayRef<FusionRoot> roots = input.fused.roots();
  std::optional<NormalizedTranspose> transpose;
  const Instruction* first = nullptr;
  int64_t bits = 0;
  for (const Instruction* hero : input.heroes) {
    const std::optional<NormalizedTranspose> found = TiledTransposeOf(*hero);
    if (!found.has_value()) continue;
    if (first == nullptr) {
      transpose = found;
      first = hero;
    }
    bits = std::max(bits, ElementWidth(hero->shape()));
  }
  KernelPlan plan;
  plan.emitter = Emitter::kTranspose;
  plan.launch.threads[0] = kThreads;
  TransposeMaps maps;
  int64_t vector = 1;
  int64_t shared_elements = 0;
  const std::optional<PackedTile> tile = PackedTileOf(*transpose, bits);
  const bool is_packed = tile.has_value();
  if (is_packed) {
    const PackedTranspose packed(*transpose, *tile);
    plan.variant = "packed transpose";
    plan.launch.blocks[0] = packed.blocks();
    maps = packed.Maps(plan.launch, input.plans);
    vector = packed.vector();
    shared_elements = packed.shared_elements();
  } else {
    const TiledTranspose tiled(*transpose, bits, input.plans.device);
    plan.variant = "transpose";
    plan.launch.blocks[0] = tiled.blocks();
    maps = tiled.Maps(plan.launch, input.plans);
    vector = tiled.vector();
    shared_elements = tiled.shared_elements();
  }
  llvm::SmallVector<const Instruction*, 2> heroes;
  std::vector<ElementPass> stores;
  for (size_t i = 0; i < roots.size(); ++i) {
    const Instruction& root = *roots[i].instruction;
    const Instruction& hero = *input.heroes[i];
    const int64_t output = roots[i].first_output;
    if (!TiledTransposeOf(hero).has_value()) {
      // A side output: stored where the input is read, or where the output is written if that is
      // packed.
      ElementPass& pass = plan.passes.emplace_back();
      pass.instruction = &root;
      pass.map = is_packed ? Bitcast(maps.output, transpose->Output(), root.shape())
                           : Bitcast(maps.input, transpose->input, root.shape());
      pass.store = StoreKind::kStore;
      pass.output = output;
      pass.vector_elements = vector;
      for (size_t k = 0; k < root.operands().size(); ++k) {
        plan.heroes.push_back(
            {output, &root, static_cast<int64_t>(k), ReadOfOperand(input, pass.map, root, 0, k)});
      }
      continue;
    }
    const IndexingMap read = Bitcast(maps.input, transpose->input, hero.operand(0).shape());
    plan.heroes.push_back({output, &hero, 0, read});
    if (!llvm::is_contained(heroes, &hero)) {
      heroes.push_back(&hero);
      plan.passes.push_back(LoadPass(hero.operand(0), read, vector));
      plan.shared_memory_bytes += support::CeilDiv(shared_elements * ElementWidth(hero.shape()), 8);
    }
    ElementPass& store = stores.emplace_back();
    store.instruction = &root;
    store.map = Bitcast(maps.output, transpose->Output(), root.shape());
    store.available = {&hero};
    store.store = StoreKind::kStore;
    store.output = output;
    store.vector_elements = vector;
  }
  llvm::append_range(plan.passes, std::move(stores));
  return plan;
}

}  // namespace hlo_indexing::plan
