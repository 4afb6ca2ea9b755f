// Polynomials in digits, with rational coefficients: how many points there are, as a function.
#ifndef HLO_INDEXING_SIMPLIFIER_POLYNOMIAL_H_
#define HLO_INDEXING_SIMPLIFIER_POLYNOMIAL_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Analysis/Presburger/Fraction.h"
#include "simplifier/digit_context.h"
#include "simplifier/digit_sum.h"
#include "support/printing.h"

namespace hlo_indexing::simplifier {

using mlir::presburger::Fraction;

/// `coefficient * product of factors`, each a number of something, sorted, as often as it is
/// multiplied.
struct Monomial {
  Fraction coefficient;
  llvm::SmallVector<unsigned, 4> factors;
};

/// A sum of products of digits, none of them twice. Digits of one atom that overlap are different
/// things, so equal functions may be different polynomials.
/// Example: d0 * d0 * 1/2 + (d1 mod 4) * 3 + 1
class Polynomial {
 public:
  /// Digits, each with coefficient 1, in the order of TermComesBefore; none for the constant.
  using Product = std::vector<Term>;
  struct ProductLess {
    bool operator()(const Product& a, const Product& b) const;
  };
  using Terms = std::map<Product, Fraction, ProductLess>;

  /// 0.
  Polynomial() = default;
  explicit Polynomial(const Fraction& constant) { Add({}, constant); }
  explicit Polynomial(const Sum& sum);

  static Polynomial Of(const Product& product, const Fraction& coefficient) {
    Polynomial polynomial;
    polynomial.Add(product, coefficient);
    return polynomial;
  }

  const Terms& terms() const { return terms_; }
  bool IsZero() const { return terms_.empty(); }

  Polynomial& operator+=(const Polynomial& other);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(Polynomial a, const Fraction& factor);

  /// The coefficients of the powers of a variable that stands in no division, from power 0 on.
  /// Example: d0 * d0 * d1 + 3 by d0 -> {3, 0, d1}
  std::vector<Polynomial> CoefficientsOf(VariableId variable) const;

  /// Its digits as sums, and the terms with the numbers of these for factors.
  struct Numbered {
    llvm::SmallVector<Sum, 6> digits;
    std::vector<Monomial> terms;
  };
  Numbered Number(DigitContext& context) const;

  /// Writes `d0 * d0 * 1/2 + 1`.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }

 private:
  void Add(const Product& product, const Fraction& coefficient);

  Terms terms_;
};

/// The polynomial whose factor i is a sum.
Polynomial Expand(llvm::ArrayRef<Monomial> terms, llvm::ArrayRef<Sum> sums);

/// The sum of  p(x) = sum of coefficients[k] * x^k  over all x from `first` to `last`, as a
/// polynomial in what these are; `last` must be at least `first - 1`.
/// Example: {0, 1} (the sum of x) from 1 to d0 -> d0 * d0 * 1/2 + d0 * 1/2
Polynomial SumOver(llvm::ArrayRef<Polynomial> coefficients, const Polynomial& first,
                   const Polynomial& last);

/// p(value).
Polynomial ValueAt(llvm::ArrayRef<Polynomial> coefficients, const Polynomial& value);

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_POLYNOMIAL_H_
