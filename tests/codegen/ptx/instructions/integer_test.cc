// Integer arithmetic against models in 128 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/codegen/ptx/instructions/instruction_runner.h"

namespace hlo_indexing::ptx {
namespace {

__extension__ using Wide = __int128;

struct IntegerType {
  std::string name;
  int bits;
  bool is_signed;
  std::string Register() const { return absl::StrCat("b", bits); }
  /// The value of the bits.
  Wide Value(uint64_t raw) const {
    const Wide modulus = Wide{1} << bits;
    const Wide value = static_cast<Wide>(raw) % modulus;
    return is_signed && value >= modulus / 2 ? value - modulus : value;
  }
  Wide Least() const { return is_signed ? -(Wide{1} << (bits - 1)) : Wide{0}; }
  Wide Greatest() const { return (Wide{1} << (is_signed ? bits - 1 : bits)) - 1; }
};

const std::vector<IntegerType>& AllTypes() {
  static const std::vector<IntegerType> types = {{"u16", 16, false}, {"s16", 16, true},
                                                 {"u32", 32, false}, {"s32", 32, true},
                                                 {"u64", 64, false}, {"s64", 64, true}};
  return types;
}

/// Checks `opcode.TYPE` of two or three sources.
template <typename Model>
void CheckAll(std::string_view opcode, int sources, const Model& model,
              const std::vector<IntegerType>& types = AllTypes()) {
  for (const IntegerType& type : types) {
    std::string text = absl::StrCat(std::string(opcode), ".", type.name, " %d0");
    for (int i = 0; i < sources; ++i) absl::StrAppend(&text, ", %s", i);
    CheckInstruction(text + ";", {type.Register()},
                     std::vector<std::string>(static_cast<size_t>(sources), type.Register()),
                     IntegerRows(sources, 2000), [&](const Values& s) {
                       std::vector<Wide> v;
                       for (const uint64_t raw : s) v.push_back(type.Value(raw));
                       return Values{static_cast<uint64_t>(model(v, type))};
                     });
  }
}

using V = std::vector<Wide>;
using T = IntegerType;

TEST(IntegerTest, AddSubNegAbs) {
  CheckAll("add", 2, [](const V& v, const T&) { return v[0] + v[1]; });
  CheckAll("sub", 2, [](const V& v, const T&) { return v[0] - v[1]; });
  const std::vector<T> with_sign = {AllTypes()[1], AllTypes()[3], AllTypes()[5]};
  CheckAll("neg", 1, [](const V& v, const T&) { return -v[0]; }, with_sign);
  CheckAll("abs", 1, [](const V& v, const T&) { return v[0] < 0 ? -v[0] : v[0]; }, with_sign);
}

TEST(IntegerTest, Saturation) {
  const auto clamp = [](Wide value, const T& t) {
    return std::clamp(value, t.Least(), t.Greatest());
  };
  CheckAll("add.sat", 2, [&](const V& v, const T& t) { return clamp(v[0] + v[1], t); },
           {AllTypes()[3]});
  CheckAll("sub.sat", 2, [&](const V& v, const T& t) { return clamp(v[0] - v[1], t); },
           {AllTypes()[3]});
  CheckAll("mad.hi.sat", 3,
           [&](const V& v, const T& t) { return clamp((v[0] * v[1] >> 32) + v[2], t); },
           {AllTypes()[3]});
}

/// The upper half of the product, from halves of the operands: 128 bits do not hold all products.
Wide High(Wide a, Wide b, int bits) {
  if (bits < 64) return (a * b) >> bits;
  const Wide b_high = b >> 32;
  const Wide b_low = b & 0xffff'ffff;
  return (a * b_high + ((a * b_low) >> 32)) >> 32;
}

TEST(IntegerTest, MulMad) {
  CheckAll("mul.lo", 2, [](const V& v, const T&) {
    const uint64_t product = static_cast<uint64_t>(v[0]) * static_cast<uint64_t>(v[1]);
    return Wide{product};
  });
  CheckAll("mul.hi", 2, [](const V& v, const T& t) { return High(v[0], v[1], t.bits); });
  CheckAll("mad.lo", 3, [](const V& v, const T&) {
    return static_cast<Wide>(static_cast<uint64_t>(v[0]) * static_cast<uint64_t>(v[1])) + v[2];
  });
  CheckAll("mad.hi", 3, [](const V& v, const T& t) { return High(v[0], v[1], t.bits) + v[2]; });
  for (size_t i = 0; i < 4; ++i) {
    const T& t = AllTypes()[i];
    const std::string wide = absl::StrCat("b", 2 * t.bits);
    CheckInstruction(absl::StrCat("mul.wide.", t.name, " %d0, %s0, %s1;"), {wide},
                     {t.Register(), t.Register()}, IntegerRows(2, 2000), [&](const Values& s) {
                       return Values{static_cast<uint64_t>(t.Value(s[0]) * t.Value(s[1]))};
                     });
    CheckInstruction(absl::StrCat("mad.wide.", t.name, " %d0, %s0, %s1, %s2;"), {wide},
                     {t.Register(), t.Register(), wide}, IntegerRows(3, 2000),
                     [&](const Values& s) {
                       return Values{static_cast<uint64_t>(t.Value(s[0]) * t.Value(s[1])) + s[2]};
                     });
  }
}

TEST(IntegerTest, DivRem) {
  CheckAll("div", 2, [](const V& v, const T&) { return v[1] == 0 ? Wide{-1} : v[0] / v[1]; });
  CheckAll("rem", 2, [](const V& v, const T&) { return v[1] == 0 ? Wide{-1} : v[0] % v[1]; });
}

TEST(IntegerTest, MinMaxSad) {
  CheckAll("min", 2, [](const V& v, const T&) { return std::min(v[0], v[1]); });
  CheckAll("max", 2, [](const V& v, const T&) { return std::max(v[0], v[1]); });
  CheckAll("min.relu", 2,
           [](const V& v, const T&) { return std::max(std::min(v[0], v[1]), Wide{0}); },
           {AllTypes()[3]});
  CheckAll("max.relu", 2,
           [](const V& v, const T&) { return std::max(std::max(v[0], v[1]), Wide{0}); },
           {AllTypes()[3]});
  CheckAll("sad", 3,
           [](const V& v, const T&) { return v[2] + (v[0] < v[1] ? v[1] - v[0] : v[0] - v[1]); });
}

TEST(IntegerTest, Packed) {
  for (size_t i = 0; i < 2; ++i) {
    const T& t = AllTypes()[i];
    const auto check = [&](std::string_view opcode, auto model) {
      CheckInstruction(absl::StrCat(std::string(opcode), ".", t.name, "x2 %d0, %s0, %s1;"), {"b32"},
                       {"b32", "b32"}, IntegerRows(2, 5000), [&](const Values& s) {
                         uint64_t result = 0;
                         for (int shift = 0; shift < 32; shift += 16) {
                           const Wide value = model(t.Value(s[0] >> shift), t.Value(s[1] >> shift));
                           result |= (static_cast<uint64_t>(value) & 0xffff) << shift;
                         }
                         return Values{result};
                       });
    };
    check("add", [](Wide a, Wide b) { return a + b; });
    check("min", [](Wide a, Wide b) { return std::min(a, b); });
    check("max", [](Wide a, Wide b) { return std::max(a, b); });
    if (!t.is_signed) continue;
    check("min.relu", [](Wide a, Wide b) { return std::max(std::min(a, b), Wide{0}); });
    check("max.relu", [](Wide a, Wide b) { return std::max(std::max(a, b), Wide{0}); });
  }
}

TEST(IntegerTest, Mul24) {
  for (const T& t : {AllTypes()[2], AllTypes()[3]}) {
    const T narrow = {"24", 24, t.is_signed};
    const auto product = [&](const Values& s) { return narrow.Value(s[0]) * narrow.Value(s[1]); };
    const std::vector<std::string> two = {"b32", "b32"};
    const std::vector<std::string> three = {"b32", "b32", "b32"};
    CheckInstruction(absl::StrCat("mul24.lo.", t.name, " %d0, %s0, %s1;"), {"b32"}, two,
                     IntegerRows(2, 3000),
                     [&](const Values& s) { return Values{static_cast<uint64_t>(product(s))}; });
    CheckInstruction(
        absl::StrCat("mul24.hi.", t.name, " %d0, %s0, %s1;"), {"b32"}, two, IntegerRows(2, 3000),
        [&](const Values& s) { return Values{static_cast<uint64_t>(product(s) >> 16)}; });
    CheckInstruction(absl::StrCat("mad24.lo.", t.name, " %d0, %s0, %s1, %s2;"), {"b32"}, three,
                     IntegerRows(3, 3000), [&](const Values& s) {
                       return Values{static_cast<uint64_t>(product(s)) + s[2]};
                     });
    CheckInstruction(absl::StrCat("mad24.hi.", t.name, " %d0, %s0, %s1, %s2;"), {"b32"}, three,
                     IntegerRows(3, 3000), [&](const Values& s) {
                       return Values{static_cast<uint64_t>(product(s) >> 16) + s[2]};
                     });
  }
  CheckInstruction("mad24.hi.sat.s32 %d0, %s0, %s1, %s2;", {"b32"}, {"b32", "b32", "b32"},
                   IntegerRows(3, 3000), [](const Values& s) {
                     const T narrow = {"24", 24, true};
                     const T wide = {"s32", 32, true};
                     const Wide sum =
                         (narrow.Value(s[0]) * narrow.Value(s[1]) >> 16) + wide.Value(s[2]);
                     constexpr Wide kEnd = Wide{1} << 31;
                     return Values{static_cast<uint64_t>(std::clamp(sum, -kEnd, kEnd - 1))};
                   });
}

TEST(IntegerTest, CarryChains) {
  // 128-bit sums, differences and products of 64-bit and 32-bit pieces.
  CheckInstruction("add.cc.u64 %d0, %s0, %s2; addc.u64 %d1, %s1, %s3;", {"b64", "b64"},
                   {"b64", "b64", "b64", "b64"}, IntegerRows(4, 3000), [](const Values& s) {
                     const Wide sum =
                         static_cast<Wide>((static_cast<unsigned __int128>(s[1]) << 64 | s[0]) +
                                           (static_cast<unsigned __int128>(s[3]) << 64 | s[2]));
                     return Values{static_cast<uint64_t>(sum), static_cast<uint64_t>(sum >> 64)};
                   });
  CheckInstruction("sub.cc.u32 %d0, %s0, %s2; subc.cc.u32 %d1, %s1, %s3; subc.u32 %d2, 0, 0;",
                   {"b32", "b32", "b32"}, {"b32", "b32", "b32", "b32"}, IntegerRows(4, 3000),
                   [](const Values& s) {
                     const Wide a = static_cast<Wide>(s[1] << 32 | s[0]);
                     const Wide b = static_cast<Wide>(s[3] << 32 | s[2]);
                     const Wide difference = a - b;
                     return Values{static_cast<uint64_t>(difference),
                                   static_cast<uint64_t>(difference >> 32),
                                   static_cast<uint64_t>(difference >> 64)};
                   });
  CheckInstruction(
      "mad.lo.cc.u32 %d0, %s0, %s1, %s2; madc.hi.cc.u32 %d1, %s0, %s1, %s3; "
      "addc.u32 %d2, 0, 0;",
      {"b32", "b32", "b32"}, {"b32", "b32", "b32", "b32"}, IntegerRows(4, 3000),
      [](const Values& s) {
        const Wide sum = static_cast<Wide>(s[0] * s[1]) + static_cast<Wide>(s[3] << 32 | s[2]);
        return Values{static_cast<uint64_t>(sum), static_cast<uint64_t>(sum >> 32),
                      static_cast<uint64_t>(sum >> 64)};
      });
  // What one kind leaves in the flag, the other one reads: sums of complements carry where nothing
  // is borrowed.
  CheckInstruction("sub.cc.u32 %d0, %s0, %s1; addc.u32 %d1, 0, 0;", {"b32", "b32"}, {"b32", "b32"},
                   IntegerRows(2, 3000), [](const Values& s) {
                     const auto a = static_cast<uint32_t>(s[0]);
                     const auto b = static_cast<uint32_t>(s[1]);
                     return Values{a - b, a >= b ? 1U : 0U};
                   });
  CheckInstruction("add.cc.u64 %d0, %s0, %s1; subc.u64 %d1, %s0, %s1;", {"b64", "b64"},
                   {"b64", "b64"}, IntegerRows(2, 3000), [](const Values& s) {
                     const uint64_t sum = s[0] + s[1];
                     return Values{sum, s[0] - s[1] - (sum < s[0] ? 0 : 1)};
                   });
}

TEST(IntegerTest, DotProducts) {
  const T s8 = {"s8", 8, true};
  const T u8 = {"u8", 8, false};
  for (const bool a_signed : {false, true}) {
    for (const bool b_signed : {false, true}) {
      const T& a = a_signed ? s8 : u8;
      const T& b = b_signed ? s8 : u8;
      const std::string types =
          absl::StrCat(a_signed ? ".s32" : ".u32", b_signed ? ".s32" : ".u32");
      const std::vector<std::string> three = {"b32", "b32", "b32"};
      CheckInstruction(absl::StrCat("dp4a", types, " %d0, %s0, %s1, %s2;"), {"b32"}, three,
                       IntegerRows(3, 3000), [&](const Values& s) {
                         Wide sum = static_cast<Wide>(s[2]);
                         for (int i = 0; i < 32; i += 8) {
                           sum += a.Value(s[0] >> i) * b.Value(s[1] >> i);
                         }
                         return Values{static_cast<uint64_t>(sum)};
                       });
      CheckInstruction(absl::StrCat("dp2a.hi", types, " %d0, %s0, %s1, %s2;"), {"b32"}, three,
                       IntegerRows(3, 3000), [&](const Values& s) {
                         const T half = {"16", 16, a_signed};
                         return Values{static_cast<uint64_t>(
                             static_cast<Wide>(s[2]) + half.Value(s[0]) * b.Value(s[1] >> 16) +
                             half.Value(s[0] >> 16) * b.Value(s[1] >> 24))};
                       });
      CheckInstruction(absl::StrCat("vabsdiff4.u32", types, ".add %d0, %s0, %s1, %s2;"), {"b32"},
                       three, IntegerRows(3, 3000), [&](const Values& s) {
                         Wide sum = static_cast<Wide>(s[2]);
                         for (int i = 0; i < 32; i += 8) {
                           const Wide d = a.Value(s[0] >> i) - b.Value(s[1] >> i);
                           sum += d < 0 ? -d : d;
                         }
                         return Values{static_cast<uint64_t>(sum)};
                       });
      const T a_half = {"16", 16, a_signed};
      const T b_half = {"16", 16, b_signed};
      const auto difference = [&](const Values& s, int shift) {
        const Wide d = a_half.Value(s[0] >> shift) - b_half.Value(s[1] >> shift);
        return static_cast<uint64_t>(d < 0 ? -d : d);
      };
      CheckInstruction(absl::StrCat("vabsdiff2.u32", types, ".add %d0, %s0, %s1, %s2;"), {"b32"},
                       three, IntegerRows(3, 3000), [&](const Values& s) {
                         return Values{s[2] + difference(s, 0) + difference(s, 16)};
                       });
      CheckInstruction(absl::StrCat("vabsdiff2.u32", types, " %d0, %s0, %s1, %s2;"), {"b32"}, three,
                       IntegerRows(3, 3000), [&](const Values& s) {
                         return Values{(difference(s, 0) & 0xffff) | difference(s, 16) << 16};
                       });
    }
  }
}

TEST(IntegerTest, RefusesWhatPtxDoesNotHave) {
  const auto error = [](std::string_view text) {
    return std::string(ErrorOf(text, {"b32"}, {"b32", "b32"}).message());
  };
  EXPECT_NE(error("add.u32.sat %d0, %s0, %s1;").find("'.sat'"), std::string::npos);
  EXPECT_NE(error("mul.s32 %d0, %s0, %s1;").find(".lo"), std::string::npos);
  EXPECT_NE(error("neg.u32 %d0, %s0;").find("u32"), std::string::npos);
  EXPECT_NE(error("sub.u16x2 %d0, %s0, %s1;").find("u16x2"), std::string::npos);
  EXPECT_NE(error("add.u32 %d0, %s0;").find("operands"), std::string::npos);
}

}  // namespace
}  // namespace hlo_indexing::ptx
