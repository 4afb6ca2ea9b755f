// Transposes through shared memory, in tiles of 32 words by 32 words.
//
// A word are V elements that become 32 bits, or one element that is not narrower, or a row of the
// minor dimension if that stays minor. A warp reads a row of 32 words V times, for V rows of the
// input. Then each lane has V x V elements, which it turns in its registers, and stores V words of
// the tile, in which columns of the input are rows; other lanes read these as the rows of the
// output. Stores would meet in one bank: the swizzle moves the words of a row by the number of the
// lane that stores them, so that neither side has conflicts.
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

#include "codegen/plan/our_emitters.h"
#include "codegen/plan/thread_map.h"
#include "codegen/plan/xla_emitters.h"
#include "codegen/plan/xla_heroes.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using mlir::AffineExpr;

namespace {

constexpr int64_t kWarpSize = 32;
constexpr int64_t kWarps = 8;

// Log2 of a power of two.
int64_t BitsOf(int64_t power) { return std::countr_zero(static_cast<uint64_t>(power)); }

// The number of 32 words that a swizzle adds to each run of `words_of_source` words.
std::optional<layout::CuteSwizzle> SwizzleOf(int64_t elements_of_word, int64_t rows_of_lane) {
  constexpr int64_t kBits = 5;
  const absl::StatusOr<layout::CuteSwizzle> swizzle =
      layout::CuteSwizzle::Create(kBits, BitsOf(elements_of_word), kBits + BitsOf(rows_of_lane));
  return swizzle.ok() ? std::optional(*swizzle) : std::nullopt;
}

class TransposeTiles {
 public:
  TransposeTiles(const NormalizedTranspose& transpose, int64_t element_bits)
      : transpose_(transpose), rank_(transpose.input.size()) {
    keeps_minor_ = transpose.KeepsMinorDimension();
    column_ = rank_ - (keeps_minor_ ? 2 : 1);
    row_ = static_cast<size_t>(transpose.permutation[column_]);
    if (keeps_minor_) {
      unit_ = transpose.input.back();
      vector_ = std::has_single_bit(static_cast<uint64_t>(unit_)) ? unit_ : 1;
    } else if (element_bits == 8 || element_bits == 16) {
      const int64_t packed = kWarpSize / element_bits;
      if (Size(row_) % packed == 0 && Size(column_) % packed == 0) packed_ = packed;
      vector_ = packed_;
    }
    tile_.assign(rank_, 1);
    tile_[row_] = kWarpSize * packed_;
    tile_[column_] = kWarpSize * packed_;
    if (keeps_minor_) tile_[rank_ - 1] = unit_;
    for (size_t i = 0; i < rank_; ++i) counts_.push_back(support::CeilDiv(Size(i), tile_[i]));
  }

  Launch launch() const {
    Launch launch;
    launch.threads[0] = kWarps * kWarpSize;
    for (const int64_t count : counts_) launch.blocks[0] *= count;
    return launch;
  }

  TransposeMaps Maps(PlanContext& plans) const {
    TransposeMaps maps;
    maps.vector = vector_;
    maps.input = Map(plans, &TransposeTiles::ReadOf, To::kInput);
    maps.output = Map(plans, &TransposeTiles::WriteOf, To::kOutput);
    const int64_t side = kWarpSize * packed_;
    maps.tile.sizes = {side, side};
    maps.tile.strides = {side, 1};
    if (keeps_minor_) {
      const bool has_swizzle = vector_ == unit_;
      maps.tile.sizes.push_back(unit_);
      maps.tile.strides = {(has_swizzle ? side : side + 1) * unit_, unit_, 1};
      if (has_swizzle) maps.tile.swizzle = SwizzleOf(unit_, 1);
    } else {
      maps.tile.swizzle = SwizzleOf(packed_, packed_);
    }
    maps.tile.accesses = {{true, Map(plans, &TransposeTiles::FillOf, To::kTile), vector_},
                          {false, Map(plans, &TransposeTiles::WriteOf, To::kTile), vector_}};
    return maps;
  }

 private:
  enum class To : uint8_t { kInput, kOutput, kTile };
  // Inside of a tile; `unit` is the element of a row of the minor dimension that stays.
  struct Place {
    AffineExpr row;
    AffineExpr column;
    AffineExpr unit;
  };
  using PlaceOf = Place (TransposeTiles::*)(ThreadMapBuilder&) const;

  int64_t Size(size_t dimension) const { return transpose_.input[dimension]; }

