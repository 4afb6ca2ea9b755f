// Races in the shared memory of a block: two accesses to a byte by different threads, one of which
// writes, and nothing that orders them.
//
// What orders: a barrier, bar.warp.sync among the lanes that it names, an mbarrier between those
// who arrive and those who wait, a release (a strong write after a fence, or `.release`) and a
// strong read of the same word. Where lanes exchange values (shfl.sync, vote.sync), each learns
// what the others have learnt by these, and what they have read is read: a lane that writes there
// afterwards comes too late. What they have written is not ordered by it. An asynchronous copy is a
// thread of its own, which begins where it is issued and ends where it is waited for.
//
// The state is that of FastTrack (Flanagan and Freund, PLDI 2009) made for warps: a barrier of the
// whole block begins an epoch, in which nothing older can race, so that clocks are kept only of
// what happens between two of them, one for each warp.
//
// Example: st.shared [tid]; bar.sync; ld.shared [tid ^ 1] is silent; without the barrier lane 0's
// load conflicts with lane 1's store.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_RACE_DETECTOR_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_RACE_DETECTOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/warp_access.h"

namespace hlo_indexing::ptx {

/// Some lanes of a warp of the block.
struct WarpLanes {
  int warp = 0;
  LaneMask lanes = 0;
};

/// Two accesses that nothing orders.
struct Race {
  /// The lane of the later one and the byte in shared memory.
  int lane = 0;
  uint64_t address = 0;
  bool is_write = false;
  /// The earlier one.
  int other_warp = 0;
  int other_lane = 0;
  uint32_t other_operation = 0;
  bool other_is_write = false;
  bool other_is_asynchronous = false;
};

class RaceDetector {
 public:
  /// A new block, of so many threads.
  void Begin(uint64_t shared_bytes, uint32_t num_threads);

  /// An access of the lanes of a warp, whose addresses are right. Gives the first race that it has
  /// with an earlier one, or with another lane of its own.
  std::optional<Race> Access(int warp, const WarpAccess& access, uint32_t operation);

  /// A barrier opens: all threads of the block that live have waited at it.
  void OrderBlock();
  /// A barrier opens for some threads, who have waited at it.
  void OrderBarrier(std::span<const WarpLanes> waiting);
  /// bar.warp.sync, and what else orders memory among lanes.
  void OrderWarp(int warp, LaneMask lanes);
  /// shfl.sync, vote.sync and the like: what one of the lanes has learnt from others (at a barrier,
  /// an mbarrier, by an acquire) all of them know from here on, for the value that passes may be
  /// what was waited for; and reads of theirs are over before what one of them writes from here on.
  /// Their writes are not ordered.
  void Exchange(int warp, LaneMask lanes);
  /// A fence: what the lanes write strongly from here on releases what they did before.
  void Fence(int warp, LaneMask lanes);

  /// An mbarrier at a shared address, or what is like it: lanes arrive; lanes have seen that a
  /// phase has ended.
  void Arrive(uint64_t object, int warp, LaneMask lanes);
  void Wait(uint64_t object, int warp, LaneMask lanes);

  /// cp.async.commit_group, cp.async.bulk.commit_group: asynchronous copies of the lanes up to here
  /// are one group.
  void CommitCopies(int warp, LaneMask lanes);
  /// All but the last `pending` groups are done. Copies that are in no group yet are not.
  void WaitCopies(int warp, LaneMask lanes, uint32_t pending);
  /// All copies that the lanes have issued are done.
  void WaitAllCopies(int warp, LaneMask lanes);
  /// The copies that the lanes have issued will be done when the object's phase has ended
  /// (cp.async.mbarrier.arrive, complete_tx). Who waits for a phase before that learns nothing of
  /// them.
  void CopiesArrive(uint64_t object, int warp, LaneMask lanes);
  /// They are done.
  void CopiesEnd(uint64_t object);

 private:
  /// What is known to have happened: of each thread its warp's clock; after these, of each thread
  /// the last group of copies that is done. nullptr: nothing but what the epoch's start says.
  using Times = std::vector<uint32_t>;
  using Knowledge = std::shared_ptr<const Times>;

