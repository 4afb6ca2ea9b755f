// mov of values, of packs and of addresses, and prmt (PTX ISA 9.7.9.7, 9.7.9.8).
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

using syntax::Operand;
using syntax::OperandKind;

template <typename T>
T CopyLane(T a) {
  return a;
}

Step ExecuteCopy128(const Operation& operation, Execution& execution) {
  const Bits128* const source = execution.At<Bits128>(operation.slots[1]);
  Bits128* const result = execution.At<Bits128>(operation.slots[0]);
  ForEachLane(execution.lanes, [&](int lane) { result[lane] = source[lane]; });
  return Step::kNext;
}

Step ExecuteCopyMask(const Operation& operation, Execution& execution) {
  LaneMask& result = execution.Predicate(operation.slots[0]);
  const LaneMask source = execution.Predicate(operation.slots[1]);
  result = (result & ~execution.lanes) | (source & execution.lanes);
  return Step::kNext;
}

/// Of packs: bits of each element, and how many there are.
struct PackShape {
  int bits;
  int count;
};

/// A register of up to 64 bits in a lane.
uint64_t ReadLane(const Execution& execution, Slot slot, int bits, int lane) {
  const uint64_t value =
      bits <= 32 ? execution.At<uint32_t>(slot)[lane] : execution.At<uint64_t>(slot)[lane];
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}
void WriteLane(const Execution& execution, Slot slot, int bits, int lane, uint64_t value) {
  if (bits <= 32) {
    execution.At<uint32_t>(slot)[lane] = static_cast<uint32_t>(value);
  } else {
    execution.At<uint64_t>(slot)[lane] = value;
  }
}

/// The immediate of packs: the element's bits and the number of elements.
int64_t Encode(PackShape shape) { return shape.bits << 8 | shape.count; }
PackShape Decode(int64_t immediate) {
  return {static_cast<int>(immediate >> 8), static_cast<int>(immediate & 0xff)};
}

/// Slots: the whole, the elements. The first element is the lowest.
Step ExecutePack(const Operation& operation, Execution& execution) {
  const PackShape shape = Decode(operation.immediate);
  const int total = shape.bits * shape.count;
  ForEachLane(execution.lanes, [&](int lane) {
    std::array<uint64_t, 2> words = {0, 0};
    for (int i = 0; i < shape.count; ++i) {
      const int place = i * shape.bits;
      words[static_cast<size_t>(place / 64)] |=
          ReadLane(execution, operation.slots[static_cast<size_t>(i) + 1], shape.bits, lane)
          << (place % 64);
    }
    if (total == 128) {
      execution.At<Bits128>(operation.slots[0])[lane] = {words[0], words[1]};
    } else {
      WriteLane(execution, operation.slots[0], total, lane, words[0]);
    }
  });
  return Step::kNext;
}

/// Slots: the elements, kNoSlot where nobody wants one; the whole is the last.
Step ExecuteUnpack(const Operation& operation, Execution& execution) {
  const PackShape shape = Decode(operation.immediate);
  const int total = shape.bits * shape.count;
  const Slot whole = operation.slots[static_cast<size_t>(shape.count)];
  ForEachLane(execution.lanes, [&](int lane) {
    std::array<uint64_t, 2> words = {0, 0};
    if (total == 128) {
      const Bits128 value = execution.At<Bits128>(whole)[lane];
      words = {value.low, value.high};
    } else {
      words[0] = ReadLane(execution, whole, total, lane);
    }
    for (int i = 0; i < shape.count; ++i) {
      const Slot element = operation.slots[static_cast<size_t>(i)];
      if (element == kNoSlot) continue;
      const int place = i * shape.bits;
      uint64_t value = words[static_cast<size_t>(place / 64)] >> (place % 64);
      if (shape.bits < 64) value &= (uint64_t{1} << shape.bits) - 1;
      WriteLane(execution, element, shape.bits, lane, value);
    }
  });
  return Step::kNext;
}

uint32_t PackHalvesLane(uint32_t low, uint32_t high) { return (low & 0xffff) | high << 16; }
uint64_t PackWordsLane(uint32_t low, uint32_t high) {
  return static_cast<uint64_t>(high) << 32 | low;
}
template <typename T, int kShift>
uint32_t PartLane(T value) {
  constexpr uint32_t kMask = sizeof(T) == 4 ? 0xffff : 0xffff'ffff;
  return static_cast<uint32_t>(value >> kShift) & kMask;
}

