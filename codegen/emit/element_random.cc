// Elements of rng-bit-generator, each computed by itself: the generators count.
#include <algorithm>
#include <array>
#include <utility>

#include "codegen/emit/conversion.h"
#include "codegen/emit/element_emitter.h"
#include "codegen/emit/emitted_scalar.h"
#include "codegen/emit/scalar/random_bits.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "support/checked_math.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Shape;
using mlir::AffineExpr;
using mlir::Value;

namespace {

constexpr int64_t kWordBits = 64;

// The state as words of 64 bits, the lowest first, of its elements.
Values WordsOf(KernelBuilder& builder, llvm::ArrayRef<const Lanes*> elements, ElementType type) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  const int64_t bits = hlo::ElementBits(type);
  Values words;
  for (int64_t i = 0; i < static_cast<int64_t>(elements.size()); ++i) {
    const int64_t shift = i * bits % kWordBits;
    const Value value = elements[static_cast<size_t>(i)]->front().value;
    const Value wide =
        bits == kWordBits ? value : arith::ExtUIOp::create(ops, builder.integer_type(64), value);
    const Value shifted = arith::ShLIOp::create(ops, wide, builder.Integer(64, shift));
    if (shift == 0) words.push_back(shifted);
    if (shift != 0) words.back() = arith::OrIOp::create(ops, words.back(), shifted);
  }
  return words;
}

// A counter of 128 bits after so many steps of a generator; Threefry's has 64.
struct Counter {
  Value low;
  Value high;
};
// Where the state has no place for them, the high bits are the key (hlo/interpreter/random.cc).
Counter CounterOf(llvm::ArrayRef<Value> state) {
  return {state[1], state.size() > 2 ? state[2] : state[0]};
}
Counter Advanced(KernelBuilder& builder, const Counter& counter, Value steps, bool carries) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  const Value low = arith::AddIOp::create(ops, counter.low, steps);
  if (!carries) return {low, counter.high};
  const Value carry =
      arith::ExtUIOp::create(ops, builder.integer_type(64),
                             arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, low, steps));
  return {low, arith::AddIOp::create(ops, counter.high, carry)};
}

// The words of one block, of 32 bits each.
Values BlockOf(KernelBuilder& builder, bool is_philox, Value key, const Counter& counter) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  const auto halves = [&](Value word) -> std::array<EmittedInteger, 2> {
    const mlir::Type half = builder.integer_type(32);
    const Value high = arith::ShRUIOp::create(ops, word, builder.Integer(64, 32));
    return {EmittedInteger{{&builder, arith::TruncIOp::create(ops, half, word)}},
            EmittedInteger{{&builder, arith::TruncIOp::create(ops, half, high)}}};
  };
  const std::array<EmittedInteger, 2> low = halves(counter.low);
  Values words;
  if (is_philox) {
    const std::array<EmittedInteger, 2> high = halves(counter.high);
    const std::array<EmittedInteger, 4> block =
        scalar::Philox<EmittedInteger>(halves(key), {low[0], low[1], high[0], high[1]});
    for (const EmittedInteger& word : block) words.push_back(word.value);
    return words;
  }
  for (const EmittedInteger& word : scalar::Threefry(halves(key), low)) words.push_back(word.value);
  return words;
}

// The one of these words that the number says.
Value Chosen(KernelBuilder& builder, llvm::ArrayRef<Value> words, Value number) {
  Value chosen = words.front();
  for (size_t i = 1; i < words.size(); ++i) {
    const Value is_this =
        arith::CmpIOp::create(builder.ops(), arith::CmpIPredicate::eq, number,
                              builder.Integer(number.getType(), static_cast<int64_t>(i)));
    chosen = arith::SelectOp::create(builder.ops(), is_this, words[i], chosen);
  }
  return chosen;
}

}  // namespace

