#include "tools/input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "hlo/parser.h"
#include "hlo/verifier.h"
#include "llvm/Support/WithColor.h"

namespace hlo_indexing::tools {

ExitCode Worst(ExitCode a, ExitCode b) {
  const auto rank = [](ExitCode code) {
    switch (code) {
      case ExitCode::kFine:
        return 0;
      case ExitCode::kFinding:
        return 1;
      case ExitCode::kNotSupported:
        return 2;
      case ExitCode::kBadInput:
        return 3;
      case ExitCode::kBadUsage:
        break;
    }
    return 4;
  };
  return rank(a) >= rank(b) ? a : b;
}

std::optional<std::string> ReadInput(const std::string& file, uint64_t max_bytes) {
  std::FILE* const stream = file == "-" ? stdin : std::fopen(file.c_str(), "rb");
  if (stream == nullptr) {
    ReportError("cannot open '" + support::Quotable(file, 200) + "': " + std::strerror(errno));
    return std::nullopt;
  }
  std::string text;
  std::string error;
  constexpr size_t kChunk = size_t{1} << 20;
  while (error.empty()) {
    const size_t size = text.size();
    text.resize(size + kChunk);
    errno = 0;
    const size_t count = std::fread(text.data() + size, 1, kChunk, stream);
    text.resize(size + count);
    if (text.size() > max_bytes) {
      error =
          "larger than the limit of " + std::to_string(max_bytes) + " bytes (--max-input-bytes)";
    } else if (std::ferror(stream) != 0) {
      error = std::strerror(errno);
    } else if (count < kChunk) {
      break;
    }
  }
  if (stream != stdin) std::fclose(stream);
  if (error.empty()) return text;
  ReportError("cannot read '" + support::Quotable(file, 200) + "': " + error);
  return std::nullopt;
}

void ReportError(const std::string& message) {
  llvm::WithColor::error(llvm::errs(), "hlo-indexing") << message << '\n';
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

bool LoadCustomCalls(const std::string& file, const Limits& limits, mlir::MLIRContext* context,
                     indexing_analysis::CustomCallRegistry& registry) {
  if (file.empty()) return true;
  const std::optional<std::string> text = ReadInput(file, limits.input_bytes);
  if (!text) return false;
  const absl::Status status = registry.AddJson(*text, file, context);
  if (status.ok()) return true;
  llvm::errs() << llvm::StringRef(status.message().data(), status.message().size()).rtrim() << '\n';
  return false;
}

std::vector<std::unique_ptr<hlo::Module>> LoadModules(const std::string& file, const Limits& limits,
                                                      ExitCode& status) {
  std::vector<std::unique_ptr<hlo::Module>> modules;
  std::optional<std::string> text = ReadInput(file, limits.input_bytes);
  if (!text) {
    status = Worst(status, ExitCode::kBadInput);
    return modules;
  }
  hlo::ParseOptions options;
  options.file_name = file == "-" ? "<stdin>" : file;
  options.max_errors = limits.errors;
  std::vector<support::Diagnostic> diagnostics;
  modules = hlo::ParseModules(std::make_shared<const std::string>(std::move(*text)), options,
                              diagnostics);
  std::erase_if(modules, [&](const std::unique_ptr<hlo::Module>& module) {
    const size_t before = diagnostics.size();
    hlo::Verify(*module, limits.errors, diagnostics);
    return diagnostics.size() != before;
  });
  if (!diagnostics.empty()) {
    Report(diagnostics);
    status = Worst(status, ExitCode::kBadInput);
  }
  return modules;
}

}  // namespace hlo_indexing::tools
