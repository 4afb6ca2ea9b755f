// Whole kernels on the virtual GPU: control flow, calls, barriers, variables, schedules, limits.
#include "codegen/ptx/device.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlo_indexing::ptx {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Module ParseOrDie(const std::string& text) {
  absl::StatusOr<Module> module =
      Module::Parse(".version 8.0\n.target sm_80\n.address_size 64\n" + text, "test.ptx");
  EXPECT_TRUE(module.ok()) << module.status().message();
  return *module;
}

// A kernel `k(out)` that stores %r0 as element `global thread number` of out.
std::string Kernel(const std::string& body, const std::string& before = "") {
  return before + R"(
    .visible .entry k(.param .u64 out) {
      .reg .pred %p<8>;
      .reg .b32 %r<32>;
      .reg .b64 %rd<16>;
      .reg .b32 %thread, %block, %size, %global;
      mov.u32 %thread, %tid.x;
      mov.u32 %block, %ctaid.x;
      mov.u32 %size, %ntid.x;
      mad.lo.s32 %global, %block, %size, %thread;
)" + body +
         R"(
      ld.param.u64 %rd0, [out];
      mad.wide.u32 %rd1, %global, 4, %rd0;
      st.global.u32 [%rd1], %r0;
      ret;
    })";
}

struct Outcome {
  LaunchResult result;
  std::vector<uint32_t> out;
};

Outcome RunKernel(const std::string& text, uint32_t blocks, uint32_t threads,
                  LaunchOptions options = LaunchOptions()) {
  const Module module = ParseOrDie(text);
  Device device;
  const uint64_t count = uint64_t{blocks} * threads;
  const uint64_t out = *device.Allocate(4 * count, "out");
  options.grid = {blocks, 1, 1};
  options.block = {threads, 1, 1};
  absl::StatusOr<LaunchResult> result = device.Launch(module, "k", {Argument::Of(out)}, options);
  EXPECT_TRUE(result.ok()) << result.status().message();
  Outcome outcome;
  if (!result.ok()) return outcome;
  outcome.result = *std::move(result);
  outcome.out.resize(count);
  EXPECT_TRUE(device.Read(out, outcome.out.data(), 4 * count).ok());
  return outcome;
}

std::vector<uint32_t> Counted(uint32_t count) {
  std::vector<uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

TEST(DeviceTest, EveryThreadOfEveryBlock) {
  const Outcome outcome = RunKernel(Kernel("mov.u32 %r0, %global;"), 37, 70);
  EXPECT_TRUE(outcome.result.status.ok());
  EXPECT_THAT(outcome.result.findings, IsEmpty());
  EXPECT_EQ(outcome.out, Counted(37 * 70));
  // 37 blocks of three warps, each of 5 + 4 operations.
  EXPECT_EQ(outcome.result.warp_instructions, 37u * 3 * 9);
}

TEST(DeviceTest, LanesGoTheirOwnWaysAndMeetAgain) {
  // Steps until 1 is reached from the lane's number by halving or 3n + 1; at the end all lanes
  // vote.
  const Outcome outcome = RunKernel(Kernel(R"(
      add.u32 %r1, %thread, 1;
      mov.u32 %r0, 0;
    step:
      setp.eq.u32 %p0, %r1, 1;
      @%p0 bra done;
      and.b32 %r2, %r1, 1;
      setp.eq.u32 %p1, %r2, 1;
      @%p1 bra odd;
      shr.u32 %r1, %r1, 1;
      bra.uni next;
    odd:
      mad.lo.s32 %r1, %r1, 3, 1;
    next:
      add.u32 %r0, %r0, 1;
      bra step;
    done:
      activemask.b32 %r3;
      setp.ne.u32 %p2, %r3, 0xffffffff;
      @%p2 add.u32 %r0, %r0, 1000;
  )"),
                                    1, 64);
  ASSERT_THAT(outcome.out, SizeIs(64));
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t steps = 0;
    for (uint32_t n = i + 1; n != 1; n = n % 2 == 1 ? 3 * n + 1 : n / 2) ++steps;
    EXPECT_EQ(outcome.out[i], steps) << i;
  }
}

