// A plan by a thread map that somebody gives: to ask what another way to go over the elements would
// do to the memory.
#ifndef HLO_INDEXING_CODEGEN_PLAN_GIVEN_PLAN_H_
#define HLO_INDEXING_CODEGEN_PLAN_GIVEN_PLAN_H_

#include "absl/status/statusor.h"
#include "codegen/plan/kernel_plan.h"
#include "hlo/module.h"
#include "indexing_analysis/maps/indexing_map.h"

namespace hlo_indexing::plan {

/// Whether the map can be one of threads, whatever they compute: kInvalidArgument says what is not.
absl::Status CheckThreadMap(const IndexingMap& elements);

/// A loop whose threads compute and store the elements of all outputs, which must have the same
/// sizes, that `elements` says: (th_x, th_y, th_z, bl_x, bl_y, bl_z)[loops] -> the index. The
/// bounds of the dimension variables, from 0, are the launch. Iterations of the last loop may
/// become vectors. kInvalidArgument says what of the map does not fit the instruction. Example: for
/// f32[1024], (th_x, th_y, th_z, bl_x, bl_y, bl_z)[s0] -> (bl_x * 512 + th_x * 4 + s0), domain:
/// th_x in [0, 127], th_y in [0, 0], th_z in [0, 0], bl_x in [0, 1], bl_y in [0, 0], bl_z in [0,
/// 0], s0 in [0, 3]
absl::StatusOr<KernelPlan> PlanByThreadMap(const hlo::Instruction& instruction,
                                           const IndexingMap& elements);
/// The same of a computation that is itself what a fusion would call.
absl::StatusOr<KernelPlan> PlanByThreadMap(const hlo::Computation& computation,
                                           const IndexingMap& elements);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_GIVEN_PLAN_H_
