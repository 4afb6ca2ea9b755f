// What the operands and attributes of an instruction say about its shape.
#ifndef HLO_INDEXING_HLO_SHAPE_INFERENCE_H_
#define HLO_INDEXING_HLO_SHAPE_INFERENCE_H_

#include <optional>
#include <string>

#include "hlo/module.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::hlo {

/// A mistake in an instruction.
struct ShapeError {
  std::string message;
  /// The attribute that is wrong; kOther where it is the operands or the shape.
  AttributeName attribute = AttributeName::kOther;
};

/// Checks one instruction: a rule looks at operands and attributes, says what is wrong with them,
/// and which shape follows. Rules hold no state of their own.
class ShapeRule {
 public:
  ShapeRule(const Instruction& instruction, ShapePool& pool)
      : instruction_(instruction), pool_(pool) {}

  const Instruction& instruction() const { return instruction_; }
  ShapePool& pool() { return pool_; }
  /// The shape that the text gave; null while it is being inferred.
  const Shape* declared() const { return declared_; }
  const Shape& operand(size_t i) const { return instruction_.operand(i).shape(); }
  size_t num_operands() const { return instruction_.operands().size(); }

  /// Records the first mistake; false, to be returned.
  bool Fail(std::string message) { return FailAt(AttributeName::kOther, std::move(message)); }
  bool FailAt(AttributeName attribute, std::string message);
  /// Records the shape that follows, and what of it the declared shape must share; true.
  bool Expect(const Shape* shape, ShapeAspects aspects = ShapeAspects::kTypeAndDimensions);
  /// An array of that type with the dimensions of `like`; its layout is left open.
  bool ExpectLike(ElementType type, const Shape& like,
                  ShapeAspects aspects = ShapeAspects::kTypeAndDimensions);
  bool ExpectArray(ElementType type, llvm::ArrayRef<int64_t> sizes,
                   ShapeAspects aspects = ShapeAspects::kTypeAndDimensions);

  /// Fails unless operand i is an array.
  bool RequireArray(size_t i);
  bool RequireArrays();
  /// Fails unless the integers of the attribute are distinct and in [0, rank).
  bool RequireDimensions(AttributeName attribute, int64_t rank);
  /// Fails unless the computation of the attribute has that many parameters.
  bool RequireParameters(AttributeName attribute, size_t count);

  const std::optional<ShapeError>& error() const { return error_; }
  const Shape* shape() const { return shape_; }
  ShapeAspects aspects() const { return aspects_; }

 private:
  friend std::optional<ShapeError> CheckShape(const Instruction&, ShapePool&);

  const Instruction& instruction_;
  ShapePool& pool_;
  const Shape* declared_ = nullptr;
  std::optional<ShapeError> error_;
  const Shape* shape_ = nullptr;
  ShapeAspects aspects_ = ShapeAspects::kTypeAndDimensions;
};

/// The shape of an instruction that was given none; null where it does not follow from operands and
/// attributes, with `error` set where these are wrong.
const Shape* InferShape(const Instruction& instruction, ShapePool& pool, std::string& error);

/// What is wrong with the instruction's operands, attributes or shape; nothing where all fits.
std::optional<ShapeError> CheckShape(const Instruction& instruction, ShapePool& pool);

// The rules by family; each returns false after it has recorded an error. Private to the folder.
namespace shape_rules {

using Rule = bool (*)(ShapeRule&);

/// The rule of an opcode; null where any shape goes.
Rule RuleOf(Opcode opcode);

// shape_rules_elementwise.cc
bool SameAsOperand(ShapeRule& rule);
bool Unary(ShapeRule& rule);
bool Binary(ShapeRule& rule);
bool AbsoluteValue(ShapeRule& rule);
bool RealPart(ShapeRule& rule);
bool Complex(ShapeRule& rule);
bool Compare(ShapeRule& rule);
bool IsFinite(ShapeRule& rule);
bool Convert(ShapeRule& rule);
bool BitcastConvert(ShapeRule& rule);
bool Select(ShapeRule& rule);
bool Clamp(ShapeRule& rule);
bool Map(ShapeRule& rule);

// shape_rules_movement.cc
bool Broadcast(ShapeRule& rule);
bool Transpose(ShapeRule& rule);
bool Reshape(ShapeRule& rule);
bool Bitcast(ShapeRule& rule);
bool Reverse(ShapeRule& rule);
bool Slice(ShapeRule& rule);
bool Pad(ShapeRule& rule);
bool Concatenate(ShapeRule& rule);
bool Iota(ShapeRule& rule);
bool DynamicSlice(ShapeRule& rule);
bool DynamicUpdateSlice(ShapeRule& rule);
bool Gather(ShapeRule& rule);
bool Scatter(ShapeRule& rule);
bool GetDimensionSize(ShapeRule& rule);
bool SetDimensionSize(ShapeRule& rule);

// shape_rules_contraction.cc
bool Dot(ShapeRule& rule);
bool Convolution(ShapeRule& rule);
bool Reduce(ShapeRule& rule);
bool ReduceWindow(ShapeRule& rule);
bool SelectAndScatter(ShapeRule& rule);
bool Sort(ShapeRule& rule);
bool TopK(ShapeRule& rule);
bool Fft(ShapeRule& rule);
bool TriangularSolve(ShapeRule& rule);
bool BatchNorm(ShapeRule& rule);

// shape_rules_control.cc
bool Tuple(ShapeRule& rule);
bool GetTupleElement(ShapeRule& rule);
bool Call(ShapeRule& rule);
bool While(ShapeRule& rule);
bool Conditional(ShapeRule& rule);
bool AfterAll(ShapeRule& rule);
bool FirstElementOfOperand(ShapeRule& rule);
bool AsyncStart(ShapeRule& rule);
bool AsyncDone(ShapeRule& rule);
bool SameAsOperands(ShapeRule& rule);
bool AllGather(ShapeRule& rule);
bool ReduceScatter(ShapeRule& rule);
bool DeviceId(ShapeRule& rule);

}  // namespace shape_rules

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_SHAPE_INFERENCE_H_
