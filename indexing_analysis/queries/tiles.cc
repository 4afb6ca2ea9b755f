#include "indexing_analysis/queries/tiles.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "hlo/array_indices.h"
#include "indexing_analysis/queries/reached_elements.h"
#include "indexing_analysis/queries/tile_separation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using mlir::AffineExpr;
using simplifier::Sum;

constexpr char kRuntimeReason[] = "which elements it needs depends on values known at run time";
constexpr char kTooLong[] = "its maps are too long to be written down";
constexpr char kTooMuchWork[] = "finding out which elements are reached takes too much work";

AffineExpr Dim(size_t i, mlir::MLIRContext* context) {
  return mlir::getAffineDimExpr(static_cast<unsigned>(i), context);
}

// (number in the progressions of tiles)[place in the tile] -> element.
IndexingMap ElementOf(const StridedBox& tiles, llvm::ArrayRef<int64_t> tile_sizes,
                      mlir::MLIRContext* context) {
  std::vector<Variable> numbers;
  std::vector<Variable> places;
  llvm::SmallVector<AffineExpr, 4> results;
  for (size_t i = 0; i < tile_sizes.size(); ++i) {
    const Progression& side = tiles.sides[i];
    numbers.push_back({{0, side.size - 1}, ""});
    places.push_back({{0, tile_sizes[i] - 1}, ""});
    results.push_back((Dim(i, context) * side.stride + side.offset) * tile_sizes[i] +
                      mlir::getAffineSymbolExpr(static_cast<unsigned>(i), context));
  }
  const auto rank = static_cast<unsigned>(tile_sizes.size());
  return IndexingMap(mlir::AffineMap::get(rank, rank, results, context), std::move(numbers),
                     std::move(places), {}, {});
}

// tile -> its number in the progressions.
IndexingMap NumberOf(const StridedBox& tiles, mlir::MLIRContext* context) {
  std::vector<Variable> variables;
  llvm::SmallVector<AffineExpr, 4> results;
  llvm::SmallVector<MapConstraint, 4> constraints;
  for (size_t i = 0; i < tiles.sides.size(); ++i) {
    const Progression& side = tiles.sides[i];
    const int64_t last = side.offset + side.stride * (side.size - 1);
    variables.push_back({{side.offset, last}, ""});
    const AffineExpr beyond = Dim(i, context) - side.offset;
    results.push_back(beyond.floorDiv(side.stride));
    if (side.stride > 1) constraints.push_back({beyond % side.stride, Interval::Point(0)});
  }
  return IndexingMap(
      mlir::AffineMap::get(static_cast<unsigned>(tiles.sides.size()), 0, results, context),
      std::move(variables), {}, {}, constraints);
}

bool IsAllTiles(const StridedBox& tiles, llvm::ArrayRef<int64_t> counts) {
  return tiles == WholeArray(counts);
}

// A part of progressions, by numbers in one of them.
StridedBox Part(const StridedBox& tiles, size_t dimension, const Progression& part) {
  StridedBox result = tiles;
  Progression& side = result.sides[dimension];
  side = {side.offset + side.stride * part.offset, part.size,
          part.size == 1 ? 1 : side.stride * part.stride};
  return result;
}

// Finds the regions of one map.
class RegionFinder {
 public:
  RegionFinder(const IndexingMap& map, llvm::ArrayRef<int64_t> tile_sizes,
               llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<int64_t> result_sizes,
               const TileOptions& options)
      : map_(map),
        tile_sizes_(tile_sizes),
        counts_(counts),
        result_sizes_(result_sizes),
        options_(options),
        counter_({options.max_work, options.max_work, size_t{1} << 12,
                  std::min(options.max_work, simplifier::kMaxImagePoints)}) {}

  TileOfArray Find() {
    std::vector<StridedBox> waiting = {WholeArray(counts_)};
    while (!waiting.empty()) {
      const StridedBox tiles = std::move(waiting.back());
      waiting.pop_back();
      const IndexingMap composed = Compose(ElementOf(tiles, tile_sizes_, map_.context()), map_);
      if (composed.IsUnknown()) return Unknown(kTooLong);
      llvm::SmallVector<int64_t, 4> counts;
      for (const Progression& side : tiles.sides) counts.push_back(side.size);
      TileSeparation separation(composed, counts);
      if (separation.IsEmpty()) continue;
      if (separation.IsSeparated()) {
        const std::string problem = AddRegion(tiles, separation);
        if (!problem.empty()) return Superset(problem);
        if (options_.needs_exact && tile_.exactness != Exactness::kExact) break;
        continue;
      }
      const size_t known = waiting.size() + tile_.regions.size();
      const auto kinds =
          separation.FindKinds(options_.max_regions > known ? options_.max_regions - known : 0);
      if (!kinds.has_value()) {
        return Superset(absl::StrCat("tiles have more than ", options_.max_regions, " forms, by ",
                                     separation.MixedText()));
      }
      for (const Progression& part : llvm::reverse(kinds->tiles)) {
        waiting.push_back(Part(tiles, kinds->dimension, part));
      }
    }
    return std::move(tile_);
  }

