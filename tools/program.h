// The whole command line, as a function.
#ifndef HLO_INDEXING_TOOLS_PROGRAM_H_
#define HLO_INDEXING_TOOLS_PROGRAM_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/exit_code.h"

namespace hlo_indexing::tools {

/// Does what the command line asks for, the name of the program first. One at a time.
ExitCode RunProgram(llvm::ArrayRef<const char*> command_line);

/// The same of a command line that names a subcommand, written to `out`: its -o is not looked at,
/// nor are --help and --version. Several threads may do so at once, each with an environment of its
/// own (environment.h).
ExitCode RunSubcommand(llvm::ArrayRef<const char*> command_line, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_PROGRAM_H_
