// Accesses of a warp: each fault is found with its place in words, its repaired twin is silent; and
// what a profile counts.
#include "codegen/ptx/machine/warp_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ptx/machine/address.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/global_memory.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/ordering.h"
#include "codegen/ptx/machine/profile.h"
#include "codegen/ptx/machine/program.h"
#include "codegen/ptx/machine/warp.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// One block of two warps, without a kernel: tests make the accesses themselves.
class WarpAccessTest : public testing::Test {
 protected:
  WarpAccessTest() : profile_(8) {
    function_.name = "kernel";
    function_.local_bytes = 64;
    program_.functions.push_back(function_);
    program_.text = "line 1\nld.shared.u32\n";
    program_.file = "test.ptx";
    program_.shared_variables = {{"tile", 0, 128}, {"sums", 128, 32}};
    source_.opcode = "ld";
    source_.modifiers = {{"shared", {}}, {"u32", {}}};
    source_.place.offset = 8;
    options_.block = {16, 4, 1};
    launch_.program = &program_;
    launch_.options = &options_;
    launch_.memory = &memory_;
    launch_.findings = &findings_;
    launch_.profile = &profile_;
    launch_.parameters.resize(16);
    Begin(0);
  }

  void Begin(uint64_t linear_block) {
    block_.index = {static_cast<uint32_t>(linear_block), 0, 0};
    block_.linear_index = linear_block;
    block_.memory.Begin(160, options_.checks.initcheck);
    if (options_.checks.racecheck) block_.memory.BeginRaces(64);
    block_.warps.clear();
    for (int warp = 0; warp < 2; ++warp) {
      block_.warps.emplace_back(warp);
      block_.warps.back().Begin(program_.functions[0], kAllLanes);
    }
  }

  Execution On(int warp) {
    Execution execution;
    execution.warp = &block_.warps[static_cast<size_t>(warp)];
    execution.block = &block_;
    execution.launch = &launch_;
    execution.lanes = kAllLanes;
    execution.group = kAllLanes;
    return execution;
  }

  static WarpAccess Make(Space space, AccessKind kind, uint64_t base, uint64_t stride,
                         LaneMask lanes = kAllLanes, uint32_t bytes = 4) {
    WarpAccess access;
    access.space = space;
    access.kind = kind;
    access.lanes = lanes;
    access.bytes = bytes;
    access.alignment = bytes;
    for (uint64_t lane = 0; lane < kWarpSize; ++lane) {
      access.addresses[lane] = base + lane * stride;
    }
    return access;
  }

  LaneMask Resolve(const WarpAccess& access, uint32_t number = 0, int warp = 0) {
    Operation operation;
    operation.number = number;
    operation.source = &source_;
    return ResolveAccess(operation, On(warp), access, pointers_);
  }

  std::vector<std::string> Messages() const {
    std::vector<std::string> messages;
    for (const Finding& finding : findings_.Sorted()) messages.push_back(finding.ToString());
    return messages;
  }
  std::string OnlyMessage() const {
    const std::vector<std::string> messages = Messages();
    EXPECT_EQ(messages.size(), 1U);
    return messages.empty() ? "" : messages[0];
  }

  uint64_t Allocate(uint64_t bytes, std::string_view name, Contents contents = Contents::kZeros) {
    return memory_.Allocate(bytes, name, 256, contents).value();
  }

  GlobalMemory memory_;
  ProgramFunction function_;
  Program program_;
  syntax::Instruction source_;
  LaunchOptions options_;
  FindingLog findings_;
  Profile profile_;
  LaunchState launch_;
  Block block_;
  HostPointers pointers_ = {};
};

TEST_F(WarpAccessTest, GlobalBounds) {
  const uint64_t x = Allocate(128, "x");
  Allocate(128, "y");
  EXPECT_EQ(Resolve(Make(Space::kGlobal, AccessKind::kLoad, x, 4)), kAllLanes);
  EXPECT_TRUE(findings_.empty());
  EXPECT_EQ(pointers_[31] - pointers_[0], 124);
  // One element further: the last lane is outside, the others are executed.
  EXPECT_EQ(Resolve(Make(Space::kGlobal, AccessKind::kStore, x + 4, 4)), kAllLanes >> 1);
  EXPECT_EQ(Resolve(Make(Space::kGlobal, AccessKind::kStore, x + 4, 4)), kAllLanes >> 1);
  EXPECT_THAT(OnlyMessage(),
              AllOf(HasSubstr("memcheck: ld.shared.u32 writes 4 bytes"),
                    HasSubstr("right behind the end of x (128 bytes at 0x7f1000000100)"),
                    HasSubstr("kernel kernel at test.ptx:2"), HasSubstr("warp 0, lane 31"),
                    HasSubstr("thread (15,1,0)"), HasSubstr("2 times")));
}

