// cp.async and its groups, cp.async.bulk and cp.reduce.async.bulk without tensors (PTX ISA
// 9.7.9.25). Accesses are checked when a copy begins; its bytes are moved when it is waited for.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/bulk_reduction.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/function_decoder.h"
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
enum Fault : uint8_t { kSourceSize = 20, kBulkSize, kNoBarrier };

struct CopyDetails : OperationDetails {
  MemoryOperand to;
  MemoryOperand from;
  /// Of a bulk copy on an mbarrier.
  MemoryOperand barrier;
  bool has_barrier = false;
  /// Bytes of a cp.async; of a bulk copy in `size`.
  uint32_t bytes = 16;
  Slot size = kNoSlot;
  /// Of cp.async: bytes that are read, or a predicate that none are.
  Slot source_size = kNoSlot;
  Slot ignore_source = kNoSlot;
  ReduceBytes reduce = nullptr;
};

LaneMask Bit(int lane) { return LaneMask{1} << lane; }

// --- cp.async

/// Bytes that each lane reads.
Lanes<uint64_t> BytesRead(const Operation& operation, const Execution& execution,
                          const CopyDetails& details) {
  Lanes<uint64_t> sizes;
  sizes.fill(details.bytes);
  if (details.source_size != kNoSlot) {
    const auto* given = execution.At<uint32_t>(details.source_size);
    ForEachLane(execution.lanes, [&](int lane) {
      if (given[lane] > details.bytes) {
        ReportMisuse(operation, execution, Bit(lane),
                     "the source size of cp.async is larger than the size of the copy",
                     kSourceSize);
        return;
      }
      sizes[static_cast<size_t>(lane)] = given[lane];
    });
  }
  if (details.ignore_source != kNoSlot) {
    ForEachLane(execution.Predicate(details.ignore_source),
                [&](int lane) { sizes[static_cast<size_t>(lane)] = 0; });
  }
  return sizes;
}

Step ExecuteCopy(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<CopyDetails>();
  AsyncCopy copy;
  copy.bytes = details.bytes;
  copy.bytes_read = BytesRead(operation, execution, details);
  WarpAccess access;
  access.alignment = details.bytes;

  // Lanes that read equally many bytes are one access.
  access.kind = AccessKind::kAsyncLoad;
  SetAddresses(details.from, execution, access);
  LaneMask readable = 0;
  HostPointers from = {};
  for (LaneMask rest = execution.lanes; rest != 0;) {
    const uint64_t size = copy.bytes_read[static_cast<size_t>(std::countr_zero(rest))];
    const LaneMask lanes = rest & LanesEqualTo(copy.bytes_read.data(), size);
    rest &= ~lanes;
    if (size == 0) {
      readable |= lanes;
      continue;
    }
    access.lanes = lanes;
    access.bytes = static_cast<uint32_t>(size);
    HostPointers pointers;
    const LaneMask allowed = ResolveAccess(operation, execution, access, pointers);
    ForEachLane(allowed, [&](int lane) {
      from[static_cast<size_t>(lane)] = pointers[static_cast<size_t>(lane)];
    });
    readable |= allowed;
  }
  // What may not be read gives zeros.
  ForEachLane(execution.lanes & ~readable,
              [&](int lane) { copy.bytes_read[static_cast<size_t>(lane)] = 0; });

  access.kind = AccessKind::kAsyncStore;
  access.bytes = details.bytes;
  SetAddresses(details.to, execution, access);
  HostPointers to;
  copy.lanes = ResolveAccess(operation, execution, access, to);
  ForEachLane(copy.lanes, [&](int lane) {
    const auto l = static_cast<size_t>(lane);
    copy.to[l] = to[l];
    copy.from[l] = from[l];
  });
  if (copy.lanes != 0) {
    execution.block->async_copies.Issue(CopyKind::kWarp, execution.warp->number(), copy);
  }
  return Step::kNext;
}

template <CopyKind kKind>
Step ExecuteCommit(const Operation&, Execution& execution) {
  execution.block->async_copies.Commit(kKind, execution.warp->number(), execution.lanes);
  OrderCommitCopies(execution, execution.lanes);
  return Step::kNext;
}

