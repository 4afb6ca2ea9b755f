// Runs the warps of a block: the loop that executes operations.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_EXECUTOR_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_EXECUTOR_H_

#include <cstdint>

#include "codegen/ptx/machine/launch_state.h"

namespace hlo_indexing::ptx {

/// How far a block has come.
enum class Progress : uint8_t {
  /// It can go on.
  kRunning,
  /// All its threads wait for another block: each executed an operation that retries.
  kWaiting,
  kFinished,
  /// The launch is to be ended: a trap, a limit, or threads that wait for what cannot come.
  kStopped,
};

/// Runs each warp of the block in turn for up to `quantum` operations. `order` varies which warp
/// begins, and the length of its turn.
Progress RunBlock(LaunchState& launch, Block& block, uint64_t quantum, uint64_t& order);

/// Makes the block the one with this number in the grid, at its start.
void BeginBlock(LaunchState& launch, Block& block, uint64_t linear_index);

/// How many threads count as arrived at a barrier of the block.
uint32_t ArrivedThreads(const Block& block, const Barrier& barrier);

/// A thread has arrived at a barrier or exited: lets those go on who wait at a barrier that is
/// complete now.
void ReleaseBarriers(LaunchState& launch, Block& block);
/// The same for the barrier of the cluster alone.
void ReleaseClusterBarrier(Block& block);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_EXECUTOR_H_
