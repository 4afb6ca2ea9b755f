// Floats of 4 to 16 bits.
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/emit/emitted_scalar.h"
#include "codegen/emit/scalar/float_format.h"
#include "codegen/emit/scalar_functions.h"

namespace hlo_indexing::emit {

using hlo::ElementType;
using mlir::Value;
using scalar::FloatFormat;
using scalar::Precision;

namespace {

// nullopt for f8e8m0fnu, which has only an exponent.
std::optional<FloatFormat> FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF4E2M1FN:
      return scalar::kF4E2M1FN;
    case ElementType::kF8E3M4:
      return scalar::kF8E3M4;
    case ElementType::kF8E4M3:
      return scalar::kF8E4M3;
    case ElementType::kF8E4M3B11FNUZ:
      return scalar::kF8E4M3B11FNUZ;
    case ElementType::kF8E4M3FN:
      return scalar::kF8E4M3FN;
    case ElementType::kF8E4M3FNUZ:
      return scalar::kF8E4M3FNUZ;
    case ElementType::kF8E5M2:
      return scalar::kF8E5M2;
    case ElementType::kF8E5M2FNUZ:
      return scalar::kF8E5M2FNUZ;
    case ElementType::kBF16:
      return scalar::kBF16;
    case ElementType::kF16:
      return scalar::kF16;
    case ElementType::kF32:
      return scalar::kF32;
    case ElementType::kF64:
      return scalar::kF64;
    default:
      return std::nullopt;
  }
}

EmittedInteger Widen(KernelBuilder& builder, Value bits, unsigned width) {
  if (bits.getType().getIntOrFloatBitWidth() == width) return {{&builder, bits}};
  return {
      {&builder, mlir::arith::ExtUIOp::create(builder.ops(), builder.integer_type(width), bits)}};
}

// The code nearest to an f32 or f64, as the low bits of an integer of the same width.
EmittedInteger Encode(KernelBuilder& builder, Value value, ElementType type) {
  const EmittedInteger bits = BitsOf(EmittedFloat{{&builder, value}});
  const std::optional<FloatFormat> format = FormatOf(type);
  if (bits.width() == 32) {
    return format.has_value() ? scalar::EncodeFloat<Precision::kF32>(*format, bits)
                              : scalar::EncodePowerOfTwo<Precision::kF32>(bits);
  }
  return format.has_value() ? scalar::EncodeFloat<Precision::kF64>(*format, bits)
                            : scalar::EncodePowerOfTwo<Precision::kF64>(bits);
}

}  // namespace

Value EmitDecode(KernelBuilder& builder, Value bits, ElementType type) {
  const auto decode = [&](mlir::ValueRange operands) -> Values {
    const EmittedInteger code = Widen(builder, operands[0], 32);
    const std::optional<FloatFormat> format = FormatOf(type);
    const EmittedInteger decoded = format.has_value()
                                       ? scalar::DecodeFloat<Precision::kF32>(*format, code)
                                       : scalar::DecodePowerOfTwo<Precision::kF32>(code);
    return {FloatOf(decoded).value};
  };
  return builder.Function("decode_" + hlo::ElementTypeName(type).str(), bits, decode).front();
}

Value EmitEncode(KernelBuilder& builder, Value value, ElementType type) {
  const auto encode = [&](mlir::ValueRange operands) -> Values {
    return {builder.Resize(Encode(builder, operands[0], type).value, 8)};
  };
  return builder.Function("encode_" + hlo::ElementTypeName(type).str(), value, encode).front();
}

Value EmitHalfOfDouble(KernelBuilder& builder, Value value, ElementType type) {
  const auto round = [&](mlir::ValueRange operands) -> Values {
    const Value code = builder.Resize(Encode(builder, operands[0], type).value, 16);
    return {mlir::arith::BitcastOp::create(builder.ops(), RegisterType(builder, type), code)};
  };
  return builder.Function("round_to_" + hlo::ElementTypeName(type).str(), value, round).front();
}

namespace {

Value Reduced(KernelBuilder& builder, Value value, const FloatFormat& format, int exponent_bits,
              int mantissa_bits) {
  const mlir::Type held = value.getType();
  const unsigned bits = held.getIntOrFloatBitWidth();
  const bool is_float = mlir::isa<mlir::FloatType>(held);
  if (is_float) {
    value = mlir::arith::BitcastOp::create(builder.ops(), builder.integer_type(bits), value);
  }
  const EmittedInteger code = Widen(builder, value, bits < 32 ? 32 : bits);
  const Value reduced = builder.Resize(
      scalar::ReducePrecision(format, code, exponent_bits, mantissa_bits).value, bits);
  if (!is_float) return reduced;
  return mlir::arith::BitcastOp::create(builder.ops(), held, reduced);
}

}  // namespace

Value EmitReducePrecision(KernelBuilder& builder, Value value, ElementType type,
                          int64_t exponent_bits, int64_t mantissa_bits) {
  const std::optional<FloatFormat> format = FormatOf(type);
  if (!format.has_value()) {
    // Its exponent is that of f32, its mantissa is always 1.
    const Value decoded = EmitDecode(builder, value, type);
    const Value reduced = EmitReducePrecision(builder, decoded, ElementType::kF32, exponent_bits,
                                              scalar::kF32.mantissa_bits);
    return EmitEncode(builder, reduced, type);
  }
  const std::string name = absl::StrCat("reduce_", hlo::ElementTypeName(type).str(), "_to_e",
                                        exponent_bits, "m", mantissa_bits);
  const auto reduce = [&](mlir::ValueRange operands) -> Values {
    return {Reduced(builder, operands[0], *format, static_cast<int>(exponent_bits),
                    static_cast<int>(mantissa_bits))};
  };
  return builder.Function(name, value, reduce).front();
}

}  // namespace hlo_indexing::emit
