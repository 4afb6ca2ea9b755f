// Functions of floating-point numbers: rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh, copysign, testp
// (PTX ISA 9.7.3, 9.7.4).
#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/arithmetic.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/instructions/rounding_modifiers.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/approximate.h"
#include "codegen/ptx/numerics/bits.h"
#include "codegen/ptx/numerics/f32.h"
#include "codegen/ptx/numerics/f64.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

using numerics::FloatClass;
using numerics::Modifiers;
using numerics::Rounding;

template <auto kFunction, bool kFlush>
float ApproximateLane(float value) {
  return kFunction(value, kFlush);
}

/// An approximate function of f32, `{.ftz}`; the modifiers but .ftz were taken.
template <auto kFunction>
absl::Status EmitApproximate(InstructionDecoder& d) {
  const Execute execute = d.Take("ftz") ? WideLanewise<ApproximateLane<kFunction, true>>()
                                        : WideLanewise<ApproximateLane<kFunction, false>>();
  return EmitElementwise(d, Pipe::kSpecialFunction, execute, Type::kF32, {Type::kF32});
}

absl::Status NeedsApprox(InstructionDecoder& d) {
  return d.Error("this instruction needs .approx");
}

template <auto kFunction>
absl::Status DecodeApproximate(InstructionDecoder& d) {
  if (!d.Take("approx")) return NeedsApprox(d);
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kF32}).status());
  return EmitApproximate<kFunction>(d);
}

/// sin and cos, of small angles with vectors.
template <auto kFunction, auto kOfSmall>
absl::Status DecodeCircular(InstructionDecoder& d) {
  if (!d.Take("approx")) return NeedsApprox(d);
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kF32}).status());
  const Execute execute =
      d.Take("ftz") ? WideLanewiseIf<ApproximateLane<kOfSmall, true>, numerics::IsSmallAngle,
                                     ApproximateLane<kFunction, true>>()
                    : WideLanewiseIf<ApproximateLane<kOfSmall, false>, numerics::IsSmallAngle,
                                     ApproximateLane<kFunction, false>>();
  return EmitElementwise(d, Pipe::kSpecialFunction, execute, Type::kF32, {Type::kF32});
}

enum class Exact : uint8_t { kRcp, kSqrt };

template <Exact kFunction, Modifiers kModifiers>
float ExactLane(float value) {
  return kFunction == Exact::kRcp ? numerics::Rcp<kModifiers>(value)
                                  : numerics::Sqrt<kModifiers>(value);
}
template <Exact kFunction>
double ExactF64Lane(double value) {
  return kFunction == Exact::kRcp ? numerics::Rcp(value) : numerics::Sqrt(value);
}

/// rcp and sqrt with a rounding mode.
template <Exact kFunction>
absl::Status DecodeExact(InstructionDecoder& d, Type type) {
  const std::optional<Rounding> rounding = TakeRounding(d);
  if (!rounding.has_value()) return d.Error("needs .approx, .rn, .rz, .rm or .rp");
  const bool is_f64 = type == Type::kF64;
  if (is_f64) {
    return EmitElementwise(d, Pipe::kDouble, RoundedLanewise<ExactF64Lane<kFunction>>(*rounding),
                           type, {type});
  }
  const Modifiers modifiers = {.rounding = *rounding, .flush = d.Take("ftz")};
  const Execute execute = numerics::Specialize(modifiers, [](auto constant) -> Execute {
    constexpr Modifiers kModifiers = decltype(constant)::kModifiers;
    if constexpr (kModifiers.saturate) {
      return nullptr;
    } else {
      return RoundedLanewise<ExactLane<kFunction, kModifiers>, kModifiers.rounding>();
    }
  });
  return EmitElementwise(d, Pipe::kSpecialFunction, execute, type, {type});
}

template <auto kFunction>
double ApproximateF64Lane(double value) {
  return kFunction(value);
}

absl::Status DecodeRcp(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kF32, Type::kF64}));
  if (!d.Take("approx")) return DecodeExact<Exact::kRcp>(d, type);
  if (type == Type::kF32) return EmitApproximate<numerics::RcpApprox>(d);
  if (!d.Take("ftz")) return d.Error("rcp.approx of f64 needs .ftz");
  return EmitElementwise(d, Pipe::kDouble,
                         WideLanewise<ApproximateF64Lane<numerics::RcpApproxFtz>>(), type, {type});
}

