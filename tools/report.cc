#include "tools/report.h"

#include <cstdlib>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/environment.h"

namespace hlo_indexing::tools {
namespace {

llvm::StringRef Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool IsColoured(const llvm::raw_ostream& out) {
  if (!Environment("NO_COLOR").empty()) return false;
  const llvm::StringRef force = Environment("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return Environment("CLICOLOR") != "0" && out.has_colors();
}

// `severity` starts a message with its kind, in that kind's colour.
template <typename Severity>
void ReportEach(const std::vector<support::Diagnostic>& diagnostics, Severity severity) {
  for (const support::Diagnostic& diagnostic : diagnostics) {
    llvm::WithColor(Messages(), llvm::raw_ostream::SAVEDCOLOR, /*Bold=*/true)
        << diagnostic.file << ':' << diagnostic.line << ':' << diagnostic.column << ": ";
    severity(Messages()) << diagnostic.message << '\n';
    if (diagnostic.excerpt.empty()) continue;
    Messages() << diagnostic.excerpt << '\n';
    llvm::WithColor(Messages(), llvm::HighlightColor::Remark)
        << std::string(diagnostic.caret, ' ') << "^\n";
  }
}

}  // namespace

void ReportError(const std::string& message) {
  llvm::WithColor::error(Messages(), "hlo-indexing") << message << '\n';
}

void ReportWarning(const std::string& message) {
  llvm::WithColor::warning(Messages(), "hlo-indexing") << message << '\n';
}

void Report(const std::vector<support::Diagnostic>& diagnostics) {
  ReportEach(diagnostics,
             [](llvm::raw_ostream& out) -> auto& { return llvm::WithColor::error(out); });
}

void ReportWarnings(const std::vector<support::Diagnostic>& diagnostics) {
  ReportEach(diagnostics,
             [](llvm::raw_ostream& out) -> auto& { return llvm::WithColor::warning(out); });
}

void SetUpColors() { llvm::WithColor::setAutoDetectFunction(IsColoured); }

}  // namespace hlo_indexing::tools
