// Whether two maps are the same function, with evidence.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_EQUALITY_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_EQUALITY_H_

#include <cstdint>
#include <string>

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/SmallVector.h"
#include "support/answer.h"
#include "support/printing.h"

namespace hlo_indexing::indexing_analysis {

using support::Answer;

struct Equality {
  Answer answer = Answer::kUnknown;
  /// How the answer was found, or why there is none.
  std::string reason;
  /// kNo: a point that is in the domain of one map only, or at which the results differ. Empty
  /// if the maps have different numbers of variables or results. kUnknown: a point where a result
  /// or a constraint divides by 0 or does not fit 64 bits; else empty.
  llvm::SmallVector<int64_t> dimensions;
  /// The ranges, then the runtime variables.
  llvm::SmallVector<int64_t> symbols;

  /// Example: "no: the results differ, at (3, 0)[1]", symbols in brackets
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

/// How far Equal goes if normal forms differ.
struct EqualityBudget {
  /// Random points that are tried first.
  int samples = 1000;
  /// All points are tried if there are no more, counting the variables that matter.
  int64_t max_points = int64_t{1} << 18;
  /// And only if that evaluates no more digits, of both maps at all the points.
  int64_t max_digits = int64_t{1} << 26;
};

/// Whether two maps have the same domain and the same results on it, as functions of dimension,
/// range and runtime variables, taken in order. Every "no" has been checked at the point that it
/// gives; every "yes" rests on equal normal forms, on all points, or on integer programming.
/// Example: (d0) -> (d0 floordiv 2 * 2 + d0 mod 2) and (d0) -> (d0), both on [0, 9] -> yes
Equality Equal(const IndexingMap& a, const IndexingMap& b, EqualityBudget budget = {});

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_EQUALITY_H_
