#include "layout/cute_algebra/int_tuple.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>

#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

void AppendLeaves(const IntTuple& tuple, llvm::SmallVectorImpl<TupleInteger>& leaves) {
  if (tuple.is_integer()) leaves.push_back(tuple.integer());
  for (const IntTuple& member : tuple.members()) AppendLeaves(member, leaves);
}

void AppendText(const IntTuple& tuple, std::string& text) {
  if (tuple.is_integer()) {
    const TupleInteger& integer = tuple.integer();
    if (integer.kind == IntegerKind::kStatic) text += '_';
    text += std::to_string(integer.value);
    if (integer.divisor != 1) text += "{div=" + std::to_string(integer.divisor) + "}";
    text += integer.axes.ToString();
    return;
  }
  text += '(';
  bool first = true;
  for (const IntTuple& member : tuple.members()) {
    if (!first) text += ',';
    first = false;
    AppendText(member, text);
  }
  text += ')';
}

// What an integer is known to be a multiple of; 0 of a static 0.
int64_t KnownDivisor(const TupleInteger& integer) {
  if (!integer.is_static()) return integer.divisor;
  return integer.value == support::kInt64Min ? 1 : std::abs(integer.value);
}

}  // namespace

std::optional<AxisPath> AxisPath::Inside(int64_t axis) const {
  if (axis < 0 || axis > 254 || code_ >> 56 != 0) return std::nullopt;
  return AxisPath(code_ << 8 | static_cast<uint64_t>(axis + 1));
}

std::string AxisPath::ToString() const {
  if (empty()) return "";
  return rest().ToString() + "@" + std::to_string(first());
}

TupleInteger StaticInteger(int64_t value) { return {value, IntegerKind::kStatic, 1, {}}; }

std::optional<TupleInteger> Times(const TupleInteger& a, const TupleInteger& b) {
  if (!a.axes.empty() && !b.axes.empty()) return std::nullopt;
  TupleInteger product;
  product.axes = a.axes.empty() ? b.axes : a.axes;
  const std::optional<int64_t> value = support::CheckedMul(a.value, b.value);
  if (!value) return std::nullopt;
  product.value = *value;
  if ((a.is_static() && b.is_static()) || a.is_static(0) || b.is_static(0)) {
    product.kind = IntegerKind::kStatic;
  } else if (a.divisor != 1 || b.divisor != 1) {
    product.divisor = support::CheckedMul(KnownDivisor(a), KnownDivisor(b)).value_or(1);
  }
  return product;
}

std::optional<TupleInteger> Plus(const TupleInteger& a, const TupleInteger& b) {
  if (a.axes != b.axes) return std::nullopt;
  const std::optional<int64_t> value = support::CheckedAdd(a.value, b.value);
  if (!value) return std::nullopt;
  if (a.is_static(0)) return b;
  if (b.is_static(0)) return a;
  TupleInteger sum;
  sum.value = *value;
  sum.axes = a.axes;
  if (a.is_static() && b.is_static()) {
    sum.kind = IntegerKind::kStatic;
  } else if (a.divisor != 1 || b.divisor != 1) {
    sum.divisor = std::gcd(KnownDivisor(a), KnownDivisor(b));
  }
  return sum;
}

TupleInteger DividedRoundingUp(const TupleInteger& a, const TupleInteger& b) {
  TupleInteger quotient;
  quotient.value = support::CeilDiv(a.value, b.value);
  if (a.is_static() && b.is_static()) {
    quotient.kind = IntegerKind::kStatic;
  } else if (b.is_static(1)) {
    return a;
  } else if (b.is_static() && a.divisor % b.value == 0) {
    quotient.divisor = a.divisor / b.value;
  }
  return quotient;
}

std::optional<TupleInteger> ProductWithKind(const IntTuple& tuple) {
  // A zero makes the product zero, however large the others are.
  std::optional<TupleInteger> product = StaticInteger(1);
  const llvm::SmallVector<TupleInteger, 4> leaves = tuple.Leaves();
  for (const TupleInteger& leaf : leaves) {
    if (leaf.value == 0) return leaf;
    if (product) product = Times(*product, leaf);
  }
  return product;
}

IntTuple IntTuple::Static(int64_t value) { return Integer(StaticInteger(value)); }

IntTuple IntTuple::Dynamic(int64_t value, int64_t divisor) {
  return Integer({value, IntegerKind::kDynamic, divisor, {}});
}

IntTuple IntTuple::Tuple(std::vector<IntTuple> members) {
  IntTuple tuple;
  tuple.members_ = std::move(members);
  return tuple;
}

int64_t IntTuple::rank() const { return is_integer() ? 1 : static_cast<int64_t>(members_.size()); }

int64_t IntTuple::depth() const {
  if (is_integer()) return 0;
  int64_t deepest = 0;
  for (const IntTuple& member : members_) deepest = std::max(deepest, member.depth());
  return deepest + 1;
}

llvm::SmallVector<TupleInteger, 4> IntTuple::Leaves() const {
  llvm::SmallVector<TupleInteger, 4> leaves;
  AppendLeaves(*this, leaves);
  return leaves;
}

std::string IntTuple::ToString() const {
  std::string text;
  AppendText(*this, text);
  return text;
}

bool AreCongruent(const IntTuple& a, const IntTuple& b) {
  if (a.is_integer() || b.is_integer()) return a.is_integer() && b.is_integer();
  return std::equal(a.members().begin(), a.members().end(), b.members().begin(), b.members().end(),
                    AreCongruent);
}

std::optional<int64_t> Product(const IntTuple& tuple) {
  std::optional<int64_t> product = 1;
  for (const TupleInteger& leaf : tuple.Leaves()) {
    // A zero makes the product zero, however large the others are.
    if (leaf.value == 0) return 0;
    if (product) product = support::CheckedMul(*product, leaf.value);
  }
  return product;
}

}  // namespace hlo_indexing::layout
