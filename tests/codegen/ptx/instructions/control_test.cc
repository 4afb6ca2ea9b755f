// Memory of the stack (alloca), and instructions that end a program or mean nothing to one kernel.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/instructions/one_warp.h"

namespace hlo_indexing::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Lane i asks for i + 1 words, writes i, i + 1, ... to them, and sums them up.
constexpr char kFill[] = R"(
  mov.u32 %r1, %laneid;
  add.u32 %r2, %r1, 1;
  mul.wide.u32 %rd2, %r2, 4;
  alloca.u64 %rd3, %rd2, 32;
  mov.u32 %r3, 0;
fill:
  mad.wide.u32 %rd4, %r3, 4, %rd3;
  add.u32 %r4, %r1, %r3;
  st.local.u32 [%rd4], %r4;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, %r2;
  @%p1 bra fill;
)";
constexpr char kSum[] = R"(
  mov.u32 %r3, 0;
  mov.u32 %r5, 0;
sum:
  mad.wide.u32 %rd4, %r3, 4, %rd3;
  ld.local.u32 %r4, [%rd4];
  add.u32 %r5, %r5, %r4;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, %r2;
  @%p1 bra sum;
  st.global.u32 [%rd1], %r5;
  st.global.u64 [%rd1+8], %rd3;
)";

LaunchOptions WithInitcheck() {
  LaunchOptions options;
  options.checks.initcheck = true;
  return options;
}

TEST(ControlTest, EachLaneHasTheRoomThatItAsksFor) {
  Records records;
  ASSERT_TRUE(RunWarp(std::string(kFill) + kSum, records, nullptr, WithInitcheck()).ok());
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t words = lane + 1;
    EXPECT_EQ(records.Get<uint32_t>(lane, 0), words * lane + words * (words - 1) / 2) << lane;
    EXPECT_EQ(records.Get<uint64_t>(lane, 8) % 32, 0U);
  }
}

TEST(ControlTest, RoomOfTheStackIsApartFromWhatWasThereBefore) {
  // A second room, of the odd lanes only, that is filled with other numbers.
  Records records;
  const std::string second = R"(
    and.b32 %r6, %r1, 1;
    setp.eq.u32 %p2, %r6, 0;
    @%p2 bra even;
    alloca.u64 %rd5, 64;
    st.local.u64 [%rd5], -1;
    st.local.u64 [%rd5+56], -1;
  even:
)";
  ASSERT_TRUE(RunWarp(kFill + second + kSum, records, nullptr, WithInitcheck()).ok());
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t words = lane + 1;
    EXPECT_EQ(records.Get<uint32_t>(lane, 0), words * lane + words * (words - 1) / 2) << lane;
  }
}

TEST(ControlTest, RestoredRoomIsUsedAgainAndNotWritten) {
  Records records;
  std::vector<std::string> findings;
  ASSERT_TRUE(RunWarp(R"(
    stacksave.u64 %rd2;
    alloca.u64 %rd3, 64;
    st.local.u32 [%rd3], 7;
    stackrestore.u64 %rd2;
    alloca.u64 %rd4, 64;
    ld.local.u32 %r1, [%rd4];
    sub.u64 %rd5, %rd4, %rd3;
    st.global.u64 [%rd1], %rd5;)",
                      records, &findings, WithInitcheck())
                  .ok());
  EXPECT_EQ(records.Get<uint64_t>(5, 0), 0U);
  EXPECT_THAT(findings, ElementsAre(HasSubstr("never written")));
}

TEST(ControlTest, BeyondTheRoomIsAnError) {
  Records records;
  std::vector<std::string> findings;
  ASSERT_TRUE(RunWarp(R"(
    alloca.u64 %rd3, 48;
    st.local.u32 [%rd3+48], 7;)",
                      records, &findings)
                  .ok());
  EXPECT_THAT(findings, ElementsAre(HasSubstr("local")));
}

TEST(ControlTest, HugeRoomIsAStackOverflow) {
  for (const char* size : {"1048576", "-16"}) {
    Records records;
    const absl::Status status =
        RunWarp(absl::StrCat("mov.u64 %rd2, ", size, ";\nalloca.u64 %rd3, %rd2;"), records);
    EXPECT_THAT(std::string(status.message()), HasSubstr("stack overflow")) << size;
  }
  Records records;
  EXPECT_THAT(std::string(RunWarp("alloca.u64 %rd3, 16, 24;", records).message()),
              HasSubstr("a power of two"));
}

TEST(ControlTest, TrapsEndTheLaunch) {
  for (const char* opcode : {"trap", "brkpt"}) {
    Records records;
    const absl::Status status = RunWarp(absl::StrCat(opcode, ";"), records);
    EXPECT_THAT(std::string(status.message()), HasSubstr("trap")) << opcode;
  }
}

TEST(ControlTest, WhatMeansNothingToOneKernelChangesNothing) {
  Records records;
  ASSERT_TRUE(RunWarp(R"(
    mov.u32 %r1, 5;
    nanosleep.u32 %r1;
    pmevent 3;
    pmevent.mask 0x81;
    griddepcontrol.launch_dependents;
    griddepcontrol.wait;
    setmaxnreg.inc.sync.aligned.u32 240;
    setmaxnreg.dec.sync.aligned.u32 40;
    membar.cta; membar.gl; membar.sys;
    fence.sc.gpu; fence.acq_rel.cta; fence.proxy.async;
    st.global.u32 [%rd1], %r1;)",
                      records)
                  .ok());
  EXPECT_EQ(records.Get<uint32_t>(31, 0), 5U);
}

}  // namespace
}  // namespace hlo_indexing::ptx
