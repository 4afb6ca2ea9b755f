#include "indexing_analysis/queries/distinct_sectors.h"

#include <optional>
#include <utility>
#include <vector>

#include "indexing_analysis/queries/progression_sectors.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::DynamicAPInt;
using mlir::AffineExpr;

// The same positions with one variable for the thread in its block, the block, and, if asked, the
// last range, which is the element of a thread that has several neighbours: what emitters cut the
// number of an element into, as in
//
//   ((bl_x * 128 + th_x) floordiv 100) * 104 + (bl_x * 128 + th_x) mod 100
//
// is digits of one variable then, which take their values independently of each other. nullopt if
// these variables do not begin at 0, or if there are too many threads.
std::optional<IndexingMap> WithThreadNumber(const MemoryAccess& access, bool has_range) {
  const IndexingMap& map = access.position;
  constexpr size_t kThread = 0;
  constexpr size_t kBlock = 3;
  constexpr size_t kNumDimensions = 6;
  if (map.num_dimensions() != kNumDimensions) return std::nullopt;
  std::vector<Variable> dimensions = map.dimensions().vec();
  std::vector<Variable> ranges = map.ranges().vec();
  const Interval threads = dimensions[kThread].bounds;
  const Interval blocks = dimensions[kBlock].bounds;
  const Interval elements = has_range ? ranges.back().bounds : Interval::Point(0);
  if (threads.lower != 0 || blocks.lower != 0 || elements.lower != 0) return std::nullopt;
  const int64_t vector = elements.upper + 1;
  const auto in_block = support::CheckedMul(threads.upper + 1, vector);
  const auto all =
      in_block.has_value() ? support::CheckedMul(*in_block, blocks.upper + 1) : std::nullopt;
  if (!all.has_value()) return std::nullopt;

  mlir::MLIRContext* context = map.context();
  const AffineExpr number = mlir::getAffineDimExpr(kThread, context);
  llvm::SmallVector<AffineExpr, kNumDimensions> of_dimension;
  for (unsigned i = 0; i < dimensions.size(); ++i) {
    of_dimension.push_back(mlir::getAffineDimExpr(i, context));
  }
  llvm::SmallVector<AffineExpr, 4> of_symbol;
  for (unsigned i = 0; i < map.num_ranges() + map.num_runtime(); ++i) {
    of_symbol.push_back(mlir::getAffineSymbolExpr(i, context));
  }
  of_dimension[kThread] = number.floorDiv(vector) % (threads.upper + 1);
  of_dimension[kBlock] = number.floorDiv(*in_block);
  dimensions[kThread].bounds = {0, *all - 1};
  dimensions[kBlock].bounds = Interval::Point(0);
  if (has_range) {
    of_symbol[ranges.size() - 1] = number % vector;
    ranges.back().bounds = Interval::Point(0);
  }
  const auto replace = [&](AffineExpr expression) {
    return expression.replaceDimsAndSymbols(of_dimension, of_symbol);
  };
  llvm::SmallVector<MapConstraint, 4> constraints;
  for (const MapConstraint& constraint : map.constraints()) {
    constraints.push_back({replace(constraint.expression), constraint.bounds});
  }
  std::vector<RuntimeVariable> runtime;
  for (const RuntimeVariable& value : map.runtime()) {
    runtime.push_back({.bounds = value.bounds, .name = "", .calls = {}, .index = {}});
  }
  const auto position =
      mlir::AffineMap::get(map.affine_map().getNumDims(), map.affine_map().getNumSymbols(),
                           replace(map.affine_map().getResult(0)));
  return Simplify(IndexingMap(position, std::move(dimensions), std::move(ranges),
                              std::move(runtime), constraints));
}

std::optional<Image::Count> SectorsOfImage(const IndexingMap& position, int64_t element_bits,
                                           int64_t sector_bits) {
  const AffineExpr sector =
      (position.affine_map().getResult(0) * element_bits).floorDiv(sector_bits);
  const auto map = mlir::AffineMap::get(position.affine_map().getNumDims(),
                                        position.affine_map().getNumSymbols(), sector);
  const std::optional<Image> image = ImageOf(Simplify(position.WithResults(map)));
  if (!image.has_value()) return std::nullopt;
  return image->size;
}

// Of positions that are a progression, or dense; nullopt of others.
std::optional<DynamicAPInt> SectorsOfAll(const IndexingMap& position, int64_t element_bits,
                                         int64_t sector_bits) {
  const std::optional<Image> image = ImageOf(position);
  if (!image.has_value() || image->size.upper == 0) return std::nullopt;
  // Where no two neighbours have a whole sector between them, every sector is met.
  if (image->largest_gap.has_value() &&
      DynamicAPInt(*image->largest_gap) * element_bits <= sector_bits) {
    const auto sector_at = [&](int64_t value) {
      return llvm::floorDiv(DynamicAPInt(value) * element_bits, DynamicAPInt(sector_bits));
    };
    return sector_at(image->bounds.front().upper) - sector_at(image->bounds.front().lower) + 1;
  }
  if (!image->box.has_value()) return std::nullopt;
  const simplifier::Progression& positions = image->box->front();
  const DynamicAPInt step_bits = DynamicAPInt(positions.stride) * element_bits;
  if (positions.size > 1 && step_bits >= sector_bits) return DynamicAPInt(positions.size);
  const auto sector_of = [&](int64_t number) {
    return llvm::floorDiv(DynamicAPInt(positions.offset) * element_bits + step_bits * number,
                          DynamicAPInt(sector_bits));
  };
  return sector_of(positions.size - 1) - sector_of(0) + 1;
}

}  // namespace

Image::Count DistinctSectorsOf(const MemoryAccess& access, int64_t sector_bits) {
  if (const auto sectors = SectorsOfProgression(access, sector_bits)) return {*sectors, *sectors};
  const bool has_ranges = access.position.num_ranges() > 0;
  const bool is_vector = has_ranges && access.vector_elements > 1;
  for (const bool has_range : {true, false}) {
    if (has_range ? !has_ranges : is_vector) continue;
    const std::optional<IndexingMap> position = WithThreadNumber(access, has_range);
    if (!position.has_value()) continue;
    if (position->IsKnownEmpty()) return {DynamicAPInt(0), DynamicAPInt(0)};
    // Constraints are tried point by point, for positions as for sectors.
    if (position->constraints().empty()) {
      const auto sectors = SectorsOfAll(*position, access.element_bits, sector_bits);
      if (sectors.has_value()) return {*sectors, *sectors};
    }
    // Many points may have to be tried.
    if (has_range != is_vector) continue;
    const auto sectors = SectorsOfImage(*position, access.element_bits, sector_bits);
    if (sectors.has_value() && sectors->IsExact()) return *sectors;
  }
  const auto sectors = SectorsOfImage(access.position, access.element_bits, sector_bits);
  return sectors.value_or(Image::Count{DynamicAPInt(0), DynamicAPInt(support::kInt64Max)});
}

}  // namespace hlo_indexing::indexing_analysis