/// `immediate`: groups that may stay under way.
template <CopyKind kKind>
Step ExecuteWait(const Operation& operation, Execution& execution) {
  execution.block->async_copies.Wait(kKind, execution.warp->number(), execution.lanes,
                                     static_cast<uint32_t>(operation.immediate));
  OrderWaitCopies(execution, execution.lanes, static_cast<uint32_t>(operation.immediate));
  return Step::kNext;
}

Step ExecuteWaitAll(const Operation&, Execution& execution) {
  AsyncCopies& copies = execution.block->async_copies;
  copies.Commit(CopyKind::kWarp, execution.warp->number(), execution.lanes);
  copies.Wait(CopyKind::kWarp, execution.warp->number(), execution.lanes, 0);
  OrderWaitAllCopies(execution, execution.lanes);
  return Step::kNext;
}

// --- On mbarriers.

/// The offset in shared memory of the mbarrier of each lane.
LaneMask ResolveBarrier(const Operation& operation, const Execution& execution,
                        const MemoryOperand& barrier, HostPointers& pointers,
                        Lanes<uint64_t>& offsets) {
  WarpAccess access;
  access.kind = AccessKind::kAtomic;
  access.is_strong = true;
  access.bytes = 8;
  access.alignment = 8;
  SetAddresses(barrier, execution, access);
  KeepShared(operation, execution, access);
  const LaneMask lanes = ResolveAccess(operation, execution, access, pointers);
  const std::byte* shared = execution.block->memory.shared();
  ForEachLane(lanes, [&](int lane) {
    const auto l = static_cast<size_t>(lane);
    offsets[l] = static_cast<uint64_t>(pointers[l] - shared);
  });
  return lanes;
}

/// cp.async.mbarrier.arrive. Without `.noinc` the phase first gets an arrival more to wait for.
template <bool kIncrements>
Step ExecuteArriveOn(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<CopyDetails>();
  HostPointers pointers;
  Lanes<uint64_t> offsets;
  const LaneMask lanes = ResolveBarrier(operation, execution, details.barrier, pointers, offsets);
  ForEachLane(lanes, [&](int lane) {
    const auto l = static_cast<size_t>(lane);
    uint64_t bits;
    std::memcpy(&bits, pointers[l], sizeof(bits));
    std::optional<MbarrierObject> object = MbarrierObject::Unpack(bits);
    if (!object || object->pending == MbarrierObject::kMaxCount) {
      ReportMisuse(operation, execution, Bit(lane),
                   "there is no mbarrier here: it was not initialised, or was invalidated",
                   kNoBarrier);
      return;
    }
    if constexpr (kIncrements) {
      ++object->pending;
      bits = object->Pack();
      std::memcpy(pointers[l], &bits, sizeof(bits));
    }
    execution.block->async_copies.ArriveOn(offsets[l], execution.warp->number(), Bit(lane));
    OrderCopiesArrive(execution, offsets[l], Bit(lane));
  });
  return Step::kNext;
}

// --- cp.async.bulk

/// Checks a lane's `size` bytes piece by piece; the host address of the first, or nullptr.
std::byte* ResolveBulk(const Operation& operation, const Execution& execution,
                       const WarpAccess& base, size_t lane, AccessKind kind, uint64_t size) {
  constexpr uint64_t kPiece = 32;
  std::byte* first = nullptr;
  WarpAccess access = base;
  access.kind = kind;
  access.alignment = 16;
  access.lanes = LaneMask{1} << lane;
  for (uint64_t offset = 0; offset < size; offset += kPiece) {
    access.addresses[lane] = base.addresses[lane] + offset;
    access.bytes = static_cast<uint32_t>(std::min(kPiece, size - offset));
    HostPointers pointers;
    // All pieces lie in one allocation, as between two of them are bytes of nobody.
    if (ResolveAccess(operation, execution, access, pointers) == 0) return nullptr;
    if (offset == 0) first = pointers[lane];
  }
  return first;
}

