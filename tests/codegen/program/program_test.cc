#include "codegen/program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "codegen/emit/ptx_backend.h"
#include "codegen/program/virtual_gpu.h"
#include "tests/codegen/program/program_check.h"

namespace hlo_indexing::program {
namespace {

using ::testing::HasSubstr;

class ProgramTest : public ::testing::Test {
 protected:
  // What is wrong with the program of a module.
  std::string Run(const std::string& text) {
    const ProgramCheck check(text, backend_);
    if (!check.is_accepted()) return "no module";
    for (const uint64_t seed : {1, 2}) {
      if (std::string message = check.Run(seed); !message.empty()) return message;
    }
    return "";
  }
  std::string Text(const std::string& text) {
    const ProgramCheck check(text, backend_);
    EXPECT_TRUE(check.is_accepted());
    const absl::StatusOr<Program> program = check.Compile();
    return program.ok() ? program->ToString() : std::string(program.status().message());
  }

  emit::PtxBackend backend_;
};

TEST_F(ProgramTest, ValuesThatDoNotLiveTogetherShareMemory) {
  const std::string text = R"(ENTRY e {
    p = f32[100] parameter(0)
    a = f32[100] negate(p)
    b = f32[100] exponential(a)
    c = f32[100] negate(b)
    d = f32[100] negate(c)
    ROOT r = f32[100] add(c, d) })";
  EXPECT_EQ(Run(text), "");
  EXPECT_EQ(Text(text),
            R"(computation %e: 1 parameter, 1 output, frame of 1024 bytes (at least 1024 at a time)
  0  launch a: parameter 0 -> frame 0
  1  launch b: frame 0 -> frame 1
  2  launch c: frame 1 -> frame 2
  3  launch d: frame 2 -> frame 3
  4  launch r: frame 2, frame 3 -> output 0
  frame 0: 400 bytes at 0, steps 0 to 1, value of %a
  frame 1: 400 bytes at 512, steps 1 to 2, value of %b
  frame 2: 400 bytes at 0, steps 2 to 4, value of %c
  frame 3: 400 bytes at 512, steps 3 to 4, value of %d
)");
}

TEST_F(ProgramTest, TuplesAndViewsAreNoArraysOfTheirOwn) {
  EXPECT_EQ(Text(R"(ENTRY e {
    p = (f32[2,6], s32[]) parameter(0)
    a = f32[2,6] get-tuple-element(p), index=0
    b = f32[12] reshape(a)
    c = f32[3,4] bitcast(b)
    d = f32[3,4] copy(c)
    u = (f32[12]) tuple(b)
    t = (f32[3,4], (f32[12])) tuple(d, u)
    ROOT r = f32[3,4] get-tuple-element(t), index=0 })"),
            "computation %e: 2 parameters, 1 output, frame of 0 bytes (at least 0 at a time)\n"
            "  0  copy 48 bytes: parameter 0 -> output 0\n");
}

TEST_F(ProgramTest, OutputsThatAreParametersConstantsOrThereTwice) {
  EXPECT_EQ(Run(R"(ENTRY e {
    p = f32[5] parameter(0)
    k = (s32[], f32[2]) constant((7, {1, 2}))
    n = f32[5] negate(p)
    ROOT r = (f32[5], f32[5], (s32[], f32[2]), f32[5], f32[5]) tuple(n, p, k, n, p) })"),
            "");
}

