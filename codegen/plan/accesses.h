// The accesses of a kernel to global memory: what its plan loads and stores.
//
// A pass of the plan says which elements of which instruction a thread computes; the indexing maps
// of that instruction say what these read of the operands, and the layouts where that lies.
// Example: f32[1024] add(p, q), one element for each of 128 threads in 8 blocks, has three
// accesses:
//
//   load  operand 0: (th_x, ..., bl_z) -> (bl_x * 128 + th_x)
//   load  operand 1: (th_x, ..., bl_z) -> (bl_x * 128 + th_x)
//   store output 0:  (th_x, ..., bl_z) -> (bl_x * 128 + th_x)
#ifndef HLO_INDEXING_CODEGEN_PLAN_ACCESSES_H_
#define HLO_INDEXING_CODEGEN_PLAN_ACCESSES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "hlo/module.h"
#include "hlo/shape.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/coalescing.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::plan {

enum class AccessKind : uint8_t { kLoad, kStore, kAtomic };

/// "load", "store" or "atomic".
llvm::StringRef AccessKindName(AccessKind kind);

struct KernelAccess {
  /// The pass of the plan that it belongs to.
  size_t pass = 0;
  /// The first pass that is computed in the same loop.
  size_t loop = 0;
  AccessKind kind = AccessKind::kLoad;
  /// Loads: the operand of the planned instruction, and which of its arrays; of a computation, the
  /// parameter. Stores and atomics: the output array.
  int64_t operand = 0;
  int64_t leaf = 0;
  int64_t output = 0;
  /// An access to scratch memory instead: which of the plan's arrays there; behind them, the
  /// counters.
  std::optional<size_t> scratch;
  /// A load from the values of this constant instead (constants.h).
  const hlo::Instruction* constant = nullptr;
  /// The array; null for scratch memory.
  const hlo::Shape* shape = nullptr;
  /// From threads to elements, and to positions in memory; unknown if nobody knows.
  IndexingMap element;
  indexing_analysis::MemoryAccess access;
  /// Why the maps are not exact: the kernel accesses nothing else, but perhaps less; or why they
  /// are unknown. Empty if they are exact.
  std::string reason;

  /// Loads what the caller gives.
  bool IsOfOperand() const {
    return kind == AccessKind::kLoad && !scratch.has_value() && constant == nullptr;
  }
};

/// All accesses, in the order of the passes; two loads of a loop at the same positions are one, as
/// a kernel loads a value once.
std::vector<KernelAccess> AccessesOf(const KernelPlan& plan, PlanContext& plans);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_ACCESSES_H_
