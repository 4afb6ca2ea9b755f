#include "codegen/emit/integer_ranges.h"

#include <algorithm>

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;
using simplifier::Interval;

namespace {

// Of an integer type of at most 64 bits.
Interval AllOf(mlir::Type type) {
  const auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
  if (!integer || integer.getWidth() >= 64) return Interval::All();
  const int64_t half = int64_t{1} << (integer.getWidth() - 1);
  return {-half, half - 1};
}

Interval Product(const Interval& a, const Interval& b) {
  const Interval low = a * b.lower;
  const Interval high = a * b.upper;
  return {std::min(low.lower, high.lower), std::max(low.upper, high.upper)};
}

Interval Union(const Interval& a, const Interval& b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

// The quotient of numbers that are not negative.
std::optional<Interval> Quotient(const Interval& a, const Interval& b) {
  if (a.lower < 0 || b.lower <= 0) return std::nullopt;
  return Interval{a.lower / b.upper, a.upper / b.lower};
}

std::optional<Interval> Remainder(const Interval& a, const Interval& b) {
  if (a.lower < 0 || b.lower <= 0) return std::nullopt;
  return Interval{0, std::min(a.upper, b.upper - 1)};
}

// The places of a shift that are the same each time.
std::optional<int> Places(Value shift) {
  const std::optional<int64_t> places = ConstantInteger(shift);
  if (!places.has_value() || *places < 0 || *places > 62) return std::nullopt;
  return static_cast<int>(*places);
}

std::optional<Interval> And(const Interval& a, const Interval& b) {
  if (a.lower < 0 && b.lower < 0) return std::nullopt;
  if (a.lower < 0) return Interval{0, b.upper};
  return Interval{0, b.lower < 0 ? a.upper : std::min(a.upper, b.upper)};
}

// Of `or` and `xor`: no bit above the highest of both.
std::optional<Interval> Mixed(const Interval& a, const Interval& b) {
  if (a.lower < 0 || b.lower < 0) return std::nullopt;
  int64_t mask = 0;
  while (mask < std::max(a.upper, b.upper)) mask = mask * 2 + 1;
  return Interval{0, mask};
}

std::optional<Interval> OfExtension(const Interval& narrow, mlir::Type from, bool has_sign) {
  const unsigned bits = from.getIntOrFloatBitWidth();
  if (bits == 1) return has_sign ? Interval{-1, 0} : Interval{0, 1};
  if (has_sign || narrow.lower >= 0) return narrow;
  if (bits >= 63) return std::nullopt;
  return Interval{0, (int64_t{1} << bits) - 1};
}

template <typename Op>
std::optional<Interval> RangeOfRegister(Op op) {
  const auto range = op.getRange();
  if (!range.has_value()) return std::nullopt;
  return Interval{range->getLower().getSExtValue(), range->getUpper().getSExtValue() - 1};
}

}  // namespace

std::optional<int64_t> ConstantInteger(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant) return std::nullopt;
  const auto integer = mlir::dyn_cast<mlir::IntegerAttr>(constant.getValue());
  if (!integer || integer.getValue().getBitWidth() > 64) return std::nullopt;
  return integer.getValue().getSExtValue();
}

IntegerRanges::IntegerRanges(mlir::LLVM::LLVMFuncOp function) { Visit(function.getBody()); }

Interval IntegerRanges::Of(Value value) const {
  const auto found = known_.find(value);
  return found == known_.end() ? AllOf(value.getType()) : found->second;
}

bool IntegerRanges::IsKnown(Value value) const { return known_.contains(value); }

void IntegerRanges::Visit(mlir::Region& region) {
  for (mlir::Block& block : region) {
    for (Operation& operation : block) {
      VisitLoop(operation);
      for (mlir::Region& inner : operation.getRegions()) Visit(inner);
      VisitBranch(operation);
      if (operation.getNumResults() != 1) continue;
      const Value result = operation.getResult(0);
      const auto type = mlir::dyn_cast<mlir::IntegerType>(result.getType());
      if (!type || type.getWidth() == 1 || type.getWidth() > 64) continue;
      const std::optional<Interval> range = Compute(operation);
      const Interval all = AllOf(type);
      if (range.has_value() && range->IsFinite() && all.Contains(*range) && *range != all) {
        known_.try_emplace(result, *range);
      }
    }
  }
}

// How far a loop counts.
void IntegerRanges::VisitLoop(Operation& operation) {
  auto loop = mlir::dyn_cast<scf::ForOp>(operation);
  if (!loop) return;
  const Interval begin = Of(loop.getLowerBound());
  const Interval end = Of(loop.getUpperBound());
  const Value index = loop.getInductionVar();
  if (begin.lower == AllOf(index.getType()).lower || end.upper <= begin.lower) return;
  known_.try_emplace(index, Interval{begin.lower, end.upper - 1});
}

