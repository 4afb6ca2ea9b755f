#include "codegen/plan/given_plan.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/plan/fused_computation.h"
#include "indexing_analysis/maps/image.h"
#include "llvm/ADT/STLExtras.h"
#include "support/status_macros.h"

namespace hlo_indexing::plan {
namespace {

using hlo::Instruction;
using hlo::Shape;
using indexing_analysis::Image;

absl::StatusOr<Launch> LaunchOf(const IndexingMap& elements) {
  constexpr int64_t kMostThreads = 1024;
  if (elements.IsUnknown() || elements.num_dimensions() != kThreadDimensionNames.size()) {
    return absl::InvalidArgumentError(
        "the thread map must have the dimensions (th_x, th_y, th_z, bl_x, bl_y, bl_z)");
  }
  if (elements.num_runtime() != 0) {
    return absl::InvalidArgumentError("the thread map must not depend on runtime values");
  }
  Launch launch;
  for (size_t i = 0; i < kThreadDimensionNames.size(); ++i) {
    const indexing_analysis::Interval bounds = elements.dimensions()[i].bounds;
    const bool is_thread = i <= kThreadZ;
    const int64_t most = is_thread ? kMostThreads : kMostBlocks[i - kBlockX];
    if (bounds.lower != 0 || bounds.upper < 0 || bounds.upper >= most) {
      return absl::InvalidArgumentError(
          absl::StrCat(kThreadDimensionNames[i].str(), " must begin at 0 and end below ", most));
    }
    (is_thread ? launch.threads[i] : launch.blocks[i - kBlockX]) = bounds.upper + 1;
  }
  if (launch.threads_per_block() > kMostThreads) {
    return absl::InvalidArgumentError(absl::StrCat("a block has at most ", kMostThreads,
                                                   " threads, the thread map ",
                                                   launch.threads_per_block()));
  }
  constexpr int64_t kMostThreadsInAll = int64_t{1} << 48;
  if (launch.num_blocks() > kMostThreadsInAll / launch.threads_per_block()) {
    return absl::InvalidArgumentError("the thread map has more than 2^48 threads");
  }
  return launch;
}

absl::Status CheckElements(const IndexingMap& elements, const Shape& shape) {
  if (elements.affine_map().getNumResults() != static_cast<unsigned>(shape.rank())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the thread map has ", elements.affine_map().getNumResults(), " results, the output ",
        shape.ToString(), " has ", shape.rank(), " dimensions"));
  }
  const std::optional<Image> image = ImageOf(elements);
  if (!image.has_value()) {
    return absl::InvalidArgumentError("of the thread map: " + WhyNoImage(elements));
  }
  if (elements.IsKnownEmpty()) return absl::OkStatus();
  for (size_t i = 0; i < image->bounds.size(); ++i) {
    if (image->bounds[i].lower >= 0 && image->bounds[i].upper < shape.sizes()[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the thread map reaches ", image->bounds[i].lower, " to ", image->bounds[i].upper,
        " in dimension ", i, " of the output ", shape.ToString()));
  }
  return absl::OkStatus();
}

absl::StatusOr<KernelPlan> PlanOf(const FusedComputation& fused, const Instruction& instruction,
                                  const IndexingMap& elements) {
  HLO_INDEXING_RETURN_IF_ERROR(fused.CheckShapes());
  KernelPlan plan;
  HLO_INDEXING_ASSIGN_OR_RETURN(plan.launch, LaunchOf(elements));
  plan.instruction = &instruction;
  plan.emitter = Emitter::kLoop;
  plan.variant = "given thread map";
  for (const FusionRoot& root : fused.all_roots()) {
    plan.roots.push_back(
        {root.instruction, root.first_output, root.instruction->shape().num_array_leaves()});
  }
  for (const FusionRoot& root : fused.roots()) {
    const Shape& shape = root.instruction->shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
      HLO_INDEXING_RETURN_IF_ERROR(CheckElements(elements, shape.ArrayLeaf(leaf)));
      ElementPass& pass = plan.passes.emplace_back();
      pass.instruction = root.instruction;
      pass.leaf = leaf;
      pass.map = elements;
      pass.store = StoreKind::kStore;
      pass.output = root.first_output + leaf;
      // What is not consecutive, or not aligned, is not joined.
      constexpr int64_t kMostVectorElements = 128;
      if (elements.num_ranges() != 0 && elements.ranges().back().bounds.lower == 0) {
        const int64_t size = elements.ranges().back().bounds.upper + 1;
        pass.vector_elements = size <= kMostVectorElements ? size : 1;
      }
    }
  }
  return plan;
}

}  // namespace

absl::Status CheckThreadMap(const IndexingMap& elements) { return LaunchOf(elements).status(); }

absl::StatusOr<KernelPlan> PlanByThreadMap(const Instruction& instruction,
                                           const IndexingMap& elements) {
  return PlanOf(FusedComputation(instruction), instruction, elements);
}

absl::StatusOr<KernelPlan> PlanByThreadMap(const hlo::Computation& computation,
                                           const IndexingMap& elements) {
  HLO_INDEXING_ASSIGN_OR_RETURN(
      KernelPlan plan, PlanOf(FusedComputation(computation), computation.root(), elements));
  plan.is_computation = true;
  return plan;
}

}  // namespace hlo_indexing::plan
