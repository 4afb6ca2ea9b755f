// Orders in which warps take turns, of which some show what others hide.
#include <gtest/gtest.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "codegen/ptx/device.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/module.h"

namespace hlo_indexing::ptx {
namespace {

// Warp 1 reads a value, of which lane 0 tells warp 0 for itself alone, and 60 instructions later,
// behind a bar.warp.sync, for all its lanes. Warp 0 writes when it has heard of either: a race with
// the other lanes' reads if it looks between the two.
constexpr char kToldTwice[] = R"(
    .version 8.0
    .target sm_80
    .address_size 64
    .visible .entry told_twice() {
      .reg .pred %lane0, %writes, %p;
      .reg .b32 %thread, %lane, %r;
      .shared .b32 value, told;
      mov.u32 %thread, %tid.x;
      and.b32 %lane, %thread, 31;
      setp.eq.u32 %lane0, %lane, 0;
      setp.lt.u32 %writes, %thread, 32;
      @%lane0 st.shared.b32 [value], 1;
      @%lane0 st.shared.b32 [told], 0;
      bar.sync 0;
      @%writes bra wait;
      ld.shared.b32 %r, [value];
      @%lane0 red.release.cta.shared.add.u32 [told], 1;
      bar.warp.sync -1;
      mov.b32 %r, 20;
    compute:
      sub.u32 %r, %r, 1;
      setp.ne.u32 %p, %r, 0;
      @%p bra compute;
      @%lane0 red.release.cta.shared.add.u32 [told], 1;
      ret;
    wait:
      ld.acquire.cta.shared.u32 %r, [told];
      setp.eq.u32 %p, %r, 0;
      @%p bra wait;
      @%lane0 st.shared.b32 [value], 2;
      ret;
    })";

TEST(ScheduleTest, TurnsEndSoonInSomeSchedules) {
  const absl::StatusOr<Module> module = Module::Parse(kToldTwice, "told_twice.ptx");
  ASSERT_TRUE(module.ok()) << module.status().message();
  int with_race = 0;
  for (uint64_t schedule = 0; schedule < 100; ++schedule) {
    Device device;
    LaunchOptions options;
    options.block = {64, 1, 1};
    options.checks.racecheck = true;
    options.schedule = schedule;
    const auto result = device.Launch(*module, "told_twice", {}, options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_TRUE(result->status.ok()) << result->status.message();
    for (const Finding& finding : result->findings) {
      EXPECT_EQ(finding.check, Check::kRacecheck) << finding.ToString();
    }
    if (!result->findings.empty()) ++with_race;
  }
  EXPECT_GE(with_race, 10);
}

}  // namespace
}  // namespace hlo_indexing::ptx
