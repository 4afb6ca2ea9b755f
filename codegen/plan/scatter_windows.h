// Where the windows of a scatter's updates lie in its arrays, as indexing maps whose runtime
// variables are the elements of the index vectors. Private to codegen.
//
// Example: f32[10] array, s32[4,1] indices, f32[4] updates, of which update b goes to indices[b,
// 0]:
//
//   UpdateOf((d0)[s0] -> (d0), batch (s0))  ->  (d0)[s0]{rt0} -> (s0), rt0 = indices[s0, 0],
//                                               where rt0 in [0, 9] and d0 - rt0 in [0, 0]
//   PlaceOf((d0) -> (d0))                   ->  (d0){rt0} -> (rt0), rt0 = indices[d0, 0],
//                                               where rt0 in [0, 9]
#ifndef HLO_INDEXING_CODEGEN_PLAN_SCATTER_WINDOWS_H_
#define HLO_INDEXING_CODEGEN_PLAN_SCATTER_WINDOWS_H_

#include <cstddef>
#include <cstdint>

#include "codegen/plan/conditions.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AffineExpr.h"

namespace hlo_indexing::plan {

using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;

class ScatterWindows {
 public:
  explicit ScatterWindows(const hlo::Instruction& scatter);

  /// The dimensions of the updates that say which index vector.
  llvm::ArrayRef<int64_t> batch_sizes() const { return batch_sizes_; }

  /// An index that is only one where the conditions hold.
  struct Reached {
    IndexingMap index;
    Conditions conditions;
  };
  /// The element of the updates that an index vector brings to an element of the arrays.
  Reached UpdateOf(const IndexingMap& element, llvm::ArrayRef<mlir::AffineExpr> batch) const;
  /// The element of the arrays that an element of the updates goes to.
  Reached PlaceOf(const IndexingMap& update) const;
  /// The same as one map, the conditions among its constraints; and the map of those updates that
  /// go to an element at all.
  IndexingMap PlacesOf(const IndexingMap& update) const;
  IndexingMap ReachingUpdates(const IndexingMap& update) const;

 private:
  struct Dimension {
    // Of the array: how many elements the window has, and the dimension of the updates that goes
    // over them, if there is one.
    int64_t extent = 1;
    int64_t update_dimension = -1;
    // Where it begins: at this component of the index vector, or beside this batch dimension, else
    // at 0.
    int64_t component = -1;
    int64_t batch_dimension = -1;
  };
  using Expressions = llvm::SmallVector<mlir::AffineExpr, 6>;

  // A map with runtime variables for the index vector behind its own, each clamped to one more on
  // both sides than it may be; and their expressions.
  IndexingMap WithStarts(const IndexingMap& map, llvm::ArrayRef<mlir::AffineExpr> batch,
                         Expressions& starts) const;
  // The map of these results where the starts are as they may be, and that as conditions.
  Reached Inside(const IndexingMap& map, llvm::ArrayRef<mlir::AffineExpr> results,
                 llvm::ArrayRef<mlir::AffineExpr> starts, Expressions tested,
                 llvm::SmallVector<Interval, 4> bounds) const;

  const hlo::Instruction& scatter_;
  const hlo::Instruction& indices_;
  int64_t vector_dimension_ = 0;
  int64_t num_components_ = 0;
  llvm::SmallVector<int64_t, 4> batch_sizes_;
  // Of the updates: which batch dimension it is; -1 for those of the window.
  llvm::SmallVector<int64_t, 6> batch_of_update_;
  llvm::SmallVector<Dimension, 6> dimensions_;
};

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_SCATTER_WINDOWS_H_