// What a branch gives is what one of its sides does.
void IntegerRanges::VisitBranch(Operation& operation) {
  auto branch = mlir::dyn_cast<scf::IfOp>(operation);
  if (!branch || branch.getNumResults() == 0) return;
  const auto then = branch.thenYield().getOperands();
  const auto otherwise = branch.elseYield().getOperands();
  for (unsigned i = 0; i < branch.getNumResults(); ++i) {
    if (!then[i].getType().isInteger() || !IsKnown(then[i]) || !IsKnown(otherwise[i])) continue;
    known_.try_emplace(branch.getResult(i), Union(Of(then[i]), Of(otherwise[i])));
  }
}

std::optional<Interval> IntegerRanges::Compute(Operation& operation) const {
  using Range = std::optional<Interval>;
  const auto a = [&] { return Of(operation.getOperand(0)); };
  const auto b = [&] { return Of(operation.getOperand(1)); };
  return llvm::TypeSwitch<Operation*, Range>(&operation)
      .Case<mlir::NVVM::ThreadIdXOp, mlir::NVVM::ThreadIdYOp, mlir::NVVM::ThreadIdZOp,
            mlir::NVVM::BlockIdXOp, mlir::NVVM::BlockIdYOp, mlir::NVVM::BlockIdZOp>(
          [](auto op) { return RangeOfRegister(op); })
      .Case([](arith::ConstantOp op) -> Range {
        const std::optional<int64_t> value = ConstantInteger(op.getResult());
        return value.has_value() ? Range(Interval::Point(*value)) : std::nullopt;
      })
      .Case([&](arith::AddIOp) -> Range { return a() + b(); })
      .Case([&](arith::SubIOp) -> Range { return a() + b() * -1; })
      .Case([&](arith::MulIOp) -> Range { return Product(a(), b()); })
      .Case([&](arith::DivUIOp) { return Quotient(a(), b()); })
      .Case([&](arith::DivSIOp) { return Quotient(a(), b()); })
      .Case([&](arith::RemUIOp) { return Remainder(a(), b()); })
      .Case([&](arith::RemSIOp) { return Remainder(a(), b()); })
      .Case([&](arith::AndIOp) { return And(a(), b()); })
      .Case<arith::OrIOp, arith::XOrIOp>([&](auto) { return Mixed(a(), b()); })
      .Case([&](arith::ShLIOp op) -> Range {
        const std::optional<int> places = Places(op.getRhs());
        return places.has_value() ? Range(a() * (int64_t{1} << *places)) : std::nullopt;
      })
      .Case([&](arith::ShRUIOp op) -> Range {
        const std::optional<int> places = Places(op.getRhs());
        if (!places.has_value()) return std::nullopt;
        if (a().lower >= 0) return Interval{a().lower >> *places, a().upper >> *places};
        const unsigned bits = op.getType().getIntOrFloatBitWidth();
        if (*places == 0 || bits > 64) return std::nullopt;
        return Interval{0, static_cast<int64_t>(~uint64_t{0} >> (64 - bits) >> *places)};
      })
      .Case([&](arith::ShRSIOp op) -> Range {
        const std::optional<int> places = Places(op.getRhs());
        if (!places.has_value()) return std::nullopt;
        return Interval{a().lower >> *places, a().upper >> *places};
      })
      .Case([&](arith::MinSIOp) -> Range {
        return Interval{std::min(a().lower, b().lower), std::min(a().upper, b().upper)};
      })
      .Case([&](arith::MaxSIOp) -> Range {
        return Interval{std::max(a().lower, b().lower), std::max(a().upper, b().upper)};
      })
      .Case([&](arith::MinUIOp) -> Range {
        if (b().lower < 0) return std::nullopt;
        return Interval{a().lower < 0 ? 0 : std::min(a().lower, b().lower), b().upper};
      })
      .Case([&](arith::SelectOp op) -> Range {
        return Union(Of(op.getTrueValue()), Of(op.getFalseValue()));
      })
      .Case([&](arith::ExtSIOp op) {
        return OfExtension(a(), op.getIn().getType(), /*has_sign=*/true);
      })
      .Case([&](arith::ExtUIOp op) {
        return OfExtension(a(), op.getIn().getType(), /*has_sign=*/false);
      })
      .Case([&](arith::TruncIOp) -> Range { return a(); })
      .Default([](Operation*) -> Range { return std::nullopt; });
}

}  // namespace hlo_indexing::emit
