// The plan of a reduction from the maps of its threads, whoever chooses them. Private to the
// folder.
#ifndef HLO_INDEXING_CODEGEN_PLAN_REDUCTION_PLAN_H_
#define HLO_INDEXING_CODEGEN_PLAN_REDUCTION_PLAN_H_

#include <cstdint>
#include <optional>

#include "codegen/plan/emitters.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/thread_map.h"
#include "codegen/plan/xla_heroes.h"

namespace hlo_indexing::plan {

/// Threads of a block of our reductions: where there are blocks enough, and the most that it may
/// have.
inline constexpr int64_t kThreadsOfReduction = 256;
inline constexpr int64_t kMaxThreadsOfReduction = 1024;

/// How a reduction is launched, and what its threads read and write.
class ReductionMaps {
 public:
  virtual ~ReductionMaps() = default;

  virtual const char* variant() const = 0;
  virtual int64_t threads() const = 0;
  virtual int64_t blocks() const = 0;
  /// Elements that a thread reads at a time, and writes.
  virtual int64_t vector() const = 0;
  virtual int64_t vector_of_results() const { return 1; }
  /// KernelPlan::shuffled_lanes.
  virtual int64_t shuffled_lanes() const { return 1; }
  virtual int64_t shuffle_distance() const { return 1; }
  /// The elements of the three dimensions (ReductionDimensions) that a thread of a group, a value
  /// of bl_z, reads.
  virtual IndexingMap Input(const Launch& launch, int64_t group) const = 0;
  /// The results that a thread of a group has in the end, by the dimensions that are kept.
  virtual IndexingMap Output(const Launch& launch, int64_t group) const = 0;
  /// What warps exchange for one array of a group, but for its hero and its bits; nullopt if
  /// shuffles do.
  virtual std::optional<SharedTile> Tile(const Launch& launch, int64_t group) const = 0;
  /// KernelPlan::blocks_of_group: so many for each of blocks().
  virtual int64_t blocks_of_group() const { return 1; }
  /// What these blocks exchange for one array of a group, but for its hero and its bits; only where
  /// there are several.
  virtual SharedTile Partials(const Launch& /*launch*/, int64_t /*group*/) const { return {}; }
};
/// The most elements of an access that divide the minor dimension: then each row begins at a
/// multiple of them.
int64_t VectorOfRows(const EmitterInput& input, int64_t minor);
/// Whether most multiprocessors would have no block if each group had one.
bool MayDivide(const EmitterInput& input, int64_t groups);
/// Among how many blocks the steps of each are divided: several if most multiprocessors would have
/// none otherwise, as long as each has two steps at least; a power of two.
int64_t BlocksOfGroup(const EmitterInput& input, int64_t groups, int64_t steps);
/// The blocks of a group lie along y.
inline mlir::AffineExpr Group(const ThreadMapBuilder& builder) {
  return builder.Dimension(kBlockX);
}
inline mlir::AffineExpr Part(const ThreadMapBuilder& builder) { return builder.Dimension(kBlockY); }

/// The dimensions of the reductions among the heroes, which are the same for all.
ReductionDimensions DimensionsOfReduction(const EmitterInput& input);
/// From the dimensions that are kept, which have these sizes, to the result of a reduction: those
/// in the order of the input's memory.
IndexingMap ResultOf(const IndexingMap& kept, llvm::ArrayRef<int64_t> kept_sizes,
                     const hlo::Instruction& reduce, PlanContext& plans);
KernelPlan AssembleReduction(const EmitterInput& input, const ReductionDimensions& dimensions,
                             const ReductionMaps& maps);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_REDUCTION_PLAN_H_
