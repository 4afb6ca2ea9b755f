#include "codegen/ptx/machine/warp_access.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/machine/access_footprint.h"
#include "codegen/ptx/machine/address.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/global_memory.h"
#include "codegen/ptx/machine/global_races.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/named_bytes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/profile.h"
#include "codegen/ptx/machine/program.h"
#include "codegen/ptx/machine/race_detector.h"
#include "codegen/ptx/machine/warp.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {
namespace {

// Tells the findings of this file apart: one of each kind for an operation.
enum Fault : uint8_t { kOutside, kMisaligned, kReadOnly, kUnwritten, kRace };

constexpr size_t kMaxCompareAndSwapBytes = 16;

bool Reads(AccessKind kind) {
  return kind == AccessKind::kLoad || kind == AccessKind::kAtomic || kind == AccessKind::kAsyncLoad;
}
bool Writes(AccessKind kind) {
  return kind == AccessKind::kStore || kind == AccessKind::kAtomic ||
         kind == AccessKind::kAsyncStore;
}

std::string Bytes(uint64_t count) { return absl::StrCat(count, count == 1 ? " byte" : " bytes"); }

// Example: "ld.global.f32 reads 4 bytes"
std::string Subject(const Operation& operation, const WarpAccess& access) {
  const std::string_view verb = !Writes(access.kind)  ? "reads"
                                : !Reads(access.kind) ? "writes"
                                                      : "reads and writes";
  return absl::StrCat(InstructionName(operation), " ", std::string(verb), " ", Bytes(access.bytes));
}

// Whether each of so many marks is 1; they are 0 or 1.
bool AreAllSet(const uint8_t* marks, uint32_t count) {
  if (count == 4) {
    uint32_t word = 0;
    std::memcpy(&word, marks, sizeof(word));
    return word == 0x0101'0101;
  }
  if (count == 8) {
    uint64_t word = 0;
    std::memcpy(&word, marks, sizeof(word));
    return word == 0x0101'0101'0101'0101;
  }
  return std::memchr(marks, 0, count) == nullptr;
}

// Sets so many marks.
void SetAll(uint8_t* marks, uint32_t count) {
  if (count == 4) {
    constexpr uint32_t kWord = 0x0101'0101;
    std::memcpy(marks, &kWord, sizeof(kWord));
  } else {
    std::memset(marks, 1, count);
  }
}

// One access while it is resolved.
class Resolver {
 public:
  Resolver(const Operation& operation, const Execution& execution, const WarpAccess& access,
           HostPointers& pointers)
      : operation_(operation), execution_(execution), access_(access), pointers_(pointers) {}

  LaneMask Resolve() {
    switch (access_.space) {
      case Space::kGlobal:
        return ResolveGlobal();
      case Space::kShared:
        return ResolveShared();
      case Space::kLocal:
        return ResolveLocal();
      case Space::kConst:
      case Space::kParam:
        return ResolveReadOnly();
      case Space::kGeneric:
        break;
    }
    return 0;
  }

 private:
  LaneMask ResolveGlobal();
  LaneMask ResolveGlobalOf(const Allocation& allocation, LaneMask lanes);
  LaneMask ResolveShared();
  LaneMask ResolveLocal();
  LaneMask ResolveReadOnly();

  uint64_t Address(int lane) const { return access_.addresses[static_cast<size_t>(lane)]; }

  // All bits of the lanes' offsets from `base`: no offset is larger, and all have the alignment
  // that this has. The compiler vectorises it, unlike a maximum.
  uint64_t OffsetBits(LaneMask lanes, uint64_t base) const {
    uint64_t bits = 0;
    ForEachLane(lanes, [&](int lane) { bits |= Address(lane) - base; });
    return bits;
  }

  // The lanes whose addresses have the alignment; the others are reported.
  LaneMask Aligned(LaneMask lanes) const {
    const uint64_t wrong_bits = access_.alignment - 1;
    if ((OffsetBits(lanes, 0) & wrong_bits) == 0) return lanes;
    LaneMask misaligned = 0;
    ForEachLane(lanes, [&](int lane) {
      if ((Address(lane) & wrong_bits) != 0) misaligned |= LaneMask{1} << lane;
    });
    ReportFindingLazily(operation_, execution_, Check::kMemcheck, misaligned, kMisaligned, [&] {
      const uint64_t address = Address(std::countr_zero(misaligned));
      return absl::StrCat(Subject(operation_, access_), " at ", std::string(NameOf(access_.space)),
                          " address 0x", absl::Hex(address), ", which is not a multiple of ",
                          access_.alignment, " (", Where(address), ")");
    });
    return lanes & ~misaligned;
  }

