// shfl, vote, match, activemask, elect and redux against loops over lanes, written from the text of
// PTX ISA 9.7.9.6 and 9.7.13.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/instructions/one_warp.h"

namespace hlo_indexing::ptx {
namespace {

using testing::HasSubstr;

/// Each lane: a at 0, b at 4, c at 8, mask at 12; results at 64 and 68.
constexpr const char* kLoad =
    "ld.global.b32 %r1, [%rd1]; ld.global.b32 %r2, [%rd1+4]; ld.global.b32 %r3, [%rd1+8];\n"
    "ld.global.b32 %r4, [%rd1+12];\n";

/// Stores %r0 and, as a lane mask, %p0.
constexpr const char* kStore =
    "st.global.b32 [%rd1+64], %r0;\n"
    "vote.sync.ballot.b32 %r9, %p0, -1;\n"
    "st.global.b32 [%rd1+68], %r9;\n";

Records Exchange(const std::string& instruction, Records records,
                 std::vector<std::string>* findings = nullptr) {
  const absl::Status status = RunWarp(kLoad + instruction + kStore, records, findings);
  EXPECT_TRUE(status.ok()) << status;
  return records;
}

TEST(ShflTest, AllOffsetsAndSegments) {
  const std::array<std::string, 4> modes = {"up", "down", "bfly", "idx"};
  std::mt19937 random(1);
  for (size_t mode = 0; mode < modes.size(); ++mode) {
    for (const uint32_t segment : {0U, 16U, 24U, 28U, 30U, 31U, 5U}) {
      for (uint32_t clamp = 0; clamp < 32; ++clamp) {
        Records records;
        for (size_t lane = 0; lane < 32; ++lane) {
          records.Set<uint32_t>(lane, 0, static_cast<uint32_t>(1000 + 7 * lane));
          records.Set<uint32_t>(lane, 4, static_cast<uint32_t>(random()));
          // Bits beside those that count are noise.
          records.Set<uint32_t>(
              lane, 8, clamp | segment << 8 | (static_cast<uint32_t>(random()) & 0xffff'e0e0));
          records.Set<uint32_t>(lane, 12, ~0U);
        }
        const Records after =
            Exchange("shfl.sync." + modes[mode] + ".b32 %r0|%p0, %r1, %r2, %r3, %r4;\n", records);
        uint32_t expected_p = 0;
        for (int lane = 0; lane < 32; ++lane) {
          const int b = static_cast<int>(records.Get<uint32_t>(static_cast<size_t>(lane), 4) & 31);
          const int seg = static_cast<int>(segment);
          const int max_lane = (lane & seg) | (static_cast<int>(clamp) & ~seg);
          const int min_lane = lane & seg;
          int j = 0;
          bool p = false;
          switch (mode) {
            case 0:
              j = lane - b;
              p = j >= max_lane;
              break;
            case 1:
              j = lane + b;
              p = j <= max_lane;
              break;
            case 2:
              j = lane ^ b;
              p = j <= max_lane;
              break;
            default:
              j = min_lane | (b & ~seg);
              p = j <= max_lane;
          }
          if (!p) j = lane;
          if (p) expected_p |= 1U << lane;
          ASSERT_EQ(after.Get<uint32_t>(static_cast<size_t>(lane), 64),
                    static_cast<uint32_t>(1000 + 7 * j))
              << modes[mode] << " lane " << lane << " clamp " << clamp << " segment " << segment;
        }
        ASSERT_EQ(after.Get<uint32_t>(0, 68), expected_p) << modes[mode] << " " << clamp;
      }
    }
  }
}

TEST(ShflTest, FindsSourcesThatDoNotTakePart) {
  Records records;
  std::vector<std::string> findings;
  LaunchOptions options;
  options.block = {16, 1, 1};
  EXPECT_TRUE(RunWarp("shfl.sync.down.b32 %r0, %r1, 8, 31, -1;", records, &findings, options).ok());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0], HasSubstr("does not take part"));
  findings.clear();
  EXPECT_TRUE(RunWarp("shfl.sync.bfly.b32 %r0, %r1, 8, 31, -1;", records, &findings, options).ok());
  EXPECT_TRUE(findings.empty());
  EXPECT_TRUE(RunWarp("shfl.sync.bfly.b32 %r0, %r1, 1, 31, 0xff;", records, &findings).ok());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0], HasSubstr("its member mask does not name"));
  EXPECT_THAT(std::string(RunWarp("shfl.bfly.b32 %r0, %r1, 1, 31;", records).message()),
              HasSubstr("without .sync"));
  EXPECT_TRUE(RunWarp("shfl.bfly.b32 %r0, %r1, 1, 31;", records, nullptr, {}, "sm_60").ok());
}

