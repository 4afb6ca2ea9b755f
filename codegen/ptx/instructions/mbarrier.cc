// mbarrier: barriers in shared memory that count arrivals and bytes (PTX ISA 9.7.13.15).
//
// Scopes and semantics change nothing here, as memory accesses happen one after another. A wait
// does not block: try_wait lets everybody else go first once, and then says what it sees.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/mbarrier_object.h"
#include "codegen/ptx/instructions/memory_operand.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/instructions/warp_operands.h"
#include "codegen/ptx/machine/async_copies.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/ordering.h"
#include "codegen/ptx/machine/warp.h"
#include "codegen/ptx/machine/warp_access.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

// Tells the findings at one operation apart.
enum Fault : uint8_t { kNoBarrier = 10, kCount, kBeyondCount, kTransactions, kEnds };

struct MbarrierDetails : OperationDetails {
  MemoryOperand memory;
  /// Arrivals or bytes; kNoSlot: 1 arrival.
  Slot count = kNoSlot;
  /// Of arrive.expect_tx.
  Slot bytes = kNoSlot;
  /// Where the state before the operation goes; kNoSlot: nowhere.
  Slot state = kNoSlot;
  bool is_drop = false;
  bool is_no_complete = false;
};

/// The barriers that the lanes name: host pointers and offsets in shared memory.
struct Barriers {
  LaneMask lanes = 0;
  HostPointers pointers = {};
  Lanes<uint64_t> addresses = {};
};

Barriers Resolve(const Operation& operation, const Execution& execution,
                 const MemoryOperand& memory, AccessKind kind) {
  WarpAccess access;
  access.kind = kind;
  access.is_strong = true;
  access.bytes = 8;
  access.alignment = 8;
  SetAddresses(memory, execution, access);
  KeepShared(operation, execution, access);
  Barriers barriers;
  barriers.lanes = ResolveAccess(operation, execution, access, barriers.pointers);
  // A barrier is known by its place in shared memory, whatever the space of the address.
  const std::byte* shared = execution.block->memory.shared();
  ForEachLane(barriers.lanes, [&](int lane) {
    const auto l = static_cast<size_t>(lane);
    barriers.addresses[l] = static_cast<uint64_t>(barriers.pointers[l] - shared);
  });
  return barriers;
}

uint64_t Load(const std::byte* place) {
  uint64_t bits;
  std::memcpy(&bits, place, sizeof(bits));
  return bits;
}
void Store(std::byte* place, uint64_t bits) { std::memcpy(place, &bits, sizeof(bits)); }

LaneMask Bit(int lane) { return LaneMask{1} << lane; }

/// Calls `change(object, lane)` for the barriers of the lanes in order, which says whether to store
/// the object.
template <typename Change>
void ForEachBarrier(const Operation& operation, const Execution& execution,
                    const Barriers& barriers, Change change) {
  ForEachLane(barriers.lanes, [&](int lane) {
    std::byte* place = barriers.pointers[static_cast<size_t>(lane)];
    std::optional<MbarrierObject> object = MbarrierObject::Unpack(Load(place));
    if (!object) {
      ReportMisuse(operation, execution, Bit(lane),
                   "there is no mbarrier here: it was not initialised, or was invalidated",
                   kNoBarrier);
      return;
    }
    if (change(*object, lane)) Store(place, object->Pack());
  });
}

// --- init, inval

Step ExecuteInit(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<MbarrierDetails>();
  const Barriers barriers = Resolve(operation, execution, details.memory, AccessKind::kStore);
  const auto* counts = execution.At<uint32_t>(details.count);
  ForEachLane(barriers.lanes, [&](int lane) {
    std::byte* place = barriers.pointers[static_cast<size_t>(lane)];
    const uint32_t count = counts[lane];
    if (count == 0 || count > MbarrierObject::kMaxCount) {
      ReportMisuse(operation, execution, Bit(lane), "the count of an mbarrier is from 1 to 1048575",
                   kCount);
      return;
    }
    Store(place, MbarrierObject{.pending = count, .expected = count}.Pack());
  });
  return Step::kNext;
}

Step ExecuteInvalidate(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<MbarrierDetails>();
  const Barriers barriers = Resolve(operation, execution, details.memory, AccessKind::kStore);
  ForEachBarrier(operation, execution, barriers, [&](const MbarrierObject&, int lane) {
    Store(barriers.pointers[static_cast<size_t>(lane)], 0);
    return false;
  });
  return Step::kNext;
}

// --- arrive, arrive_drop, expect_tx, complete_tx

bool ChangeTransactions(const Operation& operation, const Execution& execution, int lane,
                        MbarrierObject& object, int64_t bytes) {
  if (object.AddTransactions(bytes)) return true;
  ReportMisuse(operation, execution, Bit(lane),
               "the bytes that an mbarrier waits for are beyond 1048575", kTransactions);
  return false;
}

