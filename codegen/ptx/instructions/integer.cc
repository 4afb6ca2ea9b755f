// Integer arithmetic (PTX ISA 9.7.1) without carry: add to rem, and the rows of the opcodes that
// integers share with floating-point numbers.
//
// Where the ISA says "unspecified": a division by zero gives all ones, quotient and remainder, as
// devices do; the least integer by -1 gives itself, with the remainder 0.
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/arithmetic.h"
#include "codegen/ptx/instructions/carry.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/dot_product.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/instructions/wide_product.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

template <typename T>
T AddLane(T a, T b) {
  return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
}

template <typename T>
T SubLane(T a, T b) {
  return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b));
}

int32_t Clamp(int64_t value) {
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();
  constexpr int64_t kGreatest = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(value < kLeast ? kLeast : value > kGreatest ? kGreatest : value);
}

int32_t AddSaturatedLane(int32_t a, int32_t b) { return Clamp(int64_t{a} + int64_t{b}); }
int32_t SubSaturatedLane(int32_t a, int32_t b) { return Clamp(int64_t{a} - int64_t{b}); }

template <typename T>
T MadLowLane(T a, T b, T c) {
  return AddLane(MultiplyLow(a, b), c);
}
template <typename T>
T MadHighLane(T a, T b, T c) {
  return AddLane(MultiplyHigh(a, b), c);
}
template <typename T>
Twice<T> MadWideLane(T a, T b, Twice<T> c) {
  return AddLane(MultiplyWide(a, b), c);
}
int32_t MadHighSaturatedLane(int32_t a, int32_t b, int32_t c) {
  return AddSaturatedLane(MultiplyHigh(a, b), c);
}

template <typename T>
T DivLane(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return SubLane(T{0}, a);
  }
  return static_cast<T>(a / b);
}

template <typename T>
T RemLane(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

/// What indices are: divided as doubles, by vectors. The quotient of numbers below 2^31 is a whole
/// number or 2^-31 and more away from one, so that rounding to nearest does not reach it.
template <typename T>
uint32_t IsSmallDivision(T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  const Unsigned both = static_cast<Unsigned>(a) | static_cast<Unsigned>(b);
  return both < Unsigned{1} << 31 && b != 0 ? ~uint32_t{0} : 0;
}
template <typename T>
T SmallDivLane(T a, T b) {
  const auto quotient =
      static_cast<double>(static_cast<int32_t>(a)) / static_cast<double>(static_cast<int32_t>(b));
  return static_cast<T>(static_cast<int32_t>(quotient));
}
template <typename T>
T SmallRemLane(T a, T b) {
  return static_cast<T>(static_cast<int32_t>(a) -
                        static_cast<int32_t>(SmallDivLane(a, b)) * static_cast<int32_t>(b));
}

template <typename T>
Execute DivExecute() {
  if constexpr (sizeof(T) < 4) {
    return Lanewise<DivLane<T>>();
  } else {
    return WideLanewiseIf<SmallDivLane<T>, IsSmallDivision<T>, DivLane<T>>();
  }
}
template <typename T>
Execute RemExecute() {
  if constexpr (sizeof(T) < 4) {
    return Lanewise<RemLane<T>>();
  } else {
    return WideLanewiseIf<SmallRemLane<T>, IsSmallDivision<T>, RemLane<T>>();
  }
}

template <typename T>
T MinLane(T a, T b) {
  return a < b ? a : b;
}
template <typename T>
T MaxLane(T a, T b) {
  return a > b ? a : b;
}
template <typename T>
T MinReluLane(T a, T b) {
  return MaxLane(MinLane(a, b), T{0});
}
template <typename T>
T MaxReluLane(T a, T b) {
  return MaxLane(MaxLane(a, b), T{0});
}

template <typename T>
T AbsLane(T a) {
  return a < 0 ? SubLane(T{0}, a) : a;
}
template <typename T>
T NegLane(T a) {
  return SubLane(T{0}, a);
}

template <typename T>
T SadLane(T a, T b, T c) {
  return AddLane(c, a < b ? SubLane(b, a) : SubLane(a, b));
}

/// A function of two integers of 16 bits on both halves of a lane.
template <typename T, auto kFunction>
uint32_t Packed(uint32_t a, uint32_t b) {
  const T low = kFunction(static_cast<T>(a), static_cast<T>(b));
  const T high = kFunction(static_cast<T>(a >> 16), static_cast<T>(b >> 16));
  return static_cast<uint32_t>(static_cast<uint16_t>(high)) << 16 | static_cast<uint16_t>(low);
}

/// The lowest 24 bits, as mul24 reads its operands.
template <typename T>
T Low24(T value) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<uint32_t>(value) << 8) >> 8;
  }
  return value & 0xff'ffff;
}

