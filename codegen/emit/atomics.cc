#include "codegen/emit/atomics.h"

#include <optional>

#include "hlo/element_type.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::ElementClass;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using mlir::Value;
using mlir::ValueRange;
using mlir::LLVM::AtomicBinOp;

AtomicOperation OperationOf(const hlo::Computation& combiner, size_t array, size_t num_arrays) {
  const Instruction* root = &combiner.root();
  if (root->opcode() == Opcode::kTuple) root = &root->operand(array);
  const auto is_parameter = [](const Instruction& instruction, size_t number) {
    return instruction.opcode() == Opcode::kParameter &&
           instruction.parameter_number() == static_cast<int64_t>(number);
  };
  const size_t update = array + num_arrays;
  if (is_parameter(*root, update)) return AtomicOperation::kReplace;
  if (root->operands().size() != 2) return AtomicOperation::kOther;
  const bool is_in_order =
      is_parameter(root->operand(0), array) && is_parameter(root->operand(1), update);
  const bool is_swapped =
      is_parameter(root->operand(1), array) && is_parameter(root->operand(0), update);
  if (!is_in_order && !is_swapped) return AtomicOperation::kOther;
  switch (root->opcode()) {
    case Opcode::kAdd:
      return AtomicOperation::kAdd;
    case Opcode::kMinimum:
      return AtomicOperation::kMinimum;
    case Opcode::kMaximum:
      return AtomicOperation::kMaximum;
    case Opcode::kAnd:
      return AtomicOperation::kAnd;
    case Opcode::kOr:
      return AtomicOperation::kOr;
    case Opcode::kXor:
      return AtomicOperation::kXor;
    default:
      return AtomicOperation::kOther;
  }
}

namespace {

// PTX has atomics of integers of 32 and 64 bits, and sums of f32 and f64. Minimum and maximum of
// floats are others there than those of HLO, which are nan if one operand is.
std::optional<AtomicBinOp> InstructionFor(AtomicOperation operation, ElementType type) {
  const int64_t bits = hlo::ElementBits(type);
  if (bits != 32 && bits != 64) return std::nullopt;
  const ElementClass kind = hlo::ClassOf(type);
  if (operation == AtomicOperation::kReplace) return AtomicBinOp::xchg;
  if (kind == ElementClass::kFloat && operation == AtomicOperation::kAdd) return AtomicBinOp::fadd;
  if (kind != ElementClass::kSigned && kind != ElementClass::kUnsigned) return std::nullopt;
  const bool is_signed = kind == ElementClass::kSigned;
  switch (operation) {
    case AtomicOperation::kAdd:
      return AtomicBinOp::add;
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
    default:
      return std::nullopt;
  }
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