  // The lanes whose bytes lie in [0, size) of the space.
  LaneMask Inside(LaneMask lanes, uint64_t size) const {
    if (access_.bytes <= size && OffsetBits(lanes, 0) <= size - access_.bytes) return lanes;
    LaneMask outside = 0;
    ForEachLane(lanes, [&](int lane) {
      if (access_.bytes > size || Address(lane) > size - access_.bytes) {
        outside |= LaneMask{1} << lane;
      }
    });
    if (outside != 0) ReportOutside(outside);
    return lanes & ~outside;
  }

  void ReportOutside(LaneMask outside) const {
    ReportFindingLazily(operation_, execution_, Check::kMemcheck, outside, kOutside, [&] {
      const uint64_t address = Address(std::countr_zero(outside));
      return absl::StrCat(Subject(operation_, access_), " at ", std::string(NameOf(access_.space)),
                          " address 0x", absl::Hex(address), ": ", Where(address));
    });
  }

  void ReportReadOnly(LaneMask lanes, std::string_view what) const {
    ReportFindingLazily(operation_, execution_, Check::kMemcheck, lanes, kReadOnly, [&] {
      return absl::StrCat(Subject(operation_, access_), " of ", std::string(what),
                          ", which kernels may not write");
    });
  }

  std::string Where(uint64_t address) const;
  std::string WhereIn(uint64_t address, uint64_t size, std::string_view what,
                      const std::vector<NamedBytes>& names) const;

  // Marks what is written, or reports what is read and was not. `is_written` of a lane's bytes is
  // `shadow(lane)`.
  template <typename Shadow>
  void TrackWritten(LaneMask lanes, Shadow shadow) const {
    if (access_.kept_bytes != nullptr) return TrackCompareAndSwap(lanes, shadow);
    // The bytes of lanes side by side are looked at together.
    const bool is_row = lanes == kAllLanes && AreSideBySide(shadow);
    const uint32_t row_bytes = kWarpSize * access_.bytes;
    if (Reads(access_.kind) && !(is_row && AreAllSet(shadow(0), row_bytes))) {
      LaneMask unwritten = 0;
      ForEachLane(lanes, [&](int lane) {
        if (!AreAllSet(shadow(lane), access_.bytes)) unwritten |= LaneMask{1} << lane;
      });
      if (unwritten != 0) ReportUnwritten(unwritten, shadow(std::countr_zero(unwritten)));
    }
    if (Writes(access_.kind)) {
      if (is_row) return SetAll(shadow(0), row_bytes);
      ForEachLane(lanes, [&](int lane) { SetAll(shadow(lane), access_.bytes); });
    }
  }

  // An update of a part of a word carries the rest of the word along: bytes that a compare and swap
  // keeps are neither read nor written by it, unless no byte of the word was ever written.
  template <typename Shadow>
  void TrackCompareAndSwap(LaneMask lanes, Shadow shadow) const {
    LaneMask unwritten = 0;
    std::array<uint8_t, kMaxCompareAndSwapBytes> first = {};
    ForEachLane(lanes, [&](int lane) {
      uint8_t* const marks = shadow(lane);
      const bool has_written = std::memchr(marks, 1, access_.bytes) != nullptr;
      const uint32_t kept = has_written ? (*access_.kept_bytes)[static_cast<size_t>(lane)] : 0;
      std::array<uint8_t, kMaxCompareAndSwapBytes> used;
      for (uint32_t i = 0; i < access_.bytes; ++i) {
        used[i] = marks[i] | static_cast<uint8_t>(kept >> i & 1);
        if ((kept >> i & 1) == 0) marks[i] = 1;
      }
      if (AreAllSet(used.data(), access_.bytes)) return;
      if (unwritten == 0) first = used;
      unwritten |= LaneMask{1} << lane;
    });
    if (unwritten != 0) ReportUnwritten(unwritten, first.data());
  }

