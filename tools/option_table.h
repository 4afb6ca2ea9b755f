// The options of a subcommand: one declaration of each, from which the command line is parsed and
// help, completion and the manual page are written.
//
// Example: a subcommand with two options. Its table is known to LLVM's parser by its name, and each
// option enters itself.
//
//   OptionTable table("print");
//   FlagOption no_metadata{table, "no-metadata", "Without metadata and source locations"};
//   NumberOption<uint64_t> max_errors{table, "max-errors", "Stop after so many errors in a file",
//   20}; table.Parse({"hlo-indexing", "print", "--no-metadata"}); no_metadata.value();  // -> true
//   max_errors.value();   // -> 20
#ifndef HLO_INDEXING_TOOLS_OPTION_TABLE_H_
#define HLO_INDEXING_TOOLS_OPTION_TABLE_H_

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"

namespace hlo_indexing::tools {

/// What completion offers for a value.
enum class ValueKind : uint8_t { kOther, kFile, kFolder };

/// A value that an option can have.
struct ChoiceHelp {
  llvm::StringRef name;
  llvm::StringRef help;
};

/// What the user is told of an option.
// GCC takes members without initializers for forgotten by designated ones.
// NOLINTBEGIN(readability-redundant-member-init)
struct OptionHelp {
  /// Without dashes. Example: "format", "o"
  llvm::StringRef name;
  llvm::StringRef help;
  /// What stands for the value; empty for a flag. Example: "file"
  llvm::StringRef value = {};
  ValueKind kind = ValueKind::kOther;
  /// Whether nothing is a value, as of a list.
  bool may_be_empty = false;
  /// Empty if there is none.
  std::string default_value = {};
  /// Of whole numbers, the least and the most; empty for other values.
  std::pair<std::string, std::string> limits = {};
  /// Empty unless the value is one of these.
  std::vector<ChoiceHelp> choices = {};
  bool is_repeatable = false;

  /// As it is written, of one letter with one dash. Example: "--format", "-o"
  std::string Spelling() const;
};
// NOLINTEND(readability-redundant-member-init)

/// The options and arguments of one subcommand. All texts are literals.
class OptionTable {
 public:
  explicit OptionTable(llvm::StringRef subcommand);

  /// In the order of their declaration; -o and --help, which every subcommand has, stand last.
  llvm::ArrayRef<OptionHelp> options() const { return options_; }
  void Add(OptionHelp option);

  /// Sets the options from a command line: the program, the subcommand, and the rest. False, after
  /// a message on standard error, if it does not fit.
  bool Parse(llvm::ArrayRef<const char*> command_line);
  /// What Parse found besides options.
  llvm::ArrayRef<std::string> arguments() const { return arguments_; }
  /// Where the output goes; "-" is standard output.
  const std::string& output() const { return output_; }

  /// For the options themselves.
  llvm::cl::SubCommand& parser() { return parser_; }
  /// LLVM's parser knows the options no longer, which keep their values: what comes next may have
  /// options of the same subcommand.
  void Leave() { parser_.unregisterSubCommand(); }

 private:
  // Whether the known options have the values that they need, after a message if not: what LLVM's
  // parser would say in words of its own.
  bool HaveValues(llvm::ArrayRef<const char*> arguments) const;
  void ReportUnknown(llvm::StringRef argument) const;

  struct Parser : llvm::cl::SubCommand {
    using llvm::cl::SubCommand::SubCommand;
    using llvm::cl::SubCommand::unregisterSubCommand;
  };
  Parser parser_;
  std::vector<OptionHelp> options_;
  llvm::cl::list<std::string> arguments_;
  // What begins with a dash and is no option.
  llvm::cl::list<std::string> unknown_;
  llvm::cl::opt<std::string> output_;
};

/// An option that is there or not.
class FlagOption {
 public:
  FlagOption(OptionTable& table, llvm::StringRef name, llvm::StringRef help);
  bool value() const { return option_; }

