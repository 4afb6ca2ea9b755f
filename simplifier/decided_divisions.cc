#include "simplifier/decided_divisions.h"

#include <array>

namespace hlo_indexing::simplifier {
namespace {

using mlir::AffineBinaryOpExpr;
using mlir::AffineExpr;
using mlir::AffineExprKind;

// Larger maps gain little.
constexpr size_t kMaxVariables = 8;
constexpr int kMaxNodes = 128;

// constant + sum of coefficient * variable.
struct LinearExpression {
  std::array<int64_t, kMaxVariables> coefficients = {};
  int64_t constant = 0;

  bool IsConstant() const { return coefficients == decltype(coefficients){}; }
};

// All functions that read or compute return false if they cannot.
class LinearReader {
 public:
  LinearReader(size_t num_dimensions, llvm::ArrayRef<Interval> boxes)
      : num_dimensions_(num_dimensions), boxes_(boxes) {}

  // `result` must be zero.
  bool Read(AffineExpr expression, LinearExpression& result) {
    if (++nodes_ > kMaxNodes) return false;
    switch (expression.getKind()) {
      case AffineExprKind::Constant:
        result.constant = llvm::cast<mlir::AffineConstantExpr>(expression).getValue();
        return true;
      case AffineExprKind::DimId:
        return ReadVariable(expression, llvm::cast<mlir::AffineDimExpr>(expression).getPosition(),
                            result);
      case AffineExprKind::SymbolId:
        return ReadVariable(
            expression,
            num_dimensions_ + llvm::cast<mlir::AffineSymbolExpr>(expression).getPosition(), result);
      default:
        return ReadBinary(llvm::cast<AffineBinaryOpExpr>(expression), result);
    }
  }

  AffineExpr Write(const LinearExpression& linear, mlir::MLIRContext* context) const {
    AffineExpr sum;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const int64_t coefficient = linear.coefficients[i];
      if (coefficient == 0) continue;
      const AffineExpr term = coefficient == 1 ? variables_[i] : variables_[i] * coefficient;
      sum = sum ? sum + term : term;
    }
    if (!sum) return mlir::getAffineConstantExpr(linear.constant, context);
    return linear.constant == 0 ? sum : sum + linear.constant;
  }

 private:
  bool ReadVariable(AffineExpr expression, size_t variable, LinearExpression& result) {
    variables_[variable] = expression;
    const Interval& box = boxes_[variable];
    if (box.IsPoint()) {
      result.constant = box.lower;
    } else {
      result.coefficients[variable] = 1;
    }
    return true;
  }

  bool ReadBinary(AffineBinaryOpExpr expression, LinearExpression& result) {
    LinearExpression right;
    if (!Read(expression.getLHS(), result) || !Read(expression.getRHS(), right)) return false;
    if (expression.getKind() == AffineExprKind::Add) return Add(right, result);
    if (!right.IsConstant()) return false;
    LinearExpression quotient;
    switch (expression.getKind()) {
      case AffineExprKind::Mul:
        return Multiply(right.constant, result);
      case AffineExprKind::Mod:
        return Divide(right.constant, quotient, result);
      case AffineExprKind::FloorDiv:
        if (!Divide(right.constant, quotient, result)) return false;
        result = quotient;
        return true;
      default:
        // The ceiling is the negated floor of what is negated.
        if (!Multiply(-1, result) || !Divide(right.constant, quotient, result)) return false;
        result = quotient;
        return Multiply(-1, result);
    }
  }

  bool Add(const LinearExpression& other, LinearExpression& result) const {
    for (size_t i = 0; i < boxes_.size(); ++i) {
      int64_t& coefficient = result.coefficients[i];
      if (__builtin_add_overflow(coefficient, other.coefficients[i], &coefficient)) return false;
    }
    return !__builtin_add_overflow(result.constant, other.constant, &result.constant);
  }

  bool Multiply(int64_t factor, LinearExpression& result) const {
    for (size_t i = 0; i < boxes_.size(); ++i) {
      int64_t& coefficient = result.coefficients[i];
      if (__builtin_mul_overflow(coefficient, factor, &coefficient)) return false;
    }
    return !__builtin_mul_overflow(result.constant, factor, &result.constant);
  }

  // Leaves the remainder in `rest`; `quotient` must be zero.
  bool Divide(int64_t divisor, LinearExpression& quotient, LinearExpression& rest) const {
    if (divisor < 1) return false;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const int64_t coefficient = rest.coefficients[i];
      // Small maps take about as long as a few divisions of the processor.
      const bool is_below = -divisor < coefficient && coefficient < divisor;
      if (is_below || coefficient % divisor != 0) continue;
      quotient.coefficients[i] = coefficient / divisor;
      rest.coefficients[i] = 0;
    }
    const Interval range = Range(rest);
    if (range.lower >= 0 && range.upper < divisor) return true;
    if (!range.IsFinite()) return false;
    quotient.constant = support::FloorDiv(range.lower, divisor);
    if (quotient.constant != support::FloorDiv(range.upper, divisor)) return false;
    // The quotient times the divisor lies within a divisor of the range's lower end.
    int64_t multiple = 0;
    return !__builtin_mul_overflow(quotient.constant, divisor, &multiple) &&
           !__builtin_sub_overflow(rest.constant, multiple, &rest.constant);
  }

  Interval Range(const LinearExpression& linear) const {
    Interval range = Interval::Point(linear.constant);
    for (size_t i = 0; i < boxes_.size(); ++i) {
      if (linear.coefficients[i] != 0) range = range + boxes_[i] * linear.coefficients[i];
    }
    return range;
  }

  size_t num_dimensions_;
  llvm::ArrayRef<Interval> boxes_;
  // Those that have been read.
  std::array<AffineExpr, kMaxVariables> variables_;
  int nodes_ = 0;
};

}  // namespace

std::optional<llvm::SmallVector<AffineExpr>> DecideDivisions(llvm::ArrayRef<AffineExpr> expressions,
                                                             size_t num_dimensions,
                                                             llvm::ArrayRef<Interval> boxes) {
  const auto is_bounded = [](const Interval& box) { return box.IsFinite() && !box.IsEmpty(); };
  if (boxes.size() > kMaxVariables || !llvm::all_of(boxes, is_bounded)) return std::nullopt;
  LinearReader reader(num_dimensions, boxes);
  llvm::SmallVector<AffineExpr> decided;
  for (const AffineExpr expression : expressions) {
    LinearExpression linear;
    if (!reader.Read(expression, linear)) return std::nullopt;
    decided.push_back(reader.Write(linear, expression.getContext()));
  }
  return decided;
}

}  // namespace hlo_indexing::simplifier
