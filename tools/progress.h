// What a long job says while it runs.
#ifndef HLO_INDEXING_TOOLS_PROGRESS_H_
#define HLO_INDEXING_TOOLS_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace hlo_indexing::tools {

/// One line on standard error, `FILE: 45 % of 120000 instructions`, from one second on and only on
/// a terminal; removed at the end.
class Progress {
 public:
  Progress(std::string what, int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more of the total is done.
  void Step() {
    if (is_terminal_ && ++done_ % kStepsBetweenLooks == 0) Update();
  }

 private:
  // Looking at the clock costs more than most steps.
  static constexpr int64_t kStepsBetweenLooks = 256;

  void Update();

  std::string what_;
  int64_t total_;
  int64_t done_ = 0;
  bool is_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_PROGRESS_H_
