// Transposes through shared memory, in tiles of 32 words by 32 words.
//
// A word are V elements that become 32 bits, or one element that is not narrower, or a row of the
// minor dimension if that stays minor. Where a dimension has fewer elements than a tile, the tile
// takes the dimensions before it, too. A warp reads a row of 32 words V times, for V rows of the
// input. Then each lane has V x V elements, which it turns in its registers, and stores V words of
// the tile, in which columns of the input are rows; other lanes read these as the rows of the
// output. Stores would meet in one bank: the swizzle moves the words of a row by the number of the
// lane that stores them, so that neither side has conflicts. Where a word is one element, a word of
// padding behind each row does the same, and the places of a thread are constants apart.
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

#include "codegen/plan/our_emitters.h"
#include "codegen/plan/thread_map.h"
#include "codegen/plan/transpose_plan.h"
#include "codegen/plan/xla_heroes.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using mlir::AffineExpr;

namespace {

constexpr int64_t kWarpSize = 32;
constexpr int64_t kWarps = 8;
constexpr int64_t kWordBits = 32;

// Log2 of a power of two.
int64_t BitsOf(int64_t power) { return std::countr_zero(static_cast<uint64_t>(power)); }

// Exchanges the 32 words of each row of a tile by the lane that stores them: words of so many
// elements, so many rows of a lane.
std::optional<layout::CuteSwizzle> SwizzleOf(int64_t elements_of_word, int64_t rows_of_lane) {
  constexpr int64_t kBits = 5;
  const absl::StatusOr<layout::CuteSwizzle> swizzle =
      layout::CuteSwizzle::Create(kBits, BitsOf(elements_of_word), kBits + BitsOf(rows_of_lane));
  return swizzle.ok() ? std::optional(*swizzle) : std::nullopt;
}

class TransposeTiles {
 public:
  TransposeTiles(const NormalizedTranspose& transpose, int64_t element_bits)
      : transpose_(transpose), keeps_minor_(transpose.KeepsMinorDimension()) {
    ChooseDimensions();
    if (keeps_minor_) {
      unit_ = transpose.input.back();
      vector_ = std::has_single_bit(static_cast<uint64_t>(unit_)) ? unit_ : 1;
    } else {
      while (packed_ * 2 * element_bits <= kWordBits && num_rows_ % (packed_ * 2) == 0 &&
             num_columns_ % (packed_ * 2) == 0) {
        packed_ *= 2;
      }
      vector_ = packed_;
    }
    side_ = kWarpSize * packed_;
    counts_ = {support::CeilDiv(num_rows_, side_), support::CeilDiv(num_columns_, side_)};
    for (const size_t dimension : others_) counts_.push_back(Size(dimension));
  }

  int64_t vector() const { return vector_; }

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
    maps.tile.sizes = {side_, side_};
    maps.tile.strides = {side_, 1};
    if (keeps_minor_) {
      const bool has_swizzle = vector_ == unit_;
      maps.tile.sizes.push_back(unit_);
      maps.tile.strides = {(has_swizzle ? side_ : side_ + 1) * unit_, unit_, 1};
      if (has_swizzle) maps.tile.swizzle = SwizzleOf(unit_, 1);
    } else if (packed_ > 1) {
      maps.tile.swizzle = SwizzleOf(packed_, packed_);
    } else {
      maps.tile.strides.front() = side_ + 1;
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
  using Dimensions = llvm::SmallVector<size_t, 4>;

  int64_t Size(size_t dimension) const { return transpose_.input[dimension]; }

  // Columns are neighbours in the input, rows in the output: the minor dimension of each, and those
  // before it until there are as many as a tile has.
  void ChooseDimensions() {
    constexpr int64_t kMostOfTile = kWarpSize * kWordBits;
    const size_t rank = transpose_.input.size() - (keeps_minor_ ? 1 : 0);
    const auto row_of = [&](size_t i) { return static_cast<size_t>(transpose_.permutation[i]); };
    for (size_t i = rank - 1; i != row_of(rank - 1) && num_columns_ < kMostOfTile; --i) {
      columns_.insert(columns_.begin(), i);
      num_columns_ *= Size(i);
    }
    for (size_t i = rank; i > 0 && num_rows_ < kMostOfTile; --i) {
      const size_t row = row_of(i - 1);
      if (llvm::is_contained(columns_, row)) break;
      rows_.insert(rows_.begin(), row);
      num_rows_ *= Size(row);
    }
    for (size_t i = 0; i < rank; ++i) {
      if (!llvm::is_contained(columns_, i) && !llvm::is_contained(rows_, i)) others_.push_back(i);
    }
  }

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
    const AffineExpr column = WordOfWarp(builder, side_);
    if (keeps_minor_) {
      const Place place = RowOfUnits(builder, column);
      return {place.column, place.row, place.unit};
    }
    return {Lane(builder) * packed_ + builder.LoopOrZero(packed_), column, Zero(builder)};
  }

