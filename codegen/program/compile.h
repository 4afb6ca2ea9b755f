// Compiles a module: kernels by the plans of this project, and what a host does to run them.
//
//   emit::PtxBackend backend;
//   HLO_INDEXING_ASSIGN_OR_RETURN(const program::Program compiled,
//                                 program::Compile(module, device, backend));
//   std::cout << compiled.ToString();
#ifndef HLO_INDEXING_CODEGEN_PROGRAM_COMPILE_H_
#define HLO_INDEXING_CODEGEN_PROGRAM_COMPILE_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "codegen/emit/ptx_backend.h"
#include "codegen/program/program.h"
#include "codegen/ptx/device_model.h"
#include "hlo/module.h"

namespace hlo_indexing::program {

struct CompileOptions {
  emit::LoweringOptions lowering;
  /// Called before each kernel, with the number of kernels so far, if it is not empty; false ends
  /// the compilation with kCancelled.
  std::function<bool(const hlo::Instruction& instruction, int64_t kernels)> keep_running = nullptr;
};

/// How deep computations may call each other.
inline constexpr int kMaxCallDepth = 200;

/// The program of a module, which must have passed Verify and outlive it. Errors name the
/// instruction and its place in the module's text: kUnimplemented for what has no kernel
/// (collectives, infeed, custom calls, ...) and for arrays whose sizes are not known.
absl::StatusOr<Program> Compile(const hlo::Module& module, const ptx::DeviceModel& device,
                                emit::PtxBackend& backend, const CompileOptions& options = {});

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_CODEGEN_PROGRAM_COMPILE_H_
