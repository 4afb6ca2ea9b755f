// Scans: a thread for each element of a slice, which goes through all slices.
#include <algorithm>

#include "codegen/plan/our_emitters.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Shape;
using mlir::AffineExpr;

KernelPlan PlanOurScan(const EmitterInput& input) {
  constexpr int64_t kThreads = 128;
  const FusionRoot& root = input.fused.roots().front();
  const Instruction& scan = *root.instruction;
  const auto num_carries =
      static_cast<size_t>(scan.Get<int64_t>(AttributeName::kNumCarries).value_or(0));
  const size_t num_arrays = scan.operands().size() - num_carries;
  const auto num_outputs = static_cast<size_t>(scan.shape().num_array_leaves()) - num_carries;
  const Shape& array = scan.operand(0).shape();
  const auto dimension = static_cast<size_t>(scan.Integers(AttributeName::kDimensions).front());
  const int64_t length = array.sizes()[dimension];
  const int64_t slice_size = array.num_elements() / std::max<int64_t>(length, 1);
  const bool is_reverse = scan.Get<bool>(AttributeName::kIsReverse).value_or(false);
  KernelPlan plan;
  plan.emitter = Emitter::kScan;
  plan.variant = "scan";
  plan.launch.threads[0] = std::min(kThreads, support::CeilDiv(slice_size, 32) * 32);
  plan.launch.blocks[0] = support::CeilDiv(slice_size, plan.launch.threads[0]);

  // Neighbouring threads have neighbouring elements in memory.
  const auto index_of = [&](const ThreadMapBuilder& builder, AffineExpr place) {
    Sizes sizes(array.sizes().begin(), array.sizes().end());
    sizes[dimension] = 1;
    Sizes order;
    for (const int64_t i : PhysicalDimensions(array)) {
      if (static_cast<size_t>(i) != dimension) order.push_back(i);
    }
    order.push_back(static_cast<int64_t>(dimension));
    const AffineExpr element = builder.Block() * plan.launch.threads[0] + builder.Thread();
    Expressions index = ThreadMapBuilder::ElementAt(element, sizes, order);
    index[dimension] = place;
    return index;
  };
  const auto constrain = [&](ThreadMapBuilder& builder) {
    builder.Constrain(builder.Block() * plan.launch.threads[0] + builder.Thread(),
                      {0, slice_size - 1});
  };
  ThreadMapBuilder of_slice(plan.launch, input.plans);
  constrain(of_slice);
  Expressions index = index_of(of_slice, mlir::getAffineConstantExpr(0, of_slice.context()));
  index.erase(index.begin() + static_cast<std::ptrdiff_t>(dimension));
  const IndexingMap slice = of_slice.Build(index);
  ThreadMapBuilder of_array(plan.launch, input.plans);
  constrain(of_array);
  const AffineExpr step = of_array.Loop(length);
  const IndexingMap element =
      of_array.Build(index_of(of_array, is_reverse ? length - 1 - step : step));
  for (size_t i = 0; i < scan.operands().size(); ++i) {
    plan.passes.push_back(LoadPass(scan.operand(i), i < num_arrays ? element : slice, 1));
  }
  for (size_t i = 0; i < num_outputs + num_carries; ++i) {
    const auto leaf = static_cast<int64_t>(i);
    plan.passes.push_back(
        StorePass(scan, leaf, root.first_output + leaf, i < num_outputs ? element : slice, 1));
  }
  // All results read alike.
  for (size_t k = 0; k < scan.operands().size(); ++k) {
    plan.heroes.push_back(
        {root.first_output, &scan, static_cast<int64_t>(k), k < num_arrays ? element : slice});
  }
  return plan;
}

}  // namespace hlo_indexing::plan
