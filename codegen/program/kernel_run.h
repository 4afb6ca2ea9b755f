// Runs one kernel on a GPU, by itself.
//
//   HLO_INDEXING_ASSIGN_OR_RETURN(const emit::Kernel kernel, emit::CompileKernel(...));
//   program::VirtualGpu gpu({.checks = {.racecheck = true}});
//   HLO_INDEXING_ASSIGN_OR_RETURN(const auto outputs, program::RunKernel(kernel, {x, y}, gpu));
//   std::cout << outputs[0]->ToString() << gpu.findings().size();
#ifndef HLO_INDEXING_CODEGEN_PROGRAM_KERNEL_RUN_H_
#define HLO_INDEXING_CODEGEN_PROGRAM_KERNEL_RUN_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/emit/kernel.h"
#include "codegen/program/gpu.h"
#include "hlo/interpreter/value.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::program {

/// The output arrays of the kernel, whose text must be PTX, for arrays of the shapes of its inputs.
/// The kernel must live as long as the GPU. Where this fails, its buffers are not freed.
absl::StatusOr<std::vector<std::shared_ptr<const hlo::ArrayValue>>> RunKernel(
    const emit::Kernel& kernel, llvm::ArrayRef<hlo::Value> operands, Gpu& gpu);

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_CODEGEN_PROGRAM_KERNEL_RUN_H_
