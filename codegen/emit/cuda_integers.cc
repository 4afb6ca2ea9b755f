// Integers as expressions of CUDA C++.
#include "absl/strings/str_cat.h"
#include "codegen/emit/cuda_expressions.h"
#include "llvm/ADT/TypeSwitch.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using mlir::Operation;
using mlir::Type;
using mlir::Value;

namespace {

bool IsLiteral(Value value) { return value.getDefiningOp<arith::ConstantOp>() != nullptr; }

unsigned WidthOf(Value value) { return value.getType().getIntOrFloatBitWidth(); }

std::string Cast(Type type, bool is_signed, const std::string& text) {
  // A type of two words is no function.
  if (type.getIntOrFloatBitWidth() > 64) return absl::StrCat("((unsigned __int128)(", text, "))");
  return absl::StrCat(CudaType(type, is_signed), "(", text, ")");
}

}  // namespace

std::string CudaExpressions::Signed(Value value, int precedence) {
  const CudaExpression expression = Of(value);
  if (expression.is_signed || value.getType().isInteger(1)) return Text(value, precedence);
  return Cast(value.getType(), true, expression.text);
}

std::string CudaExpressions::Unsigned(Value value, int precedence) {
  if (const std::optional<int64_t> constant = ConstantInteger(value);
      constant.has_value() && WidthOf(value) > 1) {
    const unsigned bits = WidthOf(value);
    const uint64_t plain = static_cast<uint64_t>(*constant) & (~uint64_t{0} >> (64 - bits));
    const char* const suffix = bits < 32 ? "" : plain > UINT32_MAX ? "ull" : "u";
    constexpr uint64_t kReadable = 9999;
    if (plain <= kReadable) return absl::StrCat(plain, suffix);
    return absl::StrCat("0x", absl::Hex(plain), suffix);
  }
  const CudaExpression expression = Of(value);
  if (!expression.is_signed || value.getType().isInteger(1)) return Text(value, precedence);
  return Cast(value.getType(), false, expression.text);
}

bool CudaExpressions::WithOneSign(Value a, Value b, int precedence, std::string& text_a,
                                  std::string& text_b) {
  const auto has_sign = [&](Value value) { return IsLiteral(value) || Of(value).is_signed; };
  const bool both = has_sign(a) && has_sign(b);
  text_a = both ? Text(a, precedence) : Unsigned(a, precedence);
  text_b = both ? Text(b, precedence) : Unsigned(b, precedence);
  return both;
}

CudaExpression CudaExpressions::Arithmetic(Operation& operation, const char* text, int precedence) {
  const Value a = operation.getOperand(0);
  const Value b = operation.getOperand(1);
  const Value result = operation.getResult(0);
  const std::optional<int64_t> constant = ConstantInteger(b);
  const bool is_sum = mlir::isa<arith::AddIOp>(operation);
  const bool is_negative = is_sum && constant.has_value() && *constant < 0 && *constant > INT32_MIN;
  if (ranges_.IsKnown(result)) {
    if (is_negative) {
      return {absl::StrCat(Signed(a, precedence), " - ", -*constant), precedence, true};
    }
    return {absl::StrCat(Signed(a, precedence), text, Signed(b, precedence + 1)), precedence, true};
  }
  std::string unsigned_text =
      is_negative ? absl::StrCat(Unsigned(a, precedence), " - ", -*constant)
                  : absl::StrCat(Unsigned(a, precedence), text, Unsigned(b, precedence + 1));
  if (WidthOf(result) >= 32) return {unsigned_text, precedence, false};
  // Narrower ones are computed in 32 bits.
  return {Cast(result.getType(), false, unsigned_text), kPrimary, false};
}