constexpr char kLoop[] = R"(
    cond {
      s = (s32[], f32[8], f32[8], f32[4,8], f32[4,8]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(3)
      ROOT r = pred[] compare(i, n), direction=LT }
    body {
      s = (s32[], f32[8], f32[8], f32[4,8], f32[4,8]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      a = f32[8] get-tuple-element(s), index=1
      b = f32[8] get-tuple-element(s), index=2
      w = f32[4,8] get-tuple-element(s), index=3
      k = f32[4,8] get-tuple-element(s), index=4
      one = s32[] constant(1)
      zero = s32[] constant(0)
      j = s32[] add(i, one)
      c = f32[8] add(a, b)
      row = f32[1,8] reshape(c)
      u = f32[4,8] dynamic-update-slice(k, row, i, zero)
      ROOT r = (s32[], f32[8], f32[8], f32[4,8], f32[4,8]) tuple(j, b, c, w, u) }
    ENTRY e {
      p = f32[8] parameter(0)
      q = f32[4,8] parameter(1)
      z = s32[] constant(0)
      n = f32[8] negate(p)
      m = f32[4,8] negate(q)
      t = (s32[], f32[8], f32[8], f32[4,8], f32[4,8]) tuple(z, p, n, q, m)
      ROOT w = (s32[], f32[8], f32[8], f32[4,8], f32[4,8]) while(t), condition=cond, body=body })";

TEST_F(ProgramTest, LoopsCopyOnlyWhatTheyMust) {
  EXPECT_EQ(Run(kLoop), "");
  const std::string text = Text(kLoop);
  // Two arrays change places, one stays as it is, one is updated where it is.
  EXPECT_THAT(text, HasSubstr("state 1: parameter 0 -> output 1 and frame"));
  EXPECT_THAT(text, HasSubstr("state 2: output 2 and frame"));
  EXPECT_THAT(text, HasSubstr("state 3: parameter 1, in place"));
  EXPECT_THAT(text, HasSubstr("state 4: output 4, in place"));
}

TEST_F(ProgramTest, StateThatIsReadAfterItsUpdateIsNotUpdatedInPlace) {
  EXPECT_EQ(Run(R"(
    cond {
      s = (s32[], f32[4]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(4)
      ROOT r = pred[] compare(i, n), direction=LT }
    body {
      s = (s32[], f32[4]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      a = f32[4] get-tuple-element(s), index=1
      one = s32[] constant(1)
      j = s32[] add(i, one)
      x = f32[1] constant({5})
      u = f32[4] dynamic-update-slice(a, x, i)
      v = f32[4] add(a, u)
      y = f32[4] dynamic-update-slice(v, x, j)
      ROOT r = (s32[], f32[4]) tuple(j, y) }
    ENTRY e {
      p = f32[4] parameter(0)
      z = s32[] constant(0)
      t = (s32[], f32[4]) tuple(z, p)
      ROOT w = (s32[], f32[4]) while(t), condition=cond, body=body })"),
            "");
}

TEST_F(ProgramTest, LoopsInLoops) {
  EXPECT_EQ(Run(R"(
    few { s = (s32[], f32[4]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(2)
      ROOT r = pred[] compare(i, n), direction=LT }
    inner { s = (s32[], f32[4]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      a = f32[4] get-tuple-element(s), index=1
      one = s32[] constant(1)
      j = s32[] add(i, one)
      b = f32[4] add(a, a)
      ROOT r = (s32[], f32[4]) tuple(j, b) }
    outer { s = (s32[], f32[4]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      a = f32[4] get-tuple-element(s), index=1
      zero = s32[] constant(0)
      one = s32[] constant(1)
      j = s32[] add(i, one)
      t = (s32[], f32[4]) tuple(zero, a)
      w = (s32[], f32[4]) while(t), condition=few, body=inner
      b = f32[4] get-tuple-element(w), index=1
      c = f32[4] negate(b)
      ROOT r = (s32[], f32[4]) tuple(j, c) }
    ENTRY e {
      p = f32[4] parameter(0)
      z = s32[] constant(0)
      t = (s32[], f32[4]) tuple(z, p)
      ROOT w = (s32[], f32[4]) while(t), condition=few, body=outer })"),
            "");
}

TEST_F(ProgramTest, BranchesByPredAndByNumber) {
  EXPECT_EQ(Run(R"(
    a { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) }
    b { p = f32[4] parameter(0) ROOT n = f32[4] copy(p) }
    c { p = f32[4] parameter(0) k = f32[] constant(2) q = f32[4] broadcast(k), dimensions={}
        ROOT n = f32[4] multiply(p, q) }
    ENTRY e {
      p = f32[4] parameter(0)
      i = s32[] parameter(1)
      t = pred[] parameter(2)
      x = f32[4] conditional(i, p, p, p), branch_computations={a, b, c}
      y = f32[4] conditional(t, x, p), true_computation=a, false_computation=c
      m = s32[] constant(-5)
      z = f32[4] conditional(m, x, y, p), branch_computations={a, b, c}
      ROOT r = (f32[4], f32[4], f32[4]) tuple(x, y, z) })"),
            "");
}

TEST_F(ProgramTest, AComputationThatIsCalledTwiceIsCompiledOnce) {
  const std::string text = R"(
    f { p = f32[4] parameter(0) q = f32[4] parameter(1)
        s = f32[4] add(p, q) ROOT t = (f32[4], f32[4]) tuple(s, p) }
    ENTRY e {
      p = f32[4] parameter(0)
      q = f32[4] parameter(1)
      a = (f32[4], f32[4]) call(p, q), to_apply=f
      b = f32[4] get-tuple-element(a), index=0
      c = f32[4] get-tuple-element(a), index=1
      ROOT d = (f32[4], f32[4]) call(c, b), to_apply=f })";
  EXPECT_EQ(Run(text), "");
  const ProgramCheck check(text, backend_);
  EXPECT_EQ(check.Compile()->kernels.size(), 1U);
}

TEST_F(ProgramTest, WhatIsStartedRunsWhenAllItsOperandsAreThere) {
  EXPECT_EQ(Run(R"(
    f { p = f32[4] parameter(0) q = f32[4] parameter(1)
        s = f32[4] add(p, q) m = f32[4] multiply(p, q)
        ROOT t = (f32[4], f32[4]) tuple(s, m) }
    ENTRY e {
      p = f32[4] parameter(0)
      a = ((f32[4]), (f32[4], f32[4]), s32[]) async-start(p), calls=f
      q = f32[4] negate(p)
      b = ((f32[4], f32[4]), (f32[4], f32[4]), s32[]) async-update(a, q)
      ROOT c = (f32[4], f32[4]) async-done(b) })"),
            "");
}

TEST_F(ProgramTest, UpdatesTakeOverTheMemoryOfWhatTheyUpdate) {
  const std::string text = R"(ENTRY e {
    p = f32[8] parameter(0)
    u = f32[2] parameter(1)
    i = s32[] parameter(2)
    n = f32[8] negate(p)
    a = f32[8] dynamic-update-slice(n, u, i)
    k = s32[] constant(1)
    b = f32[8] dynamic-update-slice(a, u, k)
    ROOT m = f32[8] negate(b) })";
  EXPECT_EQ(Run(text), "");
  EXPECT_THAT(Text(text), HasSubstr("frame of 256 bytes"));
}

// The blocks of a reduction count in zeros, which they leave for the next launch.
TEST_F(ProgramTest, CountersAreZerosAgain) {
  const std::string text = R"(HloModule m
    sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
    less { s = (s32[], f32[60000], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(3) ROOT r = pred[] compare(i, n), direction=LT }
    step { s = (s32[], f32[60000], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      x = f32[60000] get-tuple-element(s), index=1 t = f32[] get-tuple-element(s), index=2
      one = s32[] constant(1) j = s32[] add(i, one)
      r = f32[] reduce(x, t), dimensions={0}, to_apply=sum
      y = f32[60000] negate(x)
      ROOT u = (s32[], f32[60000], f32[]) tuple(j, y, r) }
    ENTRY e { x = f32[60000] parameter(0) z = s32[] constant(0) t = f32[] constant(1)
      s = (s32[], f32[60000], f32[]) tuple(z, x, t)
      ROOT w = (s32[], f32[60000], f32[]) while(s), condition=less, body=step })";
  EXPECT_EQ(Run(text), "");
  EXPECT_THAT(Text(text), HasSubstr(", zeros constant "));
}

TEST_F(ProgramTest, ErrorsHaveTheirPlace) {
  EXPECT_THAT(Text("HloModule m, replica_count=2\n"
                   "add { a = f32[] parameter(0) b = f32[] parameter(1) "
                   "ROOT r = f32[] add(a, b) }\n"
                   "ENTRY e { p = f32[2] parameter(0)\n"
                   "  ROOT r = f32[2] all-reduce(p), replica_groups={}, to_apply=add }"),
              HasSubstr("test.hlo:4:8: error: %r: all-reduce moves data between devices"));
  EXPECT_THAT(Text("ENTRY e {\n p = s8[4] parameter(0)\n ROOT r = pred[4] bitcast(p) }"),
              HasSubstr("test.hlo:3:7: error: %r is a bitcast of s8[4] to pred[4], of which not "
                        "all bits are elements"));
  EXPECT_EQ(Run("ENTRY e {\n p = (s32[], f32[4]) parameter(0)\n"
                " ROOT r = (s32[], f32[4]) bitcast(p) }"),
            "");
  EXPECT_THAT(Text("ENTRY e {\n p = f32[<=4] parameter(0)\n ROOT r = f32[<=4] negate(p) }"),
              HasSubstr("test.hlo:2:2: error: %p: parameter has a dimension of unknown size"));
  EXPECT_THAT(
      Text("ENTRY e {\n p = ((f32[4]), f32[4], s32[]) parameter(0)\n"
           " u = ((f32[4]), f32[4], s32[]) async-update(p)\n"
           " ROOT r = f32[4] async-done(u) }"),
      HasSubstr("test.hlo:3:2: error: %u: async-update starts or continues no computation"));
  EXPECT_THAT(Text("ENTRY e {\n p = ((f32[4]), f32[4], s32[]) parameter(0)\n"
                   " ROOT r = f32[4] async-done(p) }"),
              HasSubstr("test.hlo:3:7: error: %r: async-done ends no async-start"));
  EXPECT_THAT(Text("ENTRY e {\n p = f32[4] parameter(0)\n"
                   " a = ((f32[4]), f32[4], s32[]) async-start(p)\n"
                   " ROOT r = f32[4] async-done(a) }"),
              HasSubstr("%a: async-start starts or continues no computation"));
  EXPECT_THAT(Text("ENTRY e {\n ROOT r = f32[4] custom-call(), custom_call_target=\"f\" }"),
              HasSubstr("custom-call is the call of a library"));
}

// Layouts differ where arrays are passed on, as in modules that are not laid out yet: a copy is in
// between.
TEST_F(ProgramTest, WhatIsPassedOnMayLieOtherwise) {
  for (const char* text : {
           R"(
f { p = f32[4,6]{1,0} parameter(0)
 u = f32[2,3]{0,1} parameter(1)
 i = s32[] parameter(2)
 ROOT n = f32[4,6]{1,0} dynamic-update-slice(p,u,i,i) }
ENTRY e { p = f32[4,6]{0,1} parameter(0)
 u = f32[2,3]{1,0} parameter(1)
 i = s32[] parameter(2)
 n = f32[4,6]{0,1} negate(p)
 ROOT r = f32[4,6]{0,1} fusion(n,u,i), kind=kLoop, calls=f })",
           R"(
f { p = f32[2,3]{1,0} parameter(0)
 ROOT n = f32[2,3]{1,0} negate(p) }
ENTRY e { p = f32[2,3]{0,1} parameter(0)
 ROOT r = f32[2,3]{1,0} call(p), to_apply=f })",
           R"(
f { p = f32[2,3]{0,1} parameter(0)
 ROOT n = f32[2,3]{0,1} negate(p) }
ENTRY e { p = f32[2,3]{0,1} parameter(0)
 ROOT r = f32[2,3]{1,0} call(p), to_apply=f })",
           R"(
f { p = f32[2,3]{1,0} parameter(0)
 ROOT n = f32[2,3]{1,0} negate(p) }
ENTRY e { p = f32[2,3]{0,1} parameter(0)
 ROOT r = f32[2,3]{1,0} fusion(p), kind=kLoop, calls=f })",
           R"(
add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a,b) }
f { p = f32[64,2,3]{0,1,2} parameter(0)
 z = f32[] constant(0)
 ROOT n = f32[2,3]{1,0} reduce(p,z), dimensions={0}, to_apply=add }
