#include "simplifier/integer_system.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>

#include "llvm/ADT/DenseMap.h"
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "support/checked_math.h"

namespace hlo_indexing::simplifier {
namespace {

using mlir::presburger::BoundType;
using mlir::presburger::IntegerPolyhedron;
using mlir::presburger::PresburgerSpace;
using mlir::presburger::VarKind;

// Integer programming may take exponential time in the number of variables.
constexpr size_t MaxVariables(IntegerSystem::Effort effort) {
  return effort == IntegerSystem::Effort::kQuick ? 8 : 11;
}

// And in the bits of the coefficients. With few variables it is measured to take 10 milliseconds at
// most; with more of them, variables times bits tell: with 32 it takes about as long, with 64 up to
// half a second, with 100 minutes.
constexpr size_t kFewVariables = 3;
constexpr size_t MaxSize(IntegerSystem::Effort effort) {
  return effort == IntegerSystem::Effort::kQuick ? 32 : 60;
}

// Coefficients beyond make the arithmetic inside leave 64 bits, and slow.
constexpr int64_t kMaxCoefficient = int64_t{1} << 40;

// A linear expression: coefficients of the columns, and a constant. Columns beyond the end are 0.
struct Row {
  llvm::SmallVector<int64_t, 16> coefficients;
  int64_t constant = 0;
};

bool Fits(std::optional<int64_t> value) {
  return value && *value <= kMaxCoefficient && *value >= -kMaxCoefficient;
}

// target += factor * row; false if a coefficient becomes too large.
bool AddScaled(int64_t factor, const Row& row, Row& target) {
  const auto add = [factor](int64_t& value, int64_t other) {
    const std::optional<int64_t> product = support::CheckedMul(factor, other);
    const auto sum = product ? support::CheckedAdd(value, *product) : std::nullopt;
    if (!Fits(sum)) return false;
    value = *sum;
    return true;
  };
  if (target.coefficients.size() < row.coefficients.size()) {
    target.coefficients.resize(row.coefficients.size(), 0);
  }
  for (size_t i = 0; i < row.coefficients.size(); ++i) {
    if (!add(target.coefficients[i], row.coefficients[i])) return false;
  }
  return add(target.constant, row.constant);
}

}  // namespace

class IntegerSystem::Formula {
 public:
  Formula(llvm::ArrayRef<Interval> boxes, Effort effort)
      : num_variables_(boxes.size()),
        max_variables_(MaxVariables(effort)),
        max_size_(MaxSize(effort)),
        polyhedron_(PresburgerSpace::getSetSpace(static_cast<unsigned>(boxes.size()))) {
    too_hard_ = boxes.size() > max_variables_;
    for (size_t i = 0; i < boxes.size(); ++i) {
      if (!Fits(boxes[i].lower) || !Fits(boxes[i].upper)) {
        too_hard_ = true;
        return;
      }
      polyhedron_.addBound(BoundType::LB, static_cast<unsigned>(i), boxes[i].lower);
      polyhedron_.addBound(BoundType::UB, static_cast<unsigned>(i), boxes[i].upper);
    }
  }

  void Add(const Sum& sum, Interval bounds) {
    const std::optional<Row> row = RowOf(sum);
    if (!row) {
      too_hard_ = true;
      return;
    }
    if (bounds.lower != Interval::kMinusInfinity) AddAtLeast(*row, 1, bounds.lower);
    if (bounds.upper != Interval::kPlusInfinity) AddAtLeast(*row, -1, bounds.upper);
  }

  Solution Solve() const {
    Solution solution;
    if (too_hard_) return solution;
    const size_t columns = polyhedron_.getNumVars();
    const size_t bits = std::bit_width(static_cast<uint64_t>(largest_));
    if (columns > kFewVariables && columns * bits > max_size_) {
      // What has no rational point has no integer point.
      mlir::presburger::Simplex simplex(polyhedron_);
      if (simplex.isEmpty()) solution.answer = Answer::kNo;
      return solution;
    }
    const auto sample = polyhedron_.findIntegerSample();
    if (sample && !opaque_.empty()) return solution;
    solution.answer = sample ? Answer::kYes : Answer::kNo;
    for (size_t i = 0; sample && i < num_variables_; ++i) {
      solution.point.push_back(static_cast<int64_t>((*sample)[i]));
    }
    return solution;
  }

 private:
  // sign * row >= sign * bound.
  void AddAtLeast(const Row& row, int64_t sign, int64_t bound) {
    Row inequality;
    if (too_hard_ || !Fits(bound) || !AddScaled(sign, row, inequality) ||
        !AddScaled(-sign, {{}, bound}, inequality)) {
      too_hard_ = true;
      return;
    }
    for (const int64_t c : inequality.coefficients) largest_ = std::max(largest_, std::abs(c));
    polyhedron_.addInequality(Expand(inequality));
  }