/// What an arrival does to the barrier. False if it is misuse.
bool ArriveAt(const Operation& operation, const Execution& execution, int lane, uint32_t count,
              MbarrierObject& object) {
  const auto& details = operation.Details<MbarrierDetails>();
  if (details.is_no_complete && count >= object.pending) {
    ReportMisuse(operation, execution, Bit(lane), "an arrival .noComplete would end the phase",
                 kEnds);
    return false;
  }
  if (details.is_drop) {
    if (count > object.expected) {
      ReportMisuse(operation, execution, Bit(lane),
                   "more arrivals are dropped than the mbarrier expects", kBeyondCount);
      return false;
    }
    object.expected -= count;
  }
  if (object.Arrive(count)) return true;
  ReportMisuse(operation, execution, Bit(lane),
               "more arrivals than the current phase of the mbarrier expects", kBeyondCount);
  return false;
}

Step ExecuteArrive(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<MbarrierDetails>();
  // Registers may be results and operands at once.
  const auto read = [&](Slot slot, uint32_t otherwise) {
    Lanes<uint32_t> values;
    values.fill(otherwise);
    if (slot != kNoSlot) std::memcpy(values.data(), execution.At<uint32_t>(slot), sizeof(values));
    return values;
  };
  const Lanes<uint32_t> counts = read(details.count, 1);
  const Lanes<uint32_t> bytes = read(details.bytes, 0);
  const Barriers barriers = Resolve(operation, execution, details.memory, AccessKind::kAtomic);
  Lanes<uint64_t> states = {};
  ForEachBarrier(operation, execution, barriers, [&](MbarrierObject& object, int lane) {
    const auto l = static_cast<size_t>(lane);
    states[l] = object.Pack();
    if (bytes[l] != 0 &&
        !ChangeTransactions(operation, execution, lane, object, int64_t{bytes[l]})) {
      return false;
    }
    OrderArrive(execution, barriers.addresses[l], Bit(lane));
    return ArriveAt(operation, execution, lane, counts[l], object);
  });
  if (details.state != kNoSlot) {
    auto* result = execution.At<uint64_t>(details.state);
    ForEachLane(execution.lanes,
                [&](int lane) { result[lane] = states[static_cast<size_t>(lane)]; });
  }
  return Step::kNext;
}

/// expect_tx and, with the sign turned, complete_tx.
template <int kSign>
Step ExecuteTransactions(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<MbarrierDetails>();
  const Barriers barriers = Resolve(operation, execution, details.memory, AccessKind::kAtomic);
  const auto* bytes = execution.At<uint32_t>(details.count);
  ForEachBarrier(operation, execution, barriers, [&](MbarrierObject& object, int lane) {
    return ChangeTransactions(operation, execution, lane, object, kSign * int64_t{bytes[lane]});
  });
  return Step::kNext;
}

// --- test_wait, try_wait, pending_count

/// The asynchronous copies that the barriers wait for end here, at the latest.
void EndCopies(const Operation& operation, const Execution& execution, const Barriers& barriers) {
  ForEachBarrier(operation, execution, barriers, [&](MbarrierObject& object, int lane) {
    const uint64_t address = barriers.addresses[static_cast<size_t>(lane)];
    const AsyncCompletion done = execution.block->async_copies.Complete(address);
    if (done.bytes == 0 && done.arrivals == 0) return false;
    OrderCopiesEnd(execution, address);
    bool is_right = true;
    if (done.bytes != 0) {
      is_right =
          ChangeTransactions(operation, execution, lane, object, -static_cast<int64_t>(done.bytes));
    }
    if (done.arrivals != 0 && !object.Arrive(done.arrivals)) {
      ReportMisuse(operation, execution, Bit(lane),
                   "more arrivals than the current phase of the mbarrier expects", kBeyondCount);
    }
    return is_right;
  });
}

/// The lanes of the barriers whose phase in slot 1, a state or a parity, has ended.
template <bool kIsParity>
LaneMask LanesOfEndedPhases(const Operation& operation, const Execution& execution,
                            const Barriers& barriers) {
  LaneMask ended = 0;
  ForEachBarrier(operation, execution, barriers, [&](const MbarrierObject& object, int lane) {
    bool phase;
    if constexpr (kIsParity) {
      phase = (execution.At<uint32_t>(operation.slots[1])[lane] & 1) != 0;
    } else {
      const auto state = MbarrierObject::Unpack(execution.At<uint64_t>(operation.slots[1])[lane]);
      if (!state) {
        ReportMisuse(operation, execution, Bit(lane), "this is no state of an mbarrier", kCount);
        return false;
      }
      phase = state->phase;
    }
    if (object.phase != phase) ended |= Bit(lane);
    return false;
  });
  return ended;
}

