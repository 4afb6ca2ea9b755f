#include "codegen/emit/conversion.h"

#include <cmath>

#include "codegen/emit/scalar_functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "support/status_macros.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using hlo::ElementClass;
using hlo::ElementType;
using mlir::Value;

namespace {

class Conversion {
 public:
  explicit Conversion(KernelBuilder& builder) : builder_(builder), ops_(builder.ops()) {}

  // Of real numbers.
  absl::StatusOr<Value> Convert(Value value, ElementType from, ElementType to) {
    const bool from_float = hlo::ClassOf(from) == ElementClass::kFloat;
    const bool to_float = hlo::ClassOf(to) == ElementClass::kFloat;
    if (from_float) {
      if (to_float) return Float(value, from, to);
      HLO_INDEXING_ASSIGN_OR_RETURN(const Value wide, Widened(value, from));
      if (to == ElementType::kPred) {
        return Value(arith::CmpFOp::create(ops_, CmpFPredicate::UNE, wide, Constant(wide, 0)));
      }
      return ToInteger(wide, to);
    }
    if (to_float) return FromInteger(value, from, to);
    return Integer(value, from, to);
  }

 private:
  Value Constant(Value like, double value) { return builder_.Float(like.getType(), value); }

  // f32, or f64 if it is one.
  absl::StatusOr<Value> Widened(Value value, ElementType type) {
    if (IsSmallFloat(type)) return EmitDecode(builder_, value, type);
    if (type == ElementType::kF32 || type == ElementType::kF64) return value;
    return Value(arith::ExtFOp::create(ops_, builder_.float_type(32), value));
  }

  absl::StatusOr<Value> Float(Value value, ElementType from, ElementType to) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const Value wide, Widened(value, from));
    if (IsSmallFloat(to)) return EmitEncode(builder_, wide, to);
    const mlir::Type type = RegisterType(builder_, to);
    if (wide.getType() == type) return wide;
    if (wide.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth()) {
      return Value(arith::ExtFOp::create(ops_, type, wide));
    }
    return Value(arith::TruncFOp::create(ops_, type, wide));
  }

  // Integers of more bits than f32 is exact for are rounded once, from f64, if the type is narrower
  // than f32.
  absl::StatusOr<Value> FromInteger(Value value, ElementType from, ElementType to) {
    const bool is_signed = hlo::ClassOf(from) == ElementClass::kSigned;
    const int64_t bits = hlo::ElementBits(from);
    const bool is_direct = to == ElementType::kF32 || to == ElementType::kF64;
    const ElementType wide = bits > 32 || (bits > 16 && !is_direct) || to == ElementType::kF64
                                 ? ElementType::kF64
                                 : ElementType::kF32;
    const mlir::Type type = RegisterType(builder_, wide);
    const Value converted = is_signed ? Value(arith::SIToFPOp::create(ops_, type, value))
                                      : Value(arith::UIToFPOp::create(ops_, type, value));
    return Float(converted, wide, to);
  }

  // Towards zero, within the bounds of the type.
  Value ToInteger(Value value, ElementType to) {
    const bool is_signed = hlo::ClassOf(to) == ElementClass::kSigned;
    const auto bits = static_cast<int>(hlo::ElementBits(to));
    const mlir::Type type = RegisterType(builder_, to);
    const int magnitude_bits = is_signed ? bits - 1 : bits;
    const Value beyond = Constant(value, std::ldexp(1.0, magnitude_bits));
    const Value least = Constant(value, is_signed ? -std::ldexp(1.0, magnitude_bits) : 0.0);
    const int64_t largest =
        bits == 64 ? (is_signed ? INT64_MAX : -1) : (int64_t{1} << magnitude_bits) - 1;
    const int64_t smallest = is_signed ? (bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1))) : 0;
    Value result = is_signed ? Value(arith::FPToSIOp::create(ops_, type, value))
                             : Value(arith::FPToUIOp::create(ops_, type, value));
    const auto where = [&](CmpFPredicate predicate, Value bound, int64_t constant) {
      const Value is_there = arith::CmpFOp::create(ops_, predicate, value, bound);
      result = arith::SelectOp::create(ops_, is_there, builder_.Integer(type, constant), result);
    };
    where(CmpFPredicate::OGE, beyond, largest);
    where(CmpFPredicate::OLT, least, smallest);
    where(CmpFPredicate::UNO, value, 0);
    return result;
  }

  Value Integer(Value value, ElementType from, ElementType to) {
    if (to == ElementType::kPred) {
      if (from == to) return value;
      return arith::CmpIOp::create(ops_, CmpIPredicate::ne, value,
                                   builder_.Integer(value.getType(), 0));
    }
    const mlir::Type type = RegisterType(builder_, to);
    const unsigned held = value.getType().getIntOrFloatBitWidth();
    if (held < type.getIntOrFloatBitWidth()) {
      const bool is_signed = hlo::ClassOf(from) == ElementClass::kSigned;
      value = is_signed ? Value(arith::ExtSIOp::create(ops_, type, value))
                        : Value(arith::ExtUIOp::create(ops_, type, value));
    } else if (held > type.getIntOrFloatBitWidth()) {
      value = arith::TruncIOp::create(ops_, type, value);
    }
    const int64_t bits = hlo::ElementBits(to);
    if (bits >= 8 || (from != ElementType::kPred && from == to)) return value;
    const Value places = builder_.Integer(type, 8 - bits);
    const Value high = arith::ShLIOp::create(ops_, value, places);
    if (hlo::ClassOf(to) == ElementClass::kSigned) {
      return arith::ShRSIOp::create(ops_, high, places);
    }
    return arith::ShRUIOp::create(ops_, high, places);
  }

  KernelBuilder& builder_;
  mlir::ImplicitLocOpBuilder& ops_;
};

}  // namespace

absl::StatusOr<Number> EmitConvert(KernelBuilder& builder, const Number& number, ElementType from,
                                   ElementType to) {
  if (from == to) return number;
  Conversion conversion(builder);
  const ElementType to_part = hlo::RealPartType(to);
  HLO_INDEXING_ASSIGN_OR_RETURN(
      const Value real, conversion.Convert(number.value, hlo::RealPartType(from), to_part));
  if (!IsComplex(to)) return Number{real, Value()};
  if (!IsComplex(from)) return Number{real, ZeroOf(builder, to).imaginary};
  HLO_INDEXING_ASSIGN_OR_RETURN(
      const Value imaginary,
      conversion.Convert(number.imaginary, hlo::RealPartType(from), to_part));
  return Number{real, imaginary};
}

absl::StatusOr<Number> EmitConvertFromIndex(KernelBuilder& builder, Value index, ElementType to) {
  const bool is_wide = index.getType().getIntOrFloatBitWidth() == 64;
  return EmitConvert(builder, {index, Value()}, is_wide ? ElementType::kS64 : ElementType::kS32,
                     to);
}

}  // namespace hlo_indexing::emit
