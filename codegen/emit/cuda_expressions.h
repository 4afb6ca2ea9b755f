// Values of a kernel as expressions of CUDA C++. Private to the folder.
//
// Integers of MLIR have no sign, those of C++ do, and overflow of signed ones is undefined. What is
// known to stay in its range (integer_ranges.h), as indices are, is computed in signed integers,
// all else in unsigned ones.
#ifndef HLO_INDEXING_CODEGEN_EMIT_CUDA_EXPRESSIONS_H_
#define HLO_INDEXING_CODEGEN_EMIT_CUDA_EXPRESSIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "codegen/emit/cuda_folding.h"
#include "codegen/emit/integer_ranges.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Value.h"

namespace hlo_indexing::emit {

/// An array that addresses begin with.
struct CudaArray {
  std::string name;
  /// Of its elements, in C++.
  std::string element;
  bool is_const = false;
};

/// How tightly the operators of C++ bind, from the loosest.
enum CudaPrecedence : uint8_t {
  kConditional = 2,
  kLogicalOr,
  kLogicalAnd,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEquality,
  kRelation,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPrimary,
};

struct CudaExpression {
  std::string text;
  int precedence = kPrimary;
  /// Of an integer.
  bool is_signed = true;
};

/// The type of C++: "int", "uint64_t", "float", "bool".
std::string CudaType(mlir::Type type, bool is_signed);

/// The elements that an address counts; its own type may be an array, which scales it.
mlir::Type CountedElement(mlir::LLVM::GEPOp address);

class CudaExpressions {
 public:
  CudaExpressions(const CudaFolding& folding, const IntegerRanges& ranges)
      : folding_(folding), ranges_(ranges) {}

  /// From now on a value is this.
  void Define(mlir::Value value, CudaExpression expression) {
    defined_[value] = std::move(expression);
  }
  /// The pointer is the first element of the array.
  void DefineArray(mlir::Value pointer, CudaArray array) { arrays_[pointer] = std::move(array); }
  void DefineGlobal(llvm::StringRef symbol, CudaArray array) {
    globals_[symbol] = std::move(array);
  }

  CudaExpression Of(mlir::Value value);
  /// Its text, in parentheses if it binds less tightly.
  std::string Text(mlir::Value value, int precedence = kConditional);
  /// As an integer of that sign, which is the same bits.
  std::string Signed(mlir::Value value, int precedence = kConditional);
  std::string Unsigned(mlir::Value value, int precedence = kConditional);
  /// Of a variable that holds the value.
  bool HasSign(mlir::Value value);

  /// A pointer to an element of that type in memory: "x + 4 * i".
  std::string Pointer(mlir::Value address, mlir::Type element);
  /// The element itself: "x[4 * i]".
  CudaExpression Element(mlir::Value address, mlir::Type element);

  /// Of the array that an address is in: its name, and its elements in C++.
  std::string ArrayName(mlir::Value address);
  std::string ElementOf(mlir::Value address);

  /// Of an operation that is not folded.
  CudaExpression Compute(mlir::Operation& operation);

  /// The first operation that has no text.
  const absl::Status& status() const { return status_; }

 private:
  struct Place {
    CudaArray array;
    // "0" is the first element.
    std::string index = "0";
    int precedence = kPrimary;
  };
  Place PlaceOf(mlir::Value address, mlir::Type element);
  std::string IndexOf(mlir::LLVM::GEPOp address, int& precedence);

  const CudaArray* ArrayOf(mlir::Value address) const;
  CudaExpression ComputeLlvm(mlir::Operation& operation);
  CudaExpression ComputeInteger(mlir::Operation& operation);
  CudaExpression ComputeConversion(mlir::Operation& operation);
  CudaExpression Constant(mlir::arith::ConstantOp constant);
  CudaExpression Comparison(mlir::arith::CmpIOp compare);
  CudaExpression Comparison(mlir::arith::CmpFOp compare);
  CudaExpression Select(mlir::arith::SelectOp select);
  CudaExpression Shift(mlir::Operation& operation);
  CudaExpression Division(mlir::Operation& operation);
  CudaExpression Logical(mlir::Operation& operation);
  CudaExpression Product(mlir::arith::MulFOp product);
  CudaExpression Bitcast(mlir::arith::BitcastOp cast);
  CudaExpression CallOf(mlir::LLVM::CallOp call);

  // Sums, differences and products: signed if the result is known.
  CudaExpression Arithmetic(mlir::Operation& operation, const char* text, int precedence);
  CudaExpression Infix(mlir::Operation& operation, const char* text, int precedence);
  CudaExpression Function(mlir::Operation& operation, llvm::StringRef name);
  // sqrtf of f32, sqrt of f64.
  CudaExpression Mathematics(mlir::Operation& operation, const char* name);
  // Both operands with the same sign, and whether they have one.
  bool WithOneSign(mlir::Value a, mlir::Value b, int precedence, std::string& text_a,
                   std::string& text_b);
  CudaExpression Unsupported(mlir::Operation& operation);

  const CudaFolding& folding_;
  const IntegerRanges& ranges_;
  llvm::DenseMap<mlir::Value, CudaExpression> defined_;
  // Of values that are folded.
  llvm::DenseMap<mlir::Value, CudaExpression> computed_;
  llvm::DenseMap<mlir::Value, CudaArray> arrays_;
  llvm::StringMap<CudaArray> globals_;
  absl::Status status_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_CUDA_EXPRESSIONS_H_
