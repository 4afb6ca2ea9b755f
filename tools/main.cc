// The program `hlo-indexing`.
#include <unistd.h>

#include <string_view>
#include <vector>

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
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

}  // namespace

int main(int argc, char** argv) {
  llvm::setBugReportMsg(kBugReport);
  const llvm::InitLLVM init(argc, argv);
  llvm::install_bad_alloc_error_handler(EndWithoutMemory);
  const std::vector<const char*> command_line(argv, argv + argc);
  return static_cast<int>(hlo_indexing::tools::RunProgram(command_line));
}
