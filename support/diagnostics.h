// Diagnostics with a position in a text: `file:line:column: error: message`, the source line, a
// caret.
#ifndef HLO_INDEXING_SUPPORT_DIAGNOSTICS_H_
#define HLO_INDEXING_SUPPORT_DIAGNOSTICS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::support {

class LineIndex;

/// A text with the name that its diagnostics carry. Views both; the caller keeps them alive.
struct SourceText {
  llvm::StringRef name;
  llvm::StringRef text;
  /// Of the text, where many diagnostics may come; may be null.
  const LineIndex* lines = nullptr;
};

/// A position in a text: 1-based line and column (in bytes), and the line itself without its end.
struct SourcePosition {
  int64_t line = 1;
  int64_t column = 1;
  llvm::StringRef line_text;
};

/// The position of the byte at `offset` (the end of the text if it lies beyond).
/// Example: text "a\nbc", offset 3 -> line 2, column 2, "bc"
SourcePosition Locate(llvm::StringRef text, size_t offset);

/// What is wrong with a text and at which byte, before it is known in which file.
struct TextError {
  size_t offset = 0;
  std::string message;
};

/// One finding about a text.
struct Diagnostic {
  std::string message;
  std::string file;
  int64_t line = 1;
  int64_t column = 1;
  /// The source line, cut to a window around the column and made printable.
  std::string excerpt;
  /// The position of the caret below `excerpt`, 0-based, in cells of a terminal.
  size_t caret = 0;

  /// `file:line:column: error: message`, the excerpt and the caret, each on a line.
  std::string Render() const;
};

/// Builds the diagnostic for the byte at `offset` of `source`.
Diagnostic MakeDiagnostic(const SourceText& source, size_t offset, std::string message);

/// All diagnostics, one after the other, as an InvalidArgument status; OK if there are none.
absl::Status ToStatus(llvm::ArrayRef<Diagnostic> diagnostics);

/// The candidate nearest to `word`, if one is near enough to be a likely misspelling.
/// Example: ("transpos", {"reverse", "transpose"}) -> "transpose"
std::optional<llvm::StringRef> NearestSpelling(llvm::StringRef word,
                                               llvm::ArrayRef<llvm::StringRef> candidates);

/// `; did you mean 'NAME'?`, or an empty text if no candidate is near. Ends an error message.
std::string DidYouMean(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates);

/// The text cut to `limit` bytes with control and malformed bytes replaced, to quote in a message.
std::string Quotable(llvm::StringRef text, size_t limit = 60);

/// The text with a space for each tab and '?' for each byte that a terminal cannot show or would
/// obey: of control characters, of those that change the direction of text, and of all that is not
/// ASCII if the text is not UTF-8. As many bytes as before.
std::string ForTerminal(llvm::StringRef text);

}  // namespace hlo_indexing::support

#endif  // HLO_INDEXING_SUPPORT_DIAGNOSTICS_H_
