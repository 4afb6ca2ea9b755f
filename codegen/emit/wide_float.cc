#include "codegen/emit/wide_float.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::Opcode;
using mlir::Value;

Number WideArithmetic::Conjugate(const Number& a) {
  if (!IsComplex(type_)) return a;
  return {a.value, arith::NegFOp::create(builder_.ops(), a.imaginary)};
}

Number WideArithmetic::DivideByReal(const Number& a, const Number& b) {
  Number quotient = {arith::DivFOp::create(builder_.ops(), a.value, b.value), Value()};
  if (IsComplex(type_)) {
    quotient.imaginary = arith::DivFOp::create(builder_.ops(), a.imaginary, b.value);
  }
  return quotient;
}

Number WideArithmetic::Real(const Number& a) {
  if (!IsComplex(type_)) return a;
  return {a.value, builder_.Float(builder_.float_type(64), 0)};
}

Number WideArithmetic::Make(Opcode opcode, llvm::ArrayRef<Number> operands) {
  // All of these are defined for complex numbers.
  if (IsComplex(type_)) return *EmitComplexFunction(builder_, opcode, operands, type_);
  mlir::ImplicitLocOpBuilder& ops = builder_.ops();
  const Value a = operands[0].value;
  switch (opcode) {
    case Opcode::kAdd:
      return {arith::AddFOp::create(ops, a, operands[1].value), Value()};
    case Opcode::kSubtract:
      return {arith::SubFOp::create(ops, a, operands[1].value), Value()};
    case Opcode::kMultiply:
      return {arith::MulFOp::create(ops, a, operands[1].value), Value()};
    case Opcode::kDivide:
      return {arith::DivFOp::create(ops, a, operands[1].value), Value()};
    default:
      return {mlir::LLVM::SqrtOp::create(ops, a), Value()};
  }
}

}  // namespace hlo_indexing::emit
