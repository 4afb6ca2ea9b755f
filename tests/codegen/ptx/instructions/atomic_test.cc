// atom and red against sequences in order of the lanes; the semantics are those of PTX ISA
// 9.7.13.13.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/instructions/one_warp.h"

namespace hlo_indexing::ptx {
namespace {

using testing::HasSubstr;

/// Runs the operation of lanes in order on one word of shared memory, then gives old values at 64
/// of each record and the last value at 72 of lane 31's.
template <typename T>
void CheckShared(const std::string& operation, T start, const std::vector<T>& operands,
                 const std::function<T(T, T)>& model) {
  const bool is_wide = sizeof(T) == 8;
  const std::string reg = is_wide ? "%rd" : "%r";
  const std::string type = is_wide ? "b64" : "b32";
  Records records;
  for (size_t lane = 0; lane < 32; ++lane) {
    records.Set<T>(lane, 0, operands[lane]);
    records.Set<T>(lane, 8, start);
  }
  const std::string text = "ld.global." + type + " " + reg + "2, [%rd1]; ld.global." + type + " " +
                           reg + "3, [%rd1+8]; st.shared." + type + " [tile+32], " + reg +
                           "3;\nbar.warp.sync -1;\natom.shared." + operation + " " + reg +
                           "4, [tile+32], " + reg + "2;\nst.global." + type + " [%rd1+64], " + reg +
                           "4;\nbar.warp.sync -1;\nld.shared." + type + " " + reg +
                           "5, [tile+32]; st.global." + type + " [%rd1+72], " + reg + "5;\n";
  const absl::Status status = RunWarp(text, records);
  ASSERT_TRUE(status.ok()) << status;
  T value = start;
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(records.Get<T>(lane, 64), value) << operation << " lane " << lane;
    value = model(value, operands[lane]);
  }
  EXPECT_EQ(records.Get<T>(31, 72), value) << operation;
}

template <typename T>
std::vector<T> Operands(uint64_t limit) {
  std::mt19937_64 random(5);
  std::vector<T> operands;
  for (int i = 0; i < 32; ++i) operands.push_back(static_cast<T>(random() % limit));
  return operands;
}

TEST(AtomTest, Integers) {
  using U = uint32_t;
  const auto words = Operands<U>(uint64_t{1} << 32);
  const auto small = Operands<U>(9);
  CheckShared<U>("add.u32", 4'000'000'000U, words, [](U a, U b) { return a + b; });
  CheckShared<U>("add.s32", 5, words, [](U a, U b) { return a + b; });
  CheckShared<U>("and.b32", ~0U, words, [](U a, U b) { return a & b; });
  CheckShared<U>("or.b32", 0, words, [](U a, U b) { return a | b; });
  CheckShared<U>("xor.b32", 1, words, [](U a, U b) { return a ^ b; });
  CheckShared<U>("exch.b32", 1, words, [](U, U b) { return b; });
  CheckShared<U>("min.u32", 0x9000'0000, words, [](U a, U b) { return std::min(a, b); });
  CheckShared<U>("max.u32", 5, words, [](U a, U b) { return std::max(a, b); });
  CheckShared<U>("min.s32", 5, words, [](U a, U b) {
    return static_cast<int32_t>(a) < static_cast<int32_t>(b) ? a : b;
  });
  CheckShared<U>("max.s32", 0x8000'0001, words, [](U a, U b) {
    return static_cast<int32_t>(a) < static_cast<int32_t>(b) ? b : a;
  });
  CheckShared<U>("inc.u32", 3, small, [](U a, U b) { return a >= b ? 0 : a + 1; });
  CheckShared<U>("dec.u32", 3, small, [](U a, U b) { return a == 0 || a > b ? b : a - 1; });
  using W = uint64_t;
  const auto wide = Operands<W>(~W{0});
  CheckShared<W>("add.u64", 5, wide, [](W a, W b) { return a + b; });
  CheckShared<W>("or.b64", 5, wide, [](W a, W b) { return a | b; });
  CheckShared<W>("exch.b64", 5, wide, [](W, W b) { return b; });
  CheckShared<W>("max.s64", 5, wide, [](W a, W b) {
    return static_cast<int64_t>(a) < static_cast<int64_t>(b) ? b : a;
  });
}

TEST(AtomTest, Floats) {
  std::vector<uint32_t> operands;
  std::vector<uint64_t> doubles;
  for (int i = 0; i < 32; ++i) {
    const float value = static_cast<float>(i) * 0.37F - 3.0F;
    operands.push_back(std::bit_cast<uint32_t>(value));
    doubles.push_back(std::bit_cast<uint64_t>(1.0 / (i + 1)));
  }
  CheckShared<uint32_t>("add.f32", 0, operands, [](uint32_t a, uint32_t b) {
    return std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
  });
  CheckShared<uint64_t>("add.f64", 0, doubles, [](uint64_t a, uint64_t b) {
    return std::bit_cast<uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
  });
  // 1.0 and -2.0 of f16x2; of bf16x2.
  const std::vector<uint32_t> halves(32, 0xc000'3c00);
  CheckShared<uint32_t>(
      "add.noftz.f16x2", 0x3c00'3c00, halves, [n = 0](uint32_t, uint32_t) mutable {
        // 1, 2, 3, ... and 1, -1, -3, ... as f16.
        const auto half = [](int value) {
          const uint32_t sign = value < 0 ? 0x8000 : 0;
          const auto magnitude = static_cast<uint32_t>(value < 0 ? -value : value);
          const int top = 31 - std::countl_zero(magnitude);
          return sign | static_cast<uint32_t>(top + 15) << 10 | ((magnitude << (10 - top)) & 0x3ff);
        };
        ++n;
        return half(1 + n) | half(1 - 2 * n) << 16;
      });
}

TEST(AtomTest, SubnormalFloatsAreFlushedInGlobalMemoryAlone) {
  Records records;
  for (size_t lane = 0; lane < 32; ++lane) {
    records.Set<uint32_t>(lane, 0, 0x8000'0005);  // A negative subnormal number.
    records.Set<uint32_t>(lane, 4, 3);
  }
  ASSERT_TRUE(RunWarp("ld.global.b32 %r2, [%rd1]; ld.global.b32 %r3, [%rd1+4];\n"
                      "atom.global.add.f32 %r4, [%rd1], %r3;\n"
                      "atom.add.f32 %r4, [%rd1+4], %r2;\n",
                      records)
                  .ok());
  EXPECT_EQ(records.Get<uint32_t>(9, 0), 0U);
  EXPECT_EQ(records.Get<uint32_t>(9, 4), 0U);
  CheckShared<uint32_t>("add.f32", 7, std::vector<uint32_t>(32, 0x8000'0001),
                        [](uint32_t a, uint32_t) {
                          return a == 0 ? 0x8000'0001 : (a & 0x8000'0000) != 0 ? a + 1 : a - 1;
                        });
}

TEST(AtomTest, CompareAndSwap) {
  Records records;
  for (size_t lane = 0; lane < 32; ++lane) {
    records.Set<uint32_t>(lane, 0, static_cast<uint32_t>(lane));
    records.Set<uint32_t>(lane, 4, static_cast<uint32_t>(lane + 1));
    records.Set<uint64_t>(lane, 16, 7);
    records.Set<uint64_t>(lane, 24, lane % 2);
    records.Set<uint16_t>(lane, 32, 0xbeef);
    records.Set<uint16_t>(lane, 34, 0x1234);
  }
  // A chain: each lane finds what the one before it wrote.
  const absl::Status status = RunWarp(
      "ld.global.b32 %r2, [%rd1]; ld.global.b32 %r3, [%rd1+4];\n"
      "st.shared.b32 [tile], 0; bar.warp.sync -1;\n"
      "atom.shared.cas.b32 %r4, [tile], %r2, %r3; st.global.b32 [%rd1+64], %r4;\n"
      "ld.global.b16 %h1, [%rd1+32];\n"
      "atom.global.cas.b16 %h2, [%rd1+32], %h1, 0x55; st.global.b16 [%rd1+68], %h2;\n"
      "atom.global.cas.b64 %rd5, [%rd1+16], 7, 9;\n"
      "st.global.b64 [%rd1+72], %rd5;\n",
      records);
  ASSERT_TRUE(status.ok()) << status;
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(records.Get<uint32_t>(lane, 64), lane);
    EXPECT_EQ(records.Get<uint16_t>(lane, 68), 0xbeef);
    EXPECT_EQ(records.Get<uint16_t>(lane, 32), 0x55);
    EXPECT_EQ(records.Get<uint16_t>(lane, 34), 0x1234);
    EXPECT_EQ(records.Get<uint64_t>(lane, 72), 7U);
    EXPECT_EQ(records.Get<uint64_t>(lane, 16), 9U);
  }
}

TEST(AtomTest, VectorsAndRed) {
  Records records;
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t i = 0; i < 4; ++i) {
      records.Set<float>(lane, 16 + 4 * i, static_cast<float>(i));
      records.Set<float>(lane, 32 + 4 * i, 0.5F);
    }
  }
  // The results take the places of the operands, in another order.
  const absl::Status status = RunWarp(
      "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+32];\n"
      "atom.global.add.v4.f32 {%r4, %r3, %r2, %r1}, [%rd1+16], {%r1, %r2, %r3, %r4};\n"
      "st.global.v4.b32 [%rd1+64], {%r4, %r3, %r2, %r1};\n"
      "red.relaxed.gpu.global.add.u32 [%rd1+80], 3;\n"
      "red.global.max.noftz.v2.f16x2 [%rd1+88], {%r2, %r3};\n",
      records);
  ASSERT_TRUE(status.ok()) << status;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(records.Get<float>(3, 16 + 4 * i), static_cast<float>(i) + 0.5F);
    EXPECT_EQ(records.Get<float>(3, 64 + 4 * i), static_cast<float>(i));
  }
  EXPECT_EQ(records.Get<uint32_t>(3, 80), 3U);
}

TEST(AtomTest, WhatIsNotThere) {
  const auto refuse = [](const std::string& text) {
    Records records;
    return std::string(RunWarp(text, records).message());
  };
  EXPECT_THAT(refuse("atom.global.add.s64 %rd2, [%rd1], %rd3;"), HasSubstr("s64"));
  EXPECT_THAT(refuse("atom.global.add.f16 %h2, [%rd1], %h3;"), HasSubstr(".noftz"));
  EXPECT_THAT(refuse("atom.local.add.u32 %r2, [%rd1], %r3;"), HasSubstr("local"));
  EXPECT_THAT(refuse("red.global.exch.b32 [%rd1], %r3;"), HasSubstr("no .cas and no .exch"));
  EXPECT_THAT(refuse("atom.global.max.f32 %r2, [%rd1], %r3;"), HasSubstr("f32"));
  EXPECT_THAT(refuse("atom.sc.global.add.u32 %r2, [%rd1], %r3;"), HasSubstr("sc"));
}

}  // namespace
}  // namespace hlo_indexing::ptx
