// Instructions of clusters (PTX ISA 9.7.9.23, 9.7.9.24, 9.7.13.4), which have one block each here:
// mapa gives the address of the block's own shared memory, getctarank 0, and barrier.cluster is a
// barrier of the block at which threads arrive before they wait.
#include "codegen/ptx/instructions/cluster.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/instructions/warp_operands.h"
#include "codegen/ptx/machine/address.h"
#include "codegen/ptx/machine/executor.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/ordering.h"
#include "codegen/ptx/machine/warp.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

// Tells the findings at one operation apart.
enum Fault : uint8_t { kTwice = 30, kNotArrived, kNotShared };

// --- barrier.cluster

/// immediate: 1 if what the threads have done before is released, 0 of `.relaxed`.
Step ExecuteArrive(const Operation& operation, Execution& execution) {
  Block& block = *execution.block;
  const int warp = execution.warp->number();
  const LaneMask twice = block.cluster_barrier.Arrived(warp) & execution.lanes;
  if (twice != 0) {
    ReportMisuse(operation, execution, twice,
                 "arrives at the barrier of the cluster and has not waited since it did before",
                 kTwice);
  }
  block.cluster_barrier.Arrive(warp, execution.lanes & ~twice);
  if (operation.immediate != 0) OrderClusterArrive(execution);
  ReleaseClusterBarrier(block);
  return Step::kNext;
}

Step ExecuteWait(const Operation& operation, Execution& execution) {
  Block& block = *execution.block;
  Warp& warp = *execution.warp;
  const LaneMask strangers = execution.lanes & ~block.cluster_barrier.Arrived(warp.number());
  if (strangers != 0) {
    ReportMisuse(operation, execution, strangers,
                 "waits at the barrier of the cluster and has not arrived", kNotArrived);
  }
  const LaneMask passed = block.cluster_barrier.TakePassed(warp.number(), execution.lanes);
  OrderClusterWait(block, {.warp = warp.number(), .lanes = passed});
  const LaneMask waiting = execution.lanes & ~passed & ~strangers;
  if (waiting == 0) return Step::kNext;
  warp.current().index = execution.index;
  warp.Park(waiting, Wait::kCluster, 0);
  return Step::kReschedule;
}

// --- mapa, getctarank

void CheckIsShared(const Operation& operation, const Execution& execution, Slot address) {
  const auto* const addresses = execution.At<uint64_t>(address);
  LaneMask wrong = 0;
  ForEachLane(execution.lanes, [&](int lane) {
    if (SpaceOfGeneric(addresses[lane]) != Space::kShared) wrong |= LaneMask{1} << lane;
  });
  if (wrong == 0) return;
  ReportFinding(
      operation, execution, Check::kMemcheck, wrong,
      absl::StrCat("the generic address 0x", absl::Hex(addresses[std::countr_zero(wrong)]),
                   " is not in shared memory"),
      kNotShared);
}

/// Slots: result, address, number of the block. immediate: 1 if the address is a generic one.
template <typename Address>
Step ExecuteMap(const Operation& operation, Execution& execution) {
  const auto* const ranks = execution.At<uint32_t>(operation.slots[2]);
  LaneMask beyond = 0;
  ForEachLane(execution.lanes, [&](int lane) {
    if (ranks[lane] != 0) beyond |= LaneMask{1} << lane;
  });
  if (beyond != 0) {
    ReportFinding(operation, execution, Check::kMemcheck, beyond,
                  absl::StrCat("block ", ranks[std::countr_zero(beyond)],
                               " of the cluster does not exist: clusters have one block here"));
    execution.launch->is_stopped = true;
    execution.launch->stop_reason = "a block of a cluster that does not exist";
    return Step::kReschedule;
  }
  if (operation.immediate != 0) CheckIsShared(operation, execution, operation.slots[1]);
  const auto* const from = execution.At<Address>(operation.slots[1]);
  auto* const to = execution.At<Address>(operation.slots[0]);
  ForEachLane(execution.lanes, [&](int lane) { to[lane] = from[lane]; });
  return Step::kNext;
}

/// Slots: result, address. immediate: 1 if the address is a generic one.
Step ExecuteRank(const Operation& operation, Execution& execution) {
  if (operation.immediate != 0) CheckIsShared(operation, execution, operation.slots[1]);
  auto* const rank = execution.At<uint32_t>(operation.slots[0]);
  ForEachLane(execution.lanes, [&](int lane) { rank[lane] = 0; });
  return Step::kNext;
}

/// Of `{.shared::cluster}.{u32,u64}`: the type of the address, and whether it is a generic one.
struct AddressType {
  Type type = Type::kU64;
  bool is_generic = true;
};

absl::StatusOr<AddressType> TakeAddressType(InstructionDecoder& d, int operand) {
  AddressType address;
  address.is_generic = !d.Take("shared::cluster");
  HLO_INDEXING_ASSIGN_OR_RETURN(address.type, d.TakeType({Type::kU32, Type::kU64}));
  if (!address.is_generic) return address;
  if (address.type == Type::kU32) {
    return d.Error("generic addresses of 32 bits are not supported");
  }
  if (d.operand(operand).kind == syntax::OperandKind::kVariable) {
    return d.OperandError(operand, "a generic address is needed here, as cvta makes it");
  }
  return address;
}

absl::Status DecodeMapa(InstructionDecoder& d) {
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(3));
  HLO_INDEXING_ASSIGN_OR_RETURN(const AddressType address, TakeAddressType(d, 1));
  Operation operation;
  operation.execute = address.type == Type::kU64 ? ExecuteMap<uint64_t> : ExecuteMap<uint32_t>;
  operation.pipe = Pipe::kInteger;
  operation.immediate = address.is_generic ? 1 : 0;
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Destination(0, address.type));
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[1], d.Source(1, address.type));
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[2], d.Source(2, Type::kU32));
  return d.Emit(std::move(operation));
}

absl::Status DecodeGetctarank(InstructionDecoder& d) {
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(const AddressType address, TakeAddressType(d, 1));
  Operation operation;
  operation.execute = ExecuteRank;
  operation.pipe = Pipe::kInteger;
  operation.immediate = address.is_generic ? 1 : 0;
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Destination(0, Type::kU32));
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[1], d.Source(1, address.type));
  return d.Emit(std::move(operation));
}

constexpr OpcodeRow kRows[] = {{"mapa", DecodeMapa}, {"getctarank", DecodeGetctarank}};

}  // namespace

absl::Status DecodeClusterBarrier(InstructionDecoder& d) {
  const std::optional<int> kind = d.TakeOneOf({"arrive", "wait"});
  if (!kind.has_value()) return d.Error("barrier.cluster needs '.arrive' or '.wait'");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(0));
  Operation operation{.execute = *kind == 0 ? ExecuteArrive : ExecuteWait,
                      .pipe = Pipe::kSynchronization};
  if (*kind == 0) {
    operation.immediate = d.TakeOneOf({"release", "relaxed"}) == 1 ? 0 : 1;
  } else {
    d.Take("acquire");
  }
  if (d.Take("aligned")) operation.members = d.ConstantSlot(Type::kB32, kAllLanes);
  return d.Emit(std::move(operation));
}

std::span<const OpcodeRow> ClusterOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
