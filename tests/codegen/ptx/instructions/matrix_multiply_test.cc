// mma against matrix products in integers and doubles. Where an element lies is taken from the
// formulas of PTX ISA 9.7.14.5, one for each figure, written down here for their own sake.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/instructions/one_warp.h"

namespace hlo_indexing::ptx {
namespace {

using Place = std::pair<size_t, size_t>;

/// An element of a fragment, by lane and number, as the figures say.
struct Figures {
  std::function<Place(size_t lane, size_t i)> a;
  std::function<Place(size_t lane, size_t i)> b;
  std::function<Place(size_t lane, size_t i)> c;
};

size_t Group(size_t lane) { return lane >> 2; }
size_t Member(size_t lane) { return lane & 3; }

Place CFigure16(size_t lane, size_t i) {
  return {i < 2 ? Group(lane) : Group(lane) + 8, Member(lane) * 2 + (i & 1)};
}
Place CFigure8(size_t lane, size_t i) { return {Group(lane), Member(lane) * 2 + i}; }

/// 16-bit elements, m16n8k8 and m16n8k16 (figures of 9.7.14.5.7 and .8).
Figures Halves(size_t k) {
  if (k == 8) {
    return {[](size_t l, size_t i) {
              return Place{i < 2 ? Group(l) : Group(l) + 8, Member(l) * 2 + (i & 1)};
            },
            [](size_t l, size_t i) { return Place{Member(l) * 2 + i, Group(l)}; }, CFigure16};
  }
  return {[](size_t l, size_t i) {
            const bool upper = i < 2 || (4 <= i && i < 6);
            return Place{upper ? Group(l) : Group(l) + 8,
                         i < 4 ? Member(l) * 2 + (i & 1) : Member(l) * 2 + (i & 1) + 8};
          },
          [](size_t l, size_t i) {
            return Place{i < 2 ? Member(l) * 2 + (i & 1) : Member(l) * 2 + (i & 1) + 8, Group(l)};
          },
          CFigure16};
}

/// 8-bit elements: m8n8k16, m16n8k16, m16n8k32.
Figures Bytes(size_t m, size_t k) {
  if (m == 8) {
    return {[](size_t l, size_t i) { return Place{Group(l), Member(l) * 4 + i}; },
            [](size_t l, size_t i) { return Place{Member(l) * 4 + i, Group(l)}; }, CFigure8};
  }
  if (k == 16) {
    return {[](size_t l, size_t i) {
              return Place{i < 4 ? Group(l) : Group(l) + 8, Member(l) * 4 + (i & 3)};
            },
            [](size_t l, size_t i) { return Place{Member(l) * 4 + i, Group(l)}; }, CFigure16};
  }
  return {[](size_t l, size_t i) {
            const bool upper = i < 4 || (8 <= i && i < 12);
            return Place{upper ? Group(l) : Group(l) + 8,
                         i < 8 ? Member(l) * 4 + (i & 3) : Member(l) * 4 + (i & 3) + 16};
          },
          [](size_t l, size_t i) {
            return Place{i < 4 ? Member(l) * 4 + (i & 3) : Member(l) * 4 + (i & 3) + 16, Group(l)};
          },
          CFigure16};
}

/// 4-bit elements: m8n8k32, m16n8k32, m16n8k64.
Figures Nibbles(size_t m, size_t k) {
  if (m == 8) {
    return {[](size_t l, size_t i) { return Place{Group(l), Member(l) * 8 + i}; },
            [](size_t l, size_t i) { return Place{Member(l) * 8 + i, Group(l)}; }, CFigure8};
  }
  if (k == 32) {
    return {[](size_t l, size_t i) {
              return Place{i < 8 ? Group(l) : Group(l) + 8, Member(l) * 8 + (i & 7)};
            },
            [](size_t l, size_t i) { return Place{Member(l) * 8 + i, Group(l)}; }, CFigure16};
  }
  return {[](size_t l, size_t i) {
            const bool upper = i < 8 || (16 <= i && i < 24);
            return Place{upper ? Group(l) : Group(l) + 8,
                         i < 16 ? Member(l) * 8 + (i & 7) : Member(l) * 8 + (i & 7) + 32};
          },
          [](size_t l, size_t i) {
            return Place{i < 8 ? Member(l) * 8 + (i & 7) : Member(l) * 8 + (i & 7) + 32, Group(l)};
          },
          CFigure16};
}

/// 32-bit elements, m16n8k4 and m16n8k8 of tf32; f64 of these shapes and m8n8k4 are alike.
Figures Words(size_t m, size_t k) {
  if (m == 8) {
    return {[](size_t l, size_t) { return Place{Group(l), Member(l)}; },
            [](size_t l, size_t) { return Place{Member(l), Group(l)}; }, CFigure8};
  }
  if (k == 16) {
    return {[](size_t l, size_t i) {
              return i % 2 == 0 ? Place{Group(l), i * 2 + Member(l)}
                                : Place{Group(l) + 8, i * 2 - 2 + Member(l)};
            },
            [](size_t l, size_t i) { return Place{Member(l) + i * 4, Group(l)}; }, CFigure16};
  }
  return {[](size_t l, size_t i) {
            return Place{i == 0 || i == 2 ? Group(l) : Group(l) + 8,
                         i < 2 ? Member(l) : Member(l) + 4};
          },
          [](size_t l, size_t i) { return Place{i == 0 ? Member(l) : Member(l) + 4, Group(l)}; },
          CFigure16};
}

/// Bits: m8n8k128, m16n8k128, m16n8k256.
Figures SingleBits(size_t m, size_t k) {
  if (m == 8) {
    return {[](size_t l, size_t i) { return Place{Group(l), Member(l) * 32 + i}; },
            [](size_t l, size_t i) { return Place{Member(l) * 32 + i, Group(l)}; }, CFigure8};
  }
  if (k == 128) {
    return {[](size_t l, size_t i) {
              return Place{i < 32 ? Group(l) : Group(l) + 8, Member(l) * 32 + (i & 31)};
            },
            [](size_t l, size_t i) { return Place{Member(l) * 32 + i, Group(l)}; }, CFigure16};
  }
  return {[](size_t l, size_t i) {
            const bool upper = i < 32 || (64 <= i && i < 96);
            return Place{upper ? Group(l) : Group(l) + 8,
                         i < 64 ? Member(l) * 32 + (i & 31) : Member(l) * 32 + (i & 31) + 128};
          },
          [](size_t l, size_t i) {
            return Place{i < 32 ? Member(l) * 32 + (i & 31) : Member(l) * 32 + (i & 31) + 128,
                         Group(l)};
          },
          CFigure16};
}

/// The bits of small numbers in a format, and their values.
struct Coded {
  uint64_t bits;
  double value;
};
using Code = std::vector<Coded>;

Code Integers(int bits, bool is_signed) {
  Code code;
  const int count = 1 << bits;
  for (int i = 0; i < count; ++i) {
    code.push_back({static_cast<uint64_t>(i),
                    static_cast<double>(is_signed && i >= count / 2 ? i - count : i)});
  }
  return code;
}

/// Every encoding of a small format with the value that the definition of its fields gives; NaNs
/// and infinities are left out, and of large formats all but some.
Code Floats(int exponent_bits, int mantissa_bits, int step, bool has_infinity, int shift = 0) {
  Code code;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int count = 1 << (1 + exponent_bits + mantissa_bits);
  for (int i = 0; i < count; i += step) {
    const int exponent = (i >> mantissa_bits) & ((1 << exponent_bits) - 1);
    const int mantissa = i & ((1 << mantissa_bits) - 1);
    const bool is_top = exponent == (1 << exponent_bits) - 1;
    if (is_top && (has_infinity || mantissa == (1 << mantissa_bits) - 1)) continue;
    // Neither so large nor so small that sums of products are not exact in double.
    if (exponent_bits == 8 && (exponent < 118 || exponent > 136)) continue;
    const double magnitude = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                                           : std::ldexp(mantissa + (1 << mantissa_bits),
                                                        exponent - bias - mantissa_bits);
    const bool is_negative = i >= count / 2;
    code.push_back({static_cast<uint64_t>(i) << shift, is_negative ? -magnitude : magnitude});
  }
  return code;
}

struct Case {
  std::string modifiers;
  size_t m;
  size_t k;
  int a_bits;
  Figures figures;
  Code a;
  Code b;
  /// 's': s32, 'f': f32, 'd': f64.
  char sum;
  /// '*', '&' or '^'.
  char product = '*';
  bool saturates = false;
};

std::string Registers(const std::string& prefix, size_t first, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ", ") + prefix + std::to_string(first + i);
  }
  return text + "}";
}

