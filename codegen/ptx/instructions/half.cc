// Arithmetic of f16, bf16 and the packed f16x2 and bf16x2 (PTX ISA 9.7.4).
#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/arithmetic.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/instructions/half_vectors.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/approximate.h"
#include "codegen/ptx/numerics/convert.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

using numerics::Bf16;
using numerics::F16;
using numerics::HalfScalar;
using numerics::LowerHalf;
using numerics::MinMaxModifiers;
using numerics::Modifiers;
using numerics::UpperHalf;

/// A function of halves on both halves of a register.
template <auto kFunction, HalfScalar Half>
uint32_t PackedLane(uint32_t a) {
  return numerics::Pack<Half>(kFunction(UpperHalf<Half>(a)), kFunction(LowerHalf<Half>(a)));
}
template <auto kFunction, HalfScalar Half>
uint32_t PackedLane2(uint32_t a, uint32_t b) {
  return numerics::Pack<Half>(kFunction(UpperHalf<Half>(a), UpperHalf<Half>(b)),
                              kFunction(LowerHalf<Half>(a), LowerHalf<Half>(b)));
}
template <auto kFunction, HalfScalar Half>
uint32_t PackedLane3(uint32_t a, uint32_t b, uint32_t c) {
  return numerics::Pack<Half>(
      kFunction(UpperHalf<Half>(a), UpperHalf<Half>(b), UpperHalf<Half>(c)),
      kFunction(LowerHalf<Half>(a), LowerHalf<Half>(b), LowerHalf<Half>(c)));
}

bool IsPacked(Type type) { return type == Type::kF16x2 || type == Type::kBf16x2; }
bool IsF16(Type type) { return type == Type::kF16 || type == Type::kF16x2; }

template <auto kFunction, HalfScalar Half>
Execute Unary(Type type) {
  return IsPacked(type) ? Lanewise<PackedLane<kFunction, Half>>() : Lanewise<kFunction>();
}
template <auto kFunction, HalfScalar Half>
Execute Binary(Type type) {
  return IsPacked(type) ? WideLanewise<PackedLane2<kFunction, Half>>() : WideLanewise<kFunction>();
}
template <auto kFunction, HalfScalar Half>
Execute Ternary(Type type) {
  return IsPacked(type) ? WideLanewise<PackedLane3<kFunction, Half>>() : WideLanewise<kFunction>();
}

template <Arithmetic kOperation, HalfScalar Half, Modifiers kModifiers>
Half BinaryLane(Half a, Half b) {
  if constexpr (kOperation == Arithmetic::kAdd) return numerics::Add<Half, kModifiers>(a, b);
  if constexpr (kOperation == Arithmetic::kSub) return numerics::Sub<Half, kModifiers>(a, b);
  return numerics::Mul<Half, kModifiers>(a, b);
}
template <HalfScalar Half, Modifiers kModifiers>
Half FmaLane(Half a, Half b, Half c) {
  return numerics::Fma<Half, kModifiers>(a, b, c);
}

template <Arithmetic kOperation, Modifiers kModifiers>
Execute F16Binary(Type type) {
  return Binary<BinaryLane<kOperation, F16, kModifiers>, F16>(type);
}

/// .rn may be left out.
template <Arithmetic kOperation>
absl::Status DecodeBinary(InstructionDecoder& d, Type type) {
  d.Take("rn");
  Execute execute = nullptr;
  if (IsF16(type)) {
    const bool saturate = d.Take("sat");
    if (d.Take("ftz")) {
      execute = saturate ? F16Binary<kOperation, Modifiers{.flush = true, .saturate = true}>(type)
                         : F16Binary<kOperation, Modifiers{.flush = true}>(type);
    } else {
      execute = saturate ? F16Binary<kOperation, Modifiers{.saturate = true}>(type)
                         : F16Binary<kOperation, Modifiers{}>(type);
    }
  } else {
    execute = Binary<BinaryLane<kOperation, Bf16, Modifiers{}>, Bf16>(type);
  }
  return EmitElementwise(d, Pipe::kHalf, execute, type, {type, type});
}

template <Modifiers kModifiers>
Bf16 FloatFmaLane(Bf16 a, Bf16 b, Bf16 c) {
  return numerics::FmaOfFloatProduct<kModifiers>(a, b, c);
}
uint32_t IsFloatFma(Bf16 a, Bf16 b, Bf16 /*c*/) { return numerics::IsFloatProduct(a, b); }
uint32_t IsPackedFloatFma(uint32_t a, uint32_t b, uint32_t /*c*/) {
  return numerics::IsFloatProduct(UpperHalf<Bf16>(a), UpperHalf<Bf16>(b)) &
         numerics::IsFloatProduct(LowerHalf<Bf16>(a), LowerHalf<Bf16>(b));
}

template <Modifiers kModifiers>
F16 FiniteFmaLane(F16 a, F16 b, F16 c) {
  return numerics::FmaOfFinite<kModifiers>(a, b, c);
}
uint32_t IsFiniteFma(F16 a, F16 b, F16 /*c*/) { return numerics::AreFinite(a.bits, b.bits); }
uint32_t IsPackedFiniteFma(uint32_t a, uint32_t b, uint32_t /*c*/) {
  return numerics::AreFinite(a, b);
}