TEST_F(WarpAccessTest, GlobalFaultsInWords) {
  const uint64_t x = Allocate(128, "x");
  const uint64_t gone = Allocate(128, "gone");
  const uint64_t fixed = Allocate(128, "fixed");
  ASSERT_TRUE(memory_.Free(gone).ok());
  ASSERT_TRUE(memory_.SetReadOnly(fixed, true).ok());
  EXPECT_EQ(Resolve(Make(Space::kGlobal, AccessKind::kLoad, 0, 4), 0), 0U);
  EXPECT_EQ(Resolve(Make(Space::kGlobal, AccessKind::kLoad, gone, 4), 1), 0U);
  EXPECT_EQ(Resolve(Make(Space::kGlobal, AccessKind::kLoad, x - 64, 4), 2), 0xffff0000U);
  EXPECT_EQ(Resolve(Make(Space::kGlobal, AccessKind::kLoad, x + 2, 8), 3), 0U);
  EXPECT_EQ(Resolve(Make(Space::kGlobal, AccessKind::kStore, fixed, 4), 4), 0U);
  EXPECT_EQ(Resolve(Make(Space::kGlobal, AccessKind::kLoad, fixed, 4), 5), kAllLanes);
  EXPECT_EQ(Resolve(Make(Space::kGlobal, AccessKind::kLoad, ~uint64_t{63}, 4, 0x10000), 6), 0U);
  const std::vector<std::string> messages = Messages();
  ASSERT_EQ(messages.size(), 6U);
  EXPECT_THAT(messages[0], HasSubstr("0x0 is a null pointer"));
  EXPECT_THAT(messages[1], HasSubstr("byte 0 of freed gone (128 bytes"));
  EXPECT_THAT(messages[2], HasSubstr("64 bytes before the start of x"));
  EXPECT_THAT(messages[3], HasSubstr("not a multiple of 4 (byte 2 of x"));
  EXPECT_THAT(messages[4], HasSubstr("of fixed, which kernels may not write"));
}

TEST_F(WarpAccessTest, LanesInSeveralAllocationsAndSpaces) {
  const uint64_t x = Allocate(128, "x");
  const uint64_t y = Allocate(128, "y");
  WarpAccess access = Make(Space::kGeneric, AccessKind::kLoad, x, 4);
  access.addresses[3] = y + 8;
  access.addresses[4] = kSharedWindow + 12;
  access.addresses[5] = kLocalWindow + 16;
  access.addresses[6] = kParamWindow + 4;
  access.addresses[7] = kParamWindow + 13;
  EXPECT_EQ(Resolve(access), kAllLanes & ~(LaneMask{1} << 7));
  EXPECT_EQ(pointers_[3], memory_.Find(y)->data + 8);
  EXPECT_EQ(pointers_[4], block_.memory.shared() + 12);
  EXPECT_EQ(pointers_[5], block_.warps[0].local(5) + 16);
  EXPECT_EQ(pointers_[6], launch_.parameters.data() + 4);
  EXPECT_THAT(OnlyMessage(), HasSubstr("param"));
}