ENTRY e { p = f32[64,2,3] parameter(0)
 ROOT r = f32[2,3]{0,1} fusion(p), kind=kInput, calls=f })",
           R"(
ENTRY e { t = (f32[2,3]{0,1}, s32[]) parameter(0)
 g = f32[2,3]{1,0} get-tuple-element(t), index=0
 ROOT n = f32[2,3]{1,0} negate(g) })",
           R"(
ENTRY e { p = f32[2,3]{0,1} parameter(0)
 n = f32[2,3]{0,1} negate(p)
 ROOT t = (f32[2,3]{1,0}) tuple(n) })",
           R"(
ENTRY e { p = f32[2,3]{0,1} parameter(0)
 q = f32[2,3]{1,0} opt-barrier(p)
 ROOT n = f32[2,3]{1,0} negate(q) })",
           R"(
ENTRY e { p = f32[2,3]{0,1} parameter(0)
 k = token[] after-all()
 q = f32[2,3]{1,0} add-dependency(p, k)
 ROOT n = f32[2,3]{1,0} negate(q) })",
           R"(
c { t = (s32[], f32[2,3]{1,0}) parameter(0)
 i = s32[] get-tuple-element(t), index=0
 n = s32[] constant(3)
 ROOT r = pred[] compare(i,n), direction=LT }