 private:
  static TileOfArray Unknown(llvm::StringRef reason) {
    TileOfArray result;
    result.exactness = Exactness::kUnknown;
    result.reason = reason.str();
    return result;
  }

  // One region for all tiles, that has all that is needed.
  TileOfArray Superset(std::string reason) {
    const StridedBox tiles = WholeArray(counts_);
    TileSeparation separation(Compose(ElementOf(tiles, tile_sizes_, map_.context()), map_),
                              counts_);
    TileRegion region;
    region.tiles = tiles;
    StridedBox box;
    llvm::SmallVector<Sum, 4> offset;
    for (size_t i = 0; i < separation.results().size(); ++i) {
      TileSeparation::Hull hull = separation.HullOf(i);
      const Interval inside = {0, result_sizes_[i] - 1};
      const Interval values = simplifier::NaturalRange(hull.tile) + hull.place;
      if (!AddBoundOfArray(i, values, separation, true, region)) return Unknown(kTooLong);
      if (!hull.place.IsFinite() || hull.place.upper - hull.place.lower >= result_sizes_[i]) {
        hull = {Sum(), inside, 1};
      }
      const int64_t size = (hull.place.upper - hull.place.lower) / hull.stride + 1;
      box.sides.push_back({0, size, size == 1 ? 1 : hull.stride});
      hull.tile.constant += hull.place.lower;
      offset.push_back(hull.tile);
    }
    region.boxes.push_back(std::move(box));
    std::optional<IndexingMap> map = separation.TileMap(offset, /*ignore_conditions=*/true);
    if (!map.has_value()) return Unknown(kTooLong);
    region.offset = *std::move(map);
    TileOfArray result;
    result.regions.push_back(std::move(region));
    result.exactness = Exactness::kSuperset;
    result.reason = std::move(reason);
    return result;
  }

  // Elements that a superset has too many need not be in the array. False if the bound cannot be
  // written down.
  bool AddBoundOfArray(size_t dimension, const Interval& values, TileSeparation& separation,
                       bool ignore_conditions, TileRegion& region) const {
    const Interval inside = {0, result_sizes_[dimension] - 1};
    if (inside.Contains(values)) return true;
    const std::optional<IndexingMap> zero = separation.TileMap(Sum(), ignore_conditions);
    if (!zero.has_value()) return false;
    region.bounds.push_back({dimension, FromTiles(region.tiles, *zero), inside});
    return true;
  }

  // A map from numbers in the progressions as one from tiles.
  IndexingMap FromTiles(const StridedBox& tiles, const IndexingMap& map) const {
    if (IsAllTiles(tiles, counts_)) return map;
    return Compose(NumberOf(tiles, map_.context()), map);
  }

  // Says what is wrong if there can be no such region.
  std::string AddRegion(const StridedBox& tiles, TileSeparation& separation) {
    const std::optional<IndexingMap> places = separation.PlaceMap();
    if (!places.has_value()) return kTooLong;
    work_ += PointsOf(*places);
    if (work_ > options_.max_work && !tile_.regions.empty()) return kTooMuchWork;
    const Image image = counter_.ImageOfMap(*places);
    if (image.size.upper == 0) return "";
    if (!llvm::all_of(image.bounds, [](const Interval& bounds) { return bounds.IsFinite(); })) {
      return kRuntimeReason;
    }
    TileRegion region;
    region.tiles = tiles;
    llvm::SmallVector<int64_t, 4> least;
    const bool is_exact = FindBoxes(*places, image, region, least);
    llvm::SmallVector<Sum, 4> offset;
    for (size_t i = 0; i < separation.results().size(); ++i) {
      offset.push_back(separation.results()[i].tile);
      offset.back().constant += least[i];
    }
    const std::optional<IndexingMap> map = separation.TileMap(offset, false);
    if (!map.has_value()) return kTooLong;
    region.offset = FromTiles(tiles, *map);
    for (const TileSeparation::Bound& bound : separation.bounds()) {
      const std::optional<IndexingMap> shift = separation.TileMap(bound.shift, false);
      if (!shift.has_value()) return kTooLong;
      region.bounds.push_back({bound.result, FromTiles(tiles, *shift), bound.bounds});
    }
    if (separation.PlacesDependOnRuntime()) BecomeSuperset(kRuntimeReason);
    for (size_t i = 0; i < offset.size() && !is_exact; ++i) {
      const Progression& side = region.boxes.front().sides[i];
      const Interval values =
          simplifier::NaturalRange(offset[i]) + Interval{0, side.stride * (side.size - 1)};
      if (!AddBoundOfArray(i, values, separation, false, region)) return kTooLong;
    }
    tile_.regions.push_back(std::move(region));
    return "";
  }

