#include "codegen/ptx/syntax/parser.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/constant.h"
#include "codegen/ptx/syntax/diagnostics.h"
#include "codegen/ptx/syntax/state.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx::syntax {
namespace {

constexpr int kOldestVersion = 60;
constexpr int kNewestVersion = 99;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// `.version 8.5`.
absl::Status ParseVersion(ParserState& state) {
  Cursor& cursor = state.cursor;
  if (!cursor.AcceptDotted("version")) return cursor.Unexpected("'.version' at the beginning");
  const Token number = cursor.token();
  const std::string_view text = number.text;
  if (number.kind != TokenKind::kNumber || text.size() != 3 || !IsDigit(text[0]) ||
      text[1] != '.' || !IsDigit(text[2])) {
    return cursor.Unexpected("a version such as 8.5");
  }
  state.module.version = (text[0] - '0') * 10 + (text[2] - '0');
  if (state.module.version < kOldestVersion || state.module.version > kNewestVersion) {
    return cursor.Error(number.place,
                        Concat({"version ", text, " of PTX is not supported, 6.0 and later are"}));
  }
  cursor.Advance();
  return absl::OkStatus();
}

// `.target sm_90a, debug`.
absl::Status ParseTarget(ParserState& state) {
  Cursor& cursor = state.cursor;
  if (!cursor.AcceptDotted("target")) return cursor.Unexpected("'.target' after the version");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Token name, cursor.ExpectName("a target such as sm_90"));
  const std::string_view number = name.text.substr(std::min<size_t>(3, name.text.size()));
  int value = 0;
  size_t digits = 0;
  while (digits < number.size() && digits < 4 && IsDigit(number[digits])) {
    value = value * 10 + (number[digits++] - '0');
  }
  if (name.text.substr(0, 3) != "sm_" || digits == 0 || number.size() > digits + 1) {
    return cursor.Error(name.place, Concat({"unknown target ", Quoted(name.text)}));
  }
  state.module.target = value;
  state.module.target_name = name.text;
  // Options of debuggers and textures.
  while (cursor.Accept(',')) HLO_INDEXING_RETURN_IF_ERROR(cursor.ExpectName("an option").status());
  return absl::OkStatus();
}

absl::Status ParseAddressSize(ParserState& state) {
  state.cursor.Advance();
  const Place place = state.cursor.place();
  HLO_INDEXING_ASSIGN_OR_RETURN(const Constant size, ParseNumber(state.cursor));
  if (size.is_float || (size.bits != 32 && size.bits != 64)) {
    return state.cursor.Error(place, "the size of an address is 32 or 64");
  }
  state.module.address_size = static_cast<int>(size.bits);
  return absl::OkStatus();
}

// `.alias a, b;`
absl::Status ParseAlias(ParserState& state) {
  Cursor& cursor = state.cursor;
  cursor.Advance();
  HLO_INDEXING_ASSIGN_OR_RETURN(const Token name, cursor.ExpectName("the name of a function"));
  const std::optional<Declaration> declaration = state.names.Find(name.text);
  if (!declaration) {
    return UnknownName(state, name.text, name.place, "function", /*is_module_only=*/true);
  }
  if (declaration->meaning != Meaning::kFunction ||
      state.module.functions[declaration->index].has_body) {
    return cursor.Error(name.place, "an alias is a function without a body");
  }
  HLO_INDEXING_RETURN_IF_ERROR(cursor.Expect(',', "after the name"));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Token target, cursor.ExpectName("the name of a function"));
  ForwardName use;
  use.name = target.text;
  use.place = target.place;
  state.aliases[declaration->index] = use;
  return cursor.Expect(';', "after the alias");
}

absl::Status ParseDeclaration(ParserState& state) {
  Cursor& cursor = state.cursor;
  Linkage linkage = Linkage::kNone;
  while (cursor.IsDotted("visible") || cursor.IsDotted("weak") || cursor.IsDotted("extern") ||
         cursor.IsDotted("common")) {
    linkage = cursor.IsDotted("extern") ? Linkage::kExtern : Linkage::kOther;
    cursor.Advance();
  }
  if (!cursor.Is(TokenKind::kDotted)) return cursor.Unexpected("a directive");
  const Token directive = cursor.token();
  if (directive.text == "entry" || directive.text == "func") return ParseFunction(state);
  if (SpaceNamed(directive.text)) {
    if (directive.text == "local" || directive.text == "param") {
      return cursor.Error(directive.place, Concat({"a variable of ", QuotedDotted(directive.text),
                                                   " outside of a function"}));
    }
    return ParseVariables(state, nullptr, linkage);
  }
  if (directive.text == "version") {
    return cursor.Error(directive.place,
                        "a second module begins here, and a text is one; `emit --output=FOLDER` "
                        "writes each kernel to a file of its own");
  }
  const std::vector<std::string_view> known = {
      "entry",   "func", "global", "shared", "const", "file",   "section",
      "visible", "weak", "extern", "common", "alias", "pragma", "address_size"};
  return cursor.Error(directive.place, Concat({"unknown directive ", QuotedDotted(directive.text),
                                               DidYouMeanDotted(directive.text, known)}));
}

