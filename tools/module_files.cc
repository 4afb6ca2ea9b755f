#include "tools/module_files.h"

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "support/diagnostics.h"
#include "tools/compression.h"
#include "tools/environment.h"
#include "tools/report.h"
#include "tools/text_encoding.h"

namespace hlo_indexing::tools {
namespace {

namespace fs = llvm::sys::fs;

// The first bytes of a file, decompressed; empty if it cannot be read.
std::string BeginningOf(const std::string& file) {
  constexpr size_t kBytes = 1 << 16;
  std::string bytes(kBytes, '\0');
  std::FILE* const stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr) return "";
  bytes.resize(std::fread(bytes.data(), 1, kBytes, stream));
  std::fclose(stream);
  if (!IsCompressed(bytes)) return bytes;
  // An error only says that the file goes on.
  std::string text;
  Decompress(bytes, kBytes, text).IgnoreError();
  return text;
}

// Without blanks and comments before it.
llvm::StringRef SkipComments(llvm::StringRef text) {
  for (;;) {
    text = text.ltrim();
    if (text.starts_with("//")) {
      text = text.split('\n').second;
    } else if (text.starts_with("/*")) {
      text = text.split("*/").second;
    } else {
      return text;
    }
  }
}

bool BeginsWithModule(const std::string& file) {
  const absl::StatusOr<std::string> text = ToUtf8(BeginningOf(file));
  return text.ok() && SkipComments(*text).starts_with("HloModule");
}

bool IsModuleFile(const std::string& file) {
  llvm::StringRef name(file);
  if (!name.consume_back(".gz")) name.consume_back(".zst");
  return name.ends_with(".hlo") || (name.ends_with(".txt") && BeginsWithModule(file));
}

// Appends the files of modules below the folder.
void AddFolder(const std::string& folder, std::vector<std::string>& files, ExitCode& status) {
  std::vector<std::string> found;
  bool has_protos = false;
  std::error_code error;
  for (fs::recursive_directory_iterator file(folder, error, /*follow_symlinks=*/false), end;
       !error && file != end; file.increment(error)) {
    if (file->type() == fs::file_type::directory_file) continue;
    // A FIFO would be waited for.
    if (fs::exists(file->path()) && !fs::is_regular_file(file->path())) continue;
    if (IsModuleFile(file->path())) {
      found.push_back(file->path());
    } else {
      has_protos |= llvm::StringRef(file->path()).ends_with(".pb");
    }
  }
  const std::string name = support::Quotable(folder, 200);
  if (error) {
    ReportError("cannot read the folder '" + name + "': " + error.message());
    status = Worst(status, ExitCode::kBadInput);
  } else if (found.empty()) {
    ReportError("the folder '" + name + "' has no HLO text: no *.hlo, and no *.txt that begins " +
                "with HloModule" +
                (has_protos ? "; of binary protos (*.pb), XLA writes text with "
                              "XLA_FLAGS='--xla_dump_to=FOLDER --xla_dump_hlo_as_text'"
                            : ""));
    status = Worst(status, ExitCode::kBadInput);
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), std::make_move_iterator(found.begin()),
               std::make_move_iterator(found.end()));
}

}  // namespace

std::vector<std::string> ModuleFiles(llvm::ArrayRef<std::string> arguments, ExitCode& status) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    if (argument != "-" && GivenText(argument) == nullptr && fs::is_directory(argument)) {
      AddFolder(argument, files, status);
    } else {
      files.push_back(argument);
    }
  }
  return files;
}

}  // namespace hlo_indexing::tools
