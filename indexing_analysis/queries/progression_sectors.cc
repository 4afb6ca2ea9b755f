#include "indexing_analysis/queries/progression_sectors.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "indexing_analysis/queries/linear_function.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AffineExpr.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {

using llvm::DynamicAPInt;
using mlir::AffineExpr;

std::optional<DynamicAPInt> SectorsOfProgression(const MemoryAccess& access, int64_t sector_bits) {
  const IndexingMap& map = access.position;
  if (map.num_runtime() != 0) return std::nullopt;
  std::vector<Interval> bounds;
  for (const Variable& variable : map.dimensions()) bounds.push_back(variable.bounds);
  for (const Variable& variable : map.ranges()) bounds.push_back(variable.bounds);
  if (llvm::any_of(bounds, [](const Interval& one) { return one.IsEmpty(); })) return std::nullopt;
  const auto linear = [&](AffineExpr expression) -> std::optional<LinearFunction> {
    LinearFunction function;
    function.coefficients.resize(bounds.size());
    if (!function.Add(expression, 1, map.num_dimensions())) return std::nullopt;
    return function;
  };
  const std::optional<LinearFunction> position = linear(map.affine_map().getResult(0));
  if (!position.has_value()) return std::nullopt;
  int64_t step = 0;
  for (const int64_t coefficient : position->coefficients) {
    if (coefficient == support::kInt64Min) return std::nullopt;
    step = std::gcd(step, coefficient);
  }
  if (step == 0) return std::nullopt;
  // The position is first + step * number, where the number counts from 0 on.
  DynamicAPInt first(position->constant);
  const auto lowest_end = [&](size_t i) {
    return DynamicAPInt(position->coefficients[i] > 0 ? bounds[i].lower : bounds[i].upper);
  };
  llvm::SmallVector<std::pair<int64_t, DynamicAPInt>, 8> digits;  // and the largest value
  for (size_t i = 0; i < bounds.size(); ++i) {
    const int64_t coefficient = position->coefficients[i];
    if (coefficient == 0) continue;
    first += DynamicAPInt(coefficient) * lowest_end(i);
    digits.push_back({std::abs(coefficient) / step,
                      DynamicAPInt(bounds[i].upper) - DynamicAPInt(bounds[i].lower)});
  }
  llvm::sort(digits, [](const auto& a, const auto& b) { return a.first < b.first; });
  DynamicAPInt last_number(0);
  for (const auto& [weight, largest] : digits) {
    if (last_number + 1 < weight) return std::nullopt;
    last_number += largest * weight;
  }
  DynamicAPInt first_number(0);
  for (const MapConstraint& constraint : map.constraints()) {
    const std::optional<LinearFunction> function = linear(constraint.expression);
    if (!function.has_value()) return std::nullopt;
    // It must be start + factor * number.
    DynamicAPInt start(function->constant);
    std::optional<int64_t> factor;
    for (size_t i = 0; i < bounds.size(); ++i) {
      const int64_t weight = position->coefficients[i] / step;
      const int64_t coefficient = function->coefficients[i];
      if (weight == 0 && coefficient == 0) continue;
      if (coefficient == support::kInt64Min) return std::nullopt;
      if (weight == 0 || coefficient % weight != 0) return std::nullopt;
      if (factor.value_or(coefficient / weight) != coefficient / weight) return std::nullopt;
      factor = coefficient / weight;
      start += DynamicAPInt(coefficient) * lowest_end(i);
    }
    if (*factor == 0) return std::nullopt;
    DynamicAPInt low = DynamicAPInt(constraint.bounds.lower) - start;
    DynamicAPInt high = DynamicAPInt(constraint.bounds.upper) - start;
    if (*factor < 0) {
      low = -low;
      high = -high;
      std::swap(low, high);
    }
    const DynamicAPInt size(std::abs(*factor));
    first_number = std::max(first_number, llvm::ceilDiv(low, size));
    last_number = std::min(last_number, llvm::floorDiv(high, size));
  }
  if (last_number < first_number) return DynamicAPInt(0);
  const DynamicAPInt step_bits = DynamicAPInt(step) * access.element_bits;
  if (step_bits >= sector_bits) return last_number - first_number + 1;
  const auto sector_of = [&](const DynamicAPInt& number) {
    return llvm::floorDiv(first * access.element_bits + step_bits * number,
                          DynamicAPInt(sector_bits));
  };
  return sector_of(last_number) - sector_of(first_number) + 1;
}

}  // namespace hlo_indexing::indexing_analysis
