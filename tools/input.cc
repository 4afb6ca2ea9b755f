#include "tools/input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

#include "hlo/parser/layout_mismatches.h"
#include "hlo/parser/parser.h"
#include "hlo/parser/unknown_attributes.h"
#include "hlo/shape_inference/verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "support/diagnostics.h"
#include "tools/compression.h"
#include "tools/environment.h"
#include "tools/report.h"
#include "tools/text_encoding.h"

namespace hlo_indexing::tools {
namespace {

void ReportUnreadable(const std::string& file, const std::string& reason) {
  ReportError("cannot read '" + support::Quotable(file, 200) + "': " + reason);
}

// Appends the bytes of a file, or of standard input for `-`; what is wrong, or nothing.
std::string ReadFile(std::FILE* stream, uint64_t max_bytes, std::string& text) {
  constexpr size_t kChunk = size_t{1} << 20;
  for (;;) {
    const size_t size = text.size();
    text.resize(size + kChunk);
    errno = 0;
    const size_t count = std::fread(text.data() + size, 1, kChunk, stream);
    text.resize(size + count);
    if (text.size() > max_bytes) return "";
    if (std::ferror(stream) != 0) return std::strerror(errno);
    if (count < kChunk) return "";
  }
}

// Whether the environment wants the work to go on. Empty for a process: Ctrl-C ends it at once, as
// long as nothing is answered.
std::function<bool()> KeepRunning() {
  const Environment* const environment = CurrentEnvironment();
  if (environment == nullptr || !environment->stop) return nullptr;
  return [environment] { return !environment->stop(); };
}

}  // namespace

std::optional<std::string> ReadInput(const std::string& file, uint64_t max_bytes) {
  std::string text;
  std::string error;
  if (const auto given = GivenText(file)) {
    text = *given;
  } else {
    std::FILE* const stream = file == "-" ? stdin : std::fopen(file.c_str(), "rb");
    if (stream == nullptr) {
      ReportError("cannot open '" + support::Quotable(file, 200) + "': " + std::strerror(errno));
      return std::nullopt;
    }
    error = ReadFile(stream, max_bytes, text);
    if (stream != stdin) std::fclose(stream);
  }
  if (error.empty() && text.size() > max_bytes) {
    error = "larger than the limit of " + std::to_string(max_bytes) + " bytes (--max-input-bytes)";
  }
  if (error.empty() && IsCompressed(text)) {
    std::string decompressed;
    error = std::string(Decompress(text, max_bytes, decompressed, KeepRunning()).message());
    text = std::move(decompressed);
    if (error.empty() && IsCompressed(text)) error = "it is compressed twice";
  }
  if (error.empty()) return text;
  ReportUnreadable(file, error);
  return std::nullopt;
}

std::optional<std::string> ReadText(const std::string& file, uint64_t max_bytes) {
  std::optional<std::string> bytes = ReadInput(file, max_bytes);
  if (!bytes) return std::nullopt;
  absl::StatusOr<std::string> text = ToUtf8(*std::move(bytes));
  if (text.ok()) return *std::move(text);
  ReportUnreadable(file, std::string(text.status().message()));
  return std::nullopt;
}

std::optional<InputLines> ReadLines(llvm::ArrayRef<std::string> arguments, uint64_t max_bytes) {
  InputLines result;
  const auto read_standard_input = [&] {
    // A second time there is nothing left to read.
    if (std::exchange(result.has_standard_input, true)) return true;
    std::optional<std::string> text = ReadText("-", max_bytes);
    if (!text) return false;
    result.standard_input = std::make_unique<const std::string>(std::move(*text));
    llvm::StringRef rest = *result.standard_input;
    for (int64_t number = 1; !rest.empty(); ++number) {
      llvm::StringRef line;
      std::tie(line, rest) = rest.split('\n');
      if (line.trim().empty() || line.trim().starts_with("//")) continue;
      result.lines.push_back({line.rtrim(), "<stdin>", number});
    }
    return true;
  };
  for (const std::string& argument : arguments) {
    if (argument != "-") {
      result.lines.push_back({argument, "<argument>", 1});
    } else if (!read_standard_input()) {
      return std::nullopt;
    }
  }
  if (arguments.empty() && !read_standard_input()) return std::nullopt;
  return result;
}

bool LoadCustomCalls(const std::string& file, uint64_t max_bytes, mlir::MLIRContext* context,
                     indexing_analysis::CustomCallRegistry& registry) {
  if (file.empty()) return true;
  const std::optional<std::string> text = ReadText(file, max_bytes);
  if (!text) return false;
  const absl::Status status = registry.AddJson(*text, file, context);
  if (status.ok()) return true;
  Messages() << llvm::StringRef(status.message().data(), status.message().size()).rtrim() << '\n';
  return false;
}

std::vector<std::unique_ptr<hlo::Module>> LoadModules(const std::string& file,
                                                      const InputLimits& limits, ExitCode& status) {
  std::vector<std::unique_ptr<hlo::Module>> modules;
  std::optional<std::string> text = ReadText(file, limits.bytes);
  std::optional<std::string> other_format;
  if (text) other_format = OtherFormat(file, *text);
  if (other_format) ReportUnreadable(file, *other_format);
  if (!text || other_format) {
    status = Worst(status, ExitCode::kBadInput);
    return modules;
  }
  hlo::ParseOptions options;
  options.file_name = file == "-" ? "<stdin>" : file;
  options.max_errors = limits.errors;
  options.keep_running = KeepRunning();
  if (const Environment* environment = CurrentEnvironment(); environment != nullptr) {
    options.progress = environment->parsing_progress;
  }
  std::vector<support::Diagnostic> diagnostics;
  modules = hlo::ParseModules(std::make_shared<const std::string>(std::move(*text)), options,
                              diagnostics);
  std::erase_if(modules, [&](const std::unique_ptr<hlo::Module>& module) {
    const size_t before = diagnostics.size();
    hlo::Verify(*module, limits.errors, diagnostics, options.keep_running);
    return diagnostics.size() != before;
  });
  if (!diagnostics.empty()) {
    Report(diagnostics);
    status = Worst(status, ExitCode::kBadInput);
  }
  for (const std::unique_ptr<hlo::Module>& module : modules) {
    ReportWarnings(hlo::UnknownAttributes(*module));
    ReportWarnings(hlo::LayoutMismatches(*module));
  }
  return modules;
}

}  // namespace hlo_indexing::tools
