#include "codegen/emit/cuda_expressions.h"

#include <cmath>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
namespace llvm_ops = mlir::LLVM;
using mlir::Operation;
using mlir::Type;
using mlir::Value;

namespace {

std::string Parenthesized(const CudaExpression& expression, int precedence) {
  if (expression.precedence >= precedence) return expression.text;
  return absl::StrCat("(", expression.text, ")");
}

// In decimal digits if few of them are all, else with the exponent and mantissa that it has.
std::string FloatText(double value, bool is_double) {
  if (std::isnan(value)) {
    return is_double ? "__longlong_as_double(0x7ff8000000000000)" : "__uint_as_float(0x7fffffffu)";
  }
  const char* const sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return absl::StrCat(sign, is_double ? "double(INFINITY)" : "INFINITY");
  constexpr int kFewDigits = 9;
  char text[64];
  std::snprintf(text, sizeof(text), "%.*g", kFewDigits, value);
  const bool is_exact = is_double ? std::strtod(text, nullptr) == value
                                  : std::strtof(text, nullptr) == static_cast<float>(value);
  if (!is_exact) std::snprintf(text, sizeof(text), "%a", value);
  std::string result = text;
  if (result.find_first_of(".epx") == std::string::npos) result += ".0";
  return absl::StrCat(result, is_double ? "" : "f");
}

// Whether a product may become a part of a fused multiply-add: what uses it may be a sum.
bool MayBeFused(Value product) {
  for (Operation* const user : CudaFolding::UsersOf(product)) {
    if (!mlir::isa<arith::MulFOp, arith::DivFOp, arith::CmpFOp, llvm_ops::StoreOp>(user)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string CudaType(Type type, bool is_signed) {
  if (type.isF32()) return "float";
  if (type.isF64()) return "double";
  if (type.isF16()) return "half_t";
  if (type.isBF16()) return "bfloat16_t";
  const unsigned bits = type.isInteger() ? type.getIntOrFloatBitWidth() : 0;
  switch (bits) {
    case 1:
      return "bool";
    case 32:
      return is_signed ? "int" : "unsigned";
    case 128:
      return "unsigned __int128";
    default:
      return absl::StrCat(is_signed ? "" : "u", "int", bits, "_t");
  }
}

CudaExpression CudaExpressions::Unsupported(Operation& operation) {
  if (status_.ok()) {
    status_ = absl::UnimplementedError(
        absl::StrCat(operation.getName().getStringRef().str(), " has no code in CUDA C++"));
  }
  return {"0"};
}

CudaExpression CudaExpressions::Of(Value value) {
  const auto found = defined_.find(value);
  if (found != defined_.end()) return found->second;
  Operation* const operation = value.getDefiningOp();
  if (operation != nullptr && folding_.IsFolded(*operation)) {
    // What asks for its sign asks for its text, too.
    const auto known = computed_.find(value);
    if (known != computed_.end()) return known->second;
    CudaExpression expression = Compute(*operation);
    computed_[value] = expression;
    return expression;
  }
  if (status_.ok()) status_ = absl::InternalError("a value is used before it is computed");
  return {"0"};
}

std::string CudaExpressions::Text(Value value, int precedence) {
  return Parenthesized(Of(value), precedence);
}

bool CudaExpressions::HasSign(Value value) {
  const auto found = defined_.find(value);
  return found != defined_.end() ? found->second.is_signed : ranges_.IsKnown(value);
}

CudaExpression CudaExpressions::Compute(Operation& operation) {
  if (auto constant = mlir::dyn_cast<arith::ConstantOp>(operation)) return Constant(constant);
  if (!mlir::isa<arith::ArithDialect>(operation.getDialect())) return ComputeLlvm(operation);
  const auto operand = [&](unsigned i, int precedence) {
    return Text(operation.getOperand(i), precedence);
  };
  return llvm::TypeSwitch<Operation*, CudaExpression>(&operation)
      .Case([&](arith::AddFOp) { return Infix(operation, " + ", kSum); })
      .Case([&](arith::SubFOp) { return Infix(operation, " - ", kSum); })
      .Case([&](arith::DivFOp) { return Infix(operation, " / ", kProduct); })
      .Case([&](arith::MulFOp op) { return Product(op); })
      .Case([&](arith::NegFOp) { return CudaExpression{"-" + operand(0, kPrimary), kUnary}; })
      .Case([&](arith::MaximumFOp) { return Function(operation, "hlo::maximum"); })
      .Case([&](arith::MinimumFOp) { return Function(operation, "hlo::minimum"); })
      .Case([&](arith::CmpFOp op) { return Comparison(op); })
      .Case([&](arith::CmpIOp op) { return Comparison(op); })
      .Case([&](arith::SelectOp op) { return Select(op); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto op) {
        return CudaExpression{absl::StrCat(CudaType(op.getType(), true), "(", operand(0, 0), ")")};
      })
      .Case([&](arith::BitcastOp op) { return Bitcast(op); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp,
            arith::FPToSIOp, arith::FPToUIOp>([&](auto) { return ComputeConversion(operation); })
      .Default([&](Operation*) { return ComputeInteger(operation); });
}

CudaExpression CudaExpressions::ComputeLlvm(Operation& operation) {
  return llvm::TypeSwitch<Operation*, CudaExpression>(&operation)
      .Case([&](llvm_ops::FMAOp) { return Mathematics(operation, "fma"); })
      .Case([&](llvm_ops::SqrtOp) { return Mathematics(operation, "sqrt"); })
      .Case([&](llvm_ops::FAbsOp) { return Mathematics(operation, "fabs"); })
      .Case([&](llvm_ops::FFloorOp) { return Mathematics(operation, "floor"); })
      .Case([&](llvm_ops::FCeilOp) { return Mathematics(operation, "ceil"); })
      .Case([&](llvm_ops::FTruncOp) { return Mathematics(operation, "trunc"); })
      .Case([&](llvm_ops::RoundEvenOp) { return Mathematics(operation, "rint"); })
      .Case([&](llvm_ops::CallIntrinsicOp call) {
        const bool is_power = call.getIntrin().contains("ex2");
        return Function(operation, is_power ? "hlo::approx_exp2" : "hlo::approx_reciprocal");
      })
      .Case([&](llvm_ops::CallOp op) { return CallOf(op); })
      .Case([&](llvm_ops::LoadOp op) { return Element(op.getAddr(), op.getType()); })
      .Case([&](llvm_ops::ExtractElementOp op) {
        return CudaExpression{
            absl::StrCat(Text(op.getVector(), kPrimary), "(", Text(op.getPosition()), ")"),
            kPrimary, HasSign(op.getVector())};
      })
      .Case([&](llvm_ops::ExtractValueOp op) {
        const Value whole = op.getContainer();
        // Of compare and swap, the first part is what was in memory.
        if (whole.getDefiningOp<llvm_ops::AtomicCmpXchgOp>()) return Of(whole);
        if (mlir::isa_and_nonnull<mlir::NVVM::LdMatrixOp, mlir::NVVM::MmaOp>(
                whole.getDefiningOp())) {
          return CudaExpression{absl::StrCat(Text(whole, kPrimary), "[", op.getPosition()[0], "]"),
                                kPrimary, false};
        }
        return CudaExpression{absl::StrCat(Text(whole, kPrimary), ".v", op.getPosition()[0]),
                              kPrimary, false};
      })
      .Case<llvm_ops::CountLeadingZerosOp, llvm_ops::CtPopOp>([&](Operation* op) {
        constexpr unsigned kBits = 32;
        const unsigned bits = op->getResult(0).getType().getIntOrFloatBitWidth();
        const bool is_count = mlir::isa<llvm_ops::CtPopOp>(op);
        const char* const name = is_count ? "__popc" : "__clz";
        const Value x = op->getOperand(0);
        const bool is_unsigned = is_count || bits < kBits;
        const std::string call = absl::StrCat(name, bits > kBits ? "ll" : "", "(",
                                              is_unsigned ? Unsigned(x) : Signed(x), ")");
        // Narrow integers are counted among 32 bits.
        if (is_count || bits >= kBits) return CudaExpression{call, kPrimary, true};
        return CudaExpression{absl::StrCat(call, " - ", kBits - bits), kSum, true};
      })
      .Default([&](Operation*) { return Unsupported(operation); });
}

CudaExpression CudaExpressions::Constant(arith::ConstantOp constant) {
  const Type type = constant.getType();
  if (const auto number = mlir::dyn_cast<mlir::FloatAttr>(constant.getValue())) {
    const double value = number.getValueAsDouble();
    const bool is_half = type.isF16() || type.isBF16();
    CudaExpression plain = {FloatText(value, type.isF64()),
                            std::signbit(value) ? kUnary : kPrimary};
    if (!is_half) return plain;
    return {absl::StrCat(CudaType(type, true), "(", plain.text, ")")};
  }
  const auto integer = mlir::cast<mlir::IntegerAttr>(constant.getValue()).getValue();
  if (type.isInteger(1)) return {integer.isZero() ? "false" : "true"};
  if (integer.getBitWidth() > 64) {
    if (integer.getActiveBits() > 64) return Unsupported(*constant);
    return {absl::StrCat("(unsigned __int128)", integer.getZExtValue(), "ull"), kUnary, false};
  }
  const int64_t value = integer.getSExtValue();
  // The least numbers have no literals.
  if (value == INT64_MIN) return {"INT64_MIN"};
  if (value == INT32_MIN) return {"INT32_MIN"};
  return {absl::StrCat(value), value < 0 ? kUnary : kPrimary, true};
}

CudaExpression CudaExpressions::Infix(Operation& operation, const char* text, int precedence) {
  // Operators of one precedence go from left to right.
  return {absl::StrCat(Text(operation.getOperand(0), precedence), text,
                       Text(operation.getOperand(1), precedence + 1)),
          precedence};
}

CudaExpression CudaExpressions::Function(Operation& operation, llvm::StringRef name) {
  std::string text = absl::StrCat(name.str(), "(");
  for (unsigned i = 0; i < operation.getNumOperands(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", Text(operation.getOperand(i)));
  }
  return {text + ")", kPrimary, false};
}

CudaExpression CudaExpressions::Mathematics(Operation& operation, const char* name) {
  const bool is_double = operation.getResult(0).getType().isF64();
  return Function(operation, absl::StrCat(name, is_double ? "" : "f"));
}

CudaExpression CudaExpressions::CallOf(llvm_ops::CallOp call) {
  const llvm::StringRef symbol = call.getCallee().value_or("");
  return Function(*call, absl::StrCat("hlo::", symbol.split('.').first.str()));
}

// Rounded by itself, whatever the compiler is asked to fuse.
CudaExpression CudaExpressions::Product(arith::MulFOp product) {
  if (!MayBeFused(product.getResult())) return Infix(*product, " * ", kProduct);
  return Function(*product, product.getType().isF64() ? "__dmul_rn" : "__fmul_rn");
}

CudaExpression CudaExpressions::Comparison(arith::CmpFOp compare) {
  using Predicate = arith::CmpFPredicate;
  const auto of = [&](const char* text, int precedence) {
    return Infix(*compare, text, precedence);
  };
  const auto not_of = [&](const char* text, int precedence) {
    return CudaExpression{absl::StrCat("!(", of(text, precedence).text, ")"), kUnary};
  };
  switch (compare.getPredicate()) {
    case Predicate::OEQ:
      return of(" == ", kEquality);
    case Predicate::OGT:
      return of(" > ", kRelation);
    case Predicate::OGE:
      return of(" >= ", kRelation);
    case Predicate::OLT:
      return of(" < ", kRelation);
    case Predicate::OLE:
      return of(" <= ", kRelation);
    case Predicate::UNE:
      return of(" != ", kEquality);
    case Predicate::UGT:
      return not_of(" <= ", kRelation);
    case Predicate::UGE:
      return not_of(" < ", kRelation);
    case Predicate::ULT:
      return not_of(" >= ", kRelation);
    case Predicate::ULE:
      return not_of(" > ", kRelation);
    default:
      return Unsupported(*compare);
  }
}

CudaExpression CudaExpressions::Select(arith::SelectOp select) {
  const Value a = select.getTrueValue();
  const Value b = select.getFalseValue();
  std::string then = Text(a, kConditional + 1);
  std::string otherwise = Text(b);
  bool is_signed = true;
  if (select.getType().isInteger() && !select.getType().isInteger(1)) {
    is_signed = WithOneSign(a, b, kConditional + 1, then, otherwise);
  }
  return {
      absl::StrCat(Text(select.getCondition(), kConditional + 1), " ? ", then, " : ", otherwise),
      kConditional, is_signed};
}

CudaExpression CudaExpressions::Bitcast(arith::BitcastOp cast) {
  const Value in = cast.getIn();
  const Type from = in.getType();
  const Type to = cast.getType();
  if (from == to) return Of(in);
  if (from.isF32()) return {absl::StrCat("__float_as_uint(", Text(in), ")"), kPrimary, false};
  if (to.isF32()) return {absl::StrCat("__uint_as_float(", Text(in), ")")};
  if (from.isF64()) return {absl::StrCat("__double_as_longlong(", Text(in), ")"), kPrimary, true};
  if (to.isF64()) return {absl::StrCat("__longlong_as_double(", Text(in), ")")};
  if (from.isInteger(16)) {
    return {absl::StrCat(CudaType(to, true), "::bitcast(", Text(in), ")")};
  }
  if (to.isInteger(16)) return {Text(in, kPrimary) + ".storage", kPrimary, false};
  return Unsupported(*cast);
}

Type CountedElement(llvm_ops::GEPOp address) {
  const Type type = address.getElemType();
  const auto array = mlir::dyn_cast<llvm_ops::LLVMArrayType>(type);
  return array ? array.getElementType() : type;
}

std::string CudaExpressions::IndexOf(llvm_ops::GEPOp address, int& precedence) {
  precedence = kPrimary;
  const auto array = mlir::dyn_cast<llvm_ops::LLVMArrayType>(address.getElemType());
  const llvm::ArrayRef<int32_t> indices = address.getRawConstantIndices();
  const bool is_dynamic = indices[0] == llvm_ops::GEPOp::kDynamicIndex;
  if (!is_dynamic) {
    const int64_t scale = array ? static_cast<int64_t>(array.getNumElements()) : 1;
    return absl::StrCat(indices[0] * scale + (array ? indices[1] : 0));
  }
  const Value first = address.getDynamicIndices()[0];
  if (!array) {
    const CudaExpression index = {Signed(first, kSum), kSum};
    precedence = index.precedence;
    return index.text;
  }
  const auto scale = static_cast<int64_t>(array.getNumElements());
  const simplifier::Interval range =
      ranges_.Of(first) * scale + simplifier::Interval::Point(indices[1]);
  const bool is_narrow =
      range.lower >= INT32_MIN && range.upper <= INT32_MAX && ranges_.IsKnown(first);
  const bool is_wide = first.getType().isInteger(64);
  std::string text =
      is_narrow || is_wide ? Signed(first, kProduct) : absl::StrCat("int64_t(", Signed(first), ")");
  if (scale > 1) absl::StrAppend(&text, " * ", scale);
  if (indices[1] != 0) absl::StrAppend(&text, " + ", indices[1]);
  precedence = indices[1] != 0 ? kSum : kProduct;
  return text;
}

CudaExpressions::Place CudaExpressions::PlaceOf(Value address, Type element) {
  Place place;
  Value base = address;
  if (auto of = address.getDefiningOp<llvm_ops::GEPOp>()) {
    base = of.getBase();
    place.index = IndexOf(of, place.precedence);
    if (base.getDefiningOp<llvm_ops::GEPOp>()) {
      const Type inner = CountedElement(base.getDefiningOp<llvm_ops::GEPOp>());
      // Elements of an address that is itself computed.
      place.array = {absl::StrCat("(", Pointer(base, inner), ")"), CudaType(inner, false)};
    }
  }
  if (place.array.name.empty()) {
    if (const CudaArray* const array = ArrayOf(base)) place.array = *array;
  }
  if (place.array.name.empty()) {
    Unsupported(*(address.getDefiningOp() != nullptr ? address.getDefiningOp()
                                                     : address.getParentBlock()->getParentOp()));
  }
  // Another view of the memory: of an element's bits, of scratch memory.
  const std::string& held = place.array.element;
  if (held != CudaType(element, true) && held != CudaType(element, false)) {
    const std::string viewed = CudaType(element, false);
    place.array.name = absl::StrCat("reinterpret_cast<", place.array.is_const ? "const " : "",
                                    viewed, "*>(", place.array.name, ")");
    place.array.element = viewed;
  }
  return place;
}

const CudaArray* CudaExpressions::ArrayOf(Value address) const {
  while (auto inner = address.getDefiningOp<llvm_ops::GEPOp>()) address = inner.getBase();
  const auto found = arrays_.find(address);
  if (found != arrays_.end()) return &found->second;
  auto symbol = address.getDefiningOp<llvm_ops::AddressOfOp>();
  if (!symbol) return nullptr;
  const auto global = globals_.find(symbol.getGlobalName());
  return global == globals_.end() ? nullptr : &global->second;
}

std::string CudaExpressions::ArrayName(Value address) {
  const CudaArray* const array = ArrayOf(address);
  return array == nullptr ? "memory" : array->name;
}

std::string CudaExpressions::ElementOf(Value address) {
  const CudaArray* const array = ArrayOf(address);
  return array == nullptr ? "" : array->element;
}

std::string CudaExpressions::Pointer(Value address, Type element) {
  const Place place = PlaceOf(address, element);
  if (place.index == "0") return place.array.name;
  return absl::StrCat(place.array.name, " + ", place.index);
}

CudaExpression CudaExpressions::Element(Value address, Type element) {
  const Place place = PlaceOf(address, element);
  return {absl::StrCat(place.array.name, "[", place.index, "]"), kPrimary,
          place.array.element == CudaType(element, true)};
}

}  // namespace hlo_indexing::emit
