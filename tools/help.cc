#include "tools/help.h"

#include <algorithm>
#include <string>

#include "llvm/ADT/StringExtras.h"

namespace hlo_indexing::tools {
namespace {

constexpr size_t kColumns = 80;

// The text in lines of kColumns; the cursor stands at `column`, and further lines are indented by
// `indent`.
void WriteWrapped(llvm::StringRef text, size_t column, size_t indent, llvm::raw_ostream& out) {
  bool is_first = true;
  for (const llvm::StringRef word : llvm::split(text, ' ')) {
    if (!is_first && column + 1 + word.size() > kColumns) {
      out << '\n';
      out.indent(static_cast<unsigned>(indent));
      column = indent;
      is_first = true;
    }
    out << (is_first ? "" : " ") << word;
    column += word.size() + (is_first ? 0 : 1);
    is_first = false;
  }
  out << '\n';
}

// A line of a table: what it is about at `indent`, then what there is to say at `column`.
void WriteEntry(size_t indent, llvm::StringRef head, size_t column, llvm::StringRef text,
                llvm::raw_ostream& out) {
  out.indent(static_cast<unsigned>(indent)) << head;
  const size_t end = indent + head.size();
  if (end + 2 > column) {
    out << '\n';
    out.indent(static_cast<unsigned>(column));
  } else {
    out.indent(static_cast<unsigned>(column - end));
  }
  WriteWrapped(text, column, column, out);
}

// Example: "--format=<format>", "-o <file>", "--svg"
std::string OptionHead(const OptionHelp& option) {
  if (option.name == "help") return "-h, --help";
  std::string head = option.Spelling();
  if (option.value.empty()) return head;
  return head + (option.name.size() == 1 ? " <" : "=<") + option.value.str() + ">";
}

void WriteOptions(llvm::ArrayRef<OptionHelp> options, llvm::raw_ostream& out) {
  constexpr size_t kHelpColumn = 28;
  for (const OptionHelp& option : options) {
    WriteEntry(2, OptionHead(option), kHelpColumn, HelpWithDefault(option), out);
    for (const ChoiceHelp& choice : option.choices) {
      WriteEntry(4, choice.name, kHelpColumn, choice.help, out);
    }
  }
}

void WriteExitStatuses(llvm::raw_ostream& out) {
  out << "\nEXIT STATUS:\n";
  for (const ExitStatusHelp& status : ExitStatuses()) {
    WriteEntry(2, std::to_string(status.status), 7, status.meaning, out);
  }
}

}  // namespace

llvm::ArrayRef<ExitStatusHelp> ExitStatuses() {
  static constexpr ExitStatusHelp kStatuses[] = {
      {0, "fine"},
      {1,
       "`equal` answers no; `ptx` or `run --check` has findings, `run --compare` a difference "
       "above "
       "the tolerance; a kernel that `explain --fail-on` names"},
      {2,
       "bad usage: an option or argument that does not fit, or a file of -o or folder of --output "
       "that cannot be made"},
      {3, "an input could not be read or parsed, or not all of the output be written"},
      {4,
       "a part of the request is not supported, or a limit is reached; what could be done was "
       "printed, unless the memory of the process was not enough"},
      {130, "Ctrl-C: what was done until then was printed"},
      {141, "in a shell: the reader of the output has gone away, as `head` does"}};
  return kStatuses;
}

llvm::StringRef Overview() {
  return "Which elements of which tensor every output element reads, for XLA HLO modules.";
}

llvm::ArrayRef<EnvironmentHelp> EnvironmentVariables() {
  static constexpr EnvironmentHelp kVariables[] = {
      {"NO_COLOR", "If it is not empty, messages have no colours."},
      {"CLICOLOR_FORCE",
       "If it is neither empty nor 0, messages have colours even if standard error is no "
       "terminal."},
      {"CLICOLOR", "If it is 0, messages have no colours."}};
  return kVariables;
}

std::string HelpWithDefault(const OptionHelp& option) {
  std::string text = option.help.str();
  if (option.is_repeatable) text += " (may be given more than once)";
  if (!option.default_value.empty()) text += " (default: " + option.default_value + ")";
  return text;
}

void WriteHelp(const Subcommands& subcommands, llvm::raw_ostream& out) {
  out << Overview() << "\n\n"
      << "USAGE: hlo-indexing SUBCOMMAND [OPTION]... [ARGUMENT]...\n"
      << "       hlo-indexing help [SUBCOMMAND]\n"
      << "       hlo-indexing --version\n\n"
      << "SUBCOMMANDS:\n";
  size_t width = 0;
  for (const auto& subcommand : subcommands) {
    width = std::max(width, subcommand->help().name.size());
  }
  for (const auto& subcommand : subcommands) {
    WriteEntry(2, subcommand->help().name, width + 4, subcommand->help().summary, out);
  }
  out << "\nEXAMPLES:\n";
  for (const auto& subcommand : subcommands) {
    out << "  " << subcommand->help().examples.front().command << '\n';
  }
  WriteExitStatuses(out);
  out << "\nENVIRONMENT:\n";
  for (const EnvironmentHelp& variable : EnvironmentVariables()) {
    WriteEntry(2, variable.name, 18, variable.help, out);
  }
}

void WriteHelp(const Subcommand& subcommand, llvm::raw_ostream& out) {
  const SubcommandHelp& help = subcommand.help();
  out << help.summary << ".\n\n"
      << "USAGE: hlo-indexing " << help.name << " [OPTION]... " << help.arguments.usage << "\n\n";
  WriteEntry(2, help.arguments.usage, help.arguments.usage.size() + 4, help.arguments.help, out);
  for (const llvm::StringRef paragraph : llvm::split(help.details, '\n')) {
    out << '\n';
    WriteWrapped(paragraph, 0, 0, out);
  }
  out << "\nOPTIONS:\n";
  WriteOptions(subcommand.table().options(), out);
  out << "\nEXAMPLES:\n";
  for (const Example& example : help.examples) {
    out << "  # " << example.purpose << '\n' << "  " << example.command << '\n';
  }
  WriteExitStatuses(out);
}

}  // namespace hlo_indexing::tools
