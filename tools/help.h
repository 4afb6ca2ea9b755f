// What --help prints.
#ifndef HLO_INDEXING_TOOLS_HELP_H_
#define HLO_INDEXING_TOOLS_HELP_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {

/// What the program is for.
llvm::StringRef Overview();

/// An environment variable with what it does.
struct EnvironmentHelp {
  llvm::StringRef name;
  llvm::StringRef help;
};
llvm::ArrayRef<EnvironmentHelp> EnvironmentVariables();

/// The help of an option with its default. Example: "Output format (default: text)"
std::string HelpWithDefault(const OptionHelp& option);

/// Help on the program: what it is for, and its subcommands.
void WriteHelp(const Subcommands& subcommands, llvm::raw_ostream& out);
/// Help on one subcommand.
void WriteHelp(const Subcommand& subcommand, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_HELP_H_
