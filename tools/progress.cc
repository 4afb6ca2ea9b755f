#include "tools/progress.h"

#include <utility>

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::tools {

using std::chrono::steady_clock;

Progress::Progress(std::string what, int64_t total)
    : what_(std::move(what)),
      total_(total),
      is_terminal_(llvm::sys::Process::StandardErrIsDisplayed()),
      next_(steady_clock::now() + std::chrono::seconds(1)) {}

Progress::~Progress() {
  if (shown_) llvm::errs() << "\r\033[K";
}

void Progress::Update() {
  const steady_clock::time_point now = steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  shown_ = true;
  llvm::errs() << '\r' << what_ << ": " << done_ * 100 / total_ << " % of " << total_
               << " instructions\033[K";
}

}  // namespace hlo_indexing::tools
