#include "bench/corpus.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "hlo/parser/parser.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::bench {
namespace {

std::vector<HloFile> ReadAll(const std::string& folder) {
  std::vector<HloFile> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files.push_back({entry.path().filename().string(),
                     std::make_shared<const std::string>(std::istreambuf_iterator<char>(in),
                                                         std::istreambuf_iterator<char>())});
  }
  std::sort(files.begin(), files.end(),
            [](const HloFile& a, const HloFile& b) { return a.name < b.name; });
  return files;
}

}  // namespace

const std::vector<HloFile>& Corpus() {
  static const std::vector<HloFile>* const files = [] {
    const char* folder = std::getenv("HLO_CORPUS");
    return new std::vector<HloFile>(ReadAll(folder ? folder : HLO_INDEXING_EXAMPLES));
  }();
  return *files;
}

std::vector<std::unique_ptr<hlo::Module>> ParseOrExit(const HloFile& file) {
  std::vector<support::Diagnostic> diagnostics;
  auto modules = hlo::ParseModules(file.text, {}, diagnostics);
  if (diagnostics.empty()) return modules;
  for (const auto& diagnostic : diagnostics) llvm::errs() << diagnostic.Render();
  std::exit(1);
}

}  // namespace hlo_indexing::bench
