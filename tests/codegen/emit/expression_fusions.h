// Random fusions of expressions of row-major arrays that are reduced, transposed or written as they
// are, large enough that vectors, kept rows and shared memory are used.
#ifndef HLO_INDEXING_TESTS_CODEGEN_EMIT_EXPRESSION_FUSIONS_H_
#define HLO_INDEXING_TESTS_CODEGEN_EMIT_EXPRESSION_FUSIONS_H_

#include <string>

#include "tests/property/random.h"

namespace hlo_indexing::testing {

struct ExpressionFusion {
  /// What is done to the expressions, as "rows".
  std::string family;
  std::string text;
};

ExpressionFusion RandomExpressionFusion(Random& random);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_CODEGEN_EMIT_EXPRESSION_FUSIONS_H_