  // About as many as are tried to find what the map reaches: those of the variables of each result,
  // unless there are too many. A point of many variables takes longer.
  static int64_t PointsOf(const IndexingMap& places) {
    constexpr int64_t kMostTried = int64_t{1} << 20;
    constexpr int64_t kVariablesOfOnePoint = 4;
    const mlir::AffineMap affine = places.affine_map();
    int64_t all = 0;
    for (const AffineExpr result : affine.getResults()) {
      int64_t points = 1;
      int64_t variables = 0;
      const auto count = [&](bool is_used, const Interval& bounds) {
        variables += is_used ? 1 : 0;
        if (!is_used || points > kMostTried) return;
        const auto extent = support::CheckedSub(bounds.upper, bounds.lower);
        points = extent && *extent < kMostTried ? points * (*extent + 1) : kMostTried + 1;
      };
      const size_t num_ranges = places.num_ranges();
      for (unsigned i = 0; i < affine.getNumDims(); ++i) {
        count(result.isFunctionOfDim(i), places.dimensions()[i].bounds);
      }
      for (unsigned i = 0; i < affine.getNumSymbols(); ++i) {
        count(result.isFunctionOfSymbol(i),
              i < num_ranges ? places.ranges()[i].bounds : places.runtime()[i - num_ranges].bounds);
      }
      all += std::min(points, kMostTried) * (1 + variables / kVariablesOfOnePoint);
    }
    return all;
  }

  void BecomeSuperset(llvm::StringRef reason) {
    if (tile_.exactness != Exactness::kExact) return;
    tile_.exactness = Exactness::kSuperset;
    tile_.reason = reason.str();
  }

  // The image of the places as boxes, and the least index in each dimension. False if it is a box
  // around them.
  bool FindBoxes(const IndexingMap& places, const Image& image, TileRegion& region,
                 llvm::SmallVector<int64_t, 4>& least) {
    for (const Interval& bounds : image.bounds) least.push_back(bounds.lower);
    StridedBox around;
    llvm::SmallVector<int64_t, 4> sizes;
    for (const Interval& bounds : image.bounds) {
      sizes.push_back(bounds.upper - bounds.lower + 1);
      around.sides.push_back({0, sizes.back(), 1});
    }
    if (image.box.has_value()) {
      for (size_t i = 0; i < around.sides.size(); ++i) {
        const Progression& side = (*image.box)[i];
        least[i] = side.offset;
        around.sides[i] = {0, side.size, side.stride};
      }
      region.boxes.push_back(std::move(around));
      return true;
    }
    llvm::SmallVector<AffineExpr, 4> shifted;
    for (size_t i = 0; i < sizes.size(); ++i) {
      shifted.push_back(places.affine_map().getResult(static_cast<unsigned>(i)) - least[i]);
    }
    const mlir::AffineMap from_zero =
        mlir::AffineMap::get(places.affine_map().getNumDims(), places.affine_map().getNumSymbols(),
                             shifted, map_.context());
    const ReachedElements reached = counter_.Count(places.WithResults(from_zero), sizes);
    std::vector<StridedBox> boxes = {WholeArray(sizes)};
    const bool is_cut = reached.count.IsExact() && reached.unreached.has_value() &&
                        llvm::all_of(*reached.unreached, [&](const StridedBox& unreached) {
                          return Subtract(unreached, size_t{1} << 10, boxes);
                        });
    if (is_cut) Join(boxes);
    if (is_cut && boxes.size() <= options_.max_boxes) {
      region.boxes = std::move(boxes);
      return true;
    }
    region.boxes.push_back(std::move(around));
    BecomeSuperset(
        absl::StrCat("the elements that it needs are no union of ", options_.max_boxes, " boxes"));
    return false;
  }