TEST(DeviceTest, LanesMeetInALoopThatIsTurnedAround) {
  // The end of the body stands before its begin, where half of the lanes jump over an instruction.
  const std::string text = Kernel(R"(
      .shared .b32 kept[64];
      mov.u32 %r0, 0;
      mov.u32 %r1, 4;
      and.b32 %r2, %thread, 1;
      setp.eq.u32 %p1, %r2, 0;
      mov.u32 %r3, kept;
      mad.lo.u32 %r4, %thread, 4, %r3;
      bra HEAD;
    TAIL:
      st.shared.u32 [%r4], %r0;
      sub.u32 %r1, %r1, 1;
      setp.ne.u32 %p2, %r1, 0;
      @%p2 bra HEAD;
      bra DONE;
    HEAD:
      @%p1 bra TAIL;
      add.u32 %r0, %r0, 1;
      bra TAIL;
    DONE:
)");
  LaunchOptions options;
  options.profile = true;
  const Outcome outcome = RunKernel(text, 1, 64, options);
  EXPECT_THAT(outcome.result.findings, IsEmpty());
  EXPECT_EQ(outcome.out[0], 0U);
  EXPECT_EQ(outcome.out[1], 4U);
  // Two warps, four turns each, all lanes together.
  EXPECT_EQ(outcome.result.profile->Sum().shared_requests, 8U);
}

TEST(DeviceTest, ALoopThatWaitsForALaneOfItsWarpEnds) {
  // Lane 31 opens the door that all others wait at; they stand before it in the text.
  const Outcome outcome = RunKernel(Kernel(R"(
      .shared .b32 door;
      mov.u32 %r5, 0;
      setp.eq.u32 %p1, %thread, 0;
      @%p1 st.volatile.shared.u32 [door], %r5;
      bar.sync 0;
      setp.eq.u32 %p0, %thread, 31;
      @%p0 bra open;
    wait:
      ld.volatile.shared.u32 %r1, [door];
      setp.eq.u32 %p2, %r1, 0;
      @%p2 bra wait;
      bra.uni end;
    open:
      mov.u32 %r2, 1;
      st.volatile.shared.u32 [door], %r2;
    end:
      mov.u32 %r0, 7;
  )"),
                                    1, 32);
  EXPECT_TRUE(outcome.result.status.ok()) << outcome.result.status.message();
  EXPECT_THAT(outcome.out, Each(7u));
}

TEST(DeviceTest, IndexedBranches) {
  const Outcome outcome = RunKernel(Kernel(R"(
      rem.u32 %r1, %thread, 3;
    targets: .branchtargets a, b, c;
      brx.idx %r1, targets;
    a:
      mov.u32 %r0, 10;
      bra.uni end;
    b:
      mov.u32 %r0, 20;
      bra.uni end;
    c:
      mov.u32 %r0, 30;
    end:
      add.u32 %r0, %r0, 1;
  )"),
                                    1, 6);
  EXPECT_THAT(outcome.out, ElementsAre(11, 21, 31, 11, 21, 31));
}

constexpr char kFactorial[] = R"(
    .func (.param .b32 result) factorial(.param .b32 n) {
      .reg .pred %p<2>;
      .reg .b32 %r<6>;
      ld.param.u32 %r1, [n];
      mov.u32 %r2, 1;
      setp.le.u32 %p0, %r1, 1;
      @%p0 bra end;
      sub.u32 %r3, %r1, 1;
      {
        .param .b32 argument;
        .param .b32 returned;
        st.param.b32 [argument], %r3;
        call (returned), factorial, (argument);
        ld.param.b32 %r4, [returned];
      }
      mul.lo.u32 %r2, %r1, %r4;
    end:
      st.param.b32 [result], %r2;
      ret;
    }
)";

TEST(DeviceTest, RecursionOfADifferentDepthInEachLane) {
  const Outcome outcome = RunKernel(Kernel(R"(
      {
        .param .b32 argument;
        .param .b32 returned;
        st.param.b32 [argument], %thread;
        call (returned), factorial, (argument);
        ld.param.b32 %r0, [returned];
      }
  )",
                                           kFactorial),
                                    1, 8);
  EXPECT_THAT(outcome.out, ElementsAre(1, 1, 2, 6, 24, 120, 720, 5040));
}

