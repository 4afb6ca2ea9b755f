// rng-bit-generator: Threefry-2x32 with 20 rounds and Philox-4x32 with 10, as published in Salmon
// et al., "Parallel random numbers: as easy as 1, 2, 3", 2011. docs/interpreter.md states how state
// and counters are laid out.
#include <array>
#include <cstring>

#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"
#include "hlo/interpreter/random_bits.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// Words of 64 bits, little endian.
std::vector<uint64_t> ReadState(const ArrayValue& state) {
  std::vector<uint64_t> words(state.bytes().size() / sizeof(uint64_t));
  std::memcpy(words.data(), state.bytes().data(), words.size() * sizeof(uint64_t));
  return words;
}

// The words of one block after the other.
class BitStream {
 public:
  BitStream(bool is_philox, const std::vector<uint64_t>& state)
      : is_philox_(is_philox),
        key_(state[0]),
        low_(state.size() > 1 ? state[1] : 0),
        // Where the state has no place for them, XLA's high bits of the counter are the key.
        high_(state.size() > 2 ? state[2] : state[0]) {}

  uint32_t Next() {
    if (next_ == block_.size()) {
      if (is_philox_) {
        const std::array<uint32_t, 4> words = Philox4x32(key_, low_, high_);
        block_.assign(words.begin(), words.end());
      } else {
        const std::array<uint32_t, 2> words = Threefry2x32(key_, low_);
        block_.assign(words.begin(), words.end());
      }
      if (++low_ == 0 && is_philox_) ++high_;
      next_ = 0;
    }
    return block_[next_++];
  }
  // The state after the blocks that were begun.
  void WriteState(std::vector<uint64_t>& state) const {
    if (state.size() > 1) state[1] = low_;
    if (state.size() > 2) state[2] = high_;
  }

 private:
  bool is_philox_;
  uint64_t key_;
  uint64_t low_;
  uint64_t high_;
  llvm::SmallVector<uint32_t, 4> block_;
  size_t next_ = 0;
};

}  // namespace

// (new state, bits), or the bits alone.
bool RngBitGenerator(Evaluation& e) {
  const llvm::StringRef name = e.instruction().Required<Keyword>(AttributeName::kAlgorithm).text;
  if (name != "rng_default" && name != "rng_philox" && name != "rng_three_fry") {
    return e.Fail("the algorithm must be rng_default, rng_three_fry or rng_philox");
  }
  if (!e.operand(0).IsArray() || e.array(0).bytes().size() < 16 || e.array(0).bytes().size() > 24 ||
      e.array(0).bytes().size() % 8 != 0 || !IsIntegral(e.array(0).type())) {
    return e.Fail("the state must be integers of 128 or 192 bits");
  }
  const Shape& shape = e.instruction().shape();
  const bool has_state = shape.IsTuple() && shape.elements().size() == 2;
  const Shape& bits_shape = has_state ? *shape.elements()[1] : shape;
  if (!bits_shape.IsArray() || !IsIntegral(bits_shape.element_type()) ||
      (has_state &&
       !Compatible(*shape.elements()[0], e.array(0).shape(), ShapeAspects::kTypeAndDimensions))) {
    return e.Fail("it must give (state, integers), or integers, not " + shape.ToString());
  }
  const std::shared_ptr<ArrayValue> bits = e.NewArray(bits_shape);
  const std::shared_ptr<ArrayValue> new_state = e.NewArray(e.array(0).shape());
  if (bits == nullptr || new_state == nullptr || !e.Spend(bits->size())) return false;
  std::vector<uint64_t> state = ReadState(e.array(0));
  BitStream stream(name != "rng_three_fry", state);
  const SourceSet sources = e.SourcesOfAll(e.array(0));
  for (int64_t i = 0; i < bits->size(); ++i) {
    uint64_t word = stream.Next();
    if (ElementBits(bits->type()) == 64) word |= static_cast<uint64_t>(stream.Next()) << 32;
    // As all narrower types, pred-like ones included, the low bits.
    Element element = IntegerElement(static_cast<int64_t>(word));
    element.sources = sources;
    bits->Set(i, element);
  }
  if (!has_state) return e.Return(bits);
  stream.WriteState(state);
  std::memcpy(new_state->mutable_bytes().data(), state.data(), new_state->bytes().size());
  for (int64_t i = 0; i < new_state->size(); ++i) new_state->SetSources(i, sources);
  return e.Return(Value::Tuple(&shape, {Value(new_state), Value(bits)}));
}

}  // namespace hlo_indexing::hlo::evaluate
