// Whether constraints exclude each other. Private to the folder.
#ifndef HLO_INDEXING_SIMPLIFIER_FEASIBILITY_H_
#define HLO_INDEXING_SIMPLIFIER_FEASIBILITY_H_

#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// Whether the domain of a tightened map is known to be empty: by integer programming, where no
/// point is found at random. *d0 - s0 in [1, 5], d0 floordiv 7 - s0 floordiv 7 in [2, 5] -> true*
bool HasNoPoint(const QuasiAffineMap& map);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_FEASIBILITY_H_
