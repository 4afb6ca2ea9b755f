#include "layout/int_tuple.h"

#include <algorithm>
#include <cstddef>

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

}  // namespace

IntTuple IntTuple::Static(int64_t value) { return Integer({value, IntegerKind::kStatic, 1}); }

IntTuple IntTuple::Dynamic(int64_t value, int64_t divisor) {
  return Integer({value, IntegerKind::kDynamic, divisor});
}

IntTuple IntTuple::Integer(TupleInteger integer) {
  IntTuple tuple;
  tuple.integer_ = integer;
  return tuple;
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