b { t = (s32[], f32[2,3]{1,0}) parameter(0)
 i = s32[] get-tuple-element(t), index=0
 x = f32[2,3]{1,0} get-tuple-element(t), index=1
 o = s32[] constant(1)
 j = s32[] add(i,o)
 y = f32[2,3]{0,1} negate(x)
 ROOT r = (s32[], f32[2,3]{0,1}) tuple(j,y) }
ENTRY e { p = (s32[], f32[2,3]{0,1}) parameter(0)
 ROOT w = (s32[], f32[2,3]{0,1}) while(p), condition=c, body=b })",
           R"(
f { p = f32[2,3]{1,0} parameter(0)
 ROOT n = f32[2,3]{1,0} negate(p) }
g { p = f32[2,3]{1,0} parameter(0)
 ROOT n = f32[2,3]{0,1} copy(p) }
ENTRY e { p = f32[2,3]{0,1} parameter(0)
 k = pred[] parameter(1)
 ROOT r = f32[2,3]{1,0} conditional(k,p,p), true_computation=f, false_computation=g })",
           R"(
f { p = f32[2,3]{1,0} parameter(0)
 ROOT n = f32[2,3]{1,0} negate(p) }
ENTRY e { p = f32[2,3]{0,1} parameter(0)
 s = ((f32[2,3]{0,1}), f32[2,3]{0,1}, s32[]) async-start(p), calls=f
 ROOT r = f32[2,3]{1,0} async-done(s) })",
           R"(