template <Modifiers kModifiers>
Execute PackedF16Fma() {
#if HLO_INDEXING_PTX_HAS_WIDE_VECTORS
  if constexpr (!kModifiers.saturate) {
    if (internal::HasHalfVectors()) {
      constexpr Execute kElse = internal::ExecuteLanes<PackedLane3<FmaLane<F16, kModifiers>, F16>>;
      return internal::FmaF16x2<kModifiers, kElse>;
    }
  }
#endif
  return WideLanewiseIf<PackedLane3<FiniteFmaLane<kModifiers>, F16>, IsPackedFiniteFma,
                        PackedLane3<FmaLane<F16, kModifiers>, F16>>();
}

template <HalfScalar Half, Modifiers kModifiers>
Execute Fma(Type type) {
  if constexpr (std::same_as<Half, F16> && !kModifiers.out_of_bounds) {
    if (!IsPacked(type)) {
      return WideLanewiseIf<FiniteFmaLane<kModifiers>, IsFiniteFma, FmaLane<F16, kModifiers>>();
    }
    return PackedF16Fma<kModifiers>();
  } else if constexpr (std::same_as<Half, Bf16> && !kModifiers.out_of_bounds) {
    if (!IsPacked(type)) {
      return WideLanewiseIf<FloatFmaLane<kModifiers>, IsFloatFma, FmaLane<Bf16, kModifiers>>();
    }
    return WideLanewiseIf<PackedLane3<FloatFmaLane<kModifiers>, Bf16>, IsPackedFloatFma,
                          PackedLane3<FmaLane<Bf16, kModifiers>, Bf16>>();
  } else {
    return Ternary<FmaLane<Half, kModifiers>, Half>(type);
  }
}

absl::Status DecodeFma(InstructionDecoder& d, Type type) {
  if (!d.Take("rn")) return d.Error("fma of halves needs .rn");
  const bool relu = d.Take("relu");
  Execute execute = nullptr;
  if (d.Take("oob")) {
    constexpr Modifiers kOob = {.out_of_bounds = true};
    constexpr Modifiers kOobRelu = {.relu = true, .out_of_bounds = true};
    if (IsF16(type)) {
      execute = relu ? Fma<F16, kOobRelu>(type) : Fma<F16, kOob>(type);
    } else {
      execute = relu ? Fma<Bf16, kOobRelu>(type) : Fma<Bf16, kOob>(type);
    }
  } else if (!IsF16(type)) {
    execute = relu ? Fma<Bf16, Modifiers{.relu = true}>(type) : Fma<Bf16, Modifiers{}>(type);
  } else {
    const bool flush = d.Take("ftz");
    const bool saturate = !relu && d.Take("sat");
    if (flush) {
      execute = relu       ? Fma<F16, Modifiers{.flush = true, .relu = true}>(type)
                : saturate ? Fma<F16, Modifiers{.flush = true, .saturate = true}>(type)
                           : Fma<F16, Modifiers{.flush = true}>(type);
    } else {
      execute = relu       ? Fma<F16, Modifiers{.relu = true}>(type)
                : saturate ? Fma<F16, Modifiers{.saturate = true}>(type)
                           : Fma<F16, Modifiers{}>(type);
    }
  }
  return EmitElementwise(d, Pipe::kHalf, execute, type, {type, type, type});
}

template <bool kIsMax, HalfScalar Half, MinMaxModifiers kModifiers>
Half MinMaxLane(Half a, Half b) {
  return kIsMax ? numerics::Max<Half, kModifiers>(a, b) : numerics::Min<Half, kModifiers>(a, b);
}

template <bool kIsMax, HalfScalar Half, bool kFlush>
Execute MinMaxExecute(Type type, bool nan, bool xor_sign) {
  constexpr MinMaxModifiers kPlain = {.flush = kFlush};
  constexpr MinMaxModifiers kNan = {.flush = kFlush, .propagate_nan = true};
  constexpr MinMaxModifiers kXorSign = {.flush = kFlush, .absolute = true, .xor_sign = true};
  constexpr MinMaxModifiers kBoth = {
      .flush = kFlush, .propagate_nan = true, .absolute = true, .xor_sign = true};
  if (nan) {
    return xor_sign ? Binary<MinMaxLane<kIsMax, Half, kBoth>, Half>(type)
                    : Binary<MinMaxLane<kIsMax, Half, kNan>, Half>(type);
  }
  return xor_sign ? Binary<MinMaxLane<kIsMax, Half, kXorSign>, Half>(type)
                  : Binary<MinMaxLane<kIsMax, Half, kPlain>, Half>(type);
}

