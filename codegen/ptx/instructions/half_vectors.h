// fma.rn.f16x2 of whole warps by the host's conversions of f16, where it has them: the halves of 32
// lanes are 64 numbers side by side. The arithmetic is that of numerics::Fma.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_HALF_VECTORS_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_HALF_VECTORS_H_

#include <cstdint>

#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/rounding.h"

#if HLO_INDEXING_PTX_HAS_WIDE_VECTORS
#include <immintrin.h>

namespace hlo_indexing::ptx::internal {

#define HLO_INDEXING_PTX_HALF_VECTORS gnu::target("avx2,fma,f16c")

inline bool HasHalfVectors() { return HasWideVectors() && __builtin_cpu_supports("f16c") != 0; }

/// Eight halves where `is_zero` does not say zero; zeros keep the sign.
[[HLO_INDEXING_PTX_HALF_VECTORS]] inline __m128i ZeroHalvesWhere(__m128i is_zero, __m128i halves) {
  return _mm_andnot_si128(_mm_and_si128(is_zero, _mm_set1_epi16(0x7fff)), halves);
}

/// Eight halves, exactly, subnormal ones flushed if kFlush.
template <bool kFlush>
[[HLO_INDEXING_PTX_HALF_VECTORS]] inline __m256 LoadHalves(const uint32_t* lanes) {
  __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lanes));
  if constexpr (kFlush) {
    const __m128i magnitude = _mm_and_si128(halves, _mm_set1_epi16(0x7fff));
    halves = ZeroHalvesWhere(_mm_cmplt_epi16(magnitude, _mm_set1_epi16(0x0400)), halves);
  }
  return _mm256_cvtph_ps(halves);
}

/// AddRoundedToOdd of floats (numerics/round_to_odd.h).
[[HLO_INDEXING_PTX_HALF_VECTORS]] inline __m256 AddVectorsRoundedToOdd(__m256 a, __m256 b) {
  const __m256 sum = _mm256_add_ps(a, b);
  const __m256 part_of_b = _mm256_sub_ps(sum, a);
  const __m256 error =
      _mm256_add_ps(_mm256_sub_ps(a, _mm256_sub_ps(sum, part_of_b)), _mm256_sub_ps(b, part_of_b));
  const __m256i has_error =
      _mm256_castps_si256(_mm256_cmp_ps(error, _mm256_setzero_ps(), _CMP_NEQ_OQ));
  const __m256i differs = _mm256_srai_epi32(_mm256_castps_si256(_mm256_xor_ps(sum, error)), 31);
  const __m256i toward_zero =
      _mm256_add_epi32(_mm256_castps_si256(sum), _mm256_and_si256(differs, has_error));
  return _mm256_castsi256_ps(_mm256_or_si256(toward_zero, _mm256_srli_epi32(has_error, 31)));
}

/// Of which floats, rounded to odd, .ftz flushes the half (numerics::IsTiny).
[[HLO_INDEXING_PTX_HALF_VECTORS]] inline __m128i AreTinyHalves(__m256 values) {
  const __m256 magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), values);
  const __m256 is_tiny = _mm256_cmp_ps(magnitude, _mm256_set1_ps(0x1p-14F - 0x1p-26F), _CMP_LT_OQ);
  const __m256i mask = _mm256_castps_si256(is_tiny);
  return _mm_packs_epi32(_mm256_castsi256_si128(mask), _mm256_extracti128_si256(mask, 1));
}

/// The nearest halves of floats that are rounded to odd, NaN 0x7fff; with the modifiers flush and
/// relu.
template <numerics::Modifiers kModifiers>
[[HLO_INDEXING_PTX_HALF_VECTORS]] inline void StoreHalves(__m256 values, uint32_t* lanes) {
  const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fff'e000));
  const __m256 is_nan = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
  __m128i halves = _mm256_cvtps_ph(_mm256_blendv_ps(values, nan, is_nan),
                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  if constexpr (kModifiers.flush) halves = ZeroHalvesWhere(AreTinyHalves(values), halves);
  if constexpr (kModifiers.relu) halves = _mm_andnot_si128(_mm_srai_epi16(halves, 15), halves);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(lanes), halves);
}

/// fma.rn.f16x2, with .ftz and .relu; `kElse` executes it for fewer lanes than all.
template <numerics::Modifiers kModifiers, Execute kElse>
[[HLO_INDEXING_PTX_HALF_VECTORS]] Step FmaF16x2(const Operation& operation, Execution& execution) {
  if (execution.lanes != kAllLanes) return kElse(operation, execution);
  constexpr int kLanesAtATime = 4;
  constexpr bool kFlush = kModifiers.flush;
  uint32_t* const result = execution.At<uint32_t>(operation.slots[0]);
  const uint32_t* const a = execution.At<uint32_t>(operation.slots[1]);
  const uint32_t* const b = execution.At<uint32_t>(operation.slots[2]);
  const uint32_t* const c = execution.At<uint32_t>(operation.slots[3]);
  for (int lane = 0; lane < kWarpSize; lane += kLanesAtATime) {
    const __m256 product =
        _mm256_mul_ps(LoadHalves<kFlush>(a + lane), LoadHalves<kFlush>(b + lane));
    const __m256 sum = AddVectorsRoundedToOdd(product, LoadHalves<kFlush>(c + lane));
    StoreHalves<kModifiers>(sum, result + lane);
  }
  return Step::kNext;
}

#undef HLO_INDEXING_PTX_HALF_VECTORS

}  // namespace hlo_indexing::ptx::internal

#endif

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_HALF_VECTORS_H_
