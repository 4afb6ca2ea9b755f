// A dot as products of matrices. Private to the folder.
//
// Example: f32[8,64,32] dot(f32[8,64,16], f32[8,16,32]), batch dimension 0, is 8 products of 64 x
// 16 and 16 x 32: batch 8, rows 64, columns 32, depth 16.
#ifndef HLO_INDEXING_CODEGEN_PLAN_DOT_DIMENSIONS_H_
#define HLO_INDEXING_CODEGEN_PLAN_DOT_DIMENSIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "codegen/plan/fused_computation.h"
#include "codegen/plan/thread_map.h"
#include "hlo/module.h"
#include "mlir/IR/AffineExpr.h"

namespace hlo_indexing::plan {

struct MatrixSizes {
  int64_t batch = 1;
  int64_t rows = 1;
  int64_t columns = 1;
  /// Of the sum.
  int64_t depth = 1;
};

/// Several dimensions of a kind are one, in the order of the operand's memory; those of the sum in
/// the order of lhs, those of the batch as they are given.
class DotDimensions {
 public:
  DotDimensions(const FusedComputation& fused, const hlo::Instruction& dot);

  const hlo::Instruction& instruction() const { return dot_; }

  /// With the rows of that operand, 0 or 1.
  MatrixSizes Matrices(size_t rows_operand) const;
  /// The innermost of the dimensions that are one: of the sum, or of the operand's own ones.
  int64_t MinorSize(size_t operand, bool of_sum) const;

  /// Whether neighbours in memory are neighbours along the sum, in the array that the operand is
  /// made of inside of the kernel.
  bool IsSumMinor(size_t operand) const { return operands_[operand].is_sum_minor; }
  /// Whether neighbours in the result are neighbours along the own dimensions of lhs.
  bool IsResultMinorOfLhs() const;

  /// An element of an operand, of the result.
  Expressions OperandIndex(size_t operand, mlir::AffineExpr batch, mlir::AffineExpr own,
                           mlir::AffineExpr sum) const;
  Expressions ResultIndex(size_t rows_operand, mlir::AffineExpr batch, mlir::AffineExpr row,
                          mlir::AffineExpr column) const;

 private:
  struct Operand {
    // Dimensions of the operand, major first.
    Sizes batch;
    Sizes summed;
    Sizes own;
    // Where its own dimensions are in the result.
    Sizes own_in_result;
    bool is_sum_minor = true;
  };

  int64_t SizeOf(size_t operand, llvm::ArrayRef<int64_t> dimensions) const;
  // The dimension of the operand that is the minor one of the memory that it is made of; -1 if
  // there is none of more than one element.
  static int64_t MinorDimension(const FusedComputation& fused, const hlo::Instruction& operand);

  const hlo::Instruction& dot_;
  std::array<Operand, 2> operands_;
};

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_DOT_DIMENSIONS_H_
