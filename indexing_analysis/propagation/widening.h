// Replaces accesses by larger ones where there are too many, and drops what they subsume. Private
// to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_WIDENING_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_WIDENING_H_

#include <cstdint>

#include "hlo/module.h"
#include "indexing_analysis/propagation/access_set.h"
#include "indexing_analysis/propagation/call_frame.h"
#include "indexing_analysis/propagation/query.h"
#include "llvm/ADT/DenseMap.h"

namespace hlo_indexing::indexing_analysis {

/// The top of the lattice of accesses to an array is the whole array; from there nothing grows, so
/// that loops reach a fixed point and nothing else takes too long. Arrays inside of computations
/// are widened, and operands of calls there, not the parameters that these may be: what reaches an
/// operand of the query is written as it is.
///
/// Example: the result of an instruction f32[8] inside that an output reads in 65 ways, of which
/// max_accesses allows 64, has one access left: (d0)[s0] -> (s0), s0 in [0, 7], with the reason "an
/// array inside is read in more than 64 ways". In a loop, 12 are allowed.
class Widening {
 public:
  explicit Widening(Query& query) : query_(query) {}

  /// Where an index has no upper end but the array's dimension has: the sizes are the same then,
  /// and the index lies in the array.
  /// Example: f32[?] negate(p), where p is f32[8]: (d0) -> (d0), d0 in [0, inf] -> d0 in [0, 7]
  void RestrictToArray(AccessSet& accesses, const hlo::Shape& shape);

  /// Of an output that reads the whole array, its other accesses say nothing.
  void RemoveSubsumed(AccessSet& accesses, const hlo::Shape& shape);

  /// Beyond the limits of the options, of 12 accesses in a loop, and of what an access may hold
  /// (InternedAccess::is_beyond_limits), the array counts as read whole; of too many accesses only
  /// if they are too many without their constraints, too. Whether that was because
  /// this query has taken too many steps.
  bool WidenBeyondLimits(AccessSet& accesses, const hlo::Shape& shape, const CallFrame& frame);

  /// Whether this query has taken too many steps.
  bool IsBeyondSteps() const;
  /// The reason of what is cut by that.
  std::string ReasonOfSteps() const;

  /// An operand of a call inside of a computation: beyond 256 accesses it counts as read whole.
  /// Sets grow with each level otherwise where each call passes an index on.
  void WidenOperandOfNestedCall(AccessSet& accesses, const hlo::Shape& shape);

  /// In a loop: leaves out the constraints that the results do not need to lie inside the array and
  /// on a device that there is. Iterations differ in them, and what is read in any of them counts.
  void WidenInLoop(AccessSet::Entry& entry, const hlo::Shape& shape);

  /// Adds the whole array for the outputs; on any device for those `with_device`. Of an array whose
  /// size is not known nothing is known then.
  void AddWholeArray(AccessSet& accesses, const hlo::Shape& shape, llvm::StringRef reason,
                     OutputSet outputs, OutputSet with_device);

 private:
  enum class Device : uint8_t { kExecuting, kAny };

  AccessSet::Entry Restricted(const AccessSet::Entry& entry, const hlo::Shape& shape);
  const BoundAccess* WholeArray(const hlo::Shape& shape, Device device);
  // Whether the elements whose values the index depends on are in their arrays whatever the
  // constraints are.
  bool RuntimeValuesExist(const BoundAccess& access) const;
  // Leaves out the constraints that the results do not need to lie inside the array and on a device
  // that there is, nor runtime values to be elements of theirs; of all accesses of the outputs, of
  // which equal ones are one then.
  void DropConstraints(AccessSet::Entry& entry, const hlo::Shape& shape, llvm::StringRef reason);
  void DropConstraints(AccessSet& accesses, const hlo::Shape& shape, llvm::StringRef reason,
                       OutputSet outputs);
  void ReplaceByWholeArray(AccessSet& accesses, const hlo::Shape& shape, llvm::StringRef reason,
                           OutputSet outputs);

  Query& query_;
  // By Device; null for arrays without elements.
  llvm::SmallDenseMap<const hlo::Shape*, const BoundAccess*, 4> whole_arrays_[2];
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_WIDENING_H_
