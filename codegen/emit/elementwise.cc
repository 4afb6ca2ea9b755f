#include "codegen/emit/elementwise.h"

#include <limits>

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
  return absl::UnimplementedError(absl::StrCat("of ", hlo::ElementTypeName(type).str(),
                                               " has no code in a kernel"));
}

// Operators on integers of a type, which wrap around.
class IntegerCode {
 public:
  IntegerCode(KernelBuilder& builder, ElementType type)
      : builder_(builder),
        ops_(builder.ops()),
        type_(type),
        bits_(type == ElementType::kPred ? 1 : hlo::ElementBits(type)),
        is_signed_(hlo::ClassOf(type) == ElementClass::kSigned) {}

  absl::StatusOr<Value> Unary(Opcode opcode, Value x) {
    switch (opcode) {
      case Opcode::kAbs: {
        if (!is_signed_) return x;
        const Value negative = Compare(CmpIPredicate::slt, x, Constant(x, 0));
        return Wrap(Select(negative, Negate(x), x));
      }
      case Opcode::kNegate:
        return Wrap(Negate(x));
      case Opcode::kNot:
        return Wrap(Make<arith::XOrIOp>(x, Constant(x, -1)));
      case Opcode::kSign: {
        const Value zero = Constant(x, 0);
        const Value is_not_zero = Compare(CmpIPredicate::ne, x, zero);
        const Value positive = Select(is_not_zero, Constant(x, 1), zero);
        if (!is_signed_) return positive;
        return Select(Compare(CmpIPredicate::slt, x, zero), Constant(x, -1), positive);
      }
      case Opcode::kPopulationCount:
        return Make<mlir::LLVM::CtPopOp>(x.getType(), Bits(x));
      case Opcode::kCountLeadingZeros: {
        const Value count = Make<mlir::LLVM::CountLeadingZerosOp>(x.getType(), Bits(x), false);
        const int64_t held = x.getType().getIntOrFloatBitWidth();
        return Make<arith::SubIOp>(count, Constant(x, held - bits_));
      }
      default:
        return NotDefined(type_);
    }
  }

  absl::StatusOr<Value> Binary(Opcode opcode, Value a, Value b) {
    switch (opcode) {
      case Opcode::kAdd:
        return type_ == ElementType::kPred ? Make<arith::OrIOp>(a, b)
                                           : Wrap(Make<arith::AddIOp>(a, b));
      case Opcode::kSubtract:
        return Wrap(Make<arith::SubIOp>(a, b));
      case Opcode::kMultiply:
        return Wrap(Make<arith::MulIOp>(a, b));
      case Opcode::kAnd:
        return Make<arith::AndIOp>(a, b);
      case Opcode::kOr:
        return Make<arith::OrIOp>(a, b);
      case Opcode::kXor:
        return Make<arith::XOrIOp>(a, b);
      case Opcode::kMaximum:
        return Select(Compare(Less(), a, b), b, a);
      case Opcode::kMinimum:
        return Select(Compare(Less(), b, a), b, a);
      case Opcode::kDivide:
      case Opcode::kRemainder:
        return Divide(opcode == Opcode::kDivide, a, b);
      case Opcode::kShiftLeft:
        return Wrap(Shift(b, Make<arith::ShLIOp>(a, ShiftAmount(b)), Constant(a, 0)));
      case Opcode::kShiftRightLogical:
        return Wrap(Shift(b, Make<arith::ShRUIOp>(Bits(a), ShiftAmount(b)), Constant(a, 0)));
      case Opcode::kShiftRightArithmetic: {
        // The sign is the highest bit, of unsigned types too.
        const Value x = SignExtended(a);
        const Value sign = Make<arith::ShRSIOp>(x, Constant(x, x.getType().getIntOrFloatBitWidth() - 1));
        return Wrap(Shift(b, Make<arith::ShRSIOp>(x, ShiftAmount(b)), sign));
      }
      case Opcode::kMulhi:
        return MultiplyHigh(a, b);
      default:
        return NotDefined(type_);
    }
  }

