#include "hlo/shape_inference.h"

#include <array>

namespace hlo_indexing::hlo {

bool MayMix(ElementType a, ElementType b) {
  return a == b || (ClassOf(a) == ElementClass::kFloat && ClassOf(b) == ElementClass::kFloat);
}

bool ShapesAgree(const Shape& a, const Shape& b, TypeMatch match) {
  if (&a == &b) return true;
  if (match == TypeMatch::kSame) return Compatible(a, b, ShapeAspects::kTypeAndDimensions);
  if (match == TypeMatch::kAny) return Compatible(a, b, ShapeAspects::kDimensions);
  if (a.IsArray() && b.IsArray()) {
    return MayMix(a.element_type(), b.element_type()) &&
           Compatible(a, b, ShapeAspects::kDimensions);
  }
  if (a.element_type() != b.element_type() || a.elements().size() != b.elements().size()) {
    return false;
  }
  for (size_t i = 0; i < a.elements().size(); ++i) {
    if (!ShapesAgree(*a.elements()[i], *b.elements()[i], match)) return false;
  }
  return true;
}

bool ShapeRule::FailAt(AttributeName attribute, std::string message) {
  if (!error_) error_ = ShapeError{std::move(message), attribute};
  return false;
}

bool ShapeRule::Expect(const Shape* shape, TypeMatch match) {
  if (shape == nullptr) return Fail("the number of elements does not fit in 64 bits");
  shape_ = shape;
  match_ = match;
  return true;
}

bool ShapeRule::ExpectLike(ElementType type, const Shape& like, TypeMatch match) {
  if (declared_ != nullptr && declared_->element_type() == type &&
      declared_->sizes() == like.sizes()) {
    return true;
  }
  llvm::SmallVector<Dimension, 6> dimensions;
  for (int64_t i = 0; i < like.rank(); ++i) {
    dimensions.push_back({like.sizes()[static_cast<size_t>(i)], like.IsDynamic(i)});
  }
  return Expect(pool_.Array(type, dimensions), match);
}

bool ShapeRule::ExpectArray(ElementType type, llvm::ArrayRef<int64_t> sizes, TypeMatch match) {
  if (declared_ != nullptr && declared_->element_type() == type && declared_->sizes() == sizes) {
    return true;
  }
  return Expect(pool_.Array(type, sizes), match);
}

bool ShapeRule::ExpectEach(llvm::ArrayRef<const Shape*> shapes) {
  if (llvm::is_contained(shapes, nullptr)) return Expect(nullptr);
  if (shapes.size() == 1 &&
      (declared_ == nullptr || declared_->IsTuple() == shapes[0]->IsTuple())) {
    return Expect(shapes[0], TypeMatch::kAnyPrecision);
  }
  const Shape* tuple = pool_.Tuple(shapes);
  if (tuple == nullptr) return Fail("the tuple has too many elements or nests too deep");
  return Expect(tuple, TypeMatch::kAnyPrecision);
}

bool ShapeRule::RequireArray(size_t i) {
  if (operand(i).IsArray()) return true;
  return Fail("operand " + std::to_string(i) + " of " + OpcodeName(instruction_.opcode()).str() +
              " must be an array, not " + operand(i).ToString());
}

bool ShapeRule::RequireArrays() {
  for (size_t i = 0; i < num_operands(); ++i) {
    if (!RequireArray(i)) return false;
  }
  return true;
}

bool ShapeRule::RequireScalar(size_t i, llvm::StringRef role) {
  if (operand(i).IsScalar()) return true;
  return Fail(role.str() + " of " + OpcodeName(instruction_.opcode()).str() +
              " must be a scalar, not " + operand(i).ToString());
}

bool ShapeRule::RequireMixable(size_t i, size_t j) {
  const ElementType a = operand(i).element_type();
  const ElementType b = operand(j).element_type();
  if (MayMix(a, b)) return true;
  return Fail(OpcodeName(instruction_.opcode()).str() + " cannot mix element types " +
              ElementTypeName(a).str() + " and " + ElementTypeName(b).str());
}

bool ShapeRule::RequireSameDimensions(size_t i, size_t j) {
  if (ShapesAgree(operand(i), operand(j), TypeMatch::kAny)) return true;
  return Fail("operands " + std::to_string(i) + " and " + std::to_string(j) + " of " +
              OpcodeName(instruction_.opcode()).str() + " must have the same dimensions, not " +
              operand(i).ToString() + " and " + operand(j).ToString());
}

bool ShapeRule::RequireDimensions(AttributeName attribute, int64_t rank) {
  const llvm::ArrayRef<int64_t> dimensions = instruction_.Integers(attribute);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= rank) {
      return FailAt(attribute, AttributeText(attribute).str() + " names dimension " +
                                   std::to_string(dimensions[i]) + " of an array of rank " +
                                   std::to_string(rank));
    }
    if (llvm::is_contained(dimensions.take_front(i), dimensions[i])) {
      return FailAt(attribute, AttributeText(attribute).str() + " names dimension " +
                                   std::to_string(dimensions[i]) + " twice");
    }
  }
  return true;
}

