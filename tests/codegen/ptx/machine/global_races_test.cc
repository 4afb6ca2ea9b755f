// Races of blocks in global memory against a look at every earlier access to every byte: random
// plain reads and writes, side by side, strided, all of one place, of whole words and of parts.
#include "codegen/ptx/machine/global_races.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "codegen/ptx/machine/global_memory.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/warp_access.h"

namespace hlo_indexing::ptx {
namespace {

constexpr uint64_t kBytes = 2048;

// Who has read and written each byte.
class Model {
 public:
  bool HasRace(uint64_t block, const WarpAccess& access, LaneMask lanes) const {
    bool has_race = false;
    ForEachByte(access, lanes, [&](uint64_t byte) {
      for (const uint64_t other : writers_[byte]) has_race |= other != block;
      if (access.kind != AccessKind::kStore) return;
      for (const uint64_t other : readers_[byte]) has_race |= other != block;
    });
    return has_race;
  }
  void Add(uint64_t block, const WarpAccess& access, LaneMask lanes) {
    ForEachByte(access, lanes, [&](uint64_t byte) {
      (access.kind == AccessKind::kStore ? writers_ : readers_)[byte].insert(block);
    });
  }

 private:
  template <typename Visit>
  static void ForEachByte(const WarpAccess& access, LaneMask lanes, const Visit& visit) {
    ForEachLane(lanes, [&](int lane) {
      const uint64_t first = access.addresses[static_cast<size_t>(lane)] % kBytes;
      for (uint64_t i = 0; i < access.bytes; ++i) visit(first + i);
    });
  }

  std::array<std::set<uint64_t>, kBytes> readers_;
  std::array<std::set<uint64_t>, kBytes> writers_;
};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}
  uint64_t Pick(uint64_t count) { return random_() % count; }

  // Blocks mostly stay in parts of their own, so that races are late.
  WarpAccess Access(uint64_t base, uint64_t block) {
    WarpAccess access;
    access.space = Space::kGlobal;
    access.kind = Pick(3) == 0 ? AccessKind::kStore : AccessKind::kLoad;
    access.bytes = Pick(4) != 0 ? 4 : uint32_t{1} << Pick(5);
    access.alignment = access.bytes;
    constexpr uint64_t kPart = kBytes / 4;
    const uint64_t part = Pick(40) == 0 ? Pick(4) : block % 4;
    const std::array<uint64_t, 4> strides = {access.bytes, access.bytes, 0,
                                             uint64_t{4} * access.bytes};
    const uint64_t stride = strides[Pick(4)];
    const uint64_t start = Pick(kPart) / access.bytes * access.bytes;
    for (uint64_t lane = 0; lane < kWarpSize; ++lane) {
      access.addresses[lane] = base + part * kPart + (start + lane * stride) % kPart;
    }
    return access;
  }
  LaneMask Lanes() { return Pick(3) == 0 ? static_cast<LaneMask>(random_()) | 1 : kAllLanes; }

 private:
  std::mt19937 random_;
};

TEST(GlobalRaces, FirstRaceIsThatOfEveryPair) {
  int num_races = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    Generator random(seed);
    GlobalRaceDetector detector;
    Allocation allocation;
    allocation.address = uint64_t{1} << 20;
    allocation.bytes = kBytes;
    Model model;
    const HostPointers pointers = {};
    for (int i = 0; i < 60; ++i) {
      const uint64_t block = random.Pick(4);
      const WarpAccess access = random.Access(allocation.address, block);
      const LaneMask lanes = random.Lanes();
      const bool expected = model.HasRace(block, access, lanes);
      const std::optional<GlobalRace> race =
          detector.Access(block, allocation, access, lanes, pointers);
      ASSERT_EQ(race.has_value(), expected) << "seed " << seed << ", access " << i;
      if (expected) {
        ++num_races;
        EXPECT_NE(race->other_block, block);
        break;
      }
      model.Add(block, access, lanes);
    }
  }
  EXPECT_GT(num_races, 200);
  EXPECT_LT(num_races, 1990);
}

// An access that cannot be looked at is told, and does not end the launch.
TEST(GlobalRaces, WithoutMemoryOfTheHostTheyAreUnchecked) {
  Allocation allocation;
  allocation.address = uint64_t{1} << 20;
  allocation.bytes = uint64_t{1} << 62;
  allocation.name = "x";
  WarpAccess access;
  access.space = Space::kGlobal;
  access.kind = AccessKind::kStore;
  access.bytes = 4;
  access.alignment = 4;
  access.addresses.fill(allocation.address);
  GlobalRaceDetector detector;
  EXPECT_EQ(detector.unchecked(), "");
  EXPECT_FALSE(detector.Access(0, allocation, access, 1, {}).has_value());
  EXPECT_FALSE(detector.Access(1, allocation, access, 1, {}).has_value());
  EXPECT_EQ(detector.unchecked(),
            "the host has no memory to keep who accesses the 4611686018427387904 bytes of x");
}

}  // namespace
}  // namespace hlo_indexing::ptx
