// Floats and complex numbers in f64, in which normalizations and decompositions are computed before
// they are rounded once. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_WIDE_FLOAT_H_
#define HLO_INDEXING_CODEGEN_EMIT_WIDE_FLOAT_H_

#include "codegen/emit/conversion.h"
#include "codegen/emit/kernel_builder.h"
#include "codegen/emit/number.h"
#include "codegen/emit/scalar_functions.h"
#include "hlo/element_type.h"
#include "hlo/opcode.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::emit {

/// Arithmetic of numbers of one type, f64 or c128.
class WideArithmetic {
 public:
  WideArithmetic(KernelBuilder& builder, bool is_complex)
      : builder_(builder), type_(is_complex ? hlo::ElementType::kC128 : hlo::ElementType::kF64) {}

  hlo::ElementType type() const { return type_; }
  Number From(const Number& number, hlo::ElementType from) {
    return EmitConvert(builder_, number, from, type_);
  }
  Number To(const Number& number, hlo::ElementType to) {
    return EmitConvert(builder_, number, type_, to);
  }
  Number Constant(double value) {
    const mlir::Type f64 = builder_.float_type(64);
    return {builder_.Float(f64, value), IsComplex(type_) ? builder_.Float(f64, 0) : mlir::Value()};
  }

  Number Add(const Number& a, const Number& b) { return Make(hlo::Opcode::kAdd, {a, b}); }
  Number Subtract(const Number& a, const Number& b) { return Make(hlo::Opcode::kSubtract, {a, b}); }
  Number Multiply(const Number& a, const Number& b) { return Make(hlo::Opcode::kMultiply, {a, b}); }
  Number Divide(const Number& a, const Number& b) { return Make(hlo::Opcode::kDivide, {a, b}); }
  /// By the real part.
  Number DivideByReal(const Number& a, const Number& b);
  Number Sqrt(const Number& a) { return Make(hlo::Opcode::kSqrt, {a}); }
  Number Conjugate(const Number& a);
  /// With 0 as the imaginary part.
  Number Real(const Number& a);

 private:
  Number Make(hlo::Opcode opcode, llvm::ArrayRef<Number> operands);

  KernelBuilder& builder_;
  hlo::ElementType type_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_WIDE_FLOAT_H_
