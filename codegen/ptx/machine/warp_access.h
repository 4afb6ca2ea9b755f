// One memory instruction of one warp: what the memory sees.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_WARP_ACCESS_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_WARP_ACCESS_H_

#include <cstddef>
#include <cstdint>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

enum class AccessKind : uint8_t {
  kLoad,
  kStore,
  /// Reads and writes as one: atom, red, mbarrier operations.
  kAtomic,
  /// Reads (global) and writes (shared) of cp.async, which happen at some time until they are
  /// waited for. What they bring is written when the wait is executed.
  kAsyncLoad,
  kAsyncStore,
};

struct WarpAccess {
  /// kGeneric: each lane's address tells its space.
  Space space = Space::kGeneric;
  AccessKind kind = AccessKind::kLoad;
  /// `.volatile`, `.relaxed`, `.acquire`, `.release`: no race with its like.
  bool is_strong = false;
  /// `.release` or `.acq_rel`: what the lane did before is seen by who reads what it writes. After
  /// a fence any strong write does so.
  bool is_release = false;
  /// Bytes of each lane: 1 to 32, all of them one vector. Also the alignment that is needed, but
  /// for instructions that say otherwise.
  uint32_t bytes = 4;
  uint32_t alignment = 4;
  LaneMask lanes = 0;
  Lanes<uint64_t> addresses = {};
  /// What a store writes, `bytes` for each lane, lane 0 first; nullptr: not known. Only races are
  /// told by it: threads may write equal values to one place.
  const std::byte* stored = nullptr;
  /// Of each lane of a compare and swap, bit b: byte b is the same in the value that is expected
  /// and in the one that replaces it. nullptr: the access is something else.
  const Lanes<uint32_t>* kept_bytes = nullptr;
};

/// Bytes of local memory of a thread that the executing activation and its callers have.
uint64_t LocalBytesInUse(const Execution& execution);

/// Where the bytes of each lane are on the host.
using HostPointers = Lanes<std::byte*>;

/// Checks the access, counts it, and gives the host addresses of the lanes that may be executed; a
/// lane whose access is refused is not among them, and a finding says why. A load of such a lane
/// gives zeros, a store writes nothing. All memory instructions go through here.
LaneMask ResolveAccess(const Operation& operation, const Execution& execution,
                       const WarpAccess& access, HostPointers& pointers);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_WARP_ACCESS_H_