// (new state, bits), or the bits alone. Element i has the words of 32 bits from its number on, two
// if it has 64 bits; the state counts the blocks that were begun.
ElementEmitter::Step ElementEmitter::StepOfRandomBits(const Element& element) {
  const Instruction& generator = *element.instruction;
  const Instruction& state = generator.operand(0);
  const ElementType state_type = state.shape().element_type();
  const int64_t state_bits = state.shape().num_elements() * hlo::ElementBits(state_type);
  const bool is_possible = hlo::IsIntegral(state_type) && hlo::ElementBits(state_type) >= 8 &&
                           (state_bits == 2 * kWordBits || state_bits == 3 * kWordBits) &&
                           state.shape().rank() == 1;
  if (!is_possible) return Failed(element, "has a state that is no line of 128 or 192 bits");
  const bool is_philox =
      generator.Required<hlo::Keyword>(AttributeName::kAlgorithm).text != "rng_three_fry";
  Step step;
  for (int64_t i = 0; i < state.shape().num_elements(); ++i) {
    step.operands.push_back(ElementAt(element, state, ScalarIndex(element.index),
                                      {mlir::getAffineConstantExpr(i, plans_.mlir_context)}));
  }
  const int64_t words_of_block = is_philox ? 4 : 2;
  const bool has_state = generator.shape().num_array_leaves() == 2;
  const Shape& bits_shape = generator.shape().ArrayLeaf(has_state ? 1 : 0);
  const int64_t width = hlo::ElementBits(bits_shape.element_type());
  const int64_t words_of_element = width == kWordBits ? 2 : 1;
  // The number of the element, row-major; of the state, that of its word.
  const Shape& shape = ShapeOf(element);
  AffineExpr number = mlir::getAffineConstantExpr(0, plans_.mlir_context);
  for (unsigned i = 0; i < shape.sizes().size(); ++i) {
    number = number * shape.sizes()[i] + element.index.affine_map().getResult(i);
  }
  const auto at = [&](AffineExpr expression) {
    return ElementAt(element, state, element.index, {expression}).index;
  };
  if (has_state && element.leaf == 0) {
    const int64_t blocks =
        support::CeilDiv(bits_shape.num_elements() * words_of_element, words_of_block);
    const int64_t part_bits = hlo::ElementBits(state_type);
    const IndexingMap place = at(number);
    step.make = [=, this](llvm::ArrayRef<const Lanes*> operands) {
      mlir::ImplicitLocOpBuilder& ops = builder_.ops();
      Values words = WordsOf(builder_, operands, state_type);
      const Counter counter =
          Advanced(builder_, CounterOf(words), builder_.Integer(64, blocks), is_philox);
      words[1] = counter.low;
      if (words.size() > 2) words[2] = counter.high;
      const Value parts_of_word = builder_.Integer(64, kWordBits / part_bits);
      Lanes lanes;
      for (const Value index : IndexOfLanes(place)) {
        const Value wide = builder_.Resize(index, 64);
        const Value word =
            Chosen(builder_, words, arith::DivUIOp::create(ops, wide, parts_of_word));
        const Value shift = arith::MulIOp::create(
            ops, arith::RemUIOp::create(ops, wide, parts_of_word), builder_.Integer(64, part_bits));
        const Value part = arith::ShRUIOp::create(ops, word, shift);
        lanes.push_back({builder_.Resize(part, static_cast<unsigned>(part_bits)), Value()});
      }
      return lanes;
    };
    return step;
  }
  const IndexingMap block = at((number * words_of_element).floorDiv(words_of_block));
  const IndexingMap first_word = at((number * words_of_element) % words_of_block);
  const ElementType type = bits_shape.element_type();
  step.make = [=, this](llvm::ArrayRef<const Lanes*> operands) {
    mlir::ImplicitLocOpBuilder& ops = builder_.ops();
    const Values state_words = WordsOf(builder_, operands, state_type);
    const Counter start = CounterOf(state_words);
    const Values blocks = IndexOfLanes(block);
    const Values places = IndexOfLanes(first_word);
    Lanes lanes;
    // Neighbouring lanes that have the same block have the same code, which LLVM makes once.
    for (size_t lane = 0; lane < std::max(blocks.size(), places.size()); ++lane) {
      const Value number_of_block = builder_.Resize(blocks[blocks.size() == 1 ? 0 : lane], 64);
      const Values words = BlockOf(builder_, is_philox, state_words[0],
                                   Advanced(builder_, start, number_of_block, is_philox));
      const Value place = places[places.size() == 1 ? 0 : lane];
      const Value low = Chosen(builder_, words, place);
      if (words_of_element == 1) {
        lanes.push_back(EmitConvert(builder_, {low, Value()}, ElementType::kU32, type));
        continue;
      }
      const Value next = arith::AddIOp::create(ops, place, builder_.Integer(place.getType(), 1));
      const mlir::Type wide = builder_.integer_type(64);
      const Value high = arith::ShLIOp::create(
          ops, arith::ExtUIOp::create(ops, wide, Chosen(builder_, words, next)),
          builder_.Integer(64, 32));
      lanes.push_back(
          {arith::OrIOp::create(ops, arith::ExtUIOp::create(ops, wide, low), high), Value()});
    }
    return lanes;
  };
  return step;
}

}  // namespace hlo_indexing::emit
