// cp.async, cp.async.bulk and mbarrier: what is there before and after a wait, and what misuse is
// found.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/codegen/ptx/instructions/one_warp.h"

namespace hlo_indexing::ptx {
namespace {

using testing::HasSubstr;

/// %r1: 16 times the lane's number, the address of its bytes in shared memory.
constexpr const char* kOwnTile =
    "st.shared.b32 [tile+4000], 0; bar.warp.sync -1;\n"
    "atom.shared.add.u32 %r1, [tile+4000], 16; bar.warp.sync -1;\n";

Records Numbered() {
  Records records;
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t i = 0; i < 16; ++i) {
      records.Set<uint32_t>(lane, 4 * i, static_cast<uint32_t>(100 * lane + i));
    }
  }
  return records;
}

Records After(const std::string& text, Records records,
              std::vector<std::string>* findings = nullptr, LaunchOptions options = {}) {
  const absl::Status status = RunWarp(kOwnTile + text, records, findings, std::move(options));
  EXPECT_TRUE(status.ok()) << status;
  return records;
}

TEST(CpAsyncTest, BytesArriveWithTheWaitOfTheirGroup) {
  const Records after = After(
      "cp.async.cg.shared.global [%r1], [%rd1], 16; cp.async.commit_group;\n"
      "cp.async.ca.shared.global.L2::128B [%r1+512], [%rd1+16], 8; cp.async.commit_group;\n"
      "ld.shared.b32 %r2, [%r1]; st.global.b32 [%rd1+64], %r2;\n"
      "cp.async.wait_group 1;\n"
      "ld.shared.b32 %r2, [%r1+12]; st.global.b32 [%rd1+68], %r2;\n"
      "ld.shared.b32 %r2, [%r1+516]; st.global.b32 [%rd1+72], %r2;\n"
      "cp.async.wait_group 0;\n"
      "ld.shared.b32 %r2, [%r1+516]; st.global.b32 [%rd1+76], %r2;\n"
      "cp.async.ca.shared.global [%r1], [%rd1+20], 4; cp.async.wait_group 0;\n"
      "ld.shared.b32 %r2, [%r1]; st.global.b32 [%rd1+80], %r2;\n"
      "cp.async.wait_all;\n"
      "ld.shared.b32 %r2, [%r1]; st.global.b32 [%rd1+84], %r2;\n",
      Numbered());
  for (size_t lane = 0; lane < 32; ++lane) {
    const auto base = static_cast<uint32_t>(100 * lane);
    EXPECT_EQ(after.Get<uint32_t>(lane, 64), ~0U);
    EXPECT_EQ(after.Get<uint32_t>(lane, 68), base + 3);
    EXPECT_EQ(after.Get<uint32_t>(lane, 72), ~0U);
    EXPECT_EQ(after.Get<uint32_t>(lane, 76), base + 5);
    EXPECT_EQ(after.Get<uint32_t>(lane, 80), base);  // In no group yet.
    EXPECT_EQ(after.Get<uint32_t>(lane, 84), base + 5);
  }
}

TEST(CpAsyncTest, SourceSizeAndIgnoredSource) {
  Records records = Numbered();
  for (size_t lane = 0; lane < 32; ++lane) {
    records.Set<uint32_t>(lane, 128, static_cast<uint32_t>(lane % 17));
  }
  // Nothing is read where the size is 0 or the source is ignored: the address may be wrong.
  const Records after = After(
      "ld.global.b32 %r3, [%rd1+128];\n"
      "cp.async.cg.shared.global [%r1], [%rd1], 16, %r3;\n"
      "cp.async.ca.shared.global [%r1+512], [%rd9], 4, 0;\n"
      "elect.sync %r5|%p1, -1;\n"
      "cp.async.ca.shared.global [%r1+1024], [%rd1], 8, %p1;\n"
      "cp.async.wait_all;\n"
      "ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r1];\n"
      "st.global.v4.b32 [%rd1+64], {%r10, %r11, %r12, %r13};\n"
      "ld.shared.b32 %r10, [%r1+512]; st.global.b32 [%rd1+80], %r10;\n"
      "ld.shared.b32 %r10, [%r1+1028]; st.global.b32 [%rd1+84], %r10;\n",
      records);
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t byte = 0; byte < 16; ++byte) {
      const auto expected =
          byte < lane % 17 ? records.Get<uint8_t>(lane, byte) : static_cast<uint8_t>(0);
      EXPECT_EQ(after.Get<uint8_t>(lane, 64 + byte), expected) << lane << " " << byte;
    }
    EXPECT_EQ(after.Get<uint32_t>(lane, 80), 0U);
    EXPECT_EQ(after.Get<uint32_t>(lane, 84), lane == 0 ? 0U : 100 * lane + 1);
  }
}

