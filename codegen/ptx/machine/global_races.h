// Races of blocks in global memory: two accesses to a byte by different blocks of a launch, one of
// which writes, and nothing that orders them.
//
// A block counts as one thread here. Blocks are ordered by a release of one (a strong write after a
// fence, or `.release`) and a strong read of the same address by the other, with or without a fence
// after it, as kernels do in practice. Not reported: a plain read of what others change by atomics,
// and a store of what memory holds already. Allocations for whose cells the host has no memory are
// not looked at.
//
// Example: every block adds to sums[0] by a plain load and store: the second block's load conflicts
// with the first one's store. With atom.add it is silent.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_GLOBAL_RACES_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_GLOBAL_RACES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/ptx/machine/global_memory.h"
#include "codegen/ptx/machine/global_race_cells.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/warp_access.h"

namespace hlo_indexing::ptx {

struct GlobalRace {
  /// The lane of the later access and the address of the byte.
  int lane = 0;
  uint64_t address = 0;
  bool is_write = false;
  uint64_t other_block = 0;
  bool other_is_write = false;
};

class GlobalRaceDetector {
 public:
  /// An access by `lanes` of a block, whose bytes lie in the allocation. Gives the first race that
  /// it has with an earlier one of another block. `pointers`: the bytes before the access.
  std::optional<GlobalRace> Access(uint64_t block, const Allocation& allocation,
                                   const WarpAccess& access, LaneMask lanes,
                                   const HostPointers& pointers);
  /// A fence of the scope of the device or wider, by any thread of the block.
  void Fence(uint64_t block);
  /// Why some accesses were not looked at; empty if all were.
  const std::string& unchecked() const { return unchecked_; }

 private:
  /// What a block has seen, as a graph: a release of (block, clock), and what was known before.
  struct Node {
    uint32_t block = 0;
    uint32_t clock = 0;
    uint32_t left = 0;
    uint32_t right = 0;
  };
  struct BlockState {
    uint32_t clock = 1;
    /// Nodes; 0: nothing.
    uint32_t known = 0;
    uint32_t fenced_known = 0;
    /// 0: no fence yet.
    uint32_t fenced_clock = 0;
    /// The last node that it has read, and released.
    uint32_t acquired = 0;
  };
  /// An access while it is looked at.
  struct Row {
    uint32_t block = 0;
    uint32_t clock = 0;
    bool is_atomic = false;
    bool is_write = false;
    bool is_strong = false;
  };

  /// The cells of the allocation, fine enough for the access; nullptr if the host has no memory.
  RaceCells* CellsFor(const Allocation& allocation, const WarpAccess& access, LaneMask lanes);
  BlockState& StateOf(uint32_t block);
  /// One cell of a lane, whose bytes begin at `byte` of the lane's.
  void AccessCell(const Row& row, const WarpAccess& access, int lane, uint64_t byte,
                  RaceCells& cells, uint64_t index, const HostPointers& pointers,
                  std::optional<GlobalRace>& race);
  bool IsOrdered(uint32_t block, uint32_t clock, uint32_t reader);
  void Synchronize(uint32_t block, const WarpAccess& access, uint64_t address);

  /// By number of the allocation.
  std::vector<RaceCells> cells_;
  /// By index of the block plus one, its number here.
  std::unordered_map<uint32_t, BlockState> blocks_;
  /// The last one that was asked for.
  uint32_t last_block_ = 0;
  BlockState* last_state_ = nullptr;
  std::vector<Node> nodes_ = std::vector<Node>(1);
  /// Of an address, the node of the last release.
  std::unordered_map<uint64_t, uint32_t> released_;
  /// What block `seen_by_` knows: the latest clock of each block; the nodes that it comes from.
  uint32_t seen_by_ = 0;
  std::unordered_map<uint32_t, uint32_t> seen_clocks_;
  std::unordered_set<uint32_t> seen_nodes_;
  std::string unchecked_;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_GLOBAL_RACES_H_
