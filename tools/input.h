// Reading input: files, arguments and lines, modules.
#ifndef HLO_INDEXING_TOOLS_INPUT_H_
#define HLO_INDEXING_TOOLS_INPUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/rules/custom_calls.h"
#include "tools/exit_code.h"

namespace hlo_indexing::tools {

/// Limits that keep hostile input from exhausting time or memory.
struct InputLimits {
  uint64_t bytes = uint64_t{1} << 30;
  /// Of one file.
  uint64_t errors = 20;
};

/// The contents of a file, or of standard input for `-`, decompressed if it is gzip or zstd.
/// Nullopt, after a message on standard error, if it cannot be read or is larger than the limit.
std::optional<std::string> ReadInput(const std::string& file, uint64_t max_bytes);
/// The same of a text, as UTF-8 without a byte order mark.
std::optional<std::string> ReadText(const std::string& file, uint64_t max_bytes);

/// One of the texts that a subcommand works on.
struct InputLine {
  llvm::StringRef text;
  /// "<argument>" or "<stdin>".
  llvm::StringRef source;
  /// In the source, from 1.
  int64_t line = 1;
};

/// What ReadLines gives.
struct InputLines {
  std::vector<InputLine> lines;
  bool has_standard_input = false;
  /// Holds the lines of standard input.
  std::unique_ptr<const std::string> standard_input;
};

/// The arguments, with the lines of standard input in place of a `-`, or if there are no arguments.
/// Lines that are blank or begin with `//` are left out, blanks at the ends of the others cut off.
/// Nullopt, after a message on standard error, if standard input cannot be read.
/// Example: {"4:1", "-"}, standard input "8:1\n" -> "4:1" of "<argument>", "8:1" of "<stdin>"
std::optional<InputLines> ReadLines(llvm::ArrayRef<std::string> arguments, uint64_t max_bytes);

/// Adds the rules of a file to the registry; an empty name stands for no file. False, after
/// messages on standard error, if it cannot be read.
bool LoadCustomCalls(const std::string& file, uint64_t max_bytes, mlir::MLIRContext* context,
                     indexing_analysis::CustomCallRegistry& registry);

/// The modules of one file, parsed and verified. Those in error are reported and left out; `status`
/// becomes kBadInput then.
std::vector<std::unique_ptr<hlo::Module>> LoadModules(const std::string& file,
                                                      const InputLimits& limits, ExitCode& status);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_INPUT_H_
