// cvt and cvt.pack (PTX ISA 9.7.9.21, 9.7.9.22), cvta and isspacep (9.7.9.19, 9.7.9.20).
//
// cvt is decoded into one operation, and one more where a register is wider than the type: a source
// is cut off before, a result extended after.
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/conversion.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/instructions/narrow_conversion.h"
#include "codegen/ptx/instructions/rounding_modifiers.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/address.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

using numerics::Rounding;

constexpr std::initializer_list<Type> kIntegers = {Type::kU8,  Type::kS8,  Type::kU16, Type::kS16,
                                                   Type::kU32, Type::kS32, Type::kU64, Type::kS64};
constexpr std::initializer_list<Type> kPackedBytes = {Type::kE4m3x2, Type::kE5m2x2};
constexpr std::initializer_list<Type> kPackedHalves = {Type::kF16x2, Type::kBf16x2};

uint32_t NarrowLane(uint64_t value) { return static_cast<uint32_t>(value); }
template <typename T>
uint64_t WidenLane(T value) {
  return static_cast<uint64_t>(value);
}

/// A source of which only the type's bits are read.
absl::StatusOr<Slot> ReadSource(InstructionDecoder& d, int i, Type type) {
  bool is_wide = false;
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot slot, d.WideSource(d.operand(i), type, &is_wide));
  if (!is_wide || BitWidth(type) > 32) return slot;
  Operation narrow;
  narrow.execute = Lanewise<NarrowLane>();
  narrow.pipe = Pipe::kConversion;
  narrow.slots[0] = d.Scratch(type);
  narrow.slots[1] = slot;
  const Slot result = narrow.slots[0];
  HLO_INDEXING_RETURN_IF_ERROR(d.Emit(std::move(narrow), /*is_last=*/false));
  return result;
}

/// Emits what writes `type` to slots[0], and the extension of a register that is wider.
absl::Status EmitWithResult(InstructionDecoder& d, Operation operation, Type type) {
  bool is_wide = false;
  operation.pipe = Pipe::kConversion;
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot slot, d.WideDestination(d.operand(0), type, &is_wide));
  operation.slots[0] = slot;
  if (!is_wide || BitWidth(type) > 32) return d.Emit(std::move(operation));
  Operation widen;
  widen.pipe = Pipe::kConversion;
  widen.slots[0] = slot;
  widen.slots[1] = operation.slots[0] = d.Scratch(type);
  widen.execute = VisitInteger(type, []<typename T>() { return Lanewise<WidenLane<T>>(); });
  HLO_INDEXING_RETURN_IF_ERROR(d.Emit(std::move(operation), /*is_last=*/false));
  return d.Emit(std::move(widen));
}

}  // namespace

absl::Status EmitConversion(InstructionDecoder& d, Operation operation, Type to,
                            std::initializer_list<Type> from) {
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(static_cast<int>(from.size()) + 1));
  int i = 1;
  for (const Type type : from) {
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[static_cast<size_t>(i)], ReadSource(d, i, type));
    ++i;
  }
  return EmitWithResult(d, std::move(operation), to);
}

namespace {

/// The modifiers .relu and .satfinite.
void TakeReluAndSatfinite(InstructionDecoder& d, ConvertModifiers& modifiers) {
  modifiers.relu = d.Take("relu");
  modifiers.saturate_finite = d.Take("satfinite");
}

/// .relu and .satfinite of halves go with .rn and .rz alone, and not with .ftz or .sat.
absl::Status CheckReluAndSatfinite(InstructionDecoder& d, const ConvertModifiers& modifiers) {
  if (!modifiers.relu && !modifiers.saturate_finite) return absl::OkStatus();
  const bool is_directed =
      modifiers.rounding == Rounding::kDown || modifiers.rounding == Rounding::kUp;
  if (!modifiers.flush && !modifiers.saturate && !is_directed) return absl::OkStatus();
  return d.ModifierError(modifiers.relu ? "relu" : "satfinite");
}

absl::Status DecodePackedBytes(InstructionDecoder& d, Type to) {
  ConvertModifiers modifiers;
  if (!d.Take("rn")) return d.Error("cvt to 8-bit floating point needs .rn");
  TakeReluAndSatfinite(d, modifiers);
  if (!modifiers.saturate_finite) return d.Error("cvt to 8-bit floating point needs .satfinite");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type from,
                                d.TakeType({Type::kF32, Type::kF16x2, Type::kBf16x2}));
  Operation operation;
  operation.execute = PackedBytesConversion(to, from, modifiers);
  operation.immediate = modifiers.Encoded();
  if (from == Type::kF32) return EmitConversion(d, std::move(operation), to, {from, from});
  return EmitConversion(d, std::move(operation), to, {from});
}

