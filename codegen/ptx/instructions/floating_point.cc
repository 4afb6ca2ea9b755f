// Arithmetic of f32, f32x2 and f64 (PTX ISA 9.7.3): add, sub, mul, fma, mad, div, min, max, abs,
// neg; add, sub and fma of f32 with f16 or bf16 sources (9.7.5). Functions of one operand are in
// floating_point_functions.cc.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/arithmetic.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/instructions/rounding_modifiers.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/approximate.h"
#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/f32.h"
#include "codegen/ptx/numerics/f64.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

using numerics::MinMaxModifiers;
using numerics::Modifiers;
using numerics::Rounding;

template <Arithmetic kOperation, Modifiers kModifiers>
float F32Lane(float a, float b) {
  if constexpr (kOperation == Arithmetic::kAdd) return numerics::Add<kModifiers>(a, b);
  if constexpr (kOperation == Arithmetic::kSub) return numerics::Sub<kModifiers>(a, b);
  if constexpr (kOperation == Arithmetic::kMul) return numerics::Mul<kModifiers>(a, b);
  return numerics::Div<kModifiers>(a, b);
}

template <Modifiers kModifiers>
float F32FmaLane(float a, float b, float c) {
  return numerics::Fma<kModifiers>(a, b, c);
}

/// fma as one instruction of the host, where it has one. With .ftz, right if IsFlushedByValue.
template <bool kFlush, bool kSaturate>
float HostFmaLane(float a, float b, float c) {
  const auto flushed = [](float value) { return kFlush ? numerics::FlushSubnormal(value) : value; };
  const float result = flushed(std::fma(flushed(a), flushed(b), flushed(c)));
  return kSaturate ? numerics::Saturate(result) : numerics::Canonical(result);
}

/// Whether .ftz flushes this fma as its rounded value says. What is rounded to the least normal
/// number may have been below it, with the exponent unbounded. (A mask, as vectors have them.)
uint32_t IsFlushedByValue(float a, float b, float c) {
  const float result = std::fma(numerics::FlushSubnormal(a), numerics::FlushSubnormal(b),
                                numerics::FlushSubnormal(c));
  return numerics::Magnitude(result) == 0x1p-126F ? 0 : ~uint32_t{0};
}

inline float LowFloat(uint64_t pair) { return numerics::FloatOf(static_cast<uint32_t>(pair)); }
inline float HighFloat(uint64_t pair) {
  return numerics::FloatOf(static_cast<uint32_t>(pair >> 32));
}
inline uint64_t PairOf(float low, float high) {
  return static_cast<uint64_t>(numerics::BitsOf(high)) << 32 | numerics::BitsOf(low);
}

template <Arithmetic kOperation, Modifiers kModifiers>
uint64_t F32x2Lane(uint64_t a, uint64_t b) {
  return PairOf(F32Lane<kOperation, kModifiers>(LowFloat(a), LowFloat(b)),
                F32Lane<kOperation, kModifiers>(HighFloat(a), HighFloat(b)));
}

template <Modifiers kModifiers>
uint64_t F32x2FmaLane(uint64_t a, uint64_t b, uint64_t c) {
  return PairOf(numerics::Fma<kModifiers>(LowFloat(a), LowFloat(b), LowFloat(c)),
                numerics::Fma<kModifiers>(HighFloat(a), HighFloat(b), HighFloat(c)));
}

uint64_t HostF32x2FmaLane(uint64_t a, uint64_t b, uint64_t c) {
  return PairOf(HostFmaLane<false, false>(LowFloat(a), LowFloat(b), LowFloat(c)),
                HostFmaLane<false, false>(HighFloat(a), HighFloat(b), HighFloat(c)));
}

template <Arithmetic kOperation>
double F64Lane(double a, double b) {
  if constexpr (kOperation == Arithmetic::kAdd) return numerics::Add(a, b);
  if constexpr (kOperation == Arithmetic::kSub) return numerics::Sub(a, b);
  if constexpr (kOperation == Arithmetic::kMul) return numerics::Mul(a, b);
  return numerics::Div(a, b);
}

double F64FmaLane(double a, double b, double c) { return numerics::Fma(a, b, c); }

