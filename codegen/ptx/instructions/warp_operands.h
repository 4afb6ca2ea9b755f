// What the instructions of a whole warp have in common: who takes part, and how misuse is told.
//
// Example: lanes 0 to 15 execute `redux.sync.add.u32 %r1, %r2, %r3` with %r3 = 0xff in lanes 0 to 7
// and 0xff00 in lanes 8 to 15. ForEachMemberSet visits {0xff, lanes 0..7} and {0xff00, lanes
// 8..15}: two sums.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_WARP_OPERANDS_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_WARP_OPERANDS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/ordering.h"

namespace hlo_indexing::ptx {

/// A finding of synccheck at this operation, about the lanes: what the program did that leaves the
/// result undefined. Nothing happens where the launch does not check. `kind` tells faults at one
/// operation apart.
inline void ReportMisuse(const Operation& operation, const Execution& execution, LaneMask lanes,
                         std::string_view message, uint32_t kind = 0) {
  if (execution.launch == nullptr || execution.launch->options == nullptr ||
      !execution.launch->options->checks.synccheck) {
    return;
  }
  ReportFinding(operation, execution, Check::kSynccheck, lanes, message, kind);
}

/// The lanes whose values equal `value`.
template <typename T>
LaneMask LanesEqualTo(const T* values, T value) {
  std::array<uint8_t, kWarpSize> equal;
  for (size_t lane = 0; lane < kWarpSize; ++lane) equal[lane] = values[lane] == value ? 1 : 0;
  return MaskOfBytes(equal);
}

/// Calls `visit(members, lanes)` once for each member mask that executing lanes have: `lanes` are
/// those that have it. Who takes part is `members & lanes`: others of the mask have exited, or
/// execute something else.
template <typename Visit>
void ForEachMemberSet(const Execution& execution, Slot members, Visit visit) {
  const uint32_t* masks = execution.At<uint32_t>(members);
  for (LaneMask rest = execution.lanes; rest != 0;) {
    const uint32_t mask = masks[std::countr_zero(rest)];
    const LaneMask lanes = rest & LanesEqualTo(masks, mask);
    visit(mask, lanes);
    rest &= ~lanes;
  }
}

/// For the race detector: the lanes of each member mask exchange values. Before the result is
/// written, which may be the register that holds the mask.
inline void OrderExchanges(const Operation& operation, const Execution& execution) {
  if (execution.block == nullptr || execution.block->memory.races() == nullptr) return;
  if (operation.members == kNoSlot) {
    OrderExchange(execution, execution.lanes);
    return;
  }
  ForEachMemberSet(execution, operation.members, [&](uint32_t members, LaneMask lanes) {
    OrderExchange(execution, members & lanes);
  });
}

/// Reports lanes that are not in their own member mask (undefined by the ISA).
inline void CheckMembers(const Operation& operation, const Execution& execution, uint32_t members,
                         LaneMask lanes) {
  if ((lanes & ~members) != 0) {
    ReportMisuse(operation, execution, lanes & ~members,
                 "a lane executes this that its member mask does not name", 1);
  }
}

/// Reports a warp of which not all lanes execute an `.aligned` instruction of matrices.
inline void CheckWholeWarp(const Operation& operation, const Execution& execution) {
  if (execution.lanes != kAllLanes) {
    ReportMisuse(operation, execution, execution.lanes,
                 "not all lanes of the warp execute this matrix instruction");
  }
}

/// Sets the bits of `lanes` in a predicate to those of `values`.
inline void AssignPredicate(const Execution& execution, Slot slot, LaneMask lanes,
                            LaneMask values) {
  LaneMask& predicate = execution.Predicate(slot);
  predicate = (predicate & ~lanes) | (values & lanes);
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_WARP_OPERANDS_H_
