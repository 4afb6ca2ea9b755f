// Chains of async-start, async-update and async-done.
#ifndef HLO_INDEXING_HLO_ASYNC_H_
#define HLO_INDEXING_HLO_ASYNC_H_

#include "hlo/module.h"

namespace hlo_indexing::hlo {

/// What the async-start that an async-update or async-done continues starts; nullptr if it
/// continues none that names a computation.
/// Example: d = f32[8] async-done(u), u = async-update(s), s = async-start(p), calls=f -> f
const Computation* CalleeOfAsync(const Instruction& instruction);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_ASYNC_H_
