#include "indexing_analysis/queries/tile_cuts.h"

#include <algorithm>
#include <utility>

#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/linear_function.h"
#include "mlir/IR/AffineMap.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {

using llvm::DynamicAPInt;

namespace {

// The sum of (a * i + b) floordiv m for i in [0, n); a, b >= 0, m >= 1. As the lattice points below
// a line are counted: quotients of a and b apart, then the line seen from the other axis.
DynamicAPInt FloorSum(DynamicAPInt n, DynamicAPInt m, DynamicAPInt a, DynamicAPInt b) {
  const DynamicAPInt zero(0);
  DynamicAPInt sum(0);
  while (n > zero) {
    sum += n * (n - DynamicAPInt(1)) / DynamicAPInt(2) * (a / m) + n * (b / m);
    a = a % m;
    b = b % m;
    const DynamicAPInt top = a * n + b;
    n = top / m;
    b = top % m;
    std::swap(m, a);
  }
  return sum;
}

// How many pairs of x in [0, n) and y in [0, m) have a * x + b * y <= most; n, m, b >= 1.
DynamicAPInt PairsUpTo(const DynamicAPInt& most, const DynamicAPInt& n, const DynamicAPInt& m,
                       DynamicAPInt a, const DynamicAPInt& b) {
  const DynamicAPInt zero(0);
  const DynamicAPInt one(1);
  DynamicAPInt limit = most;
  if (a < zero) {
    // From the last x backwards.
    limit -= a * (n - one);
    a = -a;
  }
  if (limit < zero) return zero;
  // How many x have some y, and all of them.
  const auto number_of_x = [&](const DynamicAPInt& rest) {
    if (rest < zero) return zero;
    return a == zero ? n : std::min(n, rest / a + one);
  };
  const DynamicAPInt all = number_of_x(limit - b * (m - one));
  const DynamicAPInt some = number_of_x(limit);
  return all * m + some - all + FloorSum(some - all, b, a, limit - a * (some - one));
}

// The result of a map as such a start, if it is linear and depends on one dimension only.
std::optional<Cut::Start> StartOf(const IndexingMap& map) {
  LinearFunction function;
  const size_t num_dimensions = map.num_dimensions();
  function.coefficients.resize(num_dimensions + map.affine_map().getNumSymbols());
  if (!function.Add(map.affine_map().getResult(0), 1, num_dimensions)) return std::nullopt;
  Cut::Start result = {.of = 0, .step = 0, .start = function.constant};
  for (size_t i = 0; i < function.coefficients.size(); ++i) {
    if (function.coefficients[i] == 0) continue;
    if (result.step != 0 || i >= num_dimensions) return std::nullopt;
    result.of = i;
    result.step = function.coefficients[i];
  }
  return result;
}

}  // namespace

DynamicAPInt Cut::Count(const Progression& tiles, const Progression& side) const {
  const DynamicAPInt step(start.step);
  const DynamicAPInt first =
      DynamicAPInt(start.start) + step * DynamicAPInt(tiles.offset) + DynamicAPInt(side.offset);
  const auto up_to = [&](const DynamicAPInt& most) {
    return PairsUpTo(most - first, DynamicAPInt(tiles.size), DynamicAPInt(side.size),
                     step * DynamicAPInt(tiles.stride), DynamicAPInt(side.stride));
  };
  DynamicAPInt count = inside.upper == Interval::kPlusInfinity
                           ? DynamicAPInt(tiles.size) * DynamicAPInt(side.size)
                           : up_to(DynamicAPInt(inside.upper));
  if (inside.lower != Interval::kMinusInfinity) count -= up_to(DynamicAPInt(inside.lower) - 1);
  return count;
}

std::optional<llvm::SmallVector<std::optional<Cut>, 4>> CutsOf(const TileRegion& region) {
  const mlir::AffineMap offset = region.offset.affine_map();
  llvm::SmallVector<std::optional<Cut>, 4> cuts(offset.getNumResults());
  for (const TileBound& bound : region.bounds) {
    const IndexingMap distance = Simplify(region.offset.WithResults(
        mlir::AffineMap::get(offset.getNumDims(), offset.getNumSymbols(),
                             offset.getResult(static_cast<unsigned>(bound.dimension)) -
                                 bound.shift.affine_map().getResult(0))));
    if (distance.IsKnownEmpty() || distance.IsUnknown()) return std::nullopt;
    const std::optional<Cut::Start> start = StartOf(distance);
    if (!start.has_value()) return std::nullopt;
    std::optional<Cut>& cut = cuts[bound.dimension];
    if (!cut.has_value()) {
      cut = Cut{.start = *start, .inside = bound.bounds};
    } else if (cut->start.of == start->of && cut->start.step == start->step) {
      const auto shift = support::CheckedSub(cut->start.start, start->start);
      if (!shift.has_value()) return std::nullopt;
      cut->inside = cut->inside.Intersect(bound.bounds + Interval::Point(*shift));
    } else {
      return std::nullopt;
    }
  }
  for (size_t i = 0; i < cuts.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!cuts[i] || !cuts[j] || cuts[i]->IsOfAllTiles() || cuts[j]->IsOfAllTiles()) continue;
      if (cuts[i]->start.of == cuts[j]->start.of) return std::nullopt;
    }
  }
  return cuts;
}

}  // namespace hlo_indexing::indexing_analysis