TEST(CpAsyncTest, ReadingTooEarlyIsARace) {
  LaunchOptions options;
  options.checks.racecheck = true;
  const std::string copy = "cp.async.cg.shared.global [%r1], [%rd1], 16; cp.async.commit_group;\n";
  const std::string read = "ld.shared.b32 %r2, [%r1]; st.global.b32 [%rd1+64], %r2;\n";
  std::vector<std::string> findings;
  After(copy + read + "cp.async.wait_group 0;\n", Numbered(), &findings, options);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0], HasSubstr("asynchronous copy"));
  findings.clear();
  After(copy + "cp.async.wait_group 0;\n" + read, Numbered(), &findings, options);
  EXPECT_THAT(findings, testing::IsEmpty());
}

TEST(MbarrierTest, PhasesStatesAndCounts) {
  const Records after = After(
      "elect.sync %r5|%p1, -1;\n"
      "@%p1 mbarrier.init.shared.b64 [tile+2048], 32;\n"
      "bar.warp.sync -1;\n"
      "mbarrier.arrive.shared::cta.b64 %rd2, [tile+2048];\n"
      "mbarrier.pending_count.b64 %r6, %rd2; st.global.b32 [%rd1+64], %r6;\n"
      "mbarrier.test_wait.shared.b64 %p2, [tile+2048], %rd2;\n"
      "vote.sync.ballot.b32 %r7, %p2, -1; st.global.b32 [%rd1+68], %r7;\n"
      "mbarrier.try_wait.parity.shared.b64 %p2, [tile+2048], 0;\n"
      "vote.sync.ballot.b32 %r7, %p2, -1; st.global.b32 [%rd1+72], %r7;\n"
      "mbarrier.try_wait.parity.shared.b64 %p2, [tile+2048], 1, 100;\n"
      "vote.sync.ballot.b32 %r7, %p2, -1; st.global.b32 [%rd1+76], %r7;\n"
      "@%p1 mbarrier.inval.shared.b64 [tile+2048];\n",
      Numbered());
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(after.Get<uint32_t>(lane, 64), 32 - lane);
    EXPECT_EQ(after.Get<uint32_t>(lane, 68), ~0U);
    EXPECT_EQ(after.Get<uint32_t>(lane, 72), ~0U);
    EXPECT_EQ(after.Get<uint32_t>(lane, 76), 0U);
  }
}

std::vector<std::string> MisuseOf(const std::string& text) {
  std::vector<std::string> findings;
  After("elect.sync %r5|%p1, -1;\n" + text, Numbered(), &findings);
  return findings;
}

TEST(MbarrierTest, MisuseIsFound) {
  const std::string init = "@%p1 mbarrier.init.shared.b64 [tile+2048], 2; bar.warp.sync -1;\n";
  EXPECT_THAT(MisuseOf("mbarrier.test_wait.parity.shared.b64 %p2, [tile+2048], 0;"),
              testing::ElementsAre(HasSubstr("no mbarrier")));
  EXPECT_THAT(MisuseOf(init + "@%p1 mbarrier.inval.shared.b64 [tile+2048]; bar.warp.sync -1;\n"
                              "@%p1 mbarrier.test_wait.parity.shared.b64 %p2, [tile+2048], 0;"),
              testing::ElementsAre(HasSubstr("no mbarrier")));
  EXPECT_THAT(MisuseOf(init + "@%p1 mbarrier.arrive.shared.b64 _, [tile+2048], 3;"),
              testing::ElementsAre(HasSubstr("more arrivals")));
  EXPECT_THAT(MisuseOf(init + "@%p1 mbarrier.arrive.noComplete.shared.b64 %rd2, [tile+2048], 2;"),
              testing::ElementsAre(HasSubstr("noComplete")));
  EXPECT_THAT(MisuseOf("@%p1 mbarrier.init.shared.b64 [tile+2048], 0;"),
              testing::ElementsAre(HasSubstr("from 1 to 1048575")));
  EXPECT_THAT(MisuseOf(init + "@%p1 mbarrier.arrive.shared.b64 _, [tile+2048], 2;"),
              testing::IsEmpty());
  EXPECT_THAT(MisuseOf("@%p1 mbarrier.init.b64 [%rd1], 2;"),
              testing::ElementsAre(HasSubstr("not of shared memory")));
}

