#include "codegen/explain/stride_origin.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "codegen/explain/lane_pattern.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::explain {
namespace {

using hlo::Instruction;
using indexing_analysis::IndexingMap;
using plan::ElementPass;
using plan::KernelAccess;
using plan::KernelPlan;

class WayBack {
 public:
  WayBack(const KernelPlan& plan, const KernelAccess& load, plan::PlanContext& plans)
      : plan_(plan), load_(load), plans_(plans), limit_(plan.passes[load.pass].vector_elements) {}

  const Instruction* Origin() && {
    constexpr size_t kMostSteps = 1000;
    const ElementPass& pass = plan_.passes[load_.pass];
    const std::optional<int64_t> wanted =
        PatternOfFirstWarp(load_.access.position, plan_.launch.threads).stride;
    Add(pass.instruction, pass.leaf, pass.map, std::nullopt);
    for (size_t i = 0; i < steps_.size() && i < kMostSteps; ++i) {
      if (plan_.InputNumber(*steps_[i].instruction).has_value()) {
        if (IsLoad(steps_[i]) && steps_[i].stride == wanted) return OriginOnWayTo(i);
        continue;
      }
      const bool is_start = i == 0;
      if (!is_start && llvm::is_contained(pass.available, steps_[i].instruction)) continue;
      AddOperands(i);
    }
    return nullptr;
  }

 private:
  struct Step {
    const Instruction* instruction = nullptr;
    int64_t leaf = 0;
    IndexingMap element;
    // Of the first two lanes, in elements of the array's memory.
    std::optional<int64_t> stride;
    // Who reads it.
    std::optional<size_t> user;
  };

  void Add(const Instruction* instruction, int64_t leaf, IndexingMap element,
           std::optional<size_t> user) {
    // Composing takes longer with each.
    constexpr size_t kMostRanges = 32;
    if (element.IsUnknown() || element.IsKnownEmpty()) return;
    if (element.num_ranges() > kMostRanges) return;
    const IndexingMap position =
        plans_.maps.PositionsAt(element, instruction->shape().ArrayLeaf(leaf));
    if (position.IsUnknown()) return;
    steps_.push_back({instruction, leaf, std::move(element),
                      PatternOfFirstWarp(position, plan_.launch.threads).stride, user});
  }

  void AddOperands(size_t step) {
    const Instruction& instruction = *steps_[step].instruction;
    const auto reads = plans_.analysis.OutputToInput(instruction, steps_[step].leaf);
    for (const indexing_analysis::OperandIndexing& read : reads.operands()) {
      for (const indexing_analysis::OperandMap& map : read.maps()) {
        Add(&instruction.operand(read.operand()), read.leaf(),
            plans_.maps.Compose(steps_[step].element, map.map), step);
      }
    }
  }

  bool IsLoad(const Step& step) const {
    return plan_.InputNumber(*step.instruction) == load_.operand && step.leaf == load_.leaf;
  }

  // Whether lanes are side by side, or read the same.
  bool IsShort(size_t step) const {
    return steps_[step].stride.has_value() && std::abs(*steps_[step].stride) <= limit_;
  }

  const Instruction* OriginOnWayTo(size_t input) const {
    size_t step = input;
    while (steps_[step].user.has_value()) {
      const size_t user = *steps_[step].user;
      if (IsShort(user)) return steps_[user].instruction;
      step = user;
    }
    return nullptr;
  }

  const KernelPlan& plan_;
  const KernelAccess& load_;
  plan::PlanContext& plans_;
  int64_t limit_;
  std::vector<Step> steps_;
};

}  // namespace

const Instruction* OriginOfStride(const KernelPlan& plan, const KernelAccess& load,
                                  plan::PlanContext& plans) {
  return WayBack(plan, load, plans).Origin();
}

}  // namespace hlo_indexing::explain
