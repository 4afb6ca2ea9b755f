// Cuts PTX text into words, numbers and symbols (§4.2 to §4.5). Comments and white space are
// skipped.
//
// Example: `@%p1 ld.L2::128B.f32 %f1, [a+-4];` is '@', the name "%p1", the name "ld", the dotted
// names "L2::128B" and "f32", the name "%f1", ',', '[', the name "a", '+', '-', the number "4",
// ']',
// ';' and the end.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_LEXER_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx::syntax {

enum class TokenKind : uint8_t {
  kEnd,
  kName,    // %r1, loop, _
  kDotted,  // .f32, .L2::128B; text is without the dot
  kNumber,  // all that begins with a digit: 12, 0x1FU, 0f3F800000, 1.5e-3
  kString,  // text is without the quotes
  kSymbol,  // one character, or two of an operator such as `<<`
  kBad,     // what is no token; text is the message about it
};

/// The symbol of two characters: Symbol('<', '<') for `<<`.
constexpr uint16_t Symbol(char first, char second = 0) {
  return static_cast<uint16_t>(static_cast<unsigned char>(first) |
                               static_cast<unsigned char>(second) << 8);
}

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint16_t symbol = 0;
  Place place;
  std::string_view text;
};

class Lexer {
 public:
  /// `text` has less than 2^32 bytes.
  explicit Lexer(std::string_view text) : text_(text) {}

  Token Next();

  /// Goes on after the end of the current line.
  void SkipLine();

 private:
  /// False at a comment without an end.
  bool SkipSpace();
  Token Name(TokenKind kind, size_t begin);
  Token Number();
  Token String();
  Token Operator();
  Token Bad(size_t offset, std::string_view message) const;
  Token Make(TokenKind kind, size_t begin) const {
    return {kind, 0, {static_cast<uint32_t>(begin)}, text_.substr(begin, offset_ - begin)};
  }
  char At(size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

  std::string_view text_;
  size_t offset_ = 0;
};

}  // namespace hlo_indexing::ptx::syntax

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_LEXER_H_
