#include "codegen/ptx/machine/warp.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace hlo_indexing::ptx {
namespace {

// Backward jumps that groups make while others stand elsewhere before one of these has its turn:
// in a loop that may wait for these, and in others, where it would part lanes that belong together.
constexpr uint32_t kJumpsBeforeTurn = 256;
constexpr uint32_t kJumpsOfLongLoop = 1 << 20;
// Selections in a turn.
constexpr uint32_t kLongestTurn = 1024;

}  // namespace

std::unique_ptr<Activation> Warp::NewActivation(const ProgramFunction& function) {
  std::unique_ptr<Activation> activation;
  if (unused_activations_.empty()) {
    activation = std::make_unique<Activation>();
  } else {
    activation = std::move(unused_activations_.back());
    unused_activations_.pop_back();
  }
  activation->function = &function;
  activation->registers = function.initial_registers;
  return activation;
}

void Warp::Begin(const ProgramFunction& kernel, LaneMask lanes) {
  live_ = lanes;
  while (!activations_.empty()) {
    unused_activations_.push_back(std::move(activations_.back()));
    activations_.pop_back();
  }
  activations_.push_back(NewActivation(kernel));
  Activation& root = *activations_.back();
  root.local_base = 0;
  root.stack_bytes = 0;
  root.depth = 0;
  root.caller = nullptr;
  root.call = nullptr;
  root.lanes = lanes;
  groups_.assign(1, Group{.activation = &root, .index = 0, .lanes = lanes});
  current_ = 0;
  EndTurns();
  ReserveLocal(kernel.local_bytes);
  ForgetLocal(lanes, 0, kernel.local_bytes);
}

void Warp::MoveLanes(LaneMask lanes, Activation* activation, uint32_t index) {
  current().lanes &= ~lanes;
  for (Group& group : groups_) {
    if (&group != &current() && group.activation == activation && group.index == index &&
        group.wait == Wait::kNone) {
      group.lanes |= lanes;
      return;
    }
  }
  groups_.push_back({.activation = activation, .index = index, .lanes = lanes});
}

void Warp::Park(LaneMask lanes, Wait wait, uint8_t barrier) {
  Group& group = current();
  group.lanes &= ~lanes;
  const Group parked{.activation = group.activation,
                     .index = group.index,
                     .lanes = lanes,
                     .wait = wait,
                     .barrier = barrier};
  groups_.push_back(parked);
}

void Warp::Exit(LaneMask lanes) {
  current().lanes &= ~lanes;
  live_ &= ~lanes;
  for (Activation* activation = current().activation; activation != nullptr;
       activation = activation->caller) {
    activation->lanes &= ~lanes;
  }
}

Activation* Warp::SameCall(const ProgramFunction& function, const Operation& call) {
  if (groups_.size() == 1) return nullptr;
  Activation* const caller = current().activation;
  for (const std::unique_ptr<Activation>& activation : activations_) {
    if (activation->caller == caller && activation->call == &call &&
        activation->function == &function && activation->lanes != 0 &&
        activation->local_base == caller->LocalEnd()) {
      return activation.get();
    }
  }
  return nullptr;
}

Activation& Warp::Call(const ProgramFunction& function, const Operation& call, LaneMask lanes,
                       uint32_t return_index) {
  Activation* caller = current().activation;
  if (Activation* const same = SameCall(function, call); same != nullptr) {
    same->lanes |= lanes;
    ForgetLocal(lanes, same->local_base, same->LocalEnd() - same->local_base);
    current().lanes &= ~lanes;
    groups_.push_back({.activation = same, .index = 0, .lanes = lanes});
    return *same;
  }
  activations_.push_back(NewActivation(function));
  Activation& callee = *activations_.back();
  callee.local_base = caller->LocalEnd();
  callee.stack_bytes = 0;
  callee.depth = caller->depth + 1;
  callee.caller = caller;
  callee.return_index = return_index;
  callee.call = &call;
  callee.lanes = lanes;
  ReserveLocal(callee.local_base + function.local_bytes);
  ForgetLocal(lanes, callee.local_base, function.local_bytes);
  current().lanes &= ~lanes;
  groups_.push_back({.activation = &callee, .index = 0, .lanes = lanes});
  return callee;
}

void Warp::Return(LaneMask lanes) {
  Activation* activation = current().activation;
  activation->lanes &= ~lanes;
  MoveLanes(lanes, activation->caller, activation->return_index);
}

void Warp::GrowStack(LaneMask lanes, uint64_t bytes) {
  Activation& activation = *current().activation;
  const uint64_t start = activation.LocalEnd();
  activation.stack_bytes += bytes;
  ReserveLocal(activation.LocalEnd());
  ForgetLocal(lanes, start, bytes);
}