std::optional<Type> ElementType(int bits) {
  switch (bits) {
    case 8:
      return Type::kB8;
    case 16:
      return Type::kB16;
    case 32:
      return Type::kB32;
    case 64:
      return Type::kB64;
    default:
      return std::nullopt;
  }
}

/// The shape of `{a, b}` or `{a, b, c, d}` that makes up a type.
absl::StatusOr<PackShape> ShapeOf(InstructionDecoder& d, int i, Type type) {
  const int count = static_cast<int>(d.operand(i).elements.size());
  if (!IsOneOf(type, {Type::kB16, Type::kB32, Type::kB64, Type::kB128})) {
    return d.ModifierError(NameOf(type));
  }
  if ((count != 2 && count != 4) || BitWidth(type) / count < 8) {
    return d.OperandError(i, "a register is packed of two or four elements of 8 bits and more");
  }
  return PackShape{BitWidth(type) / count, count};
}

absl::Status DecodePack(InstructionDecoder& d, Type type) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const PackShape shape, ShapeOf(d, 1, type));
  const Type element = *ElementType(shape.bits);
  Operation pack;
  pack.execute = ExecutePack;
  pack.pipe = Pipe::kMove;
  pack.immediate = Encode(shape);
  HLO_INDEXING_ASSIGN_OR_RETURN(pack.slots[0], d.Destination(0, type));
  for (int i = 0; i < shape.count; ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(pack.slots[static_cast<size_t>(i) + 1],
                                  d.Source(d.operand(1).elements[static_cast<size_t>(i)], element));
  }
  if (shape.count == 2 && shape.bits == 16) pack.execute = Lanewise<PackHalvesLane>();
  if (shape.count == 2 && shape.bits == 32) pack.execute = Lanewise<PackWordsLane>();
  return d.Emit(std::move(pack));
}

/// One operation for each element, which a loop does with vectors.
template <typename T, int kShift>
absl::Status EmitPart(InstructionDecoder& d, const Operand& element, Type type, Slot whole,
                      bool is_last) {
  Operation part;
  part.execute = Lanewise<PartLane<T, kShift>>();
  part.pipe = Pipe::kMove;
  HLO_INDEXING_ASSIGN_OR_RETURN(part.slots[0], d.Destination(element, type));
  part.slots[1] = whole;
  return d.Emit(std::move(part), is_last);
}

absl::Status DecodeUnpack(InstructionDecoder& d, Type type) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const PackShape shape, ShapeOf(d, 0, type));
  const Type element = *ElementType(shape.bits);
  const std::vector<Operand>& elements = d.operand(0).elements;
  HLO_INDEXING_RETURN_IF_ERROR(d.Vector(0, static_cast<int>(elements.size())).status());
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot whole, d.Source(1, type));
  // Elements are narrower than the whole, so none of them is its register.
  if (shape.count == 2 && shape.bits == 16) {
    HLO_INDEXING_RETURN_IF_ERROR((EmitPart<uint32_t, 0>(d, elements[0], element, whole, false)));
    return EmitPart<uint32_t, 16>(d, elements[1], element, whole, true);
  }
  if (shape.count == 2 && shape.bits == 32) {
    HLO_INDEXING_RETURN_IF_ERROR((EmitPart<uint64_t, 0>(d, elements[0], element, whole, false)));
    return EmitPart<uint64_t, 32>(d, elements[1], element, whole, true);
  }
  Operation unpack;
  unpack.execute = ExecuteUnpack;
  unpack.pipe = Pipe::kMove;
  unpack.immediate = Encode(shape);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].kind == OperandKind::kSink) continue;
    HLO_INDEXING_ASSIGN_OR_RETURN(unpack.slots[i], d.Destination(elements[i], element));
  }
  unpack.slots[elements.size()] = whole;
  return d.Emit(std::move(unpack));
}