TEST(DeviceTest, CallsThroughATableOfFunctions) {
  const Outcome outcome = RunKernel(Kernel(R"(
      and.b32 %r1, %thread, 1;
      mov.u64 %rd2, table;
      mad.wide.u32 %rd3, %r1, 8, %rd2;
      ld.global.u64 %rd4, [%rd3];
      {
        .param .b32 argument;
        .param .b32 returned;
        st.param.b32 [argument], %thread;
      prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (returned), %rd4, (argument), prototype;
        ld.param.b32 %r0, [returned];
      }
  )",
                                           R"(
    .func (.param .b32 result) doubled(.param .b32 n) {
      .reg .b32 %r<2>;
      ld.param.u32 %r1, [n];
      add.u32 %r1, %r1, %r1;
      st.param.b32 [result], %r1;
      ret;
    }
    .func (.param .b32 result) negated(.param .b32 n) {
      .reg .b32 %r<2>;
      ld.param.u32 %r1, [n];
      neg.s32 %r1, %r1;
      st.param.b32 [result], %r1;
      ret;
    }
    .global .u64 table[2] = {doubled, negated};
  )"),
                                    1, 4);
  EXPECT_THAT(outcome.out, ElementsAre(0, uint32_t(-1), 4, uint32_t(-3)));
}

TEST(DeviceTest, EndlessRecursionIsAStackOverflow) {
  const Outcome outcome = RunKernel(Kernel("call forever;\nmov.u32 %r0, 0;", R"(
    .func forever() {
      .local .b8 frame[1024];
      call forever;
      ret;
    })"),
                                    1, 1);
  EXPECT_THAT(std::string(outcome.result.status.message()), HasSubstr("stack overflow"));
  EXPECT_THAT(outcome.result.findings, SizeIs(1));
}

TEST(DeviceTest, EndlessLoopsReachTheLimit) {
  LaunchOptions options;
  options.max_warp_instructions = 100'000;
  const Outcome outcome = RunKernel(Kernel("again:\nbra again;\nmov.u32 %r0, 0;"), 4, 64, options);
  EXPECT_EQ(outcome.result.status.code(), absl::StatusCode::kDeadlineExceeded);
}

// Blocks on one host thread, on several, and together (racecheck).
TEST(DeviceTest, WhoLaunchesMayEndIt) {
  const std::string endless = Kernel("again:\nbra again;\nmov.u32 %r0, 0;");
  for (const int num_threads : {1, 3}) {
    for (const bool racecheck : {false, true}) {
      LaunchOptions options;
      options.num_host_threads = num_threads;
      options.checks.racecheck = racecheck;
      int64_t questions = 0;
      options.keep_running = [&](uint64_t ended, uint64_t blocks) {
        EXPECT_EQ(ended, 0);
        EXPECT_EQ(blocks, 40);
        return ++questions < 5;
      };
      const Outcome outcome = RunKernel(endless, 40, 64, options);
      EXPECT_EQ(outcome.result.status.code(), absl::StatusCode::kCancelled);
      EXPECT_EQ(questions, 5);
    }
  }
}

// All blocks but one end, whichever thread has that one.
TEST(DeviceTest, WhoLaunchesMayEndWhatOtherThreadsDo) {
  LaunchOptions options;
  options.num_host_threads = 4;
  options.keep_running = [](uint64_t ended, uint64_t /*blocks*/) { return ended < 39; };
  const Outcome outcome =
      RunKernel(Kernel("setp.eq.u32 %p0, %block, 39;\nagain:\n@%p0 bra again;\nmov.u32 %r0, 7;"),
                40, 2, options);
  EXPECT_EQ(outcome.result.status.code(), absl::StatusCode::kCancelled);
  std::vector<uint32_t> ended(outcome.out.begin(), outcome.out.end() - 2);
  EXPECT_THAT(ended, Each(7));
}

TEST(DeviceTest, BarriersOrderTheWarpsOfABlock) {
  const std::string text = Kernel(R"(
      .shared .b32 tile[256];
      mov.u32 %r1, tile;
      mad.lo.u32 %r2, %thread, 4, %r1;
      st.shared.u32 [%r2], %thread;
      bar.sync 0;
      sub.u32 %r3, 255, %thread;
      mad.lo.u32 %r4, %r3, 4, %r1;
      ld.shared.u32 %r0, [%r4];
  )");
  std::vector<uint32_t> expected = Counted(256);
  std::ranges::reverse(expected);
  for (uint64_t schedule = 0; schedule < 20; ++schedule) {
    LaunchOptions options;
    options.schedule = schedule;
    options.checks.racecheck = true;
    const Outcome outcome = RunKernel(text, 1, 256, options);
    EXPECT_THAT(outcome.result.findings, IsEmpty());
    EXPECT_EQ(outcome.out, expected);
  }
  // Without the barrier it is a race, and some schedule gives other values.
  std::string racing = text;
  racing.replace(racing.find("bar.sync 0;"), 11, "");
  bool has_wrong_values = false;
  for (uint64_t schedule = 0; schedule < 20; ++schedule) {
    LaunchOptions options;
    options.schedule = schedule;
    options.checks.racecheck = true;
    const Outcome outcome = RunKernel(racing, 1, 256, options);
    ASSERT_FALSE(outcome.result.findings.empty());
    EXPECT_EQ(outcome.result.findings.front().check, Check::kRacecheck);
    has_wrong_values |= outcome.out != expected;
  }
  EXPECT_TRUE(has_wrong_values);
}

