// The computations that an instruction calls, as accesses are propagated through them. Private to
// `indexing_analysis`.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALLED_COMPUTATIONS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALLED_COMPUTATIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "hlo/module.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::indexing_analysis {

/// Whether accesses are propagated through the computations that an instruction calls; then there
/// is no read rule.
bool HasControlFlow(const hlo::Instruction& instruction);

/// The computation that a fusion, a call or an async-start stands for; null for others.
const hlo::Computation* CalleeOf(const hlo::Instruction& instruction);

/// The array of the parameter that is forwarded to array `leaf` of the root; nullopt if it may be
/// changed.
///
/// Example: (x, y) -> (y, x + y), 0 -> 1
std::optional<int64_t> ForwardedParameter(const hlo::Computation& computation, int64_t leaf);

/// Why nothing is known of an array with a dimension of no bound: of its sizes, which instructions
/// that share an answer have in common, as they do not the type.
///
/// Example: f32[4,?] -> "dimension 1 of [4,?] has no bound"
std::string UnboundedReason(const hlo::Shape& shape);

/// Where the rule of the instruction needs a size that is not known, the output array if a
/// dimension of it has no bound, else such an operand. Null if the rule says what is read.
const hlo::Shape* FindUnbounded(const hlo::Instruction& instruction, int64_t leaf);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_CALLED_COMPUTATIONS_H_
