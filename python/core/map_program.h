// A map at many points at once: what NumPy arrays of indices are put through.
#ifndef HLO_INDEXING_PYTHON_CORE_MAP_PROGRAM_H_
#define HLO_INDEXING_PYTHON_CORE_MAP_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/AffineExpr.h"

namespace hlo_indexing::python {

/// The values of one variable: one for each point, or the same for all.
struct Column {
  const int64_t* data = nullptr;
  bool is_constant = false;
};

/// Evaluates block by block, operation by operation, so that each is a loop over an array.
/// Immutable: several threads may use it at once.
///
/// Example: of (d0) -> (d0 * 4 + 1), domain: d0 in [0, 2], at {0, 2} -> {1, 9}
class MapProgram {
 public:
  explicit MapProgram(const indexing_analysis::IndexingMap& map);

  size_t num_variables() const { return bounds_.size(); }
  size_t num_results() const { return results_.size(); }

  /// A point without results, and why.
  struct Failure {
    enum class Kind : uint8_t { kOutsideOfBounds, kConstraint, kOverflow };
    size_t point = 0;
    Kind kind = Kind::kOverflow;
    /// The variable, or the constraint.
    size_t number = 0;
  };

  /// Writes result i of point p to `results[i][p]`. Columns: dimension, range, then runtime
  /// variables. Stops at a point outside of the domain, and where 64 bits do not do.
  std::optional<Failure> Run(llvm::ArrayRef<Column> columns, size_t num_points,
                             llvm::ArrayRef<int64_t*> results) const;

  /// Whether each point is in the domain; one at which a constraint overflows is not.
  void Contains(llvm::ArrayRef<Column> columns, size_t num_points, bool* is_inside) const;

 private:
  enum class Code : uint8_t { kAdd, kMultiply, kFloorDiv, kCeilDiv, kMod };
  struct Operation {
    Code code;
    size_t left;
    size_t right;
    // The right side, if it is a constant.
    std::optional<int64_t> constant;
  };
  struct Checked {
    size_t value;
    indexing_analysis::Interval bounds;
  };
  class Blocks;

  void ContainsOneByOne(llvm::ArrayRef<Column> columns, size_t first, size_t count,
                        bool* is_inside) const;
  size_t NumberOf(mlir::AffineExpr expression, size_t num_dimensions);

  indexing_analysis::IndexingMap map_;
  // Values are numbered: variables, constants and operations in the order in which they are made.
  std::vector<indexing_analysis::Interval> bounds_;
  std::vector<std::pair<size_t, int64_t>> constants_;
  // By the number of the value that it gives.
  std::vector<std::pair<size_t, Operation>> operations_;
  std::vector<Checked> constraints_;
  std::vector<size_t> results_;
  llvm::DenseMap<mlir::AffineExpr, size_t> numbers_;
  size_t num_values_ = 0;
  bool is_empty_ = false;
};

}  // namespace hlo_indexing::python

#endif  // HLO_INDEXING_PYTHON_CORE_MAP_PROGRAM_H_