 private:
  llvm::cl::opt<bool> option_;
};

/// How an option's value is called, for those that have one.
struct ValueHelp {
  llvm::StringRef name;
  ValueKind kind = ValueKind::kOther;
  bool may_be_empty = false;
};

/// An option whose value is any text, which is not empty unless that means something.
class TextOption {
 public:
  TextOption(OptionTable& table, llvm::StringRef name, ValueHelp value, llvm::StringRef help,
             llvm::StringRef default_value = "");
  const std::string& value() const { return option_; }
  bool is_given() const { return option_.getNumOccurrences() > 0; }

 private:
  llvm::cl::opt<std::string> option_;
};

/// An option that may be given more than once.
class TextListOption {
 public:
  TextListOption(OptionTable& table, llvm::StringRef name, ValueHelp value, llvm::StringRef help);
  llvm::ArrayRef<std::string> values() const { return option_; }

 private:
  llvm::cl::list<std::string> option_;
};

/// False, after a message on standard error that an option's value is less than it may be.
bool ReportTooSmall(llvm::StringRef option, const std::string& least, const std::string& value);

/// An option whose value is a whole number.
template <std::integral T>
class NumberOption {
 public:
  /// The default is shown unless `default_text` says it better.
  NumberOption(OptionTable& table, llvm::StringRef name, llvm::StringRef help, T default_value,
               llvm::StringRef default_text = "")
      : option_(name, llvm::cl::init(default_value), llvm::cl::sub(table.parser())) {
    using Limits = std::numeric_limits<T>;
    table.Add(
        {.name = name,
         .help = help,
         .value = "n",
         .default_value = default_text.empty() ? std::to_string(default_value) : default_text.str(),
         .limits = {std::to_string(Limits::min()), std::to_string(Limits::max())}});
  }
  T value() const { return option_; }
  bool is_given() const { return option_.getNumOccurrences() > 0; }
  /// False, after a message on standard error, if the value that is given is less.
  bool IsAtLeast(T least) const {
    return !is_given() || value() >= least ||
           ReportTooSmall(option_.ArgStr, std::to_string(least), std::to_string(value()));
  }

 private:
  llvm::cl::opt<T> option_;
};

/// Which of its alternatives an option has, from 0.
enum class AlternativeIndex : size_t {};

/// Reads the name of one of the alternatives: LLVM's parser of names, with a message that lists
/// them.
class AlternativeParser : public llvm::cl::parser<AlternativeIndex> {
 public:
  using parser::parser;
  // Hides that of the base on purpose: LLVM calls it by the type of the parser.
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method)
  bool parse(llvm::cl::Option& option, llvm::StringRef name, llvm::StringRef text,
             AlternativeIndex& value);
};

/// An option whose value is one of a few, each with its name.
template <typename T>
class ChoiceOption {
 public:
  struct Alternative {
    T value;
    llvm::StringRef name;
    llvm::StringRef help;
  };

  /// The first alternative is the default.
  ChoiceOption(OptionTable& table, llvm::StringRef name, llvm::StringRef value_name,
               llvm::StringRef help, std::vector<Alternative> alternatives)
      : alternatives_(std::move(alternatives)),
        option_(name, llvm::cl::init(AlternativeIndex{0}), llvm::cl::sub(table.parser())) {
    OptionHelp option{.name = name, .help = help, .value = value_name};
    option.default_value = alternatives_.front().name.str();
    for (size_t i = 0; i < alternatives_.size(); ++i) {
      const Alternative& alternative = alternatives_[i];
      option_.getParser().addLiteralOption(alternative.name, AlternativeIndex{i}, alternative.help);
      option.choices.push_back({alternative.name, alternative.help});
    }
    table.Add(std::move(option));
  }
  const T& value() const { return alternatives_[static_cast<size_t>(option_.getValue())].value; }

 private:
  std::vector<Alternative> alternatives_;
  llvm::cl::opt<AlternativeIndex, false, AlternativeParser> option_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_OPTION_TABLE_H_
