// Reading input files, and reporting what is wrong with them.
#ifndef HLO_INDEXING_TOOLS_INPUT_H_
#define HLO_INDEXING_TOOLS_INPUT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/custom_calls.h"
#include "support/diagnostics.h"
#include "tools/command.h"

namespace hlo_indexing::tools {

/// The contents of a file, or of standard input for `-`. Nothing, after a message on standard
/// error, where it cannot be read or is larger than the limit.
std::optional<std::string> ReadInput(const std::string& file, uint64_t max_bytes);

/// Prints `hlo-indexing: error: message` on standard error.
void ReportError(const std::string& message);
/// Prints diagnostics on standard error, coloured where that is a terminal.
void Report(const std::vector<support::Diagnostic>& diagnostics);

/// Adds the rules of a file to the registry; an empty name stands for no file. False, after
/// messages on standard error, where it cannot be read.
bool LoadCustomCalls(const std::string& file, const Limits& limits, mlir::MLIRContext* context,
                     indexing_analysis::CustomCallRegistry& registry);

/// The modules of one file, parsed and verified. Those in error are reported and left out; `status`
/// becomes kBadInput then.
std::vector<std::unique_ptr<hlo::Module>> LoadModules(const std::string& file, const Limits& limits,
                                                      ExitCode& status);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_INPUT_H_
