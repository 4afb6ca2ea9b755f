// A small program that launches kernels through the CUDA driver, as C++ to read, compile and edit.
#ifndef HLO_INDEXING_TOOLS_HOST_PROGRAM_H_
#define HLO_INDEXING_TOOLS_HOST_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/emit/kernel.h"

namespace hlo_indexing::tools {

/// A kernel as the program launches it.
struct HostedKernel {
  std::string name;
  /// Of the PTX or cubin, beside the program.
  std::string file;
  plan::Launch launch;
  struct Argument {
    /// As in a comment: "operand 0, f32[4,6]".
    std::string description;
    int64_t bytes = 0;
    bool is_output = false;
    /// The argument whose contents it begins with; -1 if there is none.
    int64_t updates = -1;
  };
  std::vector<Argument> arguments;
};

/// kUnimplemented for arrays whose bytes are not known.
absl::StatusOr<HostedKernel> HostedKernelOf(const emit::Kernel& kernel, std::string file);

/// "operand 0, f32[4,6]", "output 0, f32[4]", "scratch memory of 64 bytes, of any contents".
std::string DescriptionOf(const emit::KernelArgument& argument);

/// The program for these kernels. It needs a C++17 compiler and, when it runs, a driver.
std::string HostProgram(const std::vector<HostedKernel>& kernels);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_HOST_PROGRAM_H_
