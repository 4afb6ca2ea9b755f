// Elements of Fourier transforms, each a sum over all that it is made of, in f64: as exact as the
// type of the result holds, whatever the length.
#include <numbers>
#include <utility>

#include "codegen/emit/conversion.h"
#include "codegen/emit/element_emitter.h"
#include "codegen/emit/scalar_functions.h"
#include "codegen/plan/loop_ranges.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using indexing_analysis::Variable;
using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::Value;
using mlir::ValueRange;

namespace {

// (cos, sin) of 2 pi times a fraction.
std::pair<Value, Value> EmitTurn(KernelBuilder& builder, Value fraction) {
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  const Value angle = arith::MulFOp::create(
      ops, fraction, builder.Float(builder.float_type(64), 2 * std::numbers::pi));
  const absl::StatusOr<Value> cosine =
      EmitFloatFunction(builder, Opcode::kCosine, {angle}, ElementType::kF64);
  const absl::StatusOr<Value> sine =
      EmitFloatFunction(builder, Opcode::kSine, {angle}, ElementType::kF64);
  return {*cosine, *sine};
}

}  // namespace

// Element k of a line of length n: the sum of x[j] exp(-2 pi i j k / n) over j, of inverse
// transforms that of x[j] exp(2 pi i j k / n) / n; of several dimensions the sums one in another.
// The inverse transform to real numbers has only the first half of the last dimension, n / 2 + 1
// elements: the other half is its conjugate, so that a pair of them adds twice a real part.
ElementEmitter::Step ElementEmitter::StepOfFft(const Element& element) {
  const Instruction& fft = *element.instruction;
  if (CountOf(element) > 1) return LaneByLane(element);
  const llvm::StringRef kind = fft.Required<hlo::Keyword>(AttributeName::kFftType).text;
  const llvm::ArrayRef<int64_t> lengths = fft.Integers(AttributeName::kFftLength);
  const bool is_inverse = kind == "IFFT" || kind == "IRFFT";
  const bool gives_real = kind == "IRFFT";
  const Instruction& operand = fft.operand(0);
  const ElementType from = operand.shape().element_type();
  const ElementType to = ShapeOf(element).element_type();
  const size_t count = lengths.size();
  const auto first = static_cast<unsigned>(operand.shape().sizes().size() - count);
  std::vector<Variable> loops;
  for (size_t i = 0; i < count; ++i) {
    loops.push_back({{0, operand.shape().sizes()[first + i] - 1}, ""});
  }
  const IndexingMap known = plan::WithRangesInFront(element.index, loops);
  const AffineMap affine = known.affine_map();
  const auto with = [&](llvm::ArrayRef<AffineExpr> results) {
    return known.WithResults(
        AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), results, known.context()));
  };
  llvm::SmallVector<AffineExpr, 6> index(affine.getResults());
  llvm::SmallVector<IndexingMap, 3> of_result;
  llvm::SmallVector<IndexingMap, 3> of_operand;
  for (unsigned i = 0; i < count; ++i) {
    const AffineExpr loop = mlir::getAffineSymbolExpr(i, known.context());
    of_result.push_back(with({index[first + i]}));
    of_operand.push_back(with({loop}));
    index[first + i] = loop;
  }
  const Element read = {element.frame, &operand, 0, with(index)};
  return {
      {}, [=, this](llvm::ArrayRef<const Lanes*>) -> Lanes {
        mlir::ImplicitLocOpBuilder& ops = builder_.ops();
        const mlir::Type f64 = builder_.float_type(64);
        const Values zeros = {builder_.Float(f64, 0), builder_.Float(f64, 0)};
        const auto term = [&](ValueRange sums) -> Values {
          // Whole turns are left out before anything is rounded.
          Value fraction = builder_.Float(f64, 0);
          for (size_t i = 0; i < count; ++i) {
            const Value product =
                arith::MulIOp::create(ops, builder_.Resize(EmitIndex(of_result[i]), 64),
                                      builder_.Resize(EmitIndex(of_operand[i]), 64));
            const Value rest =
                arith::RemUIOp::create(ops, product, builder_.Integer(64, lengths[i]));
            const Value turns =
                arith::DivFOp::create(ops, arith::UIToFPOp::create(ops, f64, rest),
                                      builder_.Float(f64, static_cast<double>(lengths[i])));
            fraction = arith::AddFOp::create(ops, fraction, turns);
          }
          const auto [cosine, sine] = EmitTurn(builder_, fraction);
          const Number x = EmitConvert(builder_, Compute(read).front(), from, ElementType::kC128);
          const Value signed_sine = is_inverse ? sine : Value(arith::NegFOp::create(ops, sine));
          const auto times = [&](Value a, Value b) -> Value {
            return arith::MulFOp::create(ops, a, b);
          };
          Value real =
              arith::SubFOp::create(ops, times(x.value, cosine), times(x.imaginary, signed_sine));
          Value imaginary =
              arith::AddFOp::create(ops, times(x.value, signed_sine), times(x.imaginary, cosine));
          if (gives_real) {
            const Value weight = EmitWeight(of_operand.back(), lengths.back());
            real = arith::MulFOp::create(ops, real, weight);
          }
          return {arith::AddFOp::create(ops, sums[0], real),
                  arith::AddFOp::create(ops, sums[1], imaginary)};
        };
        Values sums = EmitLoops(read.index, count, zeros, term);
        if (is_inverse) {
          double elements = 1;
          for (const int64_t length : lengths) elements *= static_cast<double>(length);
          for (Value& sum : sums) {
            sum = arith::DivFOp::create(ops, sum, builder_.Float(f64, elements));
          }
        }
        return {EmitConvert(builder_, {sums[0], sums[1]}, ElementType::kC128, to)};
      }};
}

// How often the element at this place of the half of a spectrum of real numbers is in the whole: it
// is there again as its conjugate, unless it is its own.
Value ElementEmitter::EmitWeight(const IndexingMap& place, int64_t length) {
  mlir::ImplicitLocOpBuilder& ops = builder_.ops();
  const Value at = builder_.Resize(EmitIndex(place), 64);
  const auto is = [&](int64_t number) -> Value {
    return arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, at, builder_.Integer(64, number));
  };
  Value is_alone = is(0);
  if (length % 2 == 0) is_alone = arith::OrIOp::create(ops, is_alone, is(length / 2));
  const mlir::Type f64 = builder_.float_type(64);
  return arith::SelectOp::create(ops, is_alone, builder_.Float(f64, 1), builder_.Float(f64, 2));
}

}  // namespace hlo_indexing::emit
