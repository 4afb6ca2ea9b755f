#include "codegen/emit/elementwise.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "codegen/emit/conversion.h"
#include "codegen/emit/scalar_functions.h"
#include "hlo/attribute.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "support/status_macros.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using hlo::AttributeName;
using hlo::ElementClass;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using mlir::Value;

namespace {

absl::Status NotDefined(ElementType type) {
  return absl::UnimplementedError(
      absl::StrCat("of ", hlo::ElementTypeName(type).str(), " has no code in a kernel"));
}

Value CompareIntegers(KernelBuilder& builder, llvm::StringRef direction, Value a, Value b,
                      bool is_signed) {
  const CmpIPredicate predicate =
      direction == "EQ"   ? CmpIPredicate::eq
      : direction == "NE" ? CmpIPredicate::ne
      : direction == "LT" ? (is_signed ? CmpIPredicate::slt : CmpIPredicate::ult)
      : direction == "GT" ? (is_signed ? CmpIPredicate::sgt : CmpIPredicate::ugt)
      : direction == "LE" ? (is_signed ? CmpIPredicate::sle : CmpIPredicate::ule)
                          : (is_signed ? CmpIPredicate::sge : CmpIPredicate::uge);
  return arith::CmpIOp::create(builder.ops(), predicate, a, b);
}

Value CompareFloats(KernelBuilder& builder, llvm::StringRef direction, Value a, Value b) {
  const CmpFPredicate predicate = direction == "EQ"   ? CmpFPredicate::OEQ
                                  : direction == "NE" ? CmpFPredicate::UNE
                                  : direction == "LT" ? CmpFPredicate::OLT
                                  : direction == "GT" ? CmpFPredicate::OGT
                                  : direction == "LE" ? CmpFPredicate::OLE
                                                      : CmpFPredicate::OGE;
  return arith::CmpFOp::create(builder.ops(), predicate, a, b);
}

Number SelectNumber(KernelBuilder& builder, Value condition, const Number& a, const Number& b) {
  Number result = {arith::SelectOp::create(builder.ops(), condition, a.value, b.value), Value()};
  if (a.imaginary != nullptr) {
    result.imaginary = arith::SelectOp::create(builder.ops(), condition, a.imaginary, b.imaginary);
  }
  return result;
}

class ElementwiseCode {
 public:
  ElementwiseCode(KernelBuilder& builder, const Instruction& instruction)
      : builder_(builder),
        ops_(builder.ops()),
        instruction_(instruction),
        opcode_(instruction.opcode()),
        result_(instruction.shape().element_type()) {}

  absl::StatusOr<Number> Emit(llvm::ArrayRef<Number> x) {
    const ElementType type = OperandType(0);
    switch (opcode_) {
      case Opcode::kConvert:
        return EmitConvert(builder_, x[0], type, result_);
      case Opcode::kStochasticConvert:
        return StochasticConvert(x, type);
      case Opcode::kBitcastConvert:
        return Reinterpret(x[0], type);
      case Opcode::kSelect:
        return SelectNumber(builder_, x[0].value, x[1], x[2]);
      case Opcode::kComplex:
        return Number{x[0].value, x[1].value};
      case Opcode::kReal:
        return Rounded({x[0].value, Value()}, type);
      case Opcode::kImag:
        if (!IsComplex(type)) return ZeroOf(builder_, result_);
        return Rounded({x[0].imaginary, Value()}, type);
      case Opcode::kClamp:
        return Clamp(x);
      case Opcode::kReducePrecision:
        return Rounded(
            {EmitReducePrecision(builder_, x[0].value, type,
                                 instruction_.Required<int64_t>(AttributeName::kExponentBits),
                                 instruction_.Required<int64_t>(AttributeName::kMantissaBits)),
             Value()},
            type);
      default:
        break;
    }
    switch (hlo::ClassOf(type)) {
      case ElementClass::kComplex:
        return OfComplex(x, type);
      case ElementClass::kFloat:
        return OfFloats(x, type);
      default:
        return OfIntegers(x, type);
    }
  }

 private:
  ElementType OperandType(size_t i) const { return instruction_.operand(i).shape().element_type(); }
  llvm::StringRef Direction() const {
    return instruction_.Required<hlo::Keyword>(AttributeName::kDirection).text;
  }

