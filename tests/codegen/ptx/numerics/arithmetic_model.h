// What the IEEE 754 operations give of every operand, on top of exact.h: infinities, zeros and NaN.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_ARITHMETIC_MODEL_H_
#define HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_ARITHMETIC_MODEL_H_

#include <cstdint>
#include <optional>

#include "codegen/ptx/numerics/rounding.h"
#include "tests/codegen/ptx/numerics/exact.h"

namespace hlo_indexing::ptx::numerics::exact {

/// How results are rounded, and whether subnormal inputs and results are zeros.
struct Mode {
  Rounding rounding = Rounding::kNearestEven;
  bool flush = false;
};

/// The results as encodings; nothing where the result is NaN.
std::optional<uint64_t> Sum(const Format& format, const Mode& mode, uint64_t a, uint64_t b);
std::optional<uint64_t> Product(const Format& format, const Mode& mode, uint64_t a, uint64_t b);
std::optional<uint64_t> Fused(const Format& format, const Mode& mode, uint64_t a, uint64_t b,
                              uint64_t c);
std::optional<uint64_t> Ratio(const Format& format, const Mode& mode, uint64_t a, uint64_t b);
std::optional<uint64_t> SquareRoot(const Format& format, const Mode& mode, uint64_t a);

/// .sat of a result.
uint64_t Saturated(const Format& format, std::optional<uint64_t> result);

}  // namespace hlo_indexing::ptx::numerics::exact

#endif  // HLO_INDEXING_TESTS_CODEGEN_PTX_NUMERICS_ARITHMETIC_MODEL_H_
