// Which changes of a kernel may be worth to be planned. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_CHANGED_KERNELS_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_CHANGED_KERNELS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/explain/kernel_copy.h"
#include "codegen/explain/kernel_report.h"
#include "codegen/plan/kernel_plan.h"
#include "hlo/module.h"
#include "hlo/shape.h"
#include "layout/xla_layout.h"

namespace hlo_indexing::explain {

/// What a kernel computes: all that its roots depend on, the last first.
std::vector<const hlo::Instruction*> KernelInstructions(const plan::KernelPlan& plan);

/// The whole kernel with an output array in another layout.
struct ResultLayout {
  layout::Layout layout;
  KernelPart part;
  /// Of the array.
  int64_t bytes = 0;
};

/// All layouts that make another dimension the most minor one. What is computed element by element
/// on the way to the root gets the layout, too, as XLA's layout assignment would have it. None for
/// outputs in the memory of an operand, and where a bitcast or another output sees that memory.
std::vector<ResultLayout> OtherResultLayouts(const plan::KernelPlan& plan,
                                             const plan::PlannedRoot& root);

/// The instructions after which a kernel may be split: those that bring a stride in, or their
/// operands if these are roots; then what moves elements, or combines many to one, from the roots
/// backwards. Not what needs no memory of its own, as broadcasts and constants, nor updates, which
/// are made in place.
std::vector<const hlo::Instruction*> SplitsOf(const KernelReport& report);

/// The bytes of an array's elements in memory; nullopt if it is none, or its layout is not known.
std::optional<int64_t> BytesOf(const hlo::Shape& shape);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_CHANGED_KERNELS_H_
