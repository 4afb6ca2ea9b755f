// The page that `hlo-indexing report` writes: one HTML file with its data, compressed.
#ifndef HLO_INDEXING_TOOLS_REPORT_PAGE_H_
#define HLO_INDEXING_TOOLS_REPORT_PAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::tools {

/// The page without data, as the sources in report/ make it.
llvm::StringRef ReportPageText();

class ReportPage {
 public:
  /// Adds JSON that the page reads when it is asked for: the chunk of that number.
  void AddChunk(llvm::StringRef json);
  int64_t num_chunks() const { return static_cast<int64_t>(chunks_.size()); }
  /// Writes the page; `summary` is the JSON that it reads at first.
  void Write(llvm::StringRef summary, llvm::raw_ostream& out) const;

 private:
  // As in the page.
  std::vector<std::string> chunks_;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_REPORT_PAGE_H_
