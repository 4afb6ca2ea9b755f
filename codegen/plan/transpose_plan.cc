#include "codegen/plan/transpose_plan.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/plan/thread_map.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::plan {

using hlo::Instruction;

TransposeHeroes HeroesOfTranspose(const EmitterInput& input) {
  TransposeHeroes heroes;
  bool is_first = true;
  for (const Instruction* hero : input.heroes) {
    const std::optional<NormalizedTranspose> found = TiledTransposeOf(*hero);
    if (!found.has_value()) continue;
    if (is_first) heroes.transpose = *found;
    is_first = false;
    heroes.element_bits = std::max(heroes.element_bits, ElementWidth(hero->shape()));
  }
  return heroes;
}

KernelPlan AssembleTranspose(const EmitterInput& input, const NormalizedTranspose& transpose,
                             const Launch& launch, const TransposeMaps& maps, const char* variant) {
  KernelPlan plan;
  plan.emitter = Emitter::kTranspose;
  plan.variant = variant;
  plan.launch = launch;
  const llvm::ArrayRef<FusionRoot> roots = input.fused.roots();
  llvm::SmallVector<const Instruction*, 2> heroes;
  std::vector<ElementPass> stores;
  for (size_t i = 0; i < roots.size(); ++i) {
    const Instruction& root = *roots[i].instruction;
    const Instruction& hero = *input.heroes[i];
    const int64_t output = roots[i].first_output;
    if (!TiledTransposeOf(hero).has_value()) {
      // A side output: stored where the input is read, or where the output is written.
      ElementPass& pass = plan.passes.emplace_back();
      pass.instruction = &root;
      pass.map = maps.side_outputs_with_output
                     ? Bitcast(maps.output, transpose.Output(), root.shape())
                     : Bitcast(maps.input, transpose.input, root.shape());
      pass.store = StoreKind::kStore;
      pass.output = output;
      pass.vector_elements = maps.vector;
      for (size_t k = 0; k < root.operands().size(); ++k) {
        plan.heroes.push_back(
            {output, &root, static_cast<int64_t>(k), ReadOfOperand(input, pass.map, root, 0, k)});
      }
      continue;
    }
    const IndexingMap read = Bitcast(maps.input, transpose.input, hero.operand(0).shape());
    plan.heroes.push_back({output, &hero, 0, read});
    if (!llvm::is_contained(heroes, &hero)) {
      heroes.push_back(&hero);
      plan.passes.push_back(LoadPass(hero.operand(0), read, maps.vector));
      SharedTile& tile_of_hero = plan.shared_tiles.emplace_back(maps.tile);
      tile_of_hero.hero = &hero;
      tile_of_hero.element_bits = ElementWidth(hero.shape());
    }
    ElementPass& store = stores.emplace_back();
    store.instruction = &root;
    store.map = Bitcast(maps.output, transpose.Output(), root.shape());
    store.available = {&hero};
    store.store = StoreKind::kStore;
    store.output = output;
    store.vector_elements = maps.vector;
  }
  llvm::append_range(plan.passes, std::move(stores));
  return plan;
}

}  // namespace hlo_indexing::plan
