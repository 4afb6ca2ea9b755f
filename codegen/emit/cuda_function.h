// A function of a kernel's module as CUDA C++. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_CUDA_FUNCTION_H_
#define HLO_INDEXING_CODEGEN_EMIT_CUDA_FUNCTION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "codegen/emit/cuda_expressions.h"
#include "codegen/emit/cuda_folding.h"
#include "codegen/emit/cuda_names.h"
#include "codegen/emit/integer_ranges.h"
#include "codegen/emit/kernel_builder.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace hlo_indexing::emit {

class CudaFunction {
 public:
  /// `source`: the lines of HLO that the code comes from, which become comments.
  CudaFunction(mlir::LLVM::LLVMFuncOp function, const SourceLines& source, llvm::raw_ostream& out);

  CudaNames& names() { return names_; }
  CudaExpressions& expressions() { return expressions_; }
  /// The statements of the body, two spaces to the right for each block that they are in.
  void WriteBody();
  absl::Status status() const;

 private:
  void WriteBlock(mlir::Block& block);
  void WriteOperation(mlir::Operation& operation);
  void WriteLine(const std::string& text);
  void WritePosition(mlir::Operation& operation);

  // `const float x = ...;`, from where on the value is `x`.
  void DefineValue(mlir::Value value, llvm::StringRef fallback, const CudaExpression& expression);
  // `float x;` or `float x = ...;`, which is assigned later.
  std::string DeclareVariable(mlir::Value value, llvm::StringRef fallback, mlir::Value init);
  std::string NameFor(mlir::Value value, llvm::StringRef fallback);
  llvm::StringRef FallbackOf(mlir::Operation& operation);
  bool IsSigned(mlir::Value value) const;

  void WriteLoad(mlir::LLVM::LoadOp load);
  void AssignElements(const std::string& name, mlir::Value vector);
  void WriteStore(mlir::LLVM::StoreOp store);
  void WriteAtomic(mlir::LLVM::AtomicRMWOp atomic);
  void WriteCompareAndSwap(mlir::LLVM::AtomicCmpXchgOp swap);
  void WriteShuffle(mlir::Operation& operation);
  void WriteMatrixLoad(mlir::NVVM::LdMatrixOp load);
  void WriteMultiply(mlir::NVVM::MmaOp multiply);
  void WriteReturn(mlir::LLVM::ReturnOp operation);
  void WriteFor(mlir::scf::ForOp loop);
  void WriteWhile(mlir::scf::WhileOp loop);
  void WriteIf(mlir::scf::IfOp branch);
  bool WriteAsConditional(mlir::scf::IfOp branch);
  // variables = values, all at once.
  void Assign(llvm::ArrayRef<std::string> variables, mlir::ValueRange values,
              mlir::ValueRange held);
  bool ReadsAnyOf(mlir::Value value, mlir::ValueRange held);
  std::string AtomicPointer(mlir::Value address, mlir::Type element, const std::string& type);
  void Fail(const std::string& what);

  mlir::LLVM::LLVMFuncOp function_;
  const SourceLines& source_;
  llvm::raw_ostream& out_;
  CudaFolding folding_;
  IntegerRanges ranges_;
  CudaNames names_;
  CudaExpressions expressions_;
  int depth_ = 1;
  int loops_ = 0;
  // Of HLO, from 1; 0 before the first.
  unsigned line_ = 0;
  absl::Status status_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_CUDA_FUNCTION_H_
