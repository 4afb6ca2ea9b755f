// Which values the integers of a kernel may have. Private to the folder.
//
// Example: of `%i = read tid.x range <0, 256>`, `%j = shli %i, 2`, `%k = addi %j, %loaded`: [0,
// 255], [0, 1020], and all of them
#ifndef HLO_INDEXING_CODEGEN_EMIT_INTEGER_RANGES_H_
#define HLO_INDEXING_CODEGEN_EMIT_INTEGER_RANGES_H_

#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Value.h"
#include "simplifier/interval.h"

namespace hlo_indexing::emit {

class IntegerRanges {
 public:
  explicit IntegerRanges(mlir::LLVM::LLVMFuncOp function);

  /// Of an integer of at most 64 bits, read with its sign; all of its type if nothing is known.
  simplifier::Interval Of(mlir::Value value) const;
  /// Less than all: the value is what it would be without a limit of bits.
  bool IsKnown(mlir::Value value) const;
  bool IsNotNegative(mlir::Value value) const { return Of(value).lower >= 0; }

 private:
  void Visit(mlir::Region& region);
  void VisitLoop(mlir::Operation& operation);
  void VisitBranch(mlir::Operation& operation);
  std::optional<simplifier::Interval> Compute(mlir::Operation& operation) const;

  llvm::DenseMap<mlir::Value, simplifier::Interval> known_;
};

/// The integer that a value is, if it is a constant; with its sign.
std::optional<int64_t> ConstantInteger(mlir::Value value);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_INTEGER_RANGES_H_
