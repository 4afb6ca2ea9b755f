// f32 and f64 arithmetic against the host's arithmetic in each rounding mode, and halves against
// the functions of numerics, whose own tests are against exact numbers.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/numerics/half.h"
#include "tests/codegen/ptx/instructions/instruction_runner.h"

namespace hlo_indexing::ptx {
namespace {

constexpr std::array<std::pair<const char*, int>, 4> kModes = {
    {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}};

/// The host's result of an operation in a rounding mode.
template <typename Float>
Float HostResult(const std::string& opcode, int mode, Float a, Float b, Float c) {
  std::fesetround(mode);
  volatile Float x = a;
  volatile Float y = b;
  volatile Float z = c;
  volatile Float result = 0;
  if (opcode == "add") result = x + y;
  if (opcode == "sub") result = x - y;
  if (opcode == "mul") result = x * y;
  if (opcode == "div") result = x / y;
  if (opcode == "fma" || opcode == "mad") result = std::fma(x, y, z);
  if (opcode == "rcp") result = 1 / x;
  if (opcode == "sqrt") result = std::sqrt(x);
  std::fesetround(FE_TONEAREST);
  return result;
}

int SourcesOf(const std::string& opcode) {
  return opcode == "fma" || opcode == "mad" ? 3 : opcode == "rcp" || opcode == "sqrt" ? 1 : 2;
}

float Single(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
float Flushed(float value) {
  return std::fabs(value) < 0x1p-126F ? std::copysign(0.0F, value) : value;
}

TEST(FloatingPointTest, F32InAllModes) {
  for (const std::string opcode : {"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"}) {
    for (const auto& [mode, host_mode] : kModes) {
      for (const bool flush : {false, true}) {
        for (const bool saturate : {false, true}) {
          if (saturate && (opcode == "div" || SourcesOf(opcode) == 1)) continue;
          const int sources = SourcesOf(opcode);
          std::string text = absl::StrCat(opcode, ".", mode, flush ? ".ftz" : "",
                                          saturate ? ".sat" : "", ".f32 %d0");
          for (int i = 0; i < sources; ++i) absl::StrAppend(&text, ", %s", i);
          const auto compute = [&, m = host_mode](const Values& s) {
            std::vector<float> v(3, 0.0F);
            for (size_t i = 0; i < s.size(); ++i) {
              v[i] = flush ? Flushed(Single(s[i])) : Single(s[i]);
            }
            return HostResult<float>(opcode, m, v[0], v[1], v[2]);
          };
          // Whether such a result is tiny depends on bits that it no longer has.
          Rows rows;
          for (const Values& row : FloatRows(sources, 32, 2000)) {
            if (!flush || std::fabs(compute(row)) != 0x1p-126F) rows.push_back(row);
          }
          CheckInstruction(
              text + ";", {"b32"}, std::vector<std::string>(static_cast<size_t>(sources), "b32"),
              rows, [&](const Values& s) {
                float result = compute(s);
                if (flush) result = Flushed(result);
                if (saturate) result = result > 0 ? std::fmin(result, 1.0F) : 0.0F;
                const uint32_t bits =
                    std::isnan(result) ? 0x7fff'ffffU : std::bit_cast<uint32_t>(result);
                return Values{bits};
              });
        }
      }
    }
  }
}

// A result is flushed if it is below 2^-126 with an unbounded exponent: one that is 2^-126 once the
// exponent is bounded may have been below.
TEST(FloatingPointTest, FusedF32BesideTheLeastNormalNumber) {
  const auto bits = [](float value) -> uint64_t { return std::bit_cast<uint32_t>(value); };
  Rows rows;
  for (const float sign : {1.0F, -1.0F}) {
    for (int i = -8; i <= 8; ++i) {
      const float tiny = static_cast<float>(i) * 0x1p-26F;
      rows.push_back({bits(sign * tiny), bits(0x1p-126F), bits(sign * 0x1p-126F)});
      for (int j = 0; j <= 8; ++j) {
        rows.push_back({bits(sign * (0.5F + static_cast<float>(i) * 0x1p-24F)),
                        bits(0x1p-125F * (1.0F - static_cast<float>(j) * 0x1p-24F)), 0});
      }
    }
  }
  for (const auto& [mode, host_mode] : kModes) {
    CheckInstruction(absl::StrCat("fma.", mode, ".ftz.f32 %d0, %s0, %s1, %s2;"), {"b32"},
                     {"b32", "b32", "b32"}, rows, [&, m = host_mode](const Values& s) {
                       // Exact: at most 48 bits.
                       const double exact =
                           static_cast<double>(Single(s[0])) * static_cast<double>(Single(s[1])) +
                           static_cast<double>(Single(s[2]));
                       std::fesetround(m);
                       volatile double value = exact;
                       volatile float result = static_cast<float>(value);
                       // Rounded away from where floats become subnormal.
                       volatile float scaled = static_cast<float>(value * 0x1p60);
                       std::fesetround(FE_TONEAREST);
                       const bool is_tiny = std::fabs(scaled) < 0x1p-66F;
                       const float rounded = result;
                       return Values{bits(is_tiny ? std::copysign(0.0F, rounded) : rounded)};
                     });
  }
}

TEST(FloatingPointTest, F64InAllModes) {
  for (const std::string opcode : {"add", "sub", "mul", "fma", "div", "rcp", "sqrt"}) {
    for (const auto& [mode, host_mode] : kModes) {
      const int sources = SourcesOf(opcode);
      std::string text = absl::StrCat(opcode, ".", mode, ".f64 %d0");
      for (int i = 0; i < sources; ++i) absl::StrAppend(&text, ", %s", i);
      // The payload of a NaN is not the host's affair.
      Rows rows;
      const auto compute = [&, m = host_mode](const Values& s) {
        std::vector<double> v(3, 0.0);
        for (size_t i = 0; i < s.size(); ++i) v[i] = std::bit_cast<double>(s[i]);
        return HostResult<double>(opcode, m, v[0], v[1], v[2]);
      };
      for (const Values& row : FloatRows(sources, 64, 2000)) {
        if (!std::isnan(compute(row))) rows.push_back(row);
      }
      CheckInstruction(
          text + ";", {"b64"}, std::vector<std::string>(static_cast<size_t>(sources), "b64"), rows,
          [&](const Values& s) { return Values{std::bit_cast<uint64_t>(compute(s))}; });
    }
  }
}

TEST(FloatingPointTest, F32PairsAreTwoF32) {
  for (const std::string opcode : {"add", "sub", "mul", "fma"}) {
    for (const auto& [mode, host_mode] : kModes) {
      Rows rows;
      for (const Values& row : FloatRows(3, 32, 500)) {
        rows.push_back({row[0] << 32 | (row[1] & 0xffff'ffff),
                        row[1] << 32 | (row[2] & 0xffff'ffff),
                        row[2] << 32 | (row[0] & 0xffff'ffff)});
      }
      const bool is_fma = opcode == "fma";
      CheckInstruction(
          absl::StrCat(opcode, ".", mode, ".f32x2 %d0, %s0, %s1", is_fma ? ", %s2;" : ";"), {"b64"},
          {"b64", "b64", "b64"}, rows, [&, m = host_mode](const Values& s) {
            uint64_t result = 0;
            for (int shift = 0; shift < 64; shift += 32) {
              const float value = HostResult<float>(opcode, m, Single(s[0] >> shift),
                                                    Single(s[1] >> shift), Single(s[2] >> shift));
              const uint32_t bits =
                  std::isnan(value) ? 0x7fff'ffffU : std::bit_cast<uint32_t>(value);
              result |= static_cast<uint64_t>(bits) << shift;
            }
            return Values{result};
          });
    }
  }
}

TEST(FloatingPointTest, MinMaxSignsAndClasses) {
  for (const bool is_max : {false, true}) {
    for (const bool nan : {false, true}) {
      const std::string opcode = absl::StrCat(is_max ? "max" : "min", nan ? ".NaN" : "");
      const auto extreme = [&](float a, float b) {
        if (std::isnan(a) && std::isnan(b)) return NAN;
        if (std::isnan(a) || std::isnan(b)) return nan ? NAN : std::isnan(a) ? b : a;
        if (a == b) return std::signbit(a) == is_max ? b : a;
        return (a < b) == is_max ? b : a;
      };
      const auto bits = [](float value) {
        return Values{std::isnan(value) ? 0x7fff'ffffU : std::bit_cast<uint32_t>(value)};
      };
      CheckInstruction(opcode + ".f32 %d0, %s0, %s1;", {"b32"}, {"b32", "b32"},
                       FloatRows(2, 32, 1000),
                       [&](const Values& s) { return bits(extreme(Single(s[0]), Single(s[1]))); });
      CheckInstruction(opcode + ".f32 %d0, %s0, %s1, %s2;", {"b32"}, {"b32", "b32", "b32"},
                       FloatRows(3, 32, 1000), [&](const Values& s) {
                         return bits(extreme(extreme(Single(s[0]), Single(s[1])), Single(s[2])));
                       });
      CheckInstruction(opcode + ".xorsign.abs.f32 %d0, %s0, %s1;", {"b32"}, {"b32", "b32"},
                       FloatRows(2, 32, 1000), [&](const Values& s) {
                         const float a = Single(s[0]);
                         const float b = Single(s[1]);
                         const float m = extreme(std::fabs(a), std::fabs(b));
                         return bits(std::signbit(a) != std::signbit(b) ? -m : m);
                       });
    }
  }
  CheckInstruction("neg.f32 %d0, %s0; copysign.f32 %d1, %s0, 0f3F800000;", {"b32", "b32"}, {"b32"},
                   FloatRows(1, 32, 500), [](const Values& s) {
                     return Values{s[0] ^ 0x8000'0000, 0x3f80'0000 | (s[0] & 0x8000'0000)};
                   });
  for (const std::string property :
       {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
    CheckInstruction("testp." + property + ".f32 %d0, %s0;", {"pred"}, {"b32"},
                     FloatRows(1, 32, 500), [&](const Values& s) {
                       const float a = Single(s[0]);
                       bool result = std::isfinite(a);
                       if (property == "infinite") result = std::isinf(a);
                       if (property == "number") result = !std::isnan(a);
                       if (property == "notanumber") result = std::isnan(a);
                       if (property == "normal") result = std::isnormal(a) || a == 0;
                       if (property == "subnormal") result = std::fpclassify(a) == FP_SUBNORMAL;
                       return Values{result ? 1U : 0U};
                     });
  }
}

// The f32 of a register's f16, by its fields.
float HalfAsSingle(uint64_t bits) {
  const int field = static_cast<int>(bits >> 10 & 31);
  const auto mantissa = static_cast<float>(bits & 1023);
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (field == 31) return mantissa == 0 ? sign * HUGE_VALF : NAN;
  return sign * (field == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, field - 25));
}

TEST(FloatingPointTest, F32OfNarrowSources) {
  Rows rows = FloatRows(3, 32, 1000);
  const Rows halves = FloatRows(2, 16, 1000);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Values& half = halves[i % halves.size()];
    rows[i] = {half[0] & 0xffff, half[1] & 0xffff, rows[i][2]};
  }
  for (const bool is_bf16 : {false, true}) {
    const auto narrow = [&](uint64_t bits) {
      return is_bf16 ? Single(bits << 16) : HalfAsSingle(bits);
    };
    const std::string type = is_bf16 ? ".bf16" : ".f16";
    for (const auto& [mode, host_mode] : kModes) {
      for (const std::string opcode : {"add", "sub", "fma"}) {
        const std::string sources = opcode == "fma" ? "%s0, %s1, %s2" : "%s0, %s2";
        CheckInstruction(
            absl::StrCat(opcode, ".", mode, ".f32", type, " %d0, ", sources, ";", opcode, ".", mode,
                         ".sat.f32", type, " %d1, ", sources, ";"),
            {"b32", "b32"}, {"b16", "b16", "b32"}, rows, [&, m = host_mode](const Values& s) {
              const float second = opcode == "fma" ? narrow(s[1]) : Single(s[2]);
              const float result = HostResult<float>(opcode, m, narrow(s[0]), second, Single(s[2]));
              const float saturated = result > 0 ? std::fmin(result, 1.0F) : 0.0F;
              return Values{std::isnan(result) ? 0x7fff'ffffU : std::bit_cast<uint32_t>(result),
                            std::bit_cast<uint32_t>(saturated)};
            });
      }
    }
  }
}

TEST(FloatingPointTest, F64MinMax) {
  for (const bool is_max : {false, true}) {
    CheckInstruction(absl::StrCat("{.reg .f64 %t; ", is_max ? "max" : "min",
                                  ".f64 %t, %s0, %s1; testp.notanumber.f64 %d1, %t;"
                                  "selp.b64 %d0, 0, %t, %d1;}"),
                     {"b64", "pred"}, {"b64", "b64"}, FloatRows(2, 64, 3000), [&](const Values& s) {
                       const auto a = std::bit_cast<double>(s[0]);
                       const auto b = std::bit_cast<double>(s[1]);
                       if (std::isnan(a)) return std::isnan(b) ? Values{0, 1} : Values{s[1], 0};
                       if (std::isnan(b)) return Values{s[0], 0};
                       // As numbers of sign and magnitude, so that -0 is below +0.
                       const auto order = [](uint64_t bits) {
                         const auto magnitude = static_cast<int64_t>(bits & ~(uint64_t{1} << 63));
                         return bits >> 63 != 0 ? -magnitude - 1 : magnitude;
                       };
                       return Values{(order(s[0]) < order(s[1])) == is_max ? s[1] : s[0], 0};
                     });
  }
}

TEST(FloatingPointTest, ApproximationsAreNear) {
  Rows rows;
  for (int i = 0; i < 2000; ++i) {
    rows.push_back({std::bit_cast<uint32_t>(static_cast<float>(i + 1) * 0.0137F)});
  }
  const auto check = [&](const std::string& opcode, double (*function)(double)) {
    const absl::StatusOr<Rows> results =
        RunInstruction(opcode + " %d0, %s0;", {"b32"}, {"b32"}, rows, false);
    ASSERT_TRUE(results.ok()) << results.status();
    for (size_t i = 0; i < rows.size(); ++i) {
      const double expected = function(static_cast<double>(Single(rows[i][0])));
      EXPECT_NEAR(static_cast<double>(Single((*results)[i][0])), expected,
                  std::fabs(expected) * 0x1p-23)
          << opcode << " " << Single(rows[i][0]);
    }
  };
  check("ex2.approx.f32", [](double x) { return std::exp2(x); });
  check("lg2.approx.ftz.f32", [](double x) { return std::log2(x); });
  check("sin.approx.f32", [](double x) { return std::sin(x); });
  check("cos.approx.f32", [](double x) { return std::cos(x); });
  check("tanh.approx.f32", [](double x) { return std::tanh(x); });
  check("rcp.approx.ftz.f32", [](double x) { return 1 / x; });
  check("sqrt.approx.f32", [](double x) { return std::sqrt(x); });
  check("rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); });
}

using numerics::Bf16;
using numerics::F16;
using numerics::Modifiers;

template <typename Half, typename Model>
void CheckHalf(const std::string& prefix, const std::string& type, int sources,
               const Model& model) {
  std::string operands = " %d0";
  for (int i = 0; i < sources; ++i) absl::StrAppend(&operands, ", %s", i);
  const auto at = [&](const Values& s, int shift) {
    std::vector<Half> v(3);
    for (size_t i = 0; i < s.size(); ++i) v[i].bits = static_cast<uint16_t>(s[i] >> shift);
    return static_cast<uint64_t>(model(v).bits);
  };
  const auto count = static_cast<size_t>(sources);
  const Rows rows = FloatRows(sources, 16, 2000);
  CheckInstruction(absl::StrCat(prefix, ".", type, operands, ";"), {"b16"},
                   std::vector<std::string>(count, "b16"), rows,
                   [&](const Values& s) { return Values{at(s, 0)}; });
  Rows packed;
  for (const Values& row : rows) {
    Values both;
    for (const uint64_t value : row) both.push_back((value & 0xffff) | (~value * 5) << 16);
    packed.push_back(both);
  }
  CheckInstruction(absl::StrCat(prefix, ".", type, "x2", operands, ";"), {"b32"},
                   std::vector<std::string>(count, "b32"), packed,
                   [&](const Values& s) { return Values{at(s, 0) | at(s, 16) << 16}; });
}

template <typename Half>
void CheckHalfArithmetic(const std::string& type) {
  using V = std::vector<Half>;
  static constexpr numerics::MinMaxModifiers kXor = {
      .propagate_nan = true, .absolute = true, .xor_sign = true};
  CheckHalf<Half>("add", type, 2, [](const V& v) { return numerics::Add<Half>(v[0], v[1]); });
  CheckHalf<Half>("sub.rn", type, 2, [](const V& v) { return numerics::Sub<Half>(v[0], v[1]); });
  CheckHalf<Half>("mul", type, 2, [](const V& v) { return numerics::Mul<Half>(v[0], v[1]); });
  CheckHalf<Half>("fma.rn", type, 3,
                  [](const V& v) { return numerics::Fma<Half>(v[0], v[1], v[2]); });
  CheckHalf<Half>("fma.rn.relu", type, 3, [](const V& v) {
    return numerics::Fma<Half, Modifiers{.relu = true}>(v[0], v[1], v[2]);
  });
  CheckHalf<Half>("min", type, 2, [](const V& v) { return numerics::Min<Half>(v[0], v[1]); });
  CheckHalf<Half>("max.NaN.xorsign.abs", type, 2,
                  [](const V& v) { return numerics::Max<Half, kXor>(v[0], v[1]); });
  CheckHalf<Half>("neg", type, 1,
                  [](const V& v) { return Half{static_cast<uint16_t>(v[0].bits ^ 0x8000)}; });
  CheckHalf<Half>("abs", type, 1,
                  [](const V& v) { return Half{static_cast<uint16_t>(v[0].bits & 0x7fff)}; });
}

TEST(FloatingPointTest, Halves) {
  CheckHalfArithmetic<F16>("f16");
  CheckHalfArithmetic<Bf16>("bf16");
  using V = std::vector<F16>;
  CheckHalf<F16>("add.ftz.sat", "f16", 2, [](const V& v) {
    return numerics::Add<F16, Modifiers{.flush = true, .saturate = true}>(v[0], v[1]);
  });
  CheckHalf<F16>("mul.ftz", "f16", 2, [](const V& v) {
    return numerics::Mul<F16, Modifiers{.flush = true}>(v[0], v[1]);
  });
  CheckHalf<F16>("fma.rn.ftz", "f16", 3, [](const V& v) {
    return numerics::Fma<F16, Modifiers{.flush = true}>(v[0], v[1], v[2]);
  });
  CheckHalf<F16>("fma.rn.ftz.relu", "f16", 3, [](const V& v) {
    return numerics::Fma<F16, Modifiers{.flush = true, .relu = true}>(v[0], v[1], v[2]);
  });
  CheckHalf<F16>("fma.rn.sat", "f16", 3, [](const V& v) {
    return numerics::Fma<F16, Modifiers{.saturate = true}>(v[0], v[1], v[2]);
  });
}

// Sums beside 2^-14, the least normal number of f16, and subnormal operands.
TEST(FloatingPointTest, FusedF16BesideTheLeastNormalNumber) {
  Rows rows;
  for (uint64_t a = 0x3800; a <= 0x3c00; a += 0x11) {
    for (const uint64_t b : {0x03ff, 0x0400, 0x0401, 0x07ff, 0x0800}) {
      for (const uint64_t c : {0x0000, 0x0001, 0x8001, 0x0400, 0x8400}) {
        rows.push_back({a | a << 16, b | (b | 0x8000) << 16, c | (c ^ 0x8000) << 16});
      }
    }
  }
  for (const bool relu : {false, true}) {
    const auto fused = [&](const Values& s, int shift) -> uint64_t {
      const auto half = [&](size_t i) { return F16{static_cast<uint16_t>(s[i] >> shift)}; };
      return relu ? numerics::Fma<F16, Modifiers{.flush = true, .relu = true}>(half(0), half(1),
                                                                               half(2))
                        .bits
                  : numerics::Fma<F16, Modifiers{.flush = true}>(half(0), half(1), half(2)).bits;
    };
    CheckInstruction(absl::StrCat("fma.rn.ftz", relu ? ".relu" : "", ".f16x2 %d0, %s0, %s1, %s2;"),
                     {"b32"}, {"b32", "b32", "b32"}, rows,
                     [&](const Values& s) { return Values{fused(s, 0) | fused(s, 16) << 16}; });
  }
}

// Warps in which all products are ordinary numbers or zero, and some in which one is not.
TEST(FloatingPointTest, FusedBfloat16OfOrdinaryNumbers) {
  std::mt19937 random(5);
  const auto number = [&](bool is_any) -> uint64_t {
    const auto bits = static_cast<uint32_t>(random());
    if (bits >> 28 == 0) return bits & 0x8000;
    if (is_any) return bits & 0xffff;
    return (bits & 0x807f) | (112 + (bits >> 16) % 30) << 7;
  };
  Rows rows;
  for (int i = 0; i < 6400; ++i) {
    const bool is_any = i % 50 == 0;
    Values row;
    for (int source = 0; source < 3; ++source) {
      row.push_back(number(is_any) | number(is_any) << 16);
    }
    rows.push_back(row);
  }
  const auto fused = [](const Values& s, int shift, bool relu) -> uint64_t {
    const auto half = [&](size_t i) { return Bf16{static_cast<uint16_t>(s[i] >> shift)}; };
    return relu ? numerics::Fma<Bf16, Modifiers{.relu = true}>(half(0), half(1), half(2)).bits
                : numerics::Fma<Bf16>(half(0), half(1), half(2)).bits;
  };
  const std::vector<std::string> sources(3, "b32");
  for (const bool relu : {false, true}) {
    const std::string opcode = relu ? "fma.rn.relu" : "fma.rn";
    CheckInstruction(
        opcode + ".bf16x2 %d0, %s0, %s1, %s2;", {"b32"}, sources, rows,
        [&](const Values& s) { return Values{fused(s, 0, relu) | fused(s, 16, relu) << 16}; });
    Rows single = rows;
    for (Values& row : single) {
      for (uint64_t& value : row) value &= 0xffff;
    }
    CheckInstruction(opcode + ".bf16 %d0, %s0, %s1, %s2;", {"b16"}, {"b16", "b16", "b16"}, single,
                     [&](const Values& s) { return Values{fused(s, 0, relu)}; });
  }
}

TEST(FloatingPointTest, RefusesWhatPtxDoesNotHave) {
  EXPECT_FALSE(ErrorOf("add.ftz.f64 %d0, %s0, %s0;", {"b64"}, {"b64"}).ok());
  EXPECT_FALSE(ErrorOf("fma.f32 %d0, %s0, %s0, %s0;", {"b32"}, {"b32"}).ok());
  EXPECT_FALSE(ErrorOf("mad.f32 %d0, %s0, %s0, %s0;", {"b32"}, {"b32"}).ok());
  EXPECT_FALSE(ErrorOf("div.f32 %d0, %s0, %s0;", {"b32"}, {"b32"}).ok());
  EXPECT_FALSE(ErrorOf("add.rz.f16 %d0, %s0, %s0;", {"b16"}, {"b16"}).ok());
  EXPECT_FALSE(ErrorOf("sin.f32 %d0, %s0;", {"b32"}, {"b32"}).ok());
}

}  // namespace
}  // namespace hlo_indexing::ptx
