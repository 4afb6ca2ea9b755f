// Variants of a random instance of an opcode, in one module.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RANDOM_VARIANTS_H_
#define HLO_INDEXING_TESTS_PROPERTY_RANDOM_VARIANTS_H_

#include <string>

#include "tests/property/random.h"

namespace hlo_indexing::testing {

/// Makes computations that differ from the entry of a module in one thing each: a character of its
/// root's attributes, an attribute that is missing, the computation that it calls, its opcode, an
/// element type or a layout. Only what the verifier takes is kept, so most have the same
/// dimensions.
class RandomVariants {
 public:
  /// For the text of RandomInstance.
  RandomVariants(Random& random, const std::string& instance);

  int count() const { return count_; }
  /// The module with its variants beside its entry.
  const std::string& module_text() const { return module_text_; }

 private:
  int count_ = 0;
  std::string module_text_;
};

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RANDOM_VARIANTS_H_
