// Runs a kernel on the virtual GPU.
//
//   HLO_INDEXING_ASSIGN_OR_RETURN(const emit::Kernel kernel, emit::CompileKernel(...));
//   HLO_INDEXING_ASSIGN_OR_RETURN(const run::KernelRun result,
//                                 run::RunKernel(kernel, {x, y}, {.checks = {.racecheck = true}}));
//   std::cout << result.outputs[0].ToString();
#ifndef HLO_INDEXING_CODEGEN_RUN_KERNEL_RUN_H_
#define HLO_INDEXING_CODEGEN_RUN_KERNEL_RUN_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/emit/kernel.h"
#include "codegen/ptx/device.h"
#include "hlo/interpreter/value.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::run {

struct KernelRun {
  /// The output arrays.
  std::vector<std::shared_ptr<const hlo::ArrayValue>> outputs;
  /// Findings of the checks, counts of the profile.
  ptx::LaunchResult launch;
  /// Keeps the text that the launch's program views.
  std::shared_ptr<const ptx::Module> module;
};

/// The kernel, whose text must be PTX, on arrays of the shapes of its inputs; grid and block of
/// `options` do not count. kAborted if the launch does not end well.
absl::StatusOr<KernelRun> RunKernel(const emit::Kernel& kernel, llvm::ArrayRef<hlo::Value> operands,
                                    ptx::LaunchOptions options);

}  // namespace hlo_indexing::run

#endif  // HLO_INDEXING_CODEGEN_RUN_KERNEL_RUN_H_
