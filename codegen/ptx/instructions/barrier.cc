// Barriers of a block and of a warp, and fences (§9.7.13).
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/instructions/cluster.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/function_decoder.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/executor.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/ordering.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

// Slots of an operation at a barrier, by their place in Operation::slots.
enum BarrierSlot : uint8_t { kResult, kNumber, kThreads, kPredicate };

// What bar.red makes of the predicates: the index in the list of modifiers.
enum class Reduction : uint8_t { kNone, kPopulationCount, kAnd, kOr };

Barrier* BarrierOf(const Operation& operation, Execution& execution, int* number) {
  const auto* numbers = execution.At<uint32_t>(operation.slots[kNumber]);
  const int first = std::countr_zero(execution.lanes);
  *number = static_cast<int>(numbers[first]);
  if (numbers[first] >= execution.block->barriers.size()) {
    ReportFinding(operation, execution, Check::kSynccheck, execution.lanes,
                  absl::StrCat("barrier ", numbers[first], " does not exist, a block has 16"));
    execution.launch->is_stopped = true;
    execution.launch->stop_reason = "a barrier that does not exist";
    return nullptr;
  }
  return &execution.block->barriers[numbers[first]];
}

// Barriers for a number of threads count warps, and so threads that a warp does not have, or no
// more.
void Count(const Execution& execution, Barrier& barrier) {
  if (barrier.expected == 0) {
    barrier.arrived += static_cast<uint32_t>(std::popcount(execution.lanes));
    return;
  }
  LaneMask& part = barrier.parts[static_cast<size_t>(execution.warp->number())];
  if ((part & execution.lanes) != 0) {
    // Who comes twice to a phase counts twice.
    barrier.arrived += static_cast<uint32_t>(std::popcount(part));
    part = 0;
  }
  part |= execution.lanes;
  if ((execution.warp->live() & ~part) != 0) return;
  barrier.arrived += kWarpSize;
  part = 0;
}

// Counts the lanes as arrived. False where the launch ends because of it.
bool Arrive(const Operation& operation, Execution& execution, Barrier& barrier) {
  uint32_t expected = 0;
  if (operation.slots[kThreads] != kNoSlot) {
    expected = execution.At<uint32_t>(operation.slots[kThreads])[std::countr_zero(execution.lanes)];
    if (expected == 0 || expected % kWarpSize != 0) {
      ReportFinding(operation, execution, Check::kSynccheck, execution.lanes,
                    absl::StrCat("a barrier for ", expected,
                                 " threads: a positive multiple of 32 is needed"));
      execution.launch->is_stopped = true;
      execution.launch->stop_reason = "a barrier for a wrong number of threads";
      return false;
    }
  }
  if (barrier.is_used && barrier.expected != expected) {
    ReportFinding(operation, execution, Check::kSynccheck, execution.lanes,
                  absl::StrCat("a barrier for ", expected == 0 ? "all" : absl::StrCat(expected),
                               " threads, at which others wait for ",
                               barrier.expected == 0 ? "all" : absl::StrCat(barrier.expected)));
  }
  barrier.is_used = true;
  barrier.expected = expected;
  Count(execution, barrier);
  return true;
}

Step Synchronize(const Operation& operation, Execution& execution) {
  int number = 0;
  Barrier* barrier = BarrierOf(operation, execution, &number);
  if (barrier == nullptr || !Arrive(operation, execution, *barrier)) return Step::kReschedule;
  if (operation.slots[kPredicate] != kNoSlot) {
    const LaneMask predicate = execution.Predicate(operation.slots[kPredicate]) & execution.lanes;
    barrier->true_count += static_cast<uint32_t>(std::popcount(predicate));
    barrier->predicates += static_cast<uint32_t>(std::popcount(execution.lanes));
  }
  Warp& warp = *execution.warp;
  warp.current().index = execution.index;
  warp.Park(execution.lanes, Wait::kBarrier, static_cast<uint8_t>(number));
  ReleaseBarriers(*execution.launch, *execution.block);
  return Step::kReschedule;
}