  static AffineExpr Lane(const ThreadMapBuilder& builder) { return builder.Thread() % kWarpSize; }
  // The number of a word of those that the warps go over.
  static AffineExpr WordOfWarp(ThreadMapBuilder& builder, int64_t words) {
    const AffineExpr step = builder.LoopOrZero(words / kWarps);
    return step * kWarps + builder.Thread().floorDiv(kWarpSize);
  }

  // A warp has a row of words of the tile: the places of its elements, in the order of memory.
  Place RowOfUnits(ThreadMapBuilder& builder, AffineExpr major) const {
    const AffineExpr step = builder.LoopOrZero(unit_ / vector_);
    const AffineExpr element = builder.LoopOrZero(vector_);
    const AffineExpr position = (step * kWarpSize + Lane(builder)) * vector_ + element;
    return {major, position.floorDiv(unit_), position % unit_};
  }

  // What a thread reads of the input.
  Place ReadOf(ThreadMapBuilder& builder) const {
    const AffineExpr word = WordOfWarp(builder, kWarpSize);
    if (keeps_minor_) return RowOfUnits(builder, word);
    const AffineExpr row = builder.LoopOrZero(packed_);
    const AffineExpr column = builder.LoopOrZero(packed_);
    return {word * packed_ + row, Lane(builder) * packed_ + column, Zero(builder)};
  }
  // The same, turned: vectors run along the rows of the input.
  Place FillOf(ThreadMapBuilder& builder) const {
    if (keeps_minor_) return ReadOf(builder);
    const AffineExpr word = WordOfWarp(builder, kWarpSize);
    const AffineExpr column = builder.LoopOrZero(packed_);
    const AffineExpr row = builder.LoopOrZero(packed_);
    return {word * packed_ + row, Lane(builder) * packed_ + column, Zero(builder)};
  }
  // What a thread reads of the tile, and writes to the output.
  Place WriteOf(ThreadMapBuilder& builder) const {
    const AffineExpr column = WordOfWarp(builder, kWarpSize * packed_);
    if (keeps_minor_) {
      const Place place = RowOfUnits(builder, column);
      return {place.column, place.row, place.unit};
    }
    return {Lane(builder) * packed_ + builder.LoopOrZero(packed_), column, Zero(builder)};
  }

  static AffineExpr Zero(const ThreadMapBuilder& builder) {
    return mlir::getAffineConstantExpr(0, builder.context());
  }

  IndexingMap Map(PlanContext& plans, PlaceOf place_of, To to) const {
    ThreadMapBuilder builder(launch(), plans);
    const Place place = (this->*place_of)(builder);
    Expressions of_input = Delinearize(builder.Block(), counts_);
    for (size_t i = 0; i < rank_; ++i) of_input[i] = of_input[i] * tile_[i];
    of_input[row_] = of_input[row_] + place.row;
    of_input[column_] = of_input[column_] + place.column;
    if (keeps_minor_) of_input[rank_ - 1] = of_input[rank_ - 1] + place.unit;
    for (size_t i = 0; i < rank_; ++i) builder.Constrain(of_input[i], {0, Size(i) - 1});
    switch (to) {
      case To::kInput:
        return builder.Build(of_input);
      case To::kOutput: {
        Expressions of_output;
        for (const int64_t dimension : transpose_.permutation) {
          of_output.push_back(of_input[static_cast<size_t>(dimension)]);
        }
        return builder.Build(of_output);
      }
      case To::kTile:
        break;
    }
    Expressions of_tile = {place.column, place.row};
    if (keeps_minor_) of_tile.push_back(place.unit);
    return builder.Build(of_tile);
  }

  const NormalizedTranspose& transpose_;
  size_t rank_;
  bool keeps_minor_ = false;
  // Dimensions of the input: the minor one, and that which becomes minor; but for one that stays.
  size_t column_ = 0;
  size_t row_ = 0;
  // Elements of a word; of the minor dimension that stays; and of an access of a thread.
  int64_t packed_ = 1;
  int64_t unit_ = 1;
  int64_t vector_ = 1;
  Sizes tile_;
  Sizes counts_;
};

}  // namespace

KernelPlan PlanOurTranspose(const EmitterInput& input) {
  const TransposeHeroes heroes = HeroesOfTranspose(input);
  const TransposeTiles tiles(heroes.transpose, heroes.element_bits);
  return AssembleTranspose(input, heroes.transpose, tiles.launch(), tiles.Maps(input.plans),
                           "transpose");
}

}  // namespace hlo_indexing::plan