  // `marks` of the first of the lanes: 0 for the bytes that were never written.
  void ReportUnwritten(LaneMask lanes, const uint8_t* marks) const {
    ReportFindingLazily(operation_, execution_, Check::kInitcheck, lanes, kUnwritten, [&] {
      const int lane = std::countr_zero(lanes);
      const auto* const gap = static_cast<const uint8_t*>(std::memchr(marks, 0, access_.bytes));
      const auto count =
          static_cast<uint64_t>(std::count(marks, marks + access_.bytes, uint8_t{0}));
      return absl::StrCat(Subject(operation_, access_), " of which ", Bytes(count),
                          count == 1 ? " was" : " were", " never written, the first at ",
                          std::string(NameOf(access_.space)), " address 0x",
                          absl::Hex(Address(lane) + static_cast<uint64_t>(gap - marks)), ": ",
                          Where(Address(lane)));
    });
  }

  // Whether the marks of each lane follow those of the lane before.
  template <typename Shadow>
  bool AreSideBySide(Shadow shadow) const {
    const auto first = reinterpret_cast<uintptr_t>(shadow(0));
    uintptr_t difference = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      difference |= reinterpret_cast<uintptr_t>(shadow(lane)) ^
                    (first + static_cast<uintptr_t>(lane) * access_.bytes);
    }
    return difference == 0;
  }

  void CheckGlobalRaces(const Allocation& allocation, LaneMask lanes) const;
  void CheckSharedRaces(RaceDetector& races, LaneMask lanes) const;

  bool IsProfiled() const { return execution_.launch->profile != nullptr; }
  OperationCounts& Counts() const {
    return execution_.launch->profile->operation(operation_.number);
  }
  void CountAtomics(LaneMask lanes) const;
  void CountGlobal(const Allocation& allocation, LaneMask lanes, bool is_first_part) const;

  const Operation& operation_;
  const Execution& execution_;
  const WarpAccess& access_;
  HostPointers& pointers_;
};

std::string Resolver::WhereIn(uint64_t address, uint64_t size, std::string_view what,
                              const std::vector<NamedBytes>& names) const {
  if (address < size) {
    std::string text;
    if (const NamedBytes* const variable = FindNamedBytes(names, address)) {
      text = absl::StrCat("byte ", address - variable->offset, " of ", variable->name, " (",
                          Bytes(variable->size), " of ", std::string(what), ")");
    } else {
      text = absl::StrCat("byte ", address, " of the ", Bytes(size), " of ", std::string(what));
    }
    if (access_.bytes > size - address) {
      absl::StrAppend(&text, ", ", Bytes(access_.bytes - (size - address)), " beyond the end");
    }
    return text;
  }
  if (address - size >= kWindowSize) {
    return absl::StrCat("far outside the ", Bytes(size), " of ", std::string(what));
  }
  std::string text =
      absl::StrCat(address == size ? "right behind the end of the "
                                   : absl::StrCat(Bytes(address - size), " beyond the end of the "),
                   Bytes(size), " of ", std::string(what));
  if (!names.empty()) absl::StrAppend(&text, ", the last of which is ", names.back().name);
  return text;
}

std::string Resolver::Where(uint64_t address) const {
  static const std::vector<NamedBytes> no_names;
  const LaunchState& launch = *execution_.launch;
  switch (access_.space) {
    case Space::kShared:
      return WhereIn(address, execution_.block->memory.shared_bytes(), "shared memory",
                     launch.program == nullptr ? no_names : launch.program->shared_variables);
    case Space::kConst:
      return WhereIn(address, launch.memory->constant_bytes(), "constant memory",
                     launch.memory->constant_variables());
    case Space::kParam:
      return WhereIn(address, launch.parameters.size(), "kernel parameters", no_names);
    case Space::kLocal:
      return WhereIn(address, LocalBytesInUse(execution_), "local memory", no_names);
    case Space::kGlobal:
    case Space::kGeneric:
      return launch.memory->Describe(address, access_.bytes);
  }
  return "";
}