ENTRY e { p = f32[2,3]{0,1} parameter(0)
 s = (f32[2,3]{1,0}, f32[2,3]{0,1}, u32[]) copy-start(p)
 ROOT r = f32[2,3]{1,0} copy-done(s) })",
           R"(
ENTRY e { p = f32[2,3]{0,1} parameter(0)
 s = (f32[2,3]{0,1}, f32[2,3]{0,1}, u32[]) copy-start(p)
 ROOT r = f32[2,3]{1,0} copy-done(s) })",
           R"(
ENTRY e { p = f32[2,3]{0,1} parameter(0)
 q = f32[2,3]{1,0} domain(p), domain={kind="sharding", entry={maximal device=0}, exit={maximal device=1}}
 ROOT r = f32[2,3]{1,0} negate(q) })",
           R"(
ENTRY e { p = f32[2,3]{0,1} constant({{1,2,3},{4,5,6}})
 q = (f32[2,3]{1,0}) tuple(p)
 ROOT g = f32[2,3]{0,1} get-tuple-element(q), index=0 })"}) {
    EXPECT_EQ(Run(text), "") << text;
  }
  EXPECT_THAT(Text("ENTRY e { t = (f32[2,3]{0,1}, s32[]) parameter(0)\n"
                   "ROOT g = f32[2,3]{1,0} get-tuple-element(t), index=0 }"),
              HasSubstr("0  launch relayout: parameter 0 -> output 0"));
  // The memory space is no other layout.
  EXPECT_THAT(Text("ENTRY e { t = (f32[2,3]{0,1:S(1)}, s32[]) parameter(0)\n"
                   "ROOT g = f32[2,3]{0,1} get-tuple-element(t), index=0 }"),
              HasSubstr("0  copy 24 bytes: parameter 0 -> output 0"));
}

