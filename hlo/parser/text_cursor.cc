#include "hlo/parser/text_cursor.h"

#include <algorithm>

namespace hlo_indexing::hlo {
namespace {

// The end of a line, as any system writes it.
const char* EndOfLine(const char* begin, const char* end) {
  return std::find_if(begin, end, [](char c) { return c == '\n' || c == '\r'; });
}

// Past the closing quote of the string that opens at `next`, or null.
const char* EndOfString(const char* next, const char* end) {
  const char quote = *next++;
  while (next != end) {
    if (*next == '\\') {
      if (++next == end) return nullptr;
    } else if (*next == quote) {
      return next + 1;
    }
    ++next;
  }
  return nullptr;
}

enum class Character : uint8_t { kPlain, kQuote, kOpen, kClose, kBlank, kEndsOutside, kSlash };

constexpr std::array<Character, 256> kCharacters = [] {
  std::array<Character, 256> table = {};
  for (const char c : {'"', '\''}) table[static_cast<unsigned char>(c)] = Character::kQuote;
  for (const char c : {'(', '[', '{'}) table[static_cast<unsigned char>(c)] = Character::kOpen;
  for (const char c : {')', ']', '}'}) table[static_cast<unsigned char>(c)] = Character::kClose;
  for (const char c : {' ', '\t'}) table[static_cast<unsigned char>(c)] = Character::kBlank;
  for (const char c : {',', '\n', '\r'}) {
    table[static_cast<unsigned char>(c)] = Character::kEndsOutside;
  }
  table['/'] = Character::kSlash;
  return table;
}();

}  // namespace

void TextCursor::SkipBlanksAndComments() {
  while (next_ != end_) {
    const char c = *next_;
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++next_;
    } else if (c == '/' && end_ - next_ > 1 && (next_[1] == '/' || next_[1] == '*')) {
      next_ = EndOfComment(next_);
    } else {
      return;
    }
  }
}

const char* TextCursor::EndOfComment(const char* begin) {
  if (begin[1] == '/') return EndOfLine(begin, end_);
  const llvm::StringRef rest(begin + 2, static_cast<size_t>(end_ - begin - 2));
  const size_t found = rest.find("*/");
  if (found != llvm::StringRef::npos) return rest.begin() + found + 2;
  unclosed_comment_ = begin;
  return end_;
}

std::optional<int64_t> TextCursor::ConsumeInteger() {
  SkipBlanks();
  const llvm::StringRef rest = Rest();
  size_t length = rest.starts_with("-") ? 1 : 0;
  while (length < rest.size() && llvm::isDigit(rest[length])) ++length;
  int64_t value = 0;
  if (rest.take_front(length).getAsInteger(10, value)) return std::nullopt;
  next_ += length;
  return value;
}

std::optional<llvm::StringRef> TextCursor::ConsumeString() {
  SkipBlanks();
  if (next_ == end_ || (*next_ != '"' && *next_ != '\'')) return std::nullopt;
  const char* end = EndOfString(next_, end_);
  if (end == nullptr) return std::nullopt;
  const llvm::StringRef contents(next_ + 1, static_cast<size_t>(end - next_ - 2));
  next_ = end;
  return contents;
}

std::optional<llvm::StringRef> TextCursor::ConsumeBalanced() {
  SkipBlanks();
  const char* start = next_;
  const char* next = next_;
  int64_t depth = 0;
  while (next != end_) {
    const Character kind = kCharacters[static_cast<unsigned char>(*next)];
    if (kind == Character::kQuote) {
      next = EndOfString(next, end_);
      if (next == nullptr) return std::nullopt;
      continue;
    }
    const bool is_comment =
        kind == Character::kSlash && end_ - next > 1 && (next[1] == '/' || next[1] == '*');
    if (is_comment) {
      if (depth == 0) break;
      next = EndOfComment(next);
      continue;
    }
    if (depth == 0 && (kind == Character::kClose || kind == Character::kEndsOutside)) break;
    if (depth == 0 && kind == Character::kBlank) {
      // Only an opening bracket continues the value behind a blank.
      next = std::find_if(next, end_, [](char c) { return c != ' ' && c != '\t'; });
      const bool opens =
          next != end_ && kCharacters[static_cast<unsigned char>(*next)] == Character::kOpen;
      if (!opens) break;
      continue;
    }
    if (kind == Character::kOpen) ++depth;
    if (kind == Character::kClose) --depth;
    ++next;
  }
  if (depth != 0) return std::nullopt;
  next_ = next;
  return llvm::StringRef(start, static_cast<size_t>(next - start)).rtrim();
}

std::optional<llvm::StringRef> TextCursor::ConsumeBraces() {
  SkipBlanks();
  const char* start = next_;
  int64_t depth = 0;
  for (const char* next = next_; next != end_;) {
    if (*next == '"') {
      next = EndOfString(next, end_);
      if (next == nullptr) return std::nullopt;
      continue;
    }
    if (*next == '{') ++depth;
    if (*next == '}') --depth;
    ++next;
    if (depth > 0) continue;
    next_ = next;
    return llvm::StringRef(start, static_cast<size_t>(next - start));
  }
  return std::nullopt;
}

bool TextCursor::SkipToClosingBrace(size_t begin) {
  const char* const line_end = EndOfLine(next_, end_);
  int64_t depth = 0;
  for (const char* next = text_begin_ + begin; next != line_end;) {
    if (*next == '"') {
      next = EndOfString(next, line_end);
      if (next == nullptr) return false;
      continue;
    }
    if (*next == '{') ++depth;
    if (*next == '}' && --depth < 0) {
      if (next < next_) return false;
      next_ = next;
      return true;
    }
    ++next;
  }
  return false;
}

}  // namespace hlo_indexing::hlo
