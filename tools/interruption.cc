#include "tools/interruption.h"

#include <csignal>

#include "tools/environment.h"
#include "tools/report.h"

namespace hlo_indexing::tools {
namespace {

volatile std::sig_atomic_t is_requested = 0;
struct sigaction previous;

void RequestStop(int /*signal*/) {
  is_requested = 1;
  // The next one finds what was there before, which also removes temporary files.
  sigaction(SIGINT, &previous, nullptr);
}

}  // namespace

Interruption::Interruption() : is_installed_(false) {
  // Whoever runs the subcommand asks for the end in another way.
  if (const Environment* environment = CurrentEnvironment(); environment && environment->stop) {
    return;
  }
  is_requested = 0;
  if (sigaction(SIGINT, nullptr, &previous) != 0) return;
  // A program in the background of a shell without job control ignores it, and goes on to.
  if (previous.sa_handler == SIG_IGN) return;
  struct sigaction action = {};
  action.sa_handler = RequestStop;
  // Without SA_RESTART, so that waiting for input ends.
  is_installed_ = sigaction(SIGINT, &action, nullptr) == 0;
}

Interruption::~Interruption() {
  if (is_installed_) sigaction(SIGINT, &previous, nullptr);
}

bool Interruption::IsRequested() {
  const Environment* const environment = CurrentEnvironment();
  if (environment != nullptr && environment->stop) return environment->stop();
  return is_requested != 0;
}

ExitCode ReportInterruption(size_t done, size_t total, const std::string& what) {
  ReportWarning("interrupted behind " + std::to_string(done) + " of " + std::to_string(total) +
                " " + what);
  return ExitCode::kInterrupted;
}

ExitCode ReportInterruption(const std::string& file) {
  ReportWarning("interrupted in '" + file + "'");
  return ExitCode::kInterrupted;
}

}  // namespace hlo_indexing::tools
