// Loops over elements: the loop, concatenate and in-place dynamic-update-slice emitters.
#include <algorithm>
#include <vector>

#include "codegen/plan/thread_map.h"
#include "codegen/plan/xla_emitters.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Shape;
using mlir::AffineExpr;

namespace {

constexpr int64_t kMaxThreads = 128;

// One thread writes whole bytes.
int64_t ElementsOfByte(const EmitterInput& input) {
  return support::CeilDiv(8, input.fused.SmallestOutputBits());
}

// The kernel's output array of a root.
int64_t OutputOf(const FusionRoot& root, int64_t leaf) { return root.first_output + leaf; }

}  // namespace

Launch LoopLaunch(const Shape& shape, int64_t elements_per_thread) {
  Launch launch;
  if (shape.num_elements() <= 1) return launch;
  const int64_t threads = support::CeilDiv(shape.num_elements(), elements_per_thread);
  launch.threads[0] = std::min(kMaxThreads, threads);
  const int64_t blocks = support::CeilDiv(threads, launch.threads[0]);
  launch.blocks[1] = support::CeilDiv(blocks, kMostBlocks[0]);
  launch.blocks[0] = support::CeilDiv(blocks, launch.blocks[1]);
  return launch;
}

int64_t UnrollFactor(const EmitterInput& input, const Shape& shape) {
  if (input.vector_elements.has_value()) return *input.vector_elements;
  constexpr int64_t kMaxUnroll = 4;
  int64_t unroll = 1;
  const int64_t threads_of_device =
      int64_t{input.plans.device.max_threads} * input.plans.device.multiprocessors;
  const bool has_work = shape.num_elements() >= threads_of_device;
  const bool may_unroll = llvm::none_of(input.fused.instructions(),
                                        [](const Instruction* i) { return PreventsVectors(*i); });
  if (has_work && may_unroll) {
    unroll = kMaxUnroll;
    while (shape.num_elements() % unroll != 0) unroll /= 2;
  }
  return std::max(unroll, ElementsOfByte(input));
}

IndexingMap LoopMap(const Launch& launch, const Shape& shape, int64_t elements_per_thread,
                    PlanContext& plans) {
  ThreadMapBuilder builder(launch, plans);
  const int64_t per_pass = launch.num_blocks() * launch.threads_per_block() * elements_per_thread;
  const int64_t passes = std::max<int64_t>(1, support::CeilDiv(shape.num_elements(), per_pass));
  AffineExpr group = builder.Block() * launch.threads[0] + builder.Thread();
  if (passes > 1) group = group + builder.Loop(passes) * (per_pass / elements_per_thread);
  AffineExpr position = group * elements_per_thread;
  if (elements_per_thread > 1) position = position + builder.Loop(elements_per_thread);
  if (shape.num_elements() % elements_per_thread == 0) {
    // Without the loop: a thread has all of its elements or none.
    builder.Constrain(group, {0, shape.num_elements() / elements_per_thread - 1});
  } else {
    builder.Constrain(position, {0, shape.num_elements() - 1});
  }
  return builder.Build(ThreadMapBuilder::ElementAt(position, shape));
}

KernelPlan PlanLoop(const EmitterInput& input) {
  KernelPlan plan;
  plan.emitter = Emitter::kLoop;
  plan.variant = "loop";
  const Shape& first = input.fused.roots().front().instruction->shape().ArrayLeaf(0);
  const int64_t unroll = UnrollFactor(input, first);
  plan.launch = LoopLaunch(first, unroll);
  HeroReads reads(input);
  for (const FusionRoot& root : input.fused.roots()) {
    const Shape& shape = root.instruction->shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      const int64_t output = OutputOf(root, leaf);
      // Roots have as many elements as the first one, in their own shape.
      ElementPass& pass = plan.passes.emplace_back();
      pass.instruction = root.instruction;
      pass.leaf = leaf;
      pass.map = LoopMap(plan.launch, shape.ArrayLeaf(leaf), unroll, input.plans);
      pass.store = StoreKind::kStore;
      pass.output = output;
      pass.vector_elements = unroll;
      reads.Add(pass);
    }
  }
  plan.heroes = std::move(reads).Take();
  return plan;
}

KernelPlan PlanConcatenate(const EmitterInput& input) {
  KernelPlan plan;
  plan.emitter = Emitter::kConcatenate;
  plan.variant = "concatenate";
  const Instruction& hero = *input.heroes.front();
  const FusionRoot& root = input.fused.roots().front();
  const auto dimension = static_cast<size_t>(hero.Integers(AttributeName::kDimensions).front());
  const Shape* largest = &hero.operand(0).shape();
  for (const Instruction* operand : hero.operands()) {
    if (operand->shape().num_elements() > largest->num_elements()) largest = &operand->shape();
  }
  // Each thread already computes an element of every operand.
  const int64_t unroll = input.vector_elements.value_or(ElementsOfByte(input));
  plan.launch = LoopLaunch(*largest, unroll);
  const IndexingMap map = LoopMap(plan.launch, *largest, unroll, input.plans);
  int64_t offset = 0;
  for (size_t i = 0; i < hero.operands().size(); ++i) {
    const Shape& operand = hero.operand(i).shape();
    // Each thread visits the element of every operand at its own index, if there is one.
    Expressions results(map.affine_map().getResults());
    std::vector<indexing_analysis::MapConstraint> constraints = map.constraints().vec();
    constraints.push_back({results[dimension], {0, operand.sizes()[dimension] - 1}});
    results[dimension] = results[dimension] + offset;
    offset += operand.sizes()[dimension];
    const auto affine =
        mlir::AffineMap::get(map.affine_map().getNumDims(), map.affine_map().getNumSymbols(),
                             results, input.plans.mlir_context);
    const IndexingMap in_hero = input.plans.maps.Simplified(
        IndexingMap(affine, map.dimensions().vec(), map.ranges().vec(), {}, constraints));
    ElementPass& pass = plan.passes.emplace_back();
    pass.instruction = root.instruction;
    pass.map = Bitcast(in_hero, hero.shape(), root.instruction->shape());
    pass.store = StoreKind::kStore;
    pass.output = root.first_output;
    pass.vector_elements = unroll;
    plan.heroes.push_back({root.first_output, &hero, static_cast<int64_t>(i), map});
  }
  return plan;
}

KernelPlan PlanDynamicUpdateSlice(const EmitterInput& input) {
  KernelPlan plan;
  // XLA's fusion analysis calls it a loop, too.
  plan.emitter = Emitter::kLoop;
  plan.variant = "in-place dynamic-update-slice";
  const Shape& first = input.heroes.front()->operand(1).shape();
  const int64_t unroll = UnrollFactor(input, first);
  plan.launch = LoopLaunch(first, unroll);
  for (size_t r = 0; r < input.fused.roots().size(); ++r) {
    const FusionRoot& root = input.fused.roots()[r];
    const Instruction& hero = *input.heroes[r];
    const IndexingMap update = LoopMap(plan.launch, hero.operand(1).shape(), unroll, input.plans);
    plan.passes.push_back(LoadPass(hero.operand(1), update, unroll));
    plan.passes.push_back(StorePass(*root.instruction, 0, root.first_output,
                                    PlaceOfOperand(input, update, hero, 0, 1), unroll));
    for (size_t i = 0; i < hero.operands().size(); ++i) {
      plan.heroes.push_back(
          {root.first_output, &hero, static_cast<int64_t>(i), i == 1 ? update : IndexingMap()});
    }
  }
  return plan;
}

}  // namespace hlo_indexing::plan