CudaExpression CudaExpressions::Logical(Operation& operation) {
  const bool is_and = mlir::isa<arith::AndIOp>(operation);
  const bool is_or = mlir::isa<arith::OrIOp>(operation);
  const Value a = operation.getOperand(0);
  const Value b = operation.getOperand(1);
  if (a.getType().isInteger(1)) {
    if (is_and) return Infix(operation, " && ", kLogicalAnd);
    // Beside each other people take them for one another.
    if (is_or) {
      return {absl::StrCat(Text(a, kEquality), " || ", Text(b, kEquality)), kLogicalOr};
    }
    if (ConstantInteger(b).value_or(0) != 0) return {"!" + Text(a, kPrimary), kUnary};
    return {absl::StrCat(Text(a, kRelation), " != ", Text(b, kRelation)), kEquality};
  }
  const std::optional<int64_t> constant = ConstantInteger(b);
  const bool is_mask = constant.has_value() && *constant > 0 && (*constant & (*constant + 1)) == 0;
  if (is_and && is_mask && ranges_.IsNotNegative(a) && *constant < INT32_MAX && Of(a).is_signed) {
    return {absl::StrCat(Signed(a, kProduct), " % ", *constant + 1), kProduct, true};
  }
  if (!is_and && !is_or && constant == -1) {
    const std::string text = "~" + Unsigned(a, kPrimary);
    if (WidthOf(a) >= 32) return {text, kUnary, false};
    return {Cast(a.getType(), false, text), kPrimary, false};
  }
  std::string text_a;
  std::string text_b;
  const bool is_signed = WithOneSign(a, b, kUnary, text_a, text_b);
  const int precedence = is_and ? kBitAnd : is_or ? kBitOr : kBitXor;
  const char* const text = is_and ? " & " : is_or ? " | " : " ^ ";
  return {absl::StrCat(text_a, text, text_b), precedence, is_signed};
}

CudaExpression CudaExpressions::Shift(Operation& operation) {
  const Value a = operation.getOperand(0);
  const Value places = operation.getOperand(1);
  const Type type = a.getType();
  const std::optional<int64_t> constant = ConstantInteger(places);
  const bool is_left = mlir::isa<arith::ShLIOp>(operation);
  const bool is_arithmetic = mlir::isa<arith::ShRSIOp>(operation);
  const bool is_power = constant.has_value() && *constant >= 0 && *constant < 31;
  if (is_left) {
    if (is_power && ranges_.IsKnown(operation.getResult(0))) {
      return {absl::StrCat(Signed(a, kProduct), " * ", int64_t{1} << *constant), kProduct, true};
    }
    const std::string shifted =
        absl::StrCat(IsLiteral(a) ? Cast(type, false, Unsigned(a)) : Unsigned(a, kUnary), " << ",
                     Text(places, kUnary));
    if (WidthOf(a) >= 32) return {shifted, kShift, false};
    return {Cast(type, false, shifted), kPrimary, false};
  }
  if (is_power && ranges_.IsNotNegative(a) && Of(a).is_signed) {
    return {absl::StrCat(Signed(a, kProduct), " / ", int64_t{1} << *constant), kProduct, true};
  }
  const std::string from = is_arithmetic ? Signed(a, kUnary) : Unsigned(a, kUnary);
  return {absl::StrCat(from, " >> ", Text(places, kUnary)), kShift, is_arithmetic};
}

CudaExpression CudaExpressions::Division(Operation& operation) {
  const Value a = operation.getOperand(0);
  const Value b = operation.getOperand(1);
  const bool is_remainder = mlir::isa<arith::RemSIOp, arith::RemUIOp>(operation);
  const bool is_signed = mlir::isa<arith::RemSIOp, arith::DivSIOp>(operation) ||
                         (ranges_.IsNotNegative(a) && ranges_.IsNotNegative(b));
  const auto operand = [&](Value value, int precedence) {
    return is_signed ? Signed(value, precedence) : Unsigned(value, precedence);
  };
  return {
      absl::StrCat(operand(a, kProduct), is_remainder ? " % " : " / ", operand(b, kProduct + 1)),
      kProduct, is_signed};
}

CudaExpression CudaExpressions::Comparison(arith::CmpIOp compare) {
  using Predicate = arith::CmpIPredicate;
  const Value a = compare.getLhs();
  const Value b = compare.getRhs();
  const auto predicate = compare.getPredicate();
  const bool is_equality = predicate == Predicate::eq || predicate == Predicate::ne;
  const bool is_unsigned = predicate == Predicate::ult || predicate == Predicate::ule ||
                           predicate == Predicate::ugt || predicate == Predicate::uge;
  const int precedence = is_equality ? kEquality : kRelation;
  std::string text_a = Text(a, precedence + 1);
  std::string text_b = Text(b, precedence + 1);
  if (is_equality && !a.getType().isInteger(1)) {
    WithOneSign(a, b, precedence + 1, text_a, text_b);
  } else if (is_unsigned && !(ranges_.IsNotNegative(a) && ranges_.IsNotNegative(b))) {
    text_a = Unsigned(a, precedence + 1);
    text_b = Unsigned(b, precedence + 1);
  } else if (!is_equality) {
    text_a = Signed(a, precedence + 1);
    text_b = Signed(b, precedence + 1);
  }
  const char* const text = [&] {
    switch (predicate) {
      case Predicate::eq:
        return " == ";
      case Predicate::ne:
        return " != ";
      case Predicate::slt:
      case Predicate::ult:
        return " < ";
      case Predicate::sle:
      case Predicate::ule:
        return " <= ";
      case Predicate::sgt:
      case Predicate::ugt:
        return " > ";
      default:
        return " >= ";
    }
  }();
  return {absl::StrCat(text_a, text, text_b), precedence};
}

