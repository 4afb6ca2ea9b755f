#include "codegen/plan/xla_alternatives.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "codegen/plan/fused_computation.h"
#include "codegen/plan/xla_emitters.h"
#include "codegen/plan/xla_heroes.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Opcode;

namespace {

constexpr int64_t kWidestVectorBits = 128;

FusedComputation FusedBy(const KernelPlan& plan) {
  return plan.is_computation ? FusedComputation(plan.instruction->parent())
                             : FusedComputation(*plan.instruction);
}

bool IsInPlace(const KernelPlan& plan) {
  return plan.emitter == Emitter::kScatter || plan.emitter == Emitter::kDynamicUpdateSlice ||
         (plan.emitter == Emitter::kLoop && plan.variant != "loop");
}

// A thread of a loop computes an element of every output.
bool CanBeLoop(const FusedComputation& fused) {
  const int64_t elements = fused.roots().front().instruction->shape().ArrayLeaf(0).num_elements();
  return llvm::all_of(fused.roots(), [&](const FusionRoot& root) {
    const hlo::Shape& shape = root.instruction->shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      if (shape.ArrayLeaf(leaf).num_elements() != elements) return false;
    }
    return true;
  });
}

// The emitter for which a root's hero is made; nullopt if it does not take the whole fusion.
std::optional<Emitter> EmitterFor(const Instruction& hero, const EmitterInput& input) {
  if (hero.opcode() == Opcode::kReduce && IsReductionFusion(input)) return Emitter::kReduction;
  if (hero.opcode() == Opcode::kConcatenate && IsConcatenateFusion(input)) {
    return Emitter::kConcatenate;
  }
  const bool has_reduction = IsReductionFusion(input);
  if (!has_reduction && TiledTransposeOf(hero).has_value() && IsTransposeFusion(input)) {
    return Emitter::kTranspose;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Alternative> OtherHeroes(const KernelPlan& plan, PlanContext& plans) {
  std::vector<Alternative> alternatives;
  const FusedComputation fused = FusedBy(plan);
  if (IsInPlace(plan) || !fused.CheckShapes().ok()) return alternatives;
  EmitterInput input{fused, {}, plans, std::nullopt};
  std::vector<const Instruction*> no_heroes;
  for (const FusionRoot& root : fused.roots()) {
    input.heroes.push_back(&FindHero(fused, *root.instruction));
    no_heroes.push_back(root.instruction);
  }
  if (plan.emitter != Emitter::kLoop && CanBeLoop(fused)) {
    alternatives.push_back({Emitter::kLoop, no_heroes, nullptr, std::nullopt});
  }
  const std::vector<const Instruction*> heroes_of_xla = input.heroes;
  for (size_t i = 0; i < fused.roots().size(); ++i) {
    for (const Instruction* hero : PossibleHeroes(fused, *fused.roots()[i].instruction)) {
      input.heroes = heroes_of_xla;
      input.heroes[i] = hero;
      const std::optional<Emitter> emitter = EmitterFor(*hero, input);
      const bool is_as_xla = emitter == plan.emitter && hero == heroes_of_xla[i];
      if (!emitter.has_value() || is_as_xla) continue;
      alternatives.push_back({emitter, input.heroes, hero, std::nullopt});
    }
  }
  return alternatives;
}

std::vector<Alternative> WiderVectors(const KernelPlan& plan) {
  std::vector<Alternative> alternatives;
  if (plan.emitter != Emitter::kLoop && plan.emitter != Emitter::kConcatenate) return alternatives;
  const FusedComputation fused = FusedBy(plan);
  const int64_t narrowest = std::min(fused.SmallestInputBits(), fused.SmallestOutputBits());
  int64_t elements = 1;
  for (const ElementPass& pass : plan.passes) elements = std::max(elements, pass.vector_elements);
  for (elements *= 2; elements * narrowest <= kWidestVectorBits; elements *= 2) {
    alternatives.push_back({std::nullopt, {}, nullptr, elements});
  }
  return alternatives;
}

absl::StatusOr<KernelPlan> PlanAlternative(const KernelPlan& plan, const Alternative& alternative,
                                           PlanContext& plans) {
  const FusedComputation fused = FusedBy(plan);
  if (absl::Status status = fused.CheckShapes(); !status.ok()) return status;
  EmitterInput input{fused, alternative.heroes, plans, alternative.vector_elements};
  if (!alternative.emitter.has_value()) {
    input.heroes.clear();
    for (const FusionRoot& root : fused.roots()) {
      input.heroes.push_back(&FindHero(fused, *root.instruction));
    }
  }
  if (input.heroes.size() != fused.roots().size()) {
    return absl::InvalidArgumentError("an alternative needs a hero for each root");
  }
  const auto planned = [&]() -> std::optional<KernelPlan> {
    if (!alternative.emitter.has_value()) return PlanByEmitter(input, XlaEmitters());
    switch (*alternative.emitter) {
      case Emitter::kLoop:
        return PlanLoop(input);
      case Emitter::kTranspose:
        return PlanTranspose(input);
      case Emitter::kReduction:
        return PlanReduction(input);
      case Emitter::kConcatenate:
        return PlanConcatenate(input);
      default:
        return std::nullopt;
    }
  };
  std::optional<KernelPlan> other = planned();
  if (!other.has_value()) return absl::InvalidArgumentError("the emitter has no alternatives");
  other->instruction = plan.instruction;
  other->is_computation = plan.is_computation;
  other->roots = PlannedRoots(fused);
  return *std::move(other);
}

}  // namespace hlo_indexing::plan
