// Makes maps from threads, blocks and loops to elements. Private to `codegen`.
//
// Example: elements of f32[10,20]{0,1} in memory order, one for each of 128 threads in 2 blocks:
//
//   ThreadMapBuilder builder(launch, plans);
//   const mlir::AffineExpr linear = builder.Block() * 128 + builder.Thread();
//   builder.Constrain(linear, {0, 199});
//   const IndexingMap map = builder.Build(builder.ElementAt(linear, shape));
//
//   (th_x, ..., bl_z) -> ((bl_x * 128 + th_x) mod 10, (bl_x * 128 + th_x) floordiv 10), ...
#ifndef HLO_INDEXING_CODEGEN_PLAN_THREAD_MAP_H_
#define HLO_INDEXING_CODEGEN_PLAN_THREAD_MAP_H_

#include <cstdint>
#include <vector>

#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "hlo/shape.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::plan {

using Expressions = llvm::SmallVector<mlir::AffineExpr, 6>;
using Sizes = llvm::SmallVector<int64_t, 6>;

/// The sizes of an array in the order of its memory, major first; row-major without a layout.
/// Example: f32[10,20]{0,1} -> 20, 10
Sizes PhysicalSizes(const hlo::Shape& shape);
/// The dimensions of an array in that order.
/// Example: f32[10,20]{0,1} -> 1, 0
Sizes PhysicalDimensions(const hlo::Shape& shape);
/// Whether the memory of one array could be that of another of the same sizes: each element has the
/// same place, tiles and bits of an element included.
bool HaveSamePlaces(const hlo::Shape& a, const hlo::Shape& b);

/// The row-major position of an index.
mlir::AffineExpr Linearize(llvm::ArrayRef<mlir::AffineExpr> index, llvm::ArrayRef<int64_t> sizes,
                           mlir::MLIRContext* context);
/// The index at a row-major position, which must be inside of the array.
Expressions Delinearize(mlir::AffineExpr position, llvm::ArrayRef<int64_t> sizes);

class ThreadMapBuilder {
 public:
  ThreadMapBuilder(const Launch& launch, PlanContext& plans);

  /// Dimension variables.
  mlir::AffineExpr Thread() const { return Dimension(kThreadX); }
  mlir::AffineExpr Dimension(ThreadDimension dimension) const;
  /// The number of the block: bl_x, and bl_y where x would be beyond its limit.
  mlir::AffineExpr Block() const;
  /// A new loop that runs from 0 to count - 1, inside of those before it.
  mlir::AffineExpr Loop(int64_t count);
  /// The same, or 0 if it would run once only.
  mlir::AffineExpr LoopOrZero(int64_t count);
  /// The values of a dimension variable.
  void Bound(ThreadDimension dimension, indexing_analysis::Interval bounds);
  void Constrain(mlir::AffineExpr expression, indexing_analysis::Interval bounds);

  /// The element at a position in memory order, counted in elements.
  static Expressions ElementAt(mlir::AffineExpr position, const hlo::Shape& shape);
  /// The same where the dimensions of an array of these sizes come in some order, major first.
  static Expressions ElementAt(mlir::AffineExpr position, llvm::ArrayRef<int64_t> sizes,
                               llvm::ArrayRef<int64_t> order);

  /// The simplified map to these results.
  IndexingMap Build(llvm::ArrayRef<mlir::AffineExpr> results) const;

  mlir::MLIRContext* context() const { return plans_.mlir_context; }

 private:
  Launch launch_;
  PlanContext& plans_;
  std::vector<indexing_analysis::Variable> dimensions_;
  std::vector<indexing_analysis::Variable> loops_;
  llvm::SmallVector<indexing_analysis::MapConstraint, 4> constraints_;
};

/// The map whose result is the same place in memory of another array with as many elements, as a
/// bitcast sees it. `map` leads to elements of an array with the sizes `from` in memory order.
IndexingMap Bitcast(const IndexingMap& map, llvm::ArrayRef<int64_t> from, const hlo::Shape& to);
/// The same from elements of an array.
IndexingMap Bitcast(const IndexingMap& map, const hlo::Shape& from, const hlo::Shape& to);

/// The map with one value for a range variable. Known empty if it is not one of its values.
IndexingMap AtRange(const IndexingMap& map, size_t range, int64_t value, MapTable& maps);
/// What a map says of its variables that does not speak of values known at run time.
std::vector<indexing_analysis::MapConstraint> ConstraintsWithoutRuntime(const IndexingMap& map);
/// The map where another one of the same variables is, too, as far as values known at run time do
/// not decide that.
IndexingMap WithConditionsOf(const IndexingMap& map, const IndexingMap& other, MapTable& maps);
/// The bounds by which the lanes of a vector, where maps name what is the same, differ from a loop
/// of as many turns: below 0, as those of no loop are.
indexing_analysis::Interval BoundsOfLane(indexing_analysis::Interval lanes);
/// The expressions alone, for any values of the variables: two maps that are then equal lead to the
/// same element wherever both lead to one. Ranges are loops, or with `has_lane` the last one the
/// lane of a vector (BoundsOfLane). If results depend on none, there are none; else all stay, as
/// their number tells a loop from one within it.
IndexingMap WithoutConditions(const IndexingMap& map, bool has_lane);

/// Of an array whose row is kept, how many loads are compared by AreSamePositions.
inline constexpr size_t kMostComparedOfRow = 8;
/// Whether two positions in memory, of as many variables, are the same for all values that the
/// first map is for: (th_x floordiv 2) mod 16, and th_x floordiv 2, for th_x up to 31.
bool AreSamePositions(const IndexingMap& position, const IndexingMap& other, MapTable& maps);

/// Whether maps are of the same variables, for the same values of these; unknown maps are not.
bool HaveSameDomain(const IndexingMap& a, const IndexingMap& b);
/// Whether the threads of a map, by the bounds and constraints that are written, are among those of
/// another.
bool HasDomainWithin(const IndexingMap& map, const IndexingMap& other);
/// A number that is the same for maps with the same domain.
llvm::hash_code HashOfDomain(const IndexingMap& map);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_THREAD_MAP_H_
