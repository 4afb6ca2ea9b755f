// The rounding mode of this processor's own arithmetic of floats and doubles. Under it, what PTX
// rounds otherwise than to nearest is a plain expression, as it is to nearest.
//
// Example: `add.rm.f64` of a warp is
//   const HostRounding mode(Rounding::kDown);
//   for (int lane = 0; lane < 32; ++lane) d[lane] = Add(a[lane], b[lane]);
// Compilers assume the usual mode: they keep an operation under it only where its operands are
// loaded after the mode is set from memory that a function elsewhere could have changed, and its
// result is stored to such memory before the mode ends. Registers of a warp are such memory; local
// variables are not.
#ifndef HLO_INDEXING_CODEGEN_PTX_NUMERICS_HOST_ROUNDING_H_
#define HLO_INDEXING_CODEGEN_PTX_NUMERICS_HOST_ROUNDING_H_

#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx::numerics {

/// Sets the mode of this thread, and restores at its end what was before. Not kNearestAway, which
/// processors do not have.
class HostRounding {
 public:
  explicit HostRounding(Rounding rounding);
  ~HostRounding();

  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  unsigned before_;
};

}  // namespace hlo_indexing::ptx::numerics

#endif  // HLO_INDEXING_CODEGEN_PTX_NUMERICS_HOST_ROUNDING_H_
