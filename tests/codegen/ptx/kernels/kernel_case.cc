#include "tests/codegen/ptx/kernels/kernel_case.h"

#include <vector>

#include "absl/status/statusor.h"
#include "codegen/ptx/device.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/profile.h"
#include "codegen/ptx/machine/program.h"

namespace hlo_indexing::ptx {

void KernelRun::Launch(const std::vector<Argument>& arguments) {
  const absl::StatusOr<LaunchResult> result = device_.Launch(module_, kernel_, arguments, options_);
  if (!result.ok()) return Note(result.status());
  Note(result->status);
  for (const Finding& finding : result->findings) AddProblem(finding.ToString());
  if (result->profile == nullptr) return;
  for (const ProgramFunction& function : result->program->functions) {
    for (const Operation& operation : function.operations) {
      if (operation.source == nullptr) continue;
      LineCounts& line = lines_[LineOf(*result->program, operation.source->place)];
      const OperationCounts& counts = result->profile->operations()[operation.number];
      line.executions += counts.executions;
      line.active_lanes += counts.active_lanes;
    }
  }
}

}  // namespace hlo_indexing::ptx
