// Valid modules with mistakes in the attributes of an instruction.
//
// Example: of `r = f32[3,2] transpose(p), dimensions={1,0}` come `r = transpose(p),
// dimensions={1}`,
// `..., dimensions={}`, `..., dimensions={1,0,1,0}`, `..., dimensions={4611686018427387904,0}` and
// the like.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RANDOM_MUTATION_H_
#define HLO_INDEXING_TESTS_PROPERTY_RANDOM_MUTATION_H_

#include <string>

#include "tests/property/random.h"

namespace hlo_indexing::testing {

/// Changes up to three things about the attributes of one instruction of a module: an attribute
/// goes missing, loses all or some of what it lists, has that doubled, swapped or nested, a number
/// in it is out of range, negative or 2^62, one is added that the opcode does not have, or a
/// computation that is called becomes another one. Often the shape goes, too, so that it follows
/// from what the attributes say now. The text comes back as it was if no instruction has
/// attributes.
std::string WithMutatedAttributes(Random& random, const std::string& module_text);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RANDOM_MUTATION_H_
