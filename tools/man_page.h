// The manual page of the program.
#ifndef HLO_INDEXING_TOOLS_MAN_PAGE_H_
#define HLO_INDEXING_TOOLS_MAN_PAGE_H_

#include "llvm/Support/raw_ostream.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {

/// Writes it in the language of `man`.
void WriteManPage(const Subcommands& subcommands, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_MAN_PAGE_H_