template <Arithmetic kOperation>
Execute F32Execute(const Modifiers& modifiers) {
  return numerics::Specialize(modifiers, [](auto constant) -> Execute {
    constexpr Modifiers kModifiers = decltype(constant)::kModifiers;
    if constexpr (kOperation == Arithmetic::kFma) {
      constexpr auto kHostFma = HostFmaLane<kModifiers.flush, kModifiers.saturate>;
      if (HasWideVectors()) {
        return kModifiers.flush ? RoundedLanewiseIf<kHostFma, IsFlushedByValue,
                                                    F32FmaLane<kModifiers>, kModifiers.rounding>()
                                : RoundedLanewise<kHostFma, kModifiers.rounding>();
      }
      return RoundedLanewise<F32FmaLane<kModifiers>, kModifiers.rounding>();
    } else if constexpr (kModifiers.rounding == Rounding::kNearestEven && !kModifiers.flush) {
      return Lanewise<F32Lane<kOperation, kModifiers>>();
    } else {
      return RoundedLanewise<F32Lane<kOperation, kModifiers>, kModifiers.rounding>();
    }
  });
}

/// f32x2 has no .sat.
template <Arithmetic kOperation>
Execute F32x2Execute(const Modifiers& modifiers) {
  return numerics::Specialize(modifiers, [](auto constant) -> Execute {
    constexpr Modifiers kModifiers = decltype(constant)::kModifiers;
    if constexpr (kModifiers.saturate) {
      return nullptr;
    } else if constexpr (kOperation == Arithmetic::kFma) {
      if (HasWideVectors() && !kModifiers.flush) {
        return RoundedLanewise<HostF32x2FmaLane, kModifiers.rounding>();
      }
      return RoundedLanewise<F32x2FmaLane<kModifiers>, kModifiers.rounding>();
    } else {
      return RoundedLanewise<F32x2Lane<kOperation, kModifiers>, kModifiers.rounding>();
    }
  });
}

template <Arithmetic kOperation>
Execute F64Execute(Rounding rounding) {
  if constexpr (kOperation == Arithmetic::kFma) return RoundedLanewise<F64FmaLane>(rounding);
  return RoundedLanewise<F64Lane<kOperation>>(rounding);
}

Pipe PipeOf(Type type) { return type == Type::kF64 ? Pipe::kDouble : Pipe::kFloat; }

template <typename Half>
float ExtendLane(Half value) {
  return numerics::ToFloat(value);
}

/// Of `add.f32.f16`: sources of the narrow type are extended, which is exact.
absl::Status DecodeMixed(InstructionDecoder& d, Execute execute, Type narrow, int num_narrow,
                         int num_sources) {
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(num_sources + 1));
  Operation operation;
  operation.execute = execute;
  operation.pipe = Pipe::kFloat;
  for (int i = 1; i <= num_sources; ++i) {
    Slot& slot = operation.slots[static_cast<size_t>(i)];
    if (i > num_narrow) {
      HLO_INDEXING_ASSIGN_OR_RETURN(slot, d.Source(i, Type::kF32));
      continue;
    }
    Operation extend;
    extend.pipe = Pipe::kConversion;
    extend.execute = narrow == Type::kF16 ? Lanewise<ExtendLane<numerics::F16>>()
                                          : Lanewise<ExtendLane<numerics::Bf16>>();
    HLO_INDEXING_ASSIGN_OR_RETURN(extend.slots[1], d.Source(i, narrow));
    extend.slots[0] = slot = d.Scratch(Type::kF32);
    HLO_INDEXING_RETURN_IF_ERROR(d.Emit(std::move(extend), /*is_last=*/false));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Destination(0, Type::kF32));
  return d.Emit(std::move(operation));
}

/// Rounding, .ftz and .sat as far as the type has them.
absl::StatusOr<Modifiers> TakeModifiers(InstructionDecoder& d, Type type, bool needs_rounding) {
  Modifiers modifiers;
  const std::optional<Rounding> rounding = TakeRounding(d);
  if (!rounding.has_value() && needs_rounding) {
    return d.Error("this instruction needs .rn, .rz, .rm or .rp");
  }
  modifiers.rounding = rounding.value_or(Rounding::kNearestEven);
  if (type != Type::kF64) modifiers.flush = d.Take("ftz");
  return modifiers;
}

