// What a launch is measured to do, for each operation of the program. Every host thread counts in a
// profile of its own; Merge adds them up, and the sum does not depend on who executed what.
//
// Example: a warp that reads 32 neighbouring floats makes 1 request of 128 bytes, 4 sectors; with a
// stride of 32 bytes it makes 1 request, 32 sectors, where 4 would have held the same bytes.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_PROFILE_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_PROFILE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"

namespace hlo_indexing::ptx {

inline constexpr uint64_t kSectorBytes = 32;
inline constexpr uint64_t kLineBytes = 128;

/// Counts of one operation, or a sum of such. Names in quotes are Nsight Compute's.
struct OperationCounts {
  /// "inst_executed": warp instructions; "thread_inst_executed": lanes of them whose guard is true.
  uint64_t executions = 0;
  uint64_t active_lanes = 0;

  /// Global memory. "l1tex__t_requests": warp instructions that reach it; bytes that lanes ask for.
  uint64_t global_requests = 0;
  uint64_t global_bytes = 0;
  /// "l1tex__t_sectors": different sectors of 32 bytes in each request, summed; and how many would
  /// hold the different bytes of the request if they lay side by side.
  uint64_t global_sectors = 0;
  uint64_t global_ideal_sectors = 0;
  /// Different lines of 128 bytes in each request, summed ("l1tex__t_tags").
  uint64_t global_lines = 0;

  /// Shared memory. Requests and "l1tex__data_pipe_lsu_wavefronts_mem_shared"; the wavefronts that
  /// the same words need if no two of a wavefront share a bank. Bank conflicts are the difference.
  uint64_t shared_requests = 0;
  uint64_t shared_bytes = 0;
  uint64_t shared_wavefronts = 0;
  uint64_t shared_ideal_wavefronts = 0;

  /// Local memory: requests, and sectors under the device's interleaving of lanes by 4 bytes.
  uint64_t local_requests = 0;
  uint64_t local_bytes = 0;
  uint64_t local_sectors = 0;
  /// Constant memory and kernel parameters: different addresses in each request, summed.
  uint64_t constant_requests = 0;
  uint64_t constant_addresses = 0;

  /// Lanes of atomic operations, and how many of them meet an earlier lane at their address.
  uint64_t atomic_lanes = 0;
  uint64_t atomic_collisions = 0;

  void Add(const OperationCounts& other);
  uint64_t shared_bank_conflicts() const { return shared_wavefronts - shared_ideal_wavefronts; }
};

/// Which sectors of an allocation were read and written: one bit for each.
struct TouchedSectors {
  std::vector<uint64_t> read;
  std::vector<uint64_t> written;
};

class Profile {
 public:
  explicit Profile(uint32_t num_operations) : operations_(num_operations) {}

  /// The executor calls it for every operation of every warp.
  void CountExecution(uint32_t operation, LaneMask lanes) {
    OperationCounts& counts = operations_[operation];
    ++counts.executions;
    counts.active_lanes += static_cast<uint64_t>(std::popcount(lanes));
  }

  OperationCounts& operation(uint32_t number) { return operations_[number]; }
  const std::vector<OperationCounts>& operations() const { return operations_; }
  OperationCounts Sum() const;

  /// Sectors of the allocation of this number, which has `num_sectors` of them.
  TouchedSectors& Touched(uint32_t allocation, uint64_t num_sectors);
  /// By number of the allocation; empty where nothing was touched.
  const std::vector<TouchedSectors>& touched() const { return touched_; }

  /// Adds the counts of another host thread, of the same program.
  void Merge(const Profile& other);

 private:
  std::vector<OperationCounts> operations_;
  std::vector<TouchedSectors> touched_;
};

/// Bits that are set. Example: of TouchedSectors::read, times 32, the bytes that DRAM must give
uint64_t CountBits(const std::vector<uint64_t>& bits);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_PROFILE_H_
