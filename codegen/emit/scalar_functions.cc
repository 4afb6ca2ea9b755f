#include "codegen/emit/scalar_functions.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/emit/conversion.h"
#include "codegen/emit/emitted_scalar.h"
#include "codegen/emit/scalar/conversion.h"
#include "codegen/emit/scalar/error_function.h"
#include "codegen/emit/scalar/exp_log.h"
#include "codegen/emit/scalar/float_semantics.h"
#include "codegen/emit/scalar/hyperbolic.h"
#include "codegen/emit/scalar/integer.h"
#include "codegen/emit/scalar/inverse_trigonometry.h"
#include "codegen/emit/scalar/power.h"
#include "codegen/emit/scalar/trigonometry.h"

namespace hlo_indexing::emit {

using hlo::ElementClass;
using hlo::ElementType;
using hlo::Opcode;
using mlir::Value;
using scalar::IntegerType;
using scalar::Precision;

namespace {

absl::Status NotDefined(ElementType type) {
  return absl::UnimplementedError(
      absl::StrCat("of ", hlo::ElementTypeName(type).str(), " has no code in a kernel"));
}

// How a type is held: number.h.
IntegerType HeldAs(ElementType type) {
  const auto bits = static_cast<int>(hlo::ElementBits(type));
  if (type == ElementType::kPred) return {1, false, 1};
  return {bits, hlo::ClassOf(type) == ElementClass::kSigned, bits < 8 ? 8 : bits};
}

absl::StatusOr<Value> OfPredicates(Opcode opcode, EmittedInteger a, EmittedInteger b) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kOr:
    case Opcode::kMaximum:
      return (a | b).value;
    case Opcode::kMultiply:
    case Opcode::kAnd:
    case Opcode::kMinimum:
      return (a & b).value;
    case Opcode::kXor:
      return (a ^ b).value;
    case Opcode::kNot:
      return (a ^ IntegerConstant(a, 1)).value;
    default:
      return NotDefined(ElementType::kPred);
  }
}

template <Precision kPrecision>
absl::StatusOr<Value> OfFloats(Opcode opcode, EmittedFloat x, EmittedFloat y, ElementType type) {
  switch (opcode) {
    case Opcode::kAbs:
      return Abs(x).value;
    case Opcode::kAcos:
      return scalar::Acos<kPrecision>(x).value;
    case Opcode::kAcosh:
      return scalar::Acosh<kPrecision>(x).value;
    case Opcode::kAdd:
      return (x + y).value;
    case Opcode::kAsin:
      return scalar::Asin<kPrecision>(x).value;
    case Opcode::kAsinh:
      return scalar::Asinh<kPrecision>(x).value;
    case Opcode::kAtan2:
      return scalar::Atan2<kPrecision>(x, y).value;
    case Opcode::kAtanh:
      return scalar::Atanh<kPrecision>(x).value;
    case Opcode::kCbrt:
      return scalar::Cbrt<kPrecision>(x).value;
    case Opcode::kCeil:
      return Ceil(x).value;
    case Opcode::kCosh:
      return scalar::Cosh<kPrecision>(x).value;
    case Opcode::kCosine:
      return scalar::Cos<kPrecision>(x).value;
    case Opcode::kDivide:
      return (x / y).value;
    case Opcode::kErf:
      return scalar::Erf<kPrecision>(x).value;
    case Opcode::kExponential:
      return scalar::Exp<kPrecision>(x).value;
    case Opcode::kExponentialMinusOne:
      return scalar::Expm1<kPrecision>(x).value;
    case Opcode::kFloor:
      return Floor(x).value;
    case Opcode::kIsFinite:
      return scalar::IsFinite(x).value;
    case Opcode::kLog:
      return scalar::Log<kPrecision>(x).value;
    case Opcode::kLogPlusOne:
      return scalar::Log1p<kPrecision>(x).value;
    case Opcode::kLogistic:
      return scalar::Logistic<kPrecision>(x).value;
    case Opcode::kMaximum:
      return Maximum(x, y).value;
    case Opcode::kMinimum:
      return Minimum(x, y).value;
    case Opcode::kMultiply:
      return (x * y).value;
    case Opcode::kNegate:
      return (-x).value;
    case Opcode::kPower:
      return scalar::Power<kPrecision>(x, y).value;
    case Opcode::kRemainder:
      return scalar::Remainder<kPrecision>(x, y).value;
    case Opcode::kRoundNearestAfz:
      return scalar::RoundAwayFromZero<kPrecision>(x).value;
    case Opcode::kRoundNearestEven:
      return RoundEven(x).value;
    case Opcode::kRsqrt:
      return scalar::Rsqrt<kPrecision>(x).value;
    case Opcode::kSign:
      return scalar::Sign<kPrecision>(x).value;
    case Opcode::kSine:
      return scalar::Sin<kPrecision>(x).value;
    case Opcode::kSinh:
      return scalar::Sinh<kPrecision>(x).value;
    case Opcode::kSqrt:
      return Sqrt(x).value;
    case Opcode::kSubtract:
      return (x - y).value;
    case Opcode::kTan:
      return scalar::Tan<kPrecision>(x).value;
    case Opcode::kTanh:
      return scalar::Tanh<kPrecision>(x).value;
    default:
      return NotDefined(type);
  }
}

