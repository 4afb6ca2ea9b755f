#include "codegen/ptx/syntax/lexer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx::syntax {
namespace {

enum class Class : uint8_t { kOther, kSpace, kLetter, kMark, kDigit };

constexpr std::array<Class, 256> MakeClasses() {
  std::array<Class, 256> classes = {};
  for (const unsigned char c : {' ', '\t', '\r', '\n', '\f', '\v'}) classes[c] = Class::kSpace;
  for (size_t c = 'a'; c <= 'z'; ++c) classes[c] = Class::kLetter;
  for (size_t c = 'A'; c <= 'Z'; ++c) classes[c] = Class::kLetter;
  for (size_t c = '0'; c <= '9'; ++c) classes[c] = Class::kDigit;
  // `%` begins a name and cannot follow.
  for (const unsigned char c : {'_', '$'}) classes[c] = Class::kMark;
  return classes;
}

constexpr std::array<Class, 256> kClasses = MakeClasses();

Class ClassOf(char c) { return kClasses[static_cast<unsigned char>(c)]; }
bool IsDigit(char c) { return ClassOf(c) == Class::kDigit; }
bool IsInName(char c) { return ClassOf(c) >= Class::kLetter; }

}  // namespace

Token Lexer::Next() {
  if (!SkipSpace()) {
    const size_t begin = offset_;
    offset_ = text_.size();
    return Bad(begin, "the comment has no end");
  }
  if (offset_ >= text_.size()) return Make(TokenKind::kEnd, offset_);
  const size_t begin = offset_;
  const char c = text_[offset_];
  switch (ClassOf(c)) {
    case Class::kLetter:
    case Class::kMark:
      ++offset_;
      return Name(TokenKind::kName, begin);
    case Class::kDigit:
      return Number();
    default:
      break;
  }
  if (c == '%' && IsInName(At(offset_ + 1))) {
    ++offset_;
    return Name(TokenKind::kName, begin);
  }
  if (c == '.') {
    if (!IsInName(At(++offset_))) return Bad(begin, "a name is missing after '.'");
    Token token = Name(TokenKind::kDotted, begin);
    token.text.remove_prefix(1);
    return token;
  }
  if (c == '"') return String();
  return Operator();
}

void Lexer::SkipLine() {
  const size_t newline = text_.find('\n', offset_);
  offset_ = newline == std::string_view::npos ? text_.size() : newline + 1;
}

bool Lexer::SkipSpace() {
  while (offset_ < text_.size()) {
    if (ClassOf(text_[offset_]) == Class::kSpace) {
      ++offset_;
      continue;
    }
    if (text_[offset_] != '/') return true;
    if (At(offset_ + 1) == '/') {
      SkipLine();
    } else if (At(offset_ + 1) == '*') {
      const size_t end = text_.find("*/", offset_ + 2);
      if (end == std::string_view::npos) return false;
      offset_ = end + 2;
    } else {
      return true;
    }
  }
  return true;
}

Token Lexer::Name(TokenKind kind, size_t begin) {
  for (;;) {
    while (IsInName(At(offset_))) ++offset_;
    // `.shared::cta`; elsewhere `:` ends a label.
    if (kind != TokenKind::kDotted || At(offset_) != ':' || At(offset_ + 1) != ':' ||
        !IsInName(At(offset_ + 2))) {
      return Make(kind, begin);
    }
    offset_ += 2;
  }
}

Token Lexer::Number() {
  const size_t begin = offset_;
  const bool is_prefixed = At(begin) == '0' && ClassOf(At(begin + 1)) == Class::kLetter;
  while (IsInName(At(offset_))) {
    const char c = At(offset_++);
    if (is_prefixed) continue;
    if ((c == 'e' || c == 'E') && (At(offset_) == '+' || At(offset_) == '-')) ++offset_;
    if (At(offset_) == '.' && IsDigit(c)) ++offset_;
  }
  return Make(TokenKind::kNumber, begin);
}

Token Lexer::String() {
  const size_t begin = offset_++;
  while (offset_ < text_.size() && text_[offset_] != '"' && text_[offset_] != '\n') {
    offset_ += text_[offset_] == '\\' ? 2 : 1;
  }
  if (At(offset_) != '"') {
    offset_ = text_.size();
    return Bad(begin, "the string has no end");
  }
  ++offset_;
  Token token = Make(TokenKind::kString, begin);
  token.text.remove_prefix(1);
  token.text.remove_suffix(1);
  return token;
}

Token Lexer::Operator() {
  const size_t begin = offset_;
  const char c = text_[offset_++];
  if (std::string_view("@{}()[]<>,;:?=!~+-*/%&|^").find(c) == std::string_view::npos) {
    return Bad(begin, c == '\0' ? "the text holds a byte 0" : "this byte begins no token");
  }
  uint16_t symbol = Symbol(c);
  const char next = At(offset_);
  const bool is_twice = next == c && std::string_view("<>&|").find(c) != std::string_view::npos;
  const bool is_compared =
      next == '=' && std::string_view("<>=!").find(c) != std::string_view::npos;
  if (is_twice || is_compared) {
    ++offset_;
    symbol = Symbol(c, next);
  }
  Token token = Make(TokenKind::kSymbol, begin);
  token.symbol = symbol;
  return token;
}

Token Lexer::Bad(size_t offset, std::string_view message) const {
  return {TokenKind::kBad, 0, {static_cast<uint32_t>(offset)}, message};
}

}  // namespace hlo_indexing::ptx::syntax
