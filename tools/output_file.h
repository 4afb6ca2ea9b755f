// Where the output of a run goes.
#ifndef HLO_INDEXING_TOOLS_OUTPUT_FILE_H_
#define HLO_INDEXING_TOOLS_OUTPUT_FILE_H_

#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/exit_code.h"

namespace hlo_indexing::tools {

/// Standard output, or a file. A file's new contents go to a temporary one beside it, which takes
/// its place when the run has succeeded: the file may be the input, and survives a run that fails.
/// Devices and pipes are written to directly.
class OutputFile {
 public:
  /// "-" is standard output.
  explicit OutputFile(std::string name) : name_(std::move(name)) {}
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Must come first; false, after a message on standard error, if the file cannot be written.
  bool Open();
  llvm::raw_ostream& stream() { return *stream_; }
  /// Ends the run whose status that is; the status with that of writing, after a message on
  /// standard error if not all could be written.
  ExitCode Close(ExitCode status);

 private:
  std::error_code OpenDirectly();
  std::error_code OpenTemporary();
  static bool HasTitlesOnly(llvm::StringRef path);
  bool ReportFailure(const std::error_code& error);

  std::string name_;
  // The file's name, symbolic links followed, if it is to be replaced.
  std::string target_;
  std::optional<llvm::sys::fs::TempFile> temporary_;
  std::optional<llvm::raw_fd_ostream> stream_;
};

/// Makes a folder that files will be written to, with those above it; false, after a message on
/// standard error, if that cannot be. An empty name stands for none.
bool MakeOutputFolder(const std::string& folder);

/// Writes a file of such a folder; false, after a message on standard error, if not all of it could
/// be written.
bool WriteOutputFile(llvm::StringRef path, llvm::StringRef contents);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_OUTPUT_FILE_H_
