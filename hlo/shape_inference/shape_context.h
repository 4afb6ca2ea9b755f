// What the shape rules have in common: the instruction that they check, and what they record of it.
// Private to the folder.
#ifndef HLO_INDEXING_HLO_SHAPE_INFERENCE_SHAPE_CONTEXT_H_
#define HLO_INDEXING_HLO_SHAPE_INFERENCE_SHAPE_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "hlo/module.h"
#include "hlo/shape.h"
#include "hlo/shape_inference/shape_inference.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::hlo {

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

/// What a shape rule works on: one instruction. A rule looks at operands and attributes, and
/// records what is wrong with them, or else which shape follows. Rules are functions without state.
class ShapeContext {
 public:
  /// `declared`: the shape that the text gave; null if it is to be inferred.
  ShapeContext(const Instruction& instruction, ShapePool& pool, const Shape* declared)
      : instruction_(instruction), pool_(pool), declared_(declared) {}

  const Instruction& instruction() const { return instruction_; }
  ShapePool& pool() { return pool_; }
  /// The shape that the text gave; null if it is to be inferred.
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
  /// A result for each of these shapes: the shape itself if it is one, else a tuple. One result
  /// may stand in a tuple, too, if the text has it so.
  bool ExpectEach(llvm::ArrayRef<const Shape*> shapes);

  /// Fails unless operand i is an array.
  bool RequireArray(size_t i);
  bool RequireArrays();
  /// Fails unless operand i is an array without dimensions; `role` says what it is for.
  bool RequireScalar(size_t i, llvm::StringRef role);
  /// Fails unless the operands have the same type, or float types. For operands that are arrays:
  /// RequireArrays comes first.
  bool RequireMixable(size_t i, size_t j);
  /// Fails unless the operands have the same dimensions; an unbounded one agrees with any. For
  /// operands that are arrays: RequireArrays comes first.
  bool RequireSameDimensions(size_t i, size_t j);
  /// Fails unless the integers of the attribute are distinct and in [0, rank).
  bool RequireDimensions(AttributeName attribute, int64_t rank);
  /// Fails if an integer is in both attributes.
  bool RequireDisjoint(AttributeName a, AttributeName b);
  /// Fails unless `dimensions` is one dimension of an array of that rank.
  bool RequireOneDimension(int64_t rank);
  /// Fails unless the computation of the attribute has that many parameters.
  bool RequireParameters(AttributeName attribute, size_t count);
  /// The same of one of several computations.
  bool RequireParameters(AttributeName attribute, const Computation& callee, size_t count);
  /// Fails unless the integers of the attribute ascend.
  bool RequireAscending(AttributeName attribute);
  /// Fails unless the computation of the attribute takes scalars of these types and gives scalars
  /// of those, in a tuple if there are several.
  bool RequireScalarFunction(AttributeName attribute, llvm::ArrayRef<ElementType> parameters,
                             llvm::ArrayRef<ElementType> results);
  /// Fails unless the computation combines n values of these types with n others to n new ones.
  bool RequireReducer(AttributeName attribute, llvm::ArrayRef<ElementType> types);

  const std::optional<ShapeError>& error() const { return error_; }
  const Shape* shape() const { return shape_; }
  TypeMatch match() const { return match_; }

 private:
  const Instruction& instruction_;
  ShapePool& pool_;
  const Shape* declared_;
  std::optional<ShapeError> error_;
  const Shape* shape_ = nullptr;
  TypeMatch match_ = TypeMatch::kSame;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_SHAPE_INFERENCE_SHAPE_CONTEXT_H_