template <bool kIsMax>
absl::Status DecodeMinMax(InstructionDecoder& d, Type type) {
  const bool nan = d.Take("NaN");
  const bool xor_sign = d.Take("xorsign");
  if (xor_sign && !d.Take("abs")) return d.ModifierError("xorsign");
  Execute execute = nullptr;
  if (!IsF16(type)) {
    execute = MinMaxExecute<kIsMax, Bf16, false>(type, nan, xor_sign);
  } else {
    execute = d.Take("ftz") ? MinMaxExecute<kIsMax, F16, true>(type, nan, xor_sign)
                            : MinMaxExecute<kIsMax, F16, false>(type, nan, xor_sign);
  }
  return EmitElementwise(d, Pipe::kHalf, execute, type, {type, type});
}

template <HalfScalar Half, bool kFlush, bool kIsNeg>
Half SignLane(Half value) {
  const Half input = kFlush ? numerics::FlushSubnormal(value) : value;
  return kIsNeg ? numerics::Negate(input) : numerics::Absolute(input);
}

template <bool kIsNeg>
absl::Status DecodeSign(InstructionDecoder& d, Type type) {
  Execute execute = nullptr;
  if (!IsF16(type)) {
    execute = Unary<SignLane<Bf16, false, kIsNeg>, Bf16>(type);
  } else {
    execute = d.Take("ftz") ? Unary<SignLane<F16, true, kIsNeg>, F16>(type)
                            : Unary<SignLane<F16, false, kIsNeg>, F16>(type);
  }
  return EmitElementwise(d, Pipe::kHalf, execute, type, {type});
}

/// What a function of halves gives for each of the 65536.
struct HalfTable : OperationDetails {
  std::array<uint16_t, 65536> values;
};

template <HalfScalar Half, auto kFunction>
std::shared_ptr<const HalfTable> TableOf() {
  static const std::shared_ptr<const HalfTable> kTable = [] {
    auto table = std::make_shared<HalfTable>();
    for (uint32_t bits = 0; bits < table->values.size(); ++bits) {
      table->values[bits] = kFunction(Half{static_cast<uint16_t>(bits)}).bits;
    }
    return table;
  }();
  return kTable;
}

/// Slots: result, source. Looks both up in the upper and the lower half; of halves that are not
/// packed the upper ones are zeros.
template <bool kIsPacked>
Step ExecuteTable(const Operation& operation, Execution& execution) {
  const auto& values = operation.Details<HalfTable>().values;
  const uint32_t* const source = execution.At<uint32_t>(operation.slots[1]);
  uint32_t* const result = execution.At<uint32_t>(operation.slots[0]);
  ForEachLane(execution.lanes, [&](int lane) {
    const uint32_t upper = kIsPacked ? uint32_t{values[source[lane] >> 16]} << 16 : 0;
    result[lane] = values[source[lane] & 0xffff] | upper;
  });
  return Step::kNext;
}

template <HalfScalar Half>
Half Ex2Half(Half value) {
  return numerics::Ex2Approx(value);
}
template <HalfScalar Half>
Half TanhHalf(Half value) {
  return numerics::TanhApprox(value);
}

}  // namespace

absl::Status DecodeHalfArithmetic(InstructionDecoder& d, Arithmetic operation, Type type) {
  switch (operation) {
    case Arithmetic::kAdd:
      return DecodeBinary<Arithmetic::kAdd>(d, type);
    case Arithmetic::kSub:
      return DecodeBinary<Arithmetic::kSub>(d, type);
    case Arithmetic::kMul:
      return DecodeBinary<Arithmetic::kMul>(d, type);
    case Arithmetic::kFma:
      return DecodeFma(d, type);
    case Arithmetic::kMin:
      return DecodeMinMax<false>(d, type);
    case Arithmetic::kMax:
      return DecodeMinMax<true>(d, type);
    case Arithmetic::kAbs:
      return DecodeSign<false>(d, type);
    case Arithmetic::kNeg:
      return DecodeSign<true>(d, type);
    case Arithmetic::kMad:
    case Arithmetic::kDiv:
      break;
  }
  return d.ModifierError(NameOf(type));
}

absl::Status DecodeHalfFunction(InstructionDecoder& d, Type type) {
  if (!d.Take("approx")) return d.Error("this instruction needs .approx");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  Operation operation;
  operation.execute = IsPacked(type) ? ExecuteTable<true> : ExecuteTable<false>;
  operation.pipe = Pipe::kSpecialFunction;
  if (d.opcode() == "ex2") {
    if (!IsF16(type) && !d.Take("ftz")) return d.Error("ex2 of bf16 needs .ftz");
    operation.details = IsF16(type) ? TableOf<F16, Ex2Half<F16>>() : TableOf<Bf16, Ex2Half<Bf16>>();
  } else {
    operation.details =
        IsF16(type) ? TableOf<F16, TanhHalf<F16>>() : TableOf<Bf16, TanhHalf<Bf16>>();
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Destination(0, type));
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[1], d.Source(1, type));
  return d.Emit(std::move(operation));
}

// All opcodes of halves are those of other types too; their rows are there.
std::span<const OpcodeRow> HalfOpcodes() { return {}; }

}  // namespace hlo_indexing::ptx
