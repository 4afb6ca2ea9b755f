// Transposes through shared memory, in tiles of 32 words by 32 words, or 16 by 16.
//
// A word are V elements: four, of bytes eight, but no more than are 16 bytes of any array, or as
// many as become 32 bits; or one element that is not narrower; or a row of the minor dimension if
// that stays minor. Where a dimension has fewer elements than a tile, the tile takes the dimensions
// before it, too. Neighbouring threads read a row of words V times, for V rows of the input. Then
// each has V x V elements, which it turns in its registers, and stores V words of the tile, in
// which columns of the input are rows; other threads read these as the rows of the output. Stores
// would meet in few banks: the swizzle moves the words of a row by the number of the thread that
// stores them, so that neither side has conflicts. Where a word is one element, a word of padding
// behind each row does the same, and the places of a thread are constants apart.
#include <algorithm>
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

constexpr int64_t kThreads = 256;
// Tiles of so many bytes have more threads: each has as many elements as of others.
constexpr int64_t kLargeTile = 64 << 10;
constexpr int64_t kThreadsOfLargeTile = 512;
// Rows of tiles are so long if they can be: DRAM does not like shorter ones.
constexpr int64_t kBytesOfRow = 256;
constexpr int64_t kMostWords = 32;
constexpr int64_t kLeastWords = 16;  // of a row, so that each thread has one of the tile
constexpr int64_t kWordBits = 32;
constexpr int64_t kBankBytes = 128;  // of all banks together

// Log2 of a power of two.
int64_t BitsOf(int64_t power) { return std::countr_zero(static_cast<uint64_t>(power)); }

// Exchanges the words of each row of a tile by the thread that stores them: rows of so many
// elements, words of so many elements, which are so many rows of a thread, too.
std::optional<layout::CuteSwizzle> SwizzleOf(int64_t words_of_banks, int64_t elements_of_row,
                                             int64_t elements_of_word) {
  const absl::StatusOr<layout::CuteSwizzle> swizzle = layout::CuteSwizzle::Create(
      BitsOf(words_of_banks), BitsOf(elements_of_word), BitsOf(elements_of_row));
  return swizzle.ok() ? std::optional(*swizzle) : std::nullopt;
}

class TransposeTiles {
 public:
  TransposeTiles(const EmitterInput& input, const NormalizedTranspose& transpose,
                 int64_t element_bits)
      : transpose_(transpose),
        keeps_minor_(transpose.KeepsMinorDimension()),
        element_bits_(element_bits) {
    ChooseDimensions();
    if (keeps_minor_) {
      unit_ = transpose.input.back();
      vector_ = std::has_single_bit(static_cast<uint64_t>(unit_)) ? unit_ : 1;
    } else {
      ChooseWords(input);
      vector_ = packed_;
    }
    side_ = words_ * packed_;
    counts_ = {support::CeilDiv(num_rows_, side_), support::CeilDiv(num_columns_, side_)};
    for (const size_t dimension : others_) counts_.push_back(Size(dimension));
  }

  int64_t vector() const { return vector_; }

