#include "codegen/ptx/numerics/approximate.h"

#include <cmath>

namespace hlo_indexing::ptx::numerics {
float SinApprox(float value, bool flush) {
  return internal::InDouble(value, flush, [](double x) { return std::sin(x); });
}

float CosApprox(float value, bool flush) {
  return internal::InDouble(value, flush, [](double x) { return std::cos(x); });
}

}  // namespace hlo_indexing::ptx::numerics
