// How many registers of a function hold a value that is still needed, at the place where that is
// most: what an allocation of registers needs at least where it neither computes values again nor
// spills them.
//
// Example: of  add.f32 %f3, %f1, %f2;  mul.f32 %f4, %f3, %f3;  the values of %f1 and %f2 are needed
// before the first, %f3 between them.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_LIVENESS_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_LIVENESS_H_

#include <cstdint>
#include <optional>

#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx::syntax {

struct LiveRegisters {
  /// Registers of 32 bits: one of 64 bits takes two, one of 8 or 16 bits one.
  uint64_t words = 0;
  /// Apart from these: predicates have registers of their own.
  uint64_t predicates = 0;

  friend bool operator==(const LiveRegisters&, const LiveRegisters&) = default;
};

/// The most registers that are live at once, each kind where it has most. What called functions
/// need is not counted. nullopt of a function without body, or one that is so large that this takes
/// long (about a million registers times blocks of code, in words of 64).
std::optional<LiveRegisters> CountLiveRegisters(const Function& function);

}  // namespace hlo_indexing::ptx::syntax

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_LIVENESS_H_