absl::StatusOr<Value> IntegerCode(KernelBuilder& builder, Opcode opcode, mlir::ValueRange x,
                                  ElementType type) {
  const EmittedInteger a = {{&builder, x[0]}};
  const EmittedInteger b = {{&builder, x.size() > 1 ? x[1] : x[0]}};
  if (type == ElementType::kPred) return OfPredicates(opcode, a, b);
  const IntegerType held = HeldAs(type);
  switch (opcode) {
    case Opcode::kAbs:
      return scalar::AbsoluteValue(held, a).value;
    case Opcode::kAdd:
      return scalar::Wrap(held, a + b).value;
    case Opcode::kAnd:
      return (a & b).value;
    case Opcode::kCountLeadingZeros:
      return scalar::CountLeadingZeros(held, a).value;
    case Opcode::kDivide:
      return scalar::Divide(held, a, b).value;
    case Opcode::kMaximum:
      return scalar::Maximum(held, a, b).value;
    case Opcode::kMinimum:
      return scalar::Minimum(held, a, b).value;
    case Opcode::kMulhi:
      return scalar::MultiplyHigh(held, a, b).value;
    case Opcode::kMultiply:
      return scalar::Wrap(held, a * b).value;
    case Opcode::kNegate:
      return scalar::Wrap(held, scalar::Negate(a)).value;
    case Opcode::kNot:
      return scalar::Wrap(held, a ^ IntegerConstant(a, -1)).value;
    case Opcode::kOr:
      return (a | b).value;
    case Opcode::kPopulationCount:
      return scalar::PopulationCount(held, a).value;
    case Opcode::kPower:
      return scalar::Power(held, a, b).value;
    case Opcode::kRemainder:
      return scalar::Remainder(held, a, b).value;
    case Opcode::kShiftLeft:
      return scalar::ShiftLeft(held, a, b).value;
    case Opcode::kShiftRightArithmetic:
      return scalar::ShiftRightArithmetic(held, a, b).value;
    case Opcode::kShiftRightLogical:
      return scalar::ShiftRightLogical(held, a, b).value;
    case Opcode::kSign:
      return scalar::Sign(held, a).value;
    case Opcode::kSubtract:
      return scalar::Wrap(held, a - b).value;
    case Opcode::kXor:
      return (a ^ b).value;
    default:
      return NotDefined(type);
  }
}

absl::StatusOr<Value> FloatCode(KernelBuilder& builder, Opcode opcode, mlir::ValueRange x,
                                ElementType type) {
  const EmittedFloat a = {{&builder, x[0]}};
  const EmittedFloat b = {{&builder, x.size() > 1 ? x[1] : x[0]}};
  if (hlo::ElementBits(type) <= 16) {
    if (opcode == Opcode::kExponential) return scalar::ExpTo16Bits(a).value;
    if (opcode == Opcode::kLogistic) return scalar::LogisticTo16Bits(a).value;
    if (opcode == Opcode::kTanh) return scalar::TanhTo16Bits(a).value;
  }
  return a.width() == 32 ? OfFloats<Precision::kF32>(opcode, a, b, type)
                         : OfFloats<Precision::kF64>(opcode, a, b, type);
}

// What is one instruction, or few.
bool IsOperator(Opcode opcode, bool is_float) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kSubtract:
      return true;
    case Opcode::kAbs:
    case Opcode::kCeil:
    case Opcode::kDivide:
    case Opcode::kFloor:
    case Opcode::kRoundNearestEven:
    case Opcode::kSqrt:
      return is_float;
    case Opcode::kAnd:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kXor:
      return !is_float;
    default:
      return false;
  }
}

