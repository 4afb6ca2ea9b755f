#include "codegen/plan/reduction_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "codegen/plan/our_emitters.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using indexing_analysis::Interval;

namespace {

bool IsBroadcastOfScalar(const Instruction& instruction) {
  if (instruction.shape().IsScalar()) return true;
  if (instruction.opcode() != Opcode::kBroadcast) return false;
  return instruction.operand(0).shape().IsScalar();
}

// Roots that share what they are computed from are computed by the same blocks: the number of the
// group of each root. Constants and scalars do not join reductions, unless they are results of one.
std::vector<int64_t> GroupRoots(const EmitterInput& input) {
  const llvm::ArrayRef<FusionRoot> roots = input.fused.roots();
  std::vector<size_t> parent(roots.size());
  std::iota(parent.begin(), parent.end(), size_t{0});
  const auto find = [&](size_t i) {
    while (parent[i] != i) i = parent[i];
    return i;
  };
  const auto join = [&](size_t a, size_t b) {
    parent[std::max(find(a), find(b))] = std::min(find(a), find(b));
  };
  std::vector<bool> is_reduction;
  std::optional<size_t> side_output;
  for (size_t i = 0; i < roots.size(); ++i) {
    is_reduction.push_back(IsReductionHero(*roots[i].instruction, *input.heroes[i]));
    if (is_reduction[i]) continue;
    if (side_output.has_value()) join(*side_output, i);
    if (!side_output.has_value()) side_output = i;
  }
  std::vector<const Instruction*> sources(input.fused.instructions());
  llvm::append_range(sources, input.fused.inputs());
  const auto is_reduced = [&](const Instruction& source) {
    for (size_t i = 0; i < roots.size(); ++i) {
      if (is_reduction[i] && input.fused.Reaches(*input.heroes[i], source)) return true;
    }
    return false;
  };
  for (const Instruction* source : sources) {
    std::optional<size_t> first;
    bool has_reduction = false;
    const bool is_given = IsBroadcastOfScalar(*source) && !is_reduced(*source);
    for (size_t i = 0; i < roots.size(); ++i) {
      if (is_given && is_reduction[i] && has_reduction) continue;
      if (!input.fused.Reaches(*source, *roots[i].instruction)) continue;
      has_reduction |= is_reduction[i];
      if (first.has_value()) join(*first, i);
      if (!first.has_value()) first = i;
    }
  }
  std::vector<int64_t> groups(roots.size(), -1);
  int64_t count = 0;
  for (size_t i = 0; i < roots.size(); ++i) {
    int64_t& group = groups[find(i)];
    if (group < 0) group = count++;
    groups[i] = group;
  }
  return groups;
}

}  // namespace

int64_t VectorOfRows(const EmitterInput& input, int64_t minor) {
  // Each element of a vector is computed by code of its own, of which compilers take much longer
  // where it is much.
  constexpr int64_t kMostInstructions = 4096;
  const auto instructions = static_cast<int64_t>(input.fused.instructions().size());
  int64_t vector = WidestVector(input);
  while (minor % vector != 0 || (vector > 1 && vector * instructions > kMostInstructions)) {
    vector /= 2;
  }
  return vector;
}

bool MayDivide(const EmitterInput& input, int64_t groups) {
  return 2 * groups <= input.plans.device.multiprocessors;
}

int64_t BlocksOfGroup(const EmitterInput& input, int64_t groups, int64_t steps) {
  constexpr int64_t kLeastSteps = 2;
  const int64_t multiprocessors = input.plans.device.multiprocessors;
  if (!MayDivide(input, groups)) return 1;
  int64_t blocks = 1;
  while (groups * blocks < multiprocessors && steps / (2 * blocks) >= kLeastSteps) blocks *= 2;
  return blocks;
}