Step ExecuteBulk(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<CopyDetails>();
  const auto* sizes = execution.At<uint32_t>(details.size);
  WarpAccess to;
  WarpAccess from;
  SetAddresses(details.to, execution, to);
  SetAddresses(details.from, execution, from);
  LaneMask lanes = execution.lanes;
  HostPointers barriers;
  Lanes<uint64_t> offsets;
  if (details.has_barrier) {
    lanes = ResolveBarrier(operation, execution, details.barrier, barriers, offsets);
  }
  ForEachLane(lanes, [&](int lane) {
    const auto l = static_cast<size_t>(lane);
    const uint64_t size = sizes[lane];
    if (size % 16 != 0) {
      ReportMisuse(operation, execution, Bit(lane),
                   "the size of a bulk copy is not a multiple of 16", kBulkSize);
      return;
    }
    if (size == 0) return;
    AsyncCopy copy;
    copy.lanes = Bit(lane);
    copy.bytes = size;
    copy.bytes_read[l] = size;
    copy.reduce = details.reduce;
    copy.from[l] = ResolveBulk(operation, execution, from, l, AccessKind::kAsyncLoad, size);
    copy.to[l] = ResolveBulk(operation, execution, to, l, AccessKind::kAsyncStore, size);
    // A copy that was refused counts its bytes all the same, so that nobody waits forever.
    if (copy.from[l] == nullptr) copy.to[l] = nullptr;
    AsyncCopies& copies = execution.block->async_copies;
    if (details.has_barrier) {
      copies.IssueOn(offsets[l], copy);
      OrderCopiesArrive(execution, offsets[l], Bit(lane));
    } else {
      copies.Issue(CopyKind::kBulk, execution.warp->number(), copy);
    }
  });
  return Step::kNext;
}

Step ExecuteNothing(const Operation&, Execution&) { return Step::kNext; }

// --- Decoding.

absl::Status DecodeWaitGroup(InstructionDecoder& d, CopyKind kind) {
  if (kind == CopyKind::kBulk) {
    // The sources may be written again once they are read; here they are read and written at once.
    d.Take("read");
  }
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t pending, d.Constant(0));
  if (pending < 0 || pending > int64_t{UINT32_MAX}) {
    return d.OperandError(0, "a number of groups is needed here");
  }
  return d.Emit({.execute = kind == CopyKind::kBulk ? ExecuteWait<CopyKind::kBulk>
                                                    : ExecuteWait<CopyKind::kWarp>,
                 .pipe = Pipe::kSynchronization,
                 .immediate = pending});
}

absl::Status DecodePlain(InstructionDecoder& d, Execute execute) {
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(0));
  return d.Emit({.execute = execute, .pipe = Pipe::kSynchronization});
}

absl::Status DecodeArriveOn(InstructionDecoder& d) {
  if (!d.Take("arrive")) return d.Error("cp.async.mbarrier needs .arrive");
  const bool increments = !d.Take("noinc");
  auto details = std::make_shared<CopyDetails>();
  const Space space = d.TakeSpace();
  if (space != Space::kGeneric && space != Space::kShared) {
    return d.Error("an mbarrier is in shared memory");
  }
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kB64}).status());
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->barrier, DecodeMemoryOperand(d, 0, space));
  return d.Emit({.execute = increments ? ExecuteArriveOn<true> : ExecuteArriveOn<false>,
                 .pipe = Pipe::kSynchronization,
                 .details = std::move(details)});
}

/// The state spaces of destination and source, in the order of the text.
absl::StatusOr<std::array<std::string_view, 2>> TakeSpaces(InstructionDecoder& d) {
  std::vector<std::string_view> names;
  for (const syntax::Modifier& modifier : d.instruction().modifiers) {
    const std::string_view name = modifier.name;
    if (name == "global" || name == "shared" || name == "shared::cta" ||
        name == "shared::cluster") {
      names.push_back(name);
      d.Take(name);
    }
  }
  if (names.size() != 2) return d.Error("the state spaces of destination and source are needed");
  return std::array<std::string_view, 2>{names[0], names[1]};
}

