// The token that the parser looks at, and errors at places of the text.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_CURSOR_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_CURSOR_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/lexer.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx::syntax {

class Cursor {
 public:
  Cursor(std::string_view text, std::string_view name)
      : text_(text), name_(name), lexer_(text), token_(lexer_.Next()) {}

  const Token& token() const { return token_; }
  Place place() const { return token_.place; }
  void Advance() { token_ = lexer_.Next(); }
  /// Goes on after the end of the line of the current token.
  void SkipLine();

  bool Is(TokenKind kind) const { return token_.kind == kind; }
  bool Is(char symbol) const { return token_.symbol == Symbol(symbol); }
  /// Whether the token is the dotted name `name` (without the dot).
  bool IsDotted(std::string_view name) const {
    return token_.kind == TokenKind::kDotted && token_.text == name;
  }
  /// Goes on where the token is `symbol` or the dotted name.
  bool Accept(char symbol);
  bool AcceptDotted(std::string_view name);
  /// Whether the byte before the token's first is of the token before.
  bool IsJoined(const Token& before) const;

  /// Errors unless the token is `symbol`. `where` ends the message: "after the operands".
  absl::Status Expect(char symbol, std::string_view where);
  /// The name, with its place. `what` is missing otherwise: "a label".
  absl::StatusOr<Token> ExpectName(std::string_view what);
  absl::StatusOr<Token> ExpectDotted(std::string_view what);

  absl::Status Error(Place place, std::string_view message) const;
  /// 1-based.
  int64_t LineOf(Place place) const;
  /// "expected WHAT, found 'x'" at the current token.
  absl::Status Unexpected(std::string_view what) const;

 private:
  std::string_view text_;
  std::string_view name_;
  Lexer lexer_;
  Token token_;
};

}  // namespace hlo_indexing::ptx::syntax

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_CURSOR_H_
