// ldmatrix, stmatrix, movmatrix and wmma. Where elements go is written down from the figures of PTX
// ISA 9.7.14.5.15 to .17; those of 8-bit elements from the layouts of CuTe's copy atoms.
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/instructions/one_warp.h"

namespace hlo_indexing::ptx {
namespace {

using testing::HasSubstr;

/// %r1: address of the 16 bytes in shared memory that came from the start of the lane's record.
constexpr const char* kRows =
    "st.shared.b32 [tile+4000], 0; bar.warp.sync -1;\n"
    "atom.shared.add.u32 %r1, [tile+4000], 16;\n"
    "ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd1];\n"
    "st.shared.v4.b32 [%r1], {%r2, %r3, %r4, %r5}; bar.warp.sync -1;\n";

Records Random() {
  std::mt19937 random(3);
  Records records;
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t i = 0; i < 48; ++i) {
      records.Set<uint8_t>(lane, i, static_cast<uint8_t>(random()));
    }
  }
  return records;
}

Records After(const std::string& text, Records records) {
  const absl::Status status = RunWarp(kRows + text, records);
  EXPECT_TRUE(status.ok()) << status;
  return records;
}

std::string Registers(size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "%r" : ", %r") + std::to_string(10 + i);
  return text + "}";
}

std::string StoreResults(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += "st.global.b32 [%rd1+" + std::to_string(64 + 4 * i) + "], %r" + std::to_string(10 + i) +
            ";\n";
  }
  return text;
}

TEST(LdmatrixTest, EightRowsOfHalves) {
  const Records records = Random();
  for (const size_t count : {1, 2, 4}) {
    const std::string x = ".x" + std::to_string(count);
    // The modifiers stand in either order.
    const Records plain = After("ldmatrix.sync.aligned.m8n8" + x + ".shared.b16 " +
                                    Registers(count) + ", [%r1];\n" + StoreResults(count),
                                records);
    const Records transposed = After("ldmatrix.sync.aligned" + x + ".trans.m8n8.shared.b16 " +
                                         Registers(count) + ", [%r1];\n" + StoreResults(count),
                                     records);
    for (size_t lane = 0; lane < 32; ++lane) {
      for (size_t m = 0; m < count; ++m) {
        for (size_t i = 0; i < 2; ++i) {
          EXPECT_EQ(plain.Get<uint16_t>(lane, 64 + 4 * m + 2 * i),
                    records.Get<uint16_t>(8 * m + lane / 4, 2 * (lane % 4 * 2 + i)));
          EXPECT_EQ(transposed.Get<uint16_t>(lane, 64 + 4 * m + 2 * i),
                    records.Get<uint16_t>(8 * m + lane % 4 * 2 + i, 2 * (lane / 4)));
        }
      }
    }
  }
}

TEST(LdmatrixTest, Bytes) {
  const Records records = Random();
  const Records after = After("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 " + Registers(4) +
                                  ", [%r1];\n" + StoreResults(4),
                              records);
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t matrix = 0; matrix < 2; ++matrix) {
      for (size_t v = 0; v < 8; ++v) {
        // Thread (4,8):(256,8) and value (2,2,2):(128,64,1024) bits of the copy atom, whose source
        // rows are at bits (2,2,4):(128,1024,256).
        const size_t bit =
            lane % 4 * 256 + lane / 4 * 8 + (v & 1) * 128 + (v >> 1 & 1) * 64 + (v >> 2) * 1024;
        const size_t line = bit / 128;
        const size_t row = (line & 1) + (line >> 3 & 1) * 2 + (line >> 1 & 3) * 4;
        EXPECT_EQ(after.Get<uint8_t>(lane, 64 + 8 * matrix + v),
                  records.Get<uint8_t>(16 * matrix + row, bit % 128 / 8));
      }
    }
  }
}