template <Arithmetic kOperation>
absl::Status DecodeBinary(InstructionDecoder& d, Type type) {
  HLO_INDEXING_ASSIGN_OR_RETURN(Modifiers modifiers, TakeModifiers(d, type, false));
  if (type == Type::kF32) {
    modifiers.saturate = d.Take("sat");
    if constexpr (kOperation != Arithmetic::kMul) {
      HLO_INDEXING_ASSIGN_OR_RETURN(const std::optional<Type> narrow,
                                    d.TakeOptionalType({Type::kF16, Type::kBf16}));
      if (narrow.has_value()) {
        if (modifiers.flush) return d.ModifierError("ftz");
        return DecodeMixed(d, F32Execute<kOperation>(modifiers), *narrow, 1, 2);
      }
    }
  }
  const Execute execute = type == Type::kF32     ? F32Execute<kOperation>(modifiers)
                          : type == Type::kF32x2 ? F32x2Execute<kOperation>(modifiers)
                                                 : F64Execute<kOperation>(modifiers.rounding);
  return EmitElementwise(d, PipeOf(type), execute, type, {type, type});
}

absl::Status DecodeFma(InstructionDecoder& d, Type type, bool is_mad) {
  if (is_mad && type == Type::kF32x2) return d.ModifierError(NameOf(type));
  HLO_INDEXING_ASSIGN_OR_RETURN(Modifiers modifiers,
                                TakeModifiers(d, type, /*needs_rounding=*/true));
  if (type == Type::kF32) {
    modifiers.saturate = d.Take("sat");
    if (!is_mad) {
      HLO_INDEXING_ASSIGN_OR_RETURN(const std::optional<Type> narrow,
                                    d.TakeOptionalType({Type::kF16, Type::kBf16}));
      if (narrow.has_value()) {
        if (modifiers.flush) return d.ModifierError("ftz");
        return DecodeMixed(d, F32Execute<Arithmetic::kFma>(modifiers), *narrow, 2, 3);
      }
    }
  }
  const Execute execute = type == Type::kF32     ? F32Execute<Arithmetic::kFma>(modifiers)
                          : type == Type::kF32x2 ? F32x2Execute<Arithmetic::kFma>(modifiers)
                                                 : F64Execute<Arithmetic::kFma>(modifiers.rounding);
  return EmitElementwise(d, PipeOf(type), execute, type, {type, type, type});
}

template <bool kFlush>
float DivApproxLane(float a, float b) {
  return numerics::DivApprox(a, b, kFlush);
}
template <bool kFlush>
float DivFullLane(float a, float b) {
  return numerics::DivFull(a, b, kFlush);
}

absl::Status DecodeDiv(InstructionDecoder& d, Type type) {
  if (type == Type::kF32x2) return d.ModifierError(NameOf(type));
  const std::optional<int> kind =
      type == Type::kF32 ? d.TakeOneOf({"approx", "full"}) : std::nullopt;
  if (kind.has_value()) {
    const bool flush = d.Take("ftz");
    const Execute approximate =
        flush ? WideLanewise<DivApproxLane<true>>() : WideLanewise<DivApproxLane<false>>();
    const Execute full =
        flush ? WideLanewise<DivFullLane<true>>() : WideLanewise<DivFullLane<false>>();
    return EmitElementwise(d, Pipe::kSpecialFunction, *kind == 0 ? approximate : full, type,
                           {type, type});
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const Modifiers modifiers,
                                TakeModifiers(d, type, /*needs_rounding=*/true));
  const Execute execute = type == Type::kF32 ? F32Execute<Arithmetic::kDiv>(modifiers)
                                             : F64Execute<Arithmetic::kDiv>(modifiers.rounding);
  return EmitElementwise(d, PipeOf(type), execute, type, {type, type});
}

template <bool kIsMax, MinMaxModifiers kModifiers>
float MinMaxLane(float a, float b) {
  return kIsMax ? numerics::Max<kModifiers>(a, b) : numerics::Min<kModifiers>(a, b);
}
template <bool kIsMax, MinMaxModifiers kModifiers>
float MinMax3Lane(float a, float b, float c) {
  return kIsMax ? numerics::Max<kModifiers>(a, b, c) : numerics::Min<kModifiers>(a, b, c);
}
template <bool kIsMax>
double MinMaxF64Lane(double a, double b) {
  return kIsMax ? numerics::Max(a, b) : numerics::Min(a, b);
}