/// Slots: predicate, state or parity. kIsTry: others go first if the phase has not ended.
template <bool kIsParity, bool kIsTry>
Step ExecuteWait(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<MbarrierDetails>();
  const Barriers barriers = Resolve(operation, execution, details.memory, AccessKind::kAtomic);
  LaneMask ended = LanesOfEndedPhases<kIsParity>(operation, execution, barriers);
  // Copies end when somebody waits for them: who asks for a phase before theirs does not.
  if (ended != barriers.lanes) {
    Barriers waiting = barriers;
    waiting.lanes &= ~ended;
    EndCopies(operation, execution, waiting);
    ended |= LanesOfEndedPhases<kIsParity>(operation, execution, waiting);
  }
  if constexpr (kIsTry) {
    uint32_t& retries = execution.block->async_copies.retries(execution.warp->number());
    if (ended != barriers.lanes && retries == 0) {
      retries = 1;
      return Step::kRetry;
    }
    retries = 0;
  }
  ForEachLane(ended, [&](int lane) {
    OrderWait(execution, barriers.addresses[static_cast<size_t>(lane)], Bit(lane));
  });
  AssignPredicate(execution, operation.slots[0], execution.lanes, ended);
  return Step::kNext;
}

/// Slots: result, state.
Step ExecutePendingCount(const Operation& operation, Execution& execution) {
  auto* result = execution.At<uint32_t>(operation.slots[0]);
  const auto* states = execution.At<uint64_t>(operation.slots[1]);
  ForEachLane(execution.lanes, [&](int lane) {
    const auto state = MbarrierObject::Unpack(states[lane]);
    if (!state) {
      ReportMisuse(operation, execution, Bit(lane), "this is no state of an mbarrier", kCount);
    }
    result[lane] = state ? state->pending : 0;
  });
  return Step::kNext;
}

// --- Decoding.

/// Semantics and their scope: both or neither of them.
absl::Status TakeOrder(InstructionDecoder& d, std::initializer_list<std::string_view> semantics) {
  const bool has_semantics = d.TakeOneOf(semantics).has_value();
  const bool has_scope = d.TakeOneOf({"cta", "cluster"}).has_value();
  if (has_semantics == has_scope) return absl::OkStatus();
  return d.Error(has_scope ? "a scope of mbarrier needs semantics before it, as .release"
                           : "semantics of mbarrier need a scope: .cta or .cluster");
}

bool HasModifier(const InstructionDecoder& d, std::string_view name) {
  return std::ranges::find(d.instruction().modifiers, name, &syntax::Modifier::name) !=
         d.instruction().modifiers.end();
}

absl::Status TakeB64(InstructionDecoder& d) { return d.TakeType({Type::kB64}).status(); }

absl::StatusOr<MemoryOperand> DecodeBarrier(InstructionDecoder& d, int operand, Space space) {
  if (space != Space::kGeneric && space != Space::kShared) {
    return d.Error("an mbarrier is in shared memory, not in ." + std::string(NameOf(space)));
  }
  return DecodeMemoryOperand(d, operand, space);
}

absl::Status DecodeInit(InstructionDecoder& d) {
  auto details = std::make_shared<MbarrierDetails>();
  const Space space = d.TakeSpace();
  HLO_INDEXING_RETURN_IF_ERROR(TakeB64(d));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->memory, DecodeBarrier(d, 0, space));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->count, d.Source(1, Type::kU32));
  return d.Emit(
      {.execute = ExecuteInit, .pipe = Pipe::kSynchronization, .details = std::move(details)});
}

absl::Status DecodeInvalidate(InstructionDecoder& d) {
  auto details = std::make_shared<MbarrierDetails>();
  const Space space = d.TakeSpace();
  HLO_INDEXING_RETURN_IF_ERROR(TakeB64(d));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->memory, DecodeBarrier(d, 0, space));
  return d.Emit({.execute = ExecuteInvalidate,
                 .pipe = Pipe::kSynchronization,
                 .details = std::move(details)});
}

/// What `.noComplete` does not go with: it is of mbarriers of the block, and always a release.
absl::Status CheckNoComplete(const InstructionDecoder& d) {
  for (const std::string_view name : {"relaxed", "cluster", "shared::cluster"}) {
    if (!HasModifier(d, name)) continue;
    return d.Error(".noComplete does not go with ." + std::string(name));
  }
  return absl::OkStatus();
}