IndexingMap ResultOf(const IndexingMap& kept, llvm::ArrayRef<int64_t> kept_sizes,
                     const Instruction& reduce, PlanContext& plans) {
  const Shape& operand = reduce.operand(0).shape();
  const llvm::ArrayRef<int64_t> reduced = reduce.Integers(hlo::AttributeName::kDimensions);
  Sizes sizes;
  Sizes places;  // of the result
  for (const int64_t dimension : PhysicalDimensions(operand)) {
    if (llvm::is_contained(reduced, dimension)) continue;
    sizes.push_back(operand.sizes()[static_cast<size_t>(dimension)]);
    places.push_back(dimension -
                     llvm::count_if(reduced, [&](int64_t other) { return other < dimension; }));
  }
  const mlir::AffineMap affine = kept.affine_map();
  const Expressions in_order =
      Delinearize(Linearize(affine.getResults(), kept_sizes, plans.mlir_context), sizes);
  Expressions results(in_order.size());
  for (size_t i = 0; i < in_order.size(); ++i) {
    results[static_cast<size_t>(places[i])] = in_order[i];
  }
  return plans.maps.Simplified(kept.WithResults(mlir::AffineMap::get(
      affine.getNumDims(), affine.getNumSymbols(), results, plans.mlir_context)));
}

ReductionDimensions DimensionsOfReduction(const EmitterInput& input) {
  const llvm::ArrayRef<FusionRoot> roots = input.fused.roots();
  size_t first = 0;
  while (!IsReductionHero(*roots[first].instruction, *input.heroes[first])) ++first;
  return DimensionsOf(*input.heroes[first]);
}

namespace {

// What the first thread of a block tells the others: whether the block is the last of its group.
SharedTile TileOfArrival(const Instruction& hero, const KernelPlan& plan, PlanContext& plans) {
  SharedTile tile;
  tile.hero = &hero;
  tile.element_bits = 32;
  tile.sizes = {1};
  tile.strides = {1};
  ThreadMapBuilder fill(plan.launch, plans);
  fill.Bound(kThreadX, Interval::Point(0));
  const mlir::AffineExpr zero = mlir::getAffineConstantExpr(0, plans.mlir_context);
  tile.accesses.push_back({true, fill.Build({zero}), 1});
  tile.accesses.push_back({false, ThreadMapBuilder(plan.launch, plans).Build({zero}), 1});
  return tile;
}

// The threads of the last block of each group exchange once more.
void AddExchangeOfLastBlocks(SharedTile& tile, const KernelPlan& plan) {
  for (size_t i = 0; i < 2; ++i) {
    SharedAccess access = tile.accesses[i];
    std::vector<indexing_analysis::Variable> dimensions(access.index.dimensions());
    dimensions[kBlockY].bounds = Interval::Point(plan.blocks_of_group - 1);
    access.index = Simplify(IndexingMap(access.index.affine_map(), std::move(dimensions),
                                        access.index.ranges(), {}, access.index.constraints()));
    tile.accesses.push_back(std::move(access));
  }
}

// The arrays of a hero in shared and in scratch memory.
void AddExchanges(const ReductionMaps& maps, const Instruction& hero, int64_t group,
                  KernelPlan& plan) {
  for (size_t k = 0; k < hero.operands().size() / 2; ++k) {
    const int64_t bits = support::CeilDiv(ElementWidth(hero.operand(k).shape()), 8) * 8;
    const auto add = [&](SharedTile array, std::vector<SharedTile>& to) {
      array.hero = &hero;
      array.element_bits = bits;
      to.push_back(std::move(array));
    };
    if (std::optional<SharedTile> tile = maps.Tile(plan.launch, group)) {
      if (plan.blocks_of_group > 1) AddExchangeOfLastBlocks(*tile, plan);
      add(*std::move(tile), plan.shared_tiles);
    }
    if (plan.blocks_of_group == 1) continue;
    add(maps.Partials(plan.launch, group), plan.scratch_arrays);
    const int64_t bytes = plan.scratch_arrays.back().bytes();
    plan.scratch_bytes +=
        support::CeilDiv(bytes, KernelPlan::kScratchAlignment) * KernelPlan::kScratchAlignment;
  }
}

}  // namespace

