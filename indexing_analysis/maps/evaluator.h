// Simplified maps at many points, one after the other. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_EVALUATOR_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_EVALUATOR_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "simplifier/point_evaluator.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::indexing_analysis {

/// Evaluates a map's constraints and results; the atoms of its variables are the leaves.
class MapEvaluator {
 public:
  MapEvaluator(simplifier::DigitContext& context, const simplifier::QuasiAffineMap& map);

  /// The variables with more than one value, by number; their atoms.
  llvm::ArrayRef<size_t> variables() const { return variables_; }
  llvm::ArrayRef<const simplifier::Atom*> leaves() const { return leaves_; }
  /// What evaluating a point costs.
  int64_t num_digits() const { return evaluator_.num_digits(); }

  /// Whether the map has the point with these values of the leaves, inside of their boxes; then the
  /// results are there. nullopt if a value overflows or divides by 0.
  std::optional<bool> Contains(llvm::ArrayRef<int64_t> values_of_leaves);

  llvm::ArrayRef<int64_t> results() const {
    return llvm::ArrayRef<int64_t>(values_).drop_front(map_.constraints.size());
  }

 private:
  const simplifier::QuasiAffineMap& map_;
  llvm::SmallVector<size_t, 8> variables_;
  llvm::SmallVector<const simplifier::Atom*, 8> leaves_;
  simplifier::PointEvaluator evaluator_;
  llvm::SmallVector<int64_t, 8> values_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_EVALUATOR_H_
