// Functions of complex numbers.
#include "codegen/emit/scalar/complex_functions.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/emit/emitted_scalar.h"
#include "codegen/emit/scalar/complex.h"
#include "codegen/emit/scalar/complex_trigonometry.h"
#include "codegen/emit/scalar_functions.h"

namespace hlo_indexing::emit {

using hlo::ElementType;
using hlo::Opcode;
using scalar::Precision;

namespace {

using Complex = scalar::Complex<EmittedFloat>;

Number NumberOf(const Complex& z) { return {z.real.value, z.imag.value}; }

template <Precision kPrecision>
absl::StatusOr<Number> OfComplex(Opcode opcode, const Complex& x, const Complex& y,
                                 ElementType type) {
  switch (opcode) {
    case Opcode::kAbs:
      return Number{scalar::Abs<kPrecision>(x).value, mlir::Value()};
    case Opcode::kAcos:
      return NumberOf(scalar::Acos<kPrecision>(x));
    case Opcode::kAcosh:
      return NumberOf(scalar::Acosh<kPrecision>(x));
    case Opcode::kAdd:
      return NumberOf(x + y);
    case Opcode::kAsin:
      return NumberOf(scalar::Asin<kPrecision>(x));
    case Opcode::kAsinh:
      return NumberOf(scalar::Asinh<kPrecision>(x));
    case Opcode::kAtan2:
      return NumberOf(scalar::Atan2<kPrecision>(x, y));
    case Opcode::kAtanh:
      return NumberOf(scalar::Atanh<kPrecision>(x));
    case Opcode::kCbrt:
      return NumberOf(scalar::Cbrt<kPrecision>(x));
    case Opcode::kCosh:
      return NumberOf(scalar::Cosh<kPrecision>(x));
    case Opcode::kCosine:
      return NumberOf(scalar::Cos<kPrecision>(x));
    case Opcode::kDivide:
      return NumberOf(scalar::Divide<kPrecision>(x, y));
    case Opcode::kExponential:
      return NumberOf(scalar::Exp<kPrecision>(x));
    case Opcode::kExponentialMinusOne:
      return NumberOf(scalar::Expm1<kPrecision>(x));
    case Opcode::kIsFinite:
      return Number{And(scalar::IsFinite(x.real), scalar::IsFinite(x.imag)).value, mlir::Value()};
    case Opcode::kLog:
      return NumberOf(scalar::Log<kPrecision>(x));
    case Opcode::kLogPlusOne:
      return NumberOf(scalar::Log1p<kPrecision>(x));
    case Opcode::kLogistic:
      return NumberOf(scalar::Logistic<kPrecision>(x));
    case Opcode::kMultiply:
      return NumberOf(scalar::Multiply<kPrecision>(x, y));
    case Opcode::kNegate:
      return NumberOf(-x);
    case Opcode::kPower:
      return NumberOf(scalar::Power<kPrecision>(x, y));
    case Opcode::kRsqrt:
      return NumberOf(scalar::Rsqrt<kPrecision>(x));
    case Opcode::kSign:
      return NumberOf(scalar::Sign<kPrecision>(x));
    case Opcode::kSine:
      return NumberOf(scalar::Sin<kPrecision>(x));
    case Opcode::kSinh:
      return NumberOf(scalar::Sinh<kPrecision>(x));
    case Opcode::kSqrt:
      return NumberOf(scalar::Sqrt<kPrecision>(x));
    case Opcode::kSubtract:
      return NumberOf(x - y);
    case Opcode::kTan:
      return NumberOf(scalar::Tan<kPrecision>(x));
    case Opcode::kTanh:
      return NumberOf(scalar::Tanh<kPrecision>(x));
    default:
      return absl::UnimplementedError(
          absl::StrCat("of ", hlo::ElementTypeName(type).str(), " has no code in a kernel"));
  }
}

// The parts of each number, or of one that is real its only one.
absl::StatusOr<Number> ComplexCode(KernelBuilder& builder, Opcode opcode, mlir::ValueRange parts,
                                   ElementType type) {
  const auto complex = [&](size_t i) {
    return Complex{{{&builder, parts[2 * i]}}, {{&builder, parts[2 * i + 1]}}};
  };
  const Complex a = complex(0);
  const Complex b = parts.size() > 2 ? complex(1) : a;
  return type == ElementType::kC64 ? OfComplex<Precision::kF32>(opcode, a, b, type)
                                   : OfComplex<Precision::kF64>(opcode, a, b, type);
}

bool IsOperator(Opcode opcode) {
  return opcode == Opcode::kAdd || opcode == Opcode::kSubtract || opcode == Opcode::kNegate;
}

}  // namespace

absl::StatusOr<Number> EmitComplexFunction(KernelBuilder& builder, Opcode opcode,
                                           llvm::ArrayRef<Number> x, ElementType type) {
  const Values parts = Flatten(x);
  if (IsOperator(opcode)) return ComplexCode(builder, opcode, parts, type);
  std::string name = absl::StrCat("complex_", hlo::OpcodeName(opcode).str());
  std::replace(name.begin(), name.end(), '-', '_');
  absl::Status status;
  const auto code = [&](mlir::ValueRange operands) -> Values {
    const absl::StatusOr<Number> number = ComplexCode(builder, opcode, operands, type);
    status = number.status();
    return number.ok() ? Flatten(*number) : Values{operands.front()};
  };
  const Values results = builder.Function(name, parts, code);
  if (!status.ok()) return status;
  return Number{results[0], results.size() > 1 ? results[1] : mlir::Value()};
}

}  // namespace hlo_indexing::emit
