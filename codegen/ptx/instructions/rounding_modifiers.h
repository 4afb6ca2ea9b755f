// The rounding modifiers of floating-point instructions.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ROUNDING_MODIFIERS_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ROUNDING_MODIFIERS_H_

#include <array>
#include <cstddef>
#include <optional>

#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/numerics/rounding.h"

namespace hlo_indexing::ptx {

/// The rounding modes that arithmetic has, in the order of .rn .rz .rm .rp.
inline constexpr std::array<numerics::Rounding, 4> kRoundingModes = {
    numerics::Rounding::kNearestEven, numerics::Rounding::kTowardZero, numerics::Rounding::kDown,
    numerics::Rounding::kUp};

/// Takes .rn, .rz, .rm or .rp. Example: of `add.rz.ftz.f32`, kTowardZero
inline std::optional<numerics::Rounding> TakeRounding(InstructionDecoder& d) {
  const std::optional<int> mode = d.TakeOneOf({"rn", "rz", "rm", "rp"});
  if (!mode.has_value()) return std::nullopt;
  return kRoundingModes[static_cast<size_t>(*mode)];
}

/// Takes .rni, .rzi, .rmi or .rpi.
inline std::optional<numerics::Rounding> TakeIntegralRounding(InstructionDecoder& d) {
  const std::optional<int> mode = d.TakeOneOf({"rni", "rzi", "rmi", "rpi"});
  if (!mode.has_value()) return std::nullopt;
  return kRoundingModes[static_cast<size_t>(*mode)];
}

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_ROUNDING_MODIFIERS_H_
