// Tables on terminals: lines that are too wide would be wrapped, and the table lost.
#ifndef HLO_INDEXING_TOOLS_TERMINAL_H_
#define HLO_INDEXING_TOOLS_TERMINAL_H_

#include <cstddef>
#include <optional>
#include <string>

#include "layout/picture/picture.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

/// The columns of the terminal that an output goes to, which the environment variable COLUMNS may
/// say; nullopt if it goes to a file or pipe. `output` is what -o names, "-" for standard output.
std::optional<size_t> TerminalColumns(llvm::StringRef output);

/// The text with longer lines cut to the columns; if there are any, a last line says how to see
/// them whole. Nullopt leaves all as it is.
/// Example: ("| 1 | 2 | 3 |\n", 10) -> "| 1 | 2...\n(cut to 10 columns; a file or pipe gets all)\n"
std::string CutLines(llvm::StringRef text, std::optional<size_t> columns);

/// A picture for an output: as text, cut to its columns.
std::string RenderFor(std::optional<size_t> columns, const layout::Picture& picture,
                      layout::PictureFormat format);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_TERMINAL_H_