TEST(DeviceTest, NamedBarriersOfHalfABlock) {
  // Warps 0 and 1 produce for 2 and 3: these wait at barrier 1, where the producers arrive.
  const Outcome outcome = RunKernel(Kernel(R"(
      .shared .b32 tile[64];
      mov.u32 %r1, tile;
      and.b32 %r2, %thread, 63;
      mad.lo.u32 %r3, %r2, 4, %r1;
      setp.lt.u32 %p0, %thread, 64;
      mov.u32 %r0, 0;
      @!%p0 bra consume;
      mul.lo.u32 %r4, %thread, 3;
      st.shared.u32 [%r3], %r4;
      bar.arrive 1, 128;
      bra.uni end;
    consume:
      bar.sync 1, 128;
      ld.shared.u32 %r0, [%r3];
    end:
      add.u32 %r0, %r0, 1;
  )"),
                                    1, 128);
  EXPECT_THAT(outcome.result.findings, IsEmpty());
  for (uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(outcome.out[i], 1u);
    EXPECT_EQ(outcome.out[64 + i], 3 * i + 1);
  }
}

// Whoever exits before others wait at a barrier of these alone has not come to it.
TEST(DeviceTest, RacesWithThreadsThatHaveExitedAreFoundInEveryOrder) {
  const std::string text = Kernel(R"(
      .shared .b32 tile[64];
      mov.u32 %r1, tile;
      and.b32 %r2, %thread, 63;
      mad.lo.u32 %r3, %r2, 4, %r1;
      setp.lt.u32 %p0, %thread, 64;
      mov.u32 %r0, 0;
      @!%p0 bra consume;
      st.shared.u32 [%r3], 1;
      bar.arrive 1, 128;
      st.shared.u32 [%r3], 2;
      ret;
    consume:
      bar.sync 1, 128;
      ld.shared.u32 %r0, [%r3];
  )");
  std::string alone = text;
  alone.replace(alone.find("bar.arrive 1, 128;"), 18, "");
  alone.replace(alone.find("bar.sync 1, 128;"), 16, "bar.sync 1, 64;");
  std::string ordered = text;
  ordered.replace(ordered.find("st.shared.u32 [%r3], 2;"), 23, "");
  for (uint64_t schedule = 0; schedule < 20; ++schedule) {
    LaunchOptions options;
    options.schedule = schedule;
    options.checks.racecheck = true;
    for (const std::string& racing : {text, alone}) {
      const Outcome outcome = RunKernel(racing, 1, 128, options);
      ASSERT_FALSE(outcome.result.findings.empty()) << schedule;
      EXPECT_EQ(outcome.result.findings.front().check, Check::kRacecheck);
    }
    EXPECT_THAT(RunKernel(ordered, 1, 128, options).result.findings, IsEmpty()) << schedule;
  }
}

// 28 lanes of the last warp do not exist, or have exited: the warp counts as 32 threads.
TEST(DeviceTest, BarriersCountWarps) {
  const std::string text = Kernel(R"(
      mov.u32 %r0, 1;
      setp.ge.u32 %p0, %thread, 100;
      @%p0 ret;
      bar.sync 1, 128;
  )");
  for (const uint32_t threads : {100U, 128U}) {
    EXPECT_THAT(RunKernel(text, 1, threads).result.findings, IsEmpty());
  }
}

// The lanes of the first warp arrive in two parts, of which the first has exited before the second
// comes: a warp all the same, so that the consumers go on when the second warp has come, and not
// before.
TEST(DeviceTest, PartsOfAWarpThatArriveCountOnce) {
  const std::string text = Kernel(R"(
      .shared .b32 word;
      setp.ge.u32 %p0, %thread, 64;
      @%p0 bra CONSUME;
      setp.lt.u32 %p0, %thread, 16;
      @%p0 barrier.arrive 1, 96;
      @%p0 exit;
      setp.lt.u32 %p0, %thread, 32;
      @%p0 barrier.arrive 1, 96;
      @%p0 exit;
      mov.u32 %r1, 0;
    LOOP:
      add.u32 %r1, %r1, 1;
      setp.lt.u32 %p0, %r1, 10000;
      @%p0 bra LOOP;
      st.shared.u32 [word], %r1;
      bar.arrive 1, 96;
      exit;
    CONSUME:
      bar.sync 1, 96;
      ld.shared.u32 %r0, [word];
  )");
  for (uint64_t schedule = 0; schedule < 10; ++schedule) {
    LaunchOptions options;
    options.schedule = schedule;
    options.checks = {.initcheck = true, .racecheck = true, .synccheck = true};
    const Outcome outcome = RunKernel(text, 1, 96, options);
    EXPECT_THAT(outcome.result.findings, IsEmpty());
    for (uint32_t i = 64; i < 96; ++i) EXPECT_EQ(outcome.out[i], 10000u);
  }
}

