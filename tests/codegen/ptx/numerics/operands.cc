#include "tests/codegen/ptx/numerics/operands.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/codegen/ptx/numerics/exact.h"

namespace hlo_indexing::ptx::numerics::exact {

std::vector<uint64_t> SpecialOperands(const Format& format) {
  const uint64_t hidden = uint64_t{1} << format.mantissa_bits;
  const uint64_t one = static_cast<uint64_t>(format.bias) * hidden;
  const uint64_t infinity = format.greatest + 1;
  std::vector<uint64_t> magnitudes = {0,
                                      1,
                                      2,
                                      3,
                                      hidden / 2,
                                      hidden - 1,
                                      hidden,
                                      hidden + 1,
                                      2 * hidden - 1,
                                      2 * hidden,
                                      one / 2,
                                      one - hidden,
                                      one - 1,
                                      one,
                                      one + 1,
                                      one + hidden / 2,
                                      one + hidden,
                                      one + hidden + 1,
                                      one + hidden + hidden / 2,
                                      one + static_cast<uint64_t>(format.mantissa_bits) * hidden,
                                      format.greatest - 1,
                                      format.greatest,
                                      infinity,
                                      infinity + 1,
                                      infinity + hidden / 2,
                                      format.sign_bit - 1};
  std::vector<uint64_t> operands;
  for (const uint64_t magnitude : magnitudes) {
    operands.push_back(magnitude);
    operands.push_back(magnitude | format.sign_bit);
  }
  return operands;
}

uint64_t RandomOperands::Next() {
  const uint64_t bits = random_() & (2 * format_.sign_bit - 1);
  const uint64_t hidden = uint64_t{1} << format_.mantissa_bits;
  const uint64_t upper = bits & ~(hidden - 1);
  const uint64_t few = (uint64_t{1} << random_() % static_cast<uint64_t>(format_.mantissa_bits)) |
                       (uint64_t{1} << random_() % static_cast<uint64_t>(format_.mantissa_bits));
  const uint64_t near_one =
      static_cast<uint64_t>(format_.bias) * hidden + random_() % (16 * hidden) - 8 * hidden;
  switch (random_() % 8) {
    case 0:
      return upper | few;
    case 1:
      return upper | (hidden - 1 - few);
    case 2:
      return (bits & format_.sign_bit) | (near_one & (format_.sign_bit - 1));
    case 3:
      return (bits & format_.sign_bit) | bits % (4 * hidden);
    default:
      return bits;
  }
}

uint64_t RandomOperands::Near(uint64_t other, int distance) {
  const uint64_t magnitude = other & (format_.sign_bit - 1);
  const uint64_t span = static_cast<uint64_t>(distance) << format_.mantissa_bits;
  const uint64_t low = magnitude > span ? magnitude - span : 0;
  const uint64_t near = std::min(low + random_() % (2 * span), format_.greatest);
  return near | (random_() % 2 != 0 ? format_.sign_bit : 0);
}

}  // namespace hlo_indexing::ptx::numerics::exact
