// The program `hlo-indexing`.
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <vector>

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/exit_code.h"
#include "tools/program.h"

namespace {

constexpr char kBugReport[] =
    "This is a bug in hlo-indexing. Please report it to its maintainers with the input file, the "
    "command and this output.\n";

// Memory that the system does not give is no bug. Nothing here may ask for more of it.
[[noreturn]] void EndWithoutMemory(void* /*user_data*/, const char* /*reason*/, bool /*crash*/) {
  constexpr std::string_view kMessage =
      "error: the memory of this process is not enough; the output is not complete\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
  // Removes temporary files.
  llvm::sys::RunInterruptHandlers();
  _exit(static_cast<int>(hlo_indexing::tools::ExitCode::kNotSupported));
}

// Ends by the signal, as if nobody handled it, but leaves no temporary file.
void EndBySignal(int signal) {
  llvm::sys::RunInterruptHandlers();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Signals that say nothing of this program: LLVM takes two of them for crashes, and leaves files
// behind at the third.
constexpr std::array kOutsideSignals = {SIGPIPE, SIGQUIT, SIGXCPU};

using SignalActions = std::array<struct sigaction, kOutsideSignals.size()>;

SignalActions CurrentSignalActions() {
  SignalActions actions = {};
  for (size_t i = 0; i < actions.size(); ++i) sigaction(kOutsideSignals[i], nullptr, &actions[i]);
  return actions;
}

// What whoever starts the program ignores, as a shell does SIGQUIT in the background, stays
// ignored.
void InstallSignalHandlers(const SignalActions& inherited) {
  for (size_t i = 0; i < inherited.size(); ++i) {
    const bool is_ignored = inherited[i].sa_handler == SIG_IGN;
    std::signal(kOutsideSignals[i], is_ignored ? SIG_IGN : EndBySignal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  llvm::setBugReportMsg(kBugReport);
  // Before LLVM installs its own handlers.
  const SignalActions inherited = CurrentSignalActions();
  const llvm::InitLLVM init(argc, argv);
  InstallSignalHandlers(inherited);
  // Beyond the largest file that is allowed, writing fails as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  llvm::install_bad_alloc_error_handler(EndWithoutMemory);
  const std::vector<const char*> command_line(argv, argv + argc);
  const hlo_indexing::tools::ExitCode status = hlo_indexing::tools::RunProgram(command_line);
  // At exit LLVM makes status 1 of an error that nobody cleared, as of a closed standard error.
  llvm::errs().clear_error();
  return static_cast<int>(status);
}
