// The scalar concept (scalar/scalar_concept.h) for values of a kernel: operators make instructions.
// Private to the folder.
//
// Example: scalar::Exp<scalar::Precision::kF32>(EmittedFloat{&builder, x}) makes the code of
// exp(x).
#ifndef HLO_INDEXING_CODEGEN_EMIT_EMITTED_SCALAR_H_
#define HLO_INDEXING_CODEGEN_EMIT_EMITTED_SCALAR_H_

#include <cstdint>
#include <tuple>
#include <utility>

#include "codegen/emit/kernel_builder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Value.h"

namespace hlo_indexing::emit {

struct EmittedValue {
  KernelBuilder* builder = nullptr;
  mlir::Value value;

  mlir::ImplicitLocOpBuilder& ops() const { return builder->ops(); }
  unsigned width() const { return value.getType().getIntOrFloatBitWidth(); }
};
struct EmittedBool : EmittedValue {};
struct EmittedInteger : EmittedValue {};
struct EmittedFloat : EmittedValue {};

namespace emitted_scalar_internal {

template <typename Op, typename Result, typename... Values>
Result Make(const Result& first, const Values&... values) {
  return {{first.builder, Op::create(first.ops(), first.value, values.value...)}};
}
template <typename Result, typename Op>
Result Convert(const EmittedValue& from, mlir::Type type) {
  return {{from.builder, Op::create(from.ops(), type, from.value)}};
}
inline EmittedBool Compare(mlir::arith::CmpFPredicate predicate, EmittedFloat a, EmittedFloat b) {
  return {{a.builder, mlir::arith::CmpFOp::create(a.ops(), predicate, a.value, b.value)}};
}
inline EmittedBool Compare(mlir::arith::CmpIPredicate predicate, EmittedInteger a,
                           EmittedInteger b) {
  return {{a.builder, mlir::arith::CmpIOp::create(a.ops(), predicate, a.value, b.value)}};
}

}  // namespace emitted_scalar_internal

inline EmittedFloat FloatConstant(EmittedFloat like, double value) {
  // Rounded to f32 as the host does.
  const double rounded =
      like.width() == 32 ? static_cast<double>(static_cast<float>(value)) : value;
  return {{like.builder, like.builder->Float(like.value.getType(), rounded)}};
}
inline EmittedInteger IntegerConstant(EmittedInteger like, int64_t value) {
  return {{like.builder, like.builder->Integer(like.value.getType(), value)}};
}

#define HLO_INDEXING_BINARY(Type, name, Op) \
  inline Type name(Type a, Type b) { return emitted_scalar_internal::Make<Op>(a, b); }
HLO_INDEXING_BINARY(EmittedFloat, operator+, mlir::arith::AddFOp)
HLO_INDEXING_BINARY(EmittedFloat, operator-, mlir::arith::SubFOp)
HLO_INDEXING_BINARY(EmittedFloat, operator*, mlir::arith::MulFOp)
HLO_INDEXING_BINARY(EmittedFloat, operator/, mlir::arith::DivFOp)
HLO_INDEXING_BINARY(EmittedFloat, Maximum, mlir::arith::MaximumFOp)
HLO_INDEXING_BINARY(EmittedFloat, Minimum, mlir::arith::MinimumFOp)
HLO_INDEXING_BINARY(EmittedInteger, operator+, mlir::arith::AddIOp)
HLO_INDEXING_BINARY(EmittedInteger, operator-, mlir::arith::SubIOp)
HLO_INDEXING_BINARY(EmittedInteger, operator*, mlir::arith::MulIOp)
HLO_INDEXING_BINARY(EmittedInteger, operator&, mlir::arith::AndIOp)
HLO_INDEXING_BINARY(EmittedInteger, operator|, mlir::arith::OrIOp)
HLO_INDEXING_BINARY(EmittedInteger, operator^, mlir::arith::XOrIOp)
HLO_INDEXING_BINARY(EmittedInteger, ShiftLeft, mlir::arith::ShLIOp)
HLO_INDEXING_BINARY(EmittedInteger, ShiftRightLogical, mlir::arith::ShRUIOp)
HLO_INDEXING_BINARY(EmittedInteger, ShiftRightArithmetic, mlir::arith::ShRSIOp)
HLO_INDEXING_BINARY(EmittedInteger, DivideUnsigned, mlir::arith::DivUIOp)
HLO_INDEXING_BINARY(EmittedInteger, DivideSigned, mlir::arith::DivSIOp)
HLO_INDEXING_BINARY(EmittedBool, And, mlir::arith::AndIOp)
HLO_INDEXING_BINARY(EmittedBool, Or, mlir::arith::OrIOp)
#undef HLO_INDEXING_BINARY

inline EmittedFloat operator-(EmittedFloat x) {
  return emitted_scalar_internal::Make<mlir::arith::NegFOp>(x);
}
inline EmittedFloat Fma(EmittedFloat a, EmittedFloat b, EmittedFloat c) {
  return emitted_scalar_internal::Make<mlir::LLVM::FMAOp>(a, b, c);
}
inline EmittedFloat Sqrt(EmittedFloat x) {
  return emitted_scalar_internal::Make<mlir::LLVM::SqrtOp>(x);
}
inline EmittedFloat Abs(EmittedFloat x) {
  return emitted_scalar_internal::Make<mlir::LLVM::FAbsOp>(x);
}
inline EmittedFloat Floor(EmittedFloat x) {
  return emitted_scalar_internal::Make<mlir::LLVM::FFloorOp>(x);
}
inline EmittedFloat Ceil(EmittedFloat x) {
  return emitted_scalar_internal::Make<mlir::LLVM::FCeilOp>(x);
}
inline EmittedFloat Trunc(EmittedFloat x) {
  return emitted_scalar_internal::Make<mlir::LLVM::FTruncOp>(x);
}
inline EmittedFloat RoundEven(EmittedFloat x) {
  return emitted_scalar_internal::Make<mlir::LLVM::RoundEvenOp>(x);
}

inline EmittedFloat Approximation(EmittedFloat x, llvm::StringRef intrinsic) {
  auto result = mlir::LLVM::CallIntrinsicOp::create(
      x.ops(), x.value.getType(), x.ops().getStringAttr(intrinsic), mlir::ValueRange{x.value});
  return {{x.builder, result.getResults()}};
}
inline EmittedFloat ApproxExp2(EmittedFloat x) {
  return Approximation(x, "llvm.nvvm.ex2.approx.ftz.f32");
}
inline EmittedFloat ApproxReciprocal(EmittedFloat x) {
  return Approximation(x, "llvm.nvvm.rcp.approx.ftz.f");
}

inline EmittedInteger CountLeadingZeros(EmittedInteger n) {
  return {{n.builder,
           mlir::LLVM::CountLeadingZerosOp::create(n.ops(), n.value.getType(), n.value, false)}};
}
inline EmittedInteger PopulationCount(EmittedInteger n) {
  return {{n.builder, mlir::LLVM::CtPopOp::create(n.ops(), n.value.getType(), n.value)}};
}
inline EmittedInteger MultiplyHighUnsigned(EmittedInteger a, EmittedInteger b) {
  namespace arith = mlir::arith;
  const mlir::Type wide = a.builder->integer_type(a.width() * 2);
  const mlir::Value product =
      arith::MulIOp::create(a.ops(), arith::ExtUIOp::create(a.ops(), wide, a.value),
                            arith::ExtUIOp::create(a.ops(), wide, b.value));
  const mlir::Value high =
      arith::ShRUIOp::create(a.ops(), product, a.builder->Integer(wide, a.width()));
  return {{a.builder, arith::TruncIOp::create(a.ops(), a.value.getType(), high)}};
}

inline EmittedBool Not(EmittedBool a) {
  return {{a.builder, mlir::arith::XOrIOp::create(a.ops(), a.value, a.builder->Integer(1, 1))}};
}
inline EmittedBool Less(EmittedFloat a, EmittedFloat b) {
  return emitted_scalar_internal::Compare(mlir::arith::CmpFPredicate::OLT, a, b);
}
inline EmittedBool LessEqual(EmittedFloat a, EmittedFloat b) {
  return emitted_scalar_internal::Compare(mlir::arith::CmpFPredicate::OLE, a, b);
}
inline EmittedBool Equal(EmittedFloat a, EmittedFloat b) {
  return emitted_scalar_internal::Compare(mlir::arith::CmpFPredicate::OEQ, a, b);
}
inline EmittedBool Equal(EmittedInteger a, EmittedInteger b) {
  return emitted_scalar_internal::Compare(mlir::arith::CmpIPredicate::eq, a, b);
}
inline EmittedBool LessSigned(EmittedInteger a, EmittedInteger b) {
  return emitted_scalar_internal::Compare(mlir::arith::CmpIPredicate::slt, a, b);
}
inline EmittedBool LessUnsigned(EmittedInteger a, EmittedInteger b) {
  return emitted_scalar_internal::Compare(mlir::arith::CmpIPredicate::ult, a, b);
}

template <typename T>
  requires std::derived_from<T, EmittedValue>
T Select(EmittedBool condition, T a, T b) {
  return {{a.builder, mlir::arith::SelectOp::create(a.ops(), condition.value, a.value, b.value)}};
}

namespace emitted_scalar_internal {

template <typename... Ts>
Values ValuesOf(const std::tuple<Ts...>& tuple) {
  return std::apply([](const auto&... one) { return Values{one.value...}; }, tuple);
}
template <typename T>
Values ValuesOf(const T& one) {
  return {one.value};
}
template <typename... Ts>
void SetValues(std::tuple<Ts...>& tuple, KernelBuilder* builder, mlir::ValueRange values) {
  size_t i = 0;
  std::apply([&](auto&... one) { ((one.builder = builder, one.value = values[i++]), ...); }, tuple);
}
template <typename T>
void SetValues(T& one, KernelBuilder* builder, mlir::ValueRange values) {
  one.builder = builder;
  one.value = values[0];
}

}  // namespace emitted_scalar_internal

template <typename Then, typename Otherwise>
auto Branch(EmittedBool condition, const Then& then, const Otherwise& otherwise) {
  decltype(then()) result;
  const Values values = condition.builder->If(
      condition.value, [&] { return emitted_scalar_internal::ValuesOf(then()); },
      [&] { return emitted_scalar_internal::ValuesOf(otherwise()); });
  emitted_scalar_internal::SetValues(result, condition.builder, values);
  return result;
}

template <typename First, typename... Rest, typename Body>
  requires std::derived_from<First, EmittedValue>
std::tuple<First, Rest...> Repeat(int count, std::tuple<First, Rest...> state, const Body& body) {
  KernelBuilder* const builder = std::get<0>(state).builder;
  const Values values =
      builder->For(0, count - 1, emitted_scalar_internal::ValuesOf(state),
                   [&](mlir::Value, mlir::ValueRange carried) {
                     std::tuple<First, Rest...> inner;
                     emitted_scalar_internal::SetValues(inner, builder, carried);
                     return emitted_scalar_internal::ValuesOf(std::apply(body, inner));
                   });
  emitted_scalar_internal::SetValues(state, builder, values);
  return state;
}

inline EmittedInteger BitsOf(EmittedFloat x) {
  return emitted_scalar_internal::Convert<EmittedInteger, mlir::arith::BitcastOp>(
      x, x.builder->integer_type(x.width()));
}
inline EmittedFloat FloatOf(EmittedInteger n) {
  return emitted_scalar_internal::Convert<EmittedFloat, mlir::arith::BitcastOp>(
      n, n.builder->float_type(n.width()));
}
inline EmittedFloat SignedToFloat(EmittedInteger n) {
  return emitted_scalar_internal::Convert<EmittedFloat, mlir::arith::SIToFPOp>(
      n, n.builder->float_type(n.width()));
}
inline EmittedFloat UnsignedToFloat(EmittedInteger n) {
  return emitted_scalar_internal::Convert<EmittedFloat, mlir::arith::UIToFPOp>(
      n, n.builder->float_type(n.width()));
}
inline EmittedInteger FloatToSigned(EmittedFloat x, EmittedInteger like) {
  return emitted_scalar_internal::Convert<EmittedInteger, mlir::arith::FPToSIOp>(
      x, like.value.getType());
}
inline EmittedInteger FloatToUnsigned(EmittedFloat x, EmittedInteger like) {
  return emitted_scalar_internal::Convert<EmittedInteger, mlir::arith::FPToUIOp>(
      x, like.value.getType());
}

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_EMITTED_SCALAR_H_