TEST(LdmatrixTest, PackedElements) {
  const Records records = Random();
  for (const int bits : {4, 6}) {
    const Records after = After("ldmatrix.sync.aligned.m8n16.x1.shared.b8x16." +
                                    std::string(bits == 4 ? "b4x16_p64" : "b6x16_p32") +
                                    " {%r10}, [%r1];\n" + StoreResults(1),
                                records);
    for (size_t lane = 0; lane < 32; ++lane) {
      for (size_t i = 0; i < 4; ++i) {
        const size_t first = (lane % 4 * 4 + i) * static_cast<size_t>(bits);
        const uint32_t two = records.Get<uint16_t>(lane / 4, first / 8);
        EXPECT_EQ(after.Get<uint8_t>(lane, 64 + i), two >> first % 8 & ((1U << bits) - 1));
      }
    }
  }
}

TEST(StmatrixTest, UndoesLdmatrix) {
  const Records records = Random();
  for (const std::string trans : {"", ".trans"}) {
    const Records after = After("ldmatrix.sync.aligned.m8n8.x4" + trans + ".shared.b16 " +
                                    Registers(4) + ", [%r1];\n" + "stmatrix.sync.aligned.m8n8.x4" +
                                    trans + ".shared.b16 [%r1+1024], " + Registers(4) +
                                    ";\nbar.warp.sync -1;\nld.shared.v4.b32 " + Registers(4) +
                                    ", [%r1+1024];\n" + StoreResults(4),
                                records);
    for (size_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(after.Get<uint64_t>(lane, 64), records.Get<uint64_t>(lane, 0));
      EXPECT_EQ(after.Get<uint64_t>(lane, 72), records.Get<uint64_t>(lane, 8));
    }
  }
}

TEST(StmatrixTest, Bytes) {
  const Records records = Random();
  const Records after = After(
      "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%r1+1024], {%r2, "
      "%r3};\nbar.warp.sync -1;\nld.shared.v4.b32 " +
          Registers(4) + ", [%r1+1024];\n" + StoreResults(4),
      records);
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t matrix = 0; matrix < 2; ++matrix) {
      for (size_t v = 0; v < 4; ++v) {
        const size_t bit = lane % 4 * 256 + lane / 4 * 8 + (v & 1) * 128 + (v >> 1) * 64;
        EXPECT_EQ(after.Get<uint8_t>(8 * matrix + bit / 128, 64 + bit % 128 / 8),
                  records.Get<uint8_t>(lane, 4 * matrix + v));
      }
    }
  }
}

TEST(MovmatrixTest, Transposes) {
  const Records records = Random();
  const Records after =
      After("movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r2;\n" + StoreResults(1), records);
  const auto element = [](const Records& r, size_t offset, size_t row, size_t column) {
    return r.Get<uint16_t>(4 * row + column / 2, offset + 2 * (column % 2));
  };
  for (size_t row = 0; row < 8; ++row) {
    for (size_t column = 0; column < 8; ++column) {
      EXPECT_EQ(element(after, 64, row, column), element(records, 0, column, row));
    }
  }
}

/// 16x16x16 on bytes, with every layout, against the product of the matrices in memory.
TEST(WmmaTest, ProductOfMatricesInSharedMemory) {
  Records records = Random();
  for (const bool a_by_rows : {true, false}) {
    for (const bool b_by_rows : {true, false}) {
      for (const bool d_by_rows : {true, false}) {
        const auto order = [](bool by_rows) { return std::string(by_rows ? "row" : "col"); };
        // A is the rows of lanes 0 to 15, B those of lanes 16 to 31, the stride 16.
        const std::string text =
            "wmma.load.a.sync.aligned." + order(a_by_rows) +
            ".m16n16k16.shared.s8 {%r20, %r21}, [tile], 16;\n"
            "wmma.load.b.sync.aligned." +
            order(b_by_rows) +
            ".m16n16k16.shared.s8 {%r22, %r23}, [tile+256];\n"
            "wmma.mma.sync.aligned." +
            order(a_by_rows) + "." + order(b_by_rows) +
            ".m16n16k16.s32.s8.s8.s32 {%r30,%r31,%r32,%r33,%r34,%r35,%r36,%r37}, {%r20, %r21}, "
            "{%r22, %r23}, {%r40,%r41,%r42,%r43,%r44,%r45,%r46,%r47};\n"
            "wmma.store.d.sync.aligned." +
            order(d_by_rows) +
            ".m16n16k16.shared.s32 [tile+1024], {%r30,%r31,%r32,%r33,%r34,%r35,%r36,%r37}, 20;\n"
            "bar.warp.sync -1;\n"
            "st.shared.b32 [tile+4004], 1024; bar.warp.sync -1;\n"
            "atom.shared.add.u32 %r9, [tile+4004], 40; bar.warp.sync -1;\n";
        std::string read;
        for (size_t i = 0; i < 10; ++i) {
          read += "ld.shared.b32 %r10, [%r9+" + std::to_string(4 * i) + "]; st.global.b32 [%rd1+" +
                  std::to_string(64 + 4 * i) + "], %r10;\n";
        }
        const Records after = After(text + read, records);
        const auto a = [&](size_t i, size_t k) {
          return int{a_by_rows ? records.Get<int8_t>(i, k) : records.Get<int8_t>(k, i)};
        };
        const auto b = [&](size_t k, size_t j) {
          return int{b_by_rows ? records.Get<int8_t>(16 + k, j) : records.Get<int8_t>(16 + j, k)};
        };
        for (size_t i = 0; i < 16; ++i) {
          for (size_t j = 0; j < 16; ++j) {
            int sum = 0;
            for (size_t k = 0; k < 16; ++k) sum += a(i, k) * b(k, j);
            const size_t word = d_by_rows ? 20 * i + j : 20 * j + i;
            EXPECT_EQ(after.Get<int32_t>(word / 10, 64 + 4 * (word % 10)), sum)
                << i << " " << j << order(a_by_rows) << order(b_by_rows) << order(d_by_rows);
          }
        }
      }
    }
  }
}

