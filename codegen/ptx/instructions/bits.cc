// Logic, shifts and bit fields (PTX ISA 9.7.8 and the bit instructions of 9.7.1).
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

constexpr uint32_t kNotFound = 0xffff'ffff;

template <typename T>
T AndLane(T a, T b) {
  return static_cast<T>(a & b);
}
template <typename T>
T OrLane(T a, T b) {
  return static_cast<T>(a | b);
}
template <typename T>
T XorLane(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <typename T>
T NotLane(T a) {
  return static_cast<T>(~a);
}
template <typename T>
T CnotLane(T a) {
  return a == 0 ? T{1} : T{0};
}

/// Shifts by amounts that are clamped to the width.
template <typename T>
T ShlLane(T a, uint32_t amount) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  const T shifted = static_cast<T>(Wrapping<T>(a) << (amount & (kBits - 1)));
  return amount < kBits ? shifted : T{0};
}
template <typename T>
T ShrLane(T a, uint32_t amount) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(a >> (amount < kBits ? amount : kBits - 1));
  }
  const T shifted = static_cast<T>(a >> (amount & (kBits - 1)));
  return amount < kBits ? shifted : T{0};
}

/// shf: of the 64 bits b:a, the upper (left) or lower (right) 32 after a shift of 0 to 32.
template <bool kLeft, bool kClamp>
uint32_t ShfLane(uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t amount = kClamp ? (c < 32 ? c : 32) : c & 31;
  const uint64_t both = static_cast<uint64_t>(b) << 32 | a;
  return static_cast<uint32_t>(kLeft ? (both << amount) >> 32 : both >> amount);
}

template <typename T>
T BfeLane(T a, uint32_t position, uint32_t length) {
  constexpr uint32_t kLast = 8 * sizeof(T) - 1;
  using Bits = std::make_unsigned_t<T>;
  position &= 0xff;
  length &= 0xff;
  const Bits bits = static_cast<Bits>(a);
  const uint32_t last = position + length - 1;
  const Bits sign = bits >> (last < kLast ? last : kLast) & 1;
  // Shifts are by less than the width, so that all of it is computed without branches.
  const Bits shifted = bits >> (position & kLast);
  const Bits field = position <= kLast ? shifted : Bits{0};
  // Bits of the result that come from the source; the others are the sign.
  const uint32_t behind = position <= kLast ? kLast + 1 - position : 0;
  const uint32_t available = length < behind ? length : behind;
  const Bits some = static_cast<Bits>((Bits{1} << (available & kLast)) - 1);
  const Bits mask = available > kLast ? ~Bits{0} : some;
  const Bits signs = std::is_signed_v<T> && length != 0 ? Bits{0} - sign : Bits{0};
  return static_cast<T>((field & mask) | (signs & ~mask));
}

template <typename T>
T BfiLane(T a, T b, uint32_t position, uint32_t length) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  position &= 0xff;
  length &= 0xff;
  if (position >= kBits) return b;
  const T mask = static_cast<T>((length >= kBits ? ~T{0} : (T{1} << length) - 1) << position);
  return (b & ~mask) | ((a << position) & mask);
}

template <typename T, bool kShiftAmount>
uint32_t BfindLane(T a) {
  using Bits = std::make_unsigned_t<T>;
  constexpr uint32_t kLast = 8 * sizeof(T) - 1;
  const Bits bits = static_cast<Bits>(std::is_signed_v<T> && a < T{0} ? ~a : a);
  if (bits == 0) return kNotFound;
  const uint32_t zeros = static_cast<uint32_t>(std::countl_zero(bits));
  return kShiftAmount ? zeros : kLast - zeros;
}

/// `b` ones from bit `a` on.
template <bool kClamp>
uint32_t BmskLane(uint32_t a, uint32_t b) {
  if (kClamp && a >= 32) return 0;
  const uint32_t position = a & 31;
  const uint32_t end = position + (b & 31);
  const uint32_t from_position = ~uint32_t{0} << position;
  const uint32_t from_end = (kClamp && b >= 32) || end >= 32 ? 0 : ~uint32_t{0} << end;
  return from_position & ~from_end;
}

/// The lowest `b` bits of `a`, extended.
template <typename T, bool kClamp>
uint32_t SzextLane(T value, uint32_t b) {
  const uint32_t a = static_cast<uint32_t>(value);
  if (kClamp && b >= 32) return a;
  const uint32_t bits = b & 31;
  const uint32_t above = ~uint32_t{0} << bits;
  const bool sign = std::is_signed_v<T> && bits != 0 && ((a >> (bits - 1)) & 1) != 0;
  return (a & ~above) | (sign ? above : 0);
}