CudaExpression CudaExpressions::ComputeConversion(Operation& operation) {
  const Value from = operation.getOperand(0);
  const Type type = operation.getResult(0).getType();
  const bool is_known = ranges_.IsKnown(operation.getResult(0));
  const auto cast = [&](bool is_signed, const std::string& text) {
    return CudaExpression{Cast(type, is_signed, text), kPrimary, is_signed};
  };
  return llvm::TypeSwitch<Operation*, CudaExpression>(&operation)
      .Case([&](arith::ExtSIOp) {
        if (!from.getType().isInteger(1)) return cast(true, Signed(from));
        return CudaExpression{"-" + Cast(type, true, Text(from)), kUnary, true};
      })
      .Case([&](arith::ExtUIOp) {
        const bool fits = ranges_.IsNotNegative(from) && Of(from).is_signed;
        return cast(is_known, fits ? Signed(from) : Unsigned(from));
      })
      .Case([&](arith::TruncIOp) {
        if (type.isInteger(1)) {
          return CudaExpression{absl::StrCat("(", Text(from, kUnary), " & 1) != 0"), kEquality};
        }
        return cast(is_known, Text(from));
      })
      .Case([&](arith::SIToFPOp) {
        const std::string text = absl::StrCat(CudaType(type, true), "(", Signed(from), ")");
        // One bit is the sign.
        return from.getType().isInteger(1) ? CudaExpression{"-" + text, kUnary}
                                           : CudaExpression{text};
      })
      .Case([&](arith::UIToFPOp) {
        const bool fits = ranges_.IsNotNegative(from) && Of(from).is_signed;
        return CudaExpression{
            absl::StrCat(CudaType(type, true), "(", fits ? Signed(from) : Unsigned(from), ")")};
      })
      .Case([&](arith::FPToSIOp) { return cast(true, Text(from)); })
      .Default([&](Operation*) { return cast(false, Text(from)); });
}

CudaExpression CudaExpressions::ComputeInteger(Operation& operation) {
  const auto extremum = [&](bool is_minimum, bool is_signed) {
    const Value a = operation.getOperand(0);
    const Value b = operation.getOperand(1);
    const std::string text_a = is_signed ? Signed(a) : Unsigned(a);
    const std::string text_b = is_signed ? Signed(b) : Unsigned(b);
    const char* const name = is_minimum ? "min" : "max";
    if (WidthOf(a) == 32) {
      return CudaExpression{absl::StrCat(name, "(", text_a, ", ", text_b, ")"), kPrimary,
                            is_signed};
    }
    // A literal has 32 bits.
    const std::string type = CudaType(a.getType(), is_signed);
    return CudaExpression{
        absl::StrCat(name, "(", type, "(", text_a, "), ", type, "(", text_b, "))"), kPrimary,
        is_signed};
  };
  return llvm::TypeSwitch<Operation*, CudaExpression>(&operation)
      .Case([&](arith::AddIOp) { return Arithmetic(operation, " + ", kSum); })
      .Case([&](arith::SubIOp) { return Arithmetic(operation, " - ", kSum); })
      .Case([&](arith::MulIOp) { return Arithmetic(operation, " * ", kProduct); })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>([&](auto) { return Logical(operation); })
      .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>([&](auto) { return Shift(operation); })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp>(
          [&](auto) { return Division(operation); })
      .Case([&](arith::MinSIOp) { return extremum(true, true); })
      .Case([&](arith::MaxSIOp) { return extremum(false, true); })
      .Case([&](arith::MinUIOp) { return extremum(true, false); })
      .Case([&](arith::MaxUIOp) { return extremum(false, false); })
      .Default([&](Operation*) { return Unsupported(operation); });
}

}  // namespace hlo_indexing::emit