TEST(DeviceTest, NumbersOfBarriersAreLookedAtBeforeTheLaunch) {
  const auto refusal = [](const std::string& body) {
    const Module module = ParseOrDie(Kernel(body));
    Device device;
    const auto result = device.Launch(module, "k", {Argument::Of(uint64_t{0})}, {});
    return std::string(result.status().message());
  };
  EXPECT_THAT(refusal("bar.sync 16;"), HasSubstr("a barrier has a number below 16"));
  EXPECT_THAT(refusal("bar.red.popc.u32 %r0, 1, 33, %p0;"), HasSubstr("multiple of 32 threads"));
  EXPECT_THAT(refusal("bar.arrive 1, 0;"), HasSubstr("multiple of 32 threads"));
  EXPECT_THAT(refusal("fence.acquire.sync_restrict::shared::cta.cluster;"),
              HasSubstr(".acquire.sync_restrict::shared::cluster.cluster"));
}

TEST(DeviceTest, BarriersThatReduce) {
  const Outcome outcome = RunKernel(Kernel(R"(
      setp.lt.u32 %p0, %thread, 50;
      bar.red.popc.u32 %r1, 0, %p0;
      bar.red.and.pred %p1, 0, %p0;
      bar.red.or.pred %p2, 0, !%p0;
      selp.u32 %r2, 100, 0, %p1;
      selp.u32 %r3, 1000, 0, %p2;
      add.u32 %r0, %r1, %r2;
      add.u32 %r0, %r0, %r3;
  )"),
                                    1, 96);
  EXPECT_THAT(outcome.out, Each(1050u));
}

TEST(DeviceTest, ABarrierThatSomeLanesNeverReachIsFound) {
  const Outcome outcome = RunKernel(Kernel(R"(
      mov.u32 %r0, 1;
      setp.lt.u32 %p0, %thread, 16;
      @%p0 bar.sync 0;
      bar.sync 1;
  )"),
                                    1, 32);
  ASSERT_FALSE(outcome.result.findings.empty());
  EXPECT_EQ(outcome.result.findings.front().check, Check::kSynccheck);
}

// Compilers put a barrier before the loop that leads to it: the lanes of a warp come one after the
// other, and each waits for those that are still on their way.
TEST(DeviceTest, LanesMeetAtABarrierThatStandsBeforeWhereTheyComeFrom) {
  const Outcome outcome = RunKernel(Kernel(R"(
      bra.uni start;
    meet:
      bar.sync 0;
      mov.u32 %r0, 7;
      bra.uni end;
    start:
      setp.lt.u32 %p1, %thread, 16;
      @%p1 bra meet;
      setp.lt.u32 %p1, %thread, 40;
      @%p1 bra meet;
      bra.uni meet;
    end:
  )"),
                                    1, 64);
  EXPECT_THAT(outcome.out, Each(7U));
  EXPECT_THAT(outcome.result.findings, IsEmpty());
}

// A lock that is taken in a function, by a long way round: who waits is deeper than who holds it,
// and makes few jumps in many operations.
std::string LockedBy(const std::string& critical) {
  std::string delay;
  for (int i = 0; i < 200; ++i) delay += "add.u32 %waited, %waited, 1;\n";
  return Kernel(R"(
      call take, ();
)" + critical + R"(
      atom.shared.exch.b32 %r4, [lock], 0;
  )",
                R"(
    .shared .b32 lock;
    .shared .b32 count;
    .func step () {
      .reg .b32 %waited;
      mov.u32 %waited, 0;
)" + delay + R"(
      ret;
    }
    .func take () {
      .reg .pred %p;
      .reg .b32 %old;
    again:
      atom.shared.cas.b32 %old, [lock], 0, 1;
      setp.eq.u32 %p, %old, 0;
      @%p ret;
      call step, ();
      bra again;
    }
  )");
}