  Value Compare(llvm::StringRef direction, Value a, Value b) {
    const CmpIPredicate predicate =
        direction == "EQ"   ? CmpIPredicate::eq
        : direction == "NE" ? CmpIPredicate::ne
        : direction == "LT" ? Less()
        : direction == "GT" ? (is_signed_ ? CmpIPredicate::sgt : CmpIPredicate::ugt)
        : direction == "LE" ? (is_signed_ ? CmpIPredicate::sle : CmpIPredicate::ule)
                            : (is_signed_ ? CmpIPredicate::sge : CmpIPredicate::uge);
    return Compare(predicate, a, b);
  }

 private:
  template <typename Op, typename... Arguments>
  Value Make(Arguments... arguments) {
    return Op::create(ops_, arguments...);
  }
  Value Constant(Value like, int64_t value) { return builder_.Integer(like.getType(), value); }
  Value Compare(CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(ops_, predicate, a, b);
  }
  Value Select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(ops_, condition, a, b);
  }
  Value Negate(Value x) { return Make<arith::SubIOp>(Constant(x, 0), x); }
  CmpIPredicate Less() const { return is_signed_ ? CmpIPredicate::slt : CmpIPredicate::ult; }

  bool IsPadded(Value x) const { return x.getType().getIntOrFloatBitWidth() != bits_; }
  // A value of fewer bits than its register, within the type again.
  Value Wrap(Value x) { return is_signed_ ? SignExtended(x) : Bits(x); }
  Value SignExtended(Value x) {
    if (!IsPadded(x)) return x;
    const Value places = Constant(x, x.getType().getIntOrFloatBitWidth() - bits_);
    return Make<arith::ShRSIOp>(Make<arith::ShLIOp>(x, places), places);
  }
  // The bits of the type, above them zeros.
  Value Bits(Value x) {
    return IsPadded(x) ? Make<arith::AndIOp>(x, Constant(x, (int64_t{1} << bits_) - 1)) : x;
  }

  // Shifting by as many bits as there are, or more, is defined.
  Value ShiftAmount(Value b) {
    return Select(IsWithin(b), b, Constant(b, 0));
  }
  Value IsWithin(Value b) { return Compare(CmpIPredicate::ult, b, Constant(b, bits_)); }
  Value Shift(Value amount, Value shifted, Value beyond) {
    return Select(IsWithin(amount), shifted, beyond);
  }

  // By zero: all bits set, and the dividend itself as remainder.
  Value Divide(bool wants_quotient, Value a, Value b) {
    const Value is_zero = Compare(CmpIPredicate::eq, b, Constant(b, 0));
    Value is_undefined = is_zero;
    if (is_signed_) {
      const Value is_least = Compare(
          CmpIPredicate::eq, a,
          Constant(a, std::numeric_limits<int64_t>::min() >> (64 - a.getType().getIntOrFloatBitWidth())));
      const Value is_minus_one = Compare(CmpIPredicate::eq, b, Constant(b, -1));
      is_undefined = Make<arith::OrIOp>(is_zero, Make<arith::AndIOp>(is_least, is_minus_one));
    }
    const Value divisor = Select(is_undefined, Constant(b, 1), b);
    if (wants_quotient) {
      const Value quotient = is_signed_ ? Make<arith::DivSIOp>(a, divisor)
                                        : Make<arith::DivUIOp>(a, divisor);
      return Wrap(Select(is_zero, Constant(a, -1), quotient));
    }
    const Value rest = is_signed_ ? Make<arith::RemSIOp>(a, divisor)
                                  : Make<arith::RemUIOp>(a, divisor);
    return Select(is_zero, a, rest);
  }

  Value MultiplyHigh(Value a, Value b) {
    const unsigned held = a.getType().getIntOrFloatBitWidth();
    const mlir::Type wide = builder_.integer_type(held * 2);
    const auto widened = [&](Value x) {
      return is_signed_ ? Make<arith::ExtSIOp>(wide, x) : Make<arith::ExtUIOp>(wide, x);
    };
    const Value product = Make<arith::MulIOp>(widened(a), widened(b));
    const Value high = Make<arith::ShRUIOp>(product, Constant(product, bits_));
    return Wrap(Make<arith::TruncIOp>(a.getType(), high));
  }

  KernelBuilder& builder_;
  mlir::ImplicitLocOpBuilder& ops_;
  ElementType type_;
  int64_t bits_;
  bool is_signed_;
};