  /// Accesses to some bytes of a word by lanes of a warp between two of its synchronisations.
  struct Record {
    /// Of the warp; of asynchronous copies their group.
    uint32_t clock = 0;
    uint16_t warp = 0;
    /// Bit i: byte i of the word.
    uint8_t bytes = 0;
    bool is_write : 1 = false;
    bool is_strong : 1 = false;
    bool is_asynchronous : 1 = false;
    bool has_value : 1 = false;
    LaneMask lanes = 0;
    uint32_t value = 0;
    uint32_t operation = 0;
  };
  struct Cell {
    uint64_t epoch = 0;
    absl::InlinedVector<Record, 2> records;
  };

  size_t ThreadOf(int warp, int lane) const {
    return static_cast<size_t>(warp) * kWarpSize + static_cast<size_t>(lane);
  }
  Cell& FreshCell(uint64_t word);
  /// Takes away records of no lane.
  static void EraseUnused(Cell& cell);
  /// Whether all records of a cell are of the access's only lane, and of the same bytes.
  static bool IsOfOneThread(const Cell& cell, const Record& access);
  bool IsOrdered(const Record& record, int record_lane, size_t thread) const;
  /// Lanes of the record whose access is not ordered before what the thread does now.
  LaneMask UnorderedLanes(const Record& record, size_t thread) const;
  /// Lanes of the record that have exchanged values with the thread since they read, if the record
  /// is a read and `access`, by the thread, a write. These do not race; but as only these two are
  /// ordered by it, the record stays for others.
  LaneMask LanesReadBefore(const Record& record, const Record& access, size_t thread) const;
  /// Bytes of a word on which the new access of `thread` has a race with the record.
  uint8_t RacingBytes(const Cell& cell, const Record& record, const Record& access, size_t thread,
                      LaneMask unordered) const;
  /// An access to a whole word that has no race and makes little of a cell: the first one, one by
  /// the thread that alone has accessed it, a read among reads. False for others, and nothing is
  /// changed.
  bool AccessPlainly(Cell& cell, const Record& access) const;
  /// Takes away records that a new one makes superfluous, and adds it.
  void Update(Cell& cell, const Record& access, size_t thread);
  void Synchronize(const WarpAccess& access, int warp, int lane);

  Knowledge Released(size_t thread, const Knowledge& known, uint32_t clock, uint32_t copies) const;
  Knowledge Joined(const Knowledge& a, const Knowledge& b) const;

  uint64_t epoch_ = 1;
  /// Of the block: what is older belongs to a block before.
  uint64_t first_epoch_ = 1;
  size_t num_threads_ = 0;
  bool has_copies_ = false;
  /// Whether anything but accesses and barriers of the block has happened since one of these.
  bool has_partial_order_ = true;
  std::vector<Cell> cells_;
  std::vector<uint32_t> warp_clocks_;
  /// Of each warp the lanes of its last exchange, if it has accessed nothing since; else 0.
  std::vector<LaneMask> last_exchange_;
  /// Of each thread, for each lane of its warp: the warp's clock before their last exchange.
  std::vector<Lanes<uint32_t>> exchanges_;
  std::vector<Knowledge> known_;
  /// Of copies: the open group of each thread, the last one that it has waited for, the last one
  /// that all threads know to be done.
  std::vector<uint32_t> open_group_;
  std::vector<uint32_t> done_group_;
  std::vector<uint32_t> all_know_group_;
  /// What a thread knew at its last fence.
  struct FenceState {
    bool is_set = false;
    uint32_t clock = 0;
    uint32_t copies = 0;
    Knowledge known;
  };
  std::vector<FenceState> fences_;
  /// What is learnt from an mbarrier, and what will be when the copies that it counts are done.
  struct Object {
    Knowledge known;
    Knowledge copies;
  };
  std::unordered_map<uint64_t, Object> objects_;
  /// What is learnt by a strong read of a word.
  std::unordered_map<uint64_t, Knowledge> words_;
  std::vector<Record> kept_;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_RACE_DETECTOR_H_