  static AffineExpr Zero(const ThreadMapBuilder& builder) {
    return mlir::getAffineConstantExpr(0, builder.context());
  }

  // Sets the indices of some dimensions to those at a row-major position in them.
  void SetDimensions(const Dimensions& dimensions, AffineExpr position,
                     Expressions& of_input) const {
    Sizes sizes;
    for (const size_t dimension : dimensions) sizes.push_back(Size(dimension));
    const Expressions index = Delinearize(position, sizes);
    for (size_t i = 0; i < dimensions.size(); ++i) of_input[dimensions[i]] = index[i];
  }

  IndexingMap Map(PlanContext& plans, PlaceOf place_of, To to) const {
    ThreadMapBuilder builder(launch(), plans);
    const Place place = (this->*place_of)(builder);
    const Expressions block = Delinearize(builder.Block(), counts_);
    const AffineExpr row = block[0] * side_ + place.row;
    const AffineExpr column = block[1] * side_ + place.column;
    builder.Constrain(row, {0, num_rows_ - 1});
    builder.Constrain(column, {0, num_columns_ - 1});
    if (to == To::kTile) {
      Expressions of_tile = {place.column, place.row};
      if (keeps_minor_) of_tile.push_back(place.unit);
      return builder.Build(of_tile);
    }
    Expressions of_input(transpose_.input.size());
    SetDimensions(rows_, row, of_input);
    SetDimensions(columns_, column, of_input);
    for (size_t i = 0; i < others_.size(); ++i) of_input[others_[i]] = block[2 + i];
    if (keeps_minor_) of_input.back() = place.unit;
    if (to == To::kInput) return builder.Build(of_input);
    Expressions of_output;
    for (const int64_t dimension : transpose_.permutation) {
      of_output.push_back(of_input[static_cast<size_t>(dimension)]);
    }
    return builder.Build(of_output);
  }

  const NormalizedTranspose& transpose_;
  bool keeps_minor_;
  // Dimensions of the input, but for a minor one that stays; the first two major first.
  Dimensions rows_;
  Dimensions columns_;
  Dimensions others_;
  int64_t num_rows_ = 1;
  int64_t num_columns_ = 1;
  // Elements of a word; of the minor dimension that stays; and of an access of a thread.
  int64_t packed_ = 1;
  int64_t unit_ = 1;
  int64_t vector_ = 1;
  // Rows and columns of a tile; tiles in rows and columns, then the sizes of the others.
  int64_t side_ = kWarpSize;
  Sizes counts_;
};

}  // namespace

KernelPlan PlanOurTranspose(const EmitterInput& input) {
  const TransposeHeroes heroes = HeroesOfTranspose(input);
  const TransposeTiles tiles(heroes.transpose, heroes.element_bits);
  // Two threads would write to one byte.
  if (heroes.element_bits * tiles.vector() < 8) return PlanOurLoop(input);
  return AssembleTranspose(input, heroes.transpose, tiles.launch(), tiles.Maps(input.plans),
                           "transpose");
}

}  // namespace hlo_indexing::plan