template <typename T>
T ReverseGroups(T value, int distance, T mask) {
  return static_cast<T>(((value >> distance) & mask) | ((value & mask) << distance));
}
uint32_t BrevLane(uint32_t a) {
  a = ReverseGroups<uint32_t>(a, 1, 0x5555'5555);
  a = ReverseGroups<uint32_t>(a, 2, 0x3333'3333);
  a = ReverseGroups<uint32_t>(a, 4, 0x0f0f'0f0f);
  a = ReverseGroups<uint32_t>(a, 8, 0x00ff'00ff);
  return a << 16 | a >> 16;
}
uint64_t Brev64Lane(uint64_t a) {
  return static_cast<uint64_t>(BrevLane(static_cast<uint32_t>(a))) << 32 |
         BrevLane(static_cast<uint32_t>(a >> 32));
}

template <typename T>
uint32_t ClzLane(T a) {
  return static_cast<uint32_t>(std::countl_zero(a));
}
/// The bits of each byte are counted in it, and their sum is the top byte of a product. Vectors
/// have no instruction for it.
template <typename T>
uint32_t PopcLane(T a) {
  constexpr T kOnes = static_cast<T>(~T{0} / 0xff);
  a = static_cast<T>(a - ((a >> 1) & (kOnes * 0x55)));
  a = static_cast<T>((a & (kOnes * 0x33)) + ((a >> 2) & (kOnes * 0x33)));
  a = static_cast<T>((a + (a >> 4)) & (kOnes * 0x0f));
  return static_cast<uint32_t>(static_cast<T>(a * kOnes) >> (8 * (sizeof(T) - 1)));
}

/// The place of the |offset|-th bit that is set, from bit `base` on upwards or downwards.
uint32_t FnsLane(uint32_t mask, uint32_t base, int32_t offset) {
  if (base >= 32) return kNotFound;
  if (offset == 0) return ((mask >> base) & 1) != 0 ? base : kNotFound;
  const int32_t step = offset > 0 ? 1 : -1;
  // At most 32 bits can be set; this keeps -2^31 from having no magnitude.
  int32_t left = offset > 0 ? std::min(offset, 33) : -std::max(offset, -33);
  for (int32_t place = static_cast<int32_t>(base); place >= 0 && place < 32; place += step) {
    if (((mask >> place) & 1) != 0 && --left == 0) return static_cast<uint32_t>(place);
  }
  return kNotFound;
}

/// Logic of predicates: of whole masks.
template <auto kFunction>
Step ExecuteMasks(const Operation& operation, Execution& execution) {
  const LaneMask a = execution.Predicate(operation.slots[1]);
  const LaneMask b = operation.slots[2] == kNoSlot ? 0 : execution.Predicate(operation.slots[2]);
  LaneMask& result = execution.Predicate(operation.slots[0]);
  result = (result & ~execution.lanes) | (kFunction(a, b) & execution.lanes);
  return Step::kNext;
}

template <auto kMask, auto k16, auto k32, auto k64>
absl::Status DecodeLogic(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type,
                                d.TakeType({Type::kPred, Type::kB16, Type::kB32, Type::kB64}));
  Execute execute = Lanewise<k32>();
  if (type == Type::kPred) execute = ExecuteMasks<kMask>;
  if (type == Type::kB16) execute = Lanewise<k16>();
  if (type == Type::kB64) execute = Lanewise<k64>();
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type});
}

absl::Status DecodeNot(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type,
                                d.TakeType({Type::kPred, Type::kB16, Type::kB32, Type::kB64}));
  Execute execute = ExecuteMasks<[](LaneMask a, LaneMask) { return ~a; }>;
  if (type != Type::kPred) {
    execute = VisitArithmeticInteger(type, []<typename T>() { return Lanewise<NotLane<T>>(); });
  }
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type});
}

absl::Status DecodeCnot(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kB16, Type::kB32, Type::kB64}));
  const Execute execute =
      VisitArithmeticInteger(type, []<typename T>() { return Lanewise<CnotLane<T>>(); });
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type});
}

absl::Status DecodeShl(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kB16, Type::kB32, Type::kB64}));
  const Execute execute =
      VisitArithmeticInteger(type, []<typename T>() { return Lanewise<ShlLane<T>>(); });
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, Type::kU32});
}

absl::Status DecodeShr(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(
      const Type type, d.TakeType({Type::kB16, Type::kB32, Type::kB64, Type::kU16, Type::kU32,
                                   Type::kU64, Type::kS16, Type::kS32, Type::kS64}));
  const Execute execute =
      VisitArithmeticInteger(type, []<typename T>() { return Lanewise<ShrLane<T>>(); });
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, Type::kU32});
}

