#include "codegen/ptx/numerics/host_rounding.h"

#include "codegen/ptx/numerics/rounding.h"

#ifdef __SSE2__
#include <immintrin.h>
#else
#include <cfenv>
#endif

namespace hlo_indexing::ptx::numerics {
namespace {

// Floats and doubles are computed by SSE where there is one, and its mode is set in half the
// time of fesetround, which sets that of the x87 unit too.
#ifdef __SSE2__

unsigned ModeOf(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardZero:
      return _MM_ROUND_TOWARD_ZERO;
    case Rounding::kDown:
      return _MM_ROUND_DOWN;
    case Rounding::kUp:
      return _MM_ROUND_UP;
    case Rounding::kNearestEven:
    case Rounding::kNearestAway:
      break;
  }
  return _MM_ROUND_NEAREST;
}

unsigned ControlOf() { return _mm_getcsr(); }
void SetControl(unsigned control) { _mm_setcsr(control); }
void SetRounding(Rounding rounding) {
  _mm_setcsr((_mm_getcsr() & ~_MM_ROUND_MASK) | ModeOf(rounding));
}

#else

int ModeOf(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardZero:
      return FE_TOWARDZERO;
    case Rounding::kDown:
      return FE_DOWNWARD;
    case Rounding::kUp:
      return FE_UPWARD;
    case Rounding::kNearestEven:
    case Rounding::kNearestAway:
      break;
  }
  return FE_TONEAREST;
}

unsigned ControlOf() { return static_cast<unsigned>(std::fegetround()); }
void SetControl(unsigned control) { std::fesetround(static_cast<int>(control)); }
void SetRounding(Rounding rounding) { std::fesetround(ModeOf(rounding)); }

#endif

}  // namespace

HostRounding::HostRounding(Rounding rounding) : before_(ControlOf()) { SetRounding(rounding); }

HostRounding::~HostRounding() { SetControl(before_); }

}  // namespace hlo_indexing::ptx::numerics
