// Targets of custom calls whose meaning is known.
#ifndef HLO_INDEXING_HLO_CUSTOM_CALL_TARGETS_H_
#define HLO_INDEXING_HLO_CUSTOM_CALL_TARGETS_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::hlo {

/// The targets by which XLA and its front ends annotate and place arrays: the result is the
/// operand. In alphabetical order.
/// Example: "Sharding" is among them
llvm::ArrayRef<llvm::StringLiteral> IdentityCustomCallTargets();

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_CUSTOM_CALL_TARGETS_H_