void Resolver::CountAtomics(LaneMask lanes) const {
  if (access_.kind != AccessKind::kAtomic) return;
  WarpAccess part = access_;
  part.lanes = lanes;
  const auto count = static_cast<uint64_t>(std::popcount(lanes));
  Counts().atomic_lanes += count;
  Counts().atomic_collisions += count - DistinctAddresses(part);
}

void Resolver::CountGlobal(const Allocation& allocation, LaneMask lanes, bool is_first_part) const {
  OperationCounts& counts = Counts();
  SectorList touched;
  GlobalFootprint footprint;
  if (lanes == access_.lanes) {
    footprint = GlobalFootprintOf(access_, touched);
  } else {
    WarpAccess part = access_;
    part.lanes = lanes;
    footprint = GlobalFootprintOf(part, touched);
  }
  counts.global_requests += is_first_part ? 1 : 0;
  counts.global_bytes += static_cast<uint64_t>(std::popcount(lanes)) * access_.bytes;
  counts.global_sectors += footprint.sectors;
  counts.global_ideal_sectors += footprint.ideal_sectors;
  counts.global_lines += footprint.lines;
  CountAtomics(lanes);

  const uint64_t first = allocation.address / kSectorBytes;
  const uint64_t last = (allocation.end() - 1) / kSectorBytes;
  TouchedSectors& sectors =
      execution_.launch->profile->Touched(allocation.number, last - first + 1);
  const auto mark = [&](std::vector<uint64_t>& bits) {
    for (int i = 0; i < touched.count; ++i) {
      const uint64_t sector = touched.sectors[static_cast<size_t>(i)] - first;
      bits[sector / 64] |= uint64_t{1} << (sector % 64);
    }
  };
  if (Reads(access_.kind)) mark(sectors.read);
  if (Writes(access_.kind)) mark(sectors.written);
}

// The instruction of an operation of the program, with its line.
std::string DescribeOperation(const LaunchState& launch, uint32_t number) {
  if (launch.program != nullptr) {
    for (const ProgramFunction& function : launch.program->functions) {
      for (const Operation& operation : function.operations) {
        if (operation.number != number || operation.source == nullptr) continue;
        return absl::StrCat(InstructionName(operation), " in line ",
                            LineOf(*launch.program, operation.source->place));
      }
    }
  }
  return "an access";
}

void Resolver::CheckSharedRaces(RaceDetector& races, LaneMask lanes) const {
  std::optional<Race> race;
  if (lanes == access_.lanes) {
    race = races.Access(execution_.warp->number(), access_, operation_.number);
  } else {
    WarpAccess part = access_;
    part.lanes = lanes;
    race = races.Access(execution_.warp->number(), part, operation_.number);
  }
  if (!race.has_value()) return;
  const uint32_t kind = kRace + (race->is_write ? 1 : 0) + (race->other_is_write ? 2 : 0);
  ReportFindingLazily(
      operation_, execution_, Check::kRacecheck, LaneMask{1} << race->lane, kind, [&] {
        return absl::StrCat(Subject(operation_, access_), " at shared address 0x",
                            absl::Hex(race->address), " (", Where(race->address), "), which warp ",
                            race->other_warp, " lane ", race->other_lane,
                            race->other_is_write ? " writes" : " reads",
                            race->other_is_asynchronous ? " by an asynchronous copy" : "", " (",
                            DescribeOperation(*execution_.launch, race->other_operation),
                            "): nothing orders the two accesses");
      });
}

void Resolver::CheckGlobalRaces(const Allocation& allocation, LaneMask lanes) const {
  LaunchState& launch = *execution_.launch;
  if (launch.global_races == nullptr) launch.global_races = std::make_shared<GlobalRaceDetector>();
  const std::optional<GlobalRace> race = launch.global_races->Access(
      execution_.block->linear_index, allocation, access_, lanes, pointers_);
  if (!race.has_value()) return;
  const uint32_t kind = kRace + (race->is_write ? 1 : 0) + (race->other_is_write ? 2 : 0);
  ReportFindingLazily(
      operation_, execution_, Check::kRacecheck, LaneMask{1} << race->lane, kind, [&] {
        const Dimensions& grid = launch.options->grid;
        const uint64_t x = std::max<uint32_t>(grid[0], 1);
        const uint64_t y = std::max<uint32_t>(grid[1], 1);
        const uint64_t other = race->other_block;
        return absl::StrCat(Subject(operation_, access_), " at global address 0x",
                            absl::Hex(race->address), " (", Where(race->address),
                            "), which block (", other % x, ",", other / x % y, ",", other / x / y,
                            ")", race->other_is_write ? " writes" : " reads",
                            ": nothing orders the two blocks");
      });
}

