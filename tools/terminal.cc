#include "tools/terminal.h"

#include <algorithm>
#include <tuple>

#include "llvm/Support/Process.h"
#include "tools/environment.h"

namespace hlo_indexing::tools {

std::optional<size_t> TerminalColumns(llvm::StringRef output) {
  // Whoever runs the subcommand takes the output.
  if (CurrentEnvironment() != nullptr) return std::nullopt;
  if (output != "-" || !llvm::sys::Process::StandardOutIsDisplayed()) return std::nullopt;
  // 0 if the terminal does not say.
  const unsigned columns = llvm::sys::Process::StandardOutColumns();
  if (columns == 0) return std::nullopt;
  return columns;
}

std::string CutLines(llvm::StringRef text, std::optional<size_t> columns) {
  if (!columns) return text.str();
  constexpr llvm::StringRef kMark = "...";
  const size_t width = std::max(*columns, kMark.size() + 1);
  std::string result;
  bool is_cut = false;
  while (!text.empty()) {
    const bool has_end = text.contains('\n');
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    if (line.size() > width) {
      is_cut = true;
      size_t end = width - kMark.size();
      // A character of several bytes stays whole.
      while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
      result += line.take_front(end);
      result += kMark;
    } else {
      result += line;
    }
    if (has_end) result += '\n';
  }
  if (is_cut) result += "(cut to " + std::to_string(width) + " columns; a file or pipe gets all)\n";
  return result;
}

std::string RenderFor(std::optional<size_t> columns, const layout::Picture& picture,
                      layout::PictureFormat format) {
  std::string text = Render(picture, format);
  return format == layout::PictureFormat::kText ? CutLines(text, columns) : text;
}

}  // namespace hlo_indexing::tools
