#include "simplifier/point_evaluator.h"

#include "support/checked_math.h"

namespace hlo_indexing::simplifier {
namespace {

bool Assign(std::optional<int64_t> result, int64_t& value) {
  if (result) value = *result;
  return result.has_value();
}

}  // namespace

std::optional<int64_t> CountPoints(llvm::ArrayRef<const Atom*> leaves, int64_t max) {
  int64_t points = 1;
  for (const Atom* leaf : leaves) {
    if (leaf->extent > max / points) return std::nullopt;
    points *= leaf->extent;
  }
  return points;
}

llvm::SmallVector<int64_t, 4> FirstPoint(llvm::ArrayRef<const Atom*> leaves) {
  llvm::SmallVector<int64_t, 4> point;
  for (const Atom* leaf : leaves) point.push_back(leaf->lower);
  return point;
}

void MoveToNext(llvm::ArrayRef<const Atom*> leaves, llvm::MutableArrayRef<int64_t> point) {
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (++point[k] < leaves[k]->lower + leaves[k]->extent) return;
    point[k] = leaves[k]->lower;
  }
}

PointEvaluator::PointEvaluator(llvm::ArrayRef<const Atom*> leaves, llvm::ArrayRef<Sum> sums)
    : num_leaves_(leaves.size()) {
  for (const Atom* leaf : leaves) {
    numbers_.try_emplace(leaf, lowers_.size());
    lowers_.push_back(leaf->lower);
  }
  for (const Sum& sum : sums) sums_.push_back(MakeRow(sum));
  atom_values_.resize(num_leaves_ + computed_.size());
}

size_t PointEvaluator::NumberOf(const Atom& atom) {
  if (const auto known = numbers_.find(&atom); known != numbers_.end()) return known->second;
  has_all_leaves_ &= !atom.IsLeaf();
  Computed computed;
  computed.atom = &atom;
  if (!has_all_leaves_) return 0;
  for (size_t i = 0; i < atom.arguments.size(); ++i) computed.rows[i] = MakeRow(atom.arguments[i]);
  const size_t number = num_leaves_ + computed_.size();
  computed_.push_back(computed);
  numbers_.try_emplace(&atom, number);
  return number;
}

PointEvaluator::Row PointEvaluator::MakeRow(const Sum& sum) {
  // The atoms first: they have rows of their own.
  for (const Term& term : sum.terms) NumberOf(*term.atom);
  Row row;
  row.constant = sum.constant;
  row.first_digit = digits_.size();
  for (const Term& term : sum.terms) {
    digits_.push_back(
        {term.coefficient, term.lo, term.IsTop() ? 0 : term.extent, NumberOf(*term.atom)});
  }
  row.last_digit = digits_.size();
  return row;
}

bool PointEvaluator::ValueOf(const Row& row, int64_t& value) const {
  int64_t total = row.constant;
  for (size_t i = row.first_digit; i < row.last_digit; ++i) {
    const Digit& digit = digits_[i];
    int64_t part = atom_values_[digit.atom];
    if (digit.lo != 1) part = support::FloorDiv(part, digit.lo);
    if (digit.modulus != 0) part = support::FloorMod(part, digit.modulus);
    if (__builtin_mul_overflow(part, digit.coefficient, &part)) return false;
    if (__builtin_add_overflow(total, part, &total)) return false;
  }
  value = total;
  return true;
}

bool PointEvaluator::Compute(const Computed& computed, int64_t& value) const {
  int64_t a = 0;
  if (!ValueOf(computed.rows[0], a)) return false;
  const Atom& atom = *computed.atom;
  if (atom.kind == AtomKind::kQuotientVariable) {
    value = a;
    return true;
  }
  int64_t b = 0;
  int64_t result = 0;
  if (!ValueOf(computed.rows[1], b)) return false;
  bool has_value = false;
  switch (atom.operation) {
    case OpaqueOperation::kAdd:
      has_value = Assign(support::CheckedAdd(a, b), result);
      break;
    case OpaqueOperation::kMultiply:
      has_value = Assign(support::CheckedMul(a, b), result);
      break;
    case OpaqueOperation::kFloorDiv:
      has_value = Assign(support::CheckedFloorDiv(a, b), result);
      break;
    default:
      has_value = Assign(support::CheckedFloorMod(a, b), result);
      break;
  }
  return has_value && Assign(support::CheckedSub(result, atom.lower), value);
}

bool PointEvaluator::Evaluate(llvm::ArrayRef<int64_t> point,
                              llvm::MutableArrayRef<int64_t> values) {
  if (!has_all_leaves_) return false;
  for (size_t i = 0; i < num_leaves_; ++i) {
    if (!Assign(support::CheckedSub(point[i], lowers_[i]), atom_values_[i])) return false;
  }
  for (size_t i = 0; i < computed_.size(); ++i) {
    if (!Compute(computed_[i], atom_values_[num_leaves_ + i])) return false;
  }
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (!ValueOf(sums_[i], values[i])) return false;
  }
  return true;
}

}  // namespace hlo_indexing::simplifier
