#include "tools/completion.h"

#include <string>

#include "llvm/ADT/StringExtras.h"

namespace hlo_indexing::tools {
namespace {

llvm::StringRef KindName(ValueKind kind) {
  switch (kind) {
    case ValueKind::kFile:
      return "file";
    case ValueKind::kFolder:
      return "folder";
    case ValueKind::kOther:
      break;
  }
  return "other";
}

void WriteBashSubcommand(const Subcommand& subcommand, llvm::raw_ostream& out) {
  out << "    " << subcommand.help().name << ")\n      case $option in\n";
  std::string words;
  for (const OptionHelp& option : subcommand.table().options()) {
    words += (words.empty() ? "" : " ") + option.Spelling();
    if (option.value.empty()) continue;
    if (option.name.size() > 1) words += "=";
    out << "        " << option.Spelling() << ") ";
    if (option.choices.empty()) {
      out << "kind=" << KindName(option.kind);
    } else {
      out << "words='"
          << llvm::join(llvm::map_range(option.choices,
                                        [](const ChoiceHelp& choice) { return choice.name; }),
                        " ")
          << "'";
    }
    out << " ;;\n";
  }
  out << "        *) words='" << words << "' kind=" << KindName(subcommand.help().arguments.kind)
      << " ;;\n"
      << "      esac ;;\n";
}

// In single quotes.
std::string ZshQuoted(llvm::StringRef text) {
  std::string result = "'";
  for (const char character : text) {
    if (character == '\'') {
      result += "'\\''";
    } else {
      result += character;
    }
  }
  return result + "'";
}

// With a backslash before what _arguments looks at. Example: Escaped("a: b", ":") -> "a\: b"
std::string ZshEscaped(llvm::StringRef text, llvm::StringRef special) {
  std::string result;
  for (const char character : text) {
    if (character == '\\' || special.contains(character)) result += '\\';
    result += character;
  }
  return result;
}

llvm::StringRef ZshAction(ValueKind kind) {
  switch (kind) {
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    case ValueKind::kOther:
      break;
  }
  // Nothing to offer.
  return " ";
}

// Example: '--format=[Output format]:format:((text\:for\ people json\:for\ programs))'
std::string ZshOption(const OptionHelp& option) {
  std::string spec = (option.is_repeatable ? "*" : "") + option.Spelling();
  if (option.name == "help") spec = "(- *)" + spec;
  if (!option.value.empty() && option.name.size() > 1) spec += "=";
  spec += "[" + ZshEscaped(option.help, "[]:") + "]";
  if (option.value.empty()) return ZshQuoted(spec);
  spec += ":" + ZshEscaped(option.value, ":") + ":";
  if (option.choices.empty()) return ZshQuoted(spec + ZshAction(option.kind).str());
  std::string choices;
  for (const ChoiceHelp& choice : option.choices) {
    choices += (choices.empty() ? "" : " ") + choice.name.str() +
               "\\:" + ZshEscaped(choice.help, " :()'\"");
  }
  return ZshQuoted(spec + "((" + choices + "))");
}

}  // namespace

void WriteBashCompletion(const Subcommands& subcommands, llvm::raw_ostream& out) {
  out << R"(# Completes the command lines of hlo-indexing in bash.
# Made by hlo-indexing --print-completion=bash.
_hlo_indexing() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
  local words= kind=other
  # --format=json is three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $option == = && $COMP_CWORD -gt 2 ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  local subcommand=${COMP_WORDS[1]}
  if ((COMP_CWORD == 1)); then
    subcommand=
  elif [[ $subcommand == help ]] && ((COMP_CWORD > 2)); then
    return
  fi
  case $subcommand in
    '' | help)
      words=')";
  for (const auto& subcommand : subcommands) out << subcommand->help().name << ' ';
  out << "'\n      [[ -n $subcommand ]] || words+='help --help --version' ;;\n";
  for (const auto& subcommand : subcommands) WriteBashSubcommand(*subcommand, out);
  out << R"(  esac
  # Options are offered from the first dash on.
  if [[ -n $words && ($kind == other || $current == -*) ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  elif [[ $kind == file ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ $kind == folder ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
  fi
}
complete -F _hlo_indexing hlo-indexing
)";
}

void WriteZshCompletion(const Subcommands& subcommands, llvm::raw_ostream& out) {
  out << R"(#compdef hlo-indexing
# Completes the command lines of hlo-indexing in zsh.
# Made by hlo-indexing --print-completion=zsh.
_hlo_indexing() {
  local -a subcommands=(
)";
  for (const auto& subcommand : subcommands) {
    out << "    "
        << ZshQuoted(subcommand->help().name.str() + ":" + subcommand->help().summary.str())
        << '\n';
  }
  out << R"(  )
  if (( CURRENT == 2 )); then
    subcommands+=('help:Help on a subcommand')
    if [[ $PREFIX == -* ]]; then
      _arguments '(- *)--help[Help on the program]' '(- *)--version[Its version]'
    else
      _describe subcommand subcommands
    fi
    return
  fi
  local subcommand=$words[2]
  shift words
  (( CURRENT-- ))
  case $subcommand in
    help)
      (( CURRENT == 2 )) && _describe subcommand subcommands ;;
)";
  for (const auto& subcommand : subcommands) {
    const SubcommandHelp& help = subcommand->help();
    out << "    " << help.name << ")\n      _arguments \\\n";
    for (const OptionHelp& option : subcommand->table().options()) {
      out << "        " << ZshOption(option) << " \\\n";
    }
    out << "        "
        << ZshQuoted("*:" + ZshEscaped(help.arguments.usage, ":") + ":" +
                     ZshAction(help.arguments.kind).str())
        << " ;;\n";
  }
  out << R"(  esac
}
_hlo_indexing "$@"
)";
}

}  // namespace hlo_indexing::tools
