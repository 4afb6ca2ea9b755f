#include "codegen/ptx/syntax/cursor.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/diagnostics.h"
#include "codegen/ptx/syntax/lexer.h"
#include "codegen/ptx/syntax/module.h"
#include "codegen/ptx/syntax/parser.h"

namespace hlo_indexing::ptx::syntax {

void Cursor::SkipLine() {
  lexer_.SkipLine();
  Advance();
}

bool Cursor::Accept(char symbol) {
  if (!Is(symbol)) return false;
  Advance();
  return true;
}

bool Cursor::AcceptDotted(std::string_view name) {
  if (!IsDotted(name)) return false;
  Advance();
  return true;
}

bool Cursor::IsJoined(const Token& before) const {
  return token_.place.offset == before.place.offset + before.text.size();
}

absl::Status Cursor::Expect(char symbol, std::string_view where) {
  if (Accept(symbol)) return absl::OkStatus();
  return Unexpected(Concat({"'", std::string_view(&symbol, 1), "' ", where}));
}

absl::StatusOr<Token> Cursor::ExpectName(std::string_view what) {
  // By themselves `_` and `$` are no names ("Identifiers" in the PTX ISA).
  const bool is_name = Is(TokenKind::kName) && token().text != "_" && token().text != "$";
  if (!is_name) return Unexpected(what);
  const Token name = token_;
  Advance();
  return name;
}

absl::StatusOr<Token> Cursor::ExpectDotted(std::string_view what) {
  if (!Is(TokenKind::kDotted)) return Unexpected(what);
  const Token name = token_;
  Advance();
  return name;
}

absl::Status Cursor::Error(Place place, std::string_view message) const {
  return ErrorAt(text_, name_, place, message);
}

int64_t Cursor::LineOf(Place place) const {
  const std::string_view before = text_.substr(0, place.offset);
  return 1 + std::count(before.begin(), before.end(), '\n');
}

absl::Status Cursor::Unexpected(std::string_view what) const {
  switch (token_.kind) {
    case TokenKind::kBad:
      return Error(place(), token_.text);
    case TokenKind::kEnd:
      return Error(place(), Concat({"expected ", what, ", found the end of the text"}));
    case TokenKind::kDotted:
      return Error(place(), Concat({"expected ", what, ", found ", QuotedDotted(token_.text)}));
    case TokenKind::kString:
      return Error(place(), Concat({"expected ", what, ", found a string"}));
    case TokenKind::kName:
    case TokenKind::kNumber:
    case TokenKind::kSymbol:
      return Error(place(), Concat({"expected ", what, ", found ", Quoted(token_.text)}));
  }
  return Error(place(), what);
}

}  // namespace hlo_indexing::ptx::syntax
