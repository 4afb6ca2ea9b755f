#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/diagnostics.h"
#include "codegen/ptx/syntax/state.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx::syntax {
namespace {

void OpenScope(ParserState& state) {
  state.names.OpenScope();
  state.scopes_of_forward.push_back(state.forward.size());
}

absl::Status Declare(ParserState& state, const Token& name, Meaning meaning, size_t index) {
  HLO_INDEXING_RETURN_IF_ERROR(state.Count(1, name.place));
  const std::optional<Declaration> first =
      state.names.Declare(name.text, {meaning, 1, static_cast<uint32_t>(index), name.place});
  if (first) return state.DeclaredTwice(name.text, name.place, first->place);
  return absl::OkStatus();
}

// `ts: .branchtargets L1, L2;` and, of functions, `.calltargets`.
absl::Status ParseTargets(ParserState& state, Function& function, const Token& name) {
  Cursor& cursor = state.cursor;
  const bool is_label = cursor.IsDotted("branchtargets");
  cursor.Advance();
  LabelList list;
  list.name = name.text;
  list.place = name.place;
  std::vector<ForwardName> uses;
  do {
    HLO_INDEXING_ASSIGN_OR_RETURN(const Token target,
                                  cursor.ExpectName(is_label ? "a label" : "a function"));
    HLO_INDEXING_RETURN_IF_ERROR(state.Count(1, target.place));
    ForwardName& use = uses.emplace_back();
    use.name = target.text;
    use.place = target.place;
    use.is_label = is_label;
  } while (cursor.Accept(','));
  HLO_INDEXING_RETURN_IF_ERROR(cursor.Expect(';', "after the targets"));
  std::vector<uint32_t>& targets = is_label ? list.labels : list.functions;
  targets.resize(uses.size(), kForward);
  for (size_t i = 0; i < uses.size(); ++i) {
    (is_label ? uses[i].label : uses[i].function) = &targets[i];
    state.forward.push_back(uses[i]);
  }
  HLO_INDEXING_RETURN_IF_ERROR(
      Declare(state, name, Meaning::kLabelList, function.label_lists.size()));
  function.label_lists.push_back(std::move(list));
  return absl::OkStatus();
}

// `p: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
absl::Status ParsePrototype(ParserState& state, Function& function, const Token& name) {
  Cursor& cursor = state.cursor;
  cursor.Advance();
  Prototype prototype;
  prototype.name = name.text;
  prototype.place = name.place;
  if (cursor.Is('(')) {
    HLO_INDEXING_ASSIGN_OR_RETURN(prototype.results, ParseParameterList(state));
  }
  if (!cursor.Is(TokenKind::kName) || cursor.token().text != "_") {
    return cursor.Unexpected("'_', which stands for the function,");
  }
  cursor.Advance();
  if (cursor.Is('(')) {
    HLO_INDEXING_ASSIGN_OR_RETURN(prototype.parameters, ParseParameterList(state));
  }
  HLO_INDEXING_RETURN_IF_ERROR(SkipPrototypeDirectives(state));
  HLO_INDEXING_RETURN_IF_ERROR(cursor.Expect(';', "after the prototype"));
  HLO_INDEXING_RETURN_IF_ERROR(
      Declare(state, name, Meaning::kPrototype, function.prototypes.size()));
  function.prototypes.push_back(std::move(prototype));
  return absl::OkStatus();
}

// What stands behind `name:`.
absl::Status ParseLabel(ParserState& state, Function& function, const Token& name) {
  const Cursor& cursor = state.cursor;
  if (cursor.IsDotted("branchtargets") || cursor.IsDotted("calltargets")) {
    return ParseTargets(state, function, name);
  }
  if (cursor.IsDotted("callprototype")) return ParsePrototype(state, function, name);
  HLO_INDEXING_RETURN_IF_ERROR(Declare(state, name, Meaning::kLabel, function.labels.size()));
  function.labels.push_back(
      {name.text, name.place, static_cast<uint32_t>(function.instructions.size())});
  return absl::OkStatus();
}

absl::Status ParseBodyDirective(ParserState& state, Function& function) {
  Cursor& cursor = state.cursor;
  const Token directive = cursor.token();
  if (directive.text == "reg") return ParseRegisters(state, function);
  if (directive.text == "loc") return ParseLocation(state);
  if (SpaceNamed(directive.text)) return ParseVariables(state, &function, Linkage::kNone);
  if (directive.text == "pragma") {
    cursor.Advance();
    return SkipPragma(state);
  }
  if (directive.text == "file") return ParseFile(state);
  if (directive.text == "section") return SkipSection(state);
  const std::vector<std::string_view> known = {"reg",   "loc",    "param",  "local", "shared",
                                               "const", "global", "pragma", "file"};
  return cursor.Error(directive.place,
                      Concat({"unknown directive ", QuotedDotted(directive.text), " in a function",
                              DidYouMeanDotted(directive.text, known)}));
}

absl::Status ParseStatement(ParserState& state, Function& function) {
  Cursor& cursor = state.cursor;
  if (cursor.Is(TokenKind::kDotted)) return ParseBodyDirective(state, function);
  if (cursor.Is('@')) {
    const Token at = cursor.token();
    const Cursor before = cursor;
    cursor.Advance();
    if (cursor.Is('@') && cursor.IsJoined(at)) {
      cursor.SkipLine();
      return absl::OkStatus();
    }
    cursor = before;
    return ParseInstruction(state, function);
  }
  if (!cursor.Is(TokenKind::kName)) return cursor.Unexpected("an instruction, label or directive");
  const Token name = cursor.token();
  const Cursor before = cursor;
  cursor.Advance();
  if (cursor.Accept(':')) return ParseLabel(state, function, name);
  cursor = before;
  return ParseInstruction(state, function);
}

}  // namespace

absl::Status ParseBody(ParserState& state, Function& function) {
  Cursor& cursor = state.cursor;
  state.source_file = state.source_line = 0;
  state.scopes_of_forward.push_back(state.forward.size());
  std::vector<Place> braces = {cursor.place()};
  cursor.Advance();
  while (!braces.empty()) {
    if (cursor.Is('{')) {
      if (static_cast<int64_t>(braces.size()) > state.limits.max_depth) {
        return cursor.Error(cursor.place(), "scopes are nested too deeply");
      }
      braces.push_back(cursor.place());
      OpenScope(state);
      cursor.Advance();
    } else if (cursor.Is('}')) {
      braces.pop_back();
      ResolveForwardInScope(state);
      // The scope of the function, with its parameters, is closed by who opened it.
      if (!braces.empty()) state.names.CloseScope();
      cursor.Advance();
    } else if (cursor.Is(TokenKind::kEnd)) {
      return cursor.Error(braces.back(), "this '{' is not closed");
    } else if (!cursor.Accept(';')) {
      HLO_INDEXING_RETURN_IF_ERROR(ParseStatement(state, function));
    }
  }
  return ResolveForwardInFunction(state);
}

}  // namespace hlo_indexing::ptx::syntax
