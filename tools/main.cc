// The program `hlo-indexing`.
#include <vector>

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "tools/program.h"

namespace {

constexpr char kBugReport[] =
    "This is a bug in hlo-indexing. Please report it to its maintainers with the input file, the "
    "command and this output.\n";

}  // namespace

int main(int argc, char** argv) {
  llvm::setBugReportMsg(kBugReport);
  const llvm::InitLLVM init(argc, argv);
  const std::vector<const char*> command_line(argv, argv + argc);
  return static_cast<int>(hlo_indexing::tools::RunProgram(command_line));
}
