// Sums on a box, made ready for counting: variables are cut into independent coordinates, so that
// almost all that is left is linear. Private to the folder.
//
// A kernel's block number is mostly cut at boundaries that divide each other, as 8 and 8 * 512 in
//
//   (bl_x mod 8) * 512 + ((bl_x floordiv 8) mod 512) * 98304 + (bl_x floordiv 4096) * 4096
//
// Then bl_x is x0 + 8 * x1 + 4096 * x2 with coordinates that take their values independently, and
// the sum is x0 * 512 + x1 * 98304 + x2 * 4096. If the box of the variable does not end at a
// boundary, a constraint on the coordinates says so. A variable whose boundaries do not divide each
// other stays one coordinate, and its digits are quotients of it.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_COORDINATES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_COORDINATES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/digit_sum.h"
#include "simplifier/interval.h"

namespace hlo_indexing::indexing_analysis {

/// One term of an expression: coefficient * ((quotient floordiv divisor) mod modulus).
struct QuotientTerm {
  int64_t coefficient = 0;
  /// Which quotient of the system.
  size_t quotient = 0;
  int64_t divisor = 1;
  /// 0 if the mod does nothing.
  int64_t modulus = 0;
};

/// A sum in coordinates.
struct CoordinateSum {
  struct LinearTerm {
    int64_t coefficient = 0;
    size_t coordinate = 0;
  };
  int64_t constant = 0;
  llvm::SmallVector<LinearTerm, 4> linear;
  llvm::SmallVector<QuotientTerm, 0> quotients;
};

/// Coordinates, each of which takes the values 0 to size - 1 independently of the others.
class CoordinateSystem {
 public:
  /// The coordinates of the variables of some sums. Variables that no sum mentions have none.
  /// Those in `whole` stay one coordinate each, whatever their boundaries. Nullopt if a sum holds
  /// an operation that is not affine, or a value that has no bound.
  static std::optional<CoordinateSystem> Create(llvm::ArrayRef<simplifier::Sum> sums,
                                                llvm::ArrayRef<simplifier::VariableId> whole);

  /// The sums of Create, in order, then those of box constraints.
  llvm::ArrayRef<CoordinateSum> sums() const { return sums_; }
  /// Sums that must not be above a bound, as a box does not end at a boundary of its coordinates.
  struct BoxConstraint {
    size_t sum = 0;
    int64_t upper = 0;
  };
  llvm::ArrayRef<BoxConstraint> box_constraints() const { return box_constraints_; }
  llvm::ArrayRef<CoordinateSum> quotients() const { return quotients_; }

  /// Terms of all sums and quotients: what evaluating them at a point takes.
  int64_t num_terms() const;
  size_t num_coordinates() const { return sizes_.size(); }
  llvm::ArrayRef<int64_t> sizes() const { return sizes_; }
  /// The coordinate of a variable in `whole`; nullopt if no sum mentions it.
  std::optional<size_t> CoordinateOf(simplifier::VariableId variable) const;
  /// The variable that a coordinate belongs to.
  simplifier::VariableId VariableOf(size_t coordinate) const { return variables_[coordinate]; }

  /// The values of all quotients at a point, of which those of sums are made. They wrap around
  /// beyond 64 bits.
  void EvaluateQuotients(llvm::ArrayRef<int64_t> point, std::vector<int64_t>& values) const;
  /// The value of a sum at a point where the quotients have these values.
  static int64_t Evaluate(const CoordinateSum& sum, llvm::ArrayRef<int64_t> point,
                          llvm::ArrayRef<int64_t> quotients);

  /// Bounds of sums on a box, which has one interval for each coordinate: exact if all terms are
  /// linear.
  std::vector<simplifier::Interval> RangesOf(llvm::ArrayRef<simplifier::Interval> box) const;

  /// The coordinates that a sum depends on, and those on which it depends through quotients.
  llvm::BitVector DependencesOf(const CoordinateSum& sum) const;
  llvm::BitVector QuotientDependencesOf(const CoordinateSum& sum) const;
  const llvm::BitVector& DependencesOfQuotient(size_t quotient) const {
    return dependences_[quotient];
  }

  /// How a sum changes along one coordinate x: its value at x + period is that at x, plus `shift`,
  /// whatever the other coordinates are.
  struct Period {
    int64_t period = 1;
    int64_t shift = 0;
  };
  /// The shortest period of each sum along a coordinate that follows from its terms; nullopt if
  /// that does not fit in 64 bits.
  /// Example: ((x0 * 128 + x1) floordiv 100) * 3 along x0 -> period 25, shift 96
  std::vector<std::optional<Period>> PeriodsAlong(size_t coordinate) const;
  /// The same of a sum that is made of coordinates and quotients of this system.
  std::optional<Period> PeriodAlong(size_t coordinate, const CoordinateSum& sum) const;

 private:
  class Builder;

  std::vector<std::optional<Period>> QuotientPeriodsAlong(size_t coordinate) const;

  std::vector<CoordinateSum> sums_;
  std::vector<BoxConstraint> box_constraints_;
  // Each needs only those before it.
  std::vector<CoordinateSum> quotients_;
  // The coordinates that a quotient depends on.
  std::vector<llvm::BitVector> dependences_;
  std::vector<int64_t> sizes_;
  std::vector<simplifier::VariableId> variables_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_QUERIES_COORDINATES_H_
