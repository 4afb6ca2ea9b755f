// The scalar concept for the numbers of the host: float, double, uint32_t, uint64_t and bool, so
// that the functions of this folder can be tested without a GPU. scalar_concept.h says what each
// operation means; operators that C++ has are used as they are.
//
// Right only if the compiler neither contracts nor reorders: -ffp-contract=off, no -ffast-math.
//
// Example: Exp<Precision::kF32>(1.0F) of exp_log.h is 2.7182817F.
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_HOST_SCALAR_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_HOST_SCALAR_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <tuple>

namespace hlo_indexing::emit::scalar {

inline float FloatConstant(float /*like*/, double value) { return static_cast<float>(value); }
inline double FloatConstant(double /*like*/, double value) { return value; }
inline uint32_t IntegerConstant(uint32_t /*like*/, int64_t value) {
  return static_cast<uint32_t>(value);
}
inline uint64_t IntegerConstant(uint64_t /*like*/, int64_t value) {
  return static_cast<uint64_t>(value);
}

inline bool And(bool a, bool b) { return a && b; }
inline bool Or(bool a, bool b) { return a || b; }
inline bool Not(bool a) { return !a; }
inline float Select(bool condition, float a, float b) { return condition ? a : b; }
inline double Select(bool condition, double a, double b) { return condition ? a : b; }
inline uint32_t Select(bool condition, uint32_t a, uint32_t b) { return condition ? a : b; }
inline uint64_t Select(bool condition, uint64_t a, uint64_t b) { return condition ? a : b; }
inline bool Select(bool condition, bool a, bool b) { return condition ? a : b; }
template <typename Then, typename Otherwise>
auto Branch(bool condition, const Then& then, const Otherwise& otherwise) {
  return condition ? then() : otherwise();
}

template <typename State, typename Body>
State Repeat(int count, State state, const Body& body) {
  for (int i = 0; i < count; ++i) state = std::apply(body, state);
  return state;
}

inline float Fma(float a, float b, float c) { return std::fma(a, b, c); }
inline double Fma(double a, double b, double c) { return std::fma(a, b, c); }
inline float Sqrt(float x) { return std::sqrt(x); }
inline double Sqrt(double x) { return std::sqrt(x); }
inline float Abs(float x) { return std::fabs(x); }
inline double Abs(double x) { return std::fabs(x); }
inline float Maximum(float a, float b) {
  if (a != a || b != b) return a != a ? a : b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline double Maximum(double a, double b) {
  if (a != a || b != b) return a != a ? a : b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline float Minimum(float a, float b) { return -Maximum(-a, -b); }
inline double Minimum(double a, double b) { return -Maximum(-a, -b); }
inline float Floor(float x) { return std::floor(x); }
inline double Floor(double x) { return std::floor(x); }
inline float Ceil(float x) { return std::ceil(x); }
inline double Ceil(double x) { return std::ceil(x); }
inline float Trunc(float x) { return std::trunc(x); }
inline double Trunc(double x) { return std::trunc(x); }
inline float RoundEven(float x) { return std::nearbyint(x); }
inline double RoundEven(double x) { return std::nearbyint(x); }

inline float ApproxExp2(float x) {
  const auto power = static_cast<float>(std::exp2(static_cast<double>(x)));
  return power < 0x1p-126F ? 0.0F : power;
}

inline float ApproxReciprocal(float x) {
  const float reciprocal = 1 / (std::fabs(x) < 0x1p-126F ? std::copysign(0.0F, x) : x);
  return std::fabs(reciprocal) < 0x1p-126F ? std::copysign(0.0F, reciprocal) : reciprocal;
}

inline bool Less(float a, float b) { return a < b; }
inline bool Less(double a, double b) { return a < b; }
inline bool LessEqual(float a, float b) { return a <= b; }
inline bool LessEqual(double a, double b) { return a <= b; }
inline bool Equal(float a, float b) { return a == b; }
inline bool Equal(double a, double b) { return a == b; }
inline bool Equal(uint32_t a, uint32_t b) { return a == b; }
inline bool Equal(uint64_t a, uint64_t b) { return a == b; }
inline bool LessUnsigned(uint32_t a, uint32_t b) { return a < b; }
inline bool LessUnsigned(uint64_t a, uint64_t b) { return a < b; }
inline bool LessSigned(uint32_t a, uint32_t b) {
  return static_cast<int32_t>(a) < static_cast<int32_t>(b);
}
inline bool LessSigned(uint64_t a, uint64_t b) {
  return static_cast<int64_t>(a) < static_cast<int64_t>(b);
}

inline uint32_t ShiftLeft(uint32_t n, uint32_t amount) { return n << amount; }
inline uint64_t ShiftLeft(uint64_t n, uint64_t amount) { return n << amount; }
inline uint32_t ShiftRightLogical(uint32_t n, uint32_t amount) { return n >> amount; }
inline uint64_t ShiftRightLogical(uint64_t n, uint64_t amount) { return n >> amount; }
inline uint32_t ShiftRightArithmetic(uint32_t n, uint32_t amount) {
  return static_cast<uint32_t>(static_cast<int32_t>(n) >> amount);
}
inline uint64_t ShiftRightArithmetic(uint64_t n, uint64_t amount) {
  return static_cast<uint64_t>(static_cast<int64_t>(n) >> amount);
}
inline uint32_t MultiplyHighUnsigned(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((uint64_t{a} * b) >> 32);
}
inline uint64_t MultiplyHighUnsigned(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline uint32_t DivideUnsigned(uint32_t a, uint32_t b) { return a / b; }
inline uint64_t DivideUnsigned(uint64_t a, uint64_t b) { return a / b; }
inline uint32_t DivideSigned(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(static_cast<int32_t>(a) / static_cast<int32_t>(b));
}
inline uint64_t DivideSigned(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(static_cast<int64_t>(a) / static_cast<int64_t>(b));
}
inline uint32_t CountLeadingZeros(uint32_t n) { return static_cast<uint32_t>(std::countl_zero(n)); }
inline uint64_t CountLeadingZeros(uint64_t n) { return static_cast<uint64_t>(std::countl_zero(n)); }
inline uint32_t PopulationCount(uint32_t n) { return static_cast<uint32_t>(std::popcount(n)); }
inline uint64_t PopulationCount(uint64_t n) { return static_cast<uint64_t>(std::popcount(n)); }

inline uint32_t BitsOf(float x) { return std::bit_cast<uint32_t>(x); }
inline uint64_t BitsOf(double x) { return std::bit_cast<uint64_t>(x); }
inline float FloatOf(uint32_t bits) { return std::bit_cast<float>(bits); }
inline double FloatOf(uint64_t bits) { return std::bit_cast<double>(bits); }

inline float SignedToFloat(uint32_t n) { return static_cast<float>(static_cast<int32_t>(n)); }
inline double SignedToFloat(uint64_t n) { return static_cast<double>(static_cast<int64_t>(n)); }
inline float UnsignedToFloat(uint32_t n) { return static_cast<float>(n); }
inline double UnsignedToFloat(uint64_t n) { return static_cast<double>(n); }
// What does not fit is 0 here, and may be anything elsewhere.
inline uint32_t FloatToSigned(float x, uint32_t /*like*/) {
  return std::fabs(x) < 0x1p31F ? static_cast<uint32_t>(static_cast<int32_t>(x)) : 0;
}
inline uint64_t FloatToSigned(float x, uint64_t /*like*/) {
  return std::fabs(x) < 0x1p63F ? static_cast<uint64_t>(static_cast<int64_t>(x)) : 0;
}
inline uint32_t FloatToSigned(double x, uint32_t /*like*/) {
  return std::fabs(x) < 0x1p31 ? static_cast<uint32_t>(static_cast<int32_t>(x)) : 0;
}
inline uint64_t FloatToSigned(double x, uint64_t /*like*/) {
  return std::fabs(x) < 0x1p63 ? static_cast<uint64_t>(static_cast<int64_t>(x)) : 0;
}
inline uint32_t FloatToUnsigned(float x, uint32_t /*like*/) {
  return x > -1 && x < 0x1p32F ? static_cast<uint32_t>(x) : 0;
}
inline uint64_t FloatToUnsigned(float x, uint64_t /*like*/) {
  return x > -1 && x < 0x1p64F ? static_cast<uint64_t>(x) : 0;
}
inline uint32_t FloatToUnsigned(double x, uint32_t /*like*/) {
  return x > -1 && x < 0x1p32 ? static_cast<uint32_t>(x) : 0;
}
inline uint64_t FloatToUnsigned(double x, uint64_t /*like*/) {
  return x > -1 && x < 0x1p64 ? static_cast<uint64_t>(x) : 0;
}

}  // namespace hlo_indexing::emit::scalar

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_HOST_SCALAR_H_
