#include "codegen/ptx/instructions/carry.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/instructions/function_decoder.h"
#include "codegen/ptx/instructions/wide_product.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

/// Slots: result, two or three sources; the flag.
constexpr size_t kFlag = 5;

template <typename T, CarryOf kOperation, bool kReads, bool kWrites>
Step ExecuteCarry(const Operation& operation, Execution& execution) {
  using Bits = std::make_unsigned_t<T>;
  const Bits* const a = execution.At<Bits>(operation.slots[1]);
  const Bits* const b = execution.At<Bits>(operation.slots[2]);
  const Bits* const c =
      execution.At<Bits>(operation.slots[3] == kNoSlot ? operation.slots[2] : operation.slots[3]);
  Bits* const result = execution.At<Bits>(operation.slots[0]);
  LaneMask& flag = execution.Predicate(operation.slots[kFlag]);
  LaneMask carried = 0;
  ForEachLane(execution.lanes, [&](int lane) {
    constexpr bool kIsSub = kOperation == CarryOf::kSub;
    const Bits in = kReads ? static_cast<Bits>((flag >> lane) & 1) : Bits{kIsSub};
    Bits first = a[lane];
    Bits second = b[lane];
    if constexpr (kIsSub) {
      second = static_cast<Bits>(~second);
    } else if constexpr (kOperation == CarryOf::kMadLow) {
      first = MultiplyLow(first, second);
      second = c[lane];
    } else if constexpr (kOperation == CarryOf::kMadHigh) {
      first = static_cast<Bits>(MultiplyHigh(static_cast<T>(first), static_cast<T>(second)));
      second = c[lane];
    }
    const Bits value = first + second + in;
    // The sum is again the first operand where all ones and a carry were added.
    const bool out = value < first || (value == first && in != 0);
    result[lane] = value;
    if (out) carried |= LaneMask{1} << lane;
  });
  if constexpr (kWrites) flag = (flag & ~execution.lanes) | carried;
  return Step::kNext;
}

template <typename T, CarryOf kOperation>
Execute CarryExecute(bool reads, bool writes) {
  if (reads) {
    return writes ? ExecuteCarry<T, kOperation, true, true>
                  : ExecuteCarry<T, kOperation, true, false>;
  }
  return ExecuteCarry<T, kOperation, false, true>;
}

template <typename T>
Execute CarryExecute(CarryOf operation, bool reads, bool writes) {
  switch (operation) {
    case CarryOf::kAdd:
      return CarryExecute<T, CarryOf::kAdd>(reads, writes);
    case CarryOf::kSub:
      return CarryExecute<T, CarryOf::kSub>(reads, writes);
    case CarryOf::kMadLow:
      return CarryExecute<T, CarryOf::kMadLow>(reads, writes);
    case CarryOf::kMadHigh:
      return CarryExecute<T, CarryOf::kMadHigh>(reads, writes);
  }
  return nullptr;
}

}  // namespace

absl::Status DecodeCarry(InstructionDecoder& d, CarryOf operation, Type type, bool reads,
                         bool writes) {
  Operation emitted;
  switch (type) {
    case Type::kU32:
      emitted.execute = CarryExecute<uint32_t>(operation, reads, writes);
      break;
    case Type::kS32:
      emitted.execute = CarryExecute<int32_t>(operation, reads, writes);
      break;
    case Type::kU64:
      emitted.execute = CarryExecute<uint64_t>(operation, reads, writes);
      break;
    case Type::kS64:
      emitted.execute = CarryExecute<int64_t>(operation, reads, writes);
      break;
    default:
      return d.ModifierError(NameOf(type));
  }
  const bool is_mad = operation == CarryOf::kMadLow || operation == CarryOf::kMadHigh;
  const int sources = is_mad ? 3 : 2;
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(sources + 1));
  HLO_INDEXING_ASSIGN_OR_RETURN(emitted.slots[0], d.Destination(0, type));
  for (int i = 1; i <= sources; ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(emitted.slots[static_cast<size_t>(i)], d.Source(i, type));
  }
  emitted.slots[kFlag] = d.function().CarryFlag();
  return d.Emit(std::move(emitted));
}

}  // namespace hlo_indexing::ptx