void Check(const Case& test) {
  SCOPED_TRACE(test.modifiers);
  constexpr size_t kN = 8;
  std::mt19937 random(7);
  const bool is_double = test.sum == 'd';
  const size_t register_bits = is_double ? 64 : 32;
  const size_t per_register = register_bits / static_cast<size_t>(test.a_bits);
  const size_t a_elements = test.m * test.k / 32;
  const size_t b_elements = test.k * kN / 32;
  const size_t c_elements = test.m * kN / 32;
  const size_t bytes = register_bits / 8;

  std::vector<std::vector<double>> a(test.m, std::vector<double>(test.k));
  std::vector<std::vector<double>> b(test.k, std::vector<double>(kN));
  std::vector<std::vector<double>> c(test.m, std::vector<double>(kN));
  Records records;
  const auto fill = [&](const Code& code, auto& matrix, const auto& figure, size_t elements,
                        size_t offset) {
    for (size_t lane = 0; lane < 32; ++lane) {
      for (size_t r = 0; r < elements / per_register; ++r) {
        uint64_t word = 0;
        for (size_t i = 0; i < per_register; ++i) {
          const Coded& coded = code[random() % code.size()];
          const Place place = figure(lane, r * per_register + i);
          matrix.at(place.first).at(place.second) = coded.value;
          word |= coded.bits << (i * static_cast<size_t>(test.a_bits) % 64);
        }
        if (is_double) {
          records.Set<double>(lane, offset + r * 8, std::bit_cast<double>(word));
        } else {
          records.Set<uint32_t>(lane, offset + r * 4, static_cast<uint32_t>(word));
        }
      }
    }
  };
  fill(test.a, a, test.figures.a, a_elements, 0);
  fill(test.b, b, test.figures.b, b_elements, 64);
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t i = 0; i < c_elements; ++i) {
      const Place place = test.figures.c(lane, i);
      const int value = test.saturates ? (i % 2 == 0 ? 2147483600 : -2147483600)
                                       : static_cast<int>(random() % 2001) - 1000;
      c.at(place.first).at(place.second) = value;
      if (test.sum == 's') records.Set<int32_t>(lane, 96 + i * 4, value);
      if (test.sum == 'f') records.Set<float>(lane, 96 + i * 4, static_cast<float>(value));
      if (test.sum == 'd') records.Set<double>(lane, 96 + i * 8, value);
    }
  }

  const std::string prefix = is_double ? "%rd" : "%r";
  const std::string type = is_double ? "b64" : "b32";
  const size_t a_registers = a_elements / per_register;
  const size_t b_registers = b_elements / per_register;
  std::string body;
  const auto move = [&](const char* opcode, size_t first, size_t count, size_t offset) {
    for (size_t r = 0; r < count; ++r) {
      const std::string address = "[%rd1+" + std::to_string(offset + r * bytes) + "]";
      const std::string reg = prefix + std::to_string(first + r);
      body += std::string(opcode) + ".global." + type + " " +
              (opcode[0] == 'l' ? reg + ", " + address : address + ", " + reg) + ";\n";
    }
  };
  move("ld", 10, a_registers, 0);
  move("ld", 20, b_registers, 64);
  move("ld", 30, c_elements, 96);
  body += "mma.sync.aligned." + test.modifiers + " " + Registers(prefix, 40, c_elements) + ", " +
          Registers(prefix, 10, a_registers) + ", " + Registers(prefix, 20, b_registers) + ", " +
          Registers(prefix, 30, c_elements) + ";\n";
  move("st", 40, c_elements, 160);
  const absl::Status status = RunWarp(body, records);
  ASSERT_TRUE(status.ok()) << status << "\n" << body;

  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t i = 0; i < c_elements; ++i) {
      const Place place = test.figures.c(lane, i);
      double sum = c[place.first][place.second];
      for (size_t k = 0; k < test.k; ++k) {
        const double x = a[place.first][k];
        const double y = b[k][place.second];
        if (test.product == '*') sum += x * y;
        if (test.product == '&') sum += x != 0 && y != 0 ? 1 : 0;
        if (test.product == '^') sum += x != y ? 1 : 0;
      }
      if (test.saturates) sum = std::fmin(std::fmax(sum, -2147483648.0), 2147483647.0);
      if (test.sum == 's') {
        EXPECT_EQ(records.Get<int32_t>(lane, 160 + i * 4), sum);
      }
      if (test.sum == 'f') {
        EXPECT_EQ(records.Get<float>(lane, 160 + i * 4), static_cast<float>(sum));
      }
      if (test.sum == 'd') {
        EXPECT_EQ(records.Get<double>(lane, 160 + i * 8), sum);
      }
    }
  }
}

