// The one idea of this project: an index expression is a sum of digits.
//
// Take a number x and write it in mixed radix, cut at 4 and at 12:
//
//     x = 1 * (x mod 4) + 4 * ((x floordiv 4) mod 3) + 12 * (x floordiv 12)
//
// Each `(x floordiv lo) mod extent` is a *digit* of x. Everything that a tensor program does to an
// index moves digits about: a reshape cuts one index into digits or glues digits into one index, a
// transpose reorders them, a slice scales and shifts, a tiled memory layout or a CuTe layout gives
// every digit a stride. So an index expression over box variables is
//
//     constant + sum of coefficient * digit           (class Sum)
//
// and questions about it are read off the digits: its range, whether a division is exact, the
// elements that it reaches, the vector width of an access.
//
// A digit belongs to an *atom*, a value in [0, extent):
//   - a variable in its box, shifted so that it starts at 0;
//   - a *quotient variable*: the value of a whole sum that a division could not take apart, as in
//     `(5 * d0 + d1) floordiv 7`. Quotient variables are unique per sum, so they form a DAG and
//     their digits merge again: 7 * (M floordiv 7) + M mod 7 is M, and M is the sum;
//   - an opaque value: a product of variables, a division by a variable, an expression that
//     overflows, or a function of sums whose values are known at run time only.
//
// Notation (Sum::Print), that of indexing maps: digits by floordiv and mod, factors on the right. A
// quotient variable stands in braces, as it is one value, whatever sum it has; a function has its
// arguments:
//     {d0 * 5 + d1} floordiv 7          a digit of a quotient variable, which starts at 7
//     ((d0 floordiv 4) mod 3) * 2 + 1   the digit of d0 from 4 to 12, twice, and 1
//     f2(d0) + (d1 * d2) mod 8          a function, numbered 2; an opaque product
//     (d0 - 5) mod 4                    the lowest digit of a variable whose box starts at 5: an
//                                       atom starts at 0. Whole, that is written d0
//
// Normal form (arithmetic.h, Normalize). A sum holds each digit once, sorted; overlapping digits of
// an atom are cut where their boundaries meet; adjacent digits are merged,
//     k * (x mod a) + k * a * ((x floordiv a) mod b)  =  k * (x mod (a * b)),
// a digit that stands so below one of another atom, to which or to whose quotient its own is
// congruent, is a digit of that, and the whole digit of a quotient variable is replaced by its sum.
// Quotient variables form a DAG, so replacing them ends. All cuts of a group of digits come before
// all merges, and each of both is finite; if boundaries do not divide each other, cutting what was
// merged may go on, and is limited.
//
// Division (div_mod.h, DivMod): e = c * q + r with 0 <= r < c. Only here is a division taken apart,
// by ranges: those of digits, and those that facts say, the constraints of a domain.
//
// All arithmetic on sums comes down to these two. What else rewrites sums does it on a domain, to
// sums that have the same values there, by these two again:
//   domain/passes.h       narrows the boxes of variables and subtracts equalities from sums;
//   domain/refine.h       takes a shorter sum: a variable with a known residue is a multiple and an
//                         offset, and what has the values of an affine function becomes it.
// Three more write sums in other forms, which do not become sums again: linear_form.h for people,
// emission_form.h for machines, quotient_program.h for plain numbers. decided_divisions.h does for
// affine expressions, where ranges decide every division, what sums would come to.
//
// Laws of Normalize and DivMod, each tested by its name in tests/simplifier:
//   Soundness       q and r have the values of floor(e / c) and e - c * floor(e / c) at every point
//                   of the variables' boxes. Each rewrite is an identity guarded by a range, and
//                   what overflows stays an opaque atom.
//   SplitMerge      Normalize(c * q + r) == Normalize(e), always. DivMod only partitions terms,
//                   cuts a digit into two adjacent ones or makes the pair (M floordiv c, M mod c),
//                   and Normalize puts each of these together again.
//   Telescoping     A chain of reshapes equals the direct reshape, whatever is reshaped: by
//                   SplitMerge, linearising a step's outputs gives back the sum that it divided.
//   Canonicity      If every boundary divides the next (powers of two, tilings, pure splits and
//                   merges) no quotient variable is ever made, digits are independent, and equal
//                   functions have equal sums. Elsewhere the form is sound and telescopes but is
//                   not unique.
//   Idempotence     A normal form is its own normal form, and a remainder by c divided by c again
//                   is itself: its range is inside [0, c - 1], whichever branch made it. A
//                   simplified map is its own simplified map, for simplifying goes on until nothing
//                   changes; tests/property checks that on random maps.
//   Termination     Normalize cuts at boundaries that are there, finitely many, before it merges,
//                   each merge leaves a digit less, and the sum of a quotient variable only holds
//                   atoms made before it. DivMod calls itself for a smaller divisor, or once for
//                   the negated sum. Rounds that could go on, as boundaries that do not divide each
//                   other or bounds that narrow by one allow, are limited in number: what is left
//                   is as right.
#ifndef HLO_INDEXING_SIMPLIFIER_DIGIT_SUM_H_
#define HLO_INDEXING_SIMPLIFIER_DIGIT_SUM_H_

#include <cstdint>
#include <string>
#include <tuple>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "simplifier/interval.h"
#include "support/printing.h"