LaneMask Resolver::ResolveGlobalOf(const Allocation& allocation, LaneMask lanes) {
  const bool writes = Writes(access_.kind);
  if (writes && allocation.is_read_only) {
    ReportReadOnly(lanes, allocation.name.empty() ? "read-only memory" : allocation.name);
    return 0;
  }
  ForEachLane(lanes, [&](int lane) {
    pointers_[static_cast<size_t>(lane)] = allocation.data + (Address(lane) - allocation.address);
  });
  if (execution_.launch->options->checks.racecheck) CheckGlobalRaces(allocation, lanes);
  if (!allocation.is_all_written.load(std::memory_order_relaxed)) {
    if (execution_.launch->options->checks.initcheck) {
      TrackWritten(lanes, [&](int lane) {
        return allocation.is_written + (Address(lane) - allocation.address);
      });
    } else if (writes) {
      allocation.is_all_written.store(true, std::memory_order_relaxed);
    }
  }
  return lanes;
}

LaneMask Resolver::ResolveGlobal() {
  LaneMask lanes = Aligned(access_.lanes);
  if (lanes == 0) return 0;
  LaunchState& launch = *execution_.launch;
  std::vector<const Allocation*>& known = launch.allocation_of_operation;
  if (operation_.number >= known.size()) known.resize(size_t{operation_.number} + 1);
  const Allocation*& last = known[operation_.number];

  LaneMask done = 0;
  bool is_first_part = true;
  // Each turn takes the lanes of one allocation; most often that is all of them.
  while (lanes != 0) {
    const uint64_t address = Address(std::countr_zero(lanes));
    if (last == nullptr || last->is_free.load(std::memory_order_relaxed) ||
        !last->Contains(address, access_.bytes)) {
      last = launch.memory->Find(address);
      if (last == nullptr || !last->Contains(address, access_.bytes)) {
        last = nullptr;
        LaneMask outside = 0;
        ForEachLane(lanes, [&](int lane) {
          const Allocation* const found = launch.memory->Find(Address(lane));
          if (found == nullptr || !found->Contains(Address(lane), access_.bytes)) {
            outside |= LaneMask{1} << lane;
          }
        });
        ReportOutside(outside);
        lanes &= ~outside;
        continue;
      }
    }
    const Allocation& allocation = *last;
    LaneMask here = lanes;
    const uint64_t largest_right = allocation.bytes - access_.bytes;
    if (OffsetBits(lanes, allocation.address) > largest_right) {
      here = 0;
      ForEachLane(lanes, [&](int lane) {
        if (Address(lane) - allocation.address <= largest_right) here |= LaneMask{1} << lane;
      });
    }
    const LaneMask resolved = ResolveGlobalOf(allocation, here);
    if (resolved != 0 && IsProfiled()) {
      CountGlobal(allocation, resolved, is_first_part);
      is_first_part = false;
    }
    done |= resolved;
    lanes &= ~here;
  }
  return done;
}

LaneMask Resolver::ResolveShared() {
  BlockMemory& memory = execution_.block->memory;
  const LaneMask lanes = Aligned(Inside(access_.lanes, memory.shared_bytes()));
  if (lanes == 0) return 0;
  ForEachLane(lanes, [&](int lane) {
    pointers_[static_cast<size_t>(lane)] = memory.shared() + Address(lane);
  });
  if (RaceDetector* const races = memory.races()) CheckSharedRaces(*races, lanes);
  if (uint8_t* const is_written = memory.shared_is_written()) {
    TrackWritten(lanes, [&](int lane) { return is_written + Address(lane); });
  }
  if (IsProfiled()) {
    SharedFootprint footprint;
    if (lanes == access_.lanes) {
      footprint = SharedFootprintOf(access_);
    } else {
      WarpAccess part = access_;
      part.lanes = lanes;
      footprint = SharedFootprintOf(part);
    }
    OperationCounts& counts = Counts();
    ++counts.shared_requests;
    counts.shared_bytes += static_cast<uint64_t>(std::popcount(lanes)) * access_.bytes;
    counts.shared_wavefronts += footprint.wavefronts;
    counts.shared_ideal_wavefronts += footprint.ideal_wavefronts;
    CountAtomics(lanes);
  }
  return lanes;
}