  const IndexingMap& map_;
  llvm::ArrayRef<int64_t> tile_sizes_;
  llvm::ArrayRef<int64_t> counts_;
  llvm::ArrayRef<int64_t> result_sizes_;
  const TileOptions& options_;
  ReachCounter counter_;
  int64_t work_ = 0;
  TileOfArray tile_;
};

// What a map of the same variables has more than another one, if that is the same for all tiles.
std::optional<llvm::SmallVector<int64_t, 4>> Distance(const IndexingMap& from,
                                                      const IndexingMap& to) {
  if (from.num_dimensions() != to.num_dimensions() || from.runtime() != to.runtime()) {
    return std::nullopt;
  }
  for (size_t i = 0; i < from.num_dimensions(); ++i) {
    if (from.dimensions()[i].bounds != to.dimensions()[i].bounds) return std::nullopt;
  }
  if (from.constraints() != to.constraints()) return std::nullopt;
  llvm::SmallVector<AffineExpr, 4> differences;
  for (unsigned i = 0; i < from.affine_map().getNumResults(); ++i) {
    differences.push_back(to.affine_map().getResult(i) - from.affine_map().getResult(i));
  }
  const IndexingMap difference = Simplify(from.WithResults(
      mlir::AffineMap::get(from.affine_map().getNumDims(), from.affine_map().getNumSymbols(),
                           differences, from.context())));
  llvm::SmallVector<int64_t, 4> distance;
  for (const AffineExpr result : difference.affine_map().getResults()) {
    const auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(result);
    if (!constant) return std::nullopt;
    distance.push_back(constant.getValue());
  }
  return distance;
}

bool AreSame(const TileBound& a, const TileBound& b) {
  return a.dimension == b.dimension && a.bounds == b.bounds && a.shift == b.shift;
}

// Puts what a region needs into another one of the same tiles, if they always lie in the same place
// to each other and the elements are few boxes together.
bool Merge(const TileRegion& region, size_t max_boxes, TileRegion& into) {
  if (!(region.tiles == into.tiles) ||
      !llvm::equal(region.bounds, into.bounds,
                   [](const TileBound& a, const TileBound& b) { return AreSame(a, b); })) {
    return false;
  }
  const auto distance = Distance(into.offset, region.offset);
  if (!distance.has_value()) return false;
  std::vector<StridedBox> boxes = region.boxes;
  for (StridedBox& box : boxes) {
    for (size_t i = 0; i < box.sides.size(); ++i) box.sides[i].offset += (*distance)[i];
  }
  for (const StridedBox& box : into.boxes) {
    if (!Subtract(box, max_boxes, boxes)) return false;
  }
  llvm::append_range(boxes, into.boxes);
  Join(boxes);
  if (boxes.size() > max_boxes) return false;
  // Offsets are where the least elements are.
  llvm::SmallVector<AffineExpr, 4> results(into.offset.affine_map().getResults());
  for (size_t i = 0; i < results.size(); ++i) {
    int64_t least = boxes.front().sides[i].offset;
    for (const StridedBox& box : boxes) least = std::min(least, box.sides[i].offset);
    for (StridedBox& box : boxes) box.sides[i].offset -= least;
    if (least != 0) results[i] = results[i] + least;
  }
  into.offset = Simplify(into.offset.WithResults(mlir::AffineMap::get(
      into.offset.affine_map().getNumDims(), into.offset.affine_map().getNumSymbols(), results,
      into.offset.context())));
  into.boxes = std::move(boxes);
  return true;
}

// Equal for regions that may be merged: those of the same tiles for the same devices and values.
size_t HashOfTiles(const TileRegion& region) {
  const mlir::AffineMap offset = region.offset.affine_map();
  const IndexingMap domain = region.offset.WithResults(mlir::AffineMap::get(
      offset.getNumDims(), offset.getNumSymbols(), {}, region.offset.context()));
  // The largest numbers are not for keys.
  return static_cast<size_t>(hash_value(domain)) >> 1;
}

}  // namespace