  // What was computed of a number of the type, which may be one of its parts, as the result has it.
  Number Rounded(const Number& computed, ElementType type) {
    const ElementType from = computed.imaginary == nullptr ? hlo::RealPartType(type) : type;
    return from == result_ ? computed : EmitConvert(builder_, computed, from, result_);
  }

  absl::StatusOr<Number> StochasticConvert(llvm::ArrayRef<Number> x, ElementType type) {
    const ElementType of_random = OperandType(1);
    const bool fits = hlo::ClassOf(type) == ElementClass::kFloat &&
                      hlo::ClassOf(of_random) == ElementClass::kUnsigned &&
                      (hlo::ClassOf(result_) == ElementClass::kFloat || hlo::IsIntegral(result_));
    if (!fits) return NotDefined(hlo::ClassOf(type) == ElementClass::kFloat ? result_ : type);
    return EmitStochasticConvert(builder_, x[0], x[1], type, of_random, result_);
  }

  absl::StatusOr<Number> OfIntegers(llvm::ArrayRef<Number> x, ElementType type) {
    if (opcode_ == Opcode::kCompare) {
      const bool is_signed = hlo::ClassOf(type) == ElementClass::kSigned;
      return Number{CompareIntegers(builder_, Direction(), x[0].value, x[1].value, is_signed),
                    Value()};
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(const Value value,
                                  EmitIntegerFunction(builder_, opcode_, RealParts(x), type));
    return Number{value, Value()};
  }

  static llvm::SmallVector<Value, 3> RealParts(llvm::ArrayRef<Number> x) {
    llvm::SmallVector<Value, 3> values;
    for (const Number& number : x) values.push_back(number.value);
    return values;
  }

  // In f32, or f64 if the numbers are that.
  llvm::SmallVector<Value, 3> Widened(llvm::ArrayRef<Number> x, ElementType type) {
    llvm::SmallVector<Value, 3> values;
    for (const Number& number : x) {
      values.push_back(EmitConvert(builder_, number, type, Wide(type)).value);
    }
    return values;
  }
  static ElementType Wide(ElementType type) {
    return type == ElementType::kF64 ? type : ElementType::kF32;
  }

  // Computed in f32, or f64, as exactly as the wider of the types asks for, and rounded.
  absl::StatusOr<Number> OfFloats(llvm::ArrayRef<Number> x, ElementType type) {
    const bool is_wider = hlo::ClassOf(result_) == ElementClass::kFloat &&
                          hlo::ElementBits(result_) > hlo::ElementBits(type);
    const ElementType precision = is_wider ? result_ : type;
    llvm::SmallVector<Value, 3> values;
    for (const Number& number : x) {
      values.push_back(EmitConvert(builder_, number, type, Wide(precision)).value);
    }
    if (opcode_ == Opcode::kCompare) {
      const auto order = instruction_.Get<hlo::Keyword>(AttributeName::kType);
      if (order.has_value() && order->text == "TOTALORDER") {
        return Number{
            CompareIntegers(builder_, Direction(), EmitTotalOrderRank(builder_, x[0], type),
                            EmitTotalOrderRank(builder_, x[1], type),
                            /*is_signed=*/true),
            Value()};
      }
      return Number{CompareFloats(builder_, Direction(), values[0], values[1]), Value()};
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(const Value value,
                                  EmitFloatFunction(builder_, opcode_, values, precision));
    if (opcode_ == Opcode::kIsFinite) return Number{value, Value()};
    return EmitConvert(builder_, {value, Value()}, Wide(precision), result_);
  }

  absl::StatusOr<Number> OfComplex(llvm::ArrayRef<Number> x, ElementType type) {
    if (opcode_ != Opcode::kCompare) {
      HLO_INDEXING_ASSIGN_OR_RETURN(const Number computed,
                                    EmitComplexFunction(builder_, opcode_, x, type));
      if (opcode_ == Opcode::kIsFinite) return computed;
      return Rounded(computed, type);
    }
    const Value same =
        arith::AndIOp::create(ops_, CompareFloats(builder_, "EQ", x[0].value, x[1].value),
                              CompareFloats(builder_, "EQ", x[0].imaginary, x[1].imaginary));
    if (Direction() == "EQ") return Number{same, Value()};
    return Number{arith::XOrIOp::create(ops_, same, builder_.Integer(1, 1)), Value()};
  }

  absl::StatusOr<Number> Clamp(llvm::ArrayRef<Number> x) {
    const ElementType type = OperandType(1);
    if (IsComplex(type)) return NotDefined(type);
    const bool is_float = hlo::ClassOf(type) == ElementClass::kFloat;
    const llvm::SmallVector<Value, 3> values = is_float ? Widened(x, type) : RealParts(x);
    const auto apply = [&](Opcode opcode, Value a, Value b) {
      return is_float ? EmitFloatFunction(builder_, opcode, {a, b}, type)
                      : EmitIntegerFunction(builder_, opcode, {a, b}, type);
    };
    HLO_INDEXING_ASSIGN_OR_RETURN(const Value raised,
                                  apply(Opcode::kMaximum, values[1], values[0]));
    HLO_INDEXING_ASSIGN_OR_RETURN(const Value clamped, apply(Opcode::kMinimum, raised, values[2]));
    if (!is_float) return Number{clamped, Value()};
    return EmitConvert(builder_, {clamped, Value()}, Wide(type), type);
  }

  // The bits of an element of as many bits.
  absl::StatusOr<Number> Reinterpret(const Number& x, ElementType type) {
    if (hlo::ElementBits(type) != hlo::ElementBits(result_) || type == ElementType::kPred ||
        result_ == ElementType::kPred) {
      return NotDefined(type);
    }
    return NumberOfBits(builder_, BitsOfNumber(builder_, x, type), result_);
  }

  KernelBuilder& builder_;
  mlir::ImplicitLocOpBuilder& ops_;
  const Instruction& instruction_;
  Opcode opcode_;
  ElementType result_;
};

}  // namespace

bool IsElementwise(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan2:
    case Opcode::kAtanh:
    case Opcode::kBitcastConvert:
    case Opcode::kCbrt:
    case Opcode::kCeil:
    case Opcode::kClamp:
    case Opcode::kCompare:
    case Opcode::kComplex:
    case Opcode::kConvert:
    case Opcode::kCosh:
    case Opcode::kCosine:
    case Opcode::kCountLeadingZeros:
    case Opcode::kDivide:
    case Opcode::kErf:
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kFloor:
    case Opcode::kImag:
    case Opcode::kIsFinite:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMulhi:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kPopulationCount:
    case Opcode::kPower:
    case Opcode::kReal:
    case Opcode::kReducePrecision:
    case Opcode::kRemainder:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kRsqrt:
    case Opcode::kSelect:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kSign:
    case Opcode::kSine:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kStochasticConvert:
    case Opcode::kSubtract:
    case Opcode::kTan:
    case Opcode::kTanh:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<Number> EmitElementwise(KernelBuilder& builder, const Instruction& instruction,
                                       llvm::ArrayRef<Number> operands) {
  return ElementwiseCode(builder, instruction).Emit(operands);
}

Number EmitJoinedBits(KernelBuilder& builder, llvm::ArrayRef<Number> parts, ElementType from,
                      ElementType to) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  const auto bits = static_cast<unsigned>(hlo::ElementBits(to));
  const mlir::Type wide = builder.integer_type(std::max(8U, bits));
  Value joined = builder.Integer(wide, 0);
  for (size_t i = 0; i < parts.size(); ++i) {
    Value part = BitsOfNumber(builder, parts[i], from);
    if (part.getType() != wide) part = arith::ExtUIOp::create(ops, wide, part);
    const Value places = builder.Integer(wide, static_cast<int64_t>(i) * hlo::ElementBits(from));
    joined = arith::OrIOp::create(ops, joined, arith::ShLIOp::create(ops, part, places));
  }
  return NumberOfBits(builder, joined, to);
}

Number EmitBitsAt(KernelBuilder& builder, const Number& whole, Value place, ElementType from,
                  ElementType to) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  const Value bits = BitsOfNumber(builder, whole, from);
  const unsigned width = bits.getType().getIntOrFloatBitWidth();
  const Value first = arith::MulIOp::create(ops, builder.Resize(place, width),
                                            builder.Integer(width, hlo::ElementBits(to)));
  return NumberOfBits(builder, arith::ShRUIOp::create(ops, bits, first), to);
}

Value EmitClamped(KernelBuilder& builder, Value value, ElementType type,
                  const simplifier::Interval& bounds) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  const bool is_signed = hlo::ClassOf(type) == ElementClass::kSigned;
  const bool fits = bounds.lower >= INT32_MIN && bounds.upper <= INT32_MAX;
  // As 32 bits with a sign if all values and both bounds are.
  const unsigned held = value.getType().getIntOrFloatBitWidth();
  const unsigned bits = fits && (held < 32 || (held == 32 && is_signed)) ? 32 : 64;
  if (held < bits) {
    value = is_signed ? Value(arith::ExtSIOp::create(ops, builder.integer_type(bits), value))
                      : Value(arith::ExtUIOp::create(ops, builder.integer_type(bits), value));
  }
  const Value upper = builder.Integer(bits, bounds.upper);
  if (!is_signed && held == 64) {
    // What is beyond the signed numbers is beyond the bound.
    value = arith::MinUIOp::create(ops, value, upper);
  } else {
    value = arith::MinSIOp::create(ops, value, upper);
  }
  value = arith::MaxSIOp::create(ops, value, builder.Integer(bits, bounds.lower));
  return fits ? builder.Resize(value, 32) : value;
}