bool ShapeRule::RequireParameters(AttributeName attribute, size_t count) {
  const Computation* callee = instruction_.Callee(attribute);
  if (callee == nullptr || callee->parameters().size() == count) return true;
  return FailAt(attribute, "computation '" + callee->name().str() + "' has " +
                               std::to_string(callee->parameters().size()) + " parameters, " +
                               OpcodeName(instruction_.opcode()).str() + " gives it " +
                               std::to_string(count));
}

bool ShapeRule::RequireAscending(AttributeName attribute) {
  if (llvm::is_sorted(instruction_.Integers(attribute))) return true;
  return FailAt(attribute, AttributeText(attribute).str() + " must be in ascending order");
}

bool ShapeRule::RequireScalarFunction(AttributeName attribute,
                                      llvm::ArrayRef<ElementType> parameters,
                                      llvm::ArrayRef<ElementType> results) {
  const Computation* callee = instruction_.Callee(attribute);
  if (callee == nullptr) return true;
  if (!RequireParameters(attribute, parameters.size())) return false;
  const auto fits = [](const Shape& shape, ElementType type) {
    return shape.IsScalar() && MayMix(shape.element_type(), type);
  };
  const auto needs = [this](ElementType type) {
    return ", " + OpcodeName(instruction_.opcode()).str() + " needs " +
           ElementTypeName(type).str() + "[]";
  };
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& shape = callee->parameters()[i]->shape();
    if (fits(shape, parameters[i])) continue;
    return FailAt(attribute, "parameter " + std::to_string(i) + " of computation '" +
                                 callee->name().str() + "' has shape " + shape.ToString() +
                                 needs(parameters[i]));
  }
  const Shape& root = callee->root().shape();
  llvm::SmallVector<const Shape*, 4> given = {&root};
  if (root.IsTuple()) given.assign(root.elements().begin(), root.elements().end());
  if (given.size() != results.size()) {
    return FailAt(attribute, "computation '" + callee->name().str() + "' gives " + root.ToString() +
                                 ", " + OpcodeName(instruction_.opcode()).str() + " needs " +
                                 std::to_string(results.size()) + " scalars");
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (fits(*given[i], results[i])) continue;
    return FailAt(attribute, "computation '" + callee->name().str() + "' gives " +
                                 given[i]->ToString() + needs(results[i]));
  }
  return true;
}

bool ShapeRule::RequireReducer(AttributeName attribute, llvm::ArrayRef<ElementType> types) {
  llvm::SmallVector<ElementType, 8> parameters(types.begin(), types.end());
  parameters.append(types.begin(), types.end());
  return RequireScalarFunction(attribute, parameters, types);
}

const Shape* InferShape(const Instruction& instruction, ShapePool& pool, std::string& error) {
  const shape_rules::Rule function = shape_rules::RuleOf(instruction.opcode());
  if (function == nullptr) return nullptr;
  ShapeRule rule(instruction, pool);
  if (function(rule)) return rule.shape();
  if (rule.error()) error = rule.error()->message;
  return nullptr;
}

std::optional<ShapeError> CheckShape(const Instruction& instruction, ShapePool& pool) {
  const shape_rules::Rule function = shape_rules::RuleOf(instruction.opcode());
  if (function == nullptr) return std::nullopt;
  ShapeRule rule(instruction, pool);
  rule.declared_ = &instruction.shape();
  if (!function(rule)) return rule.error();
  const Shape* expected = rule.shape();
  if (expected == nullptr || ShapesAgree(*expected, instruction.shape(), rule.match())) {
    return std::nullopt;
  }
  return ShapeError{OpcodeName(instruction.opcode()).str() + " has shape " +
                    instruction.shape().ToString() + ", its operands and attributes give " +
                    expected->ToString()};
}

