#include "layout/tiled_index.h"

#include "layout/row_major.h"
#include "layout/tiling.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

using simplifier::Constraint;
using simplifier::DigitContext;
using simplifier::Division;
using simplifier::Sum;
using Coordinates = llvm::SmallVector<Sum, 6>;

// The bounds of the array in memory behind all tilings.
Bounds FinalBounds(llvm::ArrayRef<int64_t> dimensions, const Layout& layout,
                   llvm::ArrayRef<TilingLevel> levels) {
  return levels.empty() ? PhysicalOrder(dimensions, layout) : levels.back().after;
}

// The coordinates behind a tiling.
Coordinates Apply(DigitContext& context, const TilingLevel& level,
                  llvm::ArrayRef<Sum> coordinates) {
  Coordinates padded(level.num_leading_ones, simplifier::Constant(0));
  padded.append(coordinates.begin(), coordinates.end());
  Coordinates combined;
  size_t next = 0;
  for (const size_t size : level.group_sizes) {
    combined.push_back(*Linearize(context, llvm::ArrayRef<Sum>(padded).slice(next, size),
                                  llvm::ArrayRef<int64_t>(level.before).slice(next, size)));
    next += size;
  }
  const size_t untiled = level.num_untiled();
  Coordinates result(combined.begin(), combined.begin() + untiled);
  Coordinates within;
  for (size_t i = 0; i < level.tile.size(); ++i) {
    const Division division = DivMod(context, combined[untiled + i], level.tile[i]);
    result.push_back(division.quotient);
    within.push_back(division.remainder);
  }
  result.append(within.begin(), within.end());
  return result;
}

// The inverse of Apply; adds a constraint for each dimension that the tiles overrun.
Coordinates Undo(DigitContext& context, const TilingLevel& level, llvm::ArrayRef<Sum> coordinates,
                 llvm::SmallVectorImpl<Constraint>& constraints) {
  const size_t untiled = level.num_untiled();
  Coordinates result;
  size_t next = 0;
  for (size_t i = 0; i < level.combined.size(); ++i) {
    Sum coordinate = coordinates[i];
    if (i >= untiled) {
      const simplifier::ScaledSum parts[] = {{coordinate, level.tile[i - untiled]},
                                             {coordinates[i + level.tile.size()], 1}};
      coordinate = Linear(context, parts);
      if (level.combined[i] != level.padded[i]) {
        constraints.push_back({coordinate, {0, level.combined[i] - 1}});
      }
    }
    result.append(
        Delinearize(context, coordinate,
                    llvm::ArrayRef<int64_t>(level.before).slice(next, level.group_sizes[i])));
    next += level.group_sizes[i];
  }
  result.erase(result.begin(), result.begin() + level.num_leading_ones);
  return result;
}

}  // namespace

std::optional<Sum> PhysicalIndex(DigitContext& context, llvm::ArrayRef<Sum> index,
                                 llvm::ArrayRef<int64_t> dimensions, const Layout& layout) {
  const auto levels = TilingLevels(dimensions, layout);
  if (!levels) return std::nullopt;
  Coordinates coordinates;
  for (const int64_t dimension : llvm::reverse(layout.minor_to_major)) {
    coordinates.push_back(index[static_cast<size_t>(dimension)]);
  }
  for (const TilingLevel& level : *levels) coordinates = Apply(context, level, coordinates);
  return Linearize(context, coordinates, FinalBounds(dimensions, layout, *levels));
}

std::optional<LogicalIndexResult> LogicalIndex(DigitContext& context, const Sum& position,
                                               llvm::ArrayRef<int64_t> dimensions,
                                               const Layout& layout) {
  const auto levels = TilingLevels(dimensions, layout);
  if (!levels) return std::nullopt;
  LogicalIndexResult result;
  Coordinates coordinates =
      Delinearize(context, position, FinalBounds(dimensions, layout, *levels));
  for (const TilingLevel& level : llvm::reverse(*levels)) {
    coordinates = Undo(context, level, coordinates, result.constraints);
  }
  result.index.assign(dimensions.size(), simplifier::Constant(0));
  for (size_t i = 0; i < coordinates.size(); ++i) {
    const int64_t dimension = layout.minor_to_major[coordinates.size() - 1 - i];
    result.index[static_cast<size_t>(dimension)] = coordinates[i];
  }
  return result;
}

std::optional<int64_t> PhysicalElements(llvm::ArrayRef<int64_t> dimensions, const Layout& layout) {
  const auto levels = TilingLevels(dimensions, layout);
  if (!levels) return std::nullopt;
  const std::optional<int64_t> elements = Product(FinalBounds(dimensions, layout, *levels));
  if (!elements) return std::nullopt;
  return support::CheckedMul(support::CeilDiv(*elements, layout.tail_padding_alignment),
                             layout.tail_padding_alignment);
}

}  // namespace hlo_indexing::layout
