// Options that several subcommands have.
#ifndef HLO_INDEXING_TOOLS_SHARED_OPTIONS_H_
#define HLO_INDEXING_TOOLS_SHARED_OPTIONS_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "layout/picture/picture.h"
#include "tools/input.h"
#include "tools/option_table.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {

/// The arguments of subcommands that read modules.
inline constexpr ArgumentsHelp kModuleFiles = {
    .usage = "FILE...",
    .help =
        "HLO text, of one module or several, plain or compressed by gzip or zstd; a folder "
        "stands for all modules in it, '-' for standard input",
    .kind = ValueKind::kFile,
    .is_required = true};

enum class OutputFormat : uint8_t { kText, kJson };

/// --format
class FormatOption {
 public:
  explicit FormatOption(OptionTable& table);
  OutputFormat value() const { return format_.value(); }
  bool is_json() const { return value() == OutputFormat::kJson; }

 private:
  ChoiceOption<OutputFormat> format_;
};

/// --max-input-bytes
class InputSizeOption {
 public:
  explicit InputSizeOption(OptionTable& table);
  uint64_t value() const { return bytes_.value(); }

 private:
  NumberOption<uint64_t> bytes_;
};

/// --max-input-bytes and --max-errors
class InputLimitOptions {
 public:
  explicit InputLimitOptions(OptionTable& table);
  InputLimits value() const {
    const uint64_t errors = errors_.value();
    return {bytes_.value(), errors == 0 ? std::numeric_limits<uint64_t>::max() : errors};
  }

 private:
  InputSizeOption bytes_;
  NumberOption<uint64_t> errors_;
};

/// --custom-calls
class CustomCallsOption {
 public:
  explicit CustomCallsOption(OptionTable& table);
  /// A file of rules; empty for none.
  const std::string& value() const { return file_.value(); }

 private:
  TextOption file_;
};

/// --table, --svg and --tikz
class PictureOptions {
 public:
  explicit PictureOptions(OptionTable& table);
  /// False, after a message on standard error, if there is more than one.
  bool Check() const;
  /// The picture that is asked for; nullopt if none is.
  std::optional<layout::PictureFormat> value() const;
  /// Whether it fills the whole output.
  bool is_drawing() const { return svg_.value() || tikz_.value(); }

 private:
  FlagOption table_;
  FlagOption svg_;
  FlagOption tikz_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_SHARED_OPTIONS_H_
