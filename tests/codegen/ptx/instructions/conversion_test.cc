// cvt, cvta and mov against the definitions of the types.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/numerics/convert.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/rounding.h"
#include "tests/codegen/ptx/instructions/instruction_runner.h"

namespace hlo_indexing::ptx {
namespace {

__extension__ using Wide = __int128;

struct Integer {
  int bits;
  bool is_signed;
  std::string Name() const { return absl::StrCat(is_signed ? "s" : "u", bits); }
  /// Registers of 8 bits cannot be declared everywhere; cvt reads wider ones.
  std::string Register() const { return absl::StrCat("b", bits == 8 ? 16 : bits); }
  Wide Least() const { return is_signed ? -(Wide{1} << (bits - 1)) : Wide{0}; }
  Wide Greatest() const { return (Wide{1} << (is_signed ? bits - 1 : bits)) - 1; }
  Wide Value(uint64_t raw) const {
    const Wide modulus = Wide{1} << bits;
    const Wide value = static_cast<Wide>(raw) % modulus;
    return is_signed && value >= modulus / 2 ? value - modulus : value;
  }
};

constexpr std::array<Integer, 8> kIntegers = {{{8, false},
                                               {8, true},
                                               {16, false},
                                               {16, true},
                                               {32, false},
                                               {32, true},
                                               {64, false},
                                               {64, true}}};

constexpr std::array<std::pair<const char*, int>, 4> kModes = {
    {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}};

TEST(ConversionTest, IntegersToIntegers) {
  for (const Integer& from : kIntegers) {
    for (const Integer& to : kIntegers) {
      for (const bool saturate : {false, true}) {
        const auto model = [&](const Values& s) {
          Wide value = from.Value(s[0]);
          if (saturate) value = std::clamp(value, to.Least(), to.Greatest());
          // The bits above the type's are those of the extended value.
          return Values{static_cast<uint64_t>(to.Value(static_cast<uint64_t>(value)))};
        };
        const std::string text = absl::StrCat("cvt", saturate ? ".sat" : "", ".", to.Name(), ".",
                                              from.Name(), " %d0, %s0;");
        CheckInstruction(text, {to.Register()}, {from.Register()}, IntegerRows(1, 200), model);
        if (to.bits < 64) CheckInstruction(text, {"b64"}, {"b64"}, IntegerRows(1, 50), model);
        if (to.bits < 32) CheckInstruction(text, {"b32"}, {"b64"}, IntegerRows(1, 50), model);
      }
    }
  }
}

/// The integer that the host's rounding gives, clamped.
uint64_t RoundedAndClamped(double value, int mode, const Integer& to, bool from_f64) {
  if (std::isnan(value)) {
    // Least integer of the type, or the top bit alone, extended as the type is.
    const uint64_t top = uint64_t{1} << (to.bits - 1);
    return from_f64 || to.bits == 64 ? static_cast<uint64_t>(to.Value(top)) : uint64_t{0};
  }
  std::fesetround(mode);
  volatile double input = value;
  const double rounded = std::nearbyint(input);
  std::fesetround(FE_TONEAREST);
  if (rounded >= std::ldexp(1.0, 100)) return static_cast<uint64_t>(to.Greatest());
  if (rounded <= -std::ldexp(1.0, 100)) return static_cast<uint64_t>(to.Least());
  return static_cast<uint64_t>(std::clamp(static_cast<Wide>(rounded), to.Least(), to.Greatest()));
}

TEST(ConversionTest, FloatsToIntegers) {
  Rows singles = FloatRows(1, 32, 1000);
  Rows doubles = FloatRows(1, 64, 1000);
  for (const double base : {0.0, 127.0, 128.0, 255.0, 32767.0, 65535.0, 2147483647.0, 4294967295.0,
                            9223372036854775807.0, 18446744073709551615.0}) {
    for (const double offset : {-1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5}) {
      for (const double sign : {-1.0, 1.0}) {
        const double value = sign * (base + offset);
        doubles.push_back({std::bit_cast<uint64_t>(value)});
        singles.push_back({std::bit_cast<uint32_t>(static_cast<float>(value))});
      }
    }
  }
  for (const Integer& to : kIntegers) {
    for (const auto& [mode, host_mode] : kModes) {
      const std::string prefix = absl::StrCat("cvt.", mode, "i.", to.Name());
      CheckInstruction(prefix + ".f32 %d0, %s0;", {to.Register()}, {"b32"}, singles,
                       [&, m = host_mode](const Values& s) {
                         const float value = std::bit_cast<float>(static_cast<uint32_t>(s[0]));
                         return Values{RoundedAndClamped(static_cast<double>(value), m, to, false)};
                       });
      CheckInstruction(prefix + ".f64 %d0, %s0;", {to.Register()}, {"b64"}, doubles,
                       [&, m = host_mode](const Values& s) {
                         return Values{RoundedAndClamped(std::bit_cast<double>(s[0]), m, to, true)};
                       });
    }
  }
}

// Warps of which no lane is beyond 2^30: these are converted in another way.
TEST(ConversionTest, SmallFloatsToWideIntegers) {
  Rows singles;
  Rows doubles;
  for (int i = -320; i < 320; ++i) {
    for (const double scale : {0.25, 0x1p22 - 0.25}) {
      const double value = i * scale;
      doubles.push_back({std::bit_cast<uint64_t>(value)});
      singles.push_back({std::bit_cast<uint32_t>(static_cast<float>(value))});
    }
  }
  std::ranges::stable_sort(doubles, {}, [](const Values& s) { return s[0] >> 63; });
  std::ranges::stable_sort(singles, {}, [](const Values& s) { return s[0] >> 31; });
  for (const Integer& to : kIntegers) {
    for (const auto& [mode, host_mode] : kModes) {
      const std::string prefix = absl::StrCat("cvt.", mode, "i.", to.Name());
      CheckInstruction(prefix + ".f32 %d0, %s0;", {to.Register()}, {"b32"}, singles,
                       [&, m = host_mode](const Values& s) {
                         const float value = std::bit_cast<float>(static_cast<uint32_t>(s[0]));
                         return Values{RoundedAndClamped(static_cast<double>(value), m, to, false)};
                       });
      CheckInstruction(prefix + ".f64 %d0, %s0;", {to.Register()}, {"b64"}, doubles,
                       [&, m = host_mode](const Values& s) {
                         return Values{RoundedAndClamped(std::bit_cast<double>(s[0]), m, to, true)};
                       });
    }
  }
}

TEST(ConversionTest, IntegersToFloats) {
  for (const Integer& from : kIntegers) {
    for (const auto& [mode, host_mode] : kModes) {
      CheckInstruction(absl::StrCat("cvt.", mode, ".f32.", from.Name(), " %d0, %s0; cvt.", mode,
                                    ".f64.", from.Name(), " %d1, %s0;"),
                       {"b32", "b64"}, {from.Register()}, IntegerRows(1, 1000),
                       [&, m = host_mode](const Values& s) {
                         const Wide value = from.Value(s[0]);
                         std::fesetround(m);
                         volatile int64_t as_signed = static_cast<int64_t>(value);
                         volatile uint64_t as_unsigned = static_cast<uint64_t>(value);
                         const float single = from.is_signed ? static_cast<float>(as_signed)
                                                             : static_cast<float>(as_unsigned);
                         const double wide = from.is_signed ? static_cast<double>(as_signed)
                                                            : static_cast<double>(as_unsigned);
                         std::fesetround(FE_TONEAREST);
                         // The host subtracts to get zero in some modes.
                         return Values{std::bit_cast<uint32_t>(value == 0 ? 0.0F : single),
                                       std::bit_cast<uint64_t>(value == 0 ? 0.0 : wide)};
                       });
    }
  }
}

double HalfValue(uint64_t bits) {
  const int exponent = static_cast<int>((bits >> 10) & 31);
  const double mantissa = static_cast<double>(bits & 1023);
  const double sign = ((bits >> 15) & 1) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

TEST(ConversionTest, HalvesOfAllBits) {
  CheckInstruction("cvt.f32.f16 %d0, %s0; cvt.f32.bf16 %d1, %s0; cvt.rn.f16.f32 %d2, %d0;",
                   {"b32", "b32", "b16"}, {"b16"}, AllOf16Bits(), [](const Values& s) {
                     const double value = HalfValue(s[0]);
                     const bool nan = std::isnan(value);
                     const auto single = static_cast<float>(value);
                     return Values{nan ? 0x7fff'ffffU : std::bit_cast<uint32_t>(single), s[0] << 16,
                                   nan ? 0x7fffU : s[0]};
                   });
  // The next half above or below is where the modes differ.
  for (const auto& [mode, host_mode] : kModes) {
    CheckInstruction(
        absl::StrCat("cvt.f32.f16 %d0, %s0; mul.rn.f32 %d0, %d0, 0f3F800100; cvt.", mode,
                     ".f16.f32 %d1, %d0;"),
        {"b32", "b16"}, {"b16"}, AllOf16Bits(), [&, m = host_mode](const Values& s) {
          const float value =
              static_cast<float>(HalfValue(s[0])) * std::bit_cast<float>(0x3f80'0100U);
          if (std::isnan(value)) return Values{0x7fff'ffffU, 0x7fffU};
          const bool is_finite = (s[0] & 0x7fff) < 0x7c00;
          const bool exact = !is_finite || (s[0] & 0x7fff) == 0;
          const bool grows =
              (m == FE_UPWARD && s[0] < 0x8000) || (m == FE_DOWNWARD && s[0] >= 0x8000);
          return Values{std::bit_cast<uint32_t>(value), s[0] + (!exact && grows ? 1U : 0U)};
        });
  }
}

/// The half to which exact arithmetic rounds, by another way than instructions take.
template <numerics::HalfScalar Half>
uint64_t EncodedHalf(double value, int mode, bool relu) {
  const numerics::Rounding rounding = mode == FE_TOWARDZERO ? numerics::Rounding::kTowardZero
                                      : mode == FE_DOWNWARD ? numerics::Rounding::kDown
                                      : mode == FE_UPWARD   ? numerics::Rounding::kUp
                                                            : numerics::Rounding::kNearestEven;
  return numerics::ToHalf<Half>(value, {.rounding = rounding, .relu = relu}).bits;
}

TEST(ConversionTest, HalvesInAllModes) {
  Rows singles = FloatRows(1, 32, 4000);
  Rows doubles = FloatRows(1, 64, 4000);
  // Beside the halves, and half way between them.
  for (uint64_t bits = 0; bits < 0x1'0000; bits += 7) {
    const double half = HalfValue(bits);
    if (std::isnan(half)) continue;
    for (const double offset : {-0x1p-20, 0.0, 0x1p-12, 0x1p-11, 0x1p-10}) {
      const double value = half * (1 + offset) + offset * 0x1p-14;
      doubles.push_back({std::bit_cast<uint64_t>(value)});
      singles.push_back({std::bit_cast<uint32_t>(static_cast<float>(value))});
    }
  }
  const auto single = [](const Values& s) {
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(s[0])));
  };
  for (const auto& [mode, host_mode] : kModes) {
    const std::string prefix = absl::StrCat("cvt.", mode);
    CheckInstruction(absl::StrCat(prefix, ".f16.f32 %d0, %s0;"), {"b16"}, {"b32"}, singles,
                     [&, m = host_mode](const Values& s) {
                       return Values{EncodedHalf<numerics::F16>(single(s), m, false)};
                     });
    CheckInstruction(
        absl::StrCat(prefix, ".f16.f64 %d0, %s0;"), {"b16"}, {"b64"}, doubles,
        [&, m = host_mode](const Values& s) {
          return Values{EncodedHalf<numerics::F16>(std::bit_cast<double>(s[0]), m, false)};
        });
    if (host_mode != FE_TONEAREST && host_mode != FE_TOWARDZERO) continue;
    for (const bool relu : {false, true}) {
      const std::string modifiers = absl::StrCat(prefix, relu ? ".relu" : "");
      CheckInstruction(absl::StrCat(modifiers, ".bf16.f32 %d0, %s0; ", modifiers,
                                    ".f16x2.f32 %d1, %s0, 0f3F800000; ", modifiers,
                                    ".bf16x2.f32 %d2, 0fBF800000, %s0;"),
                       {"b16", "b32", "b32"}, {"b32"}, singles,
                       [&, m = host_mode](const Values& s) {
                         const uint64_t bf16 = EncodedHalf<numerics::Bf16>(single(s), m, relu);
                         const uint64_t f16 = EncodedHalf<numerics::F16>(single(s), m, relu);
                         const uint64_t minus_one = relu ? 0 : 0xbf80;
                         return Values{bf16, f16 << 16 | 0x3c00, minus_one << 16 | bf16};
                       });
    }
  }
}

TEST(ConversionTest, BetweenFloats) {
  for (const auto& [mode, host_mode] : kModes) {
    CheckInstruction(
        absl::StrCat("cvt.", mode, ".f32.f64 %d0, %s0; cvt.", mode, "i.f32.f32 %d1, %s1;"),
        {"b32", "b32"}, {"b64", "b32"},
        [] {
          Rows rows = FloatRows(2, 64, 2000);
          for (Values& row : rows) row[1] ^= row[1] >> 32;
          for (int i = -40; i < 40; ++i) {
            rows.push_back({std::bit_cast<uint64_t>(1.0 + i * 0x1p-25),
                            std::bit_cast<uint32_t>(static_cast<float>(i) * 0.25F)});
          }
          return rows;
        }(),
        [&, m = host_mode](const Values& s) {
          std::fesetround(m);
          volatile double wide = std::bit_cast<double>(s[0]);
          volatile float single = std::bit_cast<float>(static_cast<uint32_t>(s[1]));
          const auto narrowed = static_cast<float>(wide);
          const float integral = std::nearbyint(single);
          std::fesetround(FE_TONEAREST);
          const auto bits = [](float value) {
            return std::isnan(value) ? 0x7fff'ffffU : std::bit_cast<uint32_t>(value);
          };
          return Values{bits(narrowed), bits(integral)};
        });
  }
  CheckInstruction(
      "cvt.sat.f32.f32 %d0, %s0; cvt.ftz.f64.f32 %d1, %s0;", {"b32", "b64"}, {"b32"},
      FloatRows(1, 32, 1000), [](const Values& s) {
        const float value = std::bit_cast<float>(static_cast<uint32_t>(s[0]));
        const float clamped = value > 0 ? std::fmin(value, 1.0F) : 0.0F;
        const bool tiny = std::fabs(value) < 0x1p-126F;
        const double wide = tiny ? std::copysign(0.0, value) : static_cast<double>(value);
        uint64_t bits = std::bit_cast<uint64_t>(wide);
        if (std::isnan(value)) {
          bits = (s[0] >> 31) << 63 | uint64_t{0x7ff8} << 48 | (s[0] & 0x7f'ffff) << 29;
        }
        return Values{std::bit_cast<uint32_t>(clamped), bits};
      });
}

// What is flushed is a zero, which nothing rounds away from.
TEST(ConversionTest, FlushesBeforeItRounds) {
  const std::vector<Values> subnormals = {{2}, {0x8000'0002}, {0x7f'ffff}, {0x807f'ffff}};
  CheckInstruction("cvt.rp.ftz.f16.f32 %d0, %s0; cvt.rm.ftz.f16.f32 %d1, %s0;", {"b16", "b16"},
                   {"b32"}, subnormals, [](const Values& s) {
                     const uint64_t zero = (s[0] >> 31) << 15;
                     return Values{zero, zero};
                   });
}

TEST(ConversionTest, NarrowFormats) {
  // Each pair of bytes to halves and back: all values are exact.
  CheckInstruction("cvt.rn.f16x2.e4m3x2 %d0, %s0; cvt.rn.satfinite.e4m3x2.f16x2 %d1, %d0;",
                   {"b32", "b16"}, {"b16"}, AllOf16Bits(), [](const Values& s) {
                     Values result = {0, 0};
                     for (int i = 0; i < 2; ++i) {
                       const uint64_t byte = (s[0] >> (8 * i)) & 255;
                       const int exponent = static_cast<int>((byte >> 3) & 15);
                       const double mantissa = static_cast<double>(byte & 7);
                       const bool nan = (byte & 127) == 127;
                       const double magnitude = exponent == 0
                                                    ? std::ldexp(mantissa, -9)
                                                    : std::ldexp(mantissa + 8, exponent - 10);
                       // All are normal numbers of f16.
                       uint64_t half = 0;
                       if (magnitude != 0) {
                         const int power = std::ilogb(magnitude);
                         half = static_cast<uint64_t>(power + 15) << 10 |
                                (static_cast<uint64_t>(std::ldexp(magnitude, 10 - power)) & 1023);
                       }
                       half = nan ? 0x7fff : half | (byte >> 7) << 15;
                       result[0] |= half << (16 * i);
                       result[1] |= (nan ? 127 : byte) << (8 * i);
                     }
                     return result;
                   });
  const auto check = [](const std::string& text, float a, float b, uint64_t expected,
                        const std::string& result) {
    CheckInstruction(text, {result}, {"b32", "b32"},
                     {{std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(b)}},
                     [&](const Values&) { return Values{expected}; });
  };
  check("cvt.rn.satfinite.e4m3x2.f32 %d0, %s0, %s1;", 1.0F, 1000.0F, 0x387e, "b16");
  check("cvt.rn.satfinite.relu.e5m2x2.f32 %d0, %s0, %s1;", -1.0F, 1e6F, 0x007b, "b16");
  check("cvt.rn.f16x2.f32 %d0, %s0, %s1;", 1.0F, -2.0F, 0x3c00'c000, "b32");
  check("cvt.rz.satfinite.f16x2.f32 %d0, %s0, %s1;", 1e9F, -1e9F, 0x7bff'fbff, "b32");
  check("cvt.rn.relu.bf16x2.f32 %d0, %s0, %s1;", -1.0F, 1.00390625F, 0x0000'3f80, "b32");
  check("cvt.rna.tf32.f32 %d0, %s0;", 1.00048828125F, 0, 0x3f80'2000, "b32");
  check("cvt.rn.tf32.f32 %d0, %s0;", 1.00048828125F, 0, 0x3f80'0000, "b32");
}

// A format by its list of numbers: every encoding's value, the sign apart.
struct NarrowFormat {
  std::string name;
  int mantissa_bits;
  int bias;
  uint32_t sign;
  int shift;
  double ValueOf(uint64_t bits) const {
    const auto magnitude = static_cast<int>(bits & (sign - 1));
    const int field = magnitude >> mantissa_bits;
    const int mantissa = magnitude - (field << mantissa_bits);
    const int one = field == 0 ? 0 : 1 << mantissa_bits;
    const double value = std::ldexp(mantissa + one, std::max(field, 1) - bias - mantissa_bits);
    return (bits & sign) != 0 ? -value : value;
  }
  // The nearest by a look at all; of two, the even one.
  uint64_t Nearest(float value, bool relu) const {
    if (std::isnan(value)) return sign - 1;
    uint64_t best = 0;
    // No format has a number above 28, and distances from huge ones would be rounded.
    const double magnitude = std::fmin(std::fabs(static_cast<double>(value)), 1000.0);
    for (uint64_t bits = 1; bits < sign; ++bits) {
      const double old_distance = std::fabs(magnitude - ValueOf(best));
      const double distance = std::fabs(magnitude - ValueOf(bits));
      if (distance < old_distance || (distance == old_distance && bits % 2 == 0)) {
        best = bits;
      }
    }
    if (!std::signbit(value)) return best;
    return relu ? 0 : best | sign;
  }
};

TEST(ConversionTest, FormatsBelowEightBits) {
  const std::vector<NarrowFormat> formats = {
      {"e2m1x2", 1, 1, 8, 4}, {"e2m3x2", 3, 1, 32, 8}, {"e3m2x2", 2, 3, 32, 8}};
  for (const NarrowFormat& format : formats) {
    Rows rows = FloatRows(2, 32, 1000);
    for (int i = -600; i <= 600; ++i) {
      const auto a = std::bit_cast<uint32_t>(static_cast<float>(i) / 32);
      rows.push_back({a, std::bit_cast<uint32_t>(static_cast<float>(i) / 1024)});
    }
    for (const bool relu : {false, true}) {
      CheckInstruction(
          absl::StrCat("{.reg .b8 %b; cvt.rn.satfinite", relu ? ".relu." : ".", format.name,
                       ".f32 ", format.shift == 4 ? "%b" : "%d0", ", %s0, %s1;",
                       format.shift == 4 ? "cvt.u16.u8 %d0, %b;" : "", "}"),
          {"b16"}, {"b32", "b32"}, rows, [&](const Values& s) {
            const auto number = [&](uint64_t bits) {
              return format.Nearest(std::bit_cast<float>(static_cast<uint32_t>(bits)), relu);
            };
            return Values{number(s[0]) << format.shift | number(s[1])};
          });
    }
    const std::string source = format.shift == 4 ? "cvt.u8.u16 %b, %s0;" : "";
    CheckInstruction(
        absl::StrCat("{.reg .b8 %b; ", source, "cvt.rn.f16x2.", format.name, " %d0, ",
                     format.shift == 4 ? "%b" : "%s0", "; cvt.rn.relu.f16x2.", format.name,
                     " %d1, ", format.shift == 4 ? "%b" : "%s0", ";}"),
        {"b32", "b32"}, {"b16"}, AllOf16Bits(), [&](const Values& s) {
          Values result = {0, 0};
          for (int i = 0; i < 2; ++i) {
            const uint64_t bits = s[0] >> (i * format.shift);
            const double value = format.ValueOf(bits);
            // All are normal numbers of f16.
            uint64_t half = (bits & format.sign) != 0 ? 0x8000 : 0;
            if (value != 0) {
              const int power = std::ilogb(value);
              half |= static_cast<uint64_t>(power + 15) << 10 |
                      (static_cast<uint64_t>(std::ldexp(std::fabs(value), 10 - power)) & 1023);
            }
            result[0] |= half << (16 * i);
            result[1] |= (half >= 0x8000 ? 0 : half) << (16 * i);
          }
          return result;
        });
  }
}

// The exponent of 2 below or above a magnitude, by comparison with all of them.
uint64_t ScaleOf(float value, bool up, bool saturate) {
  if (std::isnan(value)) return 255;
  const double magnitude = std::fabs(static_cast<double>(value));
  uint64_t scale = 0;
  while (scale < 254 && std::ldexp(1.0, static_cast<int>(scale) - 126) <= magnitude) ++scale;
  const double power = std::ldexp(1.0, static_cast<int>(scale) - 127);
  if (up && power < magnitude) ++scale;
  if (magnitude >= 0x1p128) scale = 255;
  return scale == 255 && saturate ? 254 : scale;
}

TEST(ConversionTest, Scales) {
  Rows rows = FloatRows(2, 32, 2000);
  for (uint32_t i = 0; i < 256; ++i) {
    rows.push_back({i << 23, (i << 23) + 1});
    rows.push_back({(i << 23) - (i == 0 ? 0 : 1), 0x8000'0000 | i << 23});
  }
  for (const bool up : {false, true}) {
    for (const bool saturate : {false, true}) {
      const std::string prefix =
          absl::StrCat("cvt.", up ? "rp" : "rz", saturate ? ".satfinite" : "", ".ue8m0x2.");
      CheckInstruction(absl::StrCat(prefix, "f32 %d0, %s0, %s1;", prefix, "bf16x2 %d1, %s0;"),
                       {"b16", "b16"}, {"b32", "b32"}, rows, [&](const Values& s) {
                         const auto scale = [&](uint64_t bits) {
                           return ScaleOf(std::bit_cast<float>(static_cast<uint32_t>(bits)), up,
                                          saturate);
                         };
                         return Values{scale(s[0]) << 8 | scale(s[1]),
                                       scale(s[0] & 0xffff'0000) << 8 | scale(s[0] << 16)};
                       });
    }
  }
  CheckInstruction("cvt.rn.bf16x2.ue8m0x2 %d0, %s0;", {"b32"}, {"b16"}, AllOf16Bits(),
                   [](const Values& s) {
                     const auto half = [](uint64_t scale) {
                       const uint64_t number = scale == 0 ? 0x40 : scale << 7;
                       return scale == 255 ? uint64_t{0x7fff} : number;
                     };
                     return Values{half(s[0] >> 8) << 16 | half(s[0] & 255)};
                   });
}

TEST(ConversionTest, Pack) {
  CheckInstruction(
      "cvt.pack.sat.s16.s32 %d0, %s0, %s1; cvt.pack.sat.u8.s32.b32 %d1, %s0, %s1, %s2;",
      {"b32", "b32"}, {"b32", "b32", "b32"}, IntegerRows(3, 500), [](const Values& s) {
        const auto a = static_cast<int32_t>(static_cast<uint32_t>(s[0]));
        const auto b = static_cast<int32_t>(static_cast<uint32_t>(s[1]));
        const auto half = [](int32_t v) {
          return static_cast<uint64_t>(std::clamp(v, -32768, 32767)) & 0xffff;
        };
        const auto byte = [](int32_t v) { return static_cast<uint64_t>(std::clamp(v, 0, 255)); };
        return Values{half(a) << 16 | half(b), s[2] << 16 | byte(a) << 8 | byte(b)};
      });
}

TEST(ConversionTest, MovesAndPermutations) {
  CheckInstruction("mov.b64 %d0, {%s0, %s1}; mov.b64 {%d1, _}, %s2; mov.b64 {_, %d2}, %s2;",
                   {"b64", "b32", "b32"}, {"b32", "b32", "b64"}, IntegerRows(3, 300),
                   [](const Values& s) { return Values{s[1] << 32 | s[0], s[2], s[2] >> 32}; });
  CheckInstruction(
      "mov.b32 %d0, {%s0, %s1}; mov.b32 {%d1, %d2}, %s2; mov.b64 %d3, {%s0, %s1, %s1, %s0};",
      {"b32", "b16", "b16", "b64"}, {"b16", "b16", "b32"}, IntegerRows(3, 300),
      [](const Values& s) {
        return Values{s[1] << 16 | s[0], s[2], s[2] >> 16,
                      s[0] << 48 | s[1] << 32 | s[1] << 16 | s[0]};
      });
  CheckInstruction("{.reg .b128 %q; mov.b128 %q, {%s0, %s1}; mov.b128 {%d0, %d1}, %q;}",
                   {"b64", "b64"}, {"b64", "b64"}, IntegerRows(2, 50),
                   [](const Values& s) { return s; });
  CheckInstruction("mov.pred %d0, %s0; mov.f32 %d1, 0f3FC00000; mov.f64 %d2, 0d4000000000000000;",
                   {"pred", "b32", "b64"}, {"pred"}, IntegerRows(1, 50),
                   [](const Values& s) { return Values{s[0], 0x3fc0'0000, uint64_t{1} << 62}; });
  CheckInstruction("prmt.b32 %d0, %s0, %s1, %s2;", {"b32"}, {"b32", "b32", "b32"},
                   IntegerRows(3, 3000), [](const Values& s) {
                     uint64_t result = 0;
                     for (int i = 0; i < 4; ++i) {
                       const uint64_t selector = (s[2] >> (4 * i)) & 15;
                       const uint64_t source = (selector & 4) != 0 ? s[1] : s[0];
                       uint64_t byte = (source >> (8 * (selector & 3))) & 255;
                       if ((selector & 8) != 0) byte = byte >= 128 ? 255 : 0;
                       result |= byte << (8 * i);
                     }
                     return Values{result};
                   });
  // The tables of the ISA: for each selector the bytes that are taken, from the highest.
  const std::vector<std::pair<std::string, std::vector<std::string>>> modes = {
      {"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}},
      {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"3210", "3211", "3222", "3333"}},
      {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}}};
  for (const auto& [mode, bytes] : modes) {
    for (size_t selector = 0; selector < 4; ++selector) {
      uint64_t expected = 0;
      for (const char c : bytes[selector]) {
        expected = expected << 8 | (0xa0 + static_cast<uint64_t>(c - '0'));
      }
      CheckInstruction(
          absl::StrCat("prmt.b32.", mode, " %d0, 0xa3a2a1a0, 0xa7a6a5a4, ", selector, ";"), {"b32"},
          {}, {{}, {}}, [&](const Values&) { return Values{expected}; });
    }
  }
}

TEST(ConversionTest, AddressSpaces) {
  CheckInstruction(
      "{.shared .align 8 .b8 pad[24]; .shared .align 8 .b8 data[8]; mov.u64 %d0, data;"
      " cvta.shared.u64 %d1, %d0; cvta.to.shared.u64 %d2, %d1; isspacep.shared %d3, %d1;"
      " isspacep.global %d4, %d1; isspacep.global %d5, %row; cvta.to.global.u64 %d6, %s0;}",
      {"b64", "b64", "b64", "pred", "pred", "pred", "b64"}, {"b64"}, IntegerRows(1, 10),
      [](const Values& s) { return Values{24, (uint64_t{0x7f00} << 32) + 24, 24, 1, 0, 1, s[0]}; });
  // A block is a cluster of its own.
  CheckInstruction(
      "{.shared .align 8 .b8 data[8]; mov.u64 %d0, data; cvta.shared::cluster.u64 %d1, %d0;"
      " cvta.to.shared::cluster.u64 %d2, %d1; isspacep.shared::cluster %d3, %d1;"
      " isspacep.shared::cluster %d4, %row;}",
      {"b64", "b64", "b64", "pred", "pred"}, {"b64"}, IntegerRows(1, 10),
      [](const Values&) { return Values{0, uint64_t{0x7f00} << 32, 0, 1, 0}; });
  EXPECT_FALSE(ErrorOf("cvta.u64 %d0, %s0;", {"b64"}, {"b64"}).ok());
}

TEST(ConversionTest, RefusesWhatPtxDoesNotHave) {
  EXPECT_FALSE(ErrorOf("cvt.s32.f32 %d0, %s0;", {"b32"}, {"b32"}).ok());
  EXPECT_FALSE(ErrorOf("cvt.f32.f64 %d0, %s0;", {"b32"}, {"b64"}).ok());
  EXPECT_NE(ErrorOf("cvt.rs.f16x2.f32 %d0, %s0, %s0, %s0;", {"b32"}, {"b32"})
                .message()
                .find("stochastically"),
            std::string::npos);
  EXPECT_FALSE(ErrorOf("cvt.rn.f64.f32 %d0, %s0;", {"b64"}, {"b32"}).ok());
  EXPECT_FALSE(ErrorOf("cvt.rn.e4m3x2.f32 %d0, %s0, %s0;", {"b16"}, {"b32"}).ok());
  for (const char* modifiers : {"rm.relu", "rp.satfinite", "rn.ftz.relu", "rn.sat.satfinite"}) {
    const std::string text = std::string("cvt.") + modifiers + ".f16.f32 %d0, %s0;";
    EXPECT_FALSE(ErrorOf(text, {"b16"}, {"b32"}).ok()) << text;
  }
  EXPECT_FALSE(ErrorOf("cvt.rn.sat.bf16.f32 %d0, %s0;", {"b16"}, {"b32"}).ok());
}

}  // namespace
}  // namespace hlo_indexing::ptx
