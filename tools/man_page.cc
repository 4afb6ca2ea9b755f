#include "tools/man_page.h"

#include <string>

#include "llvm/ADT/StringExtras.h"
#include "tools/help.h"
#include "tools/version.h"

namespace hlo_indexing::tools {
namespace {

// Text that stands for itself: no hyphen, control line or escape. Example: "--o" -> "\-\-o"
std::string Escaped(llvm::StringRef text) {
  std::string result;
  if (text.starts_with(".") || text.starts_with("'")) result = "\\&";
  for (const char character : text) {
    switch (character) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += character;
    }
  }
  return result;
}

std::string Bold(llvm::StringRef text) { return "\\fB" + Escaped(text) + "\\fR"; }
std::string Italic(llvm::StringRef text) { return "\\fI" + Escaped(text) + "\\fR"; }

void WriteOption(const OptionHelp& option, llvm::raw_ostream& out) {
  out << ".TP\n" << (option.name == "help" ? Bold("-h") + ", " : "") << Bold(option.Spelling());
  if (!option.value.empty()) {
    out << (option.name.size() == 1 ? " " : "=") << Italic(option.value);
  }
  out << '\n' << Escaped(HelpWithDefault(option)) << ".\n";
  if (option.choices.empty()) return;
  out << ".RS\n";
  for (const ChoiceHelp& choice : option.choices) {
    out << ".TP\n" << Bold(choice.name) << '\n' << Escaped(choice.help) << '\n';
  }
  out << ".RE\n";
}

void WriteSubcommand(const Subcommand& subcommand, llvm::raw_ostream& out) {
  const SubcommandHelp& help = subcommand.help();
  out << ".SS " << Escaped(help.name) << '\n'
      << Bold("hlo-indexing " + help.name.str()) << " [" << Italic("OPTION") << "]... "
      << Italic(help.arguments.usage) << "\n.PP\n"
      << Escaped(help.summary) << ".\n.TP\n"
      << Italic(help.arguments.usage) << '\n'
      << Escaped(help.arguments.help) << ".\n";
  for (const llvm::StringRef paragraph : llvm::split(help.details, '\n')) {
    out << ".PP\n" << Escaped(paragraph) << '\n';
  }
  for (const OptionHelp& option : subcommand.table().options()) WriteOption(option, out);
}

}  // namespace

void WriteManPage(const Subcommands& subcommands, llvm::raw_ostream& out) {
  out << ".TH HLO\\-INDEXING 1 \"\" \"hlo\\-indexing " << ToolVersion() << "\" \"User Commands\"\n"
      << ".SH NAME\n"
      << "hlo\\-indexing \\- which elements of which tensor every output element reads\n"
      << ".SH SYNOPSIS\n"
      << Bold("hlo-indexing") << ' ' << Italic("SUBCOMMAND") << " [" << Italic("OPTION") << "]... ["
      << Italic("ARGUMENT") << "]...\n.br\n"
      << Bold("hlo-indexing help") << " [" << Italic("SUBCOMMAND") << "]\n.br\n"
      << Bold("hlo-indexing --version") << '\n'
      << ".SH DESCRIPTION\n"
      << Escaped(Overview()) << '\n'
      << "The same input gives the same bytes. Errors go to standard error as\n"
      << Escaped("file:line:column: error: message")
      << ", with the line and a caret;\na file with errors does not keep the others from being "
         "processed.\n"
      << ".SH SUBCOMMANDS\n";
  for (const auto& subcommand : subcommands) WriteSubcommand(*subcommand, out);
  out << ".SH EXIT STATUS\n";
  for (const ExitStatusHelp& status : ExitStatuses()) {
    out << ".TP\n"
        << Bold(std::to_string(status.status)) << '\n'
        << Escaped(status.meaning) << '\n';
  }
  out << ".SH ENVIRONMENT\n";
  for (const EnvironmentHelp& variable : EnvironmentVariables()) {
    out << ".TP\n" << Bold(variable.name) << '\n' << Escaped(variable.help) << '\n';
  }
  out << ".SH EXAMPLES\n";
  for (const auto& subcommand : subcommands) {
    for (const Example& example : subcommand->help().examples) {
      out << ".PP\n"
          << Escaped(example.purpose) << ":\n.PP\n.RS 4\n.nf\n"
          << Escaped(example.command) << "\n.fi\n.RE\n";
    }
  }
}

}  // namespace hlo_indexing::tools
