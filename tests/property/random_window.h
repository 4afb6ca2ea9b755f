// Random maps that often hold each other.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RANDOM_WINDOW_H_
#define HLO_INDEXING_TESTS_PROPERTY_RANDOM_WINDOW_H_

#include <string>

#include "tests/property/random.h"

namespace hlo_indexing::testing {

/// The text of a map of two dimensions and a range to two results: windows, strides and shifts.
std::string RandomWindow(Random& random);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RANDOM_WINDOW_H_