absl::Status DecodeSqrt(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kF32, Type::kF64}));
  if (type == Type::kF32 && d.Take("approx")) return EmitApproximate<numerics::SqrtApprox>(d);
  return DecodeExact<Exact::kSqrt>(d, type);
}

double RsqrtF64Lane(double value) { return numerics::RsqrtApprox(value); }
double RsqrtFtzF64Lane(double value) { return numerics::RsqrtApproxFtz(value); }
constexpr float (*kRsqrtF32)(float, bool) = numerics::RsqrtApprox;
constexpr float (*kEx2F32)(float, bool) = numerics::Ex2Approx;

absl::Status DecodeRsqrt(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kF32, Type::kF64}));
  if (!d.Take("approx")) return NeedsApprox(d);
  if (type == Type::kF32) return EmitApproximate<kRsqrtF32>(d);
  const Execute execute =
      d.Take("ftz") ? WideLanewise<RsqrtFtzF64Lane>() : WideLanewise<RsqrtF64Lane>();
  return EmitElementwise(d, Pipe::kDouble, execute, type, {type});
}

absl::Status DecodeEx2(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kF32, Type::kF16, Type::kF16x2,
                                                             Type::kBf16, Type::kBf16x2}));
  if (IsHalfType(type)) return DecodeHalfFunction(d, type);
  if (!d.Take("approx")) return NeedsApprox(d);
  return EmitApproximate<kEx2F32>(d);
}

float TanhLane(float value) { return numerics::TanhApprox(value); }

absl::Status DecodeTanh(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kF32, Type::kF16, Type::kF16x2,
                                                             Type::kBf16, Type::kBf16x2}));
  if (IsHalfType(type)) return DecodeHalfFunction(d, type);
  if (!d.Take("approx")) return NeedsApprox(d);
  return EmitElementwise(d, Pipe::kSpecialFunction, WideLanewise<TanhLane>(), type, {type});
}

template <typename T>
T CopySignLane(T sign, T value) {
  return numerics::CopySign(sign, value);
}

absl::Status DecodeCopysign(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kF32, Type::kF64}));
  return type == Type::kF32
             ? EmitElementwise(d, Pipe::kFloat, Lanewise<CopySignLane<float>>(), type, {type, type})
             : EmitElementwise(d, Pipe::kDouble, Lanewise<CopySignLane<double>>(), type,
                               {type, type});
}

template <FloatClass kClass, typename T>
bool TestLane(T value) {
  return numerics::Test(kClass, value);
}
template <FloatClass kClass>
Execute TestExecute(Type type) {
  return type == Type::kF32 ? Lanewise<TestLane<kClass, float>>()
                            : Lanewise<TestLane<kClass, double>>();
}

absl::Status DecodeTestp(InstructionDecoder& d) {
  const std::optional<int> property =
      d.TakeOneOf({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (!property.has_value()) return d.Error("testp needs a property, such as .finite");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kF32, Type::kF64}));
  const std::array<Execute, 6> tests = {
      TestExecute<FloatClass::kFinite>(type), TestExecute<FloatClass::kInfinite>(type),
      TestExecute<FloatClass::kNumber>(type), TestExecute<FloatClass::kNotANumber>(type),
      TestExecute<FloatClass::kNormal>(type), TestExecute<FloatClass::kSubnormal>(type)};
  return EmitElementwise(d, type == Type::kF32 ? Pipe::kFloat : Pipe::kDouble,
                         tests[static_cast<size_t>(*property)], Type::kPred, {type});
}

constexpr std::array<OpcodeRow, 10> kRows = {{
    {"rcp", DecodeRcp},
    {"sqrt", DecodeSqrt},
    {"rsqrt", DecodeRsqrt},
    {"sin", DecodeCircular<numerics::SinApprox, numerics::SinApproxOfSmall>},
    {"cos", DecodeCircular<numerics::CosApprox, numerics::CosApproxOfSmall>},
    {"lg2", DecodeApproximate<numerics::Lg2Approx>},
    {"ex2", DecodeEx2},
    {"tanh", DecodeTanh},
    {"copysign", DecodeCopysign},
    {"testp", DecodeTestp},
}};

}  // namespace

std::span<const OpcodeRow> FloatOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
