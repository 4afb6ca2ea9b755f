// setp, set, selp and slct against comparisons of exact values.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/codegen/ptx/instructions/instruction_runner.h"

namespace hlo_indexing::ptx {
namespace {

__extension__ using Wide = __int128;

/// -1, 0, 1, or 2 where one is NaN.
int Order(double a, double b) { return std::isnan(a) || std::isnan(b) ? 2 : a < b ? -1 : a > b; }

bool Holds(const std::string& operation, int order) {
  if (operation == "num") return order != 2;
  if (operation == "nan") return order == 2;
  if (order == 2) return operation.size() == 3;
  const std::string base = operation.substr(0, 2);
  if (base == "eq") return order == 0;
  if (base == "ne") return order != 0;
  if (base == "lt" || base == "lo") return order < 0;
  if (base == "le" || base == "ls") return order <= 0;
  if (base == "gt" || base == "hi") return order > 0;
  return order >= 0;
}

/// The value of 16 bits, by the definition of the format.
double HalfValue(uint64_t bits, bool is_bf16) {
  if (is_bf16) return std::bit_cast<float>(static_cast<uint32_t>(bits & 0xffff) << 16);
  const int exponent = static_cast<int>((bits >> 10) & 31);
  const double mantissa = static_cast<double>(bits & 1023);
  const double sign = ((bits >> 15) & 1) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

double Flushed(double value, double least) {
  return std::fabs(value) < least ? std::copysign(0.0, value) : value;
}

double ValueOf(const std::string& type, uint64_t bits) {
  if (type == "f32") return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (type == "f64") return std::bit_cast<double>(bits);
  return HalfValue(bits, type[0] == 'b');
}

constexpr std::array<const char*, 14> kFloatOperators = {
    "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

TEST(ComparisonTest, Integers) {
  for (const int bits : {16, 32, 64}) {
    const std::string reg = absl::StrCat("b", bits);
    for (const std::string sign : {"b", "u", "s"}) {
      std::vector<std::string> operators = {"eq", "ne"};
      if (sign != "b") operators.insert(operators.end(), {"lt", "le", "gt", "ge"});
      if (sign == "u") operators.insert(operators.end(), {"lo", "ls", "hi", "hs"});
      for (const std::string& operation : operators) {
        CheckInstruction(absl::StrCat("setp.", operation, ".", sign, bits, " %d0, %s0, %s1;"),
                         {"pred"}, {reg, reg}, IntegerRows(2, 500), [&](const Values& s) {
                           const Wide modulus = Wide{1} << bits;
                           Wide a = static_cast<Wide>(s[0]);
                           Wide b = static_cast<Wide>(s[1]);
                           if (sign == "s" && a >= modulus / 2) a -= modulus;
                           if (sign == "s" && b >= modulus / 2) b -= modulus;
                           return Values{Holds(operation, a < b ? -1 : a > b) ? 1U : 0U};
                         });
      }
    }
  }
}

TEST(ComparisonTest, FloatingPoint) {
  for (const std::string type : {"f32", "f64", "f16", "bf16"}) {
    const int bits = type == "f32" ? 32 : type == "f64" ? 64 : 16;
    const std::string reg = absl::StrCat("b", bits);
    for (const std::string operation : kFloatOperators) {
      for (const bool flush : {false, true}) {
        if (flush && type != "f32" && type != "f16") continue;
        CheckInstruction(
            absl::StrCat("setp.", operation, flush ? ".ftz." : ".", type, " %d0, %s0, %s1;"),
            {"pred"}, {reg, reg}, FloatRows(2, bits, 500), [&](const Values& s) {
              double a = ValueOf(type, s[0]);
              double b = ValueOf(type, s[1]);
              if (flush) {
                const double least = type == "f32" ? 0x1p-126 : 0x1p-14;
                a = Flushed(a, least);
                b = Flushed(b, least);
              }
              return Values{Holds(operation, Order(a, b)) ? 1U : 0U};
            });
      }
    }
  }
}

TEST(ComparisonTest, BooleanOperatorsAndPairs) {
  const Rows rows = IntegerRows(3, 500);
  for (const std::string boolean : {"and", "or", "xor"}) {
    for (const bool negated : {false, true}) {
      CheckInstruction(
          absl::StrCat("setp.lt.", boolean, ".s32 %d0|%d1, %s0, %s1, ", negated ? "!" : "", "%s2;"),
          {"pred", "pred"}, {"b32", "b32", "pred"}, rows, [&](const Values& s) {
            const bool less = static_cast<int32_t>(static_cast<uint32_t>(s[0])) <
                              static_cast<int32_t>(static_cast<uint32_t>(s[1]));
            const bool c = (s[2] != 0) != negated;
            const auto combine = [&](bool p) {
              return boolean == "and" ? p && c : boolean == "or" ? p || c : p != c;
            };
            return Values{combine(less) ? 1U : 0U, combine(!less) ? 1U : 0U};
          });
    }
  }
  CheckInstruction(
      "setp.eq.u32 %d0|%d1, %s0, %s1;", {"pred", "pred"}, {"b32", "b32"}, IntegerRows(2, 100),
      [](const Values& s) { return Values{s[0] == s[1] ? 1U : 0U, s[0] != s[1] ? 1U : 0U}; });
}

TEST(ComparisonTest, PackedHalves) {
  for (const std::string type : {"f16x2", "bf16x2"}) {
    const bool is_bf16 = type == "bf16x2";
    Rows rows;
    for (const Values& row : FloatRows(2, 16, 500)) {
      rows.push_back({row[0] << 16 | (row[1] & 0xffff), row[1] << 16 | 0x3c00});
    }
    for (const std::string operation : kFloatOperators) {
      const auto holds = [&](const Values& s, int shift) {
        return Holds(operation,
                     Order(HalfValue(s[0] >> shift, is_bf16), HalfValue(s[1] >> shift, is_bf16)));
      };
      CheckInstruction(absl::StrCat("setp.", operation, ".", type, " %d0|%d1, %s0, %s1;"),
                       {"pred", "pred"}, {"b32", "b32"}, rows, [&](const Values& s) {
                         return Values{holds(s, 0) ? 1U : 0U, holds(s, 16) ? 1U : 0U};
                       });
      CheckInstruction(absl::StrCat("set.", operation, ".", type, ".", type, " %d0, %s0, %s1; set.",
                                    operation, ".u32.", type, " %d1, %s0, %s1;"),
                       {"b32", "b32"}, {"b32", "b32"}, rows, [&](const Values& s) {
                         const uint64_t one = is_bf16 ? 0x3f80 : 0x3c00;
                         return Values{
                             (holds(s, 0) ? one : 0) | (holds(s, 16) ? one << 16 : 0),
                             (holds(s, 0) ? 0xffffU : 0U) | (holds(s, 16) ? 0xffff'0000U : 0U)};
                       });
    }
  }
}

TEST(ComparisonTest, Set) {
  for (const auto& [type, one, bits] :
       {std::tuple<std::string, uint64_t, int>{"u32", 0xffff'ffff, 32},
        {"s32", 0xffff'ffff, 32},
        {"f32", 0x3f80'0000, 32},
        {"f16", 0x3c00, 16}}) {
    CheckInstruction(absl::StrCat("set.gt.", type, ".f32 %d0, %s0, %s1;"),
                     {absl::StrCat("b", bits)}, {"b32", "b32"}, FloatRows(2, 32, 500),
                     [&, value = one](const Values& s) {
                       return Values{ValueOf("f32", s[0]) > ValueOf("f32", s[1]) ? value : 0};
                     });
    CheckInstruction(
        absl::StrCat("set.lt.or.", type, ".u64 %d0, %s0, %s1, %s2;"), {absl::StrCat("b", bits)},
        {"b64", "b64", "pred"}, IntegerRows(3, 500),
        [&, value = one](const Values& s) { return Values{s[0] < s[1] || s[2] != 0 ? value : 0}; });
  }
}

TEST(ComparisonTest, Choices) {
  for (const int bits : {16, 32, 64}) {
    const std::string reg = absl::StrCat("b", bits);
    CheckInstruction(absl::StrCat("selp.b", bits, " %d0, %s0, %s1, %s2;"), {reg},
                     {reg, reg, "pred"}, IntegerRows(3, 500),
                     [](const Values& s) { return Values{s[2] != 0 ? s[0] : s[1]}; });
    CheckInstruction(absl::StrCat("slct.u", bits, ".s32 %d0, %s0, %s1, %s2;"), {reg},
                     {reg, reg, "b32"}, IntegerRows(3, 500),
                     [](const Values& s) { return Values{s[2] < 0x8000'0000 ? s[0] : s[1]}; });
    Rows rows;
    for (const Values& row : FloatRows(1, 32, 500)) rows.push_back({row[0] * 3, ~row[0], row[0]});
    for (const bool flush : {false, true}) {
      CheckInstruction(
          absl::StrCat("slct", flush ? ".ftz" : "", ".b", bits, ".f32 %d0, %s0, %s1, %s2;"), {reg},
          {reg, reg, "b32"}, rows, [&](const Values& s) {
            double c = ValueOf("f32", s[2]);
            if (flush) c = Flushed(c, 0x1p-126);
            return Values{c >= 0 ? s[0] : s[1]};
          });
    }
  }
}

TEST(ComparisonTest, RefusesWhatPtxDoesNotHave) {
  EXPECT_FALSE(ErrorOf("setp.lt.b32 %d0, %s0, %s0;", {"pred"}, {"b32"}).ok());
  EXPECT_FALSE(ErrorOf("setp.lo.s32 %d0, %s0, %s0;", {"pred"}, {"b32"}).ok());
  EXPECT_FALSE(ErrorOf("setp.ltu.s32 %d0, %s0, %s0;", {"pred"}, {"b32"}).ok());
  EXPECT_FALSE(ErrorOf("setp.lt.ftz.f64 %d0, %s0, %s0;", {"pred"}, {"b64"}).ok());
  EXPECT_FALSE(ErrorOf("setp.lt.f16x2 %d0, %s0, %s0;", {"pred"}, {"b32"}).ok());
  EXPECT_FALSE(ErrorOf("setp.lt.f16 %d0|%d1, %s0, %s0;", {"pred", "pred"}, {"b16"}).ok());
  EXPECT_FALSE(ErrorOf("set.lt.f32.f16 %d0, %s0, %s0;", {"b32"}, {"b16"}).ok());
  EXPECT_FALSE(ErrorOf("set.lt.f16.bf16 %d0, %s0, %s0;", {"b16"}, {"b16"}).ok());
}

}  // namespace
}  // namespace hlo_indexing::ptx
