// Batch normalizations: a block for each feature, whose threads go over the elements of the feature
// twice or three times.
#include <algorithm>

#include "codegen/plan/our_emitters.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using mlir::AffineExpr;

// Loads of the elements for each sum, loads of what there is one of for each feature, and then
// loads and stores of the elements, and stores of the statistics by the first thread.
KernelPlan PlanOurNormalization(const EmitterInput& input) {
  constexpr int64_t kWarpSize = 32;
  constexpr int64_t kMostThreads = 512;
  const FusionRoot& root = input.fused.roots().front();
  const Instruction& norm = *root.instruction;
  const bool is_training = norm.opcode() == Opcode::kBatchNormTraining;
  const Shape& array = norm.operand(0).shape();
  const auto feature = static_cast<size_t>(norm.Required<int64_t>(AttributeName::kFeatureIndex));
  const int64_t num_features = array.sizes()[feature];
  const int64_t count = array.num_elements() / num_features;
  KernelPlan plan;
  plan.emitter = Emitter::kNormalization;
  plan.variant = is_training ? "training" : "gradient";
  plan.launch.threads[0] = std::min(kMostThreads, support::CeilDiv(count, kWarpSize) * kWarpSize);
  plan.launch.blocks[1] = support::CeilDiv(num_features, kMostBlocks[0]);
  plan.launch.blocks[0] = support::CeilDiv(num_features, plan.launch.blocks[1]);

  ThreadMapBuilder elements(plan.launch, input.plans);
  elements.Constrain(elements.Block(), {0, num_features - 1});
  const AffineExpr place =
      elements.Loop(support::CeilDiv(count, plan.launch.threads[0])) * plan.launch.threads[0] +
      elements.Thread();
  elements.Constrain(place, {0, count - 1});
  Sizes sizes(array.sizes().begin(), array.sizes().end());
  sizes[feature] = 1;
  Expressions index = ThreadMapBuilder::ElementAt(place, sizes, PhysicalDimensions(array));
  index[feature] = elements.Block();
  const IndexingMap element = elements.Build(index);
  ThreadMapBuilder statistics(plan.launch, input.plans);
  statistics.Constrain(statistics.Block(), {0, num_features - 1});
  const IndexingMap of_all = statistics.Build({statistics.Block()});
  statistics.Constrain(statistics.Thread(), {0, 0});
  const IndexingMap of_first = statistics.Build({statistics.Block()});

  const auto load_elements = [&] {
    plan.passes.push_back(LoadPass(norm.operand(0), element, 1));
    if (!is_training) plan.passes.push_back(LoadPass(norm.operand(4), element, 1));
  };
  for (size_t i = 1; i < (is_training ? 3U : 4U); ++i) {
    plan.passes.push_back(LoadPass(norm.operand(i), of_all, 1));
  }
  load_elements();
  if (is_training) load_elements();
  load_elements();
  for (int64_t leaf = 0; leaf < 3; ++leaf) {
    plan.passes.push_back(
        StorePass(norm, leaf, root.first_output + leaf, leaf == 0 ? element : of_first, 1));
    plan.heroes.push_back({root.first_output + leaf, &norm, 0, element});
  }
  // Sums of each warp, which all threads read one after the other: twice one, or once two.
  const int64_t num_warps = plan.launch.threads[0] / kWarpSize;
  const int64_t num_sums = is_training ? 1 : 2;
  SharedTile& tile = plan.shared_tiles.emplace_back();
  tile.hero = &norm;
  tile.element_bits = 64;
  tile.sizes = {num_warps, 2};
  tile.strides = {num_sums, 1};
  for (int64_t exchange = 0; exchange < 2 / num_sums; ++exchange) {
    ThreadMapBuilder fill(plan.launch, input.plans);
    const AffineExpr filled = fill.LoopOrZero(num_sums);
    fill.Constrain(fill.Thread() % kWarpSize, {0, 0});
    tile.accesses.push_back(
        {true, fill.Build({fill.Thread().floorDiv(kWarpSize), filled}), num_sums});
    ThreadMapBuilder read(plan.launch, input.plans);
    const AffineExpr warp = read.LoopOrZero(num_warps);
    const AffineExpr sum = read.LoopOrZero(num_sums);
    tile.accesses.push_back({false, read.Build({warp, sum}), num_sums});
  }
  return plan;
}

}  // namespace hlo_indexing::plan
