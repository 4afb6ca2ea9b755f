#include "codegen/emit/conversion.h"

#include "codegen/emit/scalar_functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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
  Value Convert(Value value, ElementType from, ElementType to) {
    const bool from_float = hlo::ClassOf(from) == ElementClass::kFloat;
    const bool to_float = hlo::ClassOf(to) == ElementClass::kFloat;
    if (from_float) {
      if (to_float) return Float(value, from, to);
      const Value wide = Widened(value, from);
      if (to == ElementType::kPred) {
        const Value zero = builder_.Float(wide.getType(), 0);
        return arith::CmpFOp::create(ops_, CmpFPredicate::UNE, wide, zero);
      }
      return EmitFloatToInteger(builder_, wide, to);
    }
    if (to_float) return FromInteger(value, from, to);
    return Integer(value, from, to);
  }

 private:
  // f32, or f64 if it is one.
  Value Widened(Value value, ElementType type) {
    if (IsSmallFloat(type)) return EmitDecode(builder_, value, type);
    if (type == ElementType::kF32 || type == ElementType::kF64) return value;
    return arith::ExtFOp::create(ops_, builder_.float_type(32), value);
  }

  Value Float(Value value, ElementType from, ElementType to) {
    const Value wide = Widened(value, from);
    if (IsSmallFloat(to)) return EmitEncode(builder_, wide, to);
    const mlir::Type type = RegisterType(builder_, to);
    if (wide.getType() == type) return wide;
    const unsigned bits = type.getIntOrFloatBitWidth();
    if (wide.getType().getIntOrFloatBitWidth() < bits) {
      return arith::ExtFOp::create(ops_, type, wide);
    }
    if (bits == 16 && from == ElementType::kF64) return EmitHalfOfDouble(builder_, wide, to);
    return arith::TruncFOp::create(ops_, type, wide);
  }

  // To f64 and f32 by the processor, f32 from 64 bits by way of f64 as the interpreter does; to
  // narrower types so that all is rounded once.
  Value FromInteger(Value value, ElementType from, ElementType to) {
    const bool is_signed = hlo::ClassOf(from) == ElementClass::kSigned;
    const int64_t bits = hlo::ElementBits(from);
    if (hlo::ElementBits(to) <= 16 && bits > 16) {
      const ElementType wide = bits == 32 ? ElementType::kF32 : ElementType::kF64;
      return Float(EmitIntegerToRoundable(builder_, value, from), wide, to);
    }
    const ElementType wide =
        bits > 32 || to == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32;
    const mlir::Type type = RegisterType(builder_, wide);
    const Value converted = is_signed ? Value(arith::SIToFPOp::create(ops_, type, value))
                                      : Value(arith::UIToFPOp::create(ops_, type, value));
    return Float(converted, wide, to);
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

Number EmitConvert(KernelBuilder& builder, const Number& number, ElementType from, ElementType to) {
  if (from == to) return number;
  Conversion conversion(builder);
  const ElementType from_part = hlo::RealPartType(from);
  const ElementType to_part = hlo::RealPartType(to);
  const Value real = conversion.Convert(number.value, from_part, to_part);
  if (to == ElementType::kPred && IsComplex(from)) {
    const Value imaginary = conversion.Convert(number.imaginary, from_part, to_part);
    return {arith::OrIOp::create(builder.ops(), real, imaginary), Value()};
  }
  if (!IsComplex(to)) return {real, Value()};
  if (!IsComplex(from)) return {real, ZeroOf(builder, to).imaginary};
  return {real, conversion.Convert(number.imaginary, from_part, to_part)};
}

Number EmitConvertFromIndex(KernelBuilder& builder, Value index, ElementType to) {
  const bool is_wide = index.getType().getIntOrFloatBitWidth() == 64;
  return EmitConvert(builder, {index, Value()}, is_wide ? ElementType::kS64 : ElementType::kS32,
                     to);
}

}  // namespace hlo_indexing::emit