Code Doubles() {
  Code code;
  for (int i = -50; i <= 50; ++i) {
    const double value = i / 8.0;
    code.push_back({std::bit_cast<uint64_t>(value), value});
  }
  return code;
}

TEST(MmaTest, IntegersOfEveryShapeAndSign) {
  for (const auto& [m, k] : {std::pair<size_t, size_t>{8, 16}, {16, 16}, {16, 32}}) {
    for (const bool a_signed : {false, true}) {
      for (const bool b_signed : {false, true}) {
        for (const bool saturates : {false, true}) {
          Check({"m" + std::to_string(m) + "n8k" + std::to_string(k) + ".row.col" +
                     (saturates ? ".satfinite" : "") + ".s32." + (a_signed ? "s8" : "u8") + "." +
                     (b_signed ? "s8" : "u8") + ".s32",
                 m, k, 8, Bytes(m, k), Integers(8, a_signed), Integers(8, b_signed), 's', '*',
                 saturates});
        }
      }
    }
  }
  for (const auto& [m, k] : {std::pair<size_t, size_t>{8, 32}, {16, 32}, {16, 64}}) {
    for (const bool a_signed : {false, true}) {
      for (const bool b_signed : {false, true}) {
        Check({"m" + std::to_string(m) + "n8k" + std::to_string(k) + ".row.col.s32." +
                   (a_signed ? "s4" : "u4") + "." + (b_signed ? "s4" : "u4") + ".s32",
               m, k, 4, Nibbles(m, k), Integers(4, a_signed), Integers(4, b_signed), 's'});
      }
    }
  }
}

