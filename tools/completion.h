// Scripts that complete command lines of the program in a shell.
#ifndef HLO_INDEXING_TOOLS_COMPLETION_H_
#define HLO_INDEXING_TOOLS_COMPLETION_H_

#include "llvm/Support/raw_ostream.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {

/// Writes a script that bash loads from share/bash-completion/completions/hlo-indexing.
void WriteBashCompletion(const Subcommands& subcommands, llvm::raw_ostream& out);
/// Writes a function that zsh loads from share/zsh/site-functions/_hlo-indexing.
void WriteZshCompletion(const Subcommands& subcommands, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_COMPLETION_H_