TEST(MbarrierTest, CopiesOnABarrier) {
  // All lanes copy, and arrive when their copies are done; a bulk copy brings 64 bytes more.
  const Records after = After(
      "elect.sync %r5|%p1, -1;\n"
      "@%p1 mbarrier.init.shared.b64 [tile+2048], 33; bar.warp.sync -1;\n"
      "cp.async.cg.shared.global [%r1], [%rd1], 16;\n"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [tile+2048];\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [tile+2048], 64;\n"
      "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+1024], [%rd1], "
      "64, [tile+2048];\n"
      "ld.shared.b32 %r2, [tile+1028]; st.global.b32 [%rd1+64], %r2;\n"
      "again: mbarrier.try_wait.parity.shared.b64 %p2, [tile+2048], 0;\n"
      "@!%p2 bra again;\n"
      "ld.shared.b32 %r2, [%r1+4]; st.global.b32 [%rd1+68], %r2;\n"
      "ld.shared.b32 %r2, [tile+1084]; st.global.b32 [%rd1+72], %r2;\n",
      Numbered());
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(after.Get<uint32_t>(lane, 64), ~0U);
    EXPECT_EQ(after.Get<uint32_t>(lane, 68), 100 * lane + 1);
    EXPECT_EQ(after.Get<uint32_t>(lane, 72), 15U);
  }
}

TEST(MbarrierTest, CopiesWithinSharedMemory) {
  LaunchOptions options;
  options.checks.racecheck = true;
  std::vector<std::string> findings;
  const std::string copy =
      "elect.sync %r5|%p1, -1;\n"
      "@%p1 mbarrier.init.shared.b64 [tile+2048], 1;\n"
      "ld.global.b32 %r3, [%rd1+8]; st.shared.b32 [%r1], %r3; bar.warp.sync -1;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [tile+2048], 512;\n"
      "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [tile+1024], "
      "[tile], 512, [tile+2048];\n";
  const std::string wait =
      "again: mbarrier.try_wait.parity.shared.b64 %p2, [tile+2048], 0; @!%p2 bra again;\n";
  const Records after =
      After(copy + wait + "ld.shared.b32 %r2, [%r1+1024]; st.global.b32 [%rd1+64], %r2;\n",
            Numbered(), &findings, options);
  EXPECT_THAT(findings, testing::IsEmpty());
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(after.Get<uint32_t>(lane, 64), 100 * lane + 2);
  }
  // The source is read until the copy has ended.
  After(copy + "st.shared.b32 [%r1], 7;\n" + wait, Numbered(), &findings, options);
  EXPECT_THAT(findings, testing::Contains(HasSubstr("reads by an asynchronous copy")));
}

TEST(MbarrierTest, ReadingBeforeTheCopyOfThePhaseIsARace) {
  LaunchOptions options;
  options.checks.racecheck = true;
  const auto findings_with = [&](const std::string& parity) {
    std::vector<std::string> findings;
    After(
        "elect.sync %r5|%p1, -1;\n"
        "@%p1 mbarrier.init.shared.b64 [tile+2048], 1; bar.warp.sync -1;\n"
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [tile+2048], 64;\n"
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], "
        "64, [tile+2048];\n"
        "bar.warp.sync -1;\n"
        "again: mbarrier.try_wait.parity.shared.b64 %p2, [tile+2048], " +
            parity +
            "; @!%p2 bra again;\n"
            "ld.shared.b32 %r3, [tile+4]; st.global.b32 [%rd1+64], %r3;\n",
        Numbered(), &findings, options);
    return findings;
  };
  EXPECT_THAT(findings_with("0"), testing::IsEmpty());
  const std::vector<std::string> too_early = findings_with("1");
  ASSERT_EQ(too_early.size(), 1U);
  EXPECT_THAT(too_early[0], HasSubstr("asynchronous copy"));
}

