// Scatters: threads go over the updates and combine each with the element of the output that its
// index says.
#include <algorithm>
#include <utility>

#include "codegen/plan/atomics.h"
#include "codegen/plan/scatter_windows.h"
#include "codegen/plan/thread_map.h"
#include "codegen/plan/xla_emitters.h"
#include "codegen/plan/xla_heroes.h"
#include "hlo/attribute.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Shape;
using mlir::AffineExpr;

namespace {

constexpr int64_t kWarpSize = 32;
constexpr int64_t kWarpsOfBlock = 4;
constexpr int64_t kMaxVectorBits = 128;
// Indices that a warp reads together.
constexpr int64_t kIndicesAtATime = 4;

// The operands of a scatter: arrays, indices, updates.
struct ScatterOperands {
  explicit ScatterOperands(const Instruction& scatter)
      : num_arrays((scatter.operands().size() - 1) / 2),
        indices(num_arrays),
        first_update(num_arrays + 1) {}
  size_t num_arrays;
  size_t indices;
  size_t first_update;
};

struct ScatterMaps {
  IndexingMap updates;
  // As XLA has it, also for threads beyond the end; and what is read.
  IndexingMap indices;
  IndexingMap index_loads;
};

// Which dimension of the indices is the place in the index vector; that behind the last one if each
// is a vector of one.
int64_t VectorDimension(const Instruction& scatter) {
  return scatter.Required<int64_t>(AttributeName::kIndexVectorDim);
}

// Whether the scatter is as XLA rewrites all of them before it emits code: a row of the indices for
// each slice of the updates, whose other dimensions are the window.
bool IsCanonical(const Instruction& scatter, const Shape& updates, const Shape& indices) {
  const llvm::ArrayRef<int64_t> window = scatter.Integers(AttributeName::kUpdateWindowDims);
  if (updates.sizes().empty() || window.size() + 1 != updates.sizes().size()) return false;
  for (size_t i = 0; i < window.size(); ++i) {
    if (window[i] != static_cast<int64_t>(i) + 1) return false;
  }
  return indices.sizes().size() <= 2 && VectorDimension(scatter) == 1;
}

// The element of the indices, but for its place in the index vector, for an element of the updates:
// its coordinates that are not of the window.
Expressions IndexOfUpdate(const Instruction& scatter, llvm::ArrayRef<AffineExpr> update,
                          const Shape& indices, AffineExpr component) {
  const llvm::ArrayRef<int64_t> window = scatter.Integers(AttributeName::kUpdateWindowDims);
  const int64_t vector = VectorDimension(scatter);
  Expressions index;
  for (size_t i = 0; i < update.size(); ++i) {
    if (llvm::is_contained(window, static_cast<int64_t>(i))) continue;
    if (static_cast<int64_t>(index.size()) == vector) index.push_back(component);
    index.push_back(update[i]);
  }
  if (index.size() < indices.sizes().size()) index.push_back(component);
  return index;
}

// Every thread has some neighbouring elements of the updates.
ScatterMaps DistributeUpdates(const Launch& launch, const Instruction& scatter,
                              const Shape& updates, const Shape& indices, int64_t vector,
                              PlanContext& plans) {
  ScatterMaps maps;
  maps.updates = LoopMap(launch, updates, vector, plans);
  // Those of its first element.
  ThreadMapBuilder builder(launch, plans);
  const int64_t dimension = VectorDimension(scatter);
  const bool has_vector = dimension < indices.rank();
  const AffineExpr component =
      builder.Loop(has_vector ? indices.sizes()[static_cast<size_t>(dimension)] : 1);
  const AffineExpr position = (builder.Block() * launch.threads[0] + builder.Thread()) * vector;
  const Expressions index =
      IndexOfUpdate(scatter, ThreadMapBuilder::ElementAt(position, updates), indices, component);
  maps.indices = builder.Build(index);
  builder.Constrain(position, {0, updates.num_elements() - 1});
  maps.index_loads = builder.Build(index);
  return maps;
}

// Every warp has a run of indices, and combines the slices of equal ones before it writes.
ScatterMaps DistributeIndices(const Launch& launch, const Shape& updates, const Shape& indices,
                              int64_t indices_of_warp, int64_t vector, PlanContext& plans) {
  const int64_t slice = updates.num_elements() / updates.sizes()[0];
  const int64_t warps = support::CeilDiv(updates.sizes()[0], indices_of_warp);
  ScatterMaps maps;
  {
    ThreadMapBuilder builder(launch, plans);
    const AffineExpr index = builder.Loop(indices_of_warp);
    const AffineExpr step = builder.Loop(support::CeilDiv(slice, kWarpSize * vector));
    const AffineExpr element = builder.Loop(vector);
    const AffineExpr warp = builder.Block() * kWarpsOfBlock + builder.Thread().floorDiv(kWarpSize);
    const AffineExpr in_slice =
        step * (kWarpSize * vector) + (builder.Thread() % kWarpSize) * vector + element;
    const AffineExpr row = warp * indices_of_warp + index;
    builder.Constrain(warp, {0, warps - 1});
    builder.Constrain(row, {0, updates.sizes()[0] - 1});
    builder.Constrain(in_slice, {0, slice - 1});
    Expressions results = {row};
    llvm::append_range(results, Delinearize(in_slice, updates.sizes().drop_front()));
    maps.updates = builder.Build(results);
  }
  ThreadMapBuilder builder(launch, plans);
  const AffineExpr step = builder.Loop(support::CeilDiv(indices_of_warp, kIndicesAtATime));
  const AffineExpr index = builder.Loop(std::min(indices_of_warp, kIndicesAtATime));
  const AffineExpr component = builder.Loop(indices.sizes().size() == 2 ? indices.sizes()[1] : 1);
  const AffineExpr warp = builder.Block() * kWarpsOfBlock + builder.Thread().floorDiv(kWarpSize);
  const AffineExpr row = warp * indices_of_warp + step * kIndicesAtATime + index;
  builder.Constrain(warp, {0, warps - 1});
  builder.Constrain(row, {0, updates.sizes()[0] - 1});
  maps.indices = builder.Build({row, component});
  maps.index_loads = maps.indices;
  return maps;
}

}  // namespace

