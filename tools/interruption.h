// Ctrl-C during long work: what is done so far is still printed.
//
//   const Interruption interruption;
//   for (const Instruction* instruction : instructions) {
//     if (Interruption::IsRequested()) return ExitCode::kInterrupted;
//     ...
//   }
#ifndef HLO_INDEXING_TOOLS_INTERRUPTION_H_
#define HLO_INDEXING_TOOLS_INTERRUPTION_H_

#include <cstddef>
#include <string>

#include "tools/exit_code.h"

namespace hlo_indexing::tools {

/// While one lives, the first SIGINT is a request to stop. The second one ends the program as
/// before. One at a time; where the environment of the thread says when to stop (environment.h),
/// any number, and signals are left alone.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Whether SIGINT has come since the last one was made, or the environment wants the end.
  static bool IsRequested();

 private:
  bool is_installed_;
};

/// Says how far the work has come; kInterrupted.
/// Example: (3, 10, "maps") -> "warning: interrupted behind 3 of 10 maps"
ExitCode ReportInterruption(size_t done, size_t total, const std::string& what);
/// The same of a file in which it is not counted.
ExitCode ReportInterruption(const std::string& file);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_INTERRUPTION_H_
