// Instructions of clusters, where each block is a cluster of its own.
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/ptx/device.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/status_macros.h"
#include "tests/codegen/ptx/test_device.h"

namespace hlo_indexing::ptx {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint32_t kThreads = 100;

struct Outcome {
  absl::Status status;
  std::vector<Finding> findings;
  std::vector<uint32_t> values;
};

// Runs `body` with 100 threads; %r0 becomes the value of each. `tile`: 100 words of shared memory,
// of which %own is the address of the thread's own and %other that of the thread which is as far
// from the end.
Outcome RunBlock(const std::string& body, LaunchOptions options = {},
                 const std::string& directives = "") {
  const std::string text = R"(
    .version 8.8
    .target sm_90
    .address_size 64
    .visible .entry k(.param .u64 out) )" +
                           directives + R"( {
      .shared .align 8 .b32 tile[100];
      .reg .pred %p<8>;
      .reg .b32 %r<16>, %thread, %own, %other;
      .reg .b64 %rd<8>;
      mov.u32 %thread, %tid.x;
      mov.u32 %r1, tile;
      mad.lo.u32 %own, %thread, 4, %r1;
      sub.u32 %r2, 99, %thread;
      mad.lo.u32 %other, %r2, 4, %r1;
)" + body + R"(
      ld.param.u64 %rd0, [out];
      mad.wide.u32 %rd1, %thread, 4, %rd0;
      st.global.u32 [%rd1], %r0;
      ret;
    })";
  const auto run = [&]() -> absl::StatusOr<Outcome> {
    HLO_INDEXING_ASSIGN_OR_RETURN(const Module module, Module::Parse(text, "test.ptx"));
    TestDevice device;
    HLO_INDEXING_ASSIGN_OR_RETURN(const uint64_t out,
                                  device.Allocate(uint64_t{4} * kThreads, "out"));
    options.block = {kThreads, 1, 1};
    options.max_warp_instructions = 100'000;
    HLO_INDEXING_ASSIGN_OR_RETURN(const LaunchResult result,
                                  device.Launch(module, "k", {Argument::Of(out)}, options));
    Outcome outcome{.status = result.status, .findings = result.findings, .values = {}};
    outcome.values.resize(kThreads);
    HLO_INDEXING_RETURN_IF_ERROR(device.Read(out, outcome.values.data(), uint64_t{4} * kThreads));
    return outcome;
  };
  absl::StatusOr<Outcome> outcome = run();
  return outcome.ok() ? *outcome
                      : Outcome{.status = outcome.status(), .findings = {}, .values = {}};
}

LaunchOptions WithChecks(uint64_t schedule) {
  LaunchOptions options;
  options.schedule = schedule;
  options.checks = {.initcheck = true, .racecheck = true, .synccheck = true};
  return options;
}

// Two phases: what one thread stores before it arrives another one reads after it has waited, and
// writes after the next.
constexpr char kReverseTwice[] = R"(
      st.shared.u32 [%own], %thread;
      barrier.cluster.arrive.release.aligned;
      barrier.cluster.wait.acquire.aligned;
      ld.shared.u32 %r3, [%other];
      barrier.cluster.arrive;
      add.u32 %r3, %r3, 1000;
      barrier.cluster.wait;
      st.shared.u32 [%own], %r3;
      barrier.cluster.arrive.aligned;
      barrier.cluster.wait.aligned;
      ld.shared.u32 %r0, [%other];
)";

TEST(ClusterTest, ABarrierOrdersWhatWasDoneBeforeArriving) {
  for (uint64_t schedule = 0; schedule < 20; ++schedule) {
    const Outcome outcome = RunBlock(kReverseTwice, WithChecks(schedule));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_THAT(outcome.findings, IsEmpty()) << outcome.findings.front().ToString();
    for (uint32_t i = 0; i < kThreads; ++i) EXPECT_EQ(outcome.values[i], i + 1000) << i;
  }
}

TEST(ClusterTest, ARelaxedArrivalOrdersNothing) {
  std::string relaxed = kReverseTwice;
  relaxed.replace(relaxed.find("release"), 7, "relaxed");
  const Outcome outcome = RunBlock(relaxed, WithChecks(0));
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_EQ(outcome.findings.front().check, Check::kRacecheck);
}

TEST(ClusterTest, WhatIsDoneAfterArrivingRaces) {
  const Outcome outcome = RunBlock(R"(
      barrier.cluster.arrive;
      st.shared.u32 [%own], %thread;
      barrier.cluster.wait;
      ld.shared.u32 %r0, [%other];)",
                                   WithChecks(0));
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_EQ(outcome.findings.front().check, Check::kRacecheck);
}

// Threads that exit are not waited for, whether they have arrived or not.
TEST(ClusterTest, ThreadsThatExitAreNotWaitedFor) {
  for (uint64_t schedule = 0; schedule < 20; ++schedule) {
    const Outcome outcome = RunBlock(R"(
      setp.lt.u32 %p0, %thread, 10;
      @%p0 exit;
      barrier.cluster.arrive;
      setp.lt.u32 %p0, %thread, 40;
      @%p0 exit;
      barrier.cluster.wait;
      mov.u32 %r0, 7;)",
                                     WithChecks(schedule));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_THAT(outcome.findings, IsEmpty());
    EXPECT_THAT(std::vector<uint32_t>(outcome.values.begin() + 40, outcome.values.end()), Each(7U));
  }
}

