// What a launch has in common, and what a block has: what operations see through an Execution.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_LAUNCH_STATE_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_LAUNCH_STATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ptx/machine/async_copies.h"
#include "codegen/ptx/machine/block_memory.h"
#include "codegen/ptx/machine/cluster_barrier.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/global_memory.h"
#include "codegen/ptx/machine/global_races.h"
#include "codegen/ptx/machine/profile.h"
#include "codegen/ptx/machine/program.h"
#include "codegen/ptx/machine/warp.h"

namespace hlo_indexing::ptx {

struct DeviceModel;

using Dimensions = std::array<uint32_t, 3>;

/// Which checks are made; accesses out of bounds are always found, as they cannot be executed.
struct Checks {
  /// Reads of memory that was never written.
  bool initcheck = false;
  /// Races in shared memory between barriers, and of blocks in global memory.
  bool racecheck = false;
  /// Barriers that not all threads reach, member masks that do not fit who is there.
  bool synccheck = true;
};

struct LaunchOptions {
  Dimensions grid = {1, 1, 1};
  Dimensions block = {1, 1, 1};
  uint64_t dynamic_shared_bytes = 0;
  Checks checks;
  bool profile = false;
  /// Varies the order of warps and blocks.
  uint64_t schedule = 0;
  /// Threads of the host; 0: as many as it has cores.
  int num_host_threads = 0;
  /// Warp instructions of the whole launch; reaching it is an error.
  uint64_t max_warp_instructions = 2'000'000'000;
  /// The launch ends after so many different findings.
  int max_findings = 100;
  uint64_t max_local_bytes_per_thread = uint64_t{512} * 1024;
  int max_call_depth = 10'000;
  /// All blocks are on the device at once, and may wait for each other (grid.sync() of CUDA's
  /// cooperative groups). The launch is refused if the device does not hold so many.
  bool is_cooperative = false;
  /// Says how many; nullptr: an H100.
  const DeviceModel* device = nullptr;
  /// Asked many times a second, by the thread that launches, with how many blocks have ended, and
  /// of how many; the launch ends where the answer is no. Empty: it goes on.
  std::function<bool(uint64_t ended, uint64_t blocks)> keep_running = nullptr;
};

/// A barrier of a block (§9.7.13.1): who waits, and what they bring together.
struct Barrier {
  bool is_used = false;
  /// 0: all threads that live.
  uint32_t expected = 0;
  /// Threads that have arrived, those in `parts` not counted.
  uint32_t arrived = 0;
  /// Of a barrier for a number of threads, of each warp the lanes that have arrived while others of
  /// it, which live, have not. With these, or once these have exited, they count as a whole warp.
  std::array<LaneMask, 32> parts = {};
  /// Whether some have arrived and not waited (bar.arrive).
  bool has_gone_on = false;
  /// Of bar.red: how many predicates are true.
  uint32_t true_count = 0;
  uint32_t predicates = 0;
};

class LaunchState {
 public:
  const Program* program = nullptr;
  const LaunchOptions* options = nullptr;
  GlobalMemory* memory = nullptr;
  /// The kernel's parameters, `program->parameter_bytes` of them.
  std::vector<std::byte> parameters;
  FindingLog* findings = nullptr;
  /// Of a cooperative launch: the address of the barrier of the grid.
  uint64_t grid_barrier = 0;
  /// Of the host thread that executes; nullptr: nothing is counted.
  Profile* profile = nullptr;
  /// Where checks.racecheck asks for it: made at the first access to global memory.
  std::shared_ptr<GlobalRaceDetector> global_races;
  /// For each operation the allocation that it used last, to find it again quickly.
  std::vector<const Allocation*> allocation_of_operation;
  /// Warp instructions executed so far by this host thread: %clock counts them.
  uint64_t warp_instructions = 0;
  /// Set by trap and by errors that end the launch.
  bool is_stopped = false;
  std::string stop_reason;
  /// What vprintf wrote.
  std::string output;
};

/// A block that is resident.
class Block {
 public:
  Dimensions index = {0, 0, 0};
  uint64_t linear_index = 0;
  std::vector<Warp> warps;
  BlockMemory memory;
  std::array<Barrier, 16> barriers;
  ClusterBarrier cluster_barrier;
  AsyncCopies async_copies;
  uint32_t num_threads = 0;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_LAUNCH_STATE_H_
