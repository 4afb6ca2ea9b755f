// Messages on standard error.
#ifndef HLO_INDEXING_TOOLS_REPORT_H_
#define HLO_INDEXING_TOOLS_REPORT_H_

#include <string>
#include <vector>

#include "support/diagnostics.h"

namespace hlo_indexing::tools {

/// Prints `hlo-indexing: error: message`.
void ReportError(const std::string& message);
/// Prints `hlo-indexing: warning: message`: something that is probably not as the user thinks.
void ReportWarning(const std::string& message);
/// Prints diagnostics, each with its place, the line and a caret.
void Report(const std::vector<support::Diagnostic>& diagnostics);
/// The same as warnings.
void ReportWarnings(const std::vector<support::Diagnostic>& diagnostics);

/// Makes messages coloured if standard error is a terminal, or as the environment says: NO_COLOR
/// (no-color.org), CLICOLOR and CLICOLOR_FORCE (bixense.com/clicolors).
void SetUpColors();

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_REPORT_H_