template <typename T>
T Mul24LowLane(T a, T b) {
  return static_cast<T>(MultiplyWide(Low24(a), Low24(b)));
}
/// Bits 16 to 47 of the product of 48 bits.
template <typename T>
T Mul24HighLane(T a, T b) {
  return static_cast<T>(MultiplyWide(Low24(a), Low24(b)) >> 16);
}
template <typename T>
T Mad24LowLane(T a, T b, T c) {
  return AddLane(Mul24LowLane(a, b), c);
}
template <typename T>
T Mad24HighLane(T a, T b, T c) {
  return AddLane(Mul24HighLane(a, b), c);
}
int32_t Mad24HighSaturatedLane(int32_t a, int32_t b, int32_t c) {
  return AddSaturatedLane(Mul24HighLane(a, b), c);
}

/// The type of the products of .wide.
Type WideTypeOf(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    default:
      return Type::kS64;
  }
}

bool IsPacked(Type type) { return type == Type::kU16x2 || type == Type::kS16x2; }
bool IsInteger(Type type) {
  return IsOneOf(type, {Type::kU16, Type::kS16, Type::kU32, Type::kS32, Type::kU64, Type::kS64});
}

absl::Status TypeError(InstructionDecoder& d, Type type) { return d.ModifierError(NameOf(type)); }

absl::Status DecodeAddSub(InstructionDecoder& d, Type type, bool is_sub) {
  if (d.Take("cc")) {
    return DecodeCarry(d, is_sub ? CarryOf::kSub : CarryOf::kAdd, type, false, true);
  }
  if (IsPacked(type)) {
    if (is_sub) return TypeError(d, type);
    return EmitElementwise(d, Pipe::kInteger, Lanewise<Packed<uint16_t, AddLane<uint16_t>>>(), type,
                           {type, type});
  }
  if (type == Type::kS32 && d.Take("sat")) {
    return EmitElementwise(d, Pipe::kInteger,
                           is_sub ? Lanewise<SubSaturatedLane>() : Lanewise<AddSaturatedLane>(),
                           type, {type, type});
  }
  const Execute execute = VisitArithmeticInteger(
      type, [&]<typename T>() { return is_sub ? Lanewise<SubLane<T>>() : Lanewise<AddLane<T>>(); });
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type});
}

absl::Status DecodeMul(InstructionDecoder& d, Type type) {
  if (d.Take("wide")) {
    Execute execute = Lanewise<MultiplyWide<uint32_t>>();
    if (type == Type::kS32) execute = Lanewise<MultiplyWide<int32_t>>();
    if (type == Type::kU16) execute = Lanewise<MultiplyWide<uint16_t>>();
    if (type == Type::kS16) execute = Lanewise<MultiplyWide<int16_t>>();
    if (BitWidth(type) == 64) return d.ModifierError("wide");
    return EmitElementwise(d, Pipe::kInteger, execute, WideTypeOf(type), {type, type});
  }
  const std::optional<int> half = d.TakeOneOf({"lo", "hi"});
  if (!half.has_value()) return d.Error("mul of integers needs .lo, .hi or .wide");
  const Execute execute = VisitArithmeticInteger(type, [&]<typename T>() {
    return *half == 0 ? Lanewise<MultiplyLow<T>>() : Lanewise<MultiplyHigh<T>>();
  });
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type});
}

