// Which values of a kernel are parts of an expression in its source code, and which have a name.
// Private to the folder.
//
// Example: of `%a = load x; %b = mulf %a, %y; store %b, z` all are one statement, `z[i] = x[i] *
// y`.
#ifndef HLO_INDEXING_CODEGEN_EMIT_CUDA_FOLDING_H_
#define HLO_INDEXING_CODEGEN_EMIT_CUDA_FOLDING_H_

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace hlo_indexing::emit {

class CudaFolding {
 public:
  explicit CudaFolding(mlir::LLVM::LLVMFuncOp function);

  /// Whether its users say what it is; else it is a statement.
  bool IsFolded(mlir::Operation& operation) const {
    return IsNotation(operation) || folded_.contains(&operation);
  }

  /// Constants, addresses and parts of vectors, which are no computation: always folded.
  static bool IsNotation(mlir::Operation& operation);
  /// The operations that use a value, also by way of a notation.
  static llvm::SmallVector<mlir::Operation*, 4> UsersOf(mlir::Value value);
  /// What is written to memory, or waits for others.
  static bool HasEffect(mlir::Operation& operation);

 private:
  void Visit(mlir::Block& block);
  mlir::Operation* UserInBlock(mlir::Operation& operation) const;
  int SizeOf(mlir::Value value) const;
  void Limit(mlir::Operation& operation);
  void UnfoldLoadsBeforeEffects(mlir::Block& block);

  // With how many operations each expression has.
  llvm::DenseMap<mlir::Operation*, int> folded_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_CUDA_FOLDING_H_
