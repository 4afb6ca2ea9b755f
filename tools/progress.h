// What a long job says while it runs.
#ifndef HLO_INDEXING_TOOLS_PROGRESS_H_
#define HLO_INDEXING_TOOLS_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

/// One line on standard error, from one second on and only on a terminal; removed at the end.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_terminal() const { return is_terminal_; }
  /// Shows what `text` gives, if it is time for something new.
  void Update(llvm::function_ref<std::string()> text);

 private:
  bool is_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

/// Tells the environment of the thread (environment.h), if it wants to know, how far work is whose
/// line is shown otherwise; 0 is a total that is not known.
void TellEnvironment(llvm::StringRef what, int64_t done, int64_t total);

/// The progress of work on a known number of instructions: on a terminal, or as the environment of
/// the thread wants to be told (environment.h).
/// Example: `FILE: 45 % of 120000 instructions`
class Progress {
 public:
  Progress(std::string what, int64_t total);

  /// One more of the total is done.
  void Step() {
    ++done_;
    if (has_listener_ || line_.is_terminal()) Update();
  }
  int64_t done() const { return done_; }

 private:
  void Update();

  std::string what_;
  int64_t total_;
  int64_t done_ = 0;
  bool has_listener_ = false;
  ProgressLine line_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_PROGRESS_H_