absl::Status DecodeMad(InstructionDecoder& d, Type type) {
  if (d.Take("wide")) {
    Execute execute = Lanewise<MadWideLane<uint32_t>>();
    if (type == Type::kS32) execute = Lanewise<MadWideLane<int32_t>>();
    if (type == Type::kU16) execute = Lanewise<MadWideLane<uint16_t>>();
    if (type == Type::kS16) execute = Lanewise<MadWideLane<int16_t>>();
    if (BitWidth(type) == 64) return d.ModifierError("wide");
    const Type wide = WideTypeOf(type);
    return EmitElementwise(d, Pipe::kInteger, execute, wide, {type, type, wide});
  }
  const std::optional<int> half = d.TakeOneOf({"lo", "hi"});
  if (!half.has_value()) return d.Error("mad of integers needs .lo, .hi or .wide");
  if (d.Take("cc")) {
    return DecodeCarry(d, *half == 0 ? CarryOf::kMadLow : CarryOf::kMadHigh, type, false, true);
  }
  if (*half == 1 && type == Type::kS32 && d.Take("sat")) {
    return EmitElementwise(d, Pipe::kInteger, Lanewise<MadHighSaturatedLane>(), type,
                           {type, type, type});
  }
  const Execute execute = VisitArithmeticInteger(type, [&]<typename T>() {
    return *half == 0 ? Lanewise<MadLowLane<T>>() : Lanewise<MadHighLane<T>>();
  });
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type, type});
}

absl::Status DecodeMinMax(InstructionDecoder& d, Type type, bool is_max) {
  if (IsOneOf(type, {Type::kS32, Type::kS16x2}) && d.Take("relu")) {
    Execute execute = is_max ? Lanewise<MaxReluLane<int32_t>>() : Lanewise<MinReluLane<int32_t>>();
    if (IsPacked(type)) {
      execute = is_max ? Lanewise<Packed<int16_t, MaxReluLane<int16_t>>>()
                       : Lanewise<Packed<int16_t, MinReluLane<int16_t>>>();
    }
    return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type});
  }
  Execute execute = nullptr;
  if (type == Type::kU16x2) {
    execute = is_max ? Lanewise<Packed<uint16_t, MaxLane<uint16_t>>>()
                     : Lanewise<Packed<uint16_t, MinLane<uint16_t>>>();
  } else if (type == Type::kS16x2) {
    execute = is_max ? Lanewise<Packed<int16_t, MaxLane<int16_t>>>()
                     : Lanewise<Packed<int16_t, MinLane<int16_t>>>();
  } else {
    execute = VisitArithmeticInteger(type, [&]<typename T>() {
      return is_max ? Lanewise<MaxLane<T>>() : Lanewise<MinLane<T>>();
    });
  }
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type});
}

absl::Status DecodeAbsNeg(InstructionDecoder& d, Type type, bool is_neg) {
  if (!IsSigned(type)) return TypeError(d, type);
  const Execute execute = VisitArithmeticInteger(
      type, [&]<typename T>() { return is_neg ? Lanewise<NegLane<T>>() : Lanewise<AbsLane<T>>(); });
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type});
}

template <Arithmetic kOperation>
absl::Status DecodeArithmetic(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType());
  if (IsFloatType(type)) return DecodeFloatArithmetic(d, kOperation, type);
  if (IsHalfType(type)) return DecodeHalfArithmetic(d, kOperation, type);
  return DecodeIntegerArithmetic(d, kOperation, type);
}

absl::Status DecodeRem(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kU16, Type::kS16, Type::kU32,
                                                             Type::kS32, Type::kU64, Type::kS64}));
  const Execute execute =
      VisitArithmeticInteger(type, []<typename T>() { return RemExecute<T>(); });
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type});
}

absl::Status DecodeSad(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kU16, Type::kS16, Type::kU32,
                                                             Type::kS32, Type::kU64, Type::kS64}));
  const Execute execute =
      VisitArithmeticInteger(type, []<typename T>() { return Lanewise<SadLane<T>>(); });
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type, type});
}

absl::Status DecodeMul24(InstructionDecoder& d) {
  const std::optional<int> half = d.TakeOneOf({"lo", "hi"});
  if (!half.has_value()) return d.Error("mul24 needs .lo or .hi");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kU32, Type::kS32}));
  const Execute execute = VisitArithmeticInteger(type, [&]<typename T>() -> Execute {
    if constexpr (sizeof(T) == 4) {
      return *half == 0 ? Lanewise<Mul24LowLane<T>>() : Lanewise<Mul24HighLane<T>>();
    }
    return nullptr;
  });
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type});
}