absl::Status DecodePackedHalves(InstructionDecoder& d, Type to) {
  ConvertModifiers modifiers;
  Operation operation;
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type from,
                                d.TakeType({Type::kF32, Type::kE4m3x2, Type::kE5m2x2}));
  if (from != Type::kF32) {
    if (to != Type::kF16x2) return d.ModifierError(NameOf(to));
    if (!d.Take("rn")) return d.Error("cvt from 8-bit floating point needs .rn");
    modifiers.relu = d.Take("relu");
    operation.execute = PackedBytesConversion(to, from, modifiers);
    operation.immediate = modifiers.Encoded();
    return EmitConversion(d, std::move(operation), to, {from});
  }
  const std::optional<int> mode = d.TakeOneOf({"rn", "rz"});
  if (!mode.has_value()) return d.Error("cvt to packed halves needs .rn or .rz");
  modifiers.rounding = *mode == 0 ? Rounding::kNearestEven : Rounding::kTowardZero;
  TakeReluAndSatfinite(d, modifiers);
  operation.execute = PackedHalvesConversion(to, modifiers);
  operation.immediate = modifiers.Encoded();
  return EmitConversion(d, std::move(operation), to, {from, from});
}

absl::Status DecodeTf32(InstructionDecoder& d) {
  ConvertModifiers modifiers;
  const std::optional<int> mode = d.TakeOneOf({"rna", "rn", "rz"});
  if (!mode.has_value()) return d.Error("cvt to tf32 needs .rna, .rn or .rz");
  constexpr std::array<Rounding, 3> kModes = {Rounding::kNearestAway, Rounding::kNearestEven,
                                              Rounding::kTowardZero};
  modifiers.rounding = kModes[static_cast<size_t>(*mode)];
  modifiers.saturate_finite = d.Take("satfinite");
  if (*mode != 0) modifiers.relu = d.Take("relu");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type from, d.TakeType({Type::kF32}));
  Operation operation;
  operation.execute = Tf32Conversion(modifiers);
  operation.immediate = modifiers.Encoded();
  return EmitConversion(d, std::move(operation), Type::kB32, {from});
}

/// The lowest bits of a clamped integer. `value` is in the low bits of the result.
uint32_t ClampToBits(int32_t value, int bits, bool is_signed) {
  const int64_t least = is_signed ? -(int64_t{1} << (bits - 1)) : 0;
  const int64_t greatest = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const int64_t clamped = value < least ? least : value > greatest ? greatest : value;
  return static_cast<uint32_t>(clamped) & static_cast<uint32_t>((uint64_t{1} << bits) - 1);
}

/// Slots: result, a, b, c or kNoSlot. Immediate: bits of each value, plus 256 if it is signed.
Step ExecutePack(const Operation& operation, Execution& execution) {
  const int bits = static_cast<int>(operation.immediate & 255);
  const bool is_signed = operation.immediate >= 256;
  const bool has_rest = operation.slots[3] != kNoSlot;
  ForEachLane(execution.lanes, [&](int lane) {
    const uint32_t a =
        ClampToBits(execution.At<int32_t>(operation.slots[1])[lane], bits, is_signed);
    const uint32_t b =
        ClampToBits(execution.At<int32_t>(operation.slots[2])[lane], bits, is_signed);
    const uint32_t rest =
        has_rest ? execution.At<uint32_t>(operation.slots[3])[lane] << (2 * bits) : 0;
    execution.At<uint32_t>(operation.slots[0])[lane] = rest | a << bits | b;
  });
  return Step::kNext;
}

absl::Status DecodePack(InstructionDecoder& d) {
  if (!d.Take("sat")) return d.Error("cvt.pack needs .sat");
  int bits = 2;
  bool is_signed = false;
  const std::optional<int> of_two_bits = d.TakeOneOf({"u2", "s2"});
  if (of_two_bits.has_value()) {
    is_signed = *of_two_bits == 1;
  } else {
    HLO_INDEXING_ASSIGN_OR_RETURN(const Type to, d.TakeType({Type::kU16, Type::kS16, Type::kU8,
                                                             Type::kS8, Type::kU4, Type::kS4}));
    bits = BitWidth(to);
    is_signed = IsSigned(to);
  }
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kS32}).status());
  Operation operation;
  operation.execute = ExecutePack;
  operation.immediate = bits + (is_signed ? 256 : 0);
  if (bits == 16) {
    return EmitConversion(d, std::move(operation), Type::kB32, {Type::kS32, Type::kS32});
  }
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kB32}).status());
  return EmitConversion(d, std::move(operation), Type::kB32, {Type::kS32, Type::kS32, Type::kB32});
}