absl::Status DecodeShf(InstructionDecoder& d) {
  const std::optional<int> direction = d.TakeOneOf({"l", "r"});
  const std::optional<int> mode = d.TakeOneOf({"wrap", "clamp"});
  if (!direction.has_value()) return d.Error("shf needs .l or .r");
  if (!mode.has_value()) return d.Error("shf needs .wrap or .clamp");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kB32}));
  Execute execute = nullptr;
  if (*direction == 0) {
    execute = *mode == 0 ? Lanewise<ShfLane<true, false>>() : Lanewise<ShfLane<true, true>>();
  } else {
    execute = *mode == 0 ? Lanewise<ShfLane<false, false>>() : Lanewise<ShfLane<false, true>>();
  }
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type, Type::kU32});
}

absl::Status DecodeBfe(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type,
                                d.TakeType({Type::kU32, Type::kU64, Type::kS32, Type::kS64}));
  Execute execute = WideLanewise<BfeLane<uint32_t>>();
  if (type == Type::kS32) execute = WideLanewise<BfeLane<int32_t>>();
  if (type == Type::kU64) execute = WideLanewise<BfeLane<uint64_t>>();
  if (type == Type::kS64) execute = WideLanewise<BfeLane<int64_t>>();
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, Type::kU32, Type::kU32});
}

absl::Status DecodeBfi(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kB32, Type::kB64}));
  const Execute execute =
      type == Type::kB32 ? WideLanewise<BfiLane<uint32_t>>() : WideLanewise<BfiLane<uint64_t>>();
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, type, Type::kU32, Type::kU32});
}

template <typename T>
Execute BfindExecute(bool shift_amount) {
  return shift_amount ? Lanewise<BfindLane<T, true>>() : Lanewise<BfindLane<T, false>>();
}

absl::Status DecodeBfind(InstructionDecoder& d) {
  const bool shift_amount = d.Take("shiftamt");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type,
                                d.TakeType({Type::kU32, Type::kU64, Type::kS32, Type::kS64}));
  Execute execute = BfindExecute<uint32_t>(shift_amount);
  if (type == Type::kS32) execute = BfindExecute<int32_t>(shift_amount);
  if (type == Type::kU64) execute = BfindExecute<uint64_t>(shift_amount);
  if (type == Type::kS64) execute = BfindExecute<int64_t>(shift_amount);
  return EmitElementwise(d, Pipe::kInteger, execute, Type::kU32, {type});
}

absl::Status DecodeBmsk(InstructionDecoder& d) {
  const std::optional<int> mode = d.TakeOneOf({"clamp", "wrap"});
  if (!mode.has_value()) return d.Error("bmsk needs .clamp or .wrap");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kB32}));
  return EmitElementwise(d, Pipe::kInteger,
                         *mode == 0 ? Lanewise<BmskLane<true>>() : Lanewise<BmskLane<false>>(),
                         type, {Type::kU32, Type::kU32});
}

absl::Status DecodeSzext(InstructionDecoder& d) {
  const std::optional<int> mode = d.TakeOneOf({"clamp", "wrap"});
  if (!mode.has_value()) return d.Error("szext needs .clamp or .wrap");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kU32, Type::kS32}));
  Execute execute = nullptr;
  if (type == Type::kS32) {
    execute =
        *mode == 0 ? Lanewise<SzextLane<int32_t, true>>() : Lanewise<SzextLane<int32_t, false>>();
  } else {
    execute =
        *mode == 0 ? Lanewise<SzextLane<uint32_t, true>>() : Lanewise<SzextLane<uint32_t, false>>();
  }
  return EmitElementwise(d, Pipe::kInteger, execute, type, {type, Type::kU32});
}

absl::Status DecodeBrev(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kB32, Type::kB64}));
  return EmitElementwise(d, Pipe::kInteger,
                         type == Type::kB32 ? WideLanewise<BrevLane>() : WideLanewise<Brev64Lane>(),
                         type, {type});
}

template <auto k32, auto k64>
absl::Status DecodeCount(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kB32, Type::kB64}));
  return EmitElementwise(d, Pipe::kInteger,
                         type == Type::kB32 ? WideLanewise<k32>() : WideLanewise<k64>(), Type::kU32,
                         {type});
}

absl::Status DecodeFns(InstructionDecoder& d) {
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kB32}).status());
  return EmitElementwise(d, Pipe::kInteger, Lanewise<FnsLane>(), Type::kU32,
                         {Type::kB32, Type::kU32, Type::kS32});
}

/// The bit of `table` for the bits of a, b and c, in all 32 places.
[[gnu::always_inline]] inline uint32_t Lookup(const std::array<uint32_t, 8>& table, uint32_t a,
                                              uint32_t b, uint32_t c) {
  const auto choose = [](uint32_t which, uint32_t one, uint32_t zero) {
    return zero ^ (which & (one ^ zero));
  };
  return choose(a, choose(b, choose(c, table[7], table[6]), choose(c, table[5], table[4])),
                choose(b, choose(c, table[3], table[2]), choose(c, table[1], table[0])));
}