absl::Status DecodeMad24(InstructionDecoder& d) {
  const std::optional<int> half = d.TakeOneOf({"lo", "hi"});
  if (!half.has_value()) return d.Error("mad24 needs .lo or .hi");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kU32, Type::kS32}));
  Execute execute = VisitArithmeticInteger(type, [&]<typename T>() -> Execute {
    if constexpr (sizeof(T) == 4) {
      return *half == 0 ? Lanewise<Mad24LowLane<T>>() : Lanewise<Mad24HighLane<T>>();
    }
    return nullptr;
  });
  if (*half == 1 && type == Type::kS32 && d.Take("sat")) {
    execute = Lanewise<Mad24HighSaturatedLane>();
  }
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type, type});
}

absl::Status DecodeAddc(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType());
  return DecodeCarry(d, CarryOf::kAdd, type, true, d.Take("cc"));
}

absl::Status DecodeSubc(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType());
  return DecodeCarry(d, CarryOf::kSub, type, true, d.Take("cc"));
}

absl::Status DecodeMadc(InstructionDecoder& d) {
  const std::optional<int> half = d.TakeOneOf({"lo", "hi"});
  if (!half.has_value()) return d.Error("madc needs .lo or .hi");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType());
  return DecodeCarry(d, *half == 0 ? CarryOf::kMadLow : CarryOf::kMadHigh, type, true,
                     d.Take("cc"));
}

constexpr std::array<OpcodeRow, 21> kRows = {{
    {"add", DecodeArithmetic<Arithmetic::kAdd>},
    {"sub", DecodeArithmetic<Arithmetic::kSub>},
    {"mul", DecodeArithmetic<Arithmetic::kMul>},
    {"mad", DecodeArithmetic<Arithmetic::kMad>},
    {"div", DecodeArithmetic<Arithmetic::kDiv>},
    {"min", DecodeArithmetic<Arithmetic::kMin>},
    {"max", DecodeArithmetic<Arithmetic::kMax>},
    {"abs", DecodeArithmetic<Arithmetic::kAbs>},
    {"neg", DecodeArithmetic<Arithmetic::kNeg>},
    {"fma", DecodeArithmetic<Arithmetic::kFma>},
    {"rem", DecodeRem},
    {"sad", DecodeSad},
    {"mul24", DecodeMul24},
    {"mad24", DecodeMad24},
    {"addc", DecodeAddc},
    {"subc", DecodeSubc},
    {"madc", DecodeMadc},
    {"dp4a", DecodeDp4a},
    {"dp2a", DecodeDp2a},
    {"vabsdiff2", DecodeVabsdiff},
    {"vabsdiff4", DecodeVabsdiff},
}};

}  // namespace

absl::Status DecodeIntegerArithmetic(InstructionDecoder& d, Arithmetic operation, Type type) {
  const bool may_be_packed = operation == Arithmetic::kAdd || operation == Arithmetic::kMin ||
                             operation == Arithmetic::kMax;
  if (!IsInteger(type) && !(may_be_packed && IsPacked(type))) return TypeError(d, type);
  switch (operation) {
    case Arithmetic::kAdd:
      return DecodeAddSub(d, type, false);
    case Arithmetic::kSub:
      return DecodeAddSub(d, type, true);
    case Arithmetic::kMul:
      return DecodeMul(d, type);
    case Arithmetic::kMad:
      return DecodeMad(d, type);
    case Arithmetic::kMin:
      return DecodeMinMax(d, type, false);
    case Arithmetic::kMax:
      return DecodeMinMax(d, type, true);
    case Arithmetic::kAbs:
      return DecodeAbsNeg(d, type, false);
    case Arithmetic::kNeg:
      return DecodeAbsNeg(d, type, true);
    case Arithmetic::kDiv:
      return EmitElementwise(
          d, Pipe::kInteger,
          VisitArithmeticInteger(type, []<typename T>() { return DivExecute<T>(); }), type,
          {type, type});
    case Arithmetic::kFma:
      return TypeError(d, type);
  }
  return TypeError(d, type);
}

std::span<const OpcodeRow> IntegerOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
