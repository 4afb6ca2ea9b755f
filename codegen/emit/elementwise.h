// What elementwise instructions compute, one element at a time. Private to the folder.
//
// Results are those of the interpreter (hlo/interpreter/element_operation.h) to the last bit, but
// for transcendental functions and complex division. Types of 16 bits and less are computed in f32
// and rounded once, which gives the same as computing in the type itself.
#ifndef HLO_INDEXING_CODEGEN_EMIT_ELEMENTWISE_H_
#define HLO_INDEXING_CODEGEN_EMIT_ELEMENTWISE_H_

#include "absl/status/statusor.h"
#include "codegen/emit/kernel_builder.h"
#include "codegen/emit/number.h"
#include "hlo/element_type.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "simplifier/interval.h"

namespace hlo_indexing::emit {

/// Whether EmitElementwise knows the opcode.
bool IsElementwise(hlo::Opcode opcode);

/// kUnimplemented, with the rest of a sentence that begins with the instruction, for types that an
/// opcode is not defined for.
absl::StatusOr<Number> EmitElementwise(KernelBuilder& builder, const hlo::Instruction& instruction,
                                       llvm::ArrayRef<Number> operands);

/// Bits of elements of different widths, as `bitcast-convert` has them: of narrow elements, the
/// lowest first, as one wide element; and those of a wide one that are the narrow element `place`.
Number EmitJoinedBits(KernelBuilder& builder, llvm::ArrayRef<Number> parts, hlo::ElementType from,
                      hlo::ElementType to);
Number EmitBitsAt(KernelBuilder& builder, const Number& whole, mlir::Value place,
                  hlo::ElementType from, hlo::ElementType to);

/// An integer element as an index within bounds.
mlir::Value EmitClamped(KernelBuilder& builder, mlir::Value value, hlo::ElementType type,
                        const simplifier::Interval& bounds);

/// The sum of products of a dot or convolution, in f32 where that holds more than the result's
/// type.
class ProductSum {
 public:
  ProductSum(KernelBuilder& builder, const hlo::Instruction& instruction);

  /// Of the sum.
  hlo::ElementType type() const { return type_; }
  Number Zero() { return ZeroOf(builder_, type_); }
  /// An operand's element, or a factor of one, as a number of the sum's type.
  Number Widen(const Number& number, hlo::ElementType from);
  Number Multiply(const Number& a, const Number& b);
  /// The sum and the product of such numbers.
  Number Add(const Number& sum, const Number& a, const Number& b);
  /// The sum as an element of the result.
  Number Finish(const Number& sum);

 private:
  KernelBuilder& builder_;
  const hlo::Instruction& instruction_;
  hlo::ElementType type_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_ELEMENTWISE_H_