KernelPlan PlanScatter(const EmitterInput& input) {
  const FusionRoot& root = input.fused.roots().front();
  const Instruction& scatter = *root.instruction;
  const ScatterOperands operands(scatter);
  const Shape& updates = scatter.operand(operands.first_update).shape();
  const Shape& indices = scatter.operand(operands.indices).shape();
  const bool is_unique = scatter.Get<bool>(AttributeName::kUniqueIndices).value_or(false);
  const bool is_sorted = scatter.Get<bool>(AttributeName::kIndicesAreSorted).value_or(false);
  const bool is_canonical = IsCanonical(scatter, updates, indices);
  const int64_t num_slices = is_canonical ? updates.sizes().front() : 1;
  const int64_t slice = updates.num_elements() / std::max<int64_t>(1, num_slices);

  KernelPlan plan;
  plan.emitter = Emitter::kScatter;
  const int64_t warps_of_device = kWarpsOfBlock * input.plans.device.multiprocessors;
  int64_t vector = 1;
  ScatterMaps maps;
  if (is_canonical && is_sorted && !is_unique && num_slices > warps_of_device) {
    plan.variant = "scatter with distributed indices";
    vector = std::max<int64_t>(1, kMaxVectorBits / ElementWidth(updates));
    while (vector > 1 && slice % (kWarpSize * vector) != 0) vector /= 2;
    const int64_t indices_of_warp =
        support::CeilDiv(support::CeilDiv(num_slices, warps_of_device), kIndicesAtATime) *
        kIndicesAtATime;
    plan.launch.threads[0] = kWarpSize * kWarpsOfBlock;
    plan.launch.blocks[0] =
        support::CeilDiv(support::CeilDiv(num_slices, indices_of_warp), kWarpsOfBlock);
    maps = DistributeIndices(plan.launch, updates, indices, indices_of_warp, vector, input.plans);
  } else {
    plan.variant = "scatter with distributed updates";
    vector = UnrollFactor(input, updates);
    if (!is_canonical || slice % vector != 0) vector = 1;
    plan.launch = LoopLaunch(updates, vector);
    // Whole warps.
    plan.launch.threads[0] = support::CeilDiv(plan.launch.threads[0], kWarpSize) * kWarpSize;
    maps = DistributeUpdates(plan.launch, scatter, updates, indices, vector, input.plans);
  }
  for (size_t k = 0; k < scatter.operands().size(); ++k) {
    IndexingMap map;
    if (k == operands.indices) map = maps.indices;
    if (k >= operands.first_update) map = maps.updates;
    plan.heroes.push_back({root.first_output, &scatter, static_cast<int64_t>(k), map});
  }
  plan.passes.push_back(LoadPass(scatter.operand(operands.indices), maps.index_loads, 1));
  const ScatterWindows windows(scatter);
  const llvm::SmallDenseSet<int64_t, 4> old_elements =
      ParametersOf(scatter.Callee(AttributeName::kToApply)->root());
  for (size_t i = 0; i < operands.num_arrays; ++i) {
    const auto leaf = static_cast<int64_t>(i);
    const size_t update = operands.first_update + i;
    const bool is_empty = maps.updates.IsKnownEmpty();
    const IndexingMap loaded = is_empty ? maps.updates : windows.ReachingUpdates(maps.updates);
    plan.passes.push_back(
        LoadPass(scatter.operand(update), input.plans.maps.Simplified(loaded), vector));
    // Each element of a vector goes where its own index says.
    const IndexingMap places = is_empty
                                   ? PlaceOfOperand(input, maps.updates, scatter, leaf, update)
                                   : input.plans.maps.Simplified(windows.PlacesOf(maps.updates));
    ElementPass store = StorePass(scatter, leaf, root.first_output + leaf, places, 1);
    // Without atomics the element is loaded before it is written.
    if (is_unique && old_elements.contains(leaf)) {
      plan.passes.push_back(LoadPass(scatter.operand(i), store.map, 1));
    }
    // Two updates may meet.
    if (!is_unique) store.store = StoreKind::kAtomic;
    plan.passes.push_back(std::move(store));
  }
  return plan;
}

}  // namespace hlo_indexing::plan