/// cvt between numbers of one lane.
absl::Status DecodeScalar(InstructionDecoder& d, Type to, Type from) {
  ConvertModifiers modifiers;
  const bool to_integer = !IsFloat(to);
  const bool from_integer = !IsFloat(from);
  const bool is_half = IsOneOf(to, {Type::kF16, Type::kBf16});
  bool rounds_to_integral = false;
  if (to_integer && from_integer) {
    // Nothing is rounded.
  } else if (to_integer || to == from) {
    const std::optional<Rounding> rounding = TakeIntegralRounding(d);
    if (to_integer && !rounding.has_value()) {
      return d.Error("cvt to an integer needs .rni, .rzi, .rmi or .rpi");
    }
    rounds_to_integral = rounding.has_value();
    modifiers.rounding = rounding.value_or(Rounding::kNearestEven);
  } else if (from_integer || BitWidth(to) < BitWidth(from) || (is_half && BitWidth(from) == 16)) {
    const std::optional<Rounding> rounding = TakeRounding(d);
    if (!rounding.has_value()) return d.Error("this cvt needs .rn, .rz, .rm or .rp");
    modifiers.rounding = *rounding;
  }
  if (to == Type::kF32 || from == Type::kF32) modifiers.flush = d.Take("ftz");
  modifiers.saturate = d.Take("sat");
  if (modifiers.saturate && is_half && to == Type::kBf16) return d.ModifierError("sat");
  if (is_half && from == Type::kF32) {
    TakeReluAndSatfinite(d, modifiers);
    HLO_INDEXING_RETURN_IF_ERROR(CheckReluAndSatfinite(d, modifiers));
  }
  Operation operation;
  operation.immediate = modifiers.Encoded();
  if (to_integer && from_integer) {
    operation.execute = IntegerConversion(to, from, modifiers.saturate);
  } else if (to_integer) {
    operation.execute = FloatToInteger(to, from, modifiers);
  } else if (from_integer) {
    operation.execute = IntegerToFloatingPoint(to, from, modifiers);
  } else {
    operation.execute = FloatConversion(to, from, rounds_to_integral, modifiers);
  }
  if (operation.execute == nullptr) return d.ModifierError(NameOf(to));
  return EmitConversion(d, std::move(operation), to, {from});
}

absl::Status DecodeCvt(InstructionDecoder& d) {
  if (d.Take("pack")) return DecodePack(d);
  if (d.Take("rs")) return d.Error("cvt.rs, which rounds stochastically, is not supported");
  HLO_INDEXING_ASSIGN_OR_RETURN(const bool is_done, DecodeNarrowConversion(d));
  if (is_done) return absl::OkStatus();
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type to, d.TakeType());
  if (IsOneOf(to, kPackedBytes)) return DecodePackedBytes(d, to);
  if (IsOneOf(to, kPackedHalves)) return DecodePackedHalves(d, to);
  if (to == Type::kTf32) return DecodeTf32(d);
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type from, d.TakeType());
  for (const Type type : {to, from}) {
    if (!IsOneOf(type, kIntegers) &&
        !IsOneOf(type, {Type::kF16, Type::kBf16, Type::kF32, Type::kF64})) {
      return d.ModifierError(NameOf(type));
    }
  }
  return DecodeScalar(d, to, from);
}

uint64_t AddLane(uint64_t a, uint64_t b) { return a + b; }

// A block is a cluster of its own: the shared memory of the cluster is that of the block.
Space TakeSpaceOfCluster(InstructionDecoder& d) {
  return d.Take("shared::cluster") ? Space::kShared : d.TakeSpace();
}

absl::Status DecodeCvta(InstructionDecoder& d) {
  const bool to_space = d.Take("to");
  const Space space = TakeSpaceOfCluster(d);
  if (space == Space::kGeneric) return d.Error("cvta needs a state space");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kU32, Type::kU64}));
  if (type == Type::kU32) return d.Error("generic addresses of 32 bits are not supported");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  const uint64_t window = WindowOf(space);
  Operation operation;
  operation.execute = Lanewise<AddLane>();
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Destination(0, type));
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[1], d.Source(1, type));
  operation.slots[2] = d.ConstantSlot(type, to_space ? uint64_t{0} - window : window);
  return d.Emit(std::move(operation));
}

template <Space kSpace>
bool IsInSpaceLane(uint64_t address) {
  return SpaceOfGeneric(address) == kSpace;
}

absl::Status DecodeIsspacep(InstructionDecoder& d) {
  const Space space = TakeSpaceOfCluster(d);
  Execute execute = nullptr;
  switch (space) {
    case Space::kConst:
      execute = Lanewise<IsInSpaceLane<Space::kConst>>();
      break;
    case Space::kGlobal:
      execute = Lanewise<IsInSpaceLane<Space::kGlobal>>();
      break;
    case Space::kLocal:
      execute = Lanewise<IsInSpaceLane<Space::kLocal>>();
      break;
    case Space::kParam:
      execute = Lanewise<IsInSpaceLane<Space::kParam>>();
      break;
    case Space::kShared:
      execute = Lanewise<IsInSpaceLane<Space::kShared>>();
      break;
    case Space::kGeneric:
      return d.Error("isspacep needs a state space");
  }
  return EmitElementwise(d, Pipe::kInteger, execute, Type::kPred, {Type::kU64});
}

constexpr std::array<OpcodeRow, 3> kRows = {
    {{"cvt", DecodeCvt}, {"cvta", DecodeCvta}, {"isspacep", DecodeIsspacep}}};

}  // namespace

std::span<const OpcodeRow> ConversionOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
