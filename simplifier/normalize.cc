// The normal form of a sum: digits added up, cut, merged, whole quotient variables expanded.
#include <algorithm>

#include "simplifier/arithmetic.h"

namespace hlo_indexing::simplifier {
namespace {

using support::CheckedAdd;
using support::CheckedMul;

// The position where a digit ends: lo * extent, saturated.
int64_t EndOf(const Term& term) {
  if (term.extent == kUnbounded) return kUnbounded;
  return CheckedMul(term.lo, term.extent).value_or(kUnbounded);
}

// Sorts the terms and adds up equal digits. False on overflow.
bool SortAndCombine(TermVector& terms) {
  if (terms.size() > 1) llvm::sort(terms, TermComesBefore);
  size_t kept = 0;
  for (size_t i = 0; i < terms.size();) {
    Term term = terms[i];
    size_t next = i + 1;
    for (; next < terms.size() && terms[next].SameDigit(term); ++next) {
      const std::optional<int64_t> sum = CheckedAdd(term.coefficient, terms[next].coefficient);
      if (!sum) return false;
      term.coefficient = *sum;
    }
    if (term.coefficient != 0) terms[kept++] = term;
    i = next;
  }
  terms.truncate(kept);
  return true;
}

// The first boundary of another digit at which the digit can be cut exactly, or 0.
int64_t FindCut(const Term& term, llvm::ArrayRef<Term> group) {
  const int64_t end = EndOf(term);
  bool overlaps = false;
  int64_t best = 0;
  for (const Term& other : group) {
    if (&other == &term) continue;
    overlaps |= other.lo < end && term.lo < EndOf(other);
    for (const int64_t cut : {other.lo, EndOf(other)}) {
      if (cut <= term.lo || cut >= end || cut % term.lo != 0) continue;
      if (!term.IsTop() && end % cut != 0) continue;
      if (!CheckedMul(term.coefficient, cut / term.lo)) continue;
      if (best == 0 || cut < best) best = cut;
    }
  }
  return overlaps ? best : 0;
}

// Cuts one digit of the group, all of one atom, where another begins or ends. False if none can be.
bool CutOne(TermVector& group) {
  for (size_t i = 0; i < group.size(); ++i) {
    const int64_t cut = FindCut(group[i], group);
    if (cut == 0) continue;
    const Term term = group[i];
    group.erase(group.begin() + static_cast<std::ptrdiff_t>(i));
    const int64_t low = cut / term.lo;
    const int64_t high =
        term.extent == kUnbounded ? kUnbounded : support::CeilDiv(term.extent, low);
    AppendTerm(term.coefficient, term.atom, term.lo, low, group);
    AppendTerm(term.coefficient * low, term.atom, cut, high, group);
    return true;
  }
  return false;
}

// Merges one pair k * (x, lo, e) + k * e * (x, lo * e, f) into k * (x, lo, e * f).
bool MergeOne(TermVector& group) {
  for (size_t i = 0; i < group.size(); ++i) {
    for (size_t j = 0; j < group.size(); ++j) {
      const Term low = group[i];
      const Term high = group[j];
      if (i == j || low.extent == kUnbounded || high.lo != EndOf(low)) continue;
      if (CheckedMul(low.coefficient, low.extent) != high.coefficient) continue;
      const int64_t extent = high.IsTop() ? kUnbounded : low.extent * high.extent;
      group.erase(group.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
      group.erase(group.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
      AppendTerm(low.coefficient, low.atom, low.lo, extent, group);
      return true;
    }
  }
  return false;
}

// Replaces a whole quotient variable by coefficient * its sum. False if that overflows; then
// nothing changes.
bool ExpandQuotientVariable(const Term& whole, TermVector& terms, int64_t& constant) {
  const Sum& sum = whole.atom->arguments.front();
  const std::optional<int64_t> offset = CheckedMul(whole.coefficient, sum.constant);
  const std::optional<int64_t> total = offset ? CheckedAdd(constant, *offset) : std::nullopt;
  if (!total) return false;
  const size_t size = terms.size();
  for (const Term& term : sum.terms) {
    const std::optional<int64_t> coefficient = CheckedMul(whole.coefficient, term.coefficient);
    if (!coefficient) {
      terms.truncate(size);
      return false;
    }
    terms.push_back(term);
    terms.back().coefficient = *coefficient;
  }
  constant = *total;
  return true;
}

bool IsWholeQuotientVariable(const Term& term) {
  return term.atom->kind == AtomKind::kQuotientVariable && term.IsWhole();
}

// Brings the digits of one atom into normal form. False on overflow. All cuts come before all
// merges: a cut that has met no digit to combine with is merged again. What merging leaves may be
// cut elsewhere, if boundaries do not divide each other; that need not end, so it is limited.
bool NormalizeGroup(TermVector& group) {
  constexpr int kMaxRounds = 8;
  // If boundaries divide each other, an atom of 64 bits has fewer digits. Elsewhere hundreds of
  // them have thousands of positions to be cut at; they stay as they are.
  constexpr size_t kMaxDigits = 64;
  if (group.size() > kMaxDigits) return true;
  TermVector before;
  for (int round = 0; round < kMaxRounds && group.size() > 1 && group != before; ++round) {
    before = group;
    while (CutOne(group)) {
      if (!SortAndCombine(group)) return false;
    }
    while (MergeOne(group)) {
      if (!SortAndCombine(group)) return false;
    }
  }
  return true;
}

// The value of an atom as a sum: that of a quotient variable, else the atom itself.
Sum ValueOf(const Atom& atom, Term& whole) {
  if (atom.kind == AtomKind::kQuotientVariable) return atom.arguments.front();
  whole = {1, &atom, 1, atom.extent};
  return {whole, 0};
}

// Whether the modulus divides a - factor * b - constant term by term; the factor is 1 or -1.
bool AreCongruent(const Sum& a, const Sum& b, int64_t factor, int64_t constant, int64_t modulus) {
  const auto divides = [&](int64_t of_a, int64_t of_b) {
    return (of_a % modulus - of_b % modulus * factor) % modulus == 0;
  };
  const Term* i = a.terms.begin();
  const Term* j = b.terms.begin();
  while (i != a.terms.end() || j != b.terms.end()) {
    const bool is_of_a = i != a.terms.end() && (j == b.terms.end() || !TermComesBefore(*j, *i));
    const bool is_of_b = j != b.terms.end() && (i == a.terms.end() || !TermComesBefore(*i, *j));
    if (!divides(is_of_a ? i->coefficient : 0, is_of_b ? j->coefficient : 0)) return false;
    if (is_of_a) ++i;
    if (is_of_b) ++j;
  }
  return divides(a.constant % modulus - constant, b.constant);
}

// What a digit of an atom is worth as that of another one: factor * (other, lo, extent) + constant.
struct EqualDigit {
  int64_t factor = 1;
  int64_t constant = 0;
};

// The quotient of a sum as the normal form of `other` would have it: what the divisor divides, and
// the rest as a digit of `other` that is its quotient. Nullopt if there is none. Nothing is divided
// here, as that would bring sums into normal form again.
std::optional<TermVector> QuotientWithin(const Sum& sum, int64_t divisor, const Sum& other,
                                         int64_t& constant) {
  TermVector quotient;
  TermVector rest;
  for (const Term& term : sum.terms) {
    const bool divides = term.coefficient % divisor == 0;
    TermVector& part = divides ? quotient : rest;
    part.push_back(term);
    if (divides) part.back().coefficient /= divisor;
  }
  constant = support::FloorDiv(sum.constant, divisor);
  const Sum of_rest = {rest, sum.constant - constant * divisor};
  if (rest.empty()) return quotient;
  for (const Term& term : other.terms) {
    if (term.lo != divisor || !term.IsTop()) continue;
    Term whole;
    if (!(ValueOf(*term.atom, whole) == of_rest)) continue;
    quotient.push_back(term);
    quotient.back().coefficient = 1;
    if (!SortAndCombine(quotient)) return std::nullopt;
    return quotient;
  }
  return std::nullopt;
}

// The digit below `high`, which `low` is if their atoms are congruent, or if each is what the other
// lacks to -1: then the digits add up to the greatest. The atom of `high` may have further digits
// below, so that its quotient by these is what `low` is of.
std::optional<EqualDigit> DigitBelow(const Term& high, const Term& low) {
  const int64_t modulus = EndOf(low);
  const int64_t below = high.lo / modulus;
  // What is compared is within twice the modulus.
  if (modulus > support::kInt64Max / 4) return std::nullopt;
  Term whole_of_high;
  Term whole_of_low;
  Sum value = ValueOf(*high.atom, whole_of_high);
  const Sum other = ValueOf(*low.atom, whole_of_low);
  std::optional<TermVector> quotient;
  if (below > 1) {
    int64_t constant = 0;
    quotient = QuotientWithin(value, below, other, constant);
    if (!quotient.has_value()) return std::nullopt;
    value = {*quotient, constant};
  }
  if (AreCongruent(value, other, 1, 0, modulus)) return EqualDigit{1, 0};
  if (AreCongruent(value, other, -1, -1, modulus)) return EqualDigit{-1, low.extent - 1};
  return std::nullopt;
}

// Where a digit of one atom stands above a digit of another one that is congruent, it becomes one
// digit of the first: k * c * (x floordiv c) + k * (y mod c) = k * x if c divides x - y.
// Example: ((d0 * 4 + d1) floordiv 3) * 3 + (d0 + d1) mod 3 -> d0 * 4 + d1
bool MergeCongruent(TermVector& terms, int64_t& constant) {
  for (size_t i = 0; i < terms.size(); ++i) {
    const Term high = terms[i];
    if (high.lo == 1) continue;
    for (size_t j = 0; j < terms.size(); ++j) {
      const Term low = terms[j];
      if (low.atom == high.atom || low.extent == kUnbounded || high.lo % EndOf(low) != 0) continue;
      const bool is_high_quotient = high.atom->kind == AtomKind::kQuotientVariable;
      const bool is_low_quotient = low.atom->kind == AtomKind::kQuotientVariable;
      if (!is_high_quotient && !is_low_quotient) continue;
      // Between a digit of a variable and what is below it nothing else can stand.
      const int64_t below = high.lo / EndOf(low);
      if (below > 1 && (!is_high_quotient || !is_low_quotient)) continue;
      const std::optional<int64_t> above = CheckedMul(low.coefficient, low.extent);
      if (!above) continue;
      const bool continues = *above == high.coefficient;
      if (!continues && CheckedMul(*above, -1) != high.coefficient) continue;
      const std::optional<EqualDigit> equal = DigitBelow(high, low);
      if (!equal || (equal->factor == 1) != continues) continue;
      const std::optional<int64_t> offset = CheckedMul(low.coefficient, equal->constant);
      const std::optional<int64_t> total = offset ? CheckedAdd(constant, *offset) : std::nullopt;
      if (!total) continue;
      constant = *total;
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
      AppendTerm(high.coefficient / low.extent, high.atom, low.lo * below, low.extent, terms);
      return true;
    }
  }
  return false;
}

// Whether MergeCongruent may find something: most sums have no such digits.
bool HasPartsOfSums(llvm::ArrayRef<Term> terms) {
  // Of more digits, each pair would have to be compared.
  constexpr size_t kMaxTerms = 64;
  if (terms.size() < 2 || terms.size() > kMaxTerms) return false;
  bool has_high = false;
  bool has_quotient = false;
  for (const Term& term : terms) {
    has_high |= term.lo > 1;
    has_quotient |= term.atom->kind == AtomKind::kQuotientVariable;
  }
  return has_high && has_quotient;
}

// Whether the terms are in normal form as they stand: one digit for each atom, in order.
bool IsNormal(llvm::ArrayRef<Term> terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    if (i > 0 && terms[i - 1].atom->id >= terms[i].atom->id) return false;
    if (terms[i].coefficient == 0 || IsWholeQuotientVariable(terms[i])) return false;
  }
  return true;
}

}  // namespace

void AppendTerm(int64_t coefficient, const Atom* atom, int64_t lo, int64_t extent,
                TermVector& terms) {
  if (atom->extent != kUnbounded) extent = std::min(extent, support::CeilDiv(atom->extent, lo));
  if (coefficient == 0 || extent <= 1) return;
  terms.push_back({coefficient, atom, lo, extent});
}

Sum WholeAtom(DigitContext& context, const Atom& atom) {
  TermVector whole;
  AppendTerm(1, &atom, 1, atom.extent, whole);
  return context.Store(whole, atom.lower);
}

std::optional<Sum> Normalize(DigitContext& context, TermVector terms, int64_t constant) {
  if (IsNormal(terms) && !(HasPartsOfSums(terms) && MergeCongruent(terms, constant))) {
    return context.Store(terms, constant);
  }
  bool expanded = true;
  while (expanded) {
    expanded = false;
    if (!SortAndCombine(terms)) return std::nullopt;
    TermVector result;
    for (size_t begin = 0; begin < terms.size();) {
      size_t end = begin + 1;
      while (end < terms.size() && terms[end].atom == terms[begin].atom) ++end;
      TermVector group(terms.begin() + begin, terms.begin() + end);
      begin = end;
      if (!NormalizeGroup(group)) return std::nullopt;
      for (const Term& term : group) {
        if (IsWholeQuotientVariable(term) && ExpandQuotientVariable(term, result, constant)) {
          expanded = true;
        } else {
          result.push_back(term);
        }
      }
    }
    terms = std::move(result);
    if (!expanded && HasPartsOfSums(terms)) expanded = MergeCongruent(terms, constant);
  }
  return context.Store(terms, constant);
}

}  // namespace hlo_indexing::simplifier
