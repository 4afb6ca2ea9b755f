// Runs the blocks of a launch, on the cores of the host.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_LAUNCHER_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_LAUNCHER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/ptx/machine/launch_state.h"

namespace hlo_indexing::ptx {

/// What all blocks of a launch came to.
struct LaunchEnd {
  /// Empty where all threads have ended.
  std::string stop_reason;
  bool is_limit = false;
  /// Whether LaunchOptions::keep_running has ended it.
  bool is_interrupted = false;
  uint64_t warp_instructions = 0;
  std::string output;
  /// As LaunchResult::unchecked.
  std::string unchecked;
  std::unique_ptr<Profile> profile;
};

/// Runs a program. Blocks that do not communicate are shared out among host threads, one block each
/// at a time; others are resident together, up to a limit, and take turns in one host thread, so
/// that the same options give the same bytes. All blocks of a cooperative launch are resident.
/// `grid_barrier`: of such, an address of 8 bytes that are zeros.
LaunchEnd RunLaunch(const Program& program, const LaunchOptions& options, GlobalMemory& memory,
                    const std::vector<std::byte>& parameters, FindingLog& findings,
                    uint64_t grid_barrier = 0);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_LAUNCHER_H_
