// Random fusions for every emitter, with arrays of all types in layouts of all kinds.
#ifndef HLO_INDEXING_TESTS_CODEGEN_EMIT_LAYOUT_FUSIONS_H_
#define HLO_INDEXING_TESTS_CODEGEN_EMIT_LAYOUT_FUSIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/property/random.h"

namespace hlo_indexing::testing {

struct LayoutFusion {
  /// What the fusion is built around, as "row reduction".
  std::string family;
  std::string text;
  /// Of what is no sum in another order this is 0: bits are the same.
  double tolerance = 0;
};

/// How many families there are, and what they are called.
size_t NumFusionFamilies();
std::string FusionFamilyName(size_t family);

/// All types that arrays have.
const std::vector<std::string>& AllElementTypes();

/// A fusion of one of these families. Sums and products are such that they are exact in any order,
/// as long as the parameters are small multiples of a quarter.
LayoutFusion RandomLayoutFusion(Random& random, size_t family);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_CODEGEN_EMIT_LAYOUT_FUSIONS_H_
