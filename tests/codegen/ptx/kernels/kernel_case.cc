#include "tests/codegen/ptx/kernels/kernel_case.h"

#include <vector>

#include "absl/status/statusor.h"

namespace hlo_indexing::ptx {

void KernelRun::Launch(const std::vector<Argument>& arguments) {
  const absl::StatusOr<LaunchResult> result = device_.Launch(module_, kernel_, arguments, options_);
  if (!result.ok()) return Note(result.status());
  Note(result->status);
  for (const Finding& finding : result->findings) AddProblem(finding.ToString());
}

}  // namespace hlo_indexing::ptx
