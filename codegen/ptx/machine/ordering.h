// What orders accesses of different threads, for the race detectors: instructions that synchronise
// say here that they have done so. Nothing happens unless the launch looks for races.
//
// Example, of bar.warp.sync: OrderWarp(execution, execution.lanes); then no two of these lanes race
// by what one did before and the other does after it.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_ORDERING_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_ORDERING_H_

#include <cstdint>
#include <span>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/race_detector.h"

namespace hlo_indexing::ptx {

/// bar.warp.sync, and other instructions that order memory among the lanes that they name.
void OrderWarp(const Execution& execution, LaneMask lanes);

/// shfl, vote and the like, among the lanes that exchange values: each knows from here on what one
/// of them has learnt of other threads, and what they have read is read. Their writes are not
/// ordered.
void OrderExchange(const Execution& execution, LaneMask lanes);

/// bar.arrive: the executing lanes have arrived at a barrier of the block and do not wait.
void OrderBarrierArrive(const Execution& execution, int barrier);
/// Barrier `number` opens for `waiting`; an order for all that came before, if it is one of the
/// whole block at which all live threads wait.
void OrderBarrier(Block& block, int number, std::span<const WarpLanes> waiting);

/// Lanes arrive at the barrier of the cluster; lanes go on, as a phase of it has ended.
void OrderClusterArrive(const Execution& execution);
void OrderClusterWait(Block& block, const WarpLanes& waiting);

/// fence, membar. `is_beyond_block`: the scope is .cluster, .gpu or .sys (membar.gl, membar.sys).
void OrderFence(const Execution& execution, bool is_beyond_block);

/// Lanes arrive at an mbarrier (at an address of shared memory); lanes have found that a phase of
/// it is complete.
void OrderArrive(const Execution& execution, uint64_t mbarrier, LaneMask lanes);
void OrderWait(const Execution& execution, uint64_t mbarrier, LaneMask lanes);

/// Asynchronous copies: their accesses are those of kAsyncLoad and kAsyncStore, which are resolved
/// where the copy is issued. Then one of these says when they are done: they become a group; all
/// but the last `pending` groups have been waited for; all copies have; an mbarrier's phase will
/// end after them; those that the mbarrier counts are done.
void OrderCommitCopies(const Execution& execution, LaneMask lanes);
void OrderWaitCopies(const Execution& execution, LaneMask lanes, uint32_t pending);
void OrderWaitAllCopies(const Execution& execution, LaneMask lanes);
void OrderCopiesArrive(const Execution& execution, uint64_t mbarrier, LaneMask lanes);
void OrderCopiesEnd(const Execution& execution, uint64_t mbarrier);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_ORDERING_H_
