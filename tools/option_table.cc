#include "tools/option_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "support/diagnostics.h"
#include "tools/environment.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

namespace cl = llvm::cl;

std::string OptionHelp::Spelling() const { return (name.size() == 1 ? "-" : "--") + name.str(); }

OptionTable::OptionTable(llvm::StringRef subcommand)
    : parser_(subcommand),
      options_(
          {{.name = "o",
            .help = "Write to a file. It is replaced at the end, and stays as it is if the run "
                    "fails (status 2 or 3)",
            .value = "file",
            .kind = ValueKind::kFile,
            .default_value = "standard output"},
           {.name = "help", .help = "Print this help"}}),
      arguments_(cl::Positional, cl::ZeroOrMore, cl::sub(parser_)),
      // Without this, LLVM's parser suggests the nearest option, however far.
      unknown_(cl::Sink, cl::ZeroOrMore, cl::sub(parser_)),
      output_("o", cl::init("-"), cl::sub(parser_)) {}

void OptionTable::Add(OptionHelp option) {
  constexpr int kOptionsOfAll = 2;
  options_.insert(options_.end() - kOptionsOfAll, std::move(option));
}

bool OptionTable::Parse(llvm::ArrayRef<const char*> command_line) {
  if (!cl::ParseCommandLineOptions(static_cast<int>(command_line.size()), command_line.data(), "",
                                   &Messages())) {
    return false;
  }
  if (unknown_.empty()) return true;
  const llvm::StringRef option = llvm::StringRef(unknown_.front()).split('=').first;
  std::vector<std::string> spellings;
  for (const OptionHelp& known : options_) spellings.push_back(known.Spelling());
  // Long options may have one dash.
  const std::string spelling = "--" + option.ltrim('-').str();
  const std::vector<llvm::StringRef> candidates(spellings.begin(), spellings.end());
  const std::string suggestion = support::DidYouMean(spelling, candidates);
  ReportError(parser_.getName().str() + " has no option '" + support::Quotable(option) + "'" +
              (suggestion.empty() ? "; see 'hlo-indexing " + parser_.getName().str() + " --help'"
                                  : suggestion));
  return false;
}

FlagOption::FlagOption(OptionTable& table, llvm::StringRef name, llvm::StringRef help)
    : option_(name, cl::sub(table.parser())) {
  table.Add({.name = name, .help = help});
}

TextOption::TextOption(OptionTable& table, llvm::StringRef name, ValueHelp value,
                       llvm::StringRef help, llvm::StringRef default_value)
    : option_(name, cl::init(default_value.str()), cl::sub(table.parser())) {
  table.Add({.name = name,
             .help = help,
             .value = value.name,
             .kind = value.kind,
             .default_value = default_value.str()});
}

TextListOption::TextListOption(OptionTable& table, llvm::StringRef name, ValueHelp value,
                               llvm::StringRef help)
    : option_(name, cl::sub(table.parser())) {
  table.Add(
      {.name = name, .help = help, .value = value.name, .kind = value.kind, .is_repeatable = true});
}

bool ReportTooSmall(llvm::StringRef option, const std::string& least, const std::string& value) {
  ReportError("--" + option.str() + " must be at least " + least + ", not '" + value + "'");
  return false;
}

bool AlternativeParser::parse(cl::Option& option, llvm::StringRef name, llvm::StringRef text,
                              AlternativeIndex& value) {
  std::vector<llvm::StringRef> names;
  for (unsigned i = 0; i < getNumOptions(); ++i) names.push_back(getOption(i));
  if (llvm::is_contained(names, text)) return parser::parse(option, name, text, value);
  return option.error("expected " + llvm::join(names, ", ") + ", not '" + support::Quotable(text) +
                          "'" + support::DidYouMean(text, names),
                      Messages());
}

}  // namespace hlo_indexing::tools
