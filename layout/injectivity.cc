// Whether two elements of an array have the same position; declared in layout/relayout.h.
#include <algorithm>
#include <numeric>

#include "layout/relayout.h"
#include "simplifier/arithmetic.h"
#include "simplifier/image.h"
#include "simplifier/integer_system.h"
#include "simplifier/quotient_program.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

using simplifier::DigitContext;
using simplifier::IntegerSystem;
using simplifier::Interval;
using simplifier::QuasiAffineMap;
using simplifier::QuotientProgram;
using simplifier::Solution;
using simplifier::Sum;
using simplifier::Term;
using Terms = llvm::SmallVector<Term, 8>;

// The digits of the position without those of no effect, if together they determine the index.
std::optional<Terms> DigitsOfIndex(llvm::ArrayRef<int64_t> sizes, const Sum& position) {
  Terms terms(position.terms.begin(), position.terms.end());
  for (const Term& term : terms) {
    const bool is_digit = term.atom->kind == simplifier::AtomKind::kVariable &&
                          term.atom->lower == 0 && term.coefficient > 0;
    if (!is_digit) return std::nullopt;
  }
  llvm::sort(terms, [](const Term& a, const Term& b) { return a.lo < b.lo; });
  llvm::SmallVector<int64_t, 6> covered(sizes.size(), 1);
  for (const Term& term : terms) {
    int64_t& end = covered[term.atom->variable];
    if (term.lo != end) return std::nullopt;
    // Where the product is large, so is the digit's end.
    end = support::CheckedMul(end, term.extent).value_or(support::kInt64Max);
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (covered[i] < sizes[i]) return std::nullopt;
  }
  llvm::erase_if(terms, [](const Term& term) { return term.extent == 1; });
  return terms;
}

// Whether two elements of one position have this digit in common: their distances d along all
// digits have sum(coefficient * d) = 0, which leaves none but 0 if the others do not reach the
// coefficient, or if a common divisor of the others leaves only multiples that are too large.
bool IsSharedDigit(const Terms& terms, size_t which) {
  std::optional<int64_t> reach = 0;
  int64_t divisor = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (i == which) continue;
    const auto part = support::CheckedMul(terms[i].coefficient, terms[i].extent - 1);
    reach = reach && part ? support::CheckedAdd(*reach, *part) : std::nullopt;
    divisor = std::gcd(divisor, terms[i].coefficient);
  }
  const Term& own = terms[which];
  if (reach && *reach < own.coefficient) return true;
  return divisor / std::gcd(divisor, own.coefficient) >= own.extent;
}

// By the distances along digits, as if each could take all values. Of two digits that are left, the
// smallest distances are coefficient / divisor of the other one.
Answer ByDigits(llvm::ArrayRef<int64_t> sizes, Terms terms) {
  for (size_t i = 0; i < terms.size();) {
    if (IsSharedDigit(terms, i)) {
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    } else {
      ++i;
    }
  }
  if (terms.empty()) return Answer::kYes;
  if (terms.size() != 2) return Answer::kUnknown;
  // Two elements whose other digits are 0.
  const int64_t divisor = std::gcd(terms[0].coefficient, terms[1].coefficient);
  const auto is_inside = [&](const Term& term, int64_t digit) {
    const std::optional<int64_t> index = support::CheckedMul(digit, term.lo);
    return index && *index < sizes[term.atom->variable];
  };
  const bool exist = is_inside(terms[0], terms[1].coefficient / divisor) &&
                     is_inside(terms[1], terms[0].coefficient / divisor);
  return exist ? Answer::kNo : Answer::kUnknown;
}

// The sum of other variables: variable i becomes the one of number first + i.
Sum OfLaterVariables(DigitContext& context, const Sum& sum, llvm::ArrayRef<int64_t> sizes,
                     size_t first) {
  const auto replace = [&](const simplifier::Atom& atom) -> std::optional<Sum> {
    if (atom.kind != simplifier::AtomKind::kVariable) return std::nullopt;
    return context.Variable(static_cast<simplifier::VariableId>(first + atom.variable),
                            {0, sizes[atom.variable] - 1});
  };
  simplifier::Substitution substitution(context, replace);
  return substitution.Apply(sum);
}

// Looks for two elements of one position whose indices agree in front of dimension `first`, and of
// which the first one has a larger index along it.
support::Answer FindSharedPosition(DigitContext& context, llvm::ArrayRef<int64_t> sizes,
                                   const Sum& position, size_t first) {
  const size_t rank = sizes.size();
  llvm::SmallVector<Interval, 12> boxes;
  for (size_t i = 0; i < 2 * rank; ++i) boxes.push_back({0, sizes[i % rank] - 1});
  IntegerSystem system(boxes, IntegerSystem::Effort::kThorough);
  const Sum other = OfLaterVariables(context, position, sizes, rank);
  system.Add(Subtract(context, position, other), {0, 0});
  for (size_t i = 0; i <= first; ++i) {
    const Sum of_one = context.Variable(static_cast<simplifier::VariableId>(i), boxes[i]);
    const Sum of_other = context.Variable(static_cast<simplifier::VariableId>(rank + i), boxes[i]);
    const Interval bounds = i == first ? Interval{1, sizes[i] - 1} : Interval{0, 0};
    system.Add(Subtract(context, of_one, of_other), bounds);
  }
  const Solution solution = system.Solve();
  if (solution.answer != support::Answer::kYes) return solution.answer;
  const auto program = QuotientProgram::Create(position, rank);
  if (!program) return support::Answer::kUnknown;
  const llvm::ArrayRef<int64_t> point(solution.point);
  const bool is_shared =
      program->Evaluate(point.take_front(rank)) == program->Evaluate(point.slice(rank, rank));
  return is_shared ? support::Answer::kYes : support::Answer::kUnknown;
}

Answer ByIntegerProgramming(DigitContext& context, llvm::ArrayRef<int64_t> sizes,
                            const Sum& position) {
  Answer answer = Answer::kYes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1) continue;
    const support::Answer found = FindSharedPosition(context, sizes, position, i);
    if (found == support::Answer::kYes) return Answer::kNo;
    if (found == support::Answer::kUnknown) answer = Answer::kUnknown;
  }
  return answer;
}

}  // namespace

Answer IsInjective(DigitContext& context, llvm::ArrayRef<int64_t> sizes,
                   const ElementPositions& positions) {
  // The index is a function of the position.
  if (positions.index.boxes.size() == 1) return Answer::kYes;
  if (const auto terms = DigitsOfIndex(sizes, positions.position)) {
    const Answer answer = ByDigits(sizes, *terms);
    if (answer != Answer::kUnknown) return answer;
  }
  QuasiAffineMap map;
  for (const int64_t size : sizes) map.boxes.push_back({0, size - 1});
  map.results.push_back(positions.position);
  const Answer by_counting = simplifier::ImageOf(context, map).injective;
  if (by_counting != Answer::kUnknown) return by_counting;
  return ByIntegerProgramming(context, sizes, positions.position);
}

}  // namespace hlo_indexing::layout
