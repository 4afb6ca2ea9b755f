#include "tools/report_page.h"

#include <cstddef>
#include <string>
#include <utility>

#include "llvm/Support/Base64.h"
#include "tools/compression.h"

namespace hlo_indexing::tools {
namespace {

// Where the page expects its data.
constexpr llvm::StringRef kPlaceOfData = "<!--DATA-->";

void WriteData(const std::string& id, llvm::StringRef base64, llvm::raw_ostream& out) {
  out << "<script type=\"text/plain\" id=\"" << id << "\">" << base64 << "</script>\n";
}

std::string Packed(llvm::StringRef json) { return llvm::encodeBase64(Deflate(json)); }

}  // namespace

void ReportPage::AddChunk(llvm::StringRef json) { chunks_.push_back(Packed(json)); }

void ReportPage::Write(llvm::StringRef summary, llvm::raw_ostream& out) const {
  const auto [head, rest] = ReportPageText().split(kPlaceOfData);
  out << head;
  WriteData("summary", Packed(summary), out);
  for (size_t i = 0; i < chunks_.size(); ++i) {
    WriteData("chunk-" + std::to_string(i), chunks_[i], out);
  }
  out << rest;
}

}  // namespace hlo_indexing::tools
