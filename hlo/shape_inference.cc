#include "hlo/shape_inference.h"

#include <array>

namespace hlo_indexing::hlo {

bool ShapeRule::FailAt(AttributeName attribute, std::string message) {
  if (!error_) error_ = ShapeError{std::move(message), attribute};
  return false;
}

bool ShapeRule::Expect(const Shape* shape, ShapeAspects aspects) {
  if (shape == nullptr) return Fail("the number of elements does not fit in 64 bits");
  shape_ = shape;
  aspects_ = aspects;
  return true;
}

bool ShapeRule::ExpectLike(ElementType type, const Shape& like, ShapeAspects aspects) {
  if (declared_ != nullptr && declared_->element_type() == type &&
      declared_->sizes() == like.sizes()) {
    return true;
  }
  llvm::SmallVector<Dimension, 6> dimensions;
  for (int64_t i = 0; i < like.rank(); ++i) {
    dimensions.push_back({like.sizes()[static_cast<size_t>(i)], like.IsDynamic(i)});
  }
  return Expect(pool_.Array(type, dimensions), aspects);
}

bool ShapeRule::ExpectArray(ElementType type, llvm::ArrayRef<int64_t> sizes, ShapeAspects aspects) {
  if (declared_ != nullptr && declared_->element_type() == type && declared_->sizes() == sizes) {
    return true;
  }
  return Expect(pool_.Array(type, sizes), aspects);
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
  if (expected == nullptr || Compatible(*expected, instruction.shape(), rule.aspects())) {
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
    {Opcode::kAllReduce, SameAsOperands},
    {Opcode::kAllReduceDone, SameAsOperand},
    {Opcode::kAllReduceStart, SameAsOperands},
    {Opcode::kAnd, Binary},
    {Opcode::kAsin, Unary},
    {Opcode::kAsinh, Unary},
    {Opcode::kAsyncDone, AsyncDone},
    {Opcode::kAsyncStart, AsyncStart},
    {Opcode::kAsyncUpdate, SameAsOperand},
    {Opcode::kAtan2, Binary},
    {Opcode::kAtanh, Unary},
    {Opcode::kBatchNormGrad, BatchNorm},
    {Opcode::kBatchNormInference, SameAsOperand},
    {Opcode::kBatchNormTraining, BatchNorm},
    {Opcode::kBitcast, Bitcast},
    {Opcode::kBitcastConvert, BitcastConvert},
    {Opcode::kBroadcast, Broadcast},
    {Opcode::kCall, Call},
    {Opcode::kCbrt, Unary},
    {Opcode::kCeil, Unary},
    {Opcode::kCholesky, SameAsOperand},
    {Opcode::kClamp, Clamp},
    {Opcode::kCollectiveBroadcast, SameAsOperands},
    {Opcode::kCompare, Compare},
    {Opcode::kComplex, Complex},
    {Opcode::kConcatenate, Concatenate},
    {Opcode::kConditional, Conditional},
    {Opcode::kConvert, Convert},
    {Opcode::kConvolution, Convolution},
    {Opcode::kCopy, SameAsOperand},
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