Step ArriveOnly(const Operation& operation, Execution& execution) {
  int number = 0;
  Barrier* barrier = BarrierOf(operation, execution, &number);
  if (barrier == nullptr || !Arrive(operation, execution, *barrier)) return Step::kReschedule;
  barrier->has_gone_on = true;
  OrderBarrierArrive(execution, number);
  ReleaseBarriers(*execution.launch, *execution.block);
  return Step::kNext;
}

void FinishReduction(const Operation& operation, Execution& execution, const Barrier& barrier) {
  switch (static_cast<Reduction>(operation.immediate)) {
    case Reduction::kNone:
      return;
    case Reduction::kPopulationCount: {
      auto* result = execution.At<uint32_t>(operation.slots[kResult]);
      ForEachLane(execution.lanes, [&](int lane) { result[lane] = barrier.true_count; });
      return;
    }
    case Reduction::kAnd:
    case Reduction::kOr: {
      const bool value = static_cast<Reduction>(operation.immediate) == Reduction::kAnd
                             ? barrier.true_count == barrier.predicates
                             : barrier.true_count != 0;
      LaneMask& result = execution.Predicate(operation.slots[kResult]);
      result = value ? result | execution.lanes : result & ~execution.lanes;
      return;
    }
  }
}

absl::Status DecodeWarpBarrier(InstructionDecoder& d);

bool IsNumber(uint64_t value) { return value < std::tuple_size_v<decltype(Block::barriers)>; }
bool IsThreadCount(uint64_t value) { return value != 0 && value % kWarpSize == 0; }

// An operand that is written as a number is right; what a register holds is looked at when it is
// executed.
absl::Status CheckConstant(InstructionDecoder& d, int operand, bool (*is_right)(uint64_t),
                           std::string_view message) {
  if (d.operand(operand).kind != syntax::OperandKind::kInteger) return absl::OkStatus();
  if (is_right(d.operand(operand).bits)) return absl::OkStatus();
  return d.OperandError(operand, message);
}

// bar{.cta}.{sync,arrive,red}, barrier{.cta}.{sync,arrive,red}{.aligned}.
absl::Status DecodeBarrier(InstructionDecoder& d) {
  const bool is_short = d.opcode() == "bar";
  if (is_short && d.Take("warp")) return DecodeWarpBarrier(d);
  if (!d.Take("cta") && !is_short && d.Take("cluster")) return DecodeClusterBarrier(d);
  const auto kind = d.TakeOneOf({"sync", "arrive", "red"});
  if (!kind.has_value()) return d.Error("a barrier needs '.sync', '.arrive' or '.red'");
  // `bar` is `barrier.aligned`: all threads of the warp execute it together.
  const bool is_aligned = is_short || d.Take("aligned");
  Operation operation{.execute = *kind == 1 ? ArriveOnly : Synchronize,
                      .pipe = Pipe::kSynchronization};
  if (is_aligned) operation.members = d.ConstantSlot(Type::kB32, kAllLanes);
  int next = 0;
  int last = d.num_operands();
  if (*kind == 2) {
    const auto reduction = d.TakeOneOf({"popc", "and", "or"});
    if (!reduction.has_value()) return d.Error("'.red' needs '.popc', '.and' or '.or'");
    const Type type = *reduction == 0 ? Type::kU32 : Type::kPred;
    HLO_INDEXING_ASSIGN_OR_RETURN(const Type given, d.TakeType({type}));
    operation.immediate = *reduction + 1;
    operation.finish_barrier = FinishReduction;
    HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(3, 4));
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[kResult], d.Destination(0, given));
    next = 1;
    --last;
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[kPredicate], d.PredicateSource(d.operand(last)));
  } else {
    HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(*kind == 1 ? 2 : 1, 2));
  }
  HLO_INDEXING_RETURN_IF_ERROR(CheckConstant(d, next, IsNumber, "a barrier has a number below 16"));
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[kNumber], d.Source(next, Type::kU32));
  if (next + 1 < last) {
    HLO_INDEXING_RETURN_IF_ERROR(CheckConstant(
        d, next + 1, IsThreadCount, "a barrier is for a positive multiple of 32 threads"));
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[kThreads], d.Source(next + 1, Type::kU32));
  }
  return d.Emit(std::move(operation));
}