// Lanes of a warp that come one after the other, in a loop of as many turns as the lane has.
TEST(ClusterTest, LanesOfAWarpArriveAndWaitApart) {
  const Outcome outcome = RunBlock(R"(
      mov.u32 %r0, 0;
      and.b32 %r3, %thread, 31;
    LOOP:
      setp.eq.u32 %p0, %r0, %r3;
      @%p0 bra END;
      add.u32 %r0, %r0, 1;
      bra LOOP;
    END:
      barrier.cluster.arrive;
      barrier.cluster.wait;)",
                                   WithChecks(3));
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_THAT(outcome.findings, IsEmpty());
  for (uint32_t i = 0; i < kThreads; ++i) EXPECT_EQ(outcome.values[i], i % 32);
}

TEST(ClusterTest, MisuseIsFound) {
  const auto first = [](const std::string& body) {
    const Outcome outcome = RunBlock(body);
    return outcome.findings.empty() ? "" : outcome.findings.front().ToString();
  };
  EXPECT_THAT(first("mov.u32 %r0, 0; barrier.cluster.arrive; barrier.cluster.arrive;"),
              HasSubstr("synccheck: arrives at the barrier of the cluster and has not waited"));
  EXPECT_THAT(first("mov.u32 %r0, 0; barrier.cluster.wait;"),
              HasSubstr("synccheck: waits at the barrier of the cluster and has not arrived"));
  EXPECT_THAT(first("mov.u32 %r0, 0; setp.lt.u32 %p0, %thread, 32;\n"
                    "@%p0 bra END; barrier.cluster.arrive; barrier.cluster.wait; END: bar.sync 0;"),
              HasSubstr("deadlock"));
}

TEST(ClusterTest, ABlockIsTheOnlyOneOfItsCluster) {
  const Outcome outcome = RunBlock(R"(
      st.shared.u32 [%own], %thread;
      mapa.shared::cluster.u32 %r4, %own, 0;
      ld.shared::cluster.u32 %r0, [%r4];
      mapa.shared::cluster.u32 %r5, tile+4, 0;
      sub.u32 %r5, %r5, %r1;
      mad.lo.u32 %r0, %r5, 1000, %r0;
      cvt.u64.u32 %rd2, %own;
      mapa.shared::cluster.u64 %rd3, %rd2, %cluster_ctarank;
      cvta.shared.u64 %rd4, %rd3;
      mapa.u64 %rd5, %rd4, 0;
      ld.u32 %r6, [%rd5];
      getctarank.u64 %r7, %rd5;
      getctarank.shared::cluster.u32 %r8, %own;
      or.b32 %r7, %r7, %r8;
      mad.lo.u32 %r0, %r7, 1000000, %r0;
      mad.lo.u32 %r0, %r6, 10000, %r0;)");
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_THAT(outcome.findings, IsEmpty());
  for (uint32_t i = 0; i < kThreads; ++i) EXPECT_EQ(outcome.values[i], 10001 * i + 4000) << i;
}

TEST(ClusterTest, OtherBlocksOfACluster) {
  const Outcome beyond = RunBlock("mapa.shared::cluster.u32 %r0, %own, %thread;");
  ASSERT_FALSE(beyond.findings.empty());
  EXPECT_THAT(beyond.findings.front().ToString(),
              HasSubstr("memcheck: block 1 of the cluster does not exist"));
  EXPECT_FALSE(beyond.status.ok());

  const Outcome not_shared =
      RunBlock("mov.u32 %r0, 0; ld.param.u64 %rd2, [out]; mapa.u64 %rd3, %rd2, 0;");
  ASSERT_FALSE(not_shared.findings.empty());
  EXPECT_THAT(not_shared.findings.front().ToString(), HasSubstr("is not in shared memory"));

  EXPECT_THAT(std::string(RunBlock("mapa.u64 %rd2, tile, 0;").status.message()),
              HasSubstr("a generic address is needed here"));
  EXPECT_THAT(std::string(RunBlock("mapa.u32 %r0, %r1, 0;").status.message()),
              HasSubstr("generic addresses of 32 bits are not supported"));
  EXPECT_THAT(
      std::string(RunBlock("mov.u32 %r0, 0;", {}, ".reqnctapercluster 2, 1, 1").status.message()),
      HasSubstr("requires clusters of several blocks, which are not supported"));
}

TEST(ClusterTest, WhetherAClusterWasAskedFor) {
  const std::string body =
      "mov.pred %p0, %is_explicit_cluster; selp.u32 %r0, 1, 0, %p0;\n"
      "mov.u32 %r3, %cluster_nctarank; mad.lo.u32 %r0, %r3, 10, %r0;";
  EXPECT_THAT(RunBlock(body).values, Each(10U));
  EXPECT_THAT(RunBlock(body, {}, ".reqnctapercluster 1, 1, 1").values, Each(11U));
  EXPECT_THAT(RunBlock(body, {}, ".explicitcluster").values, Each(11U));
}

}  // namespace
}  // namespace hlo_indexing::ptx