// The parity of the phase before the first one: nobody waits for the copy, and reads come too
// early.
TEST(MbarrierTest, WhoAsksForThePhaseBeforeDoesNotWait) {
  const std::string body =
      "elect.sync %r5|%p1, -1;\n"
      "@%p1 mbarrier.init.shared.b64 [tile+2048], 1; bar.warp.sync -1;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [tile+2048], 64;\n"
      "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 64, "
      "[tile+2048];\n"
      "mbarrier.test_wait.parity.shared.b64 %p2, [tile+2048], 1;\n"
      "selp.u32 %r3, 1, 0, %p2; st.global.b32 [%rd1+64], %r3;\n"
      "ld.shared.b32 %r3, [tile+4]; st.global.b32 [%rd1+68], %r3;\n"
      "mbarrier.test_wait.parity.shared.b64 %p2, [tile+2048], 0;\n"
      "selp.u32 %r3, 1, 0, %p2; st.global.b32 [%rd1+72], %r3;\n"
      "ld.shared.b32 %r3, [tile+4]; st.global.b32 [%rd1+76], %r3;\n";
  const Records after = After(body, Numbered());
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(after.Get<uint32_t>(lane, 64), 1U);
    EXPECT_EQ(after.Get<uint32_t>(lane, 68), ~0U);
    EXPECT_EQ(after.Get<uint32_t>(lane, 72), 1U);
    EXPECT_EQ(after.Get<uint32_t>(lane, 76), 1U);
  }
}

TEST(CpAsyncBulkTest, ToGlobalMemoryInGroups) {
  const std::string fill = "ld.global.b32 %r2, [%rd1]; st.shared.v4.b32 [%r1], {%r2, 1, 2, 3};\n";
  const Records after =
      After(fill +
                "cp.async.bulk.global.shared::cta.bulk_group [%rd1+64], [%r1], 16;\n"
                "cp.async.bulk.commit_group;\n"
                "ld.global.b32 %r3, [%rd1+64]; st.global.b32 [%rd1+96], %r3;\n"
                "cp.async.bulk.wait_group.read 0;\n"
                "ld.global.b32 %r3, [%rd1+64]; st.global.b32 [%rd1+100], %r3;\n"
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1+64], [%r1], 16;\n"
                "cp.async.bulk.commit_group;\n",
            Numbered());
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(after.Get<uint32_t>(lane, 96), 0U);
    EXPECT_EQ(after.Get<uint32_t>(lane, 100), 100 * lane);
    // The reduction is not waited for: it ends with the block.
    EXPECT_EQ(after.Get<uint32_t>(lane, 64), 200 * lane);
    EXPECT_EQ(after.Get<uint32_t>(lane, 76), 6U);
  }
}

TEST(CpAsyncTest, WhatIsNotThere) {
  const auto refuse = [](const std::string& text) {
    Records records;
    return std::string(RunWarp(text, records).message());
  };
  EXPECT_THAT(refuse("cp.async.cg.shared.global [%r1], [%rd1], 8;"), HasSubstr("16 bytes"));
  EXPECT_THAT(refuse("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                     "multicast::cluster [%r1], [%rd1], %r2, [%r3], %h1;"),
              HasSubstr("cluster"));
  EXPECT_THAT(refuse("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::"
                     "bytes.add.u32 [%r1], [%r4], %r2, [%r3];"),
              HasSubstr("cluster"));
  EXPECT_THAT(
      refuse("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r4], %r2, %h1;"),
      HasSubstr("cp_mask"));
  EXPECT_THAT(refuse("mbarrier.arrive.cta.shared.b64 %rd2, [tile];"), HasSubstr("semantics"));
  EXPECT_THAT(refuse("mbarrier.try_wait.acquire.shared.b64 %p1, [tile], %rd2;"),
              HasSubstr("scope"));
}

}  // namespace
}  // namespace hlo_indexing::ptx
