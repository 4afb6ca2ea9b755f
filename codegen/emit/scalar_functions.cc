#include "codegen/emit/scalar_functions.h"

#include "absl/strings/str_cat.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::ElementType;
using hlo::Opcode;
using mlir::Value;

namespace {

absl::Status NotDefined(ElementType type) {
  return absl::UnimplementedError(
      absl::StrCat("of ", hlo::ElementTypeName(type).str(), " has no code in a kernel"));
}

}  // namespace

absl::StatusOr<Value> EmitTranscendental(KernelBuilder& /*builder*/, Opcode /*opcode*/,
                                         Value /*a*/, Value /*b*/, ElementType type) {
  return NotDefined(type);
}

absl::StatusOr<Number> EmitComplexFunction(KernelBuilder& /*builder*/, Opcode /*opcode*/,
                                           llvm::ArrayRef<Number> /*x*/, ElementType type) {
  return NotDefined(type);
}

Number EmitComplexProduct(KernelBuilder& builder, const Number& a, const Number& b) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  const auto product = [&](Value x, Value y) -> Value { return arith::MulFOp::create(ops, x, y); };
  const Value real = arith::SubFOp::create(ops, product(a.value, b.value),
                                           product(a.imaginary, b.imaginary));
  const Value imaginary = arith::AddFOp::create(ops, product(a.value, b.imaginary),
                                                product(a.imaginary, b.value));
  return {real, imaginary};
}

absl::StatusOr<Number> EmitReducePrecision(KernelBuilder& /*builder*/, const Number& /*number*/,
                                           ElementType type, int64_t /*exponent_bits*/,
                                           int64_t /*mantissa_bits*/) {
  return NotDefined(type);
}

absl::StatusOr<Value> EmitDecode(KernelBuilder& /*builder*/, Value /*bits*/, ElementType type) {
  return NotDefined(type);
}

absl::StatusOr<Value> EmitEncode(KernelBuilder& /*builder*/, Value /*value*/, ElementType type) {
  return NotDefined(type);
}

}  // namespace hlo_indexing::emit