TEST_F(ProgramTest, ArraysMayComeBeforeATokenThatHoldsNone) {
  EXPECT_EQ(Run(R"(
ENTRY e { p = f32[4] parameter(0)
 n = f32[4] negate(p)
 t = token[] after-all(n, p)
 u = token[] after-all(t)
 ROOT r = f32[4] add-dependency(p, u) })"),
            "");
}

// Few iterations of much work, and a kernel that loops within.
TEST_F(ProgramTest, TheLimitOfStepsIsOfTheWork) {
  const ProgramCheck loop(R"(
    less { s = (s32[], f32[100000]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(1000000)
      ROOT r = pred[] compare(i, n), direction=LT }
    step { s = (s32[], f32[100000]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      a = f32[100000] get-tuple-element(s), index=1
      one = s32[] constant(1)
      j = s32[] add(i, one)
      b = f32[100000] add(a, a)
      ROOT r = (s32[], f32[100000]) tuple(j, b) }
    ENTRY e {
      p = f32[100000] parameter(0)
      z = s32[] constant(0)
      t = (s32[], f32[100000]) tuple(z, p)
      ROOT w = (s32[], f32[100000]) while(t), condition=less, body=step })",
                          backend_);
  const ProgramCheck sum(R"(
    sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
    ENTRY e {
      p = f32[100000] parameter(0)
      z = f32[] constant(0)
      ROOT w = f32[100000] reduce-window(p, z), window={size=20000 pad=19999_0}, to_apply=sum })",
                         backend_);
  for (const ProgramCheck* check : {&loop, &sum}) {
    ASSERT_TRUE(check->is_accepted());
    VirtualGpu gpu;
    const absl::Status status = check->RunWithin(gpu, 1'000'000);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status.message();
    EXPECT_THAT(std::string(status.message()), HasSubstr("the limit of 1000000 steps is reached"));
    EXPECT_LT(gpu.num_launches(), 40);
    // Each thread of the host stops by itself. All of the sum would be 190 million.
    EXPECT_LT(gpu.warp_instructions(), 95'000'000U);
  }
}

// One step less than a program takes is too few; what it takes is enough.
TEST_F(ProgramTest, TheLimitOfStepsIsExact) {
  const ProgramCheck check("ENTRY e { p = f32[100] parameter(0) ROOT n = f32[100] negate(p) }",
                           backend_);
  VirtualGpu measured;
  ASSERT_TRUE(check.RunWithin(measured, 1'000'000).ok());
  const int64_t steps = 64 + 100 + static_cast<int64_t>(measured.warp_instructions());
  VirtualGpu gpu;
  EXPECT_TRUE(check.RunWithin(gpu, steps).ok());
  EXPECT_EQ(check.RunWithin(gpu, steps - 1).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(check.RunWithin(gpu, 63).code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(ProgramTest, TheSameProgramEachTime) {
  const ProgramCheck check(kLoop, backend_);
  const Program first = *check.Compile();
  const Program second = *check.Compile();
  EXPECT_EQ(first.ToString(), second.ToString());
  ASSERT_EQ(first.kernels.size(), second.kernels.size());
  for (size_t i = 0; i < first.kernels.size(); ++i) {
    EXPECT_EQ(first.kernels[i].text, second.kernels[i].text);
  }
}

}  // namespace
}  // namespace hlo_indexing::program
