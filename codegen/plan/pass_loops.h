// Which passes of a plan a kernel computes in one loop, so that what they read at the same places
// is loaded once.
//
// Example: a fusion with the outputs reduce(exp(x)) and exp(x), and those that the plan has:
//
//   0  exp(x), kept in registers      loop 0
//   1  initial value                  loop 1
//   2  reduce, stored                 loop 2
//   3  exp(x), stored, the same map   loop 0
#ifndef HLO_INDEXING_CODEGEN_PLAN_PASS_LOOPS_H_
#define HLO_INDEXING_CODEGEN_PLAN_PASS_LOOPS_H_

#include <cstddef>
#include <vector>

#include "codegen/plan/kernel_plan.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::plan {

/// For each pass, the number of the first one in the same loop: they have the same vectors and the
/// same map, or, where nothing is reduced, maps with the same domain; and none needs what another
/// makes. Reductions share a loop as long as registers hold what it
/// carries.
std::vector<size_t> LoopsOf(const KernelPlan& plan);

/// The numbers of the passes in the order in which code computes them, by LoopsOf. Loops of
/// elements are made one by one, with all of their passes. Of reductions, initial values come
/// before what is reduced, and side outputs not before it. Example: the above -> {1, 0, 2, 3}
std::vector<size_t> PassesInOrderOfCode(const KernelPlan& plan, llvm::ArrayRef<size_t> loops);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_PASS_LOOPS_H_