LaneMask Resolver::ResolveLocal() {
  Warp& warp = *execution_.warp;
  const LaneMask lanes = Aligned(Inside(access_.lanes, LocalBytesInUse(execution_)));
  if (lanes == 0) return 0;
  ForEachLane(lanes, [&](int lane) {
    pointers_[static_cast<size_t>(lane)] = warp.local(lane) + Address(lane);
  });
  if (execution_.launch->options->checks.initcheck) {
    std::vector<uint8_t>& is_written = warp.local_is_written();
    TrackWritten(lanes, [&](int lane) {
      return is_written.data() + static_cast<uint64_t>(lane) * warp.local_capacity() +
             Address(lane);
    });
  }
  if (IsProfiled()) {
    WarpAccess part = access_;
    part.lanes = lanes;
    OperationCounts& counts = Counts();
    ++counts.local_requests;
    counts.local_bytes += static_cast<uint64_t>(std::popcount(lanes)) * access_.bytes;
    counts.local_sectors += LocalSectorsOf(part);
    CountAtomics(lanes);
  }
  return lanes;
}

LaneMask Resolver::ResolveReadOnly() {
  LaunchState& launch = *execution_.launch;
  const bool is_constant = access_.space == Space::kConst;
  if (Writes(access_.kind)) {
    ReportReadOnly(access_.lanes, is_constant ? "constant memory" : "kernel parameters");
    return 0;
  }
  const uint64_t size = is_constant ? launch.memory->constant_bytes() : launch.parameters.size();
  const LaneMask lanes = Aligned(Inside(access_.lanes, size));
  if (lanes == 0) return 0;
  // Nobody writes through the pointers, as writes were refused.
  std::byte* const start = is_constant ? launch.memory->constants() : launch.parameters.data();
  ForEachLane(lanes,
              [&](int lane) { pointers_[static_cast<size_t>(lane)] = start + Address(lane); });
  if (IsProfiled()) {
    WarpAccess part = access_;
    part.lanes = lanes;
    OperationCounts& counts = Counts();
    ++counts.constant_requests;
    counts.constant_addresses += DistinctAddresses(part);
  }
  return lanes;
}

// Generic addresses: the lanes of each space by themselves, with addresses of that space.
LaneMask ResolveGeneric(const Operation& operation, const Execution& execution,
                        const WarpAccess& access, HostPointers& pointers) {
  LaneMask done = 0;
  LaneMask lanes = access.lanes;
  WarpAccess part = access;
  while (lanes != 0) {
    const Space space =
        SpaceOfGeneric(access.addresses[static_cast<size_t>(std::countr_zero(lanes))]);
    const uint64_t window = WindowOf(space);
    part.space = space;
    part.lanes = 0;
    ForEachLane(lanes, [&](int lane) {
      const uint64_t address = access.addresses[static_cast<size_t>(lane)];
      if (SpaceOfGeneric(address) != space) return;
      part.lanes |= LaneMask{1} << lane;
      part.addresses[static_cast<size_t>(lane)] = address - window;
    });
    done |= Resolver(operation, execution, part, pointers).Resolve();
    lanes &= ~part.lanes;
  }
  return done;
}

}  // namespace

uint64_t LocalBytesInUse(const Execution& execution) {
  if (execution.warp == nullptr || execution.warp->groups().empty()) return 0;
  const Activation* const activation = execution.warp->current().activation;
  if (activation == nullptr || activation->function == nullptr) return 0;
  return std::min(activation->LocalEnd(), execution.warp->local_capacity());
}

LaneMask ResolveAccess(const Operation& operation, const Execution& execution,
                       const WarpAccess& access, HostPointers& pointers) {
  if (access.lanes == 0) return 0;
  if (access.space == Space::kGeneric) {
    return ResolveGeneric(operation, execution, access, pointers);
  }
  return Resolver(operation, execution, access, pointers).Resolve();
}

}  // namespace hlo_indexing::ptx
