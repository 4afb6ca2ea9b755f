#include "codegen/ptx/machine/executor.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/ordering.h"
#include "codegen/ptx/machine/race_detector.h"
#include "codegen/ptx/machine/special_registers.h"

namespace hlo_indexing::ptx {
namespace {

// SplitMix64: a schedule's numbers from its seed.
uint64_t NextRandom(uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Of a warp in a schedule: short ones as often as long ones, so that a warp that waits for others
// may find what they have done at once, and may find it long after.
uint64_t TurnLength(uint64_t longest, uint64_t& order) {
  constexpr uint64_t kSizes = 10;
  const uint64_t end = std::max<uint64_t>(longest >> NextRandom(order) % kSizes, 1);
  return 1 + NextRandom(order) % end;
}

LaneMask GuardedLanes(const Operation& operation, const Execution& execution) {
  if (operation.guard == kNoSlot) return execution.group;
  const LaneMask guard = execution.Predicate(operation.guard);
  return execution.group & (operation.guard_is_negated ? ~guard : guard);
}

// Live lanes that the `.sync` operation names and that do not execute it with the others.
LaneMask MissingMembers(const Operation& operation, const Execution& execution) {
  if (execution.lanes == kAllLanes) return 0;
  LaneMask named = 0;
  const auto* members = execution.At<uint32_t>(operation.members);
  ForEachLane(execution.lanes, [&](int lane) { named |= members[lane]; });
  return named & ~execution.lanes & execution.warp->live();
}

// What one turn of a warp came to.
enum class Turn : uint8_t { kSpent, kRetried, kBlocked, kStopped };

class WarpRunner {
 public:
  WarpRunner(LaunchState& launch, Block& block, Warp& warp) : launch_(launch), warp_(warp) {
    execution_.launch = &launch;
    execution_.block = &block;
    execution_.warp = &warp;
  }

  // Executes up to `quantum` operations.
  Turn Run(uint64_t quantum) {
    if (!SelectGroup()) return Turn::kBlocked;
    Turn turn = Turn::kSpent;
    uint64_t left = quantum;
    while (left > 0) {
      const Operation& operation = code_[index_];
      --left;
      execution_.lanes = GuardedLanes(operation, execution_);
      if (launch_.profile != nullptr) {
        launch_.profile->CountExecution(operation.number, execution_.lanes);
      }
      if (execution_.lanes == 0) {
        Advance(index_ + 1);
        continue;
      }
      if (operation.members != kNoSlot && !is_forced_) {
        if (MissingMembers(operation, execution_) != 0 && !JoinParked(operation)) {
          warp_.Park(execution_.group, Wait::kMembers, 0);
          if (SelectGroup()) continue;
          if (!ForceMembers()) {
            turn = Turn::kBlocked;
            break;
          }
          continue;
        }
      }
      is_forced_ = false;
      execution_.index = index_;
      const Step step = operation.execute(operation, execution_);
      if (step == Step::kNext) [[likely]] {
        Advance(index_ + 1);
        continue;
      }
      if (launch_.is_stopped) {
        turn = Turn::kStopped;
        break;
      }
      if (step == Step::kJump) {
        Jump();
        continue;
      }
      if (step == Step::kRetry) {
        warp_.current().index = index_;
        warp_.SelectNext();
        Load();
        turn = Turn::kRetried;
        break;
      }
      // The lanes that executed have gone elsewhere; the others are one further.
      warp_.current().index = index_ + 1;
      if (SelectGroup()) continue;
      if (ForceMembers()) continue;
      turn = Turn::kBlocked;
      break;
    }
    launch_.warp_instructions += quantum - left;
    if (turn == Turn::kSpent || turn == Turn::kRetried) warp_.current().index = index_;
    return turn;
  }

 private:
  void Load() {
    const Group& group = warp_.current();
    code_ = group.activation->function->operations.data();
    execution_.registers = group.activation->registers.data();
    execution_.group = group.lanes;
    index_ = group.index;
    meeting_ = warp_.MeetingIndex();
  }

  bool SelectGroup() {
    if (!warp_.Select()) return false;
    Load();
    return true;
  }

  // Goes on at an index, with those who stand there already.
  void Advance(uint32_t index) {
    index_ = index;
    if (index_ < meeting_) [[likely]] {
      return;
    }
    warp_.current().index = index_;
    warp_.Select();
    Load();
  }

  void Jump() {
    const uint32_t target = execution_.target;
    if (execution_.lanes != execution_.group) {
      warp_.current().index = index_ + 1;
      warp_.MoveLanes(execution_.lanes, warp_.current().activation, target);
      warp_.Select();
      Load();
      return;
    }
    const ProgramFunction& function = *warp_.current().activation->function;
    const bool is_backward = function.TurnOf(target) <= function.TurnOf(index_);
    index_ = target;
    if (is_backward && warp_.groups().size() > 1 &&
        warp_.CountBackwardJump(launch_.program->lanes_communicate)) {
      warp_.current().index = index_;
      warp_.SelectNext();
      Load();
      return;
    }
    // A jump may pass those who stand between, or land behind others.
    if (warp_.groups().size() > 1) {
      warp_.current().index = index_;
      warp_.Select();
      Load();
    }
  }

  // Lanes that wait at the `.sync` operation for the current ones go on with them. False if some
  // are missing still.
  bool JoinParked(const Operation& operation) {
    warp_.current().index = index_;
    warp_.JoinParked();
    execution_.group = warp_.current().lanes;
    execution_.lanes = GuardedLanes(operation, execution_);
    return MissingMembers(operation, execution_) == 0;
  }

  // All groups wait, some for lanes that a `.sync` operation names: these have come since, or will
  // not come. Says that they will not, and lets a group go on without them.
  bool ForceMembers() {
    for (Group& group : warp_.groups()) {
      if (group.wait != Wait::kMembers || group.lanes == 0) continue;
      group.wait = Wait::kNone;
      SelectGroup();
      const Operation& operation = code_[index_];
      execution_.lanes = GuardedLanes(operation, execution_);
      execution_.index = index_;
      const LaneMask missing = MissingMembers(operation, execution_);
      if (missing == 0) return true;
      ReportFinding(operation, execution_, Check::kSynccheck, execution_.lanes,
                    absl::StrCat(InstructionName(operation), " waits for lanes of the mask 0x",
                                 absl::Hex(missing), ", which do not come to it"));
      is_forced_ = true;
      return true;
    }
    return false;
  }

  LaunchState& launch_;
  Warp& warp_;
  Execution execution_;
  const Operation* code_ = nullptr;
  uint32_t index_ = 0;
  uint32_t meeting_ = std::numeric_limits<uint32_t>::max();
  bool is_forced_ = false;
};

uint32_t LiveThreads(const Block& block) {
  uint32_t threads = 0;
  for (const Warp& warp : block.warps) threads += std::popcount(warp.live());
  return threads;
}

}  // namespace

uint32_t ArrivedThreads(const Block& block, const Barrier& barrier) {
  uint32_t arrived = barrier.arrived;
  for (size_t i = 0; i < std::min(block.warps.size(), barrier.parts.size()); ++i) {
    const LaneMask part = barrier.parts[i];
    if (part == 0) continue;
    const bool is_whole = (block.warps[i].live() & ~part) == 0;
    arrived += static_cast<uint32_t>(is_whole ? kWarpSize : std::popcount(part));
  }
  return arrived;
}

namespace {

// All threads that are left wait for barriers which cannot complete.
void ReportDeadlock(LaunchState& launch, Block& block) {
  for (Warp& warp : block.warps) {
    for (const Group& group : warp.groups()) {
      if (group.lanes == 0) continue;
      const Operation& operation = group.activation->function->operations[group.index];
      Execution execution;
      execution.launch = &launch;
      execution.block = &block;
      execution.warp = &warp;
      execution.lanes = group.lanes;
      execution.group = group.lanes;
      execution.registers = const_cast<std::byte*>(group.activation->registers.data());
      if (group.wait == Wait::kCluster) {
        ReportFinding(operation, execution, Check::kSynccheck, group.lanes,
                      absl::StrCat("deadlock: ", InstructionName(operation),
                                   " waits for threads that do not arrive"));
        continue;
      }
      const Barrier& barrier = block.barriers[group.barrier];
      const uint32_t expected = barrier.expected == 0 ? LiveThreads(block) : barrier.expected;
      ReportFinding(operation, execution, Check::kSynccheck, group.lanes,
                    absl::StrCat("deadlock: ", InstructionName(operation), " waits at barrier ",
                                 int{group.barrier}, " for ", expected, " threads, ",
                                 ArrivedThreads(block, barrier), " have come and no other can"));
    }
  }
  launch.is_stopped = true;
  launch.stop_reason = "deadlock: all threads of a block wait";
}

}  // namespace

void BeginBlock(LaunchState& launch, Block& block, uint64_t linear_index) {
  const LaunchOptions& options = *launch.options;
  block.linear_index = linear_index;
  block.index = {static_cast<uint32_t>(linear_index % options.grid[0]),
                 static_cast<uint32_t>(linear_index / options.grid[0] % options.grid[1]),
                 static_cast<uint32_t>(linear_index / options.grid[0] / options.grid[1])};
  block.num_threads = options.block[0] * options.block[1] * options.block[2];
  block.barriers = {};
  block.memory.Begin(launch.program->dynamic_shared_offset + options.dynamic_shared_bytes,
                     options.checks.initcheck, launch.program->reserved_shared_bytes);
  if (options.checks.racecheck) block.memory.BeginRaces(block.num_threads);
  const uint32_t num_warps = (block.num_threads + kWarpSize - 1) / kWarpSize;
  while (block.warps.size() < num_warps) {
    block.warps.emplace_back(static_cast<int>(block.warps.size()));
  }
  block.async_copies.Begin(num_warps);
  block.cluster_barrier.Begin(num_warps);
  const ProgramFunction& kernel = launch.program->functions.front();
  for (uint32_t i = 0; i < num_warps; ++i) {
    const uint32_t threads = std::min<uint32_t>(kWarpSize, block.num_threads - i * kWarpSize);
    Warp& warp = block.warps[i];
    warp.Begin(kernel, threads == kWarpSize ? kAllLanes : (LaneMask{1} << threads) - 1);
    Execution execution;
    execution.launch = &launch;
    execution.block = &block;
    execution.warp = &warp;
    execution.registers = warp.current().activation->registers.data();
    for (const SpecialRegisterSlot& special : kernel.special_registers) {
      FillSpecialRegister(special.name, special.slot, execution);
    }
  }
}

void ReleaseBarriers(LaunchState& launch, Block& block) {
  const uint32_t live = LiveThreads(block);
  for (size_t number = 0; number < block.barriers.size(); ++number) {
    Barrier& barrier = block.barriers[number];
    if (!barrier.is_used) continue;
    const uint32_t expected = barrier.expected == 0 ? live : barrier.expected;
    if (ArrivedThreads(block, barrier) < expected) continue;
    std::vector<WarpLanes> waiting;
    for (Warp& warp : block.warps) {
      for (Group& group : warp.groups()) {
        if (group.wait != Wait::kBarrier || group.barrier != number) continue;
        const Operation& operation = group.activation->function->operations[group.index];
        if (operation.finish_barrier != nullptr) {
          Execution execution;
          execution.launch = &launch;
          execution.block = &block;
          execution.warp = &warp;
          execution.lanes = group.lanes;
          execution.group = group.lanes;
          execution.registers = group.activation->registers.data();
          operation.finish_barrier(operation, execution, barrier);
        }
        group.wait = Wait::kNone;
        ++group.index;
        waiting.push_back({.warp = warp.number(), .lanes = group.lanes});
      }
    }
    OrderBarrier(block, static_cast<int>(number), waiting);
    barrier = {};
  }
  ReleaseClusterBarrier(block);
}

void ReleaseClusterBarrier(Block& block) {
  if (!block.cluster_barrier.EndPhase(block.warps)) return;
  for (Warp& warp : block.warps) {
    for (Group& group : warp.groups()) {
      if (group.wait != Wait::kCluster) continue;
      block.cluster_barrier.TakePassed(warp.number(), group.lanes);
      OrderClusterWait(block, {.warp = warp.number(), .lanes = group.lanes});
      group.wait = Wait::kNone;
      ++group.index;
    }
  }
}

Progress RunBlock(LaunchState& launch, Block& block, uint64_t quantum, uint64_t& order) {
  const uint64_t limit = launch.options->max_warp_instructions;
  const auto num_warps = static_cast<uint32_t>(block.warps.size());
  uint32_t first = 0;
  uint64_t turn_length = quantum;
  if (launch.options->schedule != 0) {
    first = static_cast<uint32_t>(NextRandom(order) % num_warps);
  }
  bool has_live = false;
  bool has_run = false;
  bool has_retried = false;
  for (uint32_t i = 0; i < num_warps; ++i) {
    Warp& warp = block.warps[(first + i) % num_warps];
    if (warp.live() == 0) continue;
    has_live = true;
    if (launch.options->schedule != 0) turn_length = TurnLength(quantum, order);
    switch (WarpRunner(launch, block, warp).Run(turn_length)) {
      case Turn::kSpent:
        has_run = true;
        break;
      case Turn::kRetried:
        has_retried = true;
        break;
      case Turn::kBlocked:
        break;
      case Turn::kStopped:
        return Progress::kStopped;
    }
    if (launch.warp_instructions > limit) {
      launch.is_stopped = true;
      launch.stop_reason = absl::StrCat("more than ", limit, " warp instructions");
      return Progress::kStopped;
    }
  }
  if (launch.findings != nullptr && launch.findings->is_full()) {
    launch.is_stopped = true;
    launch.stop_reason = "too many findings";
    return Progress::kStopped;
  }
  if (!has_live) {
    block.async_copies.FinishBulk();
    return Progress::kFinished;
  }
  if (has_run) return Progress::kRunning;
  if (has_retried) return Progress::kWaiting;
  // A warp that was blocked may have been released by one that ran after it.
  bool can_run = false;
  bool is_live = false;
  for (const Warp& warp : block.warps) {
    is_live |= warp.live() != 0;
    for (const Group& group : warp.groups()) {
      can_run |= group.lanes != 0 && group.wait != Wait::kBarrier && group.wait != Wait::kCluster;
    }
  }
  if (!is_live) {
    block.async_copies.FinishBulk();
    return Progress::kFinished;
  }
  if (can_run) return Progress::kRunning;
  ReportDeadlock(launch, block);
  return Progress::kStopped;
}

}  // namespace hlo_indexing::ptx
