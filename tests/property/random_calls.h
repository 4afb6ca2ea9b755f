// Random modules of computations that call each other.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RANDOM_CALLS_H_
#define HLO_INDEXING_TESTS_PROPERTY_RANDOM_CALLS_H_

#include <string>

#include "tests/property/random.h"

namespace hlo_indexing::testing {

/// The text of a module of a few computations, each of which may call, fuse, start, choose between
/// and repeat those before it: several times, with the same arguments and others, and with what
/// another call has given. All f32 arrays have 12 elements in few shapes, so that calls are often
/// reached alike; indices are parameters, numbers, or computed inside. The entry's root is a call.
std::string RandomCalls(Random& random);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RANDOM_CALLS_H_
