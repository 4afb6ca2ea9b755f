// Comparisons and choices (PTX ISA 9.7.6, 9.7.7): setp, set, selp, slct.
//
// A comparison is two operations where a Boolean operator or a second result asks for more than one
// mask: the comparison into a place of its own, and the combination.
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/compare.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

using numerics::Bf16;
using numerics::Comparison;
using numerics::F16;

template <Comparison kComparison, typename T>
bool CompareIntegers(T a, T b) {
  if constexpr (kComparison == Comparison::kEq) return a == b;
  if constexpr (kComparison == Comparison::kNe) return a != b;
  if constexpr (kComparison == Comparison::kLt) return a < b;
  if constexpr (kComparison == Comparison::kLe) return a <= b;
  if constexpr (kComparison == Comparison::kGt) return a > b;
  return a >= b;
}

template <typename T>
Execute IntegerComparison(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEq:
      return Lanewise<CompareIntegers<Comparison::kEq, T>>();
    case Comparison::kNe:
      return Lanewise<CompareIntegers<Comparison::kNe, T>>();
    case Comparison::kLt:
      return Lanewise<CompareIntegers<Comparison::kLt, T>>();
    case Comparison::kLe:
      return Lanewise<CompareIntegers<Comparison::kLe, T>>();
    case Comparison::kGt:
      return Lanewise<CompareIntegers<Comparison::kGt, T>>();
    default:
      return Lanewise<CompareIntegers<Comparison::kGe, T>>();
  }
}

template <Comparison kComparison, typename T, bool kFlush>
bool CompareFloats(T a, T b) {
  if constexpr (kFlush) {
    a = numerics::FlushSubnormal(a);
    b = numerics::FlushSubnormal(b);
  }
  return numerics::Compare<kComparison>(a, b);
}

/// Halves are compared as the floats that they are, which an operation of its own makes.
template <typename Half, bool kFlush, bool kHigh>
float WidenLane(uint32_t packed) {
  const Half value = {static_cast<uint16_t>(packed >> (kHigh ? 16 : 0))};
  return numerics::ToFloat(kFlush ? numerics::FlushSubnormal(value) : value);
}

template <typename Half>
Execute WidenExecute(bool flush, bool high) {
  if (flush) {
    return high ? Lanewise<WidenLane<Half, true, true>>()
                : Lanewise<WidenLane<Half, true, false>>();
  }
  return high ? Lanewise<WidenLane<Half, false, true>>()
              : Lanewise<WidenLane<Half, false, false>>();
}

/// `visit.operator()<kComparison>()`.
template <typename Visit>
Execute VisitComparison(Comparison comparison, const Visit& visit) {
  switch (comparison) {
    case Comparison::kEq:
      return visit.template operator()<Comparison::kEq>();
    case Comparison::kNe:
      return visit.template operator()<Comparison::kNe>();
    case Comparison::kLt:
      return visit.template operator()<Comparison::kLt>();
    case Comparison::kLe:
      return visit.template operator()<Comparison::kLe>();
    case Comparison::kGt:
      return visit.template operator()<Comparison::kGt>();
    case Comparison::kGe:
      return visit.template operator()<Comparison::kGe>();
    case Comparison::kEqu:
      return visit.template operator()<Comparison::kEqu>();
    case Comparison::kNeu:
      return visit.template operator()<Comparison::kNeu>();
    case Comparison::kLtu:
      return visit.template operator()<Comparison::kLtu>();
    case Comparison::kLeu:
      return visit.template operator()<Comparison::kLeu>();
    case Comparison::kGtu:
      return visit.template operator()<Comparison::kGtu>();
    case Comparison::kGeu:
      return visit.template operator()<Comparison::kGeu>();
    case Comparison::kNum:
      return visit.template operator()<Comparison::kNum>();
    case Comparison::kNan:
      return visit.template operator()<Comparison::kNan>();
  }
  return nullptr;
}

bool IsPackedHalf(Type type) { return type == Type::kF16x2 || type == Type::kBf16x2; }
bool IsHalf(Type type) { return type == Type::kF16 || type == Type::kBf16 || IsPackedHalf(type); }

Execute ComparisonExecute(Comparison comparison, Type type, bool flush) {
  switch (type) {
    case Type::kF32:
      return VisitComparison(comparison, [&]<Comparison kComparison>() {
        return flush ? Lanewise<CompareFloats<kComparison, float, true>>()
                     : Lanewise<CompareFloats<kComparison, float, false>>();
      });
    case Type::kF64:
      return VisitComparison(comparison, []<Comparison kComparison>() {
        return Lanewise<CompareFloats<kComparison, double, false>>();
      });
    default:
      return VisitArithmeticInteger(type,
                                    [&]<typename T>() { return IntegerComparison<T>(comparison); });
  }
}