TEST(MmaTest, SingleBits) {
  for (const auto& [m, k] : {std::pair<size_t, size_t>{8, 128}, {16, 128}, {16, 256}}) {
    for (const char product : {'&', '^'}) {
      Check({"m" + std::to_string(m) + "n8k" + std::to_string(k) + ".row.col.s32.b1.b1.s32." +
                 (product == '&' ? "and" : "xor") + ".popc",
             m, k, 1, SingleBits(m, k), Integers(1, false), Integers(1, false), 's', product});
    }
  }
}

TEST(MmaTest, FloatsOfEveryFormat) {
  const Code f16 = Floats(5, 10, 37, true);
  const Code bf16 = Floats(8, 7, 1, true);
  const Code tf32 = Floats(8, 10, 3, true, 13);
  const Code e4m3 = Floats(4, 3, 1, false);
  const Code e5m2 = Floats(5, 2, 1, true);
  for (const size_t k : {8, 16}) {
    const std::string shape = "m16n8k" + std::to_string(k) + ".row.col.f32.";
    Check({shape + "f16.f16.f32", 16, k, 16, Halves(k), f16, f16, 'f'});
    Check({shape + "bf16.bf16.f32", 16, k, 16, Halves(k), bf16, bf16, 'f'});
  }
  for (const size_t k : {4, 8}) {
    Check({"m16n8k" + std::to_string(k) + ".row.col.f32.tf32.tf32.f32", 16, k, 32, Words(16, k),
           tf32, tf32, 'f'});
  }
  for (const size_t k : {16, 32}) {
    const std::string shape = "m16n8k" + std::to_string(k) + ".row.col.f32.";
    Check({shape + "e4m3.e5m2.f32", 16, k, 8, Bytes(16, k), e4m3, e5m2, 'f'});
    Check({shape + "e5m2.e4m3.f32", 16, k, 8, Bytes(16, k), e5m2, e4m3, 'f'});
  }
}

TEST(MmaTest, Doubles) {
  for (const auto& [m, k] : {std::pair<size_t, size_t>{8, 4}, {16, 4}, {16, 8}, {16, 16}}) {
    Check({"m" + std::to_string(m) + "n8k" + std::to_string(k) + ".row.col.f64.f64.f64.f64", m, k,
           64, Words(m, k), Doubles(), Doubles(), 'd'});
  }
}

