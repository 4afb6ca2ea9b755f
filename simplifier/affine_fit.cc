#include "simplifier/affine_fit.h"

#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::simplifier {

using support::CheckedMul;
using support::CheckedSub;

namespace {

// a * x - b * y; nullopt on overflow.
std::optional<int64_t> Combine(int64_t a, int64_t x, int64_t b, int64_t y) {
  const auto ax = CheckedMul(a, x);
  const auto by = CheckedMul(b, y);
  return ax && by ? CheckedSub(*ax, *by) : std::nullopt;
}

}  // namespace

// Elimination without fractions: rows are kept with coprime entries.
bool AffineFit::Add(llvm::ArrayRef<int64_t> point, int64_t value) {
  if (!has_origin_) {
    has_origin_ = true;
    origin_.assign(point.begin(), point.end());
    origin_value_ = value;
    return true;
  }
  Row row;
  for (size_t i = 0; i < num_variables_; ++i) {
    const auto factor = CheckedSub(point[i], origin_[i]);
    if (!factor) return false;
    row.factors.push_back(*factor);
  }
  const auto difference = CheckedSub(value, origin_value_);
  if (!difference) return false;
  row.value = *difference;
  for (const Row& known : rows_) {
    const int64_t lead = row.factors[known.pivot];
    if (lead == 0) continue;
    const int64_t scale = known.factors[known.pivot];
    for (size_t i = 0; i < num_variables_; ++i) {
      const auto next = Combine(scale, row.factors[i], lead, known.factors[i]);
      if (!next) return false;
      row.factors[i] = *next;
    }
    const auto next = Combine(scale, row.value, lead, known.value);
    if (!next) return false;
    row.value = *next;
  }
  int64_t divisor = 0;
  for (const int64_t factor : row.factors) {
    if (factor == support::kInt64Min) return false;
    divisor = std::gcd(divisor, factor);
  }
  if (divisor == 0) return row.value == 0;
  if (row.value == support::kInt64Min) return false;
  divisor = std::gcd(divisor, row.value);
  for (int64_t& factor : row.factors) factor /= divisor;
  row.value /= divisor;
  while (row.factors[row.pivot] == 0) ++row.pivot;
  rows_.push_back(row);
  return true;
}

std::optional<AffineFit::Function> AffineFit::Solve() const {
  if (!has_origin_) return std::nullopt;
  Function function;
  function.coefficients.assign(num_variables_, 0);
  // A later row has no pivot of an earlier one, so the last row is solved first.
  for (const Row& row : llvm::reverse(rows_)) {
    int64_t value = row.value;
    for (size_t i = 0; i < num_variables_; ++i) {
      if (i == row.pivot) continue;
      const auto next = Combine(1, value, row.factors[i], function.coefficients[i]);
      if (!next) return std::nullopt;
      value = *next;
    }
    const int64_t scale = row.factors[row.pivot];
    if (value == support::kInt64Min || value % scale != 0) return std::nullopt;
    function.coefficients[row.pivot] = value / scale;
  }
  function.constant = origin_value_;
  for (size_t i = 0; i < num_variables_; ++i) {
    const auto next = Combine(1, function.constant, function.coefficients[i], origin_[i]);
    if (!next) return std::nullopt;
    function.constant = *next;
  }
  return function;
}

}  // namespace hlo_indexing::simplifier