/// Member masks that differ: the lanes of each set are for themselves.
uint32_t SetOf(size_t lane) { return lane < 5 ? 0x1fU : lane < 20 ? 0x000f'ffe0U : 0xfff0'0000U; }

TEST(VoteTest, AllModesOfSets) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    const uint32_t bits = round == 0   ? 0
                          : round == 1 ? ~0U
                          : round == 2 ? 0x1fU
                                       : static_cast<uint32_t>(random());
    Records records;
    for (size_t lane = 0; lane < 32; ++lane) {
      records.Set<uint32_t>(lane, 12, SetOf(lane));
    }
    // The predicates are made by a shuffle: lane 31 is in range where the clamp is 31.
    const std::string make = "shfl.sync.idx.b32 %r20|%p1, %r1, %r2, %r3, -1;\n";
    for (size_t lane = 0; lane < 32; ++lane) {
      records.Set<uint32_t>(lane, 4, 31);
      records.Set<uint32_t>(lane, 8, (bits >> lane & 1) != 0 ? 31U : 0U);
    }
    const auto run = [&](const std::string& text) {
      std::vector<std::string> findings;
      return Exchange(make + text, records, &findings);
    };
    for (const bool negate : {false, true}) {
      const std::string p = negate ? "!%p1" : "%p1";
      const uint32_t votes = negate ? ~bits : bits;
      const Records ballot = run("vote.ballot.sync.b32 %r0, " + p + ", %r4;\n");
      const Records all = run("vote.sync.all.pred %p0, " + p + ", %r4;\n");
      const Records any = run("vote.any.sync.pred %p0, " + p + ", %r4;\n");
      const Records uni = run("vote.sync.uni.pred %p0, " + p + ", %r4;\n");
      for (size_t lane = 0; lane < 32; ++lane) {
        const uint32_t members = SetOf(lane);
        EXPECT_EQ(ballot.Get<uint32_t>(lane, 64), votes & members);
        EXPECT_EQ(all.Get<uint32_t>(0, 68) >> lane & 1, (votes & members) == members ? 1U : 0U);
        EXPECT_EQ(any.Get<uint32_t>(0, 68) >> lane & 1, (votes & members) != 0 ? 1U : 0U);
        const bool is_uniform = (votes & members) == members || (votes & members) == 0;
        EXPECT_EQ(uni.Get<uint32_t>(0, 68) >> lane & 1, is_uniform ? 1U : 0U);
      }
    }
  }
}

TEST(MatchTest, AnyAndAllOfSets) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    Records records;
    std::array<uint32_t, 32> keys;
    for (size_t lane = 0; lane < 32; ++lane) {
      keys[lane] =
          static_cast<uint32_t>(round % 2 == 0 ? random() % 3 : (lane < 20 ? 4 : random() % 2));
      records.Set<uint32_t>(lane, 0, keys[lane]);
      records.Set<uint32_t>(lane, 12, SetOf(lane));
    }
    const Records any = Exchange("match.any.sync.b32 %r0, %r1, %r4;\n", records);
    const Records all = Exchange("match.all.sync.b32 %r0|%p0, %r1, %r4;\n", records);
    for (size_t lane = 0; lane < 32; ++lane) {
      uint32_t peers = 0;
      for (size_t other = 0; other < 32; ++other) {
        if ((SetOf(lane) >> other & 1) != 0 && keys[other] == keys[lane]) peers |= 1U << other;
      }
      EXPECT_EQ(any.Get<uint32_t>(lane, 64), peers);
      const bool is_all = peers == SetOf(lane);
      EXPECT_EQ(all.Get<uint32_t>(lane, 64), is_all ? peers : 0);
      EXPECT_EQ(all.Get<uint32_t>(0, 68) >> lane & 1, is_all ? 1U : 0U);
    }
  }
}

TEST(MatchTest, WideKeysDifferInTheUpperHalf) {
  Records records;
  for (size_t lane = 0; lane < 32; ++lane) {
    records.Set<uint64_t>(lane, 16, uint64_t{lane % 4} << 32 | 5);
  }
  const Records after =
      Exchange("ld.global.b64 %rd2, [%rd1+16]; match.any.sync.b64 %r0, %rd2, -1;\n", records);
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(after.Get<uint32_t>(lane, 64), 0x1111'1111U << lane % 4);
  }
}