absl::Status DecodeMov(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(
      const Type type, d.TakeType({Type::kPred, Type::kB16, Type::kB32, Type::kB64, Type::kB128,
                                   Type::kU16, Type::kU32, Type::kU64, Type::kS16, Type::kS32,
                                   Type::kS64, Type::kF32, Type::kF64}));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  if (d.operand(1).kind == OperandKind::kVector) return DecodePack(d, type);
  if (d.operand(0).kind == OperandKind::kVector) return DecodeUnpack(d, type);
  Operation move;
  move.pipe = Pipe::kMove;
  HLO_INDEXING_ASSIGN_OR_RETURN(move.slots[1], d.Source(1, type));
  HLO_INDEXING_ASSIGN_OR_RETURN(move.slots[0], d.Destination(0, type));
  if (type == Type::kPred) {
    move.execute = ExecuteCopyMask;
  } else if (type == Type::kB128) {
    move.execute = ExecuteCopy128;
  } else {
    move.execute =
        BitWidth(type) == 64 ? Lanewise<CopyLane<uint64_t>>() : Lanewise<CopyLane<uint32_t>>();
  }
  return d.Emit(std::move(move));
}

/// The default mode: four selectors of 4 bits, whose top bit spreads the byte's sign.
uint32_t PrmtLane(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t selector = c >> (4 * i);
    // The byte from the lower or the upper word, without a shift of 64 bits.
    const uint32_t word = (selector & 4) != 0 ? b : a;
    const uint32_t byte = word >> (8 * (selector & 3)) & 0xff;
    const uint32_t sign = (byte >> 7) * 0xff;
    result |= ((selector & 8) != 0 ? sign : byte) << (8 * i);
  }
  return result;
}

enum class PermuteMode : uint8_t {
  kForward4,
  kBackward4,
  kReplicate8,
  kEdgeLeft,
  kEdgeRight,
  kReplicate16
};

/// Of bytes 0 to 7 of b:a, with the selector s: s and those above it, s and those below it, s four
/// times, max(i, s) or min(i, s) at place i, or the lower or upper half of a twice.
template <PermuteMode kMode>
uint32_t PrmtModeLane(uint32_t a, uint32_t b, uint32_t c) {
  constexpr uint32_t kFourTimes = 0x0101'0101;
  const uint64_t both = static_cast<uint64_t>(b) << 32 | a;
  const uint32_t shift = 8 * (c & 3);
  const uint32_t selected = (a >> shift & 0xff) * kFourTimes;
  switch (kMode) {
    case PermuteMode::kForward4:
      return static_cast<uint32_t>(both >> shift);
    case PermuteMode::kBackward4: {
      // Bytes s - 3 to s, those below 0 from the top, in the other order.
      const uint64_t below = both << 24 | both >> 40;
      const auto bytes = static_cast<uint32_t>(below >> shift);
      return bytes >> 24 | (bytes >> 8 & 0xff00) | (bytes << 8 & 0xff'0000) | bytes << 24;
    }
    case PermuteMode::kReplicate8:
      return selected;
    case PermuteMode::kEdgeLeft: {
      const uint32_t upto = ~uint32_t{0} >> (24 - shift);
      return (selected & upto) | (a & ~upto);
    }
    case PermuteMode::kEdgeRight: {
      const uint32_t below = (uint32_t{1} << shift) - 1;
      return (a & below) | (selected & ~below);
    }
    case PermuteMode::kReplicate16:
      return (a >> 16 * (c & 1) & 0xffff) * 0x1'0001;
  }
  return 0;
}

absl::Status DecodePrmt(InstructionDecoder& d) {
  const std::optional<int> mode = d.TakeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kB32}).status());
  const std::array<Execute, 6> modes = {WideLanewise<PrmtModeLane<PermuteMode::kForward4>>(),
                                        WideLanewise<PrmtModeLane<PermuteMode::kBackward4>>(),
                                        WideLanewise<PrmtModeLane<PermuteMode::kReplicate8>>(),
                                        WideLanewise<PrmtModeLane<PermuteMode::kEdgeLeft>>(),
                                        WideLanewise<PrmtModeLane<PermuteMode::kEdgeRight>>(),
                                        WideLanewise<PrmtModeLane<PermuteMode::kReplicate16>>()};
  return EmitElementwise(
      d, Pipe::kInteger,
      mode.has_value() ? modes[static_cast<size_t>(*mode)] : WideLanewise<PrmtLane>(), Type::kB32,
      {Type::kB32, Type::kB32, Type::kB32});
}

constexpr std::array<OpcodeRow, 2> kRows = {{{"mov", DecodeMov}, {"prmt", DecodePrmt}}};

}  // namespace

std::span<const OpcodeRow> MoveOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