/// arrive and arrive_drop: `state, [addr]{, count}`; `_` for the state, which alone an mbarrier of
/// the cluster gives.
absl::Status DecodeArrive(InstructionDecoder& d, bool is_drop) {
  auto details = std::make_shared<MbarrierDetails>();
  details->is_drop = is_drop;
  details->is_no_complete = d.Take("noComplete");
  const bool expects = !details->is_no_complete && d.Take("expect_tx");
  HLO_INDEXING_RETURN_IF_ERROR(TakeOrder(d, {"release", "relaxed"}));
  const bool is_of_cluster = HasModifier(d, "shared::cluster");
  const Space space = TakeAccessSpace(d);
  HLO_INDEXING_RETURN_IF_ERROR(TakeB64(d));
  const bool needs_count = expects || details->is_no_complete;
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(needs_count ? 3 : 2, 3));
  if (details->is_no_complete) HLO_INDEXING_RETURN_IF_ERROR(CheckNoComplete(d));
  if (d.operand(0).kind != syntax::OperandKind::kSink) {
    if (is_of_cluster) return d.OperandError(0, "an mbarrier of .shared::cluster gives no state");
    HLO_INDEXING_ASSIGN_OR_RETURN(details->state, d.Destination(0, Type::kB64));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(details->memory, DecodeBarrier(d, 1, space));
  if (d.num_operands() == 3) {
    if (!needs_count && d.target() < 90) {
      return d.OperandError(2, "a count without .noComplete needs .target sm_90 or higher");
    }
    const syntax::Operand& given = d.operand(2);
    if (!expects && given.kind == syntax::OperandKind::kInteger && given.bits == 0) {
      return d.OperandError(2, "a count of arrivals is positive");
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(const Slot count, d.Source(2, Type::kU32));
    (expects ? details->bytes : details->count) = count;
  }
  return d.Emit(
      {.execute = ExecuteArrive, .pipe = Pipe::kSynchronization, .details = std::move(details)});
}

absl::Status DecodeTransactions(InstructionDecoder& d, bool is_expect) {
  auto details = std::make_shared<MbarrierDetails>();
  HLO_INDEXING_RETURN_IF_ERROR(TakeOrder(d, {"relaxed"}));
  const Space space = TakeAccessSpace(d);
  HLO_INDEXING_RETURN_IF_ERROR(TakeB64(d));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->memory, DecodeBarrier(d, 0, space));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->count, d.Source(1, Type::kU32));
  return d.Emit({.execute = is_expect ? ExecuteTransactions<1> : ExecuteTransactions<-1>,
                 .pipe = Pipe::kSynchronization,
                 .details = std::move(details)});
}

absl::Status DecodeWait(InstructionDecoder& d, bool is_try) {
  auto details = std::make_shared<MbarrierDetails>();
  const bool is_parity = d.Take("parity");
  HLO_INDEXING_RETURN_IF_ERROR(TakeOrder(d, {"acquire", "relaxed"}));
  const Space space = d.TakeSpace();
  HLO_INDEXING_RETURN_IF_ERROR(TakeB64(d));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(3, is_try ? 4 : 3));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot done, d.Destination(0, Type::kPred));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->memory, DecodeBarrier(d, 1, space));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot phase, d.Source(2, is_parity ? Type::kU32 : Type::kB64));
  if (d.num_operands() == 4) {
    // How long a device may suspend the thread, in nanoseconds.
    HLO_INDEXING_RETURN_IF_ERROR(d.Source(3, Type::kU32).status());
  }
  static constexpr std::array<std::array<Execute, 2>, 2> kExecute = {
      {{ExecuteWait<false, false>, ExecuteWait<false, true>},
       {ExecuteWait<true, false>, ExecuteWait<true, true>}}};
  return d.Emit({.execute = kExecute[is_parity ? 1 : 0][is_try ? 1 : 0],
                 .slots = {done, phase},
                 .pipe = Pipe::kSynchronization,
                 .details = std::move(details)});
}

absl::Status DecodePendingCount(InstructionDecoder& d) {
  HLO_INDEXING_RETURN_IF_ERROR(TakeB64(d));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot result, d.Destination(0, Type::kU32));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot state, d.Source(1, Type::kB64));
  return d.Emit(
      {.execute = ExecutePendingCount, .slots = {result, state}, .pipe = Pipe::kSynchronization});
}

absl::Status DecodeMbarrier(InstructionDecoder& d) {
  if (d.Take("init")) return DecodeInit(d);
  if (d.Take("inval")) return DecodeInvalidate(d);
  if (d.Take("arrive_drop")) return DecodeArrive(d, true);
  if (d.Take("arrive")) return DecodeArrive(d, false);
  if (d.Take("expect_tx")) return DecodeTransactions(d, true);
  if (d.Take("complete_tx")) return DecodeTransactions(d, false);
  if (d.Take("test_wait")) return DecodeWait(d, false);
  if (d.Take("try_wait")) return DecodeWait(d, true);
  if (d.Take("pending_count")) return DecodePendingCount(d);
  return d.Error("mbarrier needs an operation as .init or .arrive");
}

constexpr OpcodeRow kRows[] = {{"mbarrier", DecodeMbarrier}};

}  // namespace

std::span<const OpcodeRow> TransactionOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