  // With a coefficient for every column, and the constant.
  llvm::SmallVector<int64_t, 16> Expand(const Row& row) const {
    llvm::SmallVector<int64_t, 16> expanded = row.coefficients;
    expanded.resize(polyhedron_.getNumVars(), 0);
    expanded.push_back(row.constant);
    return expanded;
  }

  std::optional<Row> RowOf(const Sum& sum) {
    Row row;
    if (!AddScaled(1, {{}, sum.constant}, row)) return std::nullopt;
    for (const Term& term : sum.terms) {
      const std::optional<Row> digit = DigitOf(term);
      if (!digit || !AddScaled(term.coefficient, *digit, row)) return std::nullopt;
    }
    return row;
  }

  // (atom floordiv lo) mod extent.
  std::optional<Row> DigitOf(const Term& term) {
    std::optional<Row> value = AtomValue(*term.atom);
    if (value && term.lo != 1) value = Quotient(*value, term.lo);
    if (!value || term.IsTop()) return value;
    const std::optional<Row> quotient = Quotient(*value, term.extent);
    if (!quotient || !AddScaled(-term.extent, *quotient, *value)) return std::nullopt;
    return value;
  }

  std::optional<Row> AtomValue(const Atom& atom) {
    if (atom.kind == AtomKind::kQuotientVariable) return RowOf(atom.arguments.front());
    const bool is_variable = atom.kind == AtomKind::kVariable;
    if (is_variable && atom.variable >= num_variables_) return std::nullopt;
    const std::optional<unsigned> column = is_variable ? atom.variable : OpaqueColumn(atom);
    if (!column) return std::nullopt;
    Row row;
    row.coefficients.resize(*column + 1, 0);
    row.coefficients[*column] = 1;
    if (!AddScaled(-1, {{}, atom.lower}, row)) return std::nullopt;
    return row;
  }

  // The column of a function or of what is not affine: any value of its range.
  std::optional<unsigned> OpaqueColumn(const Atom& atom) {
    const Interval range = atom.ValueRange();
    if (!Fits(range.lower) || !Fits(range.upper)) return std::nullopt;
    if (const auto known = opaque_.find(&atom); known != opaque_.end()) return known->second;
    if (polyhedron_.getNumVars() >= max_variables_) return std::nullopt;
    const unsigned column = polyhedron_.appendVar(VarKind::Local);
    polyhedron_.addBound(BoundType::LB, column, range.lower);
    polyhedron_.addBound(BoundType::UB, column, range.upper);
    return opaque_[&atom] = column;
  }

  // A new column, or the one of an equal quotient.
  std::optional<Row> Quotient(const Row& dividend, int64_t divisor) {
    if (!Fits(divisor)) return std::nullopt;
    const llvm::SmallVector<int64_t, 16> expanded = Expand(dividend);
    std::vector<int64_t> key(dividend.coefficients.begin(), dividend.coefficients.end());
    while (!key.empty() && key.back() == 0) key.pop_back();
    key.push_back(dividend.constant);
    key.push_back(divisor);
    const auto [known, is_new] = quotients_.try_emplace(key, polyhedron_.getNumVars());
    if (is_new) {
      if (polyhedron_.getNumVars() >= max_variables_) return std::nullopt;
      for (const int64_t c : dividend.coefficients) largest_ = std::max(largest_, std::abs(c));
      largest_ = std::max(largest_, divisor);
      polyhedron_.addLocalFloorDiv(expanded, divisor);
    }
    Row row;
    row.coefficients.resize(known->second + 1, 0);
    row.coefficients[known->second] = 1;
    return row;
  }

  size_t num_variables_;
  size_t max_variables_;
  size_t max_size_;
  // Of coefficients and divisors.
  int64_t largest_ = 1;
  IntegerPolyhedron polyhedron_;
  // Columns of quotients by dividend and divisor.
  std::map<std::vector<int64_t>, unsigned> quotients_;
  llvm::DenseMap<const Atom*, unsigned> opaque_;
  bool too_hard_ = false;
};

IntegerSystem::IntegerSystem(llvm::ArrayRef<Interval> boxes, Effort effort)
    : formula_(std::make_unique<Formula>(boxes, effort)) {}
IntegerSystem::IntegerSystem(const IntegerSystem& other)
    : formula_(std::make_unique<Formula>(*other.formula_)) {}
IntegerSystem::~IntegerSystem() = default;

void IntegerSystem::Add(const Sum& sum, Interval bounds) { formula_->Add(sum, bounds); }

Solution IntegerSystem::Solve() const { return formula_->Solve(); }

}  // namespace hlo_indexing::simplifier
