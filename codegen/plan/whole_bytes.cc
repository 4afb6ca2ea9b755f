#include "codegen/plan/whole_bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace hlo_indexing::plan {

using hlo::Shape;
using indexing_analysis::Interval;
using indexing_analysis::MapConstraint;
using mlir::AffineExpr;
using mlir::AffineMap;

namespace {

constexpr int64_t kByte = 8;

unsigned LaneSymbol(const IndexingMap& map) { return static_cast<unsigned>(map.num_ranges() - 1); }

// Whether all values of the last range variable are elements, or none is.
bool AreLanesAlike(const IndexingMap& map, int64_t lanes) {
  if (!(map.ranges().back().bounds == Interval{0, lanes - 1})) return false;
  return llvm::none_of(map.constraints(), [&](const MapConstraint& constraint) {
    return constraint.expression.isFunctionOfSymbol(LaneSymbol(map));
  });
}

// Whether lanes are neighbours in memory, the first of them at the beginning of a byte.
bool AreLanesOfBytes(const IndexingMap& position, int64_t of_byte, PlanContext& plans) {
  const AffineMap affine = position.affine_map();
  const unsigned lane = LaneSymbol(position);
  llvm::SmallVector<AffineExpr, 8> symbols;
  for (unsigned i = 0; i < affine.getNumSymbols(); ++i) {
    symbols.push_back(i == lane ? mlir::getAffineConstantExpr(0, plans.mlir_context)
                                : mlir::getAffineSymbolExpr(i, plans.mlir_context));
  }
  const AffineExpr first = affine.getResult(0).replaceSymbols(symbols);
  const AffineExpr distance =
      affine.getResult(0) - first - mlir::getAffineSymbolExpr(lane, plans.mlir_context);
  const auto is_zero = [&](AffineExpr expression) {
    const IndexingMap map = plans.maps.Simplified(position.WithResults(AffineMap::get(
        affine.getNumDims(), affine.getNumSymbols(), expression, plans.mlir_context)));
    return map.IsKnownEmpty() || map.affine_map().getResult(0) == 0;
  };
  return is_zero(distance) && is_zero(first % of_byte);
}

// Where lanes are not alike, loops of the kernel that store what they compute write each byte that
// has an element.
bool WritesBytesInPart(const KernelPlan& plan, const ElementPass& pass) {
  return plan.emitter == Emitter::kConcatenate || plan.emitter == Emitter::kRows ||
         pass.available.empty();
}

bool WritesWholeBytes(const KernelPlan& plan, const ElementPass& pass, PlanContext& plans) {
  const Shape& shape = pass.instruction->shape().ArrayLeaf(pass.leaf);
  if (!IsPacked(shape) || shape.num_elements() == 1 || pass.map.IsKnownEmpty()) return true;
  const int64_t of_byte = kByte / shape.StorageBits();
  if (pass.vector_elements % of_byte != 0 || pass.map.IsUnknown()) return false;
  if (!WritesBytesInPart(plan, pass) && !AreLanesAlike(pass.map, pass.vector_elements)) {
    return false;
  }
  const IndexingMap position = plans.maps.PositionsAt(pass.map, shape);
  return !position.IsUnknown() && AreLanesOfBytes(position, of_byte, plans);
}

}  // namespace

bool IsPacked(const Shape& shape) { return shape.StorageBits() < kByte; }

bool IsPackedInTiles(const Shape& shape) {
  return IsPacked(shape) && shape.layout() != nullptr && !shape.layout()->tiles.empty();
}

int64_t NumPlaces(const Shape& shape, PlanContext& plans) {
  const IndexingMap& elements = plans.maps.Elements(shape);
  if (elements.IsUnknown() || elements.IsKnownEmpty()) return 0;
  return llvm::alignTo(elements.dimensions().front().bounds.upper + 1, kByte / shape.StorageBits());
}

int64_t VectorOfPlaces(const Shape& shape, int64_t most, PlanContext& plans) {
  const int64_t of_byte = kByte / shape.StorageBits();
  const int64_t places = NumPlaces(shape, plans);
  for (int64_t vector = most; vector > of_byte; vector /= 2) {
    if (places < vector) continue;
    const IndexingMap place(AffineMap::get(1, 1,
                                           mlir::getAffineDimExpr(0, plans.mlir_context) * vector +
                                               mlir::getAffineSymbolExpr(0, plans.mlir_context),
                                           plans.mlir_context),
                            {{{0, places / vector - 1}, "d0"}}, {{{0, vector - 1}, ""}}, {}, {});
    const IndexingMap element = plans.maps.Compose(place, plans.maps.Elements(shape));
    if (!element.IsUnknown() && AreLanesAlike(element, vector)) return vector;
  }
  return of_byte;
}

bool WritesWholeBytes(const KernelPlan& plan, PlanContext& plans) {
  return llvm::all_of(plan.passes, [&](const ElementPass& pass) {
    return pass.store == StoreKind::kNone || WritesWholeBytes(plan, pass, plans);
  });
}

void ShareBytes(KernelPlan& plan, PlanContext& plans) {
  for (ElementPass& pass : plan.passes) {
    if (pass.store != StoreKind::kStore || WritesWholeBytes(plan, pass, plans)) continue;
    const Shape& shape = pass.instruction->shape().ArrayLeaf(pass.leaf);
    pass.store = StoreKind::kSharedByte;
    pass.first_counter = plan.num_counters();
    plan.shared_bytes += NumPlaces(shape, plans) * shape.StorageBits() / kByte;
  }
}

}  // namespace hlo_indexing::plan
