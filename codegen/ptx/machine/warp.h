// A warp: 32 threads with program counters of their own, which execute together where they stand at
// the same operation of the same activation.
//
// Example: at a branch that half of the lanes take, the group of 32 becomes two groups of 16. The
// one whose turn is smaller (ProgramFunction::turns) executes until it meets the other; there they
// are one group again.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_WARP_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_WARP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/program.h"

namespace hlo_indexing::ptx {

/// A call that is under way, of lanes that called together: registers and local memory.
struct Activation {
  const ProgramFunction* function = nullptr;
  std::vector<std::byte> registers;
  /// Start of its local memory in each lane's.
  uint64_t local_base = 0;
  /// What alloca has added behind its variables, of all lanes alike.
  uint64_t stack_bytes = 0;
  int depth = 0;
  /// Who called, nullptr for the kernel; where lanes go on there; where the results go.
  Activation* caller = nullptr;
  uint32_t return_index = 0;
  const Operation* call = nullptr;
  /// Lanes that have not returned.
  LaneMask lanes = 0;

  uint64_t LocalEnd() const { return local_base + function->local_bytes + stack_bytes; }
};

/// Why a group does not execute.
enum class Wait : uint8_t {
  kNone,
  /// At a barrier of the block (`Group::barrier`).
  kBarrier,
  /// At barrier.cluster.wait.
  kCluster,
  /// At a `.sync` instruction that names lanes which are not here yet.
  kMembers,
  /// At an operation that said kRetry: others go first.
  kRetry,
};

struct Group {
  Activation* activation = nullptr;
  uint32_t index = 0;
  LaneMask lanes = 0;
  Wait wait = Wait::kNone;
  uint8_t barrier = 0;

  uint32_t Turn() const { return activation->function->TurnOf(index); }
};

class Warp {
 public:
  explicit Warp(int number) : number_(number) {}

  /// Makes the warp ready for the lanes of a new block, at the start of the kernel. What was
  /// allocated for the last block is used again.
  void Begin(const ProgramFunction& kernel, LaneMask lanes);

  /// Number in its block.
  int number() const { return number_; }
  /// Lanes that have not exited.
  LaneMask live() const { return live_; }

  std::vector<Group>& groups() { return groups_; }
  const std::vector<Group>& groups() const { return groups_; }
  /// The group that executes.
  Group& current() { return groups_[current_]; }

  /// Takes lanes out of the current group, to another place: to a group that is there already and
  /// does not wait, or a new one. The operation then says kReschedule.
  void MoveLanes(LaneMask lanes, Activation* activation, uint32_t index);
  /// Takes lanes out of the current group, into one that waits at the current index.
  void Park(LaneMask lanes, Wait wait, uint8_t barrier);
  /// Lanes of the current group are done.
  void Exit(LaneMask lanes);

  /// An activation of `function` for lanes of the current group, which go to its first operation:
  /// the one of other lanes that have called there and have not returned, so that all can meet in
  /// it, or a new one.
  Activation& Call(const ProgramFunction& function, const Operation& call, LaneMask lanes,
                   uint32_t return_index);
  /// Lanes of the current group return from their activation, which is not the kernel's.
  void Return(LaneMask lanes);

  /// Chooses the group that executes next: of the deepest activation, at the smallest turn; groups
  /// at the same place are united. False if all groups wait, or none is
  /// left.
  bool Select();
  /// The current group may wait, in a loop, for lanes that Select lets wait for it: another group
  /// goes first now, and Select prefers its lanes for a while. Each has its turn before one has a
  /// second; turns grow for as long as the lanes do not come together.
  void SelectNext();
  /// The current group jumps backwards while others stand elsewhere, in a loop that may wait for
  /// these or not. True each time that it has done so often enough that another one should have its
  /// turn.
  bool CountBackwardJump(bool may_wait);
  /// Lanes that wait for others at a `.sync` instruction where the current group stands join it.
  void JoinParked();
  /// The smallest index above `index` at which another group of the current activation can execute,
  /// or may have its turn: where the current group has to stop. The end of the number range if
  /// there is none.
  uint32_t MeetingIndex() const;

  /// Adds local memory to the current activation, in multiples of 16 bytes; for these lanes it
  /// counts as never written.
  void GrowStack(LaneMask lanes, uint64_t bytes);
  /// Makes room for `bytes` of local memory in each lane; what was written stays.
  void ReserveLocal(uint64_t bytes);
  /// Local memory of lane l begins at l * local_capacity().
  std::vector<std::byte>& local_memory() { return local_memory_; }
  std::vector<uint8_t>& local_is_written() { return local_is_written_; }
  uint64_t local_capacity() const { return local_capacity_; }
  std::byte* local(int lane) {
    return local_memory_.data() + static_cast<uint64_t>(lane) * local_capacity_;
  }

 private:
  /// What other lanes of the current activation have called at the same place, or nullptr.
  Activation* SameCall(const ProgramFunction& function, const Operation& call);
  std::unique_ptr<Activation> NewActivation(const ProgramFunction& function);
  /// The usual order again.
  void EndTurns();
  /// Local memory of a new activation: bytes 0xff that count as never written.
  void ForgetLocal(LaneMask lanes, uint64_t offset, uint64_t bytes);

  int number_;
  LaneMask live_ = 0;
  std::vector<Group> groups_;
  size_t current_ = 0;
  /// Lanes that Select prefers, for so many selections; how many the next turn has; lanes that have
  /// had theirs.
  LaneMask preferred_ = 0;
  uint32_t preferred_selections_ = 0;
  uint32_t turn_length_ = 1;
  LaneMask had_turn_ = 0;
  uint32_t num_backward_jumps_ = 0;
  std::vector<std::unique_ptr<Activation>> activations_;
  std::vector<std::unique_ptr<Activation>> unused_activations_;
  std::vector<std::byte> local_memory_;
  std::vector<uint8_t> local_is_written_;
  uint64_t local_capacity_ = 0;
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_WARP_H_
