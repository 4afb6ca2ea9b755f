// How many instructions the warps of a kernel execute for arithmetic: an estimate. Private to the
// folder.
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_WORK_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_WORK_H_

#include "codegen/plan/kernel_plan.h"
#include "codegen/ptx/device_model.h"

namespace hlo_indexing::explain {

/// The sum over the instructions that the kernel computes, each element once: what moves data costs
/// nothing, additions and the like one instruction, transcendental functions and divisions ten,
/// reductions, windows, dots and convolutions one for each element that they combine. Those of f64
/// count as often as the device has more lanes for f32.
double ArithmeticWarpInstructions(const plan::KernelPlan& plan, const ptx::DeviceModel& device);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_WORK_H_
