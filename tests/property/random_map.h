// Random indexing maps, small enough to enumerate.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RANDOM_MAP_H_
#define HLO_INDEXING_TESTS_PROPERTY_RANDOM_MAP_H_

#include <string>

#include "tests/property/random.h"

namespace hlo_indexing::testing {

/// The text of a map with up to 5 variables in small boxes, up to 3 constraints, nested divisions
/// and remainders by positive and negative constants.
std::string RandomMap(Random& random);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RANDOM_MAP_H_
