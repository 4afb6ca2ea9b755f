#include "tools/output_file.h"

#include <csignal>
#include <utility>

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "tools/report.h"

namespace hlo_indexing::tools {

namespace fs = llvm::sys::fs;

namespace {

bool ReportUnwritable(llvm::StringRef name, const std::error_code& error) {
  ReportError("cannot write to '" + name.str() + "': " + error.message());
  return false;
}

// Holds back all signals while it lives.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

// Between making a file and saying that a signal must remove it, no signal comes.
llvm::Expected<fs::TempFile> CreateTemporary(const llvm::Twine& model) {
  const SignalsHeld held;
  return fs::TempFile::create(model);
}

}  // namespace

OutputFile::~OutputFile() {
  if (temporary_) llvm::consumeError(temporary_->discard());
}

bool OutputFile::Open() {
  // /dev/stdout may lead to a regular file, which the shell has open already.
  const bool is_direct = name_ == "-" || llvm::StringRef(name_).starts_with("/dev/") ||
                         (fs::exists(name_) && !fs::is_regular_file(name_)) ||
                         // A link to what there is not yet: written where it leads.
                         (fs::is_symlink_file(name_) && !fs::exists(name_));
  const std::error_code error = is_direct ? OpenDirectly() : OpenTemporary();
  if (error) return ReportFailure(error);
  constexpr size_t kBufferSize = size_t{1} << 18;
  stream_->SetBufferSize(kBufferSize);
  return true;
}

std::error_code OutputFile::OpenDirectly() {
  std::error_code error;
  stream_.emplace(name_, error);
  return error;
}

std::error_code OutputFile::OpenTemporary() {
  fs::file_status status;
  const std::error_code unknown = fs::status(name_, status);
  // A name that is too long, for one.
  if (unknown && unknown != std::errc::no_such_file_or_directory) return unknown;
  const bool exists = fs::exists(status);
  llvm::SmallString<128> target(name_);
  if (exists) {
    if (const std::error_code error = fs::real_path(name_, target)) return error;
    // Renaming needs no permission to write to the file that is replaced.
    if (!fs::can_write(target)) return std::make_error_code(std::errc::permission_denied);
  }
  // Beside it, with a name of its own, as that of the file may be as long as names can be.
  llvm::SmallString<128> model = llvm::sys::path::parent_path(target);
  llvm::sys::path::append(model, "hlo-indexing-%%%%%%%%.tmp");
  llvm::Expected<fs::TempFile> temporary = CreateTemporary(model);
  if (!temporary) return llvm::errorToErrorCode(temporary.takeError());
  temporary_.emplace(std::move(*temporary));
  target_ = target.str();
  if (exists) {
    const llvm::ErrorOr<fs::perms> permissions = fs::getPermissions(target);
    if (!permissions) return permissions.getError();
    if (const std::error_code error = fs::setPermissions(temporary_->FD, *permissions)) {
      return error;
    }
  }
  stream_.emplace(temporary_->FD, /*shouldClose=*/false);
  return {};
}

// Whether nothing follows what says which file and module it is of.
bool OutputFile::HasTitlesOnly(llvm::StringRef path) {
  const auto written = llvm::MemoryBuffer::getFile(path);
  if (!written) return false;
  for (llvm::StringRef line : llvm::split((*written)->getBuffer(), '\n')) {
    const bool is_title =
        line.empty() || line.starts_with("// ") || line.starts_with(R"({"kind":"header")");
    if (!is_title) return false;
  }
  return true;
}

ExitCode OutputFile::Close(ExitCode status) {
  stream_->flush();
  if (stream_->has_error()) {
    ReportFailure(stream_->error());
    stream_->clear_error();
    return Worst(status, ExitCode::kBadInput);
  }
  if (!temporary_ || status == ExitCode::kBadUsage) return status;
  // Ctrl-C came before there was anything.
  if (status == ExitCode::kInterrupted && HasTitlesOnly(temporary_->TmpName)) return status;
  if (status == ExitCode::kBadInput) {
    ReportWarning("'" + name_ + "' is not written, because of the errors above");
    return status;
  }
  const std::error_code error = llvm::errorToErrorCode(temporary_->keep(target_));
  temporary_.reset();
  if (!error) return status;
  ReportFailure(error);
  return Worst(status, ExitCode::kBadInput);
}

bool OutputFile::ReportFailure(const std::error_code& error) {
  return ReportUnwritable(name_, error);
}

bool MakeOutputFolder(const std::string& folder) {
  if (folder.empty()) return true;
  std::error_code error = fs::create_directories(folder);
  // What is there may be a file.
  if (!error && !fs::is_directory(folder)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  return !error || ReportUnwritable(folder, error);
}

bool WriteOutputFile(llvm::StringRef path, llvm::StringRef contents) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error) return ReportUnwritable(path, error);
  file << contents;
  file.close();
  const std::error_code written = file.error();
  file.clear_error();
  return !written || ReportUnwritable(path, written);
}

}  // namespace hlo_indexing::tools
