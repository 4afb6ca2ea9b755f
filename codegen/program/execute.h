// Runs programs.
//
//   program::VirtualGpu gpu;
//   HLO_INDEXING_ASSIGN_OR_RETURN(const hlo::Value result,
//                                 program::Execute(compiled, gpu, {x, y}));
#ifndef HLO_INDEXING_CODEGEN_PROGRAM_EXECUTE_H_
#define HLO_INDEXING_CODEGEN_PROGRAM_EXECUTE_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "codegen/program/gpu.h"
#include "codegen/program/program.h"
#include "hlo/interpreter/value.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::program {

struct ExecuteOptions {
  /// Each buffer of a frame is an allocation of its own, so that checks of memory see where one
  /// ends, and what it is read for before it is written; else a frame is one piece of memory.
  bool separate_buffers = false;
  /// Called before each step, with the steps so far, if it is not empty; false ends the run with
  /// kCancelled.
  std::function<bool(const hlo::Instruction& instruction, int64_t steps)> keep_running = nullptr;
  /// Reaching it is an error, before anything is done that is known to exceed it. A kernel, a copy,
  /// a call and an iteration are 64 steps each, an element of a kernel's outputs is one, so are 4
  /// bytes that are copied; on the virtual GPU each warp instruction is one more.
  int64_t max_steps = int64_t{1} << 50;
  /// Of all buffers at a time; reaching it is an error.
  int64_t max_bytes = int64_t{1} << 50;
};

/// The result of the program on these arguments, one for each parameter. kInvalidArgument for
/// arguments that do not fit; errors of a step name its instruction and its place in the text.
absl::StatusOr<hlo::Value> Execute(const Program& program, Gpu& gpu,
                                   llvm::ArrayRef<hlo::Value> arguments,
                                   const ExecuteOptions& options = {});

}  // namespace hlo_indexing::program

#endif  // HLO_INDEXING_CODEGEN_PROGRAM_EXECUTE_H_
