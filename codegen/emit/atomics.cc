#include "codegen/emit/atomics.h"

#include <optional>

#include "hlo/element_type.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::ElementClass;
using hlo::ElementType;
using mlir::Value;
using mlir::ValueRange;
using mlir::LLVM::AtomicBinOp;
using plan::AtomicOperation;

namespace {

std::optional<AtomicBinOp> InstructionFor(AtomicOperation operation, ElementType type) {
  if (!plan::HasAtomicInstruction(operation, type)) return std::nullopt;
  const bool is_float = hlo::ClassOf(type) == ElementClass::kFloat;
  const bool is_signed = hlo::ClassOf(type) == ElementClass::kSigned;
  switch (operation) {
    case AtomicOperation::kReplace:
      return AtomicBinOp::xchg;
    case AtomicOperation::kAdd:
      return is_float ? AtomicBinOp::fadd : AtomicBinOp::add;
    case AtomicOperation::kMinimum:
      return is_signed ? AtomicBinOp::min : AtomicBinOp::umin;
    case AtomicOperation::kMaximum:
      return is_signed ? AtomicBinOp::max : AtomicBinOp::umax;
    case AtomicOperation::kAnd:
      return AtomicBinOp::_and;
    case AtomicOperation::kOr:
      return AtomicBinOp::_or;
    case AtomicOperation::kXor:
      return AtomicBinOp::_xor;
    case AtomicOperation::kOther:
      break;
  }
  return std::nullopt;
}

// The bits of an element as memory has them: a pred is a byte that is 0 or 1.
Value MemoryBits(KernelBuilder& builder, const Number& number, ElementType type) {
  if (type != ElementType::kPred) return BitsOfNumber(builder, number, type);
  return arith::ExtUIOp::create(builder.ops(), builder.integer_type(8), number.value);
}

Number FromMemoryBits(KernelBuilder& builder, Value bits, ElementType type) {
  if (type != ElementType::kPred) return NumberOfBits(builder, bits, type);
  return {arith::CmpIOp::create(builder.ops(), arith::CmpIPredicate::ne, bits,
                                builder.Integer(bits.getType(), 0)),
          Value()};
}

// Where an element of less than a word is: the number of the word, and by how many bits it lies
// higher than the lowest.
struct PlaceInWord {
  Value word;
  Value shift;
};

PlaceInWord PlaceInWordOf(KernelBuilder& builder, Value position, unsigned bits) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  constexpr unsigned kWordBits = 32;
  const unsigned per_word = kWordBits / bits;
  const mlir::Type type = position.getType();
  const Value count = builder.Integer(type, per_word);
  const Value in_word = arith::RemUIOp::create(ops, position, count);
  return {arith::DivUIOp::create(ops, position, count),
          arith::MulIOp::create(ops, builder.Resize(in_word, kWordBits),
                                builder.Integer(kWordBits, bits))};
}

}  // namespace

void EmitAtomicUpdate(KernelBuilder& builder, const Buffer& buffer, Value position,
                      AtomicOperation operation, const Number& update,
                      llvm::function_ref<Number(const Number& old)> combine) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  if (const auto instruction = InstructionFor(operation, buffer.type)) {
    const bool is_bits = *instruction == AtomicBinOp::xchg;
    builder.AtomicUpdate(*instruction, buffer.base, position,
                         is_bits ? BitsOfNumber(builder, update, buffer.type) : update.value);
    return;
  }
  constexpr unsigned kWordBits = 32;
  const auto bits = static_cast<unsigned>(buffer.element_bits);
  const bool is_part = bits < kWordBits;
  PlaceInWord place = {position, Value()};
  if (is_part) place = PlaceInWordOf(builder, position, bits);
  const mlir::Type word_type = builder.integer_type(is_part ? kWordBits : bits);
  const mlir::Type bits_type = builder.integer_type(bits);
  const auto shifted = [&](Value value) -> Value {
    return arith::ShLIOp::create(ops, arith::ExtUIOp::create(ops, word_type, value), place.shift);
  };
  // What is in memory is not known at first: a wrong guess brings it.
  const Values guess = {builder.Integer(word_type, 0)};
  builder.Repeat(guess, [&](ValueRange carried, Value& goes_on) -> Values {
    const Value expected = carried.front();
    Value old = expected;
    if (is_part) {
      old = arith::TruncIOp::create(ops, bits_type,
                                    arith::ShRUIOp::create(ops, expected, place.shift));
    }
    const Number combined = combine(FromMemoryBits(builder, old, buffer.type));
    Value desired = MemoryBits(builder, combined, buffer.type);
    if (is_part) {
      const Value mask = shifted(builder.Integer(bits_type, -1));
      const Value others = arith::AndIOp::create(
          ops, expected, arith::XOrIOp::create(ops, mask, builder.Integer(word_type, -1)));
      desired = arith::OrIOp::create(ops, others, shifted(desired));
    }
    const Value found = builder.CompareAndSwap(buffer.base, place.word, expected, desired);
    goes_on = arith::CmpIOp::create(ops, arith::CmpIPredicate::ne, found, expected);
    return {found};
  });
}

}  // namespace hlo_indexing::emit
