#include "codegen/ptx/instructions/narrow_conversion.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/conversion.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/convert.h"
#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

using numerics::Bf16;
using numerics::F16;
using numerics::FloatFormat;
using numerics::Rounding;

/// Two e2m1 lie in a byte, others in a byte each.
template <FloatFormat kFormat>
constexpr int kShift = kFormat.Width() == 4 ? 4 : 8;

template <FloatFormat kTo, bool kRelu>
uint32_t NumberOf(float value) {
  const uint32_t number = numerics::NearestSaturated<kTo>(value);
  return kRelu && number >= kTo.SignBit() ? 0 : number;
}
template <FloatFormat kTo, bool kRelu>
uint32_t PackLane(float upper, float lower) {
  return NumberOf<kTo, kRelu>(upper) << kShift<kTo> | NumberOf<kTo, kRelu>(lower);
}

template <FloatFormat kFrom, bool kRelu>
F16 HalfOf(uint32_t bits) {
  return numerics::ToHalf<F16>(numerics::Decode(kFrom, bits), {.relu = kRelu});
}
template <FloatFormat kFrom, bool kRelu>
uint32_t UnpackLane(uint32_t bits) {
  return numerics::Pack(HalfOf<kFrom, kRelu>(bits >> kShift<kFrom>), HalfOf<kFrom, kRelu>(bits));
}

template <Rounding kRounding, bool kSaturate>
uint32_t ScalesOfFloatsLane(float upper, float lower) {
  return static_cast<uint32_t>(numerics::EncodeUe8m0(upper, kRounding, kSaturate)) << 8 |
         numerics::EncodeUe8m0(lower, kRounding, kSaturate);
}
template <Rounding kRounding, bool kSaturate>
uint32_t ScalesOfHalvesLane(uint32_t halves) {
  return ScalesOfFloatsLane<kRounding, kSaturate>(
      numerics::ToFloat(numerics::UpperHalf<Bf16>(halves)),
      numerics::ToFloat(numerics::LowerHalf<Bf16>(halves)));
}
uint32_t HalvesOfScalesLane(uint32_t scales) {
  const auto half = [](uint32_t bits) {
    return numerics::ToHalf<Bf16>(numerics::DecodeUe8m0(static_cast<uint8_t>(bits)));
  };
  return numerics::Pack(half(scales >> 8), half(scales));
}

template <FloatFormat kFormat>
absl::Status DecodeNumbers(InstructionDecoder& d) {
  constexpr Type kPacked = kShift<kFormat> == 4 ? Type::kB8 : Type::kB16;
  if (!d.Take("rn")) return d.Error("cvt to or from this format needs .rn");
  const bool relu = d.Take("relu");
  const bool saturates = d.Take("satfinite");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type other, d.TakeType({Type::kF32, Type::kF16x2}));
  Operation operation;
  if (other == Type::kF16x2) {
    if (saturates) return d.ModifierError("satfinite");
    operation.execute =
        relu ? Lanewise<UnpackLane<kFormat, true>>() : Lanewise<UnpackLane<kFormat, false>>();
    return EmitConversion(d, std::move(operation), Type::kF16x2, {kPacked});
  }
  if (!saturates) return d.Error("cvt to this format needs .satfinite");
  operation.execute =
      relu ? WideLanewise<PackLane<kFormat, true>>() : WideLanewise<PackLane<kFormat, false>>();
  return EmitConversion(d, std::move(operation), kPacked, {Type::kF32, Type::kF32});
}

template <Rounding kRounding, bool kSaturate>
Execute ScalesOf(Type from) {
  return from == Type::kF32 ? Lanewise<ScalesOfFloatsLane<kRounding, kSaturate>>()
                            : Lanewise<ScalesOfHalvesLane<kRounding, kSaturate>>();
}

absl::Status DecodeScales(InstructionDecoder& d) {
  const std::optional<int> mode = d.TakeOneOf({"rn", "rz", "rp"});
  if (!mode.has_value()) return d.Error("cvt to or from ue8m0x2 needs .rn, .rz or .rp");
  const bool saturates = d.Take("satfinite");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type other, d.TakeType({Type::kF32, Type::kBf16x2}));
  Operation operation;
  if (*mode == 0) {
    if (other != Type::kBf16x2) return d.ModifierError("rn");
    if (saturates) return d.ModifierError("satfinite");
    operation.execute = Lanewise<HalvesOfScalesLane>();
    return EmitConversion(d, std::move(operation), Type::kBf16x2, {Type::kB16});
  }
  if (*mode == 1) {
    operation.execute = saturates ? ScalesOf<Rounding::kTowardZero, true>(other)
                                  : ScalesOf<Rounding::kTowardZero, false>(other);
  } else {
    operation.execute =
        saturates ? ScalesOf<Rounding::kUp, true>(other) : ScalesOf<Rounding::kUp, false>(other);
  }
  if (other == Type::kF32) {
    return EmitConversion(d, std::move(operation), Type::kB16, {Type::kF32, Type::kF32});
  }
  return EmitConversion(d, std::move(operation), Type::kB16, {Type::kBf16x2});
}

}  // namespace

absl::StatusOr<bool> DecodeNarrowConversion(InstructionDecoder& d) {
  struct Row {
    std::string_view type;
    absl::Status (*decode)(InstructionDecoder&);
  };
  constexpr std::array<Row, 4> kRows = {{{"e2m1x2", DecodeNumbers<numerics::kE2m1Format>},
                                         {"e2m3x2", DecodeNumbers<numerics::kE2m3Format>},
                                         {"e3m2x2", DecodeNumbers<numerics::kE3m2Format>},
                                         {"ue8m0x2", DecodeScales}}};
  for (const Row& row : kRows) {
    if (!d.Take(row.type)) continue;
    if (d.target() < 100) return d.Error("this cvt needs .target sm_100 or higher");
    HLO_INDEXING_RETURN_IF_ERROR(row.decode(d));
    return true;
  }
  return false;
}

}  // namespace hlo_indexing::ptx