std::string ZeroedFirst(std::string text) {
  const std::string_view place = "call take, ();";
  return text.replace(text.find(place), 0, R"(
      mov.u32 %r1, 0;
      st.shared.u32 [lock], %r1;
      st.shared.u32 [count], %r1;
      bar.sync 0;
      )");
}

TEST(DeviceTest, WhoHoldsALockGoesOnWhileOthersSpinDeeper) {
  const std::string text = ZeroedFirst(LockedBy(R"(
      ld.shared.u32 %r0, [count];
      call step, ();
      add.u32 %r2, %r0, 1;
      call step, ();
      st.shared.u32 [count], %r2;
  )"));
  for (const uint64_t schedule : {0, 1, 2}) {
    LaunchOptions options;
    options.schedule = schedule;
    options.max_warp_instructions = 20'000'000;
    Outcome outcome = RunKernel(text, 1, 64, options);
    EXPECT_TRUE(outcome.result.status.ok()) << outcome.result.status.message();
    std::ranges::sort(outcome.out);
    EXPECT_EQ(outcome.out, Counted(64));
  }
}

// Lanes 0 and 1 come to bar.warp.sync one after the other, while lane 2 waits for what they do
// then.
TEST(DeviceTest, LanesThatMeetGoOnWhileOthersSpin) {
  const std::string text = Kernel(R"(
      .shared .b32 flag;
      mov.u32 %r0, 0;
      st.shared.u32 [flag], %r0;
      bar.warp.sync 7;
      setp.eq.u32 %p0, %thread, 2;
      @%p0 bra wait;
      setp.eq.u32 %p1, %thread, 0;
      @%p1 bra meet;
      mov.u32 %r0, 5;
    meet:
      bar.warp.sync 3;
      atom.shared.add.u32 %r1, [flag], 1;
      bra done;
    wait:
      ld.volatile.shared.u32 %r0, [flag];
      setp.ne.u32 %p2, %r0, 2;
      @%p2 bra wait;
    done:
  )");
  LaunchOptions options;
  options.max_warp_instructions = 1'000'000;
  options.checks.synccheck = true;
  const Outcome outcome = RunKernel(text, 1, 3, options);
  EXPECT_TRUE(outcome.result.status.ok()) << outcome.result.status.message();
  EXPECT_THAT(outcome.result.findings, IsEmpty());
  EXPECT_THAT(outcome.out, ElementsAre(0, 5, 2));
}

// A lane that calls a function later than others, at the same place, meets them in it.
TEST(DeviceTest, LanesMeetInAFunctionThatTheyCalledOneAfterTheOther) {
  const std::string text = Kernel(R"(
      mov.u32 %r0, %thread;
      setp.eq.u32 %p0, %thread, 0;
      @%p0 bra late;
    join:
      call meet, ();
      bra done;
    late:
      add.u32 %r0, %r0, 7;
      bra join;
    done:
  )",
                                  R"(
    .func meet () {
      bar.warp.sync 0xffffffff;
      ret;
    }
  )");
  LaunchOptions options;
  options.checks.synccheck = true;
  const Outcome outcome = RunKernel(text, 1, 32, options);
  EXPECT_THAT(outcome.result.findings, IsEmpty());
  std::vector<uint32_t> expected = Counted(32);
  expected[0] = 7;
  EXPECT_EQ(outcome.out, expected);
}

// One lane of each warp waits for the other warp and passes the word on by a shuffle; the same
// without the fence that releases what was written is a race.
TEST(DeviceTest, OneLaneMayWaitForItsWarp) {
  const std::string text = Kernel(R"(
      .shared .b32 tile[64];
      .shared .b32 flag;
      mov.u32 %r1, tile;
      mad.lo.u32 %r2, %thread, 4, %r1;
      setp.eq.u32 %p0, %thread, 0;
      mov.u32 %r3, 0;
      @%p0 st.shared.u32 [flag], %r3;
      bar.sync 0;
      st.shared.u32 [%r2], %thread;
      bar.warp.sync 0xffffffff;
      and.b32 %r4, %thread, 31;
      setp.ne.u32 %p1, %r4, 0;
      @%p1 bra pass;
      fence.acq_rel.cta;
      atom.shared.add.u32 %r5, [flag], 1;
    again:
      ld.acquire.cta.shared.u32 %r3, [flag];
      setp.ne.u32 %p2, %r3, 2;
      @%p2 bra again;
    pass:
      shfl.sync.idx.b32 %r3, %r3, 0, 31, 0xffffffff;
      xor.b32 %r6, %thread, 63;
      mad.lo.u32 %r7, %r6, 4, %r1;
      ld.shared.u32 %r0, [%r7];
  )");
  std::vector<uint32_t> expected = Counted(64);
  std::ranges::reverse(expected);
  LaunchOptions options;
  options.checks.racecheck = true;
  for (uint64_t schedule = 0; schedule < 4; ++schedule) {
    options.schedule = schedule;
    const Outcome outcome = RunKernel(text, 1, 64, options);
    EXPECT_THAT(outcome.result.findings, IsEmpty());
    EXPECT_EQ(outcome.out, expected);
  }
  std::string racing = text;
  racing.replace(racing.find("fence.acq_rel.cta;"), 18, "");
  EXPECT_FALSE(RunKernel(racing, 1, 64, options).result.findings.empty());
}