  Launch launch() const {
    Launch launch;
    launch.threads[0] = threads_;
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
      if (has_swizzle) maps.tile.swizzle = SwizzleOf(side_, side_, unit_);
    } else if (packed_ > 1) {
      maps.tile.swizzle =
          SwizzleOf(std::min(words_, kBankBytes * 8 / (packed_ * element_bits_)), side_, packed_);
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
    constexpr int64_t kMostOfTile = 32 * kWordBits;
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

  // How many elements are a word, so that all arrays of the kernel are read and written in whole
  // ones.
  void ChooseWords(const EmitterInput& input) {
    const auto most = [&](auto may_be) {
      int64_t elements = 1;
      while (may_be(2 * elements) && num_rows_ % (2 * elements) == 0 &&
             num_columns_ % (2 * elements) == 0) {
        elements *= 2;
      }
      return elements;
    };
    packed_ = most([&](int64_t elements) { return elements * element_bits_ <= kWordBits; });
    const int64_t widest = std::min<int64_t>(element_bits_ > 8 ? 4 : 8, WidestVector(input));
    const int64_t wide = most([&](int64_t elements) { return elements <= widest; });
    if (wide <= packed_) return;
    const int64_t least_side = words_ * packed_;
    for (int64_t words = std::min(kMostWords, kBytesOfRow * 8 / (wide * element_bits_));
         words >= kLeastWords && words * wide >= least_side; words /= 2) {
      if (!IsWorthIt(words * wide, least_side, input.plans.device.multiprocessors)) continue;
      packed_ = wide;
      words_ = words;
      if (words * words * wide * wide * element_bits_ >= kLargeTile * 8) {
        threads_ = kThreadsOfLargeTile;
      }
      return;
    }
  }

  // Larger tiles are, where they are neither few nor mostly empty.
  bool IsWorthIt(int64_t side, int64_t least_side, int64_t multiprocessors) const {
    const auto tiles_of = [&](int64_t of_side) {
      return support::CeilDiv(num_rows_, of_side) * support::CeilDiv(num_columns_, of_side);
    };
    int64_t tiles = tiles_of(side);
    if (tiles * side * side * 2 > tiles_of(least_side) * least_side * least_side * 3) return false;
    for (const size_t dimension : others_) tiles *= Size(dimension);
    return side == least_side || tiles >= multiprocessors;
  }

  AffineExpr Lane(const ThreadMapBuilder& builder) const { return builder.Thread() % words_; }
  // The number of a row of words of those that the threads go over.
  AffineExpr RowOfWords(ThreadMapBuilder& builder, int64_t rows) const {
    const int64_t at_a_time = threads_ / words_;
    const AffineExpr step = builder.LoopOrZero(rows / at_a_time);
    return step * at_a_time + builder.Thread().floorDiv(words_);
  }

  // A warp has a row of words of the tile: the places of its elements, in the order of memory.
  Place RowOfUnits(ThreadMapBuilder& builder, AffineExpr major) const {
    const AffineExpr step = builder.LoopOrZero(unit_ / vector_);
    const AffineExpr element = builder.LoopOrZero(vector_);
    const AffineExpr position = (step * words_ + Lane(builder)) * vector_ + element;
    return {major, position.floorDiv(unit_), position % unit_};
  }

  // What a thread reads of the input.
  Place ReadOf(ThreadMapBuilder& builder) const {
    const AffineExpr word = RowOfWords(builder, words_);
    if (keeps_minor_) return RowOfUnits(builder, word);
    const AffineExpr row = builder.LoopOrZero(packed_);
    const AffineExpr column = builder.LoopOrZero(packed_);
    return {word * packed_ + row, Lane(builder) * packed_ + column, Zero(builder)};
  }
  // The same, turned: vectors run along the rows of the input.
  Place FillOf(ThreadMapBuilder& builder) const {
    if (keeps_minor_) return ReadOf(builder);
    const AffineExpr word = RowOfWords(builder, words_);
    const AffineExpr column = builder.LoopOrZero(packed_);
    const AffineExpr row = builder.LoopOrZero(packed_);
    return {word * packed_ + row, Lane(builder) * packed_ + column, Zero(builder)};
  }
  // What a thread reads of the tile, and writes to the output.
  Place WriteOf(ThreadMapBuilder& builder) const {
    const AffineExpr column = RowOfWords(builder, side_);
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
  int64_t element_bits_;
  // Dimensions of the input, but for a minor one that stays; the first two major first.
  Dimensions rows_;
  Dimensions columns_;
  Dimensions others_;
  int64_t num_rows_ = 1;
  int64_t num_columns_ = 1;
  int64_t threads_ = kThreads;
  // Elements of a word; of the minor dimension that stays; and of an access of a thread.
  int64_t packed_ = 1;
  int64_t unit_ = 1;
  int64_t vector_ = 1;
  // Words of a row of a tile; rows and columns of a tile; tiles in rows and columns, then the sizes
  // of the others.
  int64_t words_ = 32;
  int64_t side_ = 32;
  Sizes counts_;
};

}  // namespace

KernelPlan PlanOurTranspose(const EmitterInput& input) {
  const TransposeHeroes heroes = HeroesOfTranspose(input);
  const TransposeTiles tiles(input, heroes.transpose, heroes.element_bits);
  // Two threads would write to one byte.
  if (heroes.element_bits * tiles.vector() < 8) return PlanOurLoop(input);
  return AssembleTranspose(input, heroes.transpose, tiles.launch(), tiles.Maps(input.plans),
                           "transpose");
}

}  // namespace hlo_indexing::plan
