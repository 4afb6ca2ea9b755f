// The files of modules that arguments stand for.
#ifndef HLO_INDEXING_TOOLS_MODULE_FILES_H_
#define HLO_INDEXING_TOOLS_MODULE_FILES_H_

#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "tools/exit_code.h"

namespace hlo_indexing::tools {

/// The arguments with the modules in a folder, and the folders in it, in place of the folder, in
/// alphabetical order: files `*.hlo`, and `*.txt` that begin with the word HloModule, as XLA dumps
/// them beside other texts; both also compressed, as `*.gz` and `*.zst`. A folder without any is
/// reported, and `status` becomes kBadInput.
/// Example: {"a.hlo", "dump"} -> {"a.hlo", "dump/module_0001.before_optimizations.txt"}
std::vector<std::string> ModuleFiles(llvm::ArrayRef<std::string> arguments, ExitCode& status);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_MODULE_FILES_H_