/// Slots: result, a, b, c; with a Boolean operation, the predicates p and q. The immediate is the
/// table of the function, plus 256 for .or and 512 for .and.
Step ExecuteLop3(const Operation& operation, Execution& execution) {
  std::array<uint32_t, 8> table = {};
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = ((operation.immediate >> i) & 1) != 0 ? ~uint32_t{0} : 0;
  }
  const uint32_t* const a = execution.At<uint32_t>(operation.slots[1]);
  const uint32_t* const b = execution.At<uint32_t>(operation.slots[2]);
  const uint32_t* const c = execution.At<uint32_t>(operation.slots[3]);
  uint32_t* const result = execution.At<uint32_t>(operation.slots[0]);
  if (operation.immediate < 256 && execution.lanes == kAllLanes) {
    HLO_INDEXING_PTX_INDEPENDENT_LANES
    for (int lane = 0; lane < kWarpSize; ++lane) {
      result[lane] = Lookup(table, a[lane], b[lane], c[lane]);
    }
    return Step::kNext;
  }
  LaneMask not_zero = 0;
  ForEachLane(execution.lanes, [&](int lane) {
    result[lane] = Lookup(table, a[lane], b[lane], c[lane]);
    if (result[lane] != 0) not_zero |= LaneMask{1} << lane;
  });
  if (operation.immediate >= 256) {
    const LaneMask q = execution.Predicate(operation.slots[5]);
    const LaneMask value = operation.immediate < 512 ? not_zero | q : not_zero & q;
    LaneMask& p = execution.Predicate(operation.slots[4]);
    p = (p & ~execution.lanes) | (value & execution.lanes);
  }
  return Step::kNext;
}

absl::Status DecodeLop3(InstructionDecoder& d) {
  const std::optional<int> boolean = d.TakeOneOf({"or", "and"});
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kB32}));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(boolean.has_value() ? 6 : 5));
  Operation operation;
  operation.execute = ExecuteLop3;
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.immediate, d.Constant(4));
  if (operation.immediate < 0 || operation.immediate > 255) {
    return d.OperandError(4, "the table of lop3 is a number from 0 to 255");
  }
  const syntax::Operand* result = &d.operand(0);
  if (boolean.has_value()) {
    if (result->kind != syntax::OperandKind::kPredicatePair || result->elements.size() != 2) {
      return d.OperandError(0, "lop3 with a Boolean operation has the results d|p");
    }
    if (result->elements[1].kind == syntax::OperandKind::kSink) {
      return d.OperandError(0, "the predicate of lop3 cannot be left away");
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[4],
                                  d.Destination(result->elements[1], Type::kPred));
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[5], d.PredicateSource(d.operand(5)));
    result = result->elements.data();
    operation.immediate += *boolean == 0 ? 256 : 512;
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Destination(*result, type));
  for (int i = 1; i <= 3; ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[static_cast<size_t>(i)], d.Source(i, type));
  }
  return d.Emit(std::move(operation));
}

template <typename T>
constexpr auto kAnd = AndLane<T>;
template <typename T>
constexpr auto kOr = OrLane<T>;
template <typename T>
constexpr auto kXor = XorLane<T>;

constexpr std::array<OpcodeRow, 18> kRows = {{
    {"and", DecodeLogic<kAnd<uint32_t>, kAnd<uint16_t>, kAnd<uint32_t>, kAnd<uint64_t>>},
    {"or", DecodeLogic<kOr<uint32_t>, kOr<uint16_t>, kOr<uint32_t>, kOr<uint64_t>>},
    {"xor", DecodeLogic<kXor<uint32_t>, kXor<uint16_t>, kXor<uint32_t>, kXor<uint64_t>>},
    {"not", DecodeNot},
    {"cnot", DecodeCnot},
    {"lop3", DecodeLop3},
    {"shl", DecodeShl},
    {"shr", DecodeShr},
    {"shf", DecodeShf},
    {"bfe", DecodeBfe},
    {"bfi", DecodeBfi},
    {"bfind", DecodeBfind},
    {"bmsk", DecodeBmsk},
    {"szext", DecodeSzext},
    {"brev", DecodeBrev},
    {"clz", DecodeCount<ClzLane<uint32_t>, ClzLane<uint64_t>>},
    {"popc", DecodeCount<PopcLane<uint32_t>, PopcLane<uint64_t>>},
    {"fns", DecodeFns},
}};

}  // namespace

std::span<const OpcodeRow> BitOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