namespace hlo_indexing::simplifier {

/// Identifies a variable of a map; the caller numbers them. Terms print in ascending order.
using VariableId = uint32_t;

/// The extent of an atom or digit whose values have no upper bound.
inline constexpr int64_t kUnbounded = INT64_MAX;

struct Atom;

/// Writes the name of a variable or function atom. The default writes `d3` for variable 3, and
/// `f2(d0, d1)` for function 2 of these arguments.
using LeafPrinter = llvm::function_ref<void(const Atom& leaf, llvm::raw_ostream& out)>;

/// `coefficient * ((atom floordiv lo) mod extent)`. The digit is "top" if the mod does nothing.
struct Term {
  int64_t coefficient = 0;
  const Atom* atom = nullptr;
  int64_t lo = 1;
  int64_t extent = 1;

  /// Whether `(atom floordiv lo)` is always below `extent`.
  bool IsTop() const;
  /// Whether this is the atom itself: lo is 1 and the digit is top.
  bool IsWhole() const { return lo == 1 && IsTop(); }
  /// The values of the digit, without the coefficient: [0, extent - 1], or unbounded.
  Interval DigitRange() const;
  bool SameDigit(const Term& other) const {
    return atom == other.atom && lo == other.lo && extent == other.extent;
  }

  /// Writes the term as it stands in a sum by itself: `(d0 floordiv 4) * 3`.
  void Print(llvm::raw_ostream& out, LeafPrinter leaves = nullptr) const;
  std::string ToString() const { return support::ToString(*this); }

  friend bool operator==(const Term&, const Term&) = default;
};

/// `constant + sum of terms`. An immutable view of terms that a DigitContext owns: copying is
/// cheap, equality is equality of the normal forms if both come from one context.
struct Sum {
  llvm::ArrayRef<Term> terms;
  int64_t constant = 0;

  bool IsConstant() const { return terms.empty(); }

  /// Writes the sum in the notation above; `...` in place of what follows a thousand terms.
  void Print(llvm::raw_ostream& out, LeafPrinter leaves = nullptr) const;
  std::string ToString() const { return support::ToString(*this); }

  friend bool operator==(const Sum& a, const Sum& b) {
    return a.constant == b.constant && a.terms == b.terms;
  }
};

enum class AtomKind : uint8_t { kVariable, kOpaque, kQuotientVariable };

/// What an opaque atom stands for. kFunction is a value that is known at run time only: a function,
/// identified by a number of the caller's, of the argument sums.
enum class OpaqueOperation : uint8_t { kAdd, kMultiply, kFloorDiv, kMod, kFunction };

/// A value in [0, extent), unique in its DigitContext.
struct Atom {
  AtomKind kind = AtomKind::kVariable;
  OpaqueOperation operation = OpaqueOperation::kAdd;
  /// If extent is kUnbounded: whether the value may lie below 0 too.
  bool may_be_negative = false;
  /// The order of creation; sorts the terms of a sum.
  uint32_t id = 0;
  /// How deep operations nest in it: 0 for a variable, else one more than the deepest argument.
  uint32_t depth = 0;
  /// kVariable: the variable. kFunction: the caller's number.
  VariableId variable = 0;
  /// The value of the variable or operation is `lower` + the atom's value. 0 for a quotient
  /// variable.
  int64_t lower = 0;
  int64_t extent = 1;
  /// kQuotientVariable: its one sum. kOpaque: the operands.
  llvm::ArrayRef<Sum> arguments;
  /// A hash of the content, the same in every process: finds equal atoms, and orders atoms
  /// independently of `id`.
  uint64_t structural_hash = 0;

  bool IsFunction() const {
    return kind == AtomKind::kOpaque && operation == OpaqueOperation::kFunction;
  }
  /// Whether the value is given from outside: a variable or a function.
  bool IsLeaf() const { return kind == AtomKind::kVariable || IsFunction(); }

  /// The values of the variable or operation that the atom stands for, `lower` included.
  Interval ValueRange() const;

  /// Writes what the atom stands for, as in a sum: `d0`, `f2(d1)`, `(d0 * d1)`, `{d0 * 5 + d1}`.
  void Print(llvm::raw_ostream& out, LeafPrinter leaves = nullptr) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// How deep divisions and opaque operations nest at most in sums that are simplified and written:
/// functions on sums and expressions recurse into what is divided, and the stack of a thread may
/// have 512 KiB. People are lost at a tenth of that.
inline constexpr uint32_t kMaxDepth = 100;

/// How deep operations nest in a sum.
/// Example: d0 floordiv 4 + 3 -> 0, a digit of a variable; (5 * d0 + d1) floordiv 7 -> 1
uint32_t DepthOf(const Sum& sum);

/// The order of the terms of a sum: by atom, as they were made, and by digit.
inline bool TermComesBefore(const Term& a, const Term& b) {
  return std::tie(a.atom->id, a.lo, a.extent) < std::tie(b.atom->id, b.lo, b.extent);
}

/// A total order of atoms that does not depend on the order in which they were made: variables by
/// number, then opaque atoms, then quotient variables by content.
bool StructurallyLess(const Atom& a, const Atom& b);

/// The values of the sum over the box of its atoms, taking its terms as independent. Exact if the
/// digits are of distinct atoms.
/// Example: 2 * (d0 mod 4) + 1 -> [1, 7]
Interval NaturalRange(llvm::ArrayRef<Term> terms, int64_t constant);
inline Interval NaturalRange(const Sum& sum) { return NaturalRange(sum.terms, sum.constant); }

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DIGIT_SUM_H_
