#include "codegen/plan/our_plan.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "codegen/plan/accesses.h"
#include "codegen/plan/our_emitters.h"
#include "codegen/plan/top_k.h"
#include "codegen/plan/whole_bytes.h"
#include "codegen/plan/xla_emitters.h"
#include "codegen/plan/xla_plan.h"
#include "indexing_analysis/queries/coalescing.h"
#include "llvm/ADT/DynamicAPInt.h"

namespace hlo_indexing::plan {
namespace {

using hlo::Opcode;
using llvm::DynamicAPInt;

}  // namespace

absl::Status HasOurKernel(const hlo::Instruction& instruction) {
  switch (instruction.opcode()) {
    // Of these XLA makes other instructions, or the calls of a library.
    case Opcode::kDot:
    case Opcode::kConvolution:
    case Opcode::kFft:
    case Opcode::kSelectAndScatter:
    case Opcode::kSort:
    case Opcode::kScan:
    case Opcode::kTopK:
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormGrad:
    case Opcode::kRngBitGenerator:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
      return absl::OkStatus();
    case Opcode::kCustomCall:
      if (TopKOf(instruction).has_value()) return absl::OkStatus();
      return HasKernel(instruction);
    default:
      return HasKernel(instruction);
  }
}

namespace {

KernelPlan PlanWithoutOthers(const EmitterInput& input) {
  switch (input.fused.roots().front().instruction->opcode()) {
    case Opcode::kScan:
      return PlanOurScan(input);
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormGrad:
      return PlanOurNormalization(input);
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
      return PlanOurMatrices(input);
    default:
      return PlanOurSort(input);
  }
}

// Threads have elements of lines and slices, not of memory.
KernelPlan PlanOurByItself(const EmitterInput& input) {
  KernelPlan plan = PlanWithoutOthers(input);
  ShareBytes(plan, input.plans);
  return plan;
}

// Loops write whole bytes of any output; others only where their elements lie as they have them.
template <KernelPlan (*kPlan)(const EmitterInput&)>
KernelPlan InWholeBytes(const EmitterInput& input) {
  KernelPlan plan = kPlan(input);
  return WritesWholeBytes(plan, input.plans) ? plan : PlanOurLoop(input);
}
template <std::optional<KernelPlan> (*kPlan)(const EmitterInput&)>
std::optional<KernelPlan> InWholeBytes(const EmitterInput& input) {
  std::optional<KernelPlan> plan = kPlan(input);
  if (plan.has_value() && !WritesWholeBytes(*plan, input.plans)) return std::nullopt;
  return plan;
}

constexpr Emitters kOurEmitters = {HasOurKernel,
                                   PlanOurLoop,
                                   InWholeBytes<PlanOurTranspose>,
                                   InWholeBytes<PlanOurReduction>,
                                   InWholeBytes<PlanOurConcatenate>,
                                   PlanOurDynamicUpdateSlice,
                                   PlanOurScatter,
                                   PlanOurByItself,
                                   InWholeBytes<PlanOurRows>,
                                   InWholeBytes<PlanOurProducts>,
                                   /*most_concatenated=*/32};

// What the warps move, then how often they ask for it: less is better.
struct Traffic {
  DynamicAPInt sectors;
  DynamicAPInt ideal_sectors;
  DynamicAPInt requests;

  friend bool operator<(const Traffic& a, const Traffic& b) {
    return std::tie(a.sectors, a.requests) < std::tie(b.sectors, b.requests);
  }
};

Traffic TrafficOf(const KernelPlan& plan, PlanContext& plans) {
  // Where it takes more to count exactly, the upper end of a range decides.
  constexpr int64_t kMaxLaneAccesses = int64_t{1} << 16;
  Traffic traffic;
  for (const KernelAccess& access : AccessesOf(plan, plans)) {
    const std::optional<indexing_analysis::Coalescing> coalescing =
        CoalescingOf(access.access, {.max_lane_accesses = kMaxLaneAccesses,
                                     .max_uncertain_lane_accesses = kMaxLaneAccesses,
                                     .counts_distinct_sectors = false});
    if (!coalescing.has_value()) continue;
    traffic.sectors += coalescing->sectors.upper;
    traffic.ideal_sectors += coalescing->ideal_sectors.upper;
    traffic.requests += coalescing->requests.upper;
  }
  return traffic;
}

int64_t WidestVectorOf(const KernelPlan& plan) {
  int64_t widest = 1;
  for (const ElementPass& pass : plan.passes) widest = std::max(widest, pass.vector_elements);
  return widest;
}

// What a thread reads beside each other may be no vector: rows that are not aligned, other orders,
// strides. Neighbouring lanes are then far apart, and fewer elements of a thread are better.
template <typename PlannedThing>
absl::StatusOr<KernelPlan> PlanWithBestVector(const PlannedThing& thing, PlanContext& plans) {
  absl::StatusOr<KernelPlan> best = PlanWith(kOurEmitters, thing, plans);
  if (!best.ok()) return best;
  int64_t vector = WidestVectorOf(*best);
  if (vector == 1) return best;
  Traffic least = TrafficOf(*best, plans);
  const bool may_change = best->emitter != Emitter::kTranspose &&
                          best->emitter != Emitter::kScatter && best->emitter != Emitter::kProducts;
  while (vector > 1 && may_change && least.ideal_sectors < least.sectors) {
    vector /= 2;
    absl::StatusOr<KernelPlan> plan = PlanWith(kOurEmitters, thing, plans, vector);
    if (!plan.ok()) return plan;
    Traffic traffic = TrafficOf(*plan, plans);
    if (!(traffic < least)) continue;
    least = std::move(traffic);
    best = std::move(plan);
  }
  return best;
}

}  // namespace

absl::StatusOr<KernelPlan> PlanKernel(const hlo::Instruction& instruction, PlanContext& plans) {
  return PlanWithBestVector(instruction, plans);
}

absl::StatusOr<KernelPlan> PlanKernel(const hlo::Computation& computation, PlanContext& plans) {
  return PlanWithBestVector(computation, plans);
}

}  // namespace hlo_indexing::plan
