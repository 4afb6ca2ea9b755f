#include "hlo/interpreter/element_operation.h"

#include <array>
#include <bit>
#include <cmath>

#include "hlo/interpreter/element_functions.h"

namespace hlo_indexing::hlo {
namespace {

namespace fn = element_functions;
using fn::Complex;

// Rounds or wraps a result to its type.
void SetInteger(const ElementParameters& p, Element& result, int64_t value) {
  result.integer = WrapInteger(p.result_type, value);
}
void SetFloat(const ElementParameters& p, Element& result, double value) {
  result.real = RoundFloat(p.result_type, value);
}
void SetComplex(const ElementParameters& p, Element& result, Complex value) {
  const ElementType part = RealPartType(p.result_type);
  result.real = RoundFloat(part, value.real());
  result.imag = RoundFloat(part, value.imag());
}

// Each makes an ElementFunction of a function on numbers; the integer ones get the type, too.
template <auto kFunction>
void Integer1(const ElementParameters& p, const Element* x, Element& result) {
  SetInteger(p, result, kFunction(p.result_type, x[0].integer));
}
template <auto kFunction>
void Integer2(const ElementParameters& p, const Element* x, Element& result) {
  SetInteger(p, result, kFunction(p.result_type, x[0].integer, x[1].integer));
}
template <auto kFunction>
void Float1(const ElementParameters& p, const Element* x, Element& result) {
  SetFloat(p, result, kFunction(x[0].real));
}
template <auto kFunction>
void Float2(const ElementParameters& p, const Element* x, Element& result) {
  SetFloat(p, result, kFunction(x[0].real, x[1].real));
}
template <auto kFunction>
void Complex1(const ElementParameters& p, const Element* x, Element& result) {
  SetComplex(p, result, kFunction(x[0].number()));
}
template <auto kFunction>
void Complex2(const ElementParameters& p, const Element* x, Element& result) {
  SetComplex(p, result, kFunction(x[0].number(), x[1].number()));
}

// Arithmetic modulo 2^64; wrapping to the type comes after.
int64_t Sum(ElementType /*type*/, int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t Difference(ElementType /*type*/, int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t Product(ElementType /*type*/, int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t Negation(ElementType type, int64_t a) { return Difference(type, 0, a); }
int64_t AbsoluteValue(ElementType type, int64_t a) {
  return fn::Order(type, a, 0) < 0 ? Negation(type, a) : a;
}

void ComplexAbs(const ElementParameters& p, const Element* x, Element& result) {
  SetFloat(p, result, std::abs(x[0].number()));
}
void Real(const ElementParameters& p, const Element* x, Element& result) {
  SetFloat(p, result, x[0].real);
}
void Imag(const ElementParameters& p, const Element* x, Element& result) {
  SetFloat(p, result, x[0].imag);
}
void MakeComplex(const ElementParameters& p, const Element* x, Element& result) {
  SetComplex(p, result, {x[0].real, x[1].real});
}
void IsFinite(const ElementParameters& /*p*/, const Element* x, Element& result) {
  result.integer = std::isfinite(x[0].real) && std::isfinite(x[0].imag) ? 1 : 0;
}
void Not(const ElementParameters& p, const Element* x, Element& result) {
  const bool is_predicate = p.result_type == ElementType::kPred;
  SetInteger(p, result, is_predicate ? 1 - x[0].integer : ~x[0].integer);
}

void Convert(const ElementParameters& p, const Element* x, Element& result) {
  result = ConvertElement(x[0], p.operand_types[0], p.result_type);
}
void Select(const ElementParameters& p, const Element* x, Element& result) {
  const int chosen = x[0].integer != 0 ? 1 : 2;
  result = ConvertElement(x[chosen], p.operand_types[chosen], p.result_type);
}

void ClampInteger(const ElementParameters& p, const Element* x, Element& result) {
  const ElementType type = p.result_type;
  int64_t value = x[1].integer;
  if (fn::Order(type, value, x[0].integer) < 0) value = x[0].integer;
  if (fn::Order(type, value, x[2].integer) > 0) value = x[2].integer;
  result.integer = value;
}
void ClampFloat(const ElementParameters& p, const Element* x, Element& result) {
  SetFloat(p, result, fn::Minimum(fn::Maximum(x[1].real, x[0].real), x[2].real));
}

bool Holds(const ElementParameters& p, int order) {
  if (order == 0) return p.if_equal;
  return order < 0 ? p.if_less : p.if_greater;
}
void CompareInteger(const ElementParameters& p, const Element* x, Element& result) {
  result.integer = Holds(p, fn::Order(p.operand_types[0], x[0].integer, x[1].integer)) ? 1 : 0;
}
void CompareFloat(const ElementParameters& p, const Element* x, Element& result) {
  const double a = x[0].real;
  const double b = x[1].real;
  bool holds = p.if_unordered;
  if (p.is_total_order) {
    holds = Holds(p, fn::TotalOrder(a, b));
  } else if (!std::isnan(a) && !std::isnan(b)) {
    holds = Holds(p, (a > b ? 1 : 0) - (a < b ? 1 : 0));
  }
  result.integer = holds ? 1 : 0;
}
// Complex numbers are equal or not.
void CompareComplex(const ElementParameters& p, const Element* x, Element& result) {
  result.integer = (x[0].number() == x[1].number() ? p.if_equal : p.if_less) ? 1 : 0;
}

void ReducePrecision(const ElementParameters& p, const Element* x, Element& result) {
  SetFloat(p, result,
           fn::ReducePrecision(p.operand_types[0], x[0].real, p.exponent_bits, p.mantissa_bits));
}

// Of the two neighbours of x in the result type, the one away from 0 if the random bits, read as a
// fraction of 2^width, are below the share of the way to it. Found for the magnitude: not all types
// have the same codes on both sides of 0.
void StochasticConvert(const ElementParameters& p, const Element* x, Element& result) {
  const double value = x[0].real;
  const double magnitude = std::fabs(value);
  const ElementType type = p.result_type;
  const double random = static_cast<double>(static_cast<uint64_t>(x[1].integer)) /
                        std::ldexp(1.0, static_cast<int>(ElementBits(p.operand_types[1])));
  const auto set = [&](double chosen) {
    result = ConvertElement(FloatElement(std::copysign(chosen, value)), ElementType::kF64, type);
  };
  if (IsIntegral(type)) {
    const double whole = std::trunc(magnitude);
    set(random < magnitude - whole ? whole + 1 : whole);
    return;
  }
  result = ConvertElement(x[0], p.operand_types[0], type);
  const double nearest = ConvertElement(FloatElement(magnitude), ElementType::kF64, type).real;
  if (!std::isfinite(value) || !std::isfinite(result.real) || nearest == magnitude) return;
  // The codes of positive floats ascend. Below the least f8e8m0fnu there is no other value.
  const uint64_t code = EncodeFloat(type, nearest);
  const bool is_beyond = nearest > magnitude;
  if (is_beyond && code == 0) return;
  const double toward = is_beyond ? DecodeFloat(type, code - 1) : nearest;
  const double beyond = is_beyond ? nearest : DecodeFloat(type, code + 1);
  // Above the greatest one, of which the next code is no number, or -0.
  if (!std::isfinite(beyond) || beyond < toward) return;
  const double share = (magnitude - toward) / (beyond - toward);
  set(random < share ? beyond : toward);
}

// What an opcode does with each class of numbers; null if it is not defined. The class is that of
// the first operand, or of the second if the first is only a predicate or a bound.
struct Row {
  Opcode opcode;
  ElementFunction on_integers;
  ElementFunction on_floats;
  ElementFunction on_complex;
};

using D = double;
using C = Complex;
using T = ElementType;
using I = int64_t;

// clang-format off
constexpr Row kRows[] = {
    {Opcode::kAbs, Integer1<AbsoluteValue>, Float1<[](D x) { return std::fabs(x); }>, ComplexAbs},
    {Opcode::kAcos, nullptr, Float1<[](D x) { return std::acos(x); }>, Complex1<[](C z) { return std::acos(z); }>},
    {Opcode::kAcosh, nullptr, Float1<[](D x) { return std::acosh(x); }>, Complex1<[](C z) { return std::acosh(z); }>},
    {Opcode::kAdd, Integer2<Sum>, Float2<[](D a, D b) { return a + b; }>, Complex2<[](C a, C b) { return a + b; }>},
    {Opcode::kAnd, Integer2<[](T, I a, I b) { return a & b; }>, nullptr, nullptr},
    {Opcode::kAsin, nullptr, Float1<[](D x) { return std::asin(x); }>, Complex1<[](C z) { return std::asin(z); }>},
    {Opcode::kAsinh, nullptr, Float1<[](D x) { return std::asinh(x); }>, Complex1<[](C z) { return std::asinh(z); }>},
    {Opcode::kAtan2, nullptr, Float2<[](D y, D x) { return std::atan2(y, x); }>, Complex2<fn::Atan2>},
    {Opcode::kAtanh, nullptr, Float1<[](D x) { return std::atanh(x); }>, Complex1<[](C z) { return std::atanh(z); }>},
    {Opcode::kCbrt, nullptr, Float1<[](D x) { return std::cbrt(x); }>, Complex1<[](C z) { return fn::Power(z, C(1.0 / 3)); }>},
    {Opcode::kCeil, nullptr, Float1<[](D x) { return std::ceil(x); }>, nullptr},
    {Opcode::kClamp, ClampInteger, ClampFloat, nullptr},
    {Opcode::kCompare, CompareInteger, CompareFloat, CompareComplex},
    {Opcode::kComplex, nullptr, MakeComplex, nullptr},
    {Opcode::kConvert, Convert, Convert, Convert},
    {Opcode::kCosh, nullptr, Float1<[](D x) { return std::cosh(x); }>, Complex1<[](C z) { return std::cosh(z); }>},
    {Opcode::kCosine, nullptr, Float1<[](D x) { return std::cos(x); }>, Complex1<[](C z) { return std::cos(z); }>},
    {Opcode::kCountLeadingZeros, Integer1<fn::CountLeadingZeros>, nullptr, nullptr},
    {Opcode::kDivide, Integer2<fn::Divide>, Float2<[](D a, D b) { return a / b; }>, Complex2<[](C a, C b) { return a / b; }>},
    {Opcode::kErf, nullptr, Float1<[](D x) { return std::erf(x); }>, nullptr},
    {Opcode::kExponential, nullptr, Float1<[](D x) { return std::exp(x); }>, Complex1<[](C z) { return std::exp(z); }>},
    {Opcode::kExponentialMinusOne, nullptr, Float1<[](D x) { return std::expm1(x); }>, Complex1<fn::ExponentialMinusOne>},
    {Opcode::kFloor, nullptr, Float1<[](D x) { return std::floor(x); }>, nullptr},
    {Opcode::kImag, nullptr, Imag, Imag},
    {Opcode::kIsFinite, nullptr, IsFinite, IsFinite},
    {Opcode::kLog, nullptr, Float1<[](D x) { return std::log(x); }>, Complex1<[](C z) { return std::log(z); }>},
    {Opcode::kLogPlusOne, nullptr, Float1<[](D x) { return std::log1p(x); }>, Complex1<fn::LogPlusOne>},
    {Opcode::kLogistic, nullptr, Float1<[](D x) { return 1 / (1 + std::exp(-x)); }>, Complex1<[](C z) { return 1.0 / (1.0 + std::exp(-z)); }>},
    {Opcode::kMaximum, Integer2<[](T t, I a, I b) { return fn::Order(t, a, b) >= 0 ? a : b; }>, Float2<fn::Maximum>, nullptr},
    {Opcode::kMinimum, Integer2<[](T t, I a, I b) { return fn::Order(t, a, b) <= 0 ? a : b; }>, Float2<fn::Minimum>, nullptr},
    {Opcode::kMulhi, Integer2<fn::MultiplyHigh>, nullptr, nullptr},
    {Opcode::kMultiply, Integer2<Product>, Float2<[](D a, D b) { return a * b; }>, Complex2<fn::Multiply>},
    {Opcode::kNegate, Integer1<Negation>, Float1<[](D x) { return -x; }>, Complex1<[](C z) { return -z; }>},
    {Opcode::kNot, Not, nullptr, nullptr},
    {Opcode::kOr, Integer2<[](T, I a, I b) { return a | b; }>, nullptr, nullptr},
    {Opcode::kPopulationCount, Integer1<fn::PopulationCount>, nullptr, nullptr},
    {Opcode::kPower, Integer2<static_cast<I (*)(T, I, I)>(fn::Power)>, Float2<fn::PowerOfFloats>, Complex2<static_cast<C (*)(C, C)>(fn::Power)>},
    {Opcode::kReal, nullptr, Real, Real},
    {Opcode::kReducePrecision, nullptr, ReducePrecision, nullptr},
    {Opcode::kRemainder, Integer2<fn::Remainder>, Float2<[](D a, D b) { return std::fmod(a, b); }>, nullptr},
    {Opcode::kRoundNearestAfz, nullptr, Float1<[](D x) { return std::round(x); }>, nullptr},
    {Opcode::kRoundNearestEven, nullptr, Float1<[](D x) { return std::nearbyint(x); }>, nullptr},
    {Opcode::kRsqrt, nullptr, Float1<[](D x) { return 1 / std::sqrt(x); }>, Complex1<[](C z) { return 1.0 / std::sqrt(z); }>},
    {Opcode::kSelect, Select, Select, Select},
    {Opcode::kShiftLeft, Integer2<fn::ShiftLeft>, nullptr, nullptr},
    {Opcode::kShiftRightArithmetic, Integer2<fn::ShiftRightArithmetic>, nullptr, nullptr},
    {Opcode::kShiftRightLogical, Integer2<fn::ShiftRightLogical>, nullptr, nullptr},
    {Opcode::kSign, Integer1<[](T t, I a) { return I{fn::Order(t, a, 0)}; }>, Float1<static_cast<D (*)(D)>(fn::Sign)>, Complex1<static_cast<C (*)(C)>(fn::Sign)>},
    {Opcode::kSine, nullptr, Float1<[](D x) { return std::sin(x); }>, Complex1<[](C z) { return std::sin(z); }>},
    {Opcode::kSinh, nullptr, Float1<[](D x) { return std::sinh(x); }>, Complex1<[](C z) { return std::sinh(z); }>},
    {Opcode::kSqrt, nullptr, Float1<[](D x) { return std::sqrt(x); }>, Complex1<[](C z) { return std::sqrt(z); }>},
    {Opcode::kStochasticConvert, nullptr, StochasticConvert, nullptr},
    {Opcode::kSubtract, Integer2<Difference>, Float2<[](D a, D b) { return a - b; }>, Complex2<[](C a, C b) { return a - b; }>},
    {Opcode::kTan, nullptr, Float1<[](D x) { return std::tan(x); }>, Complex1<[](C z) { return std::tan(z); }>},
    {Opcode::kTanh, nullptr, Float1<[](D x) { return std::tanh(x); }>, Complex1<[](C z) { return std::tanh(z); }>},
    {Opcode::kXor, Integer2<[](T, I a, I b) { return a ^ b; }>, nullptr, nullptr},
};
// clang-format on

const Row* RowOf(Opcode opcode) {
  static constexpr std::array<const Row*, kNumOpcodes> kByOpcode = [] {
    std::array<const Row*, kNumOpcodes> rows = {};
    for (const Row& row : kRows) rows[static_cast<size_t>(row.opcode)] = &row;
    return rows;
  }();
  return kByOpcode[static_cast<size_t>(opcode)];
}

// Fills what compare wants; false if complex numbers would have to be ordered.
bool SetDirection(const Instruction& instruction, ElementParameters& p) {
  const llvm::StringRef direction = instruction.Required<Keyword>(AttributeName::kDirection).text;
  p.if_less = direction == "LT" || direction == "LE" || direction == "NE";
  p.if_equal = direction == "EQ" || direction == "LE" || direction == "GE";
  p.if_greater = direction == "GT" || direction == "GE" || direction == "NE";
  p.if_unordered = direction == "NE";
  const auto type = instruction.Get<Keyword>(AttributeName::kType);
  p.is_total_order = type && type->text == "TOTALORDER";
  return ClassOf(p.operand_types[0]) != ElementClass::kComplex || p.if_less == p.if_greater;
}

std::string Undefined(const Instruction& instruction, ElementType type) {
  return OpcodeName(instruction.opcode()).str() + " is not defined for " +
         ElementTypeName(type).str();
}

// Whether the types of operands and result are of the classes that the function reads and writes.
bool HasSoundTypes(const Instruction& instruction, ElementType type, std::string& error) {
  const Opcode opcode = instruction.opcode();
  const ElementType result = instruction.shape().element_type();
  const ElementClass result_class = ClassOf(result);
  bool fits = true;
  if (opcode == Opcode::kCompare || opcode == Opcode::kIsFinite) {
    fits = result_class == ElementClass::kPredicate;
  } else if (opcode == Opcode::kReal || opcode == Opcode::kImag ||
             (opcode == Opcode::kAbs && ClassOf(type) == ElementClass::kComplex)) {
    fits = result_class == ElementClass::kFloat;
  } else if (opcode == Opcode::kComplex) {
    fits = result_class == ElementClass::kComplex;
  } else if (opcode == Opcode::kStochasticConvert) {
    fits = ClassOf(instruction.operand(1).shape().element_type()) == ElementClass::kUnsigned &&
           (IsIntegral(result) || result_class == ElementClass::kFloat);
  } else if (opcode != Opcode::kConvert) {
    fits = result_class == ClassOf(type);
  }
  if (!fits) {
    error = OpcodeName(opcode).str() + " of " + ElementTypeName(type).str() + " cannot give " +
            ElementTypeName(result).str();
  }
  return fits;
}

}  // namespace

bool ElementOperation::IsElementwise(Opcode opcode) { return RowOf(opcode) != nullptr; }

std::optional<ElementOperation> ElementOperation::Make(const Instruction& instruction,
                                                       std::string& error) {
  const Row* row = RowOf(instruction.opcode());
  if (row == nullptr) return std::nullopt;
  ElementParameters p;
  const size_t count = instruction.operands().size();
  for (size_t i = 0; i < count && i < std::size(p.operand_types); ++i) {
    p.operand_types[i] = instruction.operand(i).shape().element_type();
  }
  p.result_type = instruction.shape().element_type();
  const bool decided_by_second =
      instruction.opcode() == Opcode::kSelect || instruction.opcode() == Opcode::kClamp;
  const ElementType type = p.operand_types[decided_by_second ? 1 : 0];
  ElementFunction function = nullptr;
  switch (ClassOf(type)) {
    case ElementClass::kFloat:
      function = row->on_floats;
      break;
    case ElementClass::kComplex:
      function = row->on_complex;
      break;
    case ElementClass::kNone:
      break;
    default:
      function = row->on_integers;
  }
  const bool is_ordered = instruction.opcode() != Opcode::kCompare || SetDirection(instruction, p);
  if (function == nullptr || !is_ordered) {
    error = Undefined(instruction, type);
    return std::nullopt;
  }
  if (!HasSoundTypes(instruction, type, error)) return std::nullopt;
  if (instruction.opcode() == Opcode::kReducePrecision) {
    p.exponent_bits = instruction.Required<int64_t>(AttributeName::kExponentBits);
    p.mantissa_bits = instruction.Required<int64_t>(AttributeName::kMantissaBits);
  }
  return ElementOperation(function, p);
}

}  // namespace hlo_indexing::hlo