/// f16 of all three shapes: A of ones times B of numbers.
TEST(WmmaTest, HalvesOfAllShapes) {
  struct Shape {
    std::string name;
    size_t m;
    size_t n;
  };
  for (const Shape& shape :
       {Shape{"m16n16k16", 16, 16}, {"m32n8k16", 32, 8}, {"m8n32k16", 8, 32}}) {
    Records records;
    // 512 bytes of f16: 1.0 and 2.0 in turns of rows of 16.
    for (size_t lane = 0; lane < 32; ++lane) {
      for (size_t i = 0; i < 8; ++i) {
        records.Set<uint16_t>(lane, 2 * i, lane % 4 < 2 ? 0x3c00 : 0x4000);
      }
    }
    const std::string eight = "{%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}";
    const std::string b = "{%r30,%r31,%r32,%r33,%r34,%r35,%r36,%r37}";
    const std::string d = "{%r40,%r41,%r42,%r43,%r44,%r45,%r46,%r47}";
    const std::string zeros = "{%r50,%r51,%r52,%r53,%r54,%r55,%r56,%r57}";
    const Records after =
        After("wmma.load.a.sync.aligned.row." + shape.name + ".shared.f16 " + eight +
                  ", [tile], 0;\n"
                  "wmma.load.b.sync.aligned.col." +
                  shape.name + ".shared.f16 " + b + ", [tile], " + (shape.n == 32 ? "0" : "16") +
                  ";\n" + "wmma.mma.sync.aligned.row.col." + shape.name + ".f32.f32 " + d + ", " +
                  eight + ", " + b + ", " + zeros + ";\n" + "wmma.store.d.sync.aligned.row." +
                  shape.name + ".shared.f32 [tile+1024], " + d + ", " + std::to_string(shape.n) +
                  ";\n" + "bar.warp.sync -1;\n" +
                  "ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r1+1024];\n" + StoreResults(4),
              records);
    // Column j of B has sixteen times what row j of 16 numbers has.
    for (size_t lane = 0; lane < 32; ++lane) {
      for (size_t i = 0; i < 4; ++i) {
        const size_t column = (4 * lane + i) % shape.n;
        const bool is_two = shape.n != 32 && column % 2 == 1;
        EXPECT_EQ(after.Get<float>(lane, 64 + 4 * i), is_two ? 32.0F : 16.0F)
            << shape.name << " " << lane << " " << i;
      }
    }
  }
}

