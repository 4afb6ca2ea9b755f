#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/constant.h"
#include "codegen/ptx/syntax/state.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx::syntax {
namespace {

// A plain number: an expression would go on in the next directive or instruction.
absl::StatusOr<uint32_t> ParsePlainNumber(ParserState& state) {
  const Place place = state.cursor.place();
  HLO_INDEXING_ASSIGN_OR_RETURN(const Constant number, ParseNumber(state.cursor));
  if (number.is_float || number.bits > 0xFFFFFFFF) {
    return state.cursor.Error(place, "expected an integer of 32 bits");
  }
  return static_cast<uint32_t>(number.bits);
}

// The index in module.files of the file with this number, which may be named later.
absl::StatusOr<uint32_t> ParseFileIndex(ParserState& state) {
  const Place place = state.cursor.place();
  HLO_INDEXING_ASSIGN_OR_RETURN(const uint32_t number, ParsePlainNumber(state));
  const auto [file, is_new] =
      state.files.try_emplace(number, static_cast<uint32_t>(state.module.files.size()));
  if (is_new) {
    HLO_INDEXING_RETURN_IF_ERROR(state.Count(1, place));
    state.module.files.emplace_back();
  }
  return file->second;
}

}  // namespace

absl::Status ParseFile(ParserState& state) {
  Cursor& cursor = state.cursor;
  cursor.Advance();
  HLO_INDEXING_ASSIGN_OR_RETURN(const uint32_t index, ParseFileIndex(state));
  if (!cursor.Is(TokenKind::kString)) return cursor.Unexpected("the name of a file");
  state.module.files[index] = std::string(cursor.token().text);
  cursor.Advance();
  // Time and size.
  for (int i = 0; i < 2 && cursor.Accept(','); ++i) {
    HLO_INDEXING_RETURN_IF_ERROR(ParseNumber(cursor).status());
  }
  return absl::OkStatus();
}

absl::Status ParseLocation(ParserState& state) {
  Cursor& cursor = state.cursor;
  cursor.Advance();
  HLO_INDEXING_ASSIGN_OR_RETURN(state.source_file, ParseFileIndex(state));
  HLO_INDEXING_ASSIGN_OR_RETURN(state.source_line, ParsePlainNumber(state));
  HLO_INDEXING_RETURN_IF_ERROR(ParsePlainNumber(state).status());
  // `, function_name label+4, inlined_at 1 20 3`: the line is that of the inlined function.
  while (cursor.Accept(',')) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const Token what,
                                  cursor.ExpectName("'function_name' or 'inlined_at'"));
    if (what.text == "function_name") {
      HLO_INDEXING_RETURN_IF_ERROR(cursor.ExpectName("the label of a name").status());
      if (cursor.Accept('+')) HLO_INDEXING_RETURN_IF_ERROR(ParsePlainNumber(state).status());
    } else if (what.text == "inlined_at") {
      HLO_INDEXING_RETURN_IF_ERROR(ParseFileIndex(state).status());
      HLO_INDEXING_RETURN_IF_ERROR(ParsePlainNumber(state).status());
      HLO_INDEXING_RETURN_IF_ERROR(ParsePlainNumber(state).status());
    } else {
      return cursor.Error(what.place, "expected 'function_name' or 'inlined_at'");
    }
  }
  return absl::OkStatus();
}

absl::Status SkipSection(ParserState& state) {
  Cursor& cursor = state.cursor;
  cursor.Advance();
  // `.debug_info`, or a name.
  if (!cursor.Is(TokenKind::kDotted) && !cursor.Is(TokenKind::kName)) {
    return cursor.Unexpected("the name of a section");
  }
  cursor.Advance();
  const Place brace = cursor.place();
  HLO_INDEXING_RETURN_IF_ERROR(cursor.Expect('{', "of the section"));
  while (!cursor.Is('}')) {
    if (cursor.Is(TokenKind::kEnd)) return cursor.Error(brace, "this '{' is not closed");
    if (cursor.Is(TokenKind::kBad)) return cursor.Unexpected("a value");
    cursor.Advance();
  }
  cursor.Advance();
  return absl::OkStatus();
}

}  // namespace hlo_indexing::ptx::syntax
