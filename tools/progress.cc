#include "tools/progress.h"

#include <utility>

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/environment.h"

namespace hlo_indexing::tools {

using std::chrono::steady_clock;

ProgressLine::ProgressLine()
    : is_terminal_(CurrentEnvironment() == nullptr && llvm::sys::Process::StandardErrIsDisplayed()),
      next_(steady_clock::now() + std::chrono::seconds(1)) {}

ProgressLine::~ProgressLine() {
  if (shown_) llvm::errs() << "\r\033[K";
}

void ProgressLine::Update(llvm::function_ref<std::string()> text) {
  if (!is_terminal_) return;
  const steady_clock::time_point now = steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  shown_ = true;
  llvm::errs() << '\r' << text() << "\033[K";
}

void TellEnvironment(llvm::StringRef what, int64_t done, int64_t total) {
  const Environment* const environment = CurrentEnvironment();
  if (environment != nullptr && environment->progress) {
    environment->progress(what.str(), done, total);
  }
}

Progress::Progress(std::string what, int64_t total) : what_(std::move(what)), total_(total) {
  const Environment* const environment = CurrentEnvironment();
  has_listener_ = environment != nullptr && environment->progress;
}

void Progress::Update() {
  if (has_listener_) return CurrentEnvironment()->progress(what_, done_, total_);
  line_.Update([&] {
    return what_ + ": " + std::to_string(done_ * 100 / total_) + " % of " + std::to_string(total_) +
           " instructions";
  });
}

}  // namespace hlo_indexing::tools