/// `src-size` or `ignore-src`, where there is one.
absl::Status DecodeSourceSize(InstructionDecoder& d, int operand, CopyDetails& details) {
  const syntax::Operand& given = d.operand(operand);
  const bool is_predicate =
      given.is_negated || (given.kind == syntax::OperandKind::kRegister &&
                           d.function().source().registers[given.index].type == Type::kPred);
  if (is_predicate) {
    HLO_INDEXING_ASSIGN_OR_RETURN(details.ignore_source, d.PredicateSource(given));
  } else {
    if (given.kind == syntax::OperandKind::kInteger && given.bits > details.bytes) {
      return d.OperandError(operand, "the source size is at most the size of the copy");
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(details.source_size, d.Source(operand, Type::kU32));
  }
  return absl::OkStatus();
}

absl::Status DecodeCopy(InstructionDecoder& d) {
  const std::optional<int> cache = d.TakeOneOf({"ca", "cg"});
  if (!cache) return d.Error("cp.async needs .ca or .cg");
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto spaces, TakeSpaces(d));
  if (!spaces[0].starts_with("shared") || spaces[0] == "shared::cluster" || spaces[1] != "global") {
    return d.Error("cp.async copies from .global to .shared");
  }
  const bool has_policy = d.Take("L2::cache_hint");
  d.TakeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  const int hints = has_policy ? 1 : 0;
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(3 + hints, 4 + hints));
  auto details = std::make_shared<CopyDetails>();
  HLO_INDEXING_ASSIGN_OR_RETURN(details->to, DecodeMemoryOperand(d, 0, Space::kShared));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->from, DecodeMemoryOperand(d, 1, Space::kGlobal));
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t bytes, d.Constant(2));
  const bool is_right = bytes == 16 || (*cache == 0 && (bytes == 4 || bytes == 8));
  if (!is_right) {
    return d.OperandError(
        2, *cache == 0 ? "cp.async.ca copies 4, 8 or 16 bytes" : "cp.async.cg copies 16 bytes");
  }
  details->bytes = static_cast<uint32_t>(bytes);
  if (d.num_operands() == 4 + hints) {
    HLO_INDEXING_RETURN_IF_ERROR(DecodeSourceSize(d, 3, *details));
  }
  if (has_policy) {
    HLO_INDEXING_RETURN_IF_ERROR(d.Source(d.num_operands() - 1, Type::kB64).status());
  }
  return d.Emit({.execute = ExecuteCopy, .pipe = Pipe::kMemory, .details = std::move(details)});
}

/// A size that is written down is checked before anything runs.
absl::Status CheckBulkSize(const InstructionDecoder& d, int operand) {
  const syntax::Operand& size = d.operand(operand);
  if (size.kind != syntax::OperandKind::kInteger || size.bits % 16 == 0) return absl::OkStatus();
  return d.OperandError(operand, "the size of a bulk copy is a multiple of 16");
}

absl::Status DecodePrefetch(InstructionDecoder& d) {
  if (d.Take("tensor")) return d.Error("copies of tensors (tensor maps) are not supported");
  if (!d.Take("L2") || !d.Take("global")) return d.Error("a bulk prefetch needs .L2.global");
  const bool has_policy = d.Take("L2::cache_hint");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(has_policy ? 3 : 2));
  HLO_INDEXING_RETURN_IF_ERROR(DecodeMemoryOperand(d, 0, Space::kGlobal).status());
  HLO_INDEXING_RETURN_IF_ERROR(CheckBulkSize(d, 1));
  HLO_INDEXING_RETURN_IF_ERROR(d.Source(1, Type::kU32).status());
  return d.Emit({.execute = ExecuteNothing, .pipe = Pipe::kMemory});
}

