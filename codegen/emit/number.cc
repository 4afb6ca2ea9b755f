#include "codegen/emit/number.h"

#include <cstring>

#include "hlo/interpreter/element_value.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;

using hlo::ElementClass;
using hlo::ElementType;
using mlir::Value;

bool IsSmallFloat(ElementType type) {
  return hlo::ClassOf(type) == ElementClass::kFloat && hlo::ElementBits(type) <= 8;
}

mlir::Type RegisterType(KernelBuilder& builder, ElementType type) {
  const ElementType part = hlo::RealPartType(type);
  const auto bits = static_cast<unsigned>(hlo::ElementBits(part));
  if (part == ElementType::kPred) return builder.integer_type(1);
  if (part == ElementType::kBF16) return builder.ops().getBF16Type();
  if (part == ElementType::kF16) return builder.ops().getF16Type();
  if (hlo::ClassOf(part) == ElementClass::kFloat && bits > 8) return builder.float_type(bits);
  return builder.integer_type(std::max(8U, bits));
}

Number ZeroOf(KernelBuilder& builder, ElementType type) {
  const mlir::Type held = RegisterType(builder, type);
  const bool is_integer = mlir::isa<mlir::IntegerType>(held);
  const Value zero = is_integer ? builder.Integer(held, 0) : builder.Float(held, 0);
  return {zero, IsComplex(type) ? zero : Value()};
}

Number NumberOfBytes(KernelBuilder& builder, ElementType type, llvm::ArrayRef<uint8_t> bytes) {
  if (IsComplex(type)) {
    const ElementType part = hlo::RealPartType(type);
    const size_t half = bytes.size() / 2;
    return {NumberOfBytes(builder, part, bytes.take_front(half)).value,
            NumberOfBytes(builder, part, bytes.drop_front(half)).value};
  }
  const mlir::Type held = RegisterType(builder, type);
  if (IsSmallFloat(type)) return {builder.Integer(held, bytes.front()), Value()};
  if (mlir::isa<mlir::IntegerType>(held)) {
    return {builder.Integer(held, hlo::LoadElement(type, bytes.data()).integer), Value()};
  }
  auto floating = mlir::cast<mlir::FloatType>(held);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  const llvm::APFloat value(floating.getFloatSemantics(), llvm::APInt(floating.getWidth(), bits));
  return {mlir::arith::ConstantOp::create(builder.ops(), mlir::FloatAttr::get(floating, value)),
          Value()};
}

Values Flatten(llvm::ArrayRef<Number> numbers) {
  Values values;
  for (const Number& number : numbers) {
    values.push_back(number.value);
    if (number.imaginary != nullptr) values.push_back(number.imaginary);
  }
  return values;
}

Lanes Unflatten(mlir::ValueRange values, ElementType type) {
  const size_t parts = IsComplex(type) ? 2 : 1;
  Lanes lanes;
  for (size_t i = 0; i < values.size(); i += parts) {
    lanes.push_back({values[i], parts == 2 ? values[i + 1] : Value()});
  }
  return lanes;
}

Lanes Replicate(Lanes lanes, size_t count) {
  if (lanes.size() == 1) lanes.resize(count, lanes.front());
  return lanes;
}

Value BitsOfNumber(KernelBuilder& builder, const Number& number, ElementType type) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  const auto bits_of = [&](Value value) -> Value {
    const mlir::Type integer = builder.integer_type(value.getType().getIntOrFloatBitWidth());
    return value.getType() == integer ? value : arith::BitcastOp::create(ops, integer, value);
  };
  const Value low = bits_of(number.value);
  if (!IsComplex(type)) {
    const int64_t bits = hlo::ElementBits(type);
    if (bits >= 8) return low;
    const Value mask = builder.Integer(low.getType(), (int64_t{1} << bits) - 1);
    return arith::AndIOp::create(ops, low, mask);
  }
  const unsigned bits = low.getType().getIntOrFloatBitWidth();
  const mlir::Type wide = builder.integer_type(bits * 2);
  const Value high = arith::ExtUIOp::create(ops, wide, bits_of(number.imaginary));
  return arith::OrIOp::create(ops, arith::ExtUIOp::create(ops, wide, low),
                              arith::ShLIOp::create(ops, high, builder.Integer(wide, bits)));
}

Number NumberOfBits(KernelBuilder& builder, Value bits, ElementType type) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  const mlir::Type held = RegisterType(builder, type);
  const unsigned width = held.getIntOrFloatBitWidth();
  const auto value_of = [&](Value integer) -> Value {
    integer = builder.Resize(integer, width);
    return integer.getType() == held ? integer : arith::BitcastOp::create(ops, held, integer);
  };
  if (IsComplex(type)) {
    const Value high = arith::ShRUIOp::create(ops, bits, builder.Integer(bits.getType(), width));
    return {value_of(bits), value_of(high)};
  }
  Value value = value_of(bits);
  // Types of fewer bits than a byte are held with their sign.
  const int64_t num_bits = hlo::ElementBits(type);
  if (num_bits < 8) {
    const Value places = builder.Integer(8, 8 - num_bits);
    const Value high = arith::ShLIOp::create(ops, value, places);
    const bool is_signed = hlo::ClassOf(type) == ElementClass::kSigned;
    value = is_signed ? Value(arith::ShRSIOp::create(ops, high, places))
                      : Value(arith::ShRUIOp::create(ops, high, places));
  }
  return {value, Value()};
}

std::vector<Lanes> SplitLanes(mlir::ValueRange values, llvm::ArrayRef<ElementType> types,
                              size_t num_lanes) {
  std::vector<Lanes> arrays;
  for (const ElementType type : types) {
    const size_t width = num_lanes * (IsComplex(type) ? 2 : 1);
    arrays.push_back(Unflatten(values.take_front(width), type));
    values = values.drop_front(width);
  }
  return arrays;
}

}  // namespace hlo_indexing::emit
