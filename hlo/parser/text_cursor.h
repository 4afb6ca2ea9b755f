// A position in HLO text, and the small steps that the parser is made of.
#ifndef HLO_INDEXING_HLO_PARSER_TEXT_CURSOR_H_
#define HLO_INDEXING_HLO_PARSER_TEXT_CURSOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::hlo {

/// A position in a text. Every step skips blanks and comments (`// ...` and `/* ... */`) first.
class TextCursor {
 public:
  TextCursor(llvm::StringRef text, size_t begin, size_t end)
      : text_begin_(text.begin()), next_(text.begin() + begin), end_(text.begin() + end) {}

  /// The offset of the next token.
  size_t Offset() {
    SkipBlanks();
    return static_cast<size_t>(next_ - text_begin_);
  }
  void SetOffset(size_t offset) { next_ = text_begin_ + offset; }

  bool AtEnd() {
    SkipBlanks();
    return next_ == end_;
  }

  /// The next character that is neither blank nor comment; 0 at the end.
  char Peek() {
    SkipBlanks();
    return next_ == end_ ? '\0' : *next_;
  }

  /// The character behind Peek(), whatever it is.
  char PeekSecond() {
    SkipBlanks();
    return end_ - next_ < 2 ? '\0' : next_[1];
  }

  bool ConsumeIf(char c) {
    if (Peek() != c || next_ == end_) return false;
    ++next_;
    return true;
  }

  /// Consumes `token` if the text goes on with it exactly.
  bool ConsumeIf(llvm::StringRef token) {
    SkipBlanks();
    if (!Rest().starts_with(token)) return false;
    next_ += token.size();
    return true;
  }

  /// A word of letters, digits, `_`, `.` and `-` (not the one of `->`); empty if there is none.
  llvm::StringRef ConsumeWord() {
    SkipBlanks();
    const char* start = next_;
    while (next_ != end_ && IsWordCharacter(*next_)) {
      if (*next_ == '-' && end_ - next_ > 1 && next_[1] == '>') break;
      ++next_;
    }
    return {start, static_cast<size_t>(next_ - start)};
  }

  /// The word that ConsumeWord would consume.
  llvm::StringRef PeekWord() {
    SkipBlanks();
    const char* start = next_;
    const llvm::StringRef word = ConsumeWord();
    next_ = start;
    return word;
  }

  /// A name: a word with an optional `%` before it, which is dropped.
  llvm::StringRef ConsumeName() {
    ConsumeIf('%');
    return ConsumeWord();
  }

  /// Decimal digits with an optional minus; nullopt if there are none or they do not fit.
  std::optional<int64_t> ConsumeInteger();

  /// A string in double or single quotes, given without them; escapes stay. Nullopt if it does not
  /// end.
  std::optional<llvm::StringRef> ConsumeString();

  /// A value that nobody looks into: everything up to a comma, a closing bracket, a blank or the
  /// end of a line that is not inside brackets or a string; brackets may follow a blank. Nullopt if
  /// brackets or strings do not close.
  /// Example: "mesh['x'=2] {'x'} ENTRY" -> "mesh['x'=2] {'x'}"
  std::optional<llvm::StringRef> ConsumeBalanced();

  /// Braces and what is between them, where only braces and strings in double quotes mean
  /// something. Nullopt if they do not close.
  /// Example: "{it's: {}} x" -> "{it's: {}}"
  std::optional<llvm::StringRef> ConsumeBraces();

  /// Whether nothing but blanks stands before the next token on its line.
  bool IsFirstOfLine() {
    const char* before = text_begin_ + Offset();
    while (before != text_begin_ && (before[-1] == ' ' || before[-1] == '\t')) --before;
    return before == text_begin_ || before[-1] == '\n' || before[-1] == '\r';
  }

  /// Moves to the start of the next line.
  void SkipLine() {
    while (next_ != end_ && *next_ != '\n' && *next_ != '\r') ++next_;
    if (next_ != end_) ++next_;
  }

  /// Moves to the brace, on this line, that closes none of those since the offset `begin`. False,
  /// not moved, if there is none.
  /// Example, from the start: "slice={[0:2]} } b" -> "} b"
  bool SkipToClosingBrace(size_t begin);

  /// Where a comment begins that was skipped and has no end: the text ends in it.
  std::optional<size_t> UnclosedComment() const {
    if (unclosed_comment_ == nullptr) return std::nullopt;
    return static_cast<size_t>(unclosed_comment_ - text_begin_);
  }

  /// The text from here to the end, blanks included.
  llvm::StringRef Rest() const { return {next_, static_cast<size_t>(end_ - next_)}; }

  static bool IsWordCharacter(char c) { return kWordCharacters[static_cast<unsigned char>(c)]; }

 private:
  static constexpr std::array<bool, 256> kWordCharacters = [] {
    std::array<bool, 256> table = {};
    for (int c = 0; c < 256; ++c) {
      table[static_cast<size_t>(c)] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                      (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    }
    return table;
  }();

  void SkipBlanks() {
    // Most tokens follow each other directly or after one blank.
    if (next_ != end_ && *next_ == ' ') ++next_;
    if (next_ == end_ || (*next_ > ' ' && *next_ != '/')) return;
    SkipBlanksAndComments();
  }
  void SkipBlanksAndComments();
  // Past the comment that opens at `begin`; the end of a line is not part of it.
  const char* EndOfComment(const char* begin);

  const char* text_begin_;
  const char* next_;
  const char* end_;
  const char* unclosed_comment_ = nullptr;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PARSER_TEXT_CURSOR_H_
