// The forms of cvt between floating-point types that compilers print most, each a loop that is
// vectorised. conversion_lanes.cc has all forms, with the modifiers looked at in each lane.
//
// Example: for cvt.rn.f16.f32, FastFloatConversion(kF16, kF32, false, modifiers) is a loop over
// numerics::NearestHalf; for cvt.rz.f16.f32 it is nullptr.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_FAST_CONVERSION_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_FAST_CONVERSION_H_

#include "codegen/ptx/instructions/conversion.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

/// Like the functions of conversion.h without `Fast`; nullptr if there is no fast form.
Execute FastFloatToInteger(Type to, Type from, const ConvertModifiers& modifiers);
Execute FastFloatConversion(Type to, Type from, bool to_integral,
                            const ConvertModifiers& modifiers);
Execute FastTf32Conversion(const ConvertModifiers& modifiers);
Execute FastPackedHalvesConversion(Type to, const ConvertModifiers& modifiers);

/// cvt.f32.f64 with all modifiers.
Execute DoubleToFloat(const ConvertModifiers& modifiers);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_FAST_CONVERSION_H_