std::optional<std::vector<llvm::SmallVector<int64_t, 4>>> TileRegion::Elements(
    llvm::ArrayRef<int64_t> tile, llvm::ArrayRef<int64_t> runtime) const {
  std::vector<llvm::SmallVector<int64_t, 4>> elements;
  if (!offset.DomainContains(tile, runtime)) return elements;
  const auto first = offset.Evaluate(tile, runtime);
  if (!first.has_value()) return std::nullopt;
  llvm::SmallVector<Interval, 4> inside(first->size(), Interval::All());
  for (const TileBound& bound : bounds) {
    const auto shift = bound.shift.Evaluate(tile, runtime);
    if (!shift.has_value()) return std::nullopt;
    Interval& side = inside[bound.dimension];
    side = side.Intersect(bound.bounds + Interval::Point(shift->front()));
  }
  for (const StridedBox& box : boxes) {
    llvm::SmallVector<int64_t, 4> sizes;
    for (const Progression& side : box.sides) sizes.push_back(side.size);
    hlo::ForEachIndex(sizes, [&](llvm::ArrayRef<int64_t> place) {
      llvm::SmallVector<int64_t, 4> element;
      bool is_inside = true;
      for (size_t i = 0; i < place.size(); ++i) {
        const Progression& side = box.sides[i];
        element.push_back((*first)[i] + side.offset + side.stride * place[i]);
        is_inside &= inside[i].Contains(element.back());
      }
      if (is_inside) elements.push_back(std::move(element));
      return true;
    });
  }
  return elements;
}

llvm::SmallVector<int64_t, 4> TileSizesFor(llvm::ArrayRef<int64_t> tile_sizes,
                                           llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t, 4> result(sizes.size(), 1);
  const size_t count = std::min(tile_sizes.size(), sizes.size());
  for (size_t i = 1; i <= count; ++i) {
    const int64_t size = std::max<int64_t>(sizes[sizes.size() - i], 1);
    result[sizes.size() - i] = std::min(tile_sizes[tile_sizes.size() - i], size);
  }
  return result;
}

llvm::SmallVector<int64_t, 4> NumTiles(llvm::ArrayRef<int64_t> tile_sizes,
                                       llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t, 4> counts;
  for (size_t i = 0; i < sizes.size(); ++i) {
    counts.push_back(support::CeilDiv(sizes[i], tile_sizes[i]));
  }
  return counts;
}

TileOfArray TileOfMap(const IndexingMap& map, llvm::ArrayRef<int64_t> sizes,
                      llvm::ArrayRef<int64_t> tile_sizes, llvm::ArrayRef<int64_t> result_sizes,
                      const TileOptions& options) {
  const llvm::SmallVector<int64_t, 4> counts = NumTiles(tile_sizes, sizes);
  TileOfArray result;
  if (map.IsUnknown()) {
    result.exactness = Exactness::kUnknown;
    result.reason = "the map is unknown";
    return result;
  }
  if (map.IsKnownEmpty() || llvm::is_contained(counts, 0)) return result;
  return RegionFinder(map, tile_sizes, counts, result_sizes, options).Find();
}

TileOfArray TileOfMaps(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<int64_t> sizes,
                       llvm::ArrayRef<int64_t> tile_sizes, llvm::ArrayRef<int64_t> result_sizes,
                       const TileOptions& options) {
  TileOfArray result;
  // A collective has a region for each of thousands of devices.
  llvm::DenseMap<size_t, llvm::SmallVector<size_t, 1>> by_tiles;
  for (const IndexingMap& map : maps) {
    TileOfArray of_map = TileOfMap(map, sizes, tile_sizes, result_sizes, options);
    if (of_map.exactness == Exactness::kUnknown) return of_map;
    if (of_map.exactness == Exactness::kSuperset && result.exactness == Exactness::kExact) {
      result.exactness = Exactness::kSuperset;
      result.reason = std::move(of_map.reason);
    }
    for (TileRegion& region : of_map.regions) {
      llvm::SmallVector<size_t, 1>& of_tiles = by_tiles[HashOfTiles(region)];
      const bool is_merged = llvm::any_of(
          of_tiles, [&](size_t i) { return Merge(region, options.max_boxes, result.regions[i]); });
      if (is_merged) continue;
      of_tiles.push_back(result.regions.size());
      result.regions.push_back(std::move(region));
    }
  }
  return result;
}

TileOfArray TileOfOperand(const OperandIndexing& indexing, llvm::ArrayRef<int64_t> sizes,
                          llvm::ArrayRef<int64_t> tile_sizes, llvm::ArrayRef<int64_t> result_sizes,
                          const TileOptions& options) {
  std::vector<IndexingMap> maps;
  for (const OperandMap& map : indexing.maps()) maps.push_back(map.map);
  TileOfArray result = TileOfMaps(maps, sizes, tile_sizes, result_sizes, options);
  if (indexing.exactness() == Exactness::kExact) return result;
  if (indexing.exactness() == Exactness::kUnknown) result.regions.clear();
  if (result.exactness != Exactness::kUnknown) {
    result.exactness = indexing.exactness();
    result.reason = indexing.reason();
  }
  return result;
}

}  // namespace hlo_indexing::indexing_analysis