TEST_F(WarpAccessTest, SharedLocalAndParameterBounds) {
  EXPECT_EQ(Resolve(Make(Space::kShared, AccessKind::kStore, 32, 4), 0), kAllLanes);
  EXPECT_EQ(Resolve(Make(Space::kLocal, AccessKind::kStore, 60, 0), 1), kAllLanes);
  EXPECT_EQ(Resolve(Make(Space::kParam, AccessKind::kLoad, 12, 0), 2), kAllLanes);
  EXPECT_TRUE(findings_.empty());
  EXPECT_EQ(Resolve(Make(Space::kShared, AccessKind::kStore, 36, 4), 0), kAllLanes >> 1);
  EXPECT_EQ(Resolve(Make(Space::kShared, AccessKind::kStore, ~uint64_t{3}, 0), 3), 0U);
  EXPECT_EQ(Resolve(Make(Space::kLocal, AccessKind::kStore, 64, 0), 1), 0U);
  EXPECT_EQ(Resolve(Make(Space::kParam, AccessKind::kLoad, 16, 0), 2), 0U);
  EXPECT_EQ(Resolve(Make(Space::kParam, AccessKind::kStore, 0, 0), 4), 0U);
  EXPECT_EQ(Resolve(Make(Space::kShared, AccessKind::kLoad, 130, 0, 1), 5), 0U);
  EXPECT_EQ(Resolve(Make(Space::kConst, AccessKind::kLoad, 0, 0, 1), 6), 0U);
  const std::vector<std::string> messages = Messages();
  ASSERT_EQ(messages.size(), 7U);
  EXPECT_THAT(messages[0], HasSubstr("right behind the end of the 160 bytes of shared memory"));
  EXPECT_THAT(messages[1], HasSubstr("far outside"));
  EXPECT_THAT(messages[5], HasSubstr("(byte 2 of sums (32 bytes of shared memory))"));
}

TEST_F(WarpAccessTest, ReadsOfWhatWasNeverWritten) {
  options_.checks.initcheck = true;
  Begin(0);
  const uint64_t x = Allocate(256, "x", Contents::kUnwritten);
  // The host writes half of it, the kernel a quarter.
  const std::vector<uint8_t> bytes(128, 1);
  ASSERT_TRUE(memory_.Write(x, bytes.data(), 128).ok());
  Resolve(Make(Space::kGlobal, AccessKind::kStore, x + 128, 4, 0xffff), 0);
  Resolve(Make(Space::kGlobal, AccessKind::kLoad, x, 4), 1);
  Resolve(Make(Space::kGlobal, AccessKind::kLoad, x + 64, 4), 1);
  EXPECT_TRUE(findings_.empty());
  Resolve(Make(Space::kGlobal, AccessKind::kLoad, x + 68, 4), 1);
  EXPECT_THAT(OnlyMessage(),
              AllOf(HasSubstr("initcheck"), HasSubstr("lane 31"),
                    HasSubstr("4 bytes were never written"), HasSubstr("byte 192 of x")));
  Resolve(Make(Space::kShared, AccessKind::kStore, 0, 2, kAllLanes, 2), 2);
  Resolve(Make(Space::kShared, AccessKind::kLoad, 0, 4, 0xffff), 3);
  Resolve(Make(Space::kLocal, AccessKind::kStore, 8, 0), 4);
  Resolve(Make(Space::kLocal, AccessKind::kLoad, 8, 0), 5);
  EXPECT_EQ(findings_.num_findings(), 1);
  Resolve(Make(Space::kShared, AccessKind::kLoad, 0, 4), 3);
  Resolve(Make(Space::kLocal, AccessKind::kLoad, 12, 0), 5);
  Resolve(Make(Space::kShared, AccessKind::kAtomic, 68, 0, 1), 6);
  EXPECT_EQ(findings_.num_findings(), 4);
}

TEST_F(WarpAccessTest, ACompareAndSwapUsesTheBytesThatItChanges) {
  options_.checks.initcheck = true;
  Begin(0);
  const uint64_t x = Allocate(16, "x", Contents::kUnwritten);
  const uint8_t byte = 1;
  ASSERT_TRUE(memory_.Write(x + 1, &byte, 1).ok());
  ASSERT_TRUE(memory_.Write(x + 5, &byte, 1).ok());
  // Byte 1 of the words changes, the others are kept.
  Lanes<uint32_t> kept_bytes;
  kept_bytes.fill(0b1101);
  WarpAccess access = Make(Space::kGlobal, AccessKind::kAtomic, x, 4, 0b11);
  access.kept_bytes = &kept_bytes;
  Resolve(access, 1);
  EXPECT_TRUE(findings_.empty());
  // What was kept was not written thereby.
  Resolve(Make(Space::kGlobal, AccessKind::kLoad, x, 0, 1, 1), 2);
  EXPECT_THAT(OnlyMessage(), HasSubstr("byte 0 of x"));
  // A word that nobody wrote is read whole; of another the bytes that change.
  access.addresses[0] = x + 8;
  access.lanes = 1;
  Resolve(access, 3);
  kept_bytes.fill(0b0101);
  access.addresses[0] = x + 4;
  Resolve(access, 4);
  ASSERT_EQ(findings_.num_findings(), 3);
  EXPECT_THAT(Messages()[1], HasSubstr("of which 4 bytes were never written"));
  EXPECT_THAT(Messages()[2], HasSubstr("of which 1 byte was never written"));
}

