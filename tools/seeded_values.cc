#include "tools/seeded_values.h"

#include <array>
#include <cstddef>

#include "hlo/interpreter/element_value.h"
#include "hlo/interpreter/random_bits.h"
#include "hlo/literal.h"

namespace hlo_indexing::tools {
namespace {

// Bits that depend on the seed, the device and the array only.
class SeededBits {
 public:
  SeededBits(uint64_t seed, int64_t device, int64_t leaf)
      : key_(seed), high_(static_cast<uint64_t>(device) << 32 | static_cast<uint64_t>(leaf)) {}

  uint32_t Next() {
    if (next_ == 0) block_ = hlo::Philox4x32(key_, low_++, high_);
    const uint32_t word = block_[next_];
    next_ = (next_ + 1) % block_.size();
    return word;
  }
  // In [-1, 1), of 24 bits.
  double NextReal() { return static_cast<double>(Next() >> 8) * 0x1p-23 - 1; }

 private:
  uint64_t key_;
  uint64_t high_;
  uint64_t low_ = 0;
  size_t next_ = 0;
  std::array<uint32_t, 4> block_ = {};
};

}  // namespace

std::vector<uint8_t> SeededBytes(const hlo::Shape& shape, uint64_t seed, int64_t device,
                                 int64_t leaf) {
  SeededBits bits(seed, device, leaf);
  const hlo::ElementType type = shape.element_type();
  const int64_t width = hlo::LiteralBytesPerElement(type);
  std::vector<uint8_t> bytes(static_cast<size_t>(shape.num_elements() * width));
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    hlo::Element element;
    switch (hlo::ClassOf(type)) {
      case hlo::ElementClass::kFloat:
        element.real = bits.NextReal();
        break;
      case hlo::ElementClass::kComplex:
        element.real = bits.NextReal();
        element.imag = bits.NextReal();
        break;
      case hlo::ElementClass::kSigned:
        // -8 to 7, wrapped: products and sums stay small.
        element.integer = static_cast<int64_t>(bits.Next() >> 28) - 8;
        break;
      case hlo::ElementClass::kUnsigned:
        element.integer = bits.Next() >> 28;
        break;
      default:
        element.integer = bits.Next() >> 31;
    }
    hlo::StoreElement(type, element, bytes.data() + i * width);
  }
  return bytes;
}

}  // namespace hlo_indexing::tools