template <bool kIsMax, bool kFlush, bool kNan>
Execute MinMaxExecute(bool absolute, bool three) {
  constexpr MinMaxModifiers kPlain = {.flush = kFlush, .propagate_nan = kNan};
  constexpr MinMaxModifiers kAbsolute = {.flush = kFlush, .propagate_nan = kNan, .absolute = true};
  constexpr MinMaxModifiers kXorSign = {
      .flush = kFlush, .propagate_nan = kNan, .absolute = true, .xor_sign = true};
  if (three) {
    return absolute ? Lanewise<MinMax3Lane<kIsMax, kAbsolute>>()
                    : Lanewise<MinMax3Lane<kIsMax, kPlain>>();
  }
  return absolute ? Lanewise<MinMaxLane<kIsMax, kXorSign>>()
                  : Lanewise<MinMaxLane<kIsMax, kPlain>>();
}

template <bool kIsMax>
absl::Status DecodeMinMax(InstructionDecoder& d, Type type) {
  if (type == Type::kF64) {
    return EmitElementwise(d, Pipe::kDouble, Lanewise<MinMaxF64Lane<kIsMax>>(), type, {type, type});
  }
  if (type != Type::kF32) return d.ModifierError(NameOf(type));
  const bool flush = d.Take("ftz");
  const bool nan = d.Take("NaN");
  const bool three = d.num_operands() == 4;
  const bool xor_sign = !three && d.Take("xorsign");
  const bool absolute = (three || xor_sign) && d.Take("abs");
  if (xor_sign && !absolute) return d.ModifierError("xorsign");
  Execute execute = nullptr;
  if (flush) {
    execute = nan ? MinMaxExecute<kIsMax, true, true>(absolute, three)
                  : MinMaxExecute<kIsMax, true, false>(absolute, three);
  } else {
    execute = nan ? MinMaxExecute<kIsMax, false, true>(absolute, three)
                  : MinMaxExecute<kIsMax, false, false>(absolute, three);
  }
  if (three) return EmitElementwise(d, Pipe::kFloat, execute, type, {type, type, type});
  return EmitElementwise(d, Pipe::kFloat, execute, type, {type, type});
}

template <typename T, bool kFlush>
T AbsLane(T value) {
  if constexpr (kFlush) value = numerics::FlushSubnormal(value);
  return numerics::Absolute(value);
}
template <typename T, bool kFlush>
T NegLane(T value) {
  if constexpr (kFlush) value = numerics::FlushSubnormal(value);
  return numerics::Negate(value);
}

absl::Status DecodeAbsNeg(InstructionDecoder& d, Type type, bool is_neg) {
  if (type == Type::kF64) {
    return EmitElementwise(
        d, Pipe::kDouble,
        is_neg ? Lanewise<NegLane<double, false>>() : Lanewise<AbsLane<double, false>>(), type,
        {type});
  }
  if (type != Type::kF32) return d.ModifierError(NameOf(type));
  Execute execute = is_neg ? Lanewise<NegLane<float, false>>() : Lanewise<AbsLane<float, false>>();
  if (d.Take("ftz")) {
    execute = is_neg ? Lanewise<NegLane<float, true>>() : Lanewise<AbsLane<float, true>>();
  }
  return EmitElementwise(d, Pipe::kFloat, execute, type, {type});
}

}  // namespace

absl::Status DecodeFloatArithmetic(InstructionDecoder& d, Arithmetic operation, Type type) {
  switch (operation) {
    case Arithmetic::kAdd:
      return DecodeBinary<Arithmetic::kAdd>(d, type);
    case Arithmetic::kSub:
      return DecodeBinary<Arithmetic::kSub>(d, type);
    case Arithmetic::kMul:
      return DecodeBinary<Arithmetic::kMul>(d, type);
    case Arithmetic::kMad:
      return DecodeFma(d, type, /*is_mad=*/true);
    case Arithmetic::kFma:
      return DecodeFma(d, type, /*is_mad=*/false);
    case Arithmetic::kDiv:
      return DecodeDiv(d, type);
    case Arithmetic::kMin:
      return DecodeMinMax<false>(d, type);
    case Arithmetic::kMax:
      return DecodeMinMax<true>(d, type);
    case Arithmetic::kAbs:
      return DecodeAbsNeg(d, type, false);
    case Arithmetic::kNeg:
      return DecodeAbsNeg(d, type, true);
  }
  return d.ModifierError(NameOf(type));
}

}  // namespace hlo_indexing::ptx
