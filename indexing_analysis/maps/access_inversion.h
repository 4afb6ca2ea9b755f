// From what an element reads to where an element goes: the inverse of an access as a relation.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_ACCESS_INVERSION_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_ACCESS_INVERSION_H_

#include <cstdint>
#include <optional>

#include "indexing_analysis/maps/access.h"

namespace hlo_indexing::indexing_analysis {

/// The access that leads from an index of the array that is reached to all indices whose access
/// reaches it: exactly the same pairs, the other way round. Elements that are not reached are
/// outside the domain. `own_device` is the runtime value of the executing device, if there is one;
/// in an access between devices, it takes the part of the device that is read, and the device that
/// reads becomes the result.
/// Example: (d0) on [0, 4] -> (d0 * 3 + 1)  ->  (d0) -> ((d0 - 1) floordiv 3), d0 in [1, 13],
/// (d0 - 1) mod 3 in [0, 0]
Access InvertAccess(DigitContext& digits, const Access& access, std::optional<Sum> own_device);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_ACCESS_INVERSION_H_