/// What stands before the operands of set and setp.
struct ComparisonModifiers {
  Comparison comparison = Comparison::kEq;
  /// 0: .and, 1: .or, 2: .xor.
  std::optional<int> boolean;
  bool flush = false;
};

constexpr std::array<std::string_view, 14> kOperators = {
    "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
/// Of unsigned integers: lower, and so on.
constexpr std::array<std::pair<std::string_view, Comparison>, 4> kUnsignedOperators = {
    {{"lo", Comparison::kLt},
     {"ls", Comparison::kLe},
     {"hi", Comparison::kGt},
     {"hs", Comparison::kGe}}};

absl::StatusOr<ComparisonModifiers> TakeComparison(InstructionDecoder& d, Type type) {
  ComparisonModifiers modifiers;
  const bool is_bits = IsOneOf(type, {Type::kB16, Type::kB32, Type::kB64});
  const bool is_unsigned = IsOneOf(type, {Type::kU16, Type::kU32, Type::kU64});
  const size_t allowed = IsFloat(type) ? kOperators.size() : is_bits ? 2 : 6;
  bool found = false;
  for (size_t i = 0; i < allowed && !found; ++i) {
    if (!d.Take(kOperators[i])) continue;
    modifiers.comparison = static_cast<Comparison>(i);
    found = true;
  }
  for (size_t i = 0; is_unsigned && i < kUnsignedOperators.size() && !found; ++i) {
    if (!d.Take(kUnsignedOperators[i].first)) continue;
    modifiers.comparison = kUnsignedOperators[i].second;
    found = true;
  }
  if (!found) {
    return d.Error(std::string("no comparison operator for the type .") +
                   std::string(NameOf(type)));
  }
  modifiers.boolean = d.TakeOneOf({"and", "or", "xor"});
  if (type == Type::kF32 || type == Type::kF16 || type == Type::kF16x2) {
    modifiers.flush = d.Take("ftz");
  }
  return modifiers;
}

LaneMask Combine(int64_t boolean, LaneMask a, LaneMask b) {
  return boolean == 0 ? a & b : boolean == 1 ? a | b : a ^ b;
}

/// Slots: p, q (or kNoSlot), the comparison, c (or kNoSlot), the comparison that q is of.
/// Immediate: the Boolean operator, plus 16 if q is of the comparison's opposite.
Step ExecuteCombine(const Operation& operation, Execution& execution) {
  const LaneMask lanes = execution.lanes;
  const int64_t boolean = operation.immediate & 15;
  const LaneMask first = execution.Predicate(operation.slots[2]);
  LaneMask second = execution.Predicate(operation.slots[4]);
  if ((operation.immediate & 16) != 0) second = ~second;
  const bool has_operand = operation.slots[3] != kNoSlot;
  const LaneMask c = has_operand ? execution.Predicate(operation.slots[3]) : 0;
  LaneMask& p = execution.Predicate(operation.slots[0]);
  p = (p & ~lanes) | ((has_operand ? Combine(boolean, first, c) : first) & lanes);
  if (operation.slots[1] != kNoSlot) {
    LaneMask& q = execution.Predicate(operation.slots[1]);
    q = (q & ~lanes) | ((has_operand ? Combine(boolean, second, c) : second) & lanes);
  }
  return Step::kNext;
}

/// Emits the comparison of values at two places, of their upper halves if `high`, into `mask`.
absl::Status EmitComparison(InstructionDecoder& d, const ComparisonModifiers& modifiers, Type type,
                            bool high, std::array<Slot, 2> values, Slot mask, bool is_last) {
  bool flush = modifiers.flush;
  if (IsHalf(type)) {
    const bool is_f16 = type == Type::kF16 || type == Type::kF16x2;
    for (Slot& value : values) {
      Operation widen;
      widen.execute = is_f16 ? WidenExecute<F16>(flush, high) : WidenExecute<Bf16>(flush, high);
      widen.pipe = Pipe::kHalf;
      widen.slots[0] = d.Scratch(Type::kF32);
      widen.slots[1] = value;
      value = widen.slots[0];
      HLO_INDEXING_RETURN_IF_ERROR(d.Emit(std::move(widen), /*is_last=*/false));
    }
    type = Type::kF32;
    flush = false;
  }
  Operation compare;
  compare.execute = ComparisonExecute(modifiers.comparison, type, flush);
  compare.pipe = type == Type::kF64 ? Pipe::kDouble : IsFloat(type) ? Pipe::kFloat : Pipe::kInteger;
  compare.slots = {mask, values[0], values[1], kNoSlot, kNoSlot, kNoSlot};
  return d.Emit(std::move(compare), is_last);
}

/// The masks of both halves, in new places; of what is not packed, twice the same.
absl::StatusOr<std::array<Slot, 2>> EmitMasks(InstructionDecoder& d,
                                              const ComparisonModifiers& modifiers, Type type,
                                              const std::array<Slot, 2>& values) {
  const Slot low = d.Scratch(Type::kPred);
  HLO_INDEXING_RETURN_IF_ERROR(EmitComparison(d, modifiers, type, false, values, low, false));
  if (!IsPackedHalf(type)) return std::array<Slot, 2>{low, low};
  const Slot high = d.Scratch(Type::kPred);
  HLO_INDEXING_RETURN_IF_ERROR(EmitComparison(d, modifiers, type, true, values, high, false));
  return std::array<Slot, 2>{low, high};
}

constexpr std::initializer_list<Type> kComparable = {
    Type::kB16,  Type::kB32,   Type::kB64,    Type::kU16, Type::kU32,
    Type::kU64,  Type::kS16,   Type::kS32,    Type::kS64, Type::kF16,
    Type::kBf16, Type::kF16x2, Type::kBf16x2, Type::kF32, Type::kF64};

absl::Status DecodeSetp(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType(kComparable));
  HLO_INDEXING_ASSIGN_OR_RETURN(const ComparisonModifiers modifiers, TakeComparison(d, type));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(modifiers.boolean.has_value() ? 4 : 3));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot a, d.Source(1, type));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot b, d.Source(2, type));
  const bool is_pair = d.operand(0).kind == syntax::OperandKind::kPredicatePair;
  if (is_pair && d.operand(0).elements.size() != 2) return d.OperandError(0, "a pair is p|q");
  if (IsPackedHalf(type) && !is_pair) {
    return d.OperandError(0, "a comparison of packed numbers has two results, p|q");
  }
  if (IsHalf(type) && !IsPackedHalf(type) && is_pair) {
    return d.OperandError(0, "a comparison of halves has one result");
  }
  if (!is_pair && !modifiers.boolean.has_value()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const Slot p, d.Destination(0, Type::kPred));
    return EmitComparison(d, modifiers, type, /*high=*/false, {a, b}, p, /*is_last=*/true);
  }
  Operation combine;
  combine.execute = ExecuteCombine;
  combine.immediate = modifiers.boolean.value_or(0);
  if (modifiers.boolean.has_value()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(combine.slots[3], d.PredicateSource(d.operand(3)));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto masks, EmitMasks(d, modifiers, type, {a, b}));
  combine.slots[2] = masks[0];
  combine.slots[4] = masks[1];
  if (!IsPackedHalf(type)) combine.immediate |= 16;
  if (is_pair) {
    HLO_INDEXING_ASSIGN_OR_RETURN(combine.slots[0],
                                  d.Destination(d.operand(0).elements[0], Type::kPred));
    HLO_INDEXING_ASSIGN_OR_RETURN(combine.slots[1],
                                  d.Destination(d.operand(0).elements[1], Type::kPred));
  } else {
    HLO_INDEXING_ASSIGN_OR_RETURN(combine.slots[0], d.Destination(0, Type::kPred));
  }
  return d.Emit(std::move(combine));
}

