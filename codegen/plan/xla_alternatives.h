// Ways to make a kernel that XLA's emitters have, but that XLA does not choose: to ask what these
// would do to the memory.
//
// Example: a fusion that adds two transposes is a loop, as XLA takes a transpose as the hero only
// if it is the only one. Its alternatives are the transpose emitter with the one or the other.
#ifndef HLO_INDEXING_CODEGEN_PLAN_XLA_ALTERNATIVES_H_
#define HLO_INDEXING_CODEGEN_PLAN_XLA_ALTERNATIVES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "hlo/module.h"

namespace hlo_indexing::plan {

struct Alternative {
  /// nullopt: the one that XLA chooses, with the heroes that it finds.
  std::optional<Emitter> emitter;
  /// For each root of the plan; the root itself if it has no hero.
  std::vector<const hlo::Instruction*> heroes;
  /// The one of these that is not XLA's; null if no root has a hero.
  const hlo::Instruction* changed_hero = nullptr;
  /// Elements that a thread of a loop, or of a concatenate, computes at a time; nullopt: as XLA.
  std::optional<int64_t> vector_elements;
};

/// The other heroes that the emitters could take, one root changed at a time, and the loop without
/// a hero. None for scatters and in-place updates, which are the only way to write those.
std::vector<Alternative> OtherHeroes(const KernelPlan& plan, PlanContext& plans);

/// Loops, concatenates: more elements of a thread than in `plan`, by powers of two up to vectors of
/// 16 bytes of the narrowest array. Empty for other emitters.
std::vector<Alternative> WiderVectors(const KernelPlan& plan);

/// The plan of the same kernel by an alternative.
absl::StatusOr<KernelPlan> PlanAlternative(const KernelPlan& plan, const Alternative& alternative,
                                           PlanContext& plans);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_XLA_ALTERNATIVES_H_
