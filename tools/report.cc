#include "tools/report.h"

#include <cstdlib>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

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

}  // namespace

void ReportError(const std::string& message) {
  llvm::WithColor::error(llvm::errs(), "hlo-indexing") << message << '\n';
}

void ReportWarning(const std::string& message) {
  llvm::WithColor::warning(llvm::errs(), "hlo-indexing") << message << '\n';
}

void Report(const std::vector<support::Diagnostic>& diagnostics) {
  for (const support::Diagnostic& diagnostic : diagnostics) {
    llvm::WithColor(llvm::errs(), llvm::raw_ostream::SAVEDCOLOR, /*Bold=*/true)
        << diagnostic.file << ':' << diagnostic.line << ':' << diagnostic.column << ": ";
    llvm::WithColor::error() << diagnostic.message << '\n';
    if (diagnostic.excerpt.empty()) continue;
    llvm::errs() << diagnostic.excerpt << '\n';
    llvm::WithColor(llvm::errs(), llvm::HighlightColor::Remark)
        << std::string(diagnostic.caret, ' ') << "^\n";
  }
}

void SetUpColors() { llvm::WithColor::setAutoDetectFunction(IsColoured); }

}  // namespace hlo_indexing::tools