TEST_F(WarpAccessTest, ALaunchThatDoesNotTrackMakesNoFalseFinding) {
  const uint64_t x = Allocate(256, "x", Contents::kUnwritten);
  Resolve(Make(Space::kGlobal, AccessKind::kStore, x, 4));
  options_.checks.initcheck = true;
  Resolve(Make(Space::kGlobal, AccessKind::kLoad, x, 4));
  EXPECT_TRUE(findings_.empty());
}

TEST_F(WarpAccessTest, SharedRaceAndItsCure) {
  options_.checks.racecheck = true;
  for (const bool has_barrier : {true, false}) {
    Begin(0);
    Resolve(Make(Space::kShared, AccessKind::kStore, 0, 4), 0, 0);
    if (has_barrier) {
      const std::vector<WarpLanes> all = {{.warp = 0, .lanes = kAllLanes},
                                          {.warp = 1, .lanes = kAllLanes}};
      OrderBarrier(block_, 0, all);
    }
    Resolve(Make(Space::kShared, AccessKind::kLoad, 0, 4), 1, 1);
    EXPECT_EQ(findings_.empty(), has_barrier);
  }
  EXPECT_THAT(OnlyMessage(),
              AllOf(HasSubstr("racecheck"), HasSubstr("byte 0 of tile"),
                    HasSubstr("which warp 0 lane 0 writes"), HasSubstr("warp 1, lane 0")));
}

TEST_F(WarpAccessTest, LanesOfAWarpNeedTheirBarrier) {
  options_.checks.racecheck = true;
  Begin(0);
  Resolve(Make(Space::kShared, AccessKind::kStore, 0, 4), 0);
  OrderWarp(On(0), kAllLanes);
  Resolve(Make(Space::kShared, AccessKind::kLoad, 124, ~uint64_t{3}), 1);
  EXPECT_TRUE(findings_.empty());
  Resolve(Make(Space::kShared, AccessKind::kStore, 0, 4), 2);
  EXPECT_FALSE(findings_.empty());
}

class BlockRaceTest : public WarpAccessTest {
 protected:
  BlockRaceTest() { options_.checks.racecheck = true; }

  // Block `block` accesses the byte at `address` with one lane.
  void Access(uint64_t block, AccessKind kind, uint64_t address, bool is_strong = false,
              uint32_t bytes = 4) {
    if (block_.linear_index != block) Begin(block);
    WarpAccess access = Make(Space::kGlobal, kind, address, 0, 1, bytes);
    access.is_strong = is_strong;
    Resolve(access, static_cast<uint32_t>(kind));
  }
  void Fence() { OrderFence(On(0), true); }
};

TEST_F(BlockRaceTest, PlainAccessesRace) {
  const uint64_t x = Allocate(128, "x");
  Access(0, AccessKind::kStore, x);
  Access(0, AccessKind::kLoad, x);
  Access(1, AccessKind::kStore, x + 4);
  Access(1, AccessKind::kLoad, x + 8);
  Access(2, AccessKind::kLoad, x + 8);
  EXPECT_TRUE(findings_.empty());
  Access(3, AccessKind::kLoad, x);
  EXPECT_THAT(OnlyMessage(), AllOf(HasSubstr("racecheck"), HasSubstr("byte 0 of x"),
                                   HasSubstr("block (0,0,0) writes")));
  Access(3, AccessKind::kStore, x + 8);
  EXPECT_EQ(findings_.num_findings(), 2);
}

TEST_F(BlockRaceTest, NeighbouringHalvesAreNoRace) {
  const uint64_t x = Allocate(128, "x");
  Access(0, AccessKind::kStore, x);
  Access(1, AccessKind::kStore, x + 4, false, 2);
  Access(2, AccessKind::kStore, x + 6, false, 2);
  Access(3, AccessKind::kStore, x + 9, false, 1);
  Access(4, AccessKind::kStore, x + 8, false, 1);
  EXPECT_TRUE(findings_.empty());
  Access(5, AccessKind::kLoad, x + 4, false, 2);
  EXPECT_FALSE(findings_.empty());
}