absl::Status ParseStatement(ParserState& state) {
  Cursor& cursor = state.cursor;
  if (cursor.IsDotted("file")) return ParseFile(state);
  if (cursor.IsDotted("section")) return SkipSection(state);
  if (cursor.IsDotted("loc")) return ParseLocation(state);
  if (cursor.IsDotted("alias")) return ParseAlias(state);
  if (cursor.IsDotted("address_size")) return ParseAddressSize(state);
  if (cursor.AcceptDotted("pragma")) return SkipPragma(state);
  if (cursor.Accept(';')) return absl::OkStatus();
  const Token first = cursor.token();
  if (cursor.Is('@')) {
    cursor.Advance();
    if (!cursor.Is('@') || !cursor.IsJoined(first)) return cursor.Unexpected("'@@'");
    cursor.SkipLine();
    return absl::OkStatus();
  }
  return ParseDeclaration(state);
}

void Replace(const std::vector<uint32_t>& targets, Operand& operand) {
  if (operand.kind == OperandKind::kFunction) operand.index = targets[operand.index];
}

// What names an alias names its target from now on.
absl::Status ApplyAliases(ParserState& state) {
  if (state.aliases.empty()) return absl::OkStatus();
  std::vector<uint32_t> targets(state.module.functions.size());
  for (uint32_t i = 0; i < targets.size(); ++i) {
    targets[i] = i;
    const auto alias = state.aliases.find(i);
    if (alias == state.aliases.end()) continue;
    const std::optional<Declaration> target = state.names.Find(alias->second.name);
    if (!target) {
      return UnknownName(state, alias->second.name, alias->second.place, "function",
                         /*is_module_only=*/true);
    }
    if (target->meaning != Meaning::kFunction || !state.module.functions[target->index].has_body) {
      return state.cursor.Error(alias->second.place, "an alias is of a function with a body");
    }
    targets[i] = target->index;
  }
  const auto replace_in = [&](std::vector<Variable>& variables) {
    for (Variable& variable : variables) {
      for (Initializer& value : variable.initializers) {
        if (value.function != 0) value.function = targets[value.function - 1] + 1;
      }
    }
  };
  replace_in(state.module.variables);
  for (Function& function : state.module.functions) {
    replace_in(function.variables);
    for (LabelList& list : function.label_lists) {
      for (uint32_t& target : list.functions) target = targets[target];
    }
    for (Instruction& instruction : function.instructions) {
      for (Operand& operand : instruction.operands) Replace(targets, operand);
    }
  }
  return absl::OkStatus();
}

absl::Status Parse(ParserState& state) {
  HLO_INDEXING_RETURN_IF_ERROR(ParseVersion(state));
  HLO_INDEXING_RETURN_IF_ERROR(ParseTarget(state));
  while (!state.cursor.Is(TokenKind::kEnd)) {
    HLO_INDEXING_RETURN_IF_ERROR(ParseStatement(state));
  }
  HLO_INDEXING_RETURN_IF_ERROR(ResolveForwardInModule(state));
  return ApplyAliases(state);
}

}  // namespace

absl::Status ParserState::Count(uint64_t items, Place place) {
  if (items <= static_cast<uint64_t>(items_left)) {
    items_left -= static_cast<int64_t>(items);
    return absl::OkStatus();
  }
  return cursor.Error(place, Concat({"the module has more than ", std::to_string(limits.max_items),
                                     " registers, variables, labels and instructions"}));
}

absl::Status ParserState::DeclaredTwice(std::string_view name, Place place, Place first) const {
  return cursor.Error(place, Concat({Quoted(name), " is already declared at line ",
                                     std::to_string(cursor.LineOf(first))}));
}

absl::StatusOr<Module> ParseModule(std::string_view text, std::string_view name,
                                   const ParserLimits& limits) {
  if (text.size() >= std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(Concat({name, ": error: the text has 4 GiB or more"}));
  }
  ParserState state(text, name, limits);
  HLO_INDEXING_RETURN_IF_ERROR(Parse(state));
  return std::move(state.module);
}

}  // namespace hlo_indexing::ptx::syntax
