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

/// How far the element types of two shapes must agree. Dimensions always do; layouts need not.
enum class TypeMatch : uint8_t {
  kAny,
  kAnyPrecision,  // any two float types agree: HLO lets an operation change the precision
  kSame,
};

/// Whether values of the two types may meet in one operation: equal types, or two float types.
bool MayMix(ElementType a, ElementType b);

/// Whether the shapes have the same structure and dimensions, an unbounded one agreeing with any,
/// and matching element types.
bool ShapesAgree(const Shape& a, const Shape& b, TypeMatch match);

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
  /// Records the shape that follows, and how the declared shape must match it; true.
  bool Expect(const Shape* shape, TypeMatch match = TypeMatch::kSame);
  /// An array of that type with the dimensions of `like`; its layout is left open.
  bool ExpectLike(ElementType type, const Shape& like, TypeMatch match = TypeMatch::kAnyPrecision);
  bool ExpectArray(ElementType type, llvm::ArrayRef<int64_t> sizes,
                   TypeMatch match = TypeMatch::kAnyPrecision);
  /// A result for each of these shapes: the shape itself where it is one, else a tuple. One result
  /// may stand in a tuple, too, if the text has it so.
  bool ExpectEach(llvm::ArrayRef<const Shape*> shapes);

  /// Fails unless operand i is an array.
  bool RequireArray(size_t i);
  bool RequireArrays();
  /// Fails unless operand i is an array without dimensions; `role` says what it is for.
  bool RequireScalar(size_t i, llvm::StringRef role);
  /// Fails unless the operands have the same type, or float types.
  bool RequireMixable(size_t i, size_t j);
  /// Fails unless the operands have the same dimensions.
  bool RequireSameDimensions(size_t i, size_t j);
  /// Fails unless the integers of the attribute are distinct and in [0, rank).
  bool RequireDimensions(AttributeName attribute, int64_t rank);
  /// Fails unless the computation of the attribute has that many parameters.
  bool RequireParameters(AttributeName attribute, size_t count);
  /// Fails unless the integers of the attribute ascend.
  bool RequireAscending(AttributeName attribute);
  /// Fails unless the computation of the attribute takes scalars of these types and gives scalars
  /// of those, in a tuple where there are several.
  bool RequireScalarFunction(AttributeName attribute, llvm::ArrayRef<ElementType> parameters,
                             llvm::ArrayRef<ElementType> results);
  /// Fails unless the computation combines n values of these types with n others to n new ones.
  bool RequireReducer(AttributeName attribute, llvm::ArrayRef<ElementType> types);

  const std::optional<ShapeError>& error() const { return error_; }
  const Shape* shape() const { return shape_; }
  TypeMatch match() const { return match_; }

 private:
  friend std::optional<ShapeError> CheckShape(const Instruction&, ShapePool&);

  const Instruction& instruction_;
  ShapePool& pool_;
  const Shape* declared_ = nullptr;
  std::optional<ShapeError> error_;
  const Shape* shape_ = nullptr;
  TypeMatch match_ = TypeMatch::kSame;
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

using Sizes = llvm::SmallVector<int64_t, 6>;

/// Whether the sizes are equal as far as they are known.
inline bool SameSize(int64_t a, int64_t b) {
  return a == b || a == kUnboundedSize || b == kUnboundedSize;
}

/// The attribute `window`; empty where it is missing, as for scalars.
llvm::ArrayRef<WindowDimension> WindowOf(const Instruction& instruction);
/// Appends, for each of these sizes, the number of places where the window fits. False after an
/// error: another number of sizes than the window has, a window that is not positive, an overflow.
bool AppendWindowedSizes(ShapeRule& rule, llvm::ArrayRef<int64_t> sizes, Sizes& windowed);

// shape_rules_elementwise.cc
bool SameAsOperand(ShapeRule& rule);
bool SameUpToPrecision(ShapeRule& rule);
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
bool GetDimensionSize(ShapeRule& rule);
bool SetDimensionSize(ShapeRule& rule);

// shape_rules_indexed.cc
bool Gather(ShapeRule& rule);
bool Scatter(ShapeRule& rule);

// shape_rules_contraction.cc
bool Dot(ShapeRule& rule);
bool RaggedDot(ShapeRule& rule);
bool Convolution(ShapeRule& rule);
bool TopK(ShapeRule& rule);
bool Fft(ShapeRule& rule);
bool TriangularSolve(ShapeRule& rule);
bool BatchNorm(ShapeRule& rule);

// shape_rules_reduction.cc
bool Reduce(ShapeRule& rule);
bool ReduceWindow(ShapeRule& rule);
bool SelectAndScatter(ShapeRule& rule);
bool Sort(ShapeRule& rule);

// shape_rules_control.cc
bool Tuple(ShapeRule& rule);
bool GetTupleElement(ShapeRule& rule);
bool Call(ShapeRule& rule);
bool While(ShapeRule& rule);
bool Conditional(ShapeRule& rule);
bool AfterAll(ShapeRule& rule);
bool FirstElementOfOperand(ShapeRule& rule);
bool SecondElementOfOperand(ShapeRule& rule);
bool AsyncStart(ShapeRule& rule);
bool AsyncUpdate(ShapeRule& rule);
bool DeviceId(ShapeRule& rule);

// shape_rules_collectives.cc
bool AllReduce(ShapeRule& rule);
bool AllGather(ShapeRule& rule);
bool AllGatherStart(ShapeRule& rule);
bool ReduceScatter(ShapeRule& rule);
bool AllToAll(ShapeRule& rule);
bool CollectiveBroadcast(ShapeRule& rule);
bool CollectivePermute(ShapeRule& rule);
bool CollectivePermuteStart(ShapeRule& rule);

}  // namespace shape_rules

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_SHAPE_INFERENCE_H_
