// Logic, shifts and bit fields, bit by bit as the text of the ISA defines them.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "tests/codegen/ptx/instructions/instruction_runner.h"

namespace hlo_indexing::ptx {
namespace {

uint64_t Bit(uint64_t value, int64_t place) { return (value >> place) & 1; }
std::string Register(int bits) { return absl::StrCat("b", bits); }
uint64_t Ones(int bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

TEST(BitTest, Logic) {
  for (const std::string type : {"b16", "b32", "b64", "pred"}) {
    const auto check = [&](std::string_view opcode, auto model) {
      CheckInstruction(absl::StrCat(std::string(opcode), ".", type, " %d0, %s0, %s1;"), {type},
                       {type, type}, IntegerRows(2, 1000),
                       [&](const Values& s) { return Values{model(s[0], s[1])}; });
    };
    check("and", [](uint64_t a, uint64_t b) { return a & b; });
    check("or", [](uint64_t a, uint64_t b) { return a | b; });
    check("xor", [](uint64_t a, uint64_t b) { return a ^ b; });
    CheckInstruction(absl::StrCat("not.", type, " %d0, %s0;"), {type}, {type}, IntegerRows(1, 100),
                     [](const Values& s) { return Values{~s[0]}; });
    if (type == "pred") continue;
    CheckInstruction(absl::StrCat("cnot.", type, " %d0, %s0;"), {type}, {type}, IntegerRows(1, 100),
                     [](const Values& s) { return Values{s[0] == 0 ? 1U : 0U}; });
  }
}

TEST(BitTest, Lop3OfEveryTable) {
  for (int table = 0; table < 256; ++table) {
    const auto model = [&](const Values& s) {
      uint64_t result = 0;
      for (int i = 0; i < 32; ++i) {
        const uint64_t index = Bit(s[0], i) << 2 | Bit(s[1], i) << 1 | Bit(s[2], i);
        result |= Bit(static_cast<uint64_t>(table), static_cast<int64_t>(index)) << i;
      }
      return result;
    };
    const Rows rows = {{0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa}, {1, 2, 3}, {0, 0, 0}, {0, ~0ULL, 5}};
    CheckInstruction(absl::StrCat("lop3.b32 %d0, %s0, %s1, %s2, ", table, ";"), {"b32"},
                     {"b32", "b32", "b32"}, rows,
                     [&](const Values& s) { return Values{model(s)}; });
    if (table % 37 != 0) continue;
    for (const bool is_or : {false, true}) {
      Rows with_predicate;
      for (const Values& row : rows) {
        with_predicate.push_back({row[0], row[1], row[2], 0});
        with_predicate.push_back({row[0], row[1], row[2], 1});
      }
      CheckInstruction(absl::StrCat("lop3", is_or ? ".or" : ".and", ".b32 %d0|%d1, %s0, %s1, %s2, ",
                                    table, ", %s3;"),
                       {"b32", "pred"}, {"b32", "b32", "b32", "pred"}, with_predicate,
                       [&](const Values& s) {
                         const uint64_t result = model(s);
                         const bool p = result != 0;
                         const bool q = s[3] != 0;
                         return Values{result, (is_or ? p || q : p && q) ? 1U : 0U};
                       });
    }
  }
}

TEST(BitTest, Shifts) {
  for (const int bits : {16, 32, 64}) {
    const auto check = [&](const std::string& opcode, auto model) {
      CheckInstruction(absl::StrCat(opcode, bits, " %d0, %s0, %s1;"), {Register(bits)},
                       {Register(bits), "b32"}, IntegerRows(2, 3000),
                       [&](const Values& s) { return Values{model(s[0], s[1])}; });
    };
    check("shl.b",
          [&](uint64_t a, uint64_t n) { return n >= static_cast<uint64_t>(bits) ? 0 : a << n; });
    check("shr.u",
          [&](uint64_t a, uint64_t n) { return n >= static_cast<uint64_t>(bits) ? 0 : a >> n; });
    check("shr.b",
          [&](uint64_t a, uint64_t n) { return n >= static_cast<uint64_t>(bits) ? 0 : a >> n; });
    check("shr.s", [&](uint64_t a, uint64_t n) {
      uint64_t result = 0;
      for (int i = 0; i < bits; ++i) {
        const uint64_t from = static_cast<uint64_t>(i) + n;
        const uint64_t last = static_cast<uint64_t>(bits - 1);
        result |= Bit(a, static_cast<int64_t>(from < last ? from : last)) << i;
      }
      return result;
    });
  }
  for (const std::string mode : {"wrap", "clamp"}) {
    const auto amount = [&](uint64_t c) { return mode == "wrap" ? c % 32 : c < 32 ? c : 32; };
    CheckInstruction(absl::StrCat("shf.l.", mode, ".b32 %d0, %s0, %s1, %s2;"), {"b32"},
                     {"b32", "b32", "b32"}, IntegerRows(3, 3000), [&](const Values& s) {
                       const uint64_t n = amount(s[2]);
                       return Values{s[1] << n | (n == 0 ? 0 : s[0] >> (32 - n))};
                     });
    CheckInstruction(absl::StrCat("shf.r.", mode, ".b32 %d0, %s0, %s1, %s2;"), {"b32"},
                     {"b32", "b32", "b32"}, IntegerRows(3, 3000), [&](const Values& s) {
                       const uint64_t n = amount(s[2]);
                       return Values{(n == 0 ? 0 : s[1] << (32 - n)) | s[0] >> n};
                     });
  }
}

TEST(BitTest, BitFields) {
  Rows extract;
  Rows insert;
  for (const Values& row : IntegerRows(3, 2000)) {
    extract.push_back({row[0], row[1] % 80, row[2] % 80});
    extract.push_back(row);
    insert.push_back({row[0], ~row[0] * 3, row[1] % 80, row[2] % 80});
    insert.push_back({row[0], row[2], row[1], row[2]});
  }
  for (const int bits : {32, 64}) {
    const int last = bits - 1;
    for (const bool is_signed : {false, true}) {
      CheckInstruction(
          absl::StrCat("bfe.", is_signed ? "s" : "u", bits, " %d0, %s0, %s1, %s2;"),
          {Register(bits)}, {Register(bits), "b32", "b32"}, extract, [&](const Values& s) {
            const int position = static_cast<int>(s[1] & 255);
            const int length = static_cast<int>(s[2] & 255);
            const int end = position + length - 1;
            const uint64_t sign = is_signed && length != 0 ? Bit(s[0], end < last ? end : last) : 0;
            uint64_t result = 0;
            for (int i = 0; i <= last; ++i) {
              const bool inside = i < length && position + i <= last;
              result |= (inside ? Bit(s[0], position + i) : sign) << i;
            }
            return Values{result};
          });
      CheckInstruction(
          absl::StrCat("bfind.", is_signed ? "s" : "u", bits, " %d0, %s0; bfind.shiftamt.",
                       is_signed ? "s" : "u", bits, " %d1, %s0;"),
          {"b32", "b32"}, {Register(bits)}, IntegerRows(1, 3000), [&](const Values& s) {
            const uint64_t a = is_signed && Bit(s[0], last) != 0 ? ~s[0] & Ones(bits) : s[0];
            for (int i = last; i >= 0; --i) {
              if (Bit(a, i) != 0) {
                return Values{static_cast<uint64_t>(i), static_cast<uint64_t>(last - i)};
              }
            }
            return Values{~uint64_t{0}, ~uint64_t{0}};
          });
    }
    CheckInstruction(absl::StrCat("bfi.b", bits, " %d0, %s0, %s1, %s2, %s3;"), {Register(bits)},
                     {Register(bits), Register(bits), "b32", "b32"}, insert, [&](const Values& s) {
                       const int position = static_cast<int>(s[2] & 255);
                       const int length = static_cast<int>(s[3] & 255);
                       uint64_t result = s[1];
                       for (int i = 0; i < length && position + i <= last; ++i) {
                         result &= ~(uint64_t{1} << (position + i));
                         result |= Bit(s[0], i) << (position + i);
                       }
                       return Values{result};
                     });
    CheckInstruction(absl::StrCat("brev.b", bits, " %d0, %s0; clz.b", bits, " %d1, %s0; popc.b",
                                  bits, " %d2, %s0;"),
                     {Register(bits), "b32", "b32"}, {Register(bits)}, IntegerRows(1, 3000),
                     [&](const Values& s) {
                       Values result = {0, static_cast<uint64_t>(bits), 0};
                       for (int i = 0; i < bits; ++i) {
                         result[0] |= Bit(s[0], i) << (last - i);
                         result[2] += Bit(s[0], i);
                         if (Bit(s[0], i) != 0) result[1] = static_cast<uint64_t>(last - i);
                       }
                       return result;
                     });
  }
}

TEST(BitTest, MasksAndExtensions) {
  Rows rows;
  for (uint64_t a = 0; a < 70; ++a) {
    for (uint64_t b = 0; b < 70; ++b) {
      rows.push_back({a * 0x9e37'79b9 % (a % 7 == 0 ? 70 : ~0ULL), b});
    }
  }
  for (uint64_t a = 0; a < 40; ++a) {
    for (uint64_t b = 0; b < 40; ++b) rows.push_back({a, b});
  }
  for (const bool clamp : {false, true}) {
    const std::string mode = clamp ? "clamp" : "wrap";
    CheckInstruction(absl::StrCat("bmsk.", mode, ".b32 %d0, %s0, %s1;"), {"b32"}, {"b32", "b32"},
                     rows, [&](const Values& s) {
                       const uint64_t a = clamp ? (s[0] < 32 ? s[0] : 32) : s[0] % 32;
                       const uint64_t b = clamp ? (s[1] < 32 ? s[1] : 32) : s[1] % 32;
                       uint64_t result = 0;
                       for (uint64_t i = a; i < a + b && i < 32; ++i) result |= uint64_t{1} << i;
                       return Values{result};
                     });
    for (const bool is_signed : {false, true}) {
      CheckInstruction(absl::StrCat("szext.", mode, is_signed ? ".s32" : ".u32", " %d0, %s0, %s1;"),
                       {"b32"}, {"b32", "b32"}, rows, [&](const Values& s) {
                         const uint64_t n = clamp ? (s[1] < 32 ? s[1] : 32) : s[1] % 32;
                         const uint64_t sign =
                             is_signed && n != 0 ? Bit(s[0], static_cast<int64_t>(n) - 1) : 0;
                         uint64_t result = 0;
                         for (uint64_t i = 0; i < 32; ++i) {
                           result |= (i < n ? Bit(s[0], static_cast<int64_t>(i)) : sign) << i;
                         }
                         return Values{result};
                       });
    }
  }
}

TEST(BitTest, FindNthSet) {
  Rows rows;
  for (const uint64_t mask : {0ULL, 1ULL, 0xffff'ffffULL, 0x8000'0001ULL, 0x00f0'1234ULL}) {
    for (uint64_t base = 0; base < 32; ++base) {
      for (int64_t offset = -34; offset <= 34; ++offset) {
        rows.push_back({mask, base, static_cast<uint64_t>(offset)});
      }
      rows.push_back({mask, base, 0x8000'0000});
      rows.push_back({mask, base, 0x7fff'ffff});
    }
  }
  CheckInstruction(
      "fns.b32 %d0, %s0, %s1, %s2;", {"b32"}, {"b32", "b32", "b32"}, rows, [](const Values& s) {
        const int64_t offset = static_cast<int32_t>(static_cast<uint32_t>(s[2]));
        int64_t count = 0;
        const int64_t wanted = offset < 0 ? -offset : offset == 0 ? 1 : offset;
        for (int64_t i = static_cast<int64_t>(s[1]); i >= 0 && i < 32; i += offset < 0 ? -1 : 1) {
          if (Bit(s[0], i) != 0 && ++count == wanted) {
            return Values{static_cast<uint64_t>(i)};
          }
          if (offset == 0) break;
        }
        return Values{~uint64_t{0}};
      });
}

}  // namespace
}  // namespace hlo_indexing::ptx