TEST_F(BlockRaceTest, AtomicsDoNotRace) {
  const uint64_t x = Allocate(128, "x");
  for (uint64_t block = 0; block < 4; ++block) Access(block, AccessKind::kAtomic, x);
  Access(4, AccessKind::kLoad, x);
  Access(5, AccessKind::kAtomic, x);
  EXPECT_TRUE(findings_.empty());
  Access(6, AccessKind::kStore, x);
  EXPECT_FALSE(findings_.empty());
}

TEST_F(BlockRaceTest, LastBlockReadsWhatOthersReleased) {
  for (const bool has_fence : {true, false}) {
    launch_.global_races = nullptr;
    const uint64_t x = Allocate(128, "x");
    const uint64_t ticket = Allocate(4, "ticket");
    for (uint64_t block = 10; block < 14; ++block) {
      Access(block, AccessKind::kStore, x + 4 * (block - 10));
      if (has_fence) Fence();
      Access(block, AccessKind::kAtomic, ticket);
    }
    for (uint64_t i = 0; i < 4; ++i) Access(13, AccessKind::kLoad, x + 4 * i);
    EXPECT_EQ(findings_.empty(), has_fence);
  }
}

TEST_F(BlockRaceTest, StoringWhatIsThereIsNoRace) {
  const uint64_t x = Allocate(128, "x");
  for (uint64_t block = 0; block < 2; ++block) {
    Begin(block);
    WarpAccess access = Make(Space::kGlobal, AccessKind::kStore, x, 0, 1);
    constexpr std::byte kOne[4] = {std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}};
    access.stored = kOne;
    Resolve(access);
    std::copy(kOne, kOne + 4, pointers_[0]);
  }
  EXPECT_TRUE(findings_.empty());
}

TEST_F(WarpAccessTest, Counts) {
  const uint64_t x = Allocate(4096, "x");
  Resolve(Make(Space::kGlobal, AccessKind::kLoad, x, 128), 1);
  Resolve(Make(Space::kGlobal, AccessKind::kStore, x, 4), 2);
  Resolve(Make(Space::kGlobal, AccessKind::kAtomic, x, 0), 3);
  Resolve(Make(Space::kShared, AccessKind::kLoad, 0, 4), 4);
  Resolve(Make(Space::kShared, AccessKind::kLoad, 0, 128, 3), 5);
  Resolve(Make(Space::kParam, AccessKind::kLoad, 0, 0), 6);
  Resolve(Make(Space::kLocal, AccessKind::kStore, 0, 0), 7);
  EXPECT_EQ(profile_.operation(1).global_requests, 1U);
  EXPECT_EQ(profile_.operation(1).global_sectors, 32U);
  EXPECT_EQ(profile_.operation(1).global_ideal_sectors, 4U);
  EXPECT_EQ(profile_.operation(1).global_bytes, 128U);
  EXPECT_EQ(profile_.operation(2).global_sectors, 4U);
  EXPECT_EQ(profile_.operation(3).atomic_lanes, 32U);
  EXPECT_EQ(profile_.operation(3).atomic_collisions, 31U);
  EXPECT_EQ(profile_.operation(4).shared_wavefronts, 1U);
  EXPECT_EQ(profile_.operation(5).shared_bank_conflicts(), 1U);
  EXPECT_EQ(profile_.operation(6).constant_addresses, 1U);
  EXPECT_EQ(profile_.operation(7).local_sectors, 4U);
  const uint32_t number = memory_.Find(x)->number;
  EXPECT_EQ(CountBits(profile_.touched()[number].read), 32U);
  EXPECT_EQ(CountBits(profile_.touched()[number].written), 4U);
  Profile sum(8);
  sum.Merge(profile_);
  sum.Merge(profile_);
  EXPECT_EQ(sum.Sum().global_sectors, 2 * profile_.Sum().global_sectors);
  EXPECT_EQ(CountBits(sum.touched()[number].read), 32U);
}

}  // namespace
}  // namespace hlo_indexing::ptx
