#include "codegen/emit/conversion.h"

#include <cmath>
#include <limits>

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

namespace {

// For the magnitude, as the codes of floats of one sign ascend.
class StochasticConversion {
 public:
  StochasticConversion(KernelBuilder& builder, ElementType to)
      : builder_(builder), ops_(builder.ops()), to_(to) {}

  // Of an f64 and the random bits as a fraction.
  Value ToInteger(Value value, Value fraction) {
    const Value magnitude = Magnitude(value);
    const Value whole = Floor(magnitude);
    const Value share = arith::SubFOp::create(ops_, magnitude, whole);
    const Value next = arith::AddFOp::create(ops_, whole, Double(1));
    return FromMagnitude(Select(IsLess(fraction, share), next, whole), value);
  }

  // `nearest` is the number itself in the other type.
  Value ToFloat(Value value, Value fraction, Value nearest) {
    const Value magnitude = Magnitude(value);
    const Value code = CodeOf(Converted(magnitude, ElementType::kF64, to_));
    const Value of_code = ValueOf(code);
    const Value one = builder_.Integer(code.getType(), 1);
    const Value below = ValueOf(arith::SubIOp::create(ops_, code, one));
    const Value above = ValueOf(arith::AddIOp::create(ops_, code, one));
    const Value is_beyond = IsLess(magnitude, of_code);
    const Value toward = Select(is_beyond, below, of_code);
    const Value beyond = Select(is_beyond, of_code, above);
    const Value share = arith::DivFOp::create(ops_, arith::SubFOp::create(ops_, magnitude, toward),
                                              arith::SubFOp::create(ops_, beyond, toward));
    const Value chosen = Select(IsLess(fraction, share), beyond, toward);
    // Not so where there is no neighbour, whose code is that of no number or of -0, and where the
    // number itself has no place in the type.
    const Value is_between =
        And(IsLess(toward, magnitude), And(IsLess(magnitude, beyond), IsLess(beyond, Infinity())));
    const Value is_finite =
        IsLess(Magnitude(Converted(nearest, to_, ElementType::kF64)), Infinity());
    return Select(And(is_between, is_finite), FromMagnitude(chosen, value), nearest);
  }

 private:
  Value Double(double value) { return builder_.Float(builder_.float_type(64), value); }
  Value Infinity() { return Double(std::numeric_limits<double>::infinity()); }
  Value And(Value a, Value b) { return arith::AndIOp::create(ops_, a, b); }
  Value IsLess(Value a, Value b) { return arith::CmpFOp::create(ops_, CmpFPredicate::OLT, a, b); }
  Value Select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(ops_, condition, a, b);
  }
  Value Converted(Value value, ElementType from, ElementType to) {
    return EmitConvert(builder_, {value, Value()}, from, to).value;
  }
  Value Magnitude(Value value) { return Function(hlo::Opcode::kAbs, value); }
  Value Floor(Value value) { return Function(hlo::Opcode::kFloor, value); }
  Value Function(hlo::Opcode opcode, Value value) {
    return *EmitFloatFunction(builder_, opcode, value, ElementType::kF64);
  }
  // With the sign of another number, in the other type.
  Value FromMagnitude(Value magnitude, Value sign) {
    const Value bits = arith::BitcastOp::create(ops_, builder_.integer_type(64), sign);
    const Value is_negative =
        arith::CmpIOp::create(ops_, CmpIPredicate::slt, bits, builder_.Integer(64, 0));
    const Value negative = arith::NegFOp::create(ops_, magnitude);
    return Converted(Select(is_negative, negative, magnitude), ElementType::kF64, to_);
  }
  // An element of the other type as an integer, and back as an f64.
  Value CodeOf(Value element) {
    if (mlir::isa<mlir::IntegerType>(element.getType())) return element;
    const unsigned bits = element.getType().getIntOrFloatBitWidth();
    return arith::BitcastOp::create(ops_, builder_.integer_type(bits), element);
  }
  Value ValueOf(Value code) {
    const mlir::Type type = RegisterType(builder_, to_);
    const Value element =
        code.getType() == type ? code : Value(arith::BitcastOp::create(ops_, type, code));
    return Converted(element, to_, ElementType::kF64);
  }

  KernelBuilder& builder_;
  mlir::ImplicitLocOpBuilder& ops_;
  ElementType to_;
};

}  // namespace

Number EmitStochasticConvert(KernelBuilder& builder, const Number& number, const Number& random,
                             ElementType from, ElementType of_random, ElementType to) {
  const Value value = EmitConvert(builder, number, from, ElementType::kF64).value;
  const Value bits = EmitConvert(builder, random, of_random, ElementType::kF64).value;
  const double scale = std::ldexp(1.0, -static_cast<int>(hlo::ElementBits(of_random)));
  const Value fraction =
      arith::MulFOp::create(builder.ops(), bits, builder.Float(builder.float_type(64), scale));
  StochasticConversion conversion(builder, to);
  if (hlo::IsIntegral(to)) return {conversion.ToInteger(value, fraction), Value()};
  const Value nearest = EmitConvert(builder, number, from, to).value;
  return {conversion.ToFloat(value, fraction, nearest), Value()};
}

Number EmitConvertFromIndex(KernelBuilder& builder, Value index, ElementType to) {
  const bool is_wide = index.getType().getIntOrFloatBitWidth() == 64;
  return EmitConvert(builder, {index, Value()}, is_wide ? ElementType::kS64 : ElementType::kS32,
                     to);
}

}  // namespace hlo_indexing::emit
