#include "tools/cubin.h"

#include <cstdlib>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::tools {
namespace {

absl::StatusOr<std::string> FindAssembler() {
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas")) return *found;
  if (const char* const home = std::getenv("CUDA_HOME")) {
    llvm::SmallString<128> folder(home);
    llvm::sys::path::append(folder, "bin");
    if (llvm::ErrorOr<std::string> found =
            llvm::sys::findProgramByName("ptxas", {llvm::StringRef(folder)})) {
      return *found;
    }
  }
  return absl::UnavailableError(
      "machine code needs NVIDIA's assembler, and there is no ptxas in PATH or $CUDA_HOME/bin");
}

// A file that is removed in the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(llvm::StringRef ending) {
    if (llvm::sys::fs::createTemporaryFile("hlo-indexing", ending, path_)) path_.clear();
    remover_.setFile(path_);
  }
  bool exists() const { return !path_.empty(); }
  llvm::StringRef path() const { return path_; }
  std::string Contents() const {
    const auto buffer = llvm::MemoryBuffer::getFile(path_);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

 private:
  llvm::SmallString<128> path_;
  llvm::FileRemover remover_;
};

// The number in front of some words, as ptxas -v writes it: "Used 16 registers".
int64_t NumberBefore(llvm::StringRef text, llvm::StringRef words) {
  const size_t end = text.find(words);
  if (end == llvm::StringRef::npos) return 0;
  const llvm::StringRef before = text.take_front(end).rtrim();
  int64_t number = 0;
  const llvm::StringRef digits =
      before.take_back(before.size() - before.find_last_not_of("0123456789") - 1);
  return digits.getAsInteger(10, number) ? 0 : number;
}

}  // namespace

absl::StatusOr<Cubin> AssemblePtx(llvm::StringRef ptx, llvm::StringRef architecture) {
  const absl::StatusOr<std::string> assembler = FindAssembler();
  if (!assembler.ok()) return assembler.status();
  const TemporaryFile input("ptx");
  const TemporaryFile output("cubin");
  const TemporaryFile words("txt");
  if (!input.exists() || !output.exists() || !words.exists()) {
    return absl::UnavailableError("no temporary file can be made");
  }
  {
    std::error_code error;
    llvm::raw_fd_ostream out(input.path(), error);
    out << ptx;
  }
  const std::string of_architecture = absl::StrCat("-arch=", architecture.str());
  const llvm::SmallVector<llvm::StringRef, 8> arguments = {
      *assembler, "-v", "-lineinfo", of_architecture, "-o", output.path(), input.path()};
  std::string error;
  const int status =
      llvm::sys::ExecuteAndWait(*assembler, arguments, std::nullopt,
                                {std::nullopt, words.path(), words.path()}, 0, 0, &error);
  const std::string said = words.Contents();
  if (status != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("ptxas refuses the kernel: ", error, llvm::StringRef(said).rtrim().str()));
  }
  Cubin cubin;
  cubin.code = output.Contents();
  cubin.registers = NumberBefore(said, " registers");
  cubin.spilled_bytes =
      NumberBefore(said, " bytes spill stores") + NumberBefore(said, " bytes spill loads");
  return cubin;
}

}  // namespace hlo_indexing::tools
