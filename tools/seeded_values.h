// Values for parameters that were not given any: the same for the same seed.
#ifndef HLO_INDEXING_TOOLS_SEEDED_VALUES_H_
#define HLO_INDEXING_TOOLS_SEEDED_VALUES_H_

#include <cstdint>
#include <vector>

#include "hlo/shape.h"

namespace hlo_indexing::tools {

/// The elements of parameter array number `leaf` on a device, as a literal has them. They depend on
/// the seed, the device and the array only; docs/interpreter.md says how.
std::vector<uint8_t> SeededBytes(const hlo::Shape& shape, uint64_t seed, int64_t device,
                                 int64_t leaf);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_SEEDED_VALUES_H_
