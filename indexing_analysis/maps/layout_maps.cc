#include "indexing_analysis/maps/layout_maps.h"

#include "indexing_analysis/maps/access.h"
#include "simplifier/arithmetic.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using layout::ElementPositions;
using layout::TiledLayout;
using simplifier::QuasiAffineMap;

// The map without points from so many dimensions to so many results.
IndexingMap EmptyMap(size_t num_dimensions, size_t num_results, mlir::MLIRContext* context) {
  const llvm::SmallVector<mlir::AffineExpr> zeros(num_results,
                                                  mlir::getAffineConstantExpr(0, context));
  const auto affine_map =
      mlir::AffineMap::get(static_cast<unsigned>(num_dimensions), 0, zeros, context);
  return IndexingMap::KnownEmpty(IndexingMap(
      affine_map, std::vector<Variable>(num_dimensions, {Interval::Empty(), ""}), {}, {}, {}));
}

// A simplified map; its first variables are dimensions, the others ranges.
IndexingMap Written(DigitContext& digits, QuasiAffineMap map, size_t num_dimensions,
                    mlir::MLIRContext* context) {
  if (map.empty) return EmptyMap(num_dimensions, map.results.size(), context);
  Access access;
  access.map = std::move(map);
  access.num_dimensions = num_dimensions;
  for (size_t i = num_dimensions; i < access.map.boxes.size(); ++i) {
    access.ranges.push_back(static_cast<VariableId>(i));
  }
  return ExportMap(digits, RuntimeTable(), access, UnusedVariables::kDrop, context)
      .value_or(IndexingMap());
}

}  // namespace

IndexingMap PositionMap(const TiledLayout& layout, mlir::MLIRContext* context) {
  const auto rank = static_cast<size_t>(layout.rank());
  DigitContext digits;
  const std::optional<Sum> position = layout.PositionSum(digits);
  if (!position) return EmptyMap(rank, 1, context);
  QuasiAffineMap map;
  for (const int64_t size : layout.dimensions()) map.boxes.push_back({0, size - 1});
  map.results.push_back(*position);
  simplifier::Simplify(digits, map);
  return Written(digits, std::move(map), rank, context);
}

IndexingMap ElementMap(const TiledLayout& layout, mlir::MLIRContext* context) {
  DigitContext digits;
  QuasiAffineMap map = layout.IndexSums(digits);
  if (!map.empty) simplifier::Simplify(digits, map);
  return Written(digits, std::move(map), 1, context);
}

IndexingMap RelayoutMap(const TiledLayout& from, const TiledLayout& to,
                        mlir::MLIRContext* context) {
  DigitContext digits;
  return RelayoutMap(digits, layout::PositionsOf(digits, from), layout::PositionsOf(digits, to),
                     context);
}

IndexingMap RelayoutMap(DigitContext& digits, const ElementPositions& from,
                        const ElementPositions& to, mlir::MLIRContext* context) {
  return Written(digits, layout::RelayoutMap(digits, from, to), 1, context);
}

}  // namespace hlo_indexing::indexing_analysis
