// What `hlo-indexing ptx` prints: kernels of a module, and what a launch came to.
#ifndef HLO_INDEXING_TOOLS_PTX_REPORT_H_
#define HLO_INDEXING_TOOLS_PTX_REPORT_H_

#include <string>
#include <vector>

#include "codegen/ptx/device.h"
#include "codegen/ptx/device_model.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/ptx_arguments.h"

namespace hlo_indexing::tools {

/// The kernels of a module, with parameters, registers, shared memory and instructions by family.
void PrintKernels(const std::string& file, const ptx::Module& module, bool as_json,
                  llvm::raw_ostream& out);

/// A launch that has ended, and what belongs to it.
struct LaunchReport {
  const std::string& file;
  const ptx::Module& module;
  std::string kernel;
  const ptx::LaunchOptions& options;
  const ptx::LaunchResult& result;
  const ptx::DeviceModel& device;
  /// Registers of a thread, where a profile needs them for occupancy; 0: not known.
  uint64_t registers = 0;
};

/// Findings, and the profile where there is one. Text, or JSON as docs/command_line.md says.
void PrintLaunch(const LaunchReport& report, bool as_json, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_PTX_REPORT_H_