void Warp::ReserveLocal(uint64_t bytes) {
  if (bytes <= local_capacity_) return;
  // Twice as much each time, so that deep recursion copies each byte a few times only.
  const uint64_t capacity = std::max(bytes, 2 * local_capacity_);
  std::vector<std::byte> memory(kWarpSize * capacity, std::byte{0xff});
  std::vector<uint8_t> is_written(kWarpSize * capacity, 0);
  for (uint64_t lane = 0; lane < kWarpSize; ++lane) {
    const auto from = static_cast<std::ptrdiff_t>(lane * local_capacity_);
    const auto to = static_cast<std::ptrdiff_t>(lane * capacity);
    const auto size = static_cast<std::ptrdiff_t>(local_capacity_);
    std::copy_n(local_memory_.begin() + from, size, memory.begin() + to);
    std::copy_n(local_is_written_.begin() + from, size, is_written.begin() + to);
  }
  local_memory_ = std::move(memory);
  local_is_written_ = std::move(is_written);
  local_capacity_ = capacity;
}

void Warp::ForgetLocal(LaneMask lanes, uint64_t offset, uint64_t bytes) {
  if (bytes == 0) return;
  ForEachLane(lanes, [&](int lane) {
    const auto start =
        static_cast<std::ptrdiff_t>(static_cast<uint64_t>(lane) * local_capacity_ + offset);
    std::fill_n(local_memory_.begin() + start, bytes, std::byte{0xff});
    std::fill_n(local_is_written_.begin() + start, bytes, uint8_t{0});
  });
}

bool Warp::Select() {
  std::erase_if(groups_, [](const Group& group) { return group.lanes == 0; });
  // Groups that have come to the same place go on together.
  for (size_t i = 0; i < groups_.size(); ++i) {
    for (size_t j = groups_.size() - 1; j > i; --j) {
      Group& a = groups_[i];
      const Group& b = groups_[j];
      if (a.activation != b.activation || a.index != b.index || a.wait != b.wait ||
          a.barrier != b.barrier) {
        continue;
      }
      a.lanes |= b.lanes;
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  // Activations that all lanes have left. Callers outlive the called, so one pass is enough.
  std::erase_if(activations_, [&](std::unique_ptr<Activation>& activation) {
    if (activation->lanes != 0 || activation->caller == nullptr) return false;
    unused_activations_.push_back(std::move(activation));
    return true;
  });
  if (groups_.size() == 1) {
    EndTurns();
  } else if (preferred_selections_ > 0) {
    --preferred_selections_;
  } else {
    preferred_ = 0;
  }
  const Group* best = nullptr;
  const auto goes_before = [&](const Group& a, const Group& b) {
    const bool is_preferred = (a.lanes & preferred_) != 0;
    if (is_preferred != ((b.lanes & preferred_) != 0)) return is_preferred;
    if (a.activation->depth != b.activation->depth) {
      return a.activation->depth > b.activation->depth;
    }
    return a.Turn() < b.Turn();
  };
  for (const Group& group : groups_) {
    if (group.wait == Wait::kNone && (best == nullptr || goes_before(group, *best))) best = &group;
  }
  if (best == nullptr) return false;
  current_ = static_cast<size_t>(best - groups_.data());
  return true;
}

void Warp::EndTurns() {
  preferred_ = 0;
  preferred_selections_ = 0;
  turn_length_ = 1;
  had_turn_ = 0;
  num_backward_jumps_ = 0;
}

void Warp::SelectNext() {
  LaneMask ready = 0;
  for (const Group& group : groups_) {
    if (&group != &current() && group.wait == Wait::kNone) ready |= group.lanes;
  }
  if (ready == 0) return;
  if ((ready & ~had_turn_) == 0) had_turn_ = 0;
  for (size_t step = 1; step < groups_.size(); ++step) {
    const size_t next = (current_ + step) % groups_.size();
    const Group& group = groups_[next];
    if (group.wait != Wait::kNone || (group.lanes & ~had_turn_) == 0) continue;
    current_ = next;
    had_turn_ |= group.lanes;
    preferred_ = group.lanes;
    preferred_selections_ = turn_length_;
    turn_length_ = std::min(2 * turn_length_, kLongestTurn);
    return;
  }
}

bool Warp::CountBackwardJump(bool may_wait) {
  return ++num_backward_jumps_ % (may_wait ? kJumpsBeforeTurn : kJumpsOfLongLoop) == 0;
}

void Warp::JoinParked() {
  Group& group = current();
  for (Group& other : groups_) {
    if (other.wait != Wait::kMembers || other.activation != group.activation ||
        other.index != group.index) {
      continue;
    }
    group.lanes |= other.lanes;
    other.lanes = 0;
  }
}

uint32_t Warp::MeetingIndex() const {
  const Group& group = groups_[current_];
  const std::vector<uint32_t>& block_ends = group.activation->function->block_ends;
  uint32_t meeting = std::numeric_limits<uint32_t>::max();
  for (const Group& other : groups_) {
    if (&other == &group || other.activation != group.activation || other.wait != Wait::kNone) {
      continue;
    }
    if (other.index > group.index) meeting = std::min(meeting, other.index);
    // What follows in the text may not be what has its turn.
    if (!block_ends.empty()) meeting = std::min(meeting, block_ends[group.index]);
  }
  return meeting;
}

}  // namespace hlo_indexing::ptx
