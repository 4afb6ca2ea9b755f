// Random instances of every opcode, with all its attributes, small enough to enumerate.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RANDOM_OPCODE_H_
#define HLO_INDEXING_TESTS_PROPERTY_RANDOM_OPCODE_H_

#include <cstdint>
#include <string>

#include "hlo/opcode.h"
#include "tests/property/random_hlo.h"

namespace hlo_indexing::testing {

/// How many devices run the modules of collectives.
inline constexpr int64_t kNumDevices = 8;

/// The text of a module whose entry's root is an instance of the opcode. Sizes are 0, 1, primes and
/// others; paddings may be negative.
std::string RandomInstance(Random& random, hlo::Opcode opcode);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RANDOM_OPCODE_H_
