// Elements while a kernel computes with them: how each element type is held in registers and in
// memory. Private to the folder.
//
//   type                     in registers                                in memory
//   pred                     i1                                          a byte
//   s8, u8, ... s64, u64     i8 ... i64                                  the same
//   s1, u1, ... s4, u4       i8, with their sign                         a byte, or packed
//   f16, bf16, f32, f64      the float of that name                      the same
//   f4..., f8...             i8: the bits, which are decoded to compute  a byte, or packed
//   c64, c128                two floats                                  two floats
#ifndef HLO_INDEXING_CODEGEN_EMIT_NUMBER_H_
#define HLO_INDEXING_CODEGEN_EMIT_NUMBER_H_

#include "codegen/emit/kernel_builder.h"
#include "hlo/element_type.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Value.h"

namespace hlo_indexing::emit {

/// One element.
struct Number {
  mlir::Value value;
  /// Of complex numbers, else null.
  mlir::Value imaginary;
};

/// An element, or one for each lane of a vector.
using Lanes = llvm::SmallVector<Number, 4>;

inline bool IsComplex(hlo::ElementType type) {
  return hlo::ClassOf(type) == hlo::ElementClass::kComplex;
}
/// Floats whose bits are held as an integer.
bool IsSmallFloat(hlo::ElementType type);

/// Of the number, or of a complex number's parts.
mlir::Type RegisterType(KernelBuilder& builder, hlo::ElementType type);

Number ZeroOf(KernelBuilder& builder, hlo::ElementType type);

/// A number for these bytes of a literal.
Number NumberOfBytes(KernelBuilder& builder, hlo::ElementType type, llvm::ArrayRef<uint8_t> bytes);

/// The values of numbers one after the other, and numbers of such values again.
Values Flatten(llvm::ArrayRef<Number> numbers);
Lanes Unflatten(mlir::ValueRange values, hlo::ElementType type);

/// Of several arrays one after the other, each of as many lanes.
std::vector<Lanes> SplitLanes(mlir::ValueRange values, llvm::ArrayRef<hlo::ElementType> types,
                              size_t num_lanes = 1);
/// The bits of an element as an integer of as many, eight at least; and the element again.
mlir::Value BitsOfNumber(KernelBuilder& builder, const Number& number, hlo::ElementType type);
Number NumberOfBits(KernelBuilder& builder, mlir::Value bits, hlo::ElementType type);

/// The same for each of `count` lanes, where there is one only.
Lanes Replicate(Lanes lanes, size_t count);

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_NUMBER_H_