// Operators on f32 and f64.
class FloatCode {
 public:
  explicit FloatCode(KernelBuilder& builder) : builder_(builder), ops_(builder.ops()) {}

  absl::StatusOr<Value> Unary(Opcode opcode, Value x, ElementType type) {
    switch (opcode) {
      case Opcode::kAbs:
        return Make<mlir::LLVM::FAbsOp>(x);
      case Opcode::kNegate:
        return Make<arith::NegFOp>(x);
      case Opcode::kCeil:
        return Make<mlir::LLVM::FCeilOp>(x);
      case Opcode::kFloor:
        return Make<mlir::LLVM::FFloorOp>(x);
      case Opcode::kRoundNearestEven:
        return Make<mlir::LLVM::RoundEvenOp>(x);
      case Opcode::kRoundNearestAfz: {
        const Value whole = Make<mlir::LLVM::FTruncOp>(x);
        const Value rest = Make<mlir::LLVM::FAbsOp>(Make<arith::SubFOp>(x, whole));
        const Value one = Make<mlir::LLVM::CopySignOp>(Constant(x, 1), x);
        const Value away = Make<arith::AddFOp>(whole, one);
        return Select(Compare(CmpFPredicate::OGE, rest, Constant(x, 0.5)), away, whole);
      }
      case Opcode::kSign: {
        const Value zero = Constant(x, 0);
        const Value negative = Select(Compare(CmpFPredicate::OLT, x, zero), Constant(x, -1), x);
        return Select(Compare(CmpFPredicate::OGT, x, zero), Constant(x, 1), negative);
      }
      case Opcode::kSqrt:
        return Make<mlir::LLVM::SqrtOp>(x);
      default:
        return EmitTranscendental(builder_, opcode, x, Value(), type);
    }
  }

  absl::StatusOr<Value> Binary(Opcode opcode, Value a, Value b, ElementType type) {
    switch (opcode) {
      case Opcode::kAdd:
        return Make<arith::AddFOp>(a, b);
      case Opcode::kSubtract:
        return Make<arith::SubFOp>(a, b);
      case Opcode::kMultiply:
        return Make<arith::MulFOp>(a, b);
      case Opcode::kDivide:
        return Make<arith::DivFOp>(a, b);
      case Opcode::kMaximum:
        return Make<arith::MaximumFOp>(a, b);
      case Opcode::kMinimum:
        return Make<arith::MinimumFOp>(a, b);
      default:
        return EmitTranscendental(builder_, opcode, a, b, type);
    }
  }

  Value Compare(llvm::StringRef direction, Value a, Value b) {
    const CmpFPredicate predicate = direction == "EQ"   ? CmpFPredicate::OEQ
                                    : direction == "NE" ? CmpFPredicate::UNE
                                    : direction == "LT" ? CmpFPredicate::OLT
                                    : direction == "GT" ? CmpFPredicate::OGT
                                    : direction == "LE" ? CmpFPredicate::OLE
                                                        : CmpFPredicate::OGE;
    return Compare(predicate, a, b);
  }

  Value IsFinite(Value x) {
    return Compare(CmpFPredicate::OLT, Make<mlir::LLVM::FAbsOp>(x),
                   Constant(x, std::numeric_limits<double>::infinity()));
  }

  // Bits that are ordered as integers with a sign: negative nan, -inf, ... -0, 0, ... inf, nan.
  Value OrderedBits(Value x) {
    const unsigned bits = x.getType().getIntOrFloatBitWidth();
    const mlir::Type integer = builder_.integer_type(bits);
    const Value code = Make<arith::BitcastOp>(integer, x);
    const Value sign = Make<arith::ShRSIOp>(code, builder_.Integer(integer, bits - 1));
    const Value flips = Make<arith::ShRUIOp>(sign, builder_.Integer(integer, 1));
    return Make<arith::XOrIOp>(code, flips);
  }

