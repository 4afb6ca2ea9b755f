// What a subcommand of `hlo-indexing` is. Each lies in a file of its own, with its options, its
// help and what it does:
//
//   class PrintCommand : public Subcommand {
//    public:
//     PrintCommand() : Subcommand(kHelp) {}
//     ExitCode Run(llvm::raw_ostream& out) override;
//    private:
//     FlagOption no_metadata_{table(), "no-metadata", "Without metadata and source locations"};
//   };
//   std::unique_ptr<Subcommand> MakePrintCommand() { return std::make_unique<PrintCommand>(); }
//
// and becomes one by a line in subcommands.inc.
#ifndef HLO_INDEXING_TOOLS_SUBCOMMAND_H_
#define HLO_INDEXING_TOOLS_SUBCOMMAND_H_

#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/exit_code.h"
#include "tools/option_table.h"

namespace hlo_indexing::tools {

/// What a subcommand takes besides options.
struct ArgumentsHelp {
  /// As usage shows them. Example: "FILE..."
  llvm::StringRef usage;
  llvm::StringRef help;
  ValueKind kind = ValueKind::kOther;
  /// Whether there must be one.
  bool is_required = false;
};

/// A command line with what it shows. It runs in a folder with an HLO text `module.hlo` and
/// the PTX text `kernel.ptx` of examples/ptx.
struct Example {
  llvm::StringRef purpose;
  llvm::StringRef command;
};

/// What the user is told of a subcommand. All texts are literals.
struct SubcommandHelp {
  llvm::StringRef name;
  /// A line, without a full stop.
  llvm::StringRef summary;
  ArgumentsHelp arguments;
  /// Paragraphs, each a line of any length.
  llvm::StringRef details;
  llvm::ArrayRef<Example> examples;
};

/// A subcommand with its options. Making one is cheap: what costs time is made by Run.
class Subcommand {
 public:
  virtual ~Subcommand() = default;
  Subcommand(const Subcommand&) = delete;
  Subcommand& operator=(const Subcommand&) = delete;

  const SubcommandHelp& help() const { return help_; }
  const OptionTable& table() const { return table_; }
  OptionTable& table() { return table_; }

  /// Sets the options and arguments; false, after a message on standard error, if the command line
  /// is not one of this subcommand.
  bool Parse(llvm::ArrayRef<const char*> command_line);
  /// Does what the options ask for.
  virtual ExitCode Run(llvm::raw_ostream& out) = 0;

 protected:
  /// `help` must outlive the subcommand.
  explicit Subcommand(const SubcommandHelp& help) : help_(help), table_(help.name) {}

  llvm::ArrayRef<std::string> arguments() const { return table_.arguments(); }

 private:
  const SubcommandHelp& help_;
  OptionTable table_;
};

/// All of them, in the order of help.
using Subcommands = std::vector<std::unique_ptr<Subcommand>>;
Subcommands MakeSubcommands();

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_SUBCOMMAND_H_