ProductSum::ProductSum(KernelBuilder& builder, const Instruction& instruction)
    : builder_(builder), instruction_(instruction), type_(instruction.shape().element_type()) {
  // What the type of the result lacks is lost at the end.
  const auto has_operands = [&](ElementClass kind) {
    return llvm::any_of(instruction.operands().take_front(2), [&](const Instruction* operand) {
      return hlo::ClassOf(operand->shape().element_type()) == kind;
    });
  };
  if (!IsComplex(type_) && has_operands(ElementClass::kComplex)) {
    type_ = ElementType::kC128;
  } else if (!IsComplex(type_) && hlo::ClassOf(type_) != ElementClass::kFloat &&
             has_operands(ElementClass::kFloat)) {
    type_ = ElementType::kF64;
  }
  if (hlo::ClassOf(type_) == ElementClass::kFloat && hlo::ElementBits(type_) < 32) {
    type_ = ElementType::kF32;
  }
  if (hlo::IsIntegral(type_) && hlo::ElementBits(type_) < 8) type_ = ElementType::kS32;
}

Number ProductSum::Widen(const Number& number, ElementType from) {
  return EmitConvert(builder_, number, from, type_);
}

Number ProductSum::Multiply(const Number& a, const Number& b) {
  mlir::ImplicitLocOpBuilder& ops = builder_.ops();
  if (IsComplex(type_)) {
    return *EmitComplexFunction(builder_, Opcode::kMultiply, {a, b}, type_);
  }
  if (mlir::isa<mlir::FloatType>(a.value.getType())) {
    return {arith::MulFOp::create(ops, a.value, b.value), Value()};
  }
  return {arith::MulIOp::create(ops, a.value, b.value), Value()};
}

Number ProductSum::Add(const Number& sum, const Number& x, const Number& y) {
  mlir::ImplicitLocOpBuilder& ops = builder_.ops();
  const auto add_product = [&](Value p, Value q, Value to) -> Value {
    if (mlir::isa<mlir::FloatType>(to.getType())) {
      return mlir::LLVM::FMAOp::create(ops, p, q, to);
    }
    if (type_ == ElementType::kPred) {
      return arith::OrIOp::create(ops, to, arith::AndIOp::create(ops, p, q));
    }
    return arith::AddIOp::create(ops, to, arith::MulIOp::create(ops, p, q));
  };
  if (!IsComplex(type_)) return {add_product(x.value, y.value, sum.value), Value()};
  const Value negated = arith::NegFOp::create(ops, x.imaginary);
  return {add_product(negated, y.imaginary, add_product(x.value, y.value, sum.value)),
          add_product(x.imaginary, y.value, add_product(x.value, y.imaginary, sum.imaginary))};
}

Number ProductSum::Finish(const Number& sum) {
  return EmitConvert(builder_, sum, type_, instruction_.shape().element_type());
}

}  // namespace hlo_indexing::emit
