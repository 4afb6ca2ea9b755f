#include "codegen/ptx/instructions/cache_control.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/memory_operand.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/warp_access.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

// The bytes that applypriority and discard are about, which have to lie at a multiple of them.
constexpr uint32_t kLine = 128;

Step DoNothing(const Operation& /*operation*/, Execution& /*execution*/) { return Step::kNext; }

struct DiscardDetails : OperationDetails {
  MemoryOperand memory;
};

Step ExecuteDiscard(const Operation& operation, Execution& execution) {
  constexpr uint32_t kPart = 32;
  WarpAccess access;
  access.kind = AccessKind::kStore;
  access.bytes = kPart;
  access.alignment = kLine;
  SetAddresses(operation.Details<DiscardDetails>().memory, execution, access);
  for (uint32_t part = 0; part < kLine; part += kPart) {
    HostPointers pointers;
    access.lanes = ResolveAccess(operation, execution, access, pointers);
    ForEachLane(access.lanes, [&](int lane) {
      std::memset(pointers[static_cast<size_t>(lane)], 0xff, kPart);
      access.addresses[static_cast<size_t>(lane)] += kPart;
    });
    access.alignment = kPart;
  }
  return Step::kNext;
}

absl::Status ExpectLine(InstructionDecoder& d, int operand) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t size, d.Constant(operand));
  if (size == kLine) return absl::OkStatus();
  return d.OperandError(operand, "the size has to be 128");
}

absl::StatusOr<MemoryOperand> GlobalOperand(InstructionDecoder& d, int operand) {
  const Space space = TakeAccessSpace(d);
  if (space != Space::kGeneric && space != Space::kGlobal) {
    return d.Error("only .global and generic addresses are allowed");
  }
  return DecodeMemoryOperand(d, operand, space);
}

constexpr std::array<std::string_view, 4> kPriorities = {"L2::evict_last", "L2::evict_normal",
                                                         "L2::evict_first", "L2::evict_unchanged"};

// The priority that the next modifier names: one of the first `count` of kPriorities, or nothing if
// there is none.
absl::StatusOr<std::optional<uint64_t>> TakePriority(InstructionDecoder& d) {
  const std::optional<std::string_view> name = d.TakePrefixed("L2::");
  if (!name.has_value()) return std::optional<uint64_t>();
  const auto* const found = std::find(kPriorities.begin(), kPriorities.end(), *name);
  if (found == kPriorities.end()) return d.ModifierError(*name);
  return std::optional<uint64_t>(static_cast<uint64_t>(found - kPriorities.begin()));
}

constexpr uint32_t kWholeFraction = 0x3f800000;

// Slots: policy, then fraction or sizes. immediate: the priorities.
Step ExecuteFractionalPolicy(const Operation& operation, Execution& execution) {
  auto* const policy = execution.At<uint64_t>(operation.slots[0]);
  const auto* const fraction = execution.At<uint32_t>(operation.slots[1]);
  const auto priorities = static_cast<uint64_t>(operation.immediate);
  ForEachLane(execution.lanes, [&](int lane) { policy[lane] = priorities << 32 | fraction[lane]; });
  return Step::kNext;
}

Step ExecuteRangePolicy(const Operation& operation, Execution& execution) {
  auto* const policy = execution.At<uint64_t>(operation.slots[0]);
  const auto* const primary = execution.At<uint32_t>(operation.slots[1]);
  const auto* const total = execution.At<uint32_t>(operation.slots[2]);
  const auto priorities = static_cast<uint64_t>(operation.immediate);
  ForEachLane(execution.lanes, [&](int lane) {
    policy[lane] = priorities << 32 | (primary[lane] ^ std::rotl(total[lane], 16));
  });
  return Step::kNext;
}

Step ExecuteConvertPolicy(const Operation& operation, Execution& execution) {
  auto* const policy = execution.At<uint64_t>(operation.slots[0]);
  const auto* const property = execution.At<uint64_t>(operation.slots[1]);
  ForEachLane(execution.lanes, [&](int lane) { policy[lane] = property[lane]; });
  return Step::kNext;
}

}  // namespace