TEST(ElectTest, TheFirstOfEachSet) {
  Records records;
  for (size_t lane = 0; lane < 32; ++lane) records.Set<uint32_t>(lane, 12, SetOf(lane));
  const Records after = Exchange("elect.sync %r0|%p0, %r4;\n", records);
  EXPECT_EQ(after.Get<uint32_t>(0, 68), 1U | 1U << 5 | 1U << 20);
  EXPECT_EQ(after.Get<uint32_t>(7, 64), 5U);
}

TEST(ActiveMaskTest, LanesThatExecute) {
  Records records;
  LaunchOptions options;
  options.block = {7, 1, 1};
  ASSERT_TRUE(
      RunWarp("activemask.b32 %r0; st.global.b32 [%rd1+64], %r0;", records, nullptr, options).ok());
  EXPECT_EQ(records.Get<uint32_t>(3, 64), 0x7fU);
}

TEST(ReduxTest, IntegersOfSets) {
  std::mt19937 random(4);
  Records records;
  for (size_t lane = 0; lane < 32; ++lane) {
    records.Set<uint32_t>(lane, 0, static_cast<uint32_t>(random()));
    records.Set<uint32_t>(lane, 12, SetOf(lane));
  }
  const std::vector<std::string> names = {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                          "max.s32", "and.b32", "or.b32",  "xor.b32"};
  for (size_t n = 0; n < names.size(); ++n) {
    const Records after = Exchange("redux.sync." + names[n] + " %r0, %r1, %r4;\n", records);
    for (size_t lane = 0; lane < 32; ++lane) {
      uint64_t sum = 0;
      int64_t least = std::numeric_limits<int64_t>::max();
      int64_t greatest = std::numeric_limits<int64_t>::min();
      uint32_t conjunction = ~0U;
      uint32_t disjunction = 0;
      uint32_t difference = 0;
      for (size_t other = 0; other < 32; ++other) {
        if ((SetOf(lane) >> other & 1) == 0) continue;
        const auto bits = records.Get<uint32_t>(other, 0);
        const bool is_signed = names[n].ends_with("s32");
        const int64_t value = is_signed ? int64_t{static_cast<int32_t>(bits)} : int64_t{bits};
        sum += bits;
        least = std::min(least, value);
        greatest = std::max(greatest, value);
        conjunction &= bits;
        disjunction |= bits;
        difference ^= bits;
      }
      const std::array<uint32_t, 9> expected = {static_cast<uint32_t>(sum),
                                                static_cast<uint32_t>(sum),
                                                static_cast<uint32_t>(least),
                                                static_cast<uint32_t>(least),
                                                static_cast<uint32_t>(greatest),
                                                static_cast<uint32_t>(greatest),
                                                conjunction,
                                                disjunction,
                                                difference};
      EXPECT_EQ(after.Get<uint32_t>(lane, 64), expected[n]) << names[n];
    }
  }
}

TEST(ReduxTest, Floats) {
  const auto run = [](const std::string& name, std::vector<float> values) {
    Records records;
    for (size_t lane = 0; lane < 32; ++lane) {
      records.Set<float>(lane, 0, values[lane % values.size()]);
    }
    return Exchange("redux.sync." + name + ".f32 %r0, %r1, -1;\n", records).Get<uint32_t>(0, 64);
  };
  const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  const float nan = std::nanf("");
  EXPECT_EQ(run("min", {1, -3, 2}), bits(-3));
  EXPECT_EQ(run("max", {1, -3, 2}), bits(2));
  EXPECT_EQ(run("max.abs", {1, -3, 2}), bits(3));
  EXPECT_EQ(run("max", {-0.0F, 0.0F}), bits(0.0F));
  EXPECT_EQ(run("min", {0.0F, -0.0F}), bits(-0.0F));
  EXPECT_EQ(run("min", {nan, 4}), bits(4));
  EXPECT_EQ(run("min.NaN", {nan, 4}), 0x7fff'ffffU);
  EXPECT_EQ(run("min.abs.NaN", {4, -5}), bits(4));
  EXPECT_EQ(run("max", {nan}), 0x7fff'ffffU);
}

}  // namespace
}  // namespace hlo_indexing::ptx
