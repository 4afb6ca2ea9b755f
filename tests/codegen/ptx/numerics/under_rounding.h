// What functions give where the host rounds otherwise than to nearest.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_UNDER_ROUNDING_H_
#define HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_UNDER_ROUNDING_H_

#include "codegen/ptx/numerics/host_rounding.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {

/// A copy that the compiler does not know, and reads where it stands.
template <typename T>
T Opaque(T value) {
  const volatile T copy = value;
  return copy;
}

/// function(operands...) under a HostRounding. Example:
///   UnderRounding(Rounding::kDown, [](double a, double b) { return a + b; }, 1.0, 1e-30)
template <typename Function, typename... Operands>
auto UnderRounding(Rounding rounding, const Function& function, Operands... operands) {
  const HostRounding mode(rounding);
  return Opaque(function(Opaque(operands)...));
}

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_UNDER_ROUNDING_H_
