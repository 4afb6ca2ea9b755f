// Elements of one type as elements of another. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_CONVERSION_H_
#define HLO_INDEXING_CODEGEN_EMIT_CONVERSION_H_

#include "codegen/emit/kernel_builder.h"
#include "codegen/emit/number.h"
#include "hlo/element_type.h"

namespace hlo_indexing::emit {

/// The number as one of another type, as `convert` has it: floats become integers by dropping the
/// fraction, clamped to the type's range, nan as 0; integers wrap; a pred says whether it was not
/// 0; complex numbers lose the imaginary part; all else is rounded to nearest, ties to even.
Number EmitConvert(KernelBuilder& builder, const Number& number, hlo::ElementType from,
                   hlo::ElementType to);

/// One of the two neighbours of a float in another type, as `stochastic-convert` has it: the one
/// away from 0 if the random bits, as a fraction of 2^width, are below the share of the way to it.
/// Computed in f64, as the interpreter does.
Number EmitStochasticConvert(KernelBuilder& builder, const Number& number, const Number& random,
                             hlo::ElementType from, hlo::ElementType of_random,
                             hlo::ElementType to);

/// An index, an integer of 32 or 64 bits that is not negative, as an element.
Number EmitConvertFromIndex(KernelBuilder& builder, mlir::Value index, hlo::ElementType to);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_CONVERSION_H_
