// Sectors, lines and wavefronts against models that look at single bytes and words.
#include "codegen/ptx/machine/access_footprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/warp_access.h"

namespace hlo_indexing::ptx {
namespace {

std::vector<int> LanesOf(const WarpAccess& access) {
  std::vector<int> lanes;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((access.lanes >> lane & 1) != 0) lanes.push_back(lane);
  }
  return lanes;
}

std::set<uint64_t> BytesOf(const WarpAccess& access) {
  std::set<uint64_t> bytes;
  for (const int lane : LanesOf(access)) {
    for (uint64_t i = 0; i < access.bytes; ++i) {
      bytes.insert(access.addresses[static_cast<size_t>(lane)] + i);
    }
  }
  return bytes;
}

std::set<uint64_t> UnitsOf(const std::set<uint64_t>& bytes, uint64_t unit) {
  std::set<uint64_t> units;
  for (const uint64_t byte : bytes) units.insert(byte / unit);
  return units;
}

// The lanes are served in groups, so that a group wants at most 128 bytes; each word of a group
// that lies in a bank takes a pass of its own.
SharedFootprint SharedModel(const WarpAccess& access) {
  const int group_size = access.bytes <= 4 ? 32 : access.bytes == 8 ? 16 : 8;
  SharedFootprint footprint;
  for (int first = 0; first < kWarpSize; first += group_size) {
    std::map<uint64_t, std::set<uint64_t>> words_of_bank;
    for (const int lane : LanesOf(access)) {
      if (lane < first || lane >= first + group_size) continue;
      for (uint64_t i = 0; i < access.bytes; ++i) {
        const uint64_t word = (access.addresses[static_cast<size_t>(lane)] + i) / 4;
        words_of_bank[word % 32].insert(word);
      }
    }
    size_t passes = 0;
    for (const auto& [bank, words] : words_of_bank) passes = std::max(passes, words.size());
    footprint.wavefronts += static_cast<uint32_t>(passes);
    footprint.ideal_wavefronts += passes > 0 ? 1 : 0;
  }
  return footprint;
}

uint32_t LocalModel(const WarpAccess& access) {
  std::set<uint64_t> sectors;
  for (const int lane : LanesOf(access)) {
    for (uint64_t i = 0; i < access.bytes; ++i) {
      const uint64_t byte = access.addresses[static_cast<size_t>(lane)] + i;
      sectors.insert((byte / 4 * 128 + static_cast<uint64_t>(lane) * 4 + byte % 4) / 32);
    }
  }
  return static_cast<uint32_t>(sectors.size());
}

void ExpectAsModel(const WarpAccess& access, bool is_aligned) {
  const std::set<uint64_t> bytes = BytesOf(access);
  SectorList touched;
  const GlobalFootprint global = GlobalFootprintOf(access, touched);
  const std::set<uint64_t> sectors = UnitsOf(bytes, 32);
  EXPECT_EQ(global.sectors, sectors.size());
  EXPECT_EQ(global.ideal_sectors, (bytes.size() + 31) / 32);
  EXPECT_EQ(global.lines, UnitsOf(bytes, 128).size());
  std::set<uint64_t> listed;
  for (int i = 0; i < touched.count; ++i) listed.insert(touched.sectors[static_cast<size_t>(i)]);
  EXPECT_EQ(listed, sectors);
  EXPECT_EQ(static_cast<size_t>(touched.count), sectors.size());

  std::set<uint64_t> addresses;
  for (const int lane : LanesOf(access)) {
    addresses.insert(access.addresses[static_cast<size_t>(lane)]);
  }
  EXPECT_EQ(DistinctAddresses(access), addresses.size());
  EXPECT_EQ(LocalSectorsOf(access), LocalModel(access));
  if (is_aligned && access.bytes <= 16) {
    const SharedFootprint shared = SharedFootprintOf(access);
    const SharedFootprint model = SharedModel(access);
    EXPECT_EQ(shared.wavefronts, model.wavefronts);
    EXPECT_EQ(shared.ideal_wavefronts, model.ideal_wavefronts);
  }
}

TEST(AccessFootprintTest, AgreesWithSingleBytes) {
  std::mt19937 random(1);
  constexpr uint64_t kStrides[] = {0, 1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 64, 1024};
  for (int round = 0; round < 6000; ++round) {
    WarpAccess access;
    access.bytes = 1U << random() % 6;
    const bool is_aligned = random() % 4 != 0;
    const uint64_t unit = is_aligned ? access.bytes : 1;
    const uint64_t base = random() % 1024 * unit;
    const uint64_t stride = kStrides[random() % std::size(kStrides)];
    const uint32_t pattern = static_cast<uint32_t>(random() % 5);
    for (uint64_t lane = 0; lane < kWarpSize; ++lane) {
      uint64_t index = 0;
      if (pattern <= 1) index = lane * stride;
      if (pattern == 2) index = (31 - lane) * stride;
      if (pattern == 3) index = random() % 64;
      if (pattern == 4) index = random() % 100000;
      access.addresses[lane] = base + index * unit;
    }
    access.lanes = random() % 2 == 0 ? kAllLanes : static_cast<LaneMask>(random());
    if (access.lanes == 0) continue;
    SCOPED_TRACE(testing::Message() << "round " << round << ", bytes " << access.bytes
                                    << ", pattern " << pattern << ", stride " << stride);
    ExpectAsModel(access, is_aligned);
    if (HasFailure()) return;
  }
}

WarpAccess Strided(uint32_t bytes, uint64_t stride) {
  WarpAccess access;
  access.bytes = bytes;
  access.lanes = kAllLanes;
  for (uint64_t lane = 0; lane < kWarpSize; ++lane) access.addresses[lane] = lane * stride;
  return access;
}

TEST(AccessFootprintTest, KnownPatterns) {
  SectorList touched;
  EXPECT_EQ(GlobalFootprintOf(Strided(4, 4), touched).sectors, 4U);
  EXPECT_EQ(GlobalFootprintOf(Strided(16, 16), touched).sectors, 16U);
  EXPECT_EQ(GlobalFootprintOf(Strided(4, 4096), touched).sectors, 32U);
  EXPECT_EQ(GlobalFootprintOf(Strided(4, 4096), touched).ideal_sectors, 4U);
  EXPECT_EQ(GlobalFootprintOf(Strided(4, 0), touched).ideal_sectors, 1U);
  // A column of a tile with 32 words in a row, and with 33.
  EXPECT_EQ(SharedFootprintOf(Strided(4, 128)).wavefronts, 32U);
  EXPECT_EQ(SharedFootprintOf(Strided(4, 132)).wavefronts, 1U);
  EXPECT_EQ(SharedFootprintOf(Strided(4, 8)).wavefronts, 2U);
  EXPECT_EQ(SharedFootprintOf(Strided(4, 0)).wavefronts, 1U);
  EXPECT_EQ(SharedFootprintOf(Strided(2, 2)).wavefronts, 1U);
  EXPECT_EQ(SharedFootprintOf(Strided(8, 8)).wavefronts, 2U);
  EXPECT_EQ(SharedFootprintOf(Strided(16, 16)).wavefronts, 4U);
  EXPECT_EQ(SharedFootprintOf(Strided(16, 128)).wavefronts, 32U);
  EXPECT_EQ(SharedFootprintOf(Strided(16, 144)).wavefronts, 4U);
  EXPECT_EQ(LocalSectorsOf(Strided(4, 0)), 4U);
}

}  // namespace
}  // namespace hlo_indexing::ptx
