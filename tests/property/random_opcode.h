// Random instances of every opcode, with all its attributes, small enough to enumerate.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RANDOM_OPCODE_H_
#define HLO_INDEXING_TESTS_PROPERTY_RANDOM_OPCODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "hlo/opcode.h"
#include "tests/property/random.h"

namespace hlo_indexing::testing {

/// How many devices run the modules of collectives.
inline constexpr int64_t kNumDevices = 8;

/// The text of a module whose entry's root is an instance of the opcode. Sizes are 0, 1, primes and
/// others; paddings may be negative.
std::string RandomInstance(Random& random, hlo::Opcode opcode);

/// The text of a module whose entry's root is a call or fusion of a few instances of the opcodes,
/// each on what others give; it may call further computations.
std::string RandomFusion(Random& random, const std::vector<hlo::Opcode>& opcodes);

/// How many devices a module needs: kNumDevices if it has an operation between devices, else 1.
int64_t DevicesOf(const hlo::Module& module);

/// Every opcode whose result is an array that others may compute with.
std::vector<hlo::Opcode> FusibleOpcodes();

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RANDOM_OPCODE_H_