/// f16 sums: small integers, which f16 holds exactly.
TEST(MmaTest, SumsOfHalves) {
  Records records;
  for (size_t lane = 0; lane < 32; ++lane) {
    // A is 1.0 in row g and 2.0 in row g + 8; B is 3.0; C is 1.0 and -1.0 in turns.
    for (size_t r = 0; r < 4; ++r) {
      records.Set<uint32_t>(lane, 4 * r, r % 2 == 0 ? 0x3c00'3c00 : 0x4000'4000);
    }
    records.Set<uint32_t>(lane, 16, 0xbc00'3c00);
  }
  const absl::Status status = RunWarp(
      "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd1]; ld.global.b32 %r14, [%rd1+16];\n"
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r10, %r11, %r12, %r13}, "
      "{%r10, %r10}, {%r14, %r14};\n"
      "st.global.v2.b32 [%rd1+64], {%r1, %r2};\n",
      records);
  ASSERT_TRUE(status.ok()) << status;
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(records.Get<uint32_t>(lane, 64), 0x4b80'4c40U);  // 15, 17
    EXPECT_EQ(records.Get<uint32_t>(lane, 68), 0x4fc0'5020U);  // 31, 33
  }
}

/// The four products of m8n8k4, by the figures of 9.7.14.5.1.
TEST(MmaTest, QuadPairs) {
  for (const bool a_row : {true, false}) {
    for (const bool b_row : {true, false}) {
      std::mt19937 random(9);
      Records records;
      std::array<std::array<std::array<double, 8>, 8>, 4> a = {};
      std::array<std::array<std::array<double, 8>, 8>, 4> b = {};
      const Code code = Floats(5, 10, 37, true);
      for (size_t lane = 0; lane < 32; ++lane) {
        const size_t upper = lane < 16 ? 0 : 4;
        const size_t q = lane % 16 / 4;
        for (size_t i = 0; i < 4; ++i) {
          const Coded& x = code[random() % code.size()];
          const Coded& y = code[random() % code.size()];
          records.Set<uint16_t>(lane, 2 * i, static_cast<uint16_t>(x.bits));
          records.Set<uint16_t>(lane, 8 + 2 * i, static_cast<uint16_t>(y.bits));
          (a_row ? a[q][lane % 4 + upper][i] : a[q][i + upper][lane % 4]) = x.value;
          (b_row ? b[q][lane % 4][i + upper] : b[q][i][lane % 4 + upper]) = y.value;
        }
      }
      const std::string d = "{%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}";
      const absl::Status status = RunWarp(
          "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd1];\n"
          "mma.sync.aligned.m8n8k4." +
              std::string(a_row ? "row" : "col") + (b_row ? ".row" : ".col") + ".f32.f16.f16.f32 " +
              d + ", {%r10, %r11}, {%r12, %r13}, {%r30,%r31,%r32,%r33,%r34,%r35,%r36,%r37};\n" +
              "st.global.v4.b32 [%rd1+64], {%r20, %r21, %r22, %r23};\n" +
              "st.global.v4.b32 [%rd1+80], {%r24, %r25, %r26, %r27};\n",
          records);
      ASSERT_TRUE(status.ok()) << status;
      for (size_t lane = 0; lane < 32; ++lane) {
        for (size_t i = 0; i < 8; ++i) {
          const size_t row = (lane & 1) + (i & 2) + (lane < 16 ? 0 : 4);
          const size_t column = (i & 4) + (lane & 2) + (i & 1);
          double sum = 0;
          for (size_t k = 0; k < 4; ++k) {
            sum += a[lane % 16 / 4][row][k] * b[lane % 16 / 4][k][column];
          }
          EXPECT_EQ(records.Get<float>(lane, 64 + 4 * i), static_cast<float>(sum));
        }
      }
    }
  }
}

TEST(MmaTest, WhatIsNotThere) {
  Records records;
  const auto refuse = [&](const std::string& instruction) {
    return std::string(RunWarp(instruction, records).message());
  };
  EXPECT_THAT(refuse("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0,%r1,%r2,%r3}, "
                     "{%r4,%r5}, {%r6,%r7}, {%r0,%r1,%r2,%r3}, %r9, 0;"),
              testing::HasSubstr("sparse"));
  EXPECT_THAT(refuse("mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%r0,%r1,%r2,%r3}, "
                     "{%r4,%r5,%r6,%r7}, {%r8,%r9}, {%r0,%r1,%r2,%r3};"),
              testing::HasSubstr(".row.col"));
  EXPECT_THAT(refuse("mma.sync.aligned.m16n8k8.row.col.s32.s8.s8.s32 {%r0,%r1,%r2,%r3}, {%r4,%r5}, "
                     "{%r8}, {%r0,%r1,%r2,%r3};"),
              testing::HasSubstr("shape"));
  EXPECT_THAT(refuse("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 "
                     "{%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, {%r0,%r1,%r2,%r3};"),
              testing::HasSubstr("kind::f8f6f4"));
  EXPECT_THAT(
      refuse("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 {%r0,%r1,%r2,%r3}, {%r4,%r5}, "
             "{%r6,%r7}, {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17};"),
      testing::HasSubstr("types"));
}

}  // namespace
}  // namespace hlo_indexing::ptx
