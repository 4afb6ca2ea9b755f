#include "support/diagnostics.h"

#include <algorithm>
#include <cstring>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Unicode.h"
#include "support/line_index.h"

namespace hlo_indexing::support {
namespace {

constexpr size_t kExcerptWidth = 120;

// Bytes of a character at the beginning of UTF-8 text that a terminal obeys: a control character
// (U+0080 to U+009F) or one that changes the direction of text; 0 if it is another one.
size_t ControlBytes(llvm::StringRef text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return 2;
  if (byte(0) != 0xe2) return 0;
  const bool is_mark = byte(1) == 0x80 && (byte(2) == 0x8e || byte(2) == 0x8f);
  const bool is_override = byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae;
  const bool is_isolate = byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;
  return is_mark || is_override || is_isolate ? 3 : 0;
}

// The first character of UTF-8 text; nothing where that is no UTF-8.
std::optional<uint32_t> FirstCharacter(llvm::StringRef text) {
  const auto* next = reinterpret_cast<const llvm::UTF8*>(text.begin());
  const auto* const end = reinterpret_cast<const llvm::UTF8*>(text.end());
  uint32_t character = 0;
  if (llvm::convertUTF8Sequence(&next, end, &character, llvm::strictConversion) !=
      llvm::conversionOK) {
    return std::nullopt;
  }
  return character;
}

// Whether a reader sees nothing, or no more than a blank: other spaces and ends of line of Unicode,
// marks without a width, control characters.
bool IsInvisible(uint32_t character) {
  const auto is_in = [&](uint32_t first, uint32_t last) {
    return character >= first && character <= last;
  };
  const bool is_blank = character == ' ' || is_in('\t', '\r');
  return (character < 0x20 && !is_blank) || is_in(0x7f, 0xa0) || character == 0xad ||
         character == 0x1680 || is_in(0x2000, 0x200f) || is_in(0x2028, 0x202f) ||
         is_in(0x205f, 0x206f) || character == 0x3000 || character == 0xfeff;
}

// What to add to a message about a place where a reader sees nothing.
std::string NameOfInvisible(llvm::StringRef text) {
  const std::optional<uint32_t> character = FirstCharacter(text);
  if (!character.has_value() || !IsInvisible(*character)) return "";
  std::string digits = llvm::utohexstr(*character);
  digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, '0');
  return "; the invisible character U+" + digits + " stands here";
}

}  // namespace

SourcePosition Locate(llvm::StringRef text, size_t offset) {
  offset = std::min(offset, text.size());
  const llvm::StringRef before = text.take_front(offset);
  // A text of one line may have many findings: these go over it at the speed of memory.
  const void* const line_break =
      before.empty() ? nullptr : memrchr(before.data(), '\n', before.size());
  const size_t line_start =
      line_break == nullptr
          ? 0
          : static_cast<size_t>(static_cast<const char*>(line_break) - before.data()) + 1;
  SourcePosition position;
  position.line = 1 + std::count(before.begin(), before.end(), '\n');
  position.column = 1 + static_cast<int64_t>(offset - line_start);
  position.line_text = text.slice(line_start, text.find('\n', offset));
  if (position.line_text.ends_with("\r")) position.line_text = position.line_text.drop_back();
  return position;
}

std::string Diagnostic::Render() const {
  std::string result = file + ":" + std::to_string(line) + ":" + std::to_string(column) +
                       ": error: " + message + "\n";
  if (!excerpt.empty()) result += excerpt + "\n" + std::string(caret, ' ') + "^\n";
  return result;
}

Diagnostic MakeDiagnostic(const SourceText& source, size_t offset, std::string message) {
  // What is missing at the end of a text is missing behind its last word.
  if (offset >= source.text.size()) {
    const size_t end = source.text.rtrim().size();
    if (end > 0) offset = end;
  }
  const SourcePosition position =
      source.lines != nullptr ? source.lines->Locate(offset) : Locate(source.text, offset);
  Diagnostic diagnostic;
  diagnostic.message = std::move(message) + NameOfInvisible(source.text.substr(offset));
  diagnostic.file = source.name.empty() ? "<input>" : ForTerminal(source.name);
  diagnostic.line = position.line;
  diagnostic.column = position.column;
  const size_t column = static_cast<size_t>(position.column - 1);
  const size_t start = column > kExcerptWidth * 3 / 4 ? column - kExcerptWidth / 2 : 0;
  diagnostic.excerpt = ForTerminal(position.line_text.substr(start, kExcerptWidth));
  // Characters of several bytes take one cell of a terminal, or two.
  const std::string before = diagnostic.excerpt.substr(0, column - start);
  const int width = llvm::sys::unicode::columnWidthUTF8(before);
  diagnostic.caret = width < 0 ? before.size() : static_cast<size_t>(width);
  return diagnostic;
}

absl::Status ToStatus(llvm::ArrayRef<Diagnostic> diagnostics) {
  if (diagnostics.empty()) return absl::OkStatus();
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += diagnostic.Render();
  if (text.ends_with('\n')) text.pop_back();
  return absl::InvalidArgumentError(text);
}

std::optional<llvm::StringRef> NearestSpelling(llvm::StringRef word,
                                               llvm::ArrayRef<llvm::StringRef> candidates) {
  constexpr size_t kLongestWord = 64;
  constexpr size_t kShortestBeginning = 3;
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  unsigned best_distance = static_cast<unsigned>(word.size() / 3 + 1);
  std::optional<llvm::StringRef> best;
  for (llvm::StringRef candidate : candidates) {
    if (word.equals_insensitive(candidate)) return candidate;
    const unsigned distance =
        word.edit_distance(candidate, /*AllowReplacements=*/true, best_distance);
    // Words that have no letter in common are no spellings of each other.
    if (distance >= std::max(word.size(), candidate.size())) continue;
    if (distance < best_distance || (distance == best_distance && !best)) {
      best_distance = distance;
      best = candidate;
    }
  }
  // Many begin a word and leave its end to the program.
  if (best || word.size() < kShortestBeginning) return best;
  const auto begins = [&](llvm::StringRef candidate) {
    return candidate.starts_with_insensitive(word);
  };
  const auto* const first = llvm::find_if(candidates, begins);
  if (first == candidates.end() || llvm::count_if(candidates, begins) > 1) return std::nullopt;
  return *first;
}

std::string DidYouMean(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates) {
  const std::optional<llvm::StringRef> nearest = NearestSpelling(word, candidates);
  return nearest ? "; did you mean '" + nearest->str() + "'?" : "";
}

std::string ForTerminal(llvm::StringRef text) {
  std::string result = text.str();
  const bool valid_utf8 = llvm::json::isUTF8(text);
  for (size_t i = 0; i < result.size(); ++i) {
    const auto byte = static_cast<unsigned char>(result[i]);
    const size_t control = ControlBytes(text.drop_front(i));
    if (result[i] == '\t') {
      result[i] = ' ';
    } else if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !valid_utf8)) {
      result[i] = '?';
    } else if (control > 0) {
      result.replace(i, control, control, '?');
    }
  }
  return result;
}

std::string Quotable(llvm::StringRef text, size_t limit) {
  return text.size() > limit ? ForTerminal(text.take_front(limit)) + "..." : ForTerminal(text);
}

}  // namespace hlo_indexing::support