KernelPlan AssembleReduction(const EmitterInput& input, const ReductionDimensions& dimensions,
                             const ReductionMaps& maps) {
  const llvm::ArrayRef<FusionRoot> roots = input.fused.roots();
  const Sizes kept_sizes = dimensions.is_row ? Sizes{dimensions.sizes[1]}
                                             : Sizes{dimensions.sizes[0], dimensions.sizes[2]};
  const std::vector<int64_t> groups = GroupRoots(input);

  KernelPlan plan;
  plan.emitter = Emitter::kReduction;
  plan.variant = maps.variant();
  plan.shuffled_lanes = maps.shuffled_lanes();
  plan.shuffle_distance = maps.shuffle_distance();
  plan.reduces_rows = dimensions.is_row;
  plan.blocks_of_group = maps.blocks_of_group();
  plan.launch.threads[0] = maps.threads();
  plan.launch.blocks[0] = maps.blocks();
  plan.launch.blocks[1] = maps.blocks_of_group();
  plan.launch.blocks[2] = *std::max_element(groups.begin(), groups.end()) + 1;
  llvm::SmallVector<const Instruction*, 2> heroes;
  for (size_t i = 0; i < roots.size(); ++i) {
    const Instruction& root = *roots[i].instruction;
    const Instruction& hero = *input.heroes[i];
    const IndexingMap read = maps.Input(plan.launch, groups[i]);
    const int64_t arrays = root.shape().num_array_leaves();
    if (!IsReductionHero(root, hero)) {
      // A side output: as many elements as are reduced, each stored where it is read.
      ElementPass pass;
      pass.instruction = &root;
      pass.map = Bitcast(read, dimensions.sizes, root.shape());
      pass.store = StoreKind::kStore;
      pass.output = roots[i].first_output;
      pass.vector_elements = maps.vector();
      for (size_t k = 0; k < root.operands().size(); ++k) {
        plan.heroes.push_back({roots[i].first_output, &root, static_cast<int64_t>(k),
                               ReadOfOperand(input, pass.map, root, 0, k)});
      }
      plan.passes.push_back(std::move(pass));
      continue;
    }
    const size_t num_reduced = hero.operands().size() / 2;
    // Most of the arrays have one shape.
    llvm::DenseMap<const Shape*, IndexingMap> reads;
    const auto read_of = [&](size_t operand) -> const IndexingMap& {
      const Shape& shape = hero.operand(operand).shape();
      const auto [known, is_new] = reads.try_emplace(&shape);
      if (is_new) known->second = Bitcast(read, dimensions.sizes, shape);
      return known->second;
    };
    // All results read alike.
    for (size_t k = 0; k < hero.operands().size(); ++k) {
      IndexingMap map;
      if (k < num_reduced) map = read_of(k);
      plan.heroes.push_back({roots[i].first_output, &hero, static_cast<int64_t>(k), map});
    }
    if (!llvm::is_contained(heroes, &hero)) {
      heroes.push_back(&hero);
      ThreadMapBuilder once(plan.launch, input.plans);
      once.Bound(kBlockZ, Interval::Point(groups[i]));
      const IndexingMap scalar = once.Build({});
      for (size_t k = 0; k < hero.operands().size(); ++k) {
        const bool is_init = k >= num_reduced;
        const IndexingMap map = is_init ? scalar : read_of(k);
        plan.passes.push_back(LoadPass(hero.operand(k), map, is_init ? 1 : maps.vector()));
      }
      AddExchanges(maps, hero, groups[i], plan);
    }
    const IndexingMap result =
        ResultOf(maps.Output(plan.launch, groups[i]), kept_sizes, hero, input.plans);
    for (int64_t leaf = 0; leaf < arrays; ++leaf) {
      ElementPass pass;
      pass.instruction = &root;
      pass.leaf = leaf;
      const Shape& of_hero = hero.shape().ArrayLeaf(leaf);
      // The epilogue keeps the order of elements.
      pass.map = &root == &hero ? result : Bitcast(result, of_hero, root.shape().ArrayLeaf(leaf));
      pass.available = {&hero};
      pass.store = StoreKind::kStore;
      pass.output = roots[i].first_output + leaf;
      pass.vector_elements = maps.vector_of_results();
      plan.passes.push_back(std::move(pass));
    }
  }
  if (plan.blocks_of_group > 1) {
    plan.shared_tiles.insert(plan.shared_tiles.begin(),
                             TileOfArrival(*heroes.front(), plan, input.plans));
  }
  return plan;
}

}  // namespace hlo_indexing::plan
