#include "simplifier/polynomial.h"

#include <algorithm>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "simplifier/variable_bounds.h"

namespace hlo_indexing::simplifier {
namespace {

// The polynomials of one unknown whose value at n is  0^k + 1^k + ... + n^k, for each k up to
// `power`, as their coefficients. From (n + 1)^(k + 1) = sum over j <= k of binomial(k + 1, j)
// times the sum of powers j.
std::vector<std::vector<Fraction>> SumsOfPowers(size_t power) {
  std::vector<std::vector<Fraction>> sums;
  // The binomials of k + 1, which are the coefficients of (n + 1)^(k + 1).
  std::vector<Fraction> binomials = {Fraction(1), Fraction(1)};
  for (size_t k = 0; k <= power; ++k) {
    std::vector<Fraction> sum = binomials;
    for (size_t j = 0; j < k; ++j) {
      for (size_t i = 0; i < sums[j].size(); ++i) sum[i] -= binomials[j] * sums[j][i];
    }
    for (Fraction& coefficient : sum) coefficient /= Fraction(static_cast<int64_t>(k + 1));
    sums.push_back(std::move(sum));
    binomials.emplace_back(1);
    for (size_t i = binomials.size() - 2; i > 0; --i) binomials[i] += binomials[i - 1];
  }
  return sums;
}

}  // namespace

bool Polynomial::ProductLess::operator()(const Product& a, const Product& b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), TermComesBefore);
}

Polynomial::Polynomial(const Sum& sum) {
  Add({}, Fraction(sum.constant));
  for (Term term : sum.terms) {
    const Fraction coefficient(term.coefficient);
    term.coefficient = 1;
    Add({term}, coefficient);
  }
}

void Polynomial::Add(const Product& product, const Fraction& coefficient) {
  if (coefficient == Fraction(0)) return;
  const auto [position, is_new] = terms_.try_emplace(product, coefficient);
  if (is_new) return;
  position->second += coefficient;
  if (position->second == Fraction(0)) terms_.erase(position);
}

Polynomial& Polynomial::operator+=(const Polynomial& other) {
  for (const auto& [product, coefficient] : other.terms_) Add(product, coefficient);
  return *this;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  for (const auto& [of_a, coefficient_of_a] : a.terms_) {
    for (const auto& [of_b, coefficient_of_b] : b.terms_) {
      Polynomial::Product product;
      std::merge(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(product),
                 TermComesBefore);
      result.Add(product, coefficient_of_a * coefficient_of_b);
    }
  }
  return result;
}

Polynomial operator*(Polynomial a, const Fraction& factor) {
  if (factor == Fraction(0)) return {};
  for (auto& [product, coefficient] : a.terms_) coefficient *= factor;
  return a;
}

std::vector<Polynomial> Polynomial::CoefficientsOf(VariableId variable) const {
  std::vector<Polynomial> coefficients(1);
  for (const auto& [product, coefficient] : terms_) {
    // An atom is the variable less its smallest value.
    std::vector<Polynomial> parts = {Polynomial(coefficient)};
    for (const Term& digit : product) {
      if (!IsVariable(*digit.atom, variable)) {
        const Polynomial factor = Of({digit}, Fraction(1));
        for (Polynomial& part : parts) part = part * factor;
        continue;
      }
      const Fraction shift(-llvm::DynamicAPInt(digit.atom->lower));
      parts.emplace_back();
      for (size_t k = parts.size() - 1; k > 0; --k) {
        parts[k] = parts[k] * shift;
        parts[k] += parts[k - 1];
      }
      parts[0] = parts[0] * shift;
    }
    if (coefficients.size() < parts.size()) coefficients.resize(parts.size());
    for (size_t k = 0; k < parts.size(); ++k) coefficients[k] += parts[k];
  }
  return coefficients;
}

Polynomial::Numbered Polynomial::Number(DigitContext& context) const {
  Numbered numbered;
  std::vector<Term> digits;
  for (const auto& [product, coefficient] : terms_) {
    Monomial& monomial = numbered.terms.emplace_back();
    monomial.coefficient = coefficient;
    for (const Term& digit : product) {
      const auto found = llvm::find(digits, digit);
      monomial.factors.push_back(static_cast<unsigned>(found - digits.begin()));
      if (found == digits.end()) digits.push_back(digit);
    }
    llvm::sort(monomial.factors);
  }
  for (const Term& digit : digits) numbered.digits.push_back(context.Store(digit, 0));
  return numbered;
}

void Polynomial::Print(llvm::raw_ostream& out) const {
  if (terms_.empty()) out << '0';
  bool is_first = true;
  for (const auto& [product, coefficient] : terms_) {
    if (!is_first) out << " + ";
    is_first = false;
    for (const Term& digit : product) {
      digit.Print(out);
      out << " * ";
    }
    out << coefficient.num;
    if (coefficient.den != 1) out << '/' << coefficient.den;
  }
}

Polynomial Expand(llvm::ArrayRef<Monomial> terms, llvm::ArrayRef<Sum> sums) {
  Polynomial expanded;
  for (const Monomial& monomial : terms) {
    Polynomial product(monomial.coefficient);
    for (const unsigned factor : monomial.factors) product = product * Polynomial(sums[factor]);
    expanded += product;
  }
  return expanded;
}

Polynomial SumOver(llvm::ArrayRef<Polynomial> coefficients, const Polynomial& first,
                   const Polynomial& last) {
  const auto sums = SumsOfPowers(coefficients.size() - 1);
  Polynomial before_first = first;
  before_first += Polynomial(Fraction(-1));
  Polynomial result;
  for (size_t k = 0; k < coefficients.size(); ++k) {
    if (coefficients[k].IsZero()) continue;
    std::vector<Polynomial> sum;
    for (const Fraction& coefficient : sums[k]) sum.emplace_back(coefficient);
    Polynomial difference = ValueAt(sum, before_first) * Fraction(-1);
    difference += ValueAt(sum, last);
    result += coefficients[k] * difference;
  }
  return result;
}

Polynomial ValueAt(llvm::ArrayRef<Polynomial> coefficients, const Polynomial& value) {
  Polynomial result;
  for (const Polynomial& coefficient : llvm::reverse(coefficients)) {
    result = result * value;
    result += coefficient;
  }
  return result;
}

}  // namespace hlo_indexing::simplifier