Step WarpBarrier(const Operation&, Execution& execution) {
  OrderWarp(execution, execution.lanes);
  return Step::kNext;
}

absl::Status DecodeWarpBarrier(InstructionDecoder& d) {
  if (!d.Take("sync")) return d.Error("'bar.warp' needs '.sync'");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot members, d.Source(0, Type::kB32));
  return d.Emit({.execute = WarpBarrier, .pipe = Pipe::kSynchronization, .members = members});
}

// The memory of this machine is sequentially consistent: a fence orders what is in order already,
// but for those who look for races. immediate: 1 if the scope is wider than the block, 0 if it is
// not; -1: a fence of proxies, which orders no threads.
Step Fence(const Operation& operation, Execution& execution) {
  if (operation.immediate >= 0) OrderFence(execution, operation.immediate != 0);
  return Step::kNext;
}

bool HasRestriction(const InstructionDecoder& d) {
  return std::ranges::any_of(d.instruction().modifiers, [](const syntax::Modifier& modifier) {
    return modifier.name.starts_with("sync_restrict::");
  });
}

// An acquire of what the cluster has done in its shared memory, or a release of what the block has
// done in its own; both of the cluster's scope (§9.7.13.5).
absl::Status TakeRestriction(InstructionDecoder& d) {
  const bool is_acquire =
      d.Take("acquire") && d.Take("sync_restrict::shared::cluster") && d.Take("cluster");
  const bool is_release =
      !is_acquire && d.Take("release") && d.Take("sync_restrict::shared::cta") && d.Take("cluster");
  if (is_acquire || is_release) return absl::OkStatus();
  return d.Error(
      "this fence needs '.acquire.sync_restrict::shared::cluster.cluster' or "
      "'.release.sync_restrict::shared::cta.cluster'");
}

absl::Status DecodeFence(InstructionDecoder& d) {
  const bool is_membar = d.opcode() == "membar";
  std::optional<int> scope;
  if (is_membar) {
    if (d.Take("proxy")) {
      if (!d.Take("alias")) return d.Error("this proxy of 'membar.proxy' is not supported");
    } else {
      scope = d.TakeOneOf({"cta", "gl", "sys"});
      if (!scope.has_value()) return d.Error("'membar' needs '.cta', '.gl' or '.sys'");
    }
  } else if (d.Take("proxy")) {
    const std::optional<int> proxy = d.TakeOneOf({"alias", "async", "async::generic"});
    if (!proxy.has_value()) return d.Error("this proxy of 'fence.proxy' is not supported");
    if (*proxy == 1) d.TakeOneOf({"global", "shared::cta", "shared::cluster"});
    if (*proxy == 2) HLO_INDEXING_RETURN_IF_ERROR(TakeRestriction(d));
  } else if (d.Take("mbarrier_init")) {
    if (!d.Take("release") || !d.Take("cluster")) {
      return d.Error("'fence.mbarrier_init' needs '.release.cluster'");
    }
  } else if (HasRestriction(d)) {
    HLO_INDEXING_RETURN_IF_ERROR(TakeRestriction(d));
    scope = 1;
  } else {
    d.TakeOneOf({"sc", "acq_rel", "acquire", "release"});
    scope = d.TakeOneOf({"cta", "cluster", "gpu", "sys"});
    if (!scope.has_value()) {
      return d.Error("'fence' needs a scope: '.cta', '.cluster', '.gpu' or '.sys'");
    }
  }
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(0));
  Operation operation;
  operation.execute = Fence;
  operation.pipe = Pipe::kSynchronization;
  if (!scope.has_value()) {
    operation.immediate = -1;
  } else {
    operation.immediate = *scope > 0 ? 1 : 0;
  }
  return d.Emit(std::move(operation));
}

constexpr OpcodeRow kRows[] = {
    {"bar", DecodeBarrier},
    {"barrier", DecodeBarrier},
    {"membar", DecodeFence},
    {"fence", DecodeFence},
};

}  // namespace

std::span<const OpcodeRow> BarrierOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
