#include "layout/tiled_index.h"

#include "layout/row_major.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

using simplifier::Constraint;
using simplifier::DigitContext;
using simplifier::Division;
using simplifier::Sum;
using Bounds = llvm::SmallVector<int64_t, 8>;
using Coordinates = llvm::SmallVector<Sum, 6>;

// The bounds of an array in memory, dimensions major to minor.
Bounds PhysicalOrder(llvm::ArrayRef<int64_t> dimensions, const Layout& layout) {
  Bounds bounds;
  for (const int64_t dimension : llvm::reverse(layout.minor_to_major)) {
    bounds.push_back(dimensions[static_cast<size_t>(dimension)]);
  }
  return bounds;
}

// One tiling, with the bounds that it meets: first dimensions are combined, then cut.
class TilingStep {
 public:
  TilingStep(llvm::ArrayRef<int64_t> bounds, const Tile& tile) {
    const size_t missing =
        tile.dimensions.size() > bounds.size() ? tile.dimensions.size() - bounds.size() : 0;
    leading_ones_ = missing;
    before_.assign(missing, 1);
    before_.append(bounds.begin(), bounds.end());
    const size_t start = before_.size() - tile.dimensions.size();
    combined_.assign(before_.begin(), before_.begin() + static_cast<std::ptrdiff_t>(start));
    group_sizes_.assign(start, 1);
    std::optional<int64_t> group = 1;
    size_t group_size = 0;
    for (size_t i = 0; i < tile.dimensions.size(); ++i) {
      group = group ? support::CheckedMul(*group, before_[start + i]) : std::nullopt;
      ++group_size;
      if (tile.dimensions[i] == kCombineDimension) continue;
      fits_ &= group.has_value();
      combined_.push_back(group.value_or(0));
      group_sizes_.push_back(group_size);
      tile_.push_back(tile.dimensions[i]);
      group = 1;
      group_size = 0;
    }
  }

  bool fits() const { return fits_; }

  // The bounds after the tiling.
  Bounds After() const {
    const size_t untiled = combined_.size() - tile_.size();
    Bounds after(combined_.begin(), combined_.begin() + static_cast<std::ptrdiff_t>(untiled));
    for (size_t i = 0; i < tile_.size(); ++i) {
      after.push_back(support::CeilDiv(combined_[untiled + i], tile_[i]));
    }
    after.append(tile_.begin(), tile_.end());
    return after;
  }

  Coordinates Apply(DigitContext& context, llvm::ArrayRef<Sum> coordinates) const {
    Coordinates padded(leading_ones_, simplifier::Constant(0));
    padded.append(coordinates.begin(), coordinates.end());
    Coordinates combined;
    size_t next = 0;
    for (const size_t size : group_sizes_) {
      combined.push_back(*Linearize(context, llvm::ArrayRef<Sum>(padded).slice(next, size),
                                    llvm::ArrayRef<int64_t>(before_).slice(next, size)));
      next += size;
    }
    const size_t untiled = combined.size() - tile_.size();
    Coordinates result(combined.begin(), combined.begin() + static_cast<std::ptrdiff_t>(untiled));
    Coordinates within;
    for (size_t i = 0; i < tile_.size(); ++i) {
      const Division division = DivMod(context, combined[untiled + i], tile_[i]);
      result.push_back(division.quotient);
      within.push_back(division.remainder);
    }
    result.append(within.begin(), within.end());
    return result;
  }

  // The inverse of Apply; adds a constraint for each dimension that the tiles overrun.
  Coordinates Undo(DigitContext& context, llvm::ArrayRef<Sum> coordinates,
                   llvm::SmallVectorImpl<Constraint>& constraints) const {
    const size_t untiled = combined_.size() - tile_.size();
    Coordinates result;
    size_t next = 0;
    for (size_t i = 0; i < combined_.size(); ++i) {
      Sum coordinate = coordinates[i];
      if (i >= untiled) {
        const int64_t size = tile_[i - untiled];
        const simplifier::ScaledSum parts[] = {{coordinate, size},
                                               {coordinates[i + tile_.size()], 1}};
        coordinate = Linear(context, parts);
        if (combined_[i] % size != 0) {
          constraints.push_back({coordinate, {0, combined_[i] - 1}});
        }
      }
      result.append(Delinearize(context, coordinate,
                                llvm::ArrayRef<int64_t>(before_).slice(next, group_sizes_[i])));
      next += group_sizes_[i];
    }
    result.erase(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(leading_ones_));
    return result;
  }

 private:
  size_t leading_ones_ = 0;
  // The bounds met, with leading ones so that the tile has no more dimensions than they.
  Bounds before_;
  // The bounds after combining dimensions, and how many of `before_` each of them combines.
  Bounds combined_;
  llvm::SmallVector<size_t, 8> group_sizes_;
  // The tile sizes without `*`; they tile the last dimensions of `combined_`.
  Bounds tile_;
  bool fits_ = true;
};

// The tilings of a layout with their bounds; nothing where a size does not fit.
std::optional<llvm::SmallVector<TilingStep, 2>> TilingSteps(llvm::ArrayRef<int64_t> dimensions,
                                                            const Layout& layout, Bounds& bounds) {
  bounds = PhysicalOrder(dimensions, layout);
  llvm::SmallVector<TilingStep, 2> steps;
  for (const Tile& tile : layout.tiles) {
    steps.emplace_back(bounds, tile);
    if (!steps.back().fits()) return std::nullopt;
    bounds = steps.back().After();
    if (!Product(bounds)) return std::nullopt;
  }
  return steps;
}

}  // namespace

std::optional<Sum> PhysicalIndex(DigitContext& context, llvm::ArrayRef<Sum> index,
                                 llvm::ArrayRef<int64_t> dimensions, const Layout& layout) {
  Bounds bounds;
  const auto steps = TilingSteps(dimensions, layout, bounds);
  if (!steps) return std::nullopt;
  Coordinates coordinates;
  for (const int64_t dimension : llvm::reverse(layout.minor_to_major)) {
    coordinates.push_back(index[static_cast<size_t>(dimension)]);
  }
  for (const TilingStep& step : *steps) coordinates = step.Apply(context, coordinates);
  return Linearize(context, coordinates, bounds);
}

std::optional<LogicalIndexResult> LogicalIndex(DigitContext& context, const Sum& position,
                                               llvm::ArrayRef<int64_t> dimensions,
                                               const Layout& layout) {
  Bounds bounds;
  const auto steps = TilingSteps(dimensions, layout, bounds);
  if (!steps) return std::nullopt;
  LogicalIndexResult result;
  Coordinates coordinates = Delinearize(context, position, bounds);
  for (const TilingStep& step : llvm::reverse(*steps)) {
    coordinates = step.Undo(context, coordinates, result.constraints);
  }
  result.index.assign(dimensions.size(), simplifier::Constant(0));
  for (size_t i = 0; i < coordinates.size(); ++i) {
    const int64_t dimension = layout.minor_to_major[coordinates.size() - 1 - i];
    result.index[static_cast<size_t>(dimension)] = coordinates[i];
  }
  return result;
}

std::optional<int64_t> PhysicalElements(llvm::ArrayRef<int64_t> dimensions, const Layout& layout) {
  Bounds bounds;
  if (!TilingSteps(dimensions, layout, bounds)) return std::nullopt;
  const std::optional<int64_t> elements = Product(bounds);
  if (!elements) return std::nullopt;
  return support::CheckedMul(support::CeilDiv(*elements, layout.tail_padding_alignment),
                             layout.tail_padding_alignment);
}

}  // namespace hlo_indexing::layout
