// Conditions of the domain of a map that a thread must test. Private to codegen.
#ifndef HLO_INDEXING_CODEGEN_PLAN_CONDITIONS_H_
#define HLO_INDEXING_CODEGEN_PLAN_CONDITIONS_H_

#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::plan {

/// Expressions, as results of a map, and the bounds in which their values must lie.
/// Example: (d0) -> (d0 - 3), [0, 9]: d0 is one of 3 to 12
struct Conditions {
  indexing_analysis::IndexingMap expressions;
  llvm::SmallVector<indexing_analysis::Interval, 4> bounds;

  bool empty() const { return bounds.empty(); }
  friend bool operator==(const Conditions&, const Conditions&) = default;
};

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_CONDITIONS_H_