/// cp.async.bulk and cp.reduce.async.bulk from here on.
absl::Status DecodeBulkCopy(InstructionDecoder& d, bool is_reduction) {
  if (d.Take("multicast::cluster")) {
    return d.Error("multicast copies need a cluster; clusters are not supported");
  }
  if (d.Take("cp_mask")) return d.ModifierError("cp_mask");
  auto details = std::make_shared<CopyDetails>();
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto spaces, TakeSpaces(d));
  const bool to_global = spaces[0] == "global";
  // Unlike elsewhere `.shared` by itself does not say which.
  const bool is_to_cluster = spaces[0] == "shared::cluster";
  const bool is_within_cluster = is_to_cluster && spaces[1] == "shared::cta";
  const bool is_in_block = spaces[0] == "shared::cta" || is_to_cluster;
  if (to_global ? spaces[1] != "shared::cta"
                : !is_within_cluster && (!is_in_block || spaces[1] != "global")) {
    return d.Error(
        "bulk copies are from .global to .shared::cta or .shared::cluster, or from .shared::cta "
        "to .global or .shared::cluster");
  }
  if (is_reduction && !to_global) {
    return d.Error("bulk reductions in the shared memory of a cluster are not supported");
  }
  details->has_barrier = !to_global;
  if (!d.Take(to_global ? "bulk_group" : "mbarrier::complete_tx::bytes")) {
    return d.Error(to_global ? "this copy needs .bulk_group"
                             : "this copy needs .mbarrier::complete_tx::bytes");
  }
  const bool has_policy = !is_within_cluster && d.Take("L2::cache_hint");
  if (is_reduction) {
    HLO_INDEXING_ASSIGN_OR_RETURN(details->reduce, TakeBulkReduction(d));
  }
  const int count = 3 + (details->has_barrier ? 1 : 0);
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(count + (has_policy ? 1 : 0)));
  const Space to = to_global ? Space::kGlobal : Space::kShared;
  const Space from = to_global || is_within_cluster ? Space::kShared : Space::kGlobal;
  HLO_INDEXING_ASSIGN_OR_RETURN(details->to, DecodeMemoryOperand(d, 0, to));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->from, DecodeMemoryOperand(d, 1, from));
  HLO_INDEXING_RETURN_IF_ERROR(CheckBulkSize(d, 2));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->size, d.Source(2, Type::kU32));
  if (details->has_barrier) {
    HLO_INDEXING_ASSIGN_OR_RETURN(details->barrier, DecodeMemoryOperand(d, 3, Space::kShared));
  }
  if (has_policy) {
    HLO_INDEXING_RETURN_IF_ERROR(d.Source(count, Type::kB64).status());
  }
  return d.Emit({.execute = ExecuteBulk, .pipe = Pipe::kMemory, .details = std::move(details)});
}

absl::Status DecodeBulk(InstructionDecoder& d, bool is_reduction) {
  if (d.Take("tensor")) return d.Error("copies of tensors (tensor maps) are not supported");
  if (is_reduction) return DecodeBulkCopy(d, true);
  if (d.Take("prefetch")) return DecodePrefetch(d);
  if (d.Take("commit_group")) return DecodePlain(d, ExecuteCommit<CopyKind::kBulk>);
  if (d.Take("wait_group")) return DecodeWaitGroup(d, CopyKind::kBulk);
  return DecodeBulkCopy(d, false);
}

absl::Status DecodeCp(InstructionDecoder& d) {
  const bool is_reduction = d.Take("reduce");
  if (!d.Take("async")) return d.Error("cp needs .async");
  if (d.Take("bulk")) return DecodeBulk(d, is_reduction);
  if (is_reduction) return d.Error("cp.reduce.async needs .bulk");
  if (d.Take("commit_group")) return DecodePlain(d, ExecuteCommit<CopyKind::kWarp>);
  if (d.Take("wait_all")) return DecodePlain(d, ExecuteWaitAll);
  if (d.Take("wait_group")) return DecodeWaitGroup(d, CopyKind::kWarp);
  if (d.Take("mbarrier")) return DecodeArriveOn(d);
  return DecodeCopy(d);
}

constexpr OpcodeRow kRows[] = {{"cp", DecodeCp}};

}  // namespace

std::span<const OpcodeRow> AsyncCopyOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