// "round-nearest-even" -> "round_nearest_even"
std::string FunctionName(Opcode opcode) {
  std::string name = hlo::OpcodeName(opcode).str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Code that may fail, as a function of its operands. What fails has no code, and is not called.
template <typename Code>
absl::StatusOr<Value> AsFunction(KernelBuilder& builder, llvm::StringRef name,
                                 llvm::ArrayRef<Value> x, const Code& code) {
  absl::Status status;
  const Values results = builder.Function(name, x, [&](mlir::ValueRange operands) -> Values {
    const absl::StatusOr<Value> result = code(operands);
    status = result.status();
    return {result.ok() ? *result : operands.front()};
  });
  if (!status.ok()) return status;
  return results.front();
}

}  // namespace

absl::StatusOr<Value> EmitIntegerFunction(KernelBuilder& builder, Opcode opcode,
                                          llvm::ArrayRef<Value> x, ElementType type) {
  if (type == ElementType::kPred || IsOperator(opcode, /*is_float=*/false)) {
    return IntegerCode(builder, opcode, x, type);
  }
  const std::string name =
      absl::StrCat(FunctionName(opcode), "_", hlo::ElementTypeName(type).str());
  return AsFunction(builder, name, x, [&](mlir::ValueRange operands) {
    return IntegerCode(builder, opcode, operands, type);
  });
}

absl::StatusOr<Value> EmitFloatFunction(KernelBuilder& builder, Opcode opcode,
                                        llvm::ArrayRef<Value> x, ElementType type) {
  if (IsOperator(opcode, /*is_float=*/true)) return FloatCode(builder, opcode, x, type);
  return AsFunction(builder, FunctionName(opcode), x, [&](mlir::ValueRange operands) {
    return FloatCode(builder, opcode, operands, type);
  });
}

Value EmitTotalOrderRank(KernelBuilder& builder, const Number& number, ElementType type) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  Value x = number.value;
  if (type == ElementType::kF16) {
    // Of its own bits, as an f32 that is made of a nan has lost them: f32's order has what is
    // above.
    const Value bits = mlir::arith::BitcastOp::create(ops, builder.integer_type(16), x);
    const Value wide = mlir::arith::ExtUIOp::create(ops, builder.integer_type(32), bits);
    const Value high = mlir::arith::ShLIOp::create(ops, wide, builder.Integer(32, 16));
    x = mlir::arith::BitcastOp::create(ops, builder.float_type(32), high);
  } else if (type != ElementType::kF64) {
    x = EmitConvert(builder, number, type, ElementType::kF32).value;
  }
  const auto rank = [&](mlir::ValueRange operands) -> Values {
    const EmittedFloat a = {{&builder, operands[0]}};
    return {a.width() == 32 ? scalar::TotalOrderRank<Precision::kF32>(a).value
                            : scalar::TotalOrderRank<Precision::kF64>(a).value};
  };
  return builder.Function("total_order_rank", x, rank).front();
}

Value EmitFloatToInteger(KernelBuilder& builder, Value x, ElementType to) {
  const IntegerType type = HeldAs(to);
  const auto convert = [&](mlir::ValueRange operands) -> Values {
    const EmittedInteger like = {{&builder, builder.Integer(static_cast<unsigned>(type.width), 0)}};
    return {scalar::FloatToInteger(type, EmittedFloat{{&builder, operands[0]}}, like).value};
  };
  return builder.Function("to_" + hlo::ElementTypeName(to).str(), x, convert).front();
}

Value EmitIntegerToRoundable(KernelBuilder& builder, Value n, ElementType from) {
  const bool is_signed = hlo::ClassOf(from) == ElementClass::kSigned;
  const auto convert = [&](mlir::ValueRange operands) -> Values {
    const EmittedInteger integer = {{&builder, operands[0]}};
    return {integer.width() == 32
                ? scalar::IntegerToRoundable<Precision::kF32>(is_signed, integer).value
                : scalar::IntegerToRoundable<Precision::kF64>(is_signed, integer).value};
  };
  const std::string name = "roundable_" + hlo::ElementTypeName(from).str();
  return builder.Function(name, n, convert).front();
}

}  // namespace hlo_indexing::emit
