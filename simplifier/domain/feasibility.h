// Whether constraints exclude each other. Private to the folder.
#ifndef HLO_INDEXING_SIMPLIFIER_DOMAIN_FEASIBILITY_H_
#define HLO_INDEXING_SIMPLIFIER_DOMAIN_FEASIBILITY_H_

#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {

/// Whether the domain of a tightened map is known to be empty: by integer programming, if no point
/// is found at random. Systems of more than 8 variables, or more than 3 with large coefficients,
/// are given up (integer_system.cc, Effort::kQuick), and count as not empty. Example: d0 - s0 in
/// [1, 5], d0 floordiv 7 - s0 floordiv 7 in [2, 5] -> true
bool HasNoPoint(const QuasiAffineMap& map);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DOMAIN_FEASIBILITY_H_