TEST(MatrixMoveTest, WhatIsNotThere) {
  Records records;
  const auto refuse = [&](const std::string& text) {
    return std::string(RunWarp(text, records).message());
  };
  EXPECT_THAT(refuse("ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%r0, %r1}, [%r9];"),
              HasSubstr(".trans"));
  EXPECT_THAT(refuse("ldmatrix.sync.m8n8.x1.shared.b16 {%r0}, [%r9];"), HasSubstr("aligned"));
  const auto refuse_of = [&](std::string_view target, const std::string& text) {
    return std::string(RunWarp(text, records, nullptr, {}, target).message());
  };
  EXPECT_THAT(refuse_of("sm_70", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r9];"),
              HasSubstr("'ldmatrix' needs .target sm_75 or higher, this is sm_70"));
  EXPECT_THAT(refuse_of("sm_120", "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r9], {%r0};"),
              HasSubstr("'stmatrix.m16n8' needs a target with the features of its architecture"));
  EXPECT_THAT(refuse("movmatrix.sync.aligned.m8n8.trans.b16 _, %r1;"),
              HasSubstr("cannot be left away"));
  EXPECT_THAT(refuse(".reg .f32 %f<2>;\nwmma.load.a.sync.aligned.row.m16n16k16.global.s8 {%f0, "
                     "%f1}, [%rd1], 16;"),
              HasSubstr("a register of type .f32 holds no value of type .u32"));
  EXPECT_THAT(refuse("wmma.load.a.sync.aligned.col.m8n8k32.global.u4 {%r0}, [%rd1], %r3;"),
              HasSubstr("by rows"));
}

std::vector<std::string> FindingsOf(const std::string& text) {
  Records records;
  std::vector<std::string> findings;
  const absl::Status status = RunWarp(kRows + text, records, &findings);
  EXPECT_TRUE(status.ok()) << status;
  return findings;
}

TEST(MatrixMoveTest, MatricesThatAreNotWhereTheyMayBe) {
  const std::string fifth = "setp.eq.u32 %p1, %r1, 80;\n";  // of lane 5
  const std::string in_lane_5 = "lane 5, thread (5,0,0)";
  EXPECT_THAT(FindingsOf(fifth + "@%p1 add.u32 %r1, %r1, 8;\n"
                                 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r1];"),
              testing::ElementsAre(testing::AllOf(HasSubstr("not a multiple of 16"),
                                                  HasSubstr("0x58"), HasSubstr(in_lane_5))));
  // Rows of the lanes that give none do not matter.
  EXPECT_THAT(FindingsOf("setp.eq.u32 %p1, %r1, 128; @%p1 add.u32 %r1, %r1, 8;\n"
                         "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r1];"),
              testing::IsEmpty());
  EXPECT_THAT(FindingsOf("cvt.u64.u32 %rd2, %r1; cvta.shared.u64 %rd2, %rd2;\n" + fifth +
                         "@%p1 mov.u64 %rd2, %rd1;\n"
                         "stmatrix.sync.aligned.m8n8.x1.b16 [%rd2], {%r2};"),
              testing::ElementsAre(
                  testing::AllOf(HasSubstr("not of shared memory"), HasSubstr(in_lane_5))));
  const std::string load =
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
      "{%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, ";
  EXPECT_THAT(FindingsOf(load + "[tile], 16;"), testing::IsEmpty());
  // A stride of 48 bytes is right in CUDA C++.
  EXPECT_THAT(FindingsOf(load + "[tile], 24;"), testing::IsEmpty());
  EXPECT_THAT(FindingsOf(load + "[tile], 20;"),
              testing::ElementsAre(HasSubstr("the stride of 40 bytes is not a multiple of 16")));
  EXPECT_THAT(FindingsOf(load + "[tile+16], 16;"),
              testing::ElementsAre(HasSubstr("address 0x10, which is not a multiple of the 32")));
  EXPECT_THAT(FindingsOf(fifth + "mov.u32 %r3, 0; @%p1 mov.u32 %r3, 32;\n" + load + "[%r3], 16;"),
              testing::ElementsAre(testing::AllOf(HasSubstr("different addresses or strides"),
                                                  HasSubstr(in_lane_5))));
}

TEST(MatrixMoveTest, PartOfAWarpIsFound) {
  Records records;
  std::vector<std::string> findings;
  LaunchOptions options;
  options.block = {16, 1, 1};
  EXPECT_TRUE(
      RunWarp("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;", records, &findings, options).ok());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0], HasSubstr("not all lanes"));
}

}  // namespace
}  // namespace hlo_indexing::ptx
