// What of a module runs on a GPU as a kernel.
//
// Example: of a module with
//
//   ENTRY main { p = f32[8] parameter(0)   f = f32[8] fusion(p), ...   ROOT w = while(...) }
//
// these are f and the instructions of the loop's condition and body.
#ifndef HLO_INDEXING_CODEGEN_PLAN_KERNELS_H_
#define HLO_INDEXING_CODEGEN_PLAN_KERNELS_H_

#include <vector>

#include "hlo/module.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::plan {

/// A fusion or another instruction by itself; or a computation that is itself what a fusion would
/// call, then `instruction` is its root.
struct Kernel {
  const hlo::Instruction* instruction = nullptr;
  bool is_computation = false;
};

/// Whether no one kernel computes a fusion, so that its computation runs as that of a call: it has
/// an instruction whose threads work together, as a sort, and that is not all that it gives.
/// Example: a sort of an iota and a parameter, of which a get-tuple-element is the root.
bool RunsAsCall(const hlo::Instruction& instruction);

/// The computations that an instruction runs instruction by instruction: what a call calls, a while
/// repeats, a conditional branches to, and a fusion calls that runs as a call; none for others.
llvm::SmallVector<const hlo::Computation*, 4> ComputationsRunBy(
    const hlo::Instruction& instruction);

/// The computations that run instruction by instruction: the entry, and what it calls, repeats and
/// branches to; callees before callers, as in the module.
std::vector<const hlo::Computation*> ExecutedComputations(const hlo::Module& module);

/// Whether there is nothing to compute: a result without arrays, or with arrays that all have no
/// elements.
bool HasNoElements(const hlo::Instruction& instruction);

/// The instructions of these, but those that need no kernel at all (HasKernel in xla_plan.h says
/// which), in order. A module without the word ENTRY is the computation of one fusion: tests of
/// emitters are written so.
std::vector<Kernel> KernelsOf(const hlo::Module& module);
/// The same with those that have a kernel of ours (HasOurKernel in our_plan.h), as the calls of a
/// library that are sums of products.
std::vector<Kernel> OurKernelsOf(const hlo::Module& module);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_KERNELS_H_