// Lanes of one warp that read what others have written, with nothing but a shuffle between.
TEST(DeviceTest, AShuffleOrdersNoWrites) {
  const Outcome outcome = [] {
    LaunchOptions options;
    options.checks.racecheck = true;
    return RunKernel(Kernel(R"(
      .shared .b32 tile[32];
      mov.u32 %r1, tile;
      mad.lo.u32 %r2, %thread, 4, %r1;
      st.shared.u32 [%r2], %thread;
      shfl.sync.bfly.b32 %r3, %thread, 1, 31, 0xffffffff;
      mad.lo.u32 %r4, %r3, 4, %r1;
      ld.shared.u32 %r0, [%r4];
  )"),
                     1, 32, options);
  }();
  ASSERT_THAT(outcome.result.findings, SizeIs(1));
  EXPECT_EQ(outcome.result.findings.front().check, Check::kRacecheck);
}

TEST(DeviceTest, ADeadlockIsFound) {
  const Outcome outcome = RunKernel(Kernel(R"(
      setp.lt.u32 %p0, %thread, 32;
      @%p0 bar.sync 1, 64;
      @!%p0 bar.sync 2, 64;
      mov.u32 %r0, 1;
  )"),
                                    1, 64);
  EXPECT_THAT(std::string(outcome.result.status.message()), HasSubstr("deadlock"));
  ASSERT_THAT(outcome.result.findings, SizeIs(2));
  EXPECT_THAT(outcome.result.findings.front().message, HasSubstr("for 64 threads, 32 have come"));
}

TEST(DeviceTest, BlocksThatWaitForEachOtherAreResidentTogether) {
  // Every block counts itself and waits until all have: the barrier of a cooperative launch.
  const Outcome outcome = RunKernel(Kernel(R"(
      mov.u64 %rd2, arrived;
      setp.ne.u32 %p0, %thread, 0;
      @%p0 bra wait;
      atom.global.add.u32 %r1, [%rd2], 1;
    wait:
      ld.relaxed.gpu.global.u32 %r2, [%rd2];
      setp.lt.u32 %p1, %r2, 100;
      @%p1 bra wait;
      mov.u32 %r0, %r2;
  )",
                                           ".global .u32 arrived;"),
                                    100, 32);
  EXPECT_TRUE(outcome.result.status.ok()) << outcome.result.status.message();
  EXPECT_THAT(outcome.out, Each(100u));
}

TEST(DeviceTest, TheSameScheduleGivesTheSameBytes) {
  // The order of atomics decides who gets which ticket.
  const std::string text = Kernel(R"(
      mov.u64 %rd2, ticket;
      atom.global.add.u32 %r0, [%rd2], 1;
  )",
                                  ".global .u32 ticket;");
  std::vector<std::vector<uint32_t>> seen;
  for (uint64_t schedule = 0; schedule < 6; ++schedule) {
    LaunchOptions options;
    options.schedule = schedule;
    const std::vector<uint32_t> first = RunKernel(text, 20, 64, options).out;
    EXPECT_EQ(first, RunKernel(text, 20, 64, options).out);
    std::vector<uint32_t> sorted = first;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, Counted(20 * 64));
    if (std::ranges::find(seen, first) == seen.end()) seen.push_back(first);
  }
  EXPECT_GT(seen.size(), 3u);
}

