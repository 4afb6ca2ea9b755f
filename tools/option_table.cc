#include "tools/option_table.h"

#include <algorithm>
#include <deque>

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
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

namespace {

bool IsNumber(llvm::StringRef text, const std::pair<std::string, std::string>& limits) {
  llvm::APInt number;
  llvm::StringRef digits = text;
  const bool is_negative = digits.consume_front("-");
  // LLVM reads no sign where there are no negative numbers.
  if (is_negative && limits.first == "0") return false;
  // LLVM reads numbers with a prefix of other bases.
  if (digits.empty() || !llvm::isDigit(digits.front()) || digits.getAsInteger(0, number)) {
    return false;
  }
  constexpr unsigned kWide = 128;
  const auto wide = [](llvm::StringRef decimal) {
    return llvm::APInt(kWide, decimal, /*radix=*/10);
  };
  if (number.getActiveBits() > kWide / 2) return false;
  const llvm::APInt magnitude = number.zextOrTrunc(kWide);
  const llvm::APInt value = is_negative ? -magnitude : magnitude;
  return value.sge(wide(limits.first)) && value.sle(wide(limits.second));
}

void ReportMissingValue(const OptionHelp& option) {
  ReportError(option.Spelling() + " needs a value: " + option.Spelling() +
              (option.name.size() == 1 ? " " : "=") + "<" + option.value.str() + ">");
}

// Whether the value suits the option, after a message if not.
bool IsValueOf(const OptionHelp& option, llvm::StringRef value) {
  if (value.empty()) {
    if (option.may_be_empty) return true;
    ReportMissingValue(option);
    return false;
  }
  const bool is_number = !option.limits.first.empty();
  if (!is_number) return true;
  // LLVM reads a number with a zero in front in base 8.
  const llvm::StringRef digits = value.ltrim('-');
  if (digits.size() > 1 && digits.front() == '0' && llvm::all_of(digits, llvm::isDigit)) {
    ReportError(option.Spelling() + " must be written without zeros in front, not '" +
                support::Quotable(value) + "'");
    return false;
  }
  if (IsNumber(value, option.limits)) return true;
  ReportError(option.Spelling() + " must be a whole number from " + option.limits.first + " to " +
              option.limits.second + ", not '" + support::Quotable(value) + "'");
  return false;
}

}  // namespace

void OptionTable::ReportUnknown(llvm::StringRef argument) const {
  const llvm::StringRef option = argument.split('=').first;
  std::vector<std::string> spellings;
  for (const OptionHelp& known : options_) spellings.push_back(known.Spelling());
  // Long options may have one dash.
  const std::string spelling = "--" + option.ltrim('-').str();
  const std::vector<llvm::StringRef> candidates(spellings.begin(), spellings.end());
  const std::string suggestion = support::DidYouMean(spelling, candidates);
  ReportError(parser_.getName().str() + " has no option '" + support::Quotable(option) + "'" +
              (suggestion.empty() ? "; see 'hlo-indexing " + parser_.getName().str() + " --help'"
                                  : suggestion));
}

bool OptionTable::HaveValues(llvm::ArrayRef<const char*> arguments) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const llvm::StringRef argument = arguments[i];
    if (argument == "--") return true;
    if (!argument.starts_with("-") || argument == "-") continue;
    const auto [name, value] = argument.ltrim('-').split('=');
    const bool has_value = argument.contains('=');
    const auto option = llvm::find_if(
        options_, [name = name](const OptionHelp& known) { return known.name == name; });
    if (option == options_.end()) {
      // LLVM takes what begins with the name of an option of one letter for several of these.
      if (!name.starts_with("o")) continue;
      if (argument.starts_with("--")) {
        ReportUnknown(argument);
        return false;
      }
      ReportError("-o and its file are two words: -o " + support::Quotable(argument.drop_front(2)));
      return false;
    }
    if (option->value.empty()) {
      if (!has_value || llvm::is_contained({"true", "false", "1", "0"}, value)) continue;
      ReportError(option->Spelling() + " is on without a value, or =true or =false, not '" +
                  support::Quotable(value) + "'");
      return false;
    }
    if (!has_value && i + 1 == arguments.size()) {
      ReportMissingValue(*option);
      return false;
    }
    if (!IsValueOf(*option, has_value ? value : llvm::StringRef(arguments[++i]))) return false;
  }
  return true;
}

bool OptionTable::Parse(llvm::ArrayRef<const char*> command_line) {
  constexpr size_t kProgramAndSubcommand = 2;
  if (!HaveValues(command_line.drop_front(std::min(kProgramAndSubcommand, command_line.size())))) {
    return false;
  }
  // LLVM takes @FILE for a file of arguments.
  std::deque<std::string> files;
  std::vector<const char*> arguments;
  for (const char* const argument : command_line) {
    const bool is_expanded = argument[0] == '@' && llvm::sys::fs::exists(argument + 1);
    arguments.push_back(is_expanded ? files.emplace_back("./" + std::string(argument)).c_str()
                                    : argument);
  }
  if (!cl::ParseCommandLineOptions(static_cast<int>(arguments.size()), arguments.data(), "",
                                   &Messages())) {
    return false;
  }
  if (unknown_.empty()) return true;
  ReportUnknown(unknown_.front());
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
             .may_be_empty = value.may_be_empty,
             .default_value = default_value.str()});
}

TextListOption::TextListOption(OptionTable& table, llvm::StringRef name, ValueHelp value,
                               llvm::StringRef help)
    : option_(name, cl::sub(table.parser())) {
  table.Add({.name = name,
             .help = help,
             .value = value.name,
             .kind = value.kind,
             .may_be_empty = value.may_be_empty,
             .is_repeatable = true});
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
  ReportError("--" + option.ArgStr.str() + " must be one of " + llvm::join(names, ", ") +
              ", not '" + support::Quotable(text) + "'" + support::DidYouMean(text, names));
  return true;
}

}  // namespace hlo_indexing::tools
