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

namespace hlo_indexing::plan {

/// For each pass, the number of the first one in the same loop: they have the same vectors and the
/// same map, or, where nothing is reduced, maps with the same domain; and none needs what another
/// makes. Reductions share a loop as long as registers hold what it
/// carries.
std::vector<size_t> LoopsOf(const KernelPlan& plan);

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_PASS_LOOPS_H_