absl::Status DecodePrefetch(InstructionDecoder& d) {
  if (d.Take("tensormap")) return d.Error("tensor maps are not supported");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  if (d.opcode() == "prefetchu") {
    if (!d.Take("L1")) return d.Error("prefetchu needs .L1");
    HLO_INDEXING_RETURN_IF_ERROR(DecodeMemoryOperand(d, 0, Space::kGeneric).status());
    return d.Emit({.execute = DoNothing, .pipe = Pipe::kMemory});
  }
  const Space space = TakeAccessSpace(d);
  if (space != Space::kGeneric && space != Space::kGlobal && space != Space::kLocal) {
    return d.Error("prefetch is for .global, .local and generic addresses");
  }
  const std::optional<int> level = d.TakeOneOf({"L1", "L2", "L2::evict_last", "L2::evict_normal"});
  if (!level.has_value()) return d.Error("prefetch needs .L1 or .L2");
  if (*level >= 2 && space != Space::kGlobal) {
    return d.Error("an eviction priority needs .global");
  }
  HLO_INDEXING_RETURN_IF_ERROR(DecodeMemoryOperand(d, 0, space).status());
  return d.Emit({.execute = DoNothing, .pipe = Pipe::kMemory});
}

absl::Status DecodeApplyPriority(InstructionDecoder& d) {
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  if (!d.Take("L2::evict_normal")) return d.Error("applypriority needs .L2::evict_normal");
  HLO_INDEXING_RETURN_IF_ERROR(GlobalOperand(d, 0).status());
  HLO_INDEXING_RETURN_IF_ERROR(ExpectLine(d, 1));
  return d.Emit({.execute = DoNothing, .pipe = Pipe::kMemory});
}

absl::Status DecodeDiscard(InstructionDecoder& d) {
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  if (!d.Take("L2")) return d.Error("discard needs .L2");
  auto details = std::make_shared<DiscardDetails>();
  HLO_INDEXING_ASSIGN_OR_RETURN(details->memory, GlobalOperand(d, 0));
  HLO_INDEXING_RETURN_IF_ERROR(ExpectLine(d, 1));
  Operation operation;
  operation.execute = ExecuteDiscard;
  operation.pipe = Pipe::kMemory;
  operation.details = std::move(details);
  return d.Emit(std::move(operation));
}

absl::Status DecodeCreatePolicy(InstructionDecoder& d) {
  const std::optional<int> form = d.TakeOneOf({"fractional", "range", "cvt"});
  if (!form.has_value()) return d.Error("createpolicy needs .fractional, .range or .cvt");
  Operation operation;
  operation.pipe = Pipe::kMove;
  if (*form == 2) {
    if (!d.Take("L2")) return d.Error("createpolicy.cvt needs .L2");
    HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kB64}).status());
    HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Destination(0, Type::kB64));
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[1], d.Source(1, Type::kB64));
    operation.execute = ExecuteConvertPolicy;
    return d.Emit(std::move(operation));
  }
  const bool is_range = *form == 1;
  if (is_range) d.Take("global");
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::optional<uint64_t> primary, TakePriority(d));
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::optional<uint64_t> secondary, TakePriority(d));
  if (!primary.has_value()) return d.Error("createpolicy needs an eviction priority of L2");
  if (secondary.has_value() && *secondary < 2) {
    return d.Error("the secondary priority is .L2::evict_first or .L2::evict_unchanged");
  }
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kB64}).status());
  operation.immediate = static_cast<int64_t>(1 + *primary + 8 * secondary.value_or(3));
  if (is_range) {
    HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(4));
    HLO_INDEXING_RETURN_IF_ERROR(DecodeMemoryOperand(d, 1, Space::kGlobal).status());
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Destination(0, Type::kB64));
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[1], d.Source(2, Type::kU32));
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[2], d.Source(3, Type::kU32));
    operation.execute = ExecuteRangePolicy;
    return d.Emit(std::move(operation));
  }
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1, 2));
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Destination(0, Type::kB64));
  if (d.num_operands() == 2) {
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[1], d.Source(1, Type::kF32));
  } else {
    operation.slots[1] = d.ConstantSlot(Type::kB32, kWholeFraction);
  }
  operation.execute = ExecuteFractionalPolicy;
  return d.Emit(std::move(operation));
}

}  // namespace hlo_indexing::ptx
