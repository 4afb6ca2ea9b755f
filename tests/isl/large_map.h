// Random indexing maps with far too many points to enumerate.
#ifndef HLO_INDEXING_TESTS_ISL_LARGE_MAP_H_
#define HLO_INDEXING_TESTS_ISL_LARGE_MAP_H_

#include "indexing_analysis/maps/indexing_map.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/random.h"

namespace hlo_indexing::testing {

/// The index of an array after up to `max_reshapes` reshapes between shapes whose boundaries do not
/// divide each other, with slices, pads, reversals and transposes between them, and sometimes a
/// constraint. 10^3 to 10^9 points; some variables are ranges.
indexing_analysis::IndexingMap RandomMovement(Random& random, mlir::MLIRContext* context,
                                              int64_t max_reshapes);

/// Nested divisions and remainders of up to 3 variables by constants of both signs, up to 2
/// constraints. 10^3 to 10^9 values of each variable.
indexing_analysis::IndexingMap RandomDivisions(Random& random, mlir::MLIRContext* context);

/// Windows, strides and shifts of two dimensions and a range, with millions of values each.
indexing_analysis::IndexingMap RandomWindow(Random& random, mlir::MLIRContext* context);

/// The map on a part of its box: some variables lose some of their first or last values.
indexing_analysis::IndexingMap Narrowed(Random& random, const indexing_analysis::IndexingMap& map);

/// The same function with divisions written in other ways.
/// *d0 mod 6 -> d0 - (d0 * 2) floordiv 12 * 6*
indexing_analysis::IndexingMap Rewritten(Random& random, const indexing_analysis::IndexingMap& map);

/// The map with one result changed where a dimension has the last of its values, and nowhere else.
indexing_analysis::IndexingMap ChangedAtTheEnd(Random& random,
                                               const indexing_analysis::IndexingMap& map);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_ISL_LARGE_MAP_H_
