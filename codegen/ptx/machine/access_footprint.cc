#include "codegen/ptx/machine/access_footprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/profile.h"
#include "codegen/ptx/machine/warp_access.h"

namespace hlo_indexing::ptx {
namespace {

constexpr int kSectorBits = 5;
constexpr int kSectorsOfLineBits = 2;

// A set of at most Capacity/2 keys, open addressing. Insert gives the place of the key.
template <size_t Capacity>
class SmallSet {
 public:
  size_t Insert(uint64_t key, bool& is_new) {
    constexpr int kShift = 64 - std::countr_zero(Capacity);
    size_t place = static_cast<size_t>((key * 0x9e3779b97f4a7c15) >> kShift);
    while (is_used_[place] && keys_[place] != key) place = (place + 1) % Capacity;
    is_new = !is_used_[place];
    if (is_new) {
      is_used_[place] = true;
      keys_[place] = key;
      ++count_;
    }
    return place;
  }
  void Insert(uint64_t key) {
    bool is_new = false;
    Insert(key, is_new);
  }
  uint32_t count() const { return count_; }

 private:
  std::array<bool, Capacity> is_used_ = {};
  std::array<uint64_t, Capacity> keys_;
  uint32_t count_ = 0;
};

// Whether all 32 lanes access side by side, in the order of the lanes.
bool IsContiguous(const WarpAccess& access) {
  if (access.lanes != kAllLanes) return false;
  uint64_t difference = 0;
  for (uint64_t lane = 0; lane < kWarpSize; ++lane) {
    difference |= access.addresses[lane] ^ (access.addresses[0] + lane * access.bytes);
  }
  return difference == 0;
}

// The bytes of a lane as bits of its sector (the low half) and of the next one.
uint64_t SectorBytes(uint64_t address, uint32_t bytes) {
  return ((uint64_t{1} << bytes) - 1) << (address % kSectorBytes);
}

uint32_t SectorsFor(uint64_t bytes) {
  return static_cast<uint32_t>((bytes + kSectorBytes - 1) / kSectorBytes);
}

GlobalFootprint ContiguousFootprint(const WarpAccess& access, SectorList& touched) {
  const uint64_t bytes = uint64_t{kWarpSize} * access.bytes;
  const uint64_t first = access.addresses[0] >> kSectorBits;
  const uint64_t last = (access.addresses[0] + bytes - 1) >> kSectorBits;
  touched.count = static_cast<int>(last - first + 1);
  for (uint64_t i = 0; i <= last - first; ++i) touched.sectors[i] = first + i;
  return {.sectors = static_cast<uint32_t>(last - first + 1),
          .ideal_sectors = SectorsFor(bytes),
          .lines = static_cast<uint32_t>((last >> kSectorsOfLineBits) -
                                         (first >> kSectorsOfLineBits) + 1)};
}

// For lanes in any order.
GlobalFootprint ScatteredFootprint(const WarpAccess& access, SectorList& touched) {
  SmallSet<size_t{4} * kWarpSize> sectors;
  SmallSet<size_t{4} * kWarpSize> lines;
  std::array<uint32_t, size_t{4} * kWarpSize> bytes_of_sector;
  std::array<size_t, size_t{2} * kWarpSize> places;
  touched.count = 0;
  const auto add = [&](uint64_t sector, uint32_t bytes) {
    bool is_new = false;
    const size_t place = sectors.Insert(sector, is_new);
    if (is_new) {
      bytes_of_sector[place] = 0;
      places[static_cast<size_t>(touched.count)] = place;
      touched.sectors[static_cast<size_t>(touched.count++)] = sector;
      lines.Insert(sector >> kSectorsOfLineBits);
    }
    bytes_of_sector[place] |= bytes;
  };
  ForEachLane(access.lanes, [&](int lane) {
    const uint64_t address = access.addresses[static_cast<size_t>(lane)];
    const uint64_t bytes = SectorBytes(address, access.bytes);
    add(address >> kSectorBits, static_cast<uint32_t>(bytes));
    if (bytes >> 32 != 0) add((address >> kSectorBits) + 1, static_cast<uint32_t>(bytes >> 32));
  });
  uint64_t num_bytes = 0;
  for (int i = 0; i < touched.count; ++i) {
    num_bytes +=
        static_cast<uint64_t>(std::popcount(bytes_of_sector[places[static_cast<size_t>(i)]]));
  }
  return {
      .sectors = sectors.count(), .ideal_sectors = SectorsFor(num_bytes), .lines = lines.count()};
}

// For lanes whose sectors do not fall from lane to lane; false if they do.
bool AscendingFootprint(const WarpAccess& access, SectorList& touched, GlobalFootprint& footprint) {
  uint64_t sector = 0;
  uint64_t line = ~uint64_t{0};
  uint64_t num_bytes = 0;
  uint32_t bytes_of_sector = 0;
  uint32_t lines = 0;
  int count = 0;
  for (LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const uint64_t address = access.addresses[static_cast<size_t>(std::countr_zero(rest))];
    const uint64_t bytes = SectorBytes(address, access.bytes);
    if (bytes >> 32 != 0) return false;
    const uint64_t here = address >> kSectorBits;
    if (count == 0 || here > sector) {
      num_bytes += static_cast<uint64_t>(std::popcount(bytes_of_sector));
      bytes_of_sector = 0;
      sector = here;
      touched.sectors[static_cast<size_t>(count++)] = here;
      lines += line != here >> kSectorsOfLineBits ? 1 : 0;
      line = here >> kSectorsOfLineBits;
    } else if (here < sector) {
      return false;
    }
    bytes_of_sector |= static_cast<uint32_t>(bytes);
  }
  num_bytes += static_cast<uint64_t>(std::popcount(bytes_of_sector));
  touched.count = count;
  footprint = {.sectors = static_cast<uint32_t>(count),
               .ideal_sectors = SectorsFor(num_bytes),
               .lines = lines};
  return true;
}

}  // namespace

GlobalFootprint GlobalFootprintOf(const WarpAccess& access, SectorList& touched) {
  if (IsContiguous(access)) return ContiguousFootprint(access, touched);
  GlobalFootprint footprint;
  if (AscendingFootprint(access, touched, footprint)) return footprint;
  return ScatteredFootprint(access, touched);
}

SharedFootprint SharedFootprintOf(const WarpAccess& access) {
  constexpr uint32_t kBanks = 32;
  const uint32_t words = std::max(access.bytes / 4, 1U);
  const uint32_t lanes_at_once = kWarpSize / words;
  const uint32_t passes = kWarpSize / lanes_at_once;
  if (access.bytes >= 4 && access.addresses[0] % 4 == 0 && IsContiguous(access)) {
    return {.wavefronts = passes, .ideal_wavefronts = passes};
  }
  if (access.bytes < 4 && IsContiguous(access)) return {.wavefronts = 1, .ideal_wavefronts = 1};
  SharedFootprint footprint;
  std::array<std::array<uint64_t, kWarpSize>, kBanks> rows;
  for (uint32_t pass = 0; pass < passes; ++pass) {
    const uint32_t first = pass * lanes_at_once;
    const LaneMask part =
        access.lanes & static_cast<LaneMask>(((uint64_t{1} << lanes_at_once) - 1) << first);
    if (part == 0) continue;
    std::array<uint8_t, kBanks> count = {};
    uint32_t most = 0;
    for (LaneMask rest = part; rest != 0; rest &= rest - 1) {
      const uint64_t first_word = access.addresses[static_cast<size_t>(std::countr_zero(rest))] / 4;
      for (uint32_t i = 0; i < words; ++i) {
        const uint64_t word = first_word + i;
        const size_t bank = word % kBanks;
        const auto begin = rows[bank].begin();
        const auto end = begin + count[bank];
        if (std::find(begin, end, word) != end) continue;
        *end = word;
        most = std::max<uint32_t>(most, ++count[bank]);
      }
    }
    footprint.wavefronts += most;
    ++footprint.ideal_wavefronts;
  }
  return footprint;
}

uint32_t LocalSectorsOf(const WarpAccess& access) {
  constexpr uint64_t kLanesOfSector = kSectorBytes / 4;
  SmallSet<1024> sectors;
  uint64_t difference = 0;
  LaneMask octets = 0;
  const uint64_t common =
      access.addresses[static_cast<size_t>(std::countr_zero(access.lanes) % 32)];
  ForEachLane(access.lanes, [&](int lane) {
    difference |= access.addresses[static_cast<size_t>(lane)] ^ common;
    octets |= LaneMask{1} << (static_cast<uint64_t>(lane) / kLanesOfSector);
  });
  const auto words_from = [&](uint64_t address) {
    return (address + access.bytes - 1) / 4 - address / 4 + 1;
  };
  if (difference == 0) {
    return static_cast<uint32_t>(words_from(common) * static_cast<uint64_t>(std::popcount(octets)));
  }
  ForEachLane(access.lanes, [&](int lane) {
    const uint64_t address = access.addresses[static_cast<size_t>(lane)];
    for (uint64_t i = 0; i < words_from(address); ++i) {
      sectors.Insert((address / 4 + i) * (kWarpSize / kLanesOfSector) +
                     static_cast<uint64_t>(lane) / kLanesOfSector);
    }
  });
  return sectors.count();
}

uint32_t DistinctAddresses(const WarpAccess& access) {
  const uint64_t common =
      access.addresses[static_cast<size_t>(std::countr_zero(access.lanes) % 32)];
  uint64_t difference = 0;
  ForEachLane(access.lanes, [&](int lane) {
    difference |= access.addresses[static_cast<size_t>(lane)] ^ common;
  });
  if (difference == 0) return access.lanes == 0 ? 0 : 1;
  SmallSet<size_t{2} * kWarpSize> addresses;
  ForEachLane(access.lanes,
              [&](int lane) { addresses.Insert(access.addresses[static_cast<size_t>(lane)]); });
  return addresses.count();
}

}  // namespace hlo_indexing::ptx
