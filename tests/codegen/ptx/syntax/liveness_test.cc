// Registers that are live at once, counted by hand.
#include "codegen/ptx/syntax/liveness.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/codegen/ptx/syntax/parsing.h"

namespace hlo_indexing::ptx::syntax {
namespace {

using hlo_indexing::testing::Parse;
using hlo_indexing::testing::WithHeader;
using hlo_indexing::testing::WithKernel;

LiveRegisters LiveIn(const std::string& body) {
  return CountLiveRegisters(Parse(WithKernel(body)).function()).value();
}

LiveRegisters Live(uint64_t words, uint64_t predicates = 0) { return {words, predicates}; }

TEST(Liveness, StraightLines) {
  EXPECT_EQ(LiveIn("ret;"), Live(0));
  // A result that nobody reads takes a register where it is made.
  EXPECT_EQ(LiveIn("mov.u32 %r1, 1; ret;"), Live(1));
  EXPECT_EQ(LiveIn("mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; ret;"), Live(2));
  EXPECT_EQ(LiveIn("mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; add.u32 %r3, %r3, %r1;"
                   " ret;"),
            Live(2));
  EXPECT_EQ(LiveIn("mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], "
                   "%r3; st.global.u32 [%rd1+4], %r1; ret;"),
            Live(4));
}

TEST(Liveness, WidthsVectorsAndPredicates) {
  EXPECT_EQ(
      LiveIn("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; st.global.u32 [%rd2], %r4; ret;"),
      Live(6));
  EXPECT_EQ(LiveIn("setp.eq.u32 %p1|%p2, %r1, %r2; ret;"), Live(2, 2));
  EXPECT_EQ(LiveIn(".reg .b16 %h<3>; cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r1;"
                   " add.u16 %h1, %h1, %h2; ret;"),
            Live(2));
  EXPECT_EQ(LiveIn(".reg .b128 %q; mov.b128 %q, {%rd1, %rd2}; mov.b128 {%rd3, %rd4}, %q; ret;"),
            Live(4));
}

TEST(Liveness, WhatIsReadAndNotWritten) {
  EXPECT_EQ(LiveIn("mov.u32 %r1, 1; bar.sync %r1; ret;"), Live(1));
  EXPECT_EQ(LiveIn("bar.sync %r1, %r2; ret;"), Live(2));
  EXPECT_EQ(LiveIn("nanosleep.u32 %r1; ret;"), Live(1));
  EXPECT_EQ(LiveIn("bar.red.popc.u32 %r1, 0, %p1; ret;"), Live(1, 1));
}

// The old value stays where the guard is false.
TEST(Liveness, Guards) {
  EXPECT_EQ(
      LiveIn("mov.u32 %r1, 1; mov.u32 %r2, 2; @%p1 mov.u32 %r1, 3; add.u32 %r3, %r1, %r2; ret;"),
      Live(2, 1));
  EXPECT_EQ(LiveIn("mov.u32 %r2, 2; mov.u32 %r1, 3; add.u32 %r3, %r1, %r2; @%p1 ret; ret;"),
            Live(2, 1));
}

// What the next round reads is live to the end of the loop.
TEST(Liveness, LoopsAndBranches) {
  EXPECT_EQ(LiveIn("mov.u32 %r1, 0; mov.u32 %r2, 9; L: add.u32 %r1, %r1, 1; mov.u32 %r3, 1;"
                   " add.u32 %r4, %r3, %r3; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; ret;"),
            Live(3, 1));
  // Each side has a value that the other one does not need.
  EXPECT_EQ(LiveIn("mov.u32 %r1, 1; mov.u32 %r2, 2; @%p1 bra E; st.global.u32 [%rd1], %r1; ret;"
                   " E: st.global.u32 [%rd1], %r2; ret;"),
            Live(4, 1));
  EXPECT_EQ(LiveIn("bra E; M: st.global.u32 [%rd1], %r7; ret; E: mov.u32 %r7, 1; bra M;"), Live(3));
  EXPECT_EQ(LiveIn("T: .branchtargets A, B; brx.idx %r1, T; A: st.global.u32 [%rd1], %r2; ret;"
                   " B: st.global.u32 [%rd1], %r3; ret;"),
            Live(5));
}

TEST(Liveness, Functions) {
  const auto module = Parse(WithHeader(
      ".func (.reg .b32 r) f(.reg .b32 a) { .reg .b32 %t<3>; mov.b32 %t1, a; add.u32 %t2, %t1, a;"
      " mov.b32 r, %t2; ret; }\n"
      ".func (.reg .b32 r) g(.reg .b32 a);"));
  EXPECT_EQ(CountLiveRegisters(module.module.functions[0]), Live(2));
  EXPECT_EQ(CountLiveRegisters(module.module.functions[1]), std::nullopt);
}

}  // namespace
}  // namespace hlo_indexing::ptx::syntax