/// Of set: the predicates of one or two halves become a value. `kHigh` is the value of a true upper
/// half.
template <typename T, T kTrue>
T SetLane(bool p) {
  return p ? kTrue : T{0};
}
template <uint32_t kLow, uint32_t kHigh>
uint32_t SetPackedLane(bool low, bool high) {
  return (low ? kLow : 0) | (high ? kHigh : 0);
}

constexpr uint32_t kOneF32 = 0x3f80'0000;
constexpr uint32_t kOneF16 = 0x3c00;
constexpr uint32_t kOneBf16 = 0x3f80;

/// Whether set makes results of a type from comparisons of another: integers of 32 bits and halves
/// from all that is not packed, of halves 16-bit integers too and of others f32, of packed ones
/// packed ones or 32 bits.
bool IsSetResult(Type result, Type compared) {
  if (IsOneOf(result, {Type::kU32, Type::kS32})) return true;
  switch (compared) {
    case Type::kF16:
      return IsOneOf(result, {Type::kF16, Type::kBf16, Type::kU16, Type::kS16});
    case Type::kBf16:
      return IsOneOf(result, {Type::kBf16, Type::kU16, Type::kS16});
    case Type::kF16x2:
    case Type::kBf16x2:
      return result == compared;
    default:
      return IsOneOf(result, {Type::kF16, Type::kBf16, Type::kF32});
  }
}