namespace shape_rules {
namespace {

// One row per opcode whose shape follows, in part or whole, from operands and attributes.
struct RuleRow {
  Opcode opcode;
  Rule rule;
};

constexpr RuleRow kRows[] = {
    {Opcode::kAbs, AbsoluteValue},
    {Opcode::kAcos, Unary},
    {Opcode::kAcosh, Unary},
    {Opcode::kAdd, Binary},
    {Opcode::kAddDependency, SameAsOperand},
    {Opcode::kAfterAll, AfterAll},
    {Opcode::kAllGather, AllGather},
    {Opcode::kAllGatherDone, SecondElementOfOperand},
    {Opcode::kAllGatherStart, AllGatherStart},
    {Opcode::kAllReduce, AllReduce},
    {Opcode::kAllReduceDone, SameAsOperand},
    {Opcode::kAllReduceStart, AllReduce},
    {Opcode::kAllToAll, AllToAll},
    {Opcode::kAnd, Binary},
    {Opcode::kAsin, Unary},
    {Opcode::kAsinh, Unary},
    {Opcode::kAsyncDone, SecondElementOfOperand},
    {Opcode::kAsyncStart, AsyncStart},
    {Opcode::kAsyncUpdate, AsyncUpdate},
    {Opcode::kAtan2, Binary},
    {Opcode::kAtanh, Unary},
    {Opcode::kBatchNormGrad, BatchNorm},
    {Opcode::kBatchNormInference, SameUpToPrecision},
    {Opcode::kBatchNormTraining, BatchNorm},
    {Opcode::kBitcast, Bitcast},
    {Opcode::kBitcastConvert, BitcastConvert},
    {Opcode::kBroadcast, Broadcast},
    {Opcode::kCall, Call},
    {Opcode::kCbrt, Unary},
    {Opcode::kCeil, Unary},
    {Opcode::kCholesky, SameUpToPrecision},
    {Opcode::kClamp, Clamp},
    {Opcode::kCollectiveBroadcast, CollectiveBroadcast},
    {Opcode::kCollectivePermute, CollectivePermute},
    {Opcode::kCollectivePermuteDone, SecondElementOfOperand},
    {Opcode::kCollectivePermuteStart, CollectivePermuteStart},
    {Opcode::kCompare, Compare},
    {Opcode::kComplex, Complex},
    {Opcode::kConcatenate, Concatenate},
    {Opcode::kConditional, Conditional},
    {Opcode::kConvert, Convert},
    {Opcode::kConvolution, Convolution},
    {Opcode::kCopy, SameUpToPrecision},
    {Opcode::kCopyDone, FirstElementOfOperand},
    {Opcode::kCosh, Unary},
    {Opcode::kCosine, Unary},
    {Opcode::kCountLeadingZeros, Unary},
    {Opcode::kDivide, Binary},
    {Opcode::kDomain, SameAsOperand},
    {Opcode::kDot, Dot},
    {Opcode::kDynamicSlice, DynamicSlice},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice},
    {Opcode::kErf, Unary},
    {Opcode::kExponential, Unary},
    {Opcode::kExponentialMinusOne, Unary},
    {Opcode::kFft, Fft},
    {Opcode::kFloor, Unary},
    {Opcode::kFusion, Call},
    {Opcode::kGather, Gather},
    {Opcode::kGetDimensionSize, GetDimensionSize},
    {Opcode::kGetTupleElement, GetTupleElement},
    {Opcode::kImag, RealPart},
    {Opcode::kIota, Iota},
    {Opcode::kIsFinite, IsFinite},
    {Opcode::kLog, Unary},
    {Opcode::kLogPlusOne, Unary},
    {Opcode::kLogistic, Unary},
    {Opcode::kMap, Map},
    {Opcode::kMaximum, Binary},
    {Opcode::kMinimum, Binary},
    {Opcode::kMulhi, Binary},
    {Opcode::kMultiply, Binary},
    {Opcode::kNegate, Unary},
    {Opcode::kNot, Unary},
    {Opcode::kOptimizationBarrier, SameAsOperand},
    {Opcode::kOr, Binary},
    {Opcode::kPad, Pad},
    {Opcode::kPartitionId, DeviceId},
    {Opcode::kPopulationCount, Unary},
    {Opcode::kPower, Binary},
    {Opcode::kRaggedDot, RaggedDot},
    {Opcode::kReal, RealPart},
    {Opcode::kReduce, Reduce},
    {Opcode::kReducePrecision, Unary},
    {Opcode::kReduceScatter, ReduceScatter},
    {Opcode::kReduceWindow, ReduceWindow},
    {Opcode::kRemainder, Binary},
    {Opcode::kReplicaId, DeviceId},
    {Opcode::kReshape, Reshape},
    {Opcode::kReverse, Reverse},
    {Opcode::kRoundNearestAfz, Unary},
    {Opcode::kRoundNearestEven, Unary},
    {Opcode::kRsqrt, Unary},
    {Opcode::kScaledDot, Dot},
    {Opcode::kScatter, Scatter},
    {Opcode::kSelect, Select},
    {Opcode::kSelectAndScatter, SelectAndScatter},
    {Opcode::kSetDimensionSize, SetDimensionSize},
    {Opcode::kShiftLeft, Binary},
    {Opcode::kShiftRightArithmetic, Binary},
    {Opcode::kShiftRightLogical, Binary},
    {Opcode::kSign, Unary},
    {Opcode::kSine, Unary},
    {Opcode::kSinh, Unary},
    {Opcode::kSlice, Slice},
    {Opcode::kSort, Sort},
    {Opcode::kSqrt, Unary},
    {Opcode::kStochasticConvert, Convert},
    {Opcode::kSubtract, Binary},
    {Opcode::kTan, Unary},
    {Opcode::kTanh, Unary},
    {Opcode::kTopK, TopK},
    {Opcode::kTranspose, Transpose},
    {Opcode::kTriangularSolve, TriangularSolve},
    {Opcode::kTuple, Tuple},
    {Opcode::kWhile, While},
    {Opcode::kXor, Binary},
};

}  // namespace

Rule RuleOf(Opcode opcode) {
  static constexpr std::array<Rule, kNumOpcodes> kRules = [] {
    std::array<Rule, kNumOpcodes> rules = {};
    for (const RuleRow& row : kRows) rules[static_cast<size_t>(row.opcode)] = row.rule;
    return rules;
  }();
  return kRules[static_cast<size_t>(opcode)];
}

}  // namespace shape_rules

}  // namespace hlo_indexing::hlo