 private:
  template <typename Op, typename... Arguments>
  Value Make(Arguments... arguments) {
    return Op::create(ops_, arguments...);
  }
  Value Constant(Value like, double value) { return builder_.Float(like.getType(), value); }
  Value Compare(CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(ops_, predicate, a, b);
  }
  Value Select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(ops_, condition, a, b);
  }

  KernelBuilder& builder_;
  mlir::ImplicitLocOpBuilder& ops_;
};

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
      case Opcode::kBitcastConvert:
        return Reinterpret(x[0], type);
      case Opcode::kSelect:
        return SelectNumber(builder_, x[0].value, x[1], x[2]);
      case Opcode::kComplex:
        return Number{x[0].value, x[1].value};
      case Opcode::kReal:
        return Number{x[0].value, Value()};
      case Opcode::kImag:
        if (!IsComplex(type)) return ZeroOf(builder_, result_);
        return Number{x[0].imaginary, Value()};
      case Opcode::kClamp:
        return Clamp(x);
      case Opcode::kReducePrecision:
        return EmitReducePrecision(
            builder_, x[0], type,
            instruction_.Required<int64_t>(AttributeName::kExponentBits),
            instruction_.Required<int64_t>(AttributeName::kMantissaBits));
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
  ElementType OperandType(size_t i) const {
    return instruction_.operand(i).shape().element_type();
  }
  llvm::StringRef Direction() const {
    return instruction_.Required<hlo::Keyword>(AttributeName::kDirection).text;
  }

  absl::StatusOr<Number> OfIntegers(llvm::ArrayRef<Number> x, ElementType type) {
    IntegerCode code(builder_, type);
    if (opcode_ == Opcode::kCompare) {
      return Number{code.Compare(Direction(), x[0].value, x[1].value), Value()};
    }
    if (opcode_ == Opcode::kPower) return OfFunction(x, type);
    absl::StatusOr<Value> value = x.size() == 1
                                      ? code.Unary(opcode_, x[0].value)
                                      : code.Binary(opcode_, x[0].value, x[1].value);
    if (!value.ok()) return value.status();
    return Number{*value, Value()};
  }

  absl::StatusOr<Number> OfFunction(llvm::ArrayRef<Number> x, ElementType type) {
    HLO_INDEXING_ASSIGN_OR_RETURN(
        const Value value, EmitTranscendental(builder_, opcode_, x[0].value,
                                              x.size() > 1 ? x[1].value : Value(), type));
    return Number{value, Value()};
  }

  // Computed in f32, or f64, and rounded.
  absl::StatusOr<Number> OfFloats(llvm::ArrayRef<Number> x, ElementType type) {
    FloatCode code(builder_);
    const ElementType wide = type == ElementType::kF64 ? type : ElementType::kF32;
    // Moves and sign changes of bits need no rounding, and keep what a nan carries.
    llvm::SmallVector<Value, 2> values;
    for (const Number& number : x) {
      HLO_INDEXING_ASSIGN_OR_RETURN(const Number widened,
                                    EmitConvert(builder_, number, type, wide));
      values.push_back(widened.value);
    }
    if (opcode_ == Opcode::kCompare) {
      const auto order = instruction_.Get<hlo::Keyword>(AttributeName::kType);
      if (order.has_value() && order->text == "TOTALORDER") {
        IntegerCode bits(builder_, wide == ElementType::kF64 ? ElementType::kS64 : ElementType::kS32);
        return Number{bits.Compare(Direction(), code.OrderedBits(values[0]),
                                   code.OrderedBits(values[1])),
                      Value()};
      }
      return Number{code.Compare(Direction(), values[0], values[1]), Value()};
    }
    if (opcode_ == Opcode::kIsFinite) return Number{code.IsFinite(values[0]), Value()};
    HLO_INDEXING_ASSIGN_OR_RETURN(const Value value,
                                  values.size() == 1
                                      ? code.Unary(opcode_, values[0], wide)
                                      : code.Binary(opcode_, values[0], values[1], wide));
    return EmitConvert(builder_, {value, Value()}, wide, result_);
  }

  absl::StatusOr<Number> OfComplex(llvm::ArrayRef<Number> x, ElementType type) {
    FloatCode code(builder_);
    const ElementType part = hlo::RealPartType(type);
    const auto make = [&](Opcode opcode, Value a, Value b) {
      return *code.Binary(opcode, a, b, part);
    };
    switch (opcode_) {
      case Opcode::kAdd:
      case Opcode::kSubtract:
        return Number{make(opcode_, x[0].value, x[1].value),
                      make(opcode_, x[0].imaginary, x[1].imaginary)};
      case Opcode::kNegate:
        return Number{*code.Unary(opcode_, x[0].value, part),
                      *code.Unary(opcode_, x[0].imaginary, part)};
      case Opcode::kMultiply:
        return EmitComplexProduct(builder_, x[0], x[1]);
      case Opcode::kCompare: {
        const Value same = arith::AndIOp::create(
            ops_, code.Compare("EQ", x[0].value, x[1].value),
            code.Compare("EQ", x[0].imaginary, x[1].imaginary));
        if (Direction() == "EQ") return Number{same, Value()};
        return Number{arith::XOrIOp::create(ops_, same, builder_.Integer(1, 1)), Value()};
      }
      case Opcode::kIsFinite:
        return Number{arith::AndIOp::create(ops_, code.IsFinite(x[0].value),
                                            code.IsFinite(x[0].imaginary)),
                      Value()};
      default:
        return EmitComplexFunction(builder_, opcode_, x, type);
    }
  }

  absl::StatusOr<Number> Clamp(llvm::ArrayRef<Number> x) {
    const ElementType type = OperandType(1);
    if (IsComplex(type)) return NotDefined(type);
    if (hlo::ClassOf(type) == ElementClass::kFloat) {
      FloatCode code(builder_);
      const ElementType wide = type == ElementType::kF64 ? type : ElementType::kF32;
      llvm::SmallVector<Value, 3> values;
      for (const Number& number : x) {
        HLO_INDEXING_ASSIGN_OR_RETURN(const Number widened,
                                      EmitConvert(builder_, number, type, wide));
        values.push_back(widened.value);
      }
      const Value raised = *code.Binary(Opcode::kMaximum, values[1], values[0], wide);
      const Value clamped = *code.Binary(Opcode::kMinimum, raised, values[2], wide);
      return EmitConvert(builder_, {clamped, Value()}, wide, type);
    }
    IntegerCode code(builder_, type);
    const Value raised = *code.Binary(Opcode::kMaximum, x[1].value, x[0].value);
    return Number{*code.Binary(Opcode::kMinimum, raised, x[2].value), Value()};
  }

  // The bits of an element of as many bits.
  absl::StatusOr<Number> Reinterpret(const Number& x, ElementType type) {
    if (hlo::ElementBits(type) != hlo::ElementBits(result_) || IsComplex(type) ||
        IsComplex(result_) || type == ElementType::kPred || result_ == ElementType::kPred) {
      return NotDefined(type);
    }
    const mlir::Type to = RegisterType(builder_, result_);
    Value value = x.value;
    if (value.getType() != to) value = arith::BitcastOp::create(ops_, to, value);
    // Types of fewer bits than a byte are held with their sign.
    const int64_t bits = hlo::ElementBits(result_);
    if (bits < 8) {
      const Value places = builder_.Integer(8, 8 - bits);
      const Value high = arith::ShLIOp::create(ops_, value, places);
      const bool is_signed = hlo::ClassOf(result_) == ElementClass::kSigned;
      value = is_signed ? Value(arith::ShRSIOp::create(ops_, high, places))
                        : Value(arith::ShRUIOp::create(ops_, high, places));
    }
    return Number{value, Value()};
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
    : builder_(builder),
      instruction_(instruction),
      type_(instruction.shape().element_type()) {
  if (hlo::ClassOf(type_) == ElementClass::kFloat && hlo::ElementBits(type_) < 32) {
    type_ = ElementType::kF32;
  }
  if (hlo::IsIntegral(type_) && hlo::ElementBits(type_) < 8) type_ = ElementType::kS32;
}

Number ProductSum::Converted(const Number& number, ElementType from, ElementType to) {
  absl::StatusOr<Number> converted = EmitConvert(builder_, number, from, to);
  if (converted.ok()) return *converted;
  status_.Update(converted.status());
  return ZeroOf(builder_, to);
}

Number ProductSum::Add(const Number& sum, const Number& a, const Number& b) {
  const Number x = Converted(a, instruction_.operand(0).shape().element_type(), type_);
  const Number y = Converted(b, instruction_.operand(1).shape().element_type(), type_);
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
  return Converted(sum, type_, instruction_.shape().element_type());
}

}  // namespace hlo_indexing::emit