TEST(DeviceTest, VariablesOfTheModule) {
  const Outcome outcome = RunKernel(Kernel(R"(
      and.b32 %r1, %thread, 3;
      mov.u64 %rd2, table;
      mad.wide.u32 %rd3, %r1, 4, %rd2;
      ld.const.u32 %r2, [%rd3];
      mov.u64 %rd4, address;
      ld.global.u64 %rd5, [%rd4];
      ld.u32 %r3, [%rd5];
      cvta.const.u64 %rd6, %rd3;
      ld.u32 %r4, [%rd6];
      add.u32 %r0, %r2, %r3;
      add.u32 %r0, %r0, %r4;
  )",
                                           R"(
      .const .align 4 .u32 table[4] = {10, 20, 30, 40};
      .global .align 4 .u32 offset = 7;
      .global .align 8 .u64 address = generic(offset);
  )"),
                                    1, 4);
  EXPECT_THAT(outcome.out, ElementsAre(27, 47, 67, 87));
}

TEST(DeviceTest, DynamicSharedMemoryLiesBehindStatic) {
  LaunchOptions options;
  options.dynamic_shared_bytes = 128;
  const std::string text = Kernel(R"(
      .shared .align 4 .b32 fixed[3];
      mov.u32 %r1, fixed;
      mov.u32 %r2, dynamic;
      sub.u32 %r0, %r2, %r1;
      mad.lo.u32 %r3, %thread, 4, %r2;
      st.shared.u32 [%r3], %r0;
      ld.shared.u32 %r0, [%r3];
  )",
                                  ".extern .shared .align 16 .b8 dynamic[];");
  EXPECT_THAT(RunKernel(text, 1, 32, options).out, Each(16u));
  // One thread more than there is room for.
  const Outcome outcome = RunKernel(text, 1, 33, options);
  ASSERT_THAT(outcome.result.findings, SizeIs(2));
  EXPECT_EQ(outcome.result.findings.front().check, Check::kMemcheck);
  EXPECT_EQ(outcome.result.findings.front().thread[0], 32u);
}

TEST(DeviceTest, Prints) {
  const Outcome outcome = RunKernel(Kernel(R"(
      .local .align 8 .b8 arguments[16];
      mov.u64 %rd2, arguments;
      cvta.local.u64 %rd3, %rd2;
      st.local.u32 [%rd2], %thread;
      mov.f64 %rd4, 0d3ff8000000000000;
      st.local.f64 [%rd2+8], %rd4;
      mov.u64 %rd5, format;
      cvta.global.u64 %rd6, %rd5;
      {
        .param .b64 p0;
        .param .b64 p1;
        .param .b32 r0;
        st.param.b64 [p0], %rd6;
        st.param.b64 [p1], %rd3;
        call (r0), vprintf, (p0, p1);
        ld.param.b32 %r0, [r0];
      }
  )",
                                           R"(
    .extern .func (.param .b32 result) vprintf(.param .b64 a, .param .b64 b);
    .global .align 1 .b8 format[13] = {116, 37, 51, 100, 32, 37, 46, 50, 102, 37, 37, 10, 0};
  )"),
                                    1, 2);
  EXPECT_EQ(outcome.result.output, "t  0 1.50%\nt  1 1.50%\n");
  EXPECT_THAT(outcome.out, Each(3u));
}

TEST(DeviceTest, ErrorsBeforeTheLaunch) {
  Device device;
  const Module module = ParseOrDie(Kernel("mov.u32 %r0, 1;"));
  LaunchOptions options;
  const auto message = [&](const Module& m, std::string_view kernel,
                           std::vector<Argument> arguments) {
    return std::string(device.Launch(m, kernel, arguments, options).status().message());
  };
  EXPECT_THAT(message(module, "kk", {}), HasSubstr("has no kernel 'kk'; it has k"));
  EXPECT_THAT(message(module, "k", {}), HasSubstr("takes 1 arguments, 0 were given"));
  EXPECT_THAT(message(module, "k", {Argument::Of(1.0f)}), HasSubstr("has 8 bytes, 4 were given"));
  options.block = {2000, 1, 1};
  EXPECT_THAT(message(module, "k", {Argument::Of(uint64_t{0})}), HasSubstr("at most 1024 threads"));
  options.block = {32, 1, 1};
  const Module unsupported = ParseOrDie(Kernel("wgmma.fence.sync.aligned;\nmov.u32 %r0, 1;"));
  EXPECT_THAT(message(unsupported, "k", {Argument::Of(uint64_t{0})}),
              HasSubstr("error: instruction 'wgmma' is not supported"));
  const Module modifier = ParseOrDie(Kernel("add.ftz.u32 %r0, %r1, 1;"));
  EXPECT_THAT(message(modifier, "k", {Argument::Of(uint64_t{0})}), HasSubstr("modifier '.ftz'"));
}

}  // namespace
}  // namespace hlo_indexing::ptx