Execute SetExecute(Type result) {
  switch (result) {
    case Type::kF32:
      return Lanewise<SetLane<uint32_t, kOneF32>>();
    case Type::kF16:
      return Lanewise<SetLane<uint16_t, kOneF16>>();
    case Type::kBf16:
      return Lanewise<SetLane<uint16_t, kOneBf16>>();
    case Type::kU16:
    case Type::kS16:
      return Lanewise<SetLane<uint16_t, 0xffff>>();
    case Type::kF16x2:
      return Lanewise<SetPackedLane<kOneF16, kOneF16 << 16>>();
    case Type::kBf16x2:
      return Lanewise<SetPackedLane<kOneBf16, kOneBf16 << 16>>();
    default:
      return Lanewise<SetLane<uint32_t, 0xffff'ffff>>();
  }
}

absl::Status DecodeSet(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type result, d.TakeType());
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType(kComparable));
  if (!IsSetResult(result, type)) return d.ModifierError(NameOf(result));
  HLO_INDEXING_ASSIGN_OR_RETURN(const ComparisonModifiers modifiers, TakeComparison(d, type));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(modifiers.boolean.has_value() ? 4 : 3));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot a, d.Source(1, type));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot b, d.Source(2, type));
  HLO_INDEXING_ASSIGN_OR_RETURN(auto masks, EmitMasks(d, modifiers, type, {a, b}));
  if (modifiers.boolean.has_value()) {
    Operation combine;
    combine.execute = ExecuteCombine;
    combine.immediate = *modifiers.boolean;
    HLO_INDEXING_ASSIGN_OR_RETURN(combine.slots[3], d.PredicateSource(d.operand(3)));
    combine.slots[2] = masks[0];
    combine.slots[4] = masks[1];
    masks = {d.Scratch(Type::kPred), d.Scratch(Type::kPred)};
    combine.slots[0] = masks[0];
    combine.slots[1] = masks[1];
    HLO_INDEXING_RETURN_IF_ERROR(d.Emit(std::move(combine), /*is_last=*/false));
  }
  Operation set;
  set.execute = SetExecute(result);
  // Both halves of 32 bits, where the comparison has two.
  if (IsPackedHalf(type) && !IsPackedHalf(result)) {
    set.execute = Lanewise<SetPackedLane<0xffff, 0xffff'0000>>();
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot slot, d.Destination(0, result));
  set.slots = {slot, masks[0], masks[1], kNoSlot, kNoSlot, kNoSlot};
  return d.Emit(std::move(set));
}

template <typename T>
T SelectLane(T a, T b, bool p) {
  return p ? a : b;
}
template <typename T>
T SelectIntegerLane(T a, T b, int32_t c) {
  return c >= 0 ? a : b;
}
/// -0 counts as 0, and NaN as negative.
template <typename T, bool kFlush>
T SelectFloatLane(T a, T b, float c) {
  return (kFlush ? numerics::FlushSubnormal(c) : c) >= 0.0F ? a : b;
}

constexpr std::initializer_list<Type> kSelectable = {Type::kB16, Type::kB32, Type::kB64, Type::kU16,
                                                     Type::kU32, Type::kU64, Type::kS16, Type::kS32,
                                                     Type::kS64, Type::kF32, Type::kF64};

absl::Status DecodeSelp(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType(kSelectable));
  const Execute execute = BitWidth(type) == 64   ? Lanewise<SelectLane<uint64_t>>()
                          : BitWidth(type) == 32 ? Lanewise<SelectLane<uint32_t>>()
                                                 : Lanewise<SelectLane<uint16_t>>();
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type, Type::kPred});
}

template <typename T>
Execute SlctExecute(Type by, bool flush) {
  if (by == Type::kS32) return Lanewise<SelectIntegerLane<T>>();
  return flush ? Lanewise<SelectFloatLane<T, true>>() : Lanewise<SelectFloatLane<T, false>>();
}

absl::Status DecodeSlct(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType(kSelectable));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type by, d.TakeType({Type::kS32, Type::kF32}));
  const bool flush = by == Type::kF32 && d.Take("ftz");
  const Execute execute = BitWidth(type) == 64   ? SlctExecute<uint64_t>(by, flush)
                          : BitWidth(type) == 32 ? SlctExecute<uint32_t>(by, flush)
                                                 : SlctExecute<uint16_t>(by, flush);
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type, by});
}

constexpr std::array<OpcodeRow, 4> kRows = {{
    {"setp", DecodeSetp},
    {"set", DecodeSet},
    {"selp", DecodeSelp},
    {"slct", DecodeSlct},
}};

}  // namespace

std::span<const OpcodeRow> ComparisonOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
