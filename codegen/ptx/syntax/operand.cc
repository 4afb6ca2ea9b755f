#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/constant.h"
#include "codegen/ptx/syntax/diagnostics.h"
#include "codegen/ptx/syntax/special_registers.h"
#include "codegen/ptx/syntax/state.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx::syntax {
namespace {

bool IsAnyOf(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

absl::Status ParseConstantOperand(ParserState& state, Operand& operand) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Constant value,
                                ParseConstant(state.cursor, state.limits.max_depth));
  operand.kind = value.is_float ? OperandKind::kFloat : OperandKind::kInteger;
  operand.bits = value.bits;
  operand.is_single = value.is_single;
  return absl::OkStatus();
}

// `+4-2` behind a variable or the base of an address.
absl::Status ParseOffset(ParserState& state, Operand& operand) {
  Cursor& cursor = state.cursor;
  uint64_t offset = static_cast<uint64_t>(operand.offset);
  while (cursor.Is('+') || cursor.Is('-')) {
    const bool is_subtracted = cursor.Is('-');
    cursor.Advance();
    HLO_INDEXING_ASSIGN_OR_RETURN(const uint64_t term,
                                  ParseConstantTerm(cursor, state.limits.max_depth));
    offset = is_subtracted ? offset - term : offset + term;
  }
  operand.offset = static_cast<int64_t>(offset);
  return absl::OkStatus();
}

// `%tid.x`, whose name is the token `name`.
absl::Status ParseSpecialRegister(ParserState& state, const Token& name, Operand& operand) {
  Cursor& cursor = state.cursor;
  operand.kind = OperandKind::kSpecialRegister;
  operand.name = name.text;
  if (!cursor.Is(TokenKind::kDotted)) return absl::OkStatus();
  const Token& component = cursor.token();
  if (!HasDimensions(name.text) || !IsAnyOf(component.text, {"x", "y", "z", "w"})) {
    return cursor.Error(component.place, Concat({"the special register ", Quoted(name.text),
                                                 " has no ", QuotedDotted(component.text)}));
  }
  if (!cursor.IsJoined(name)) {
    return cursor.Error(component.place, "a space before the component of a special register");
  }
  operand.name = {name.text.data(), name.text.size() + 1 + component.text.size()};
  cursor.Advance();
  return absl::OkStatus();
}

// `.x`, `.r` of a vector; -1: no component.
int ComponentNamed(std::string_view name) {
  if (name.size() != 1) return -1;
  const size_t xyzw = std::string_view("xyzw").find(name[0]);
  if (xyzw != std::string_view::npos) return static_cast<int>(xyzw);
  const size_t rgba = std::string_view("rgba").find(name[0]);
  return rgba != std::string_view::npos ? static_cast<int>(rgba) : -1;
}

absl::Status ParseRegister(ParserState& state, const OperandContext& context, const Token& name,
                           const Declaration& declaration, Operand& operand) {
  Cursor& cursor = state.cursor;
  operand.kind = OperandKind::kRegister;
  operand.index = declaration.index;
  if (cursor.Is(TokenKind::kDotted)) {
    const Token selector = cursor.token();
    const int component = ComponentNamed(selector.text);
    if (declaration.width > 1 && component >= 0 && component < declaration.width) {
      operand.index += static_cast<uint32_t>(component);
    } else if (declaration.width == 1 &&
               IsAnyOf(selector.text, {"b0", "b1", "b2", "b3", "h0", "h1"})) {
      operand.name = selector.text;
    } else {
      return cursor.Error(selector.place, Concat({"the register ", Quoted(name.text), " has no ",
                                                  QuotedDotted(selector.text)}));
    }
    cursor.Advance();
    return absl::OkStatus();
  }
  if (declaration.width == 1) return absl::OkStatus();
  if (context.is_inner) {
    return cursor.Error(name.place, Concat({Quoted(name.text), " is a vector; name a component"}));
  }
  operand.kind = OperandKind::kVector;
  for (uint32_t component = 0; component < declaration.width; ++component) {
    Operand& element = operand.elements.emplace_back();
    element.kind = OperandKind::kRegister;
    element.place = name.place;
    element.index = declaration.index + component;
  }
  operand.index = 0;
  return absl::OkStatus();
}

absl::Status ParseVariable(ParserState& state, const OperandContext& context, bool is_local,
                           uint32_t index, Operand& operand) {
  Cursor& cursor = state.cursor;
  operand.kind = OperandKind::kVariable;
  operand.is_local = is_local;
  operand.index = index;
  if (!cursor.Accept('[')) return absl::OkStatus();
  const Variable& variable =
      is_local ? context.function->variables[index] : state.module.variables[index];
  HLO_INDEXING_ASSIGN_OR_RETURN(const Constant element,
                                ParseConstant(cursor, state.limits.max_depth));
  const uint64_t size = static_cast<uint64_t>((BitWidth(variable.type) + 7) / 8);
  operand.offset = static_cast<int64_t>(element.bits * size);
  return cursor.Expect(']', "after the index");
}

absl::Status ParseName(ParserState& state, const OperandContext& context, Operand& operand) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Token name, state.cursor.ExpectName("an operand"));
  if (context.is_branch) {
    const std::optional<Declaration> here = state.names.FindInCurrentScope(name.text);
    const bool is_label = here && here->meaning == Meaning::kLabel;
    operand.kind = OperandKind::kLabel;
    operand.index = is_label ? here->index : kForward;
    operand.name = is_label ? std::string_view() : name.text;
    return absl::OkStatus();
  }
  const std::optional<Declaration> declaration = state.names.Find(name.text);
  if (!declaration) {
    if (IsSpecialRegister(name.text)) return ParseSpecialRegister(state, name, operand);
    const bool is_register = name.text[0] == '%';
    if (is_register || !context.may_be_forward) {
      return UnknownName(state, name.text, name.place, is_register ? "register" : "name",
                         /*is_module_only=*/false);
    }
    operand.kind = OperandKind::kLabel;
    operand.index = kForward;
    operand.name = name.text;
    return absl::OkStatus();
  }
  operand.index = declaration->index;
  switch (declaration->meaning) {
    case Meaning::kRegister:
      return ParseRegister(state, context, name, *declaration, operand);
    case Meaning::kLocalVariable:
    case Meaning::kModuleVariable:
      return ParseVariable(state, context, declaration->meaning == Meaning::kLocalVariable,
                           declaration->index, operand);
    case Meaning::kFunction:
      operand.kind = OperandKind::kFunction;
      return absl::OkStatus();
    case Meaning::kLabel:
      operand.kind = OperandKind::kLabel;
      return absl::OkStatus();
    case Meaning::kLabelList:
      operand.kind = OperandKind::kLabelList;
      return absl::OkStatus();
    case Meaning::kPrototype:
      operand.kind = OperandKind::kPrototype;
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

// The operands up to `end`, of which there is at least one unless `may_be_empty`.
absl::Status ParseElements(ParserState& state, const OperandContext& context, char end,
                           bool may_be_empty, std::vector<Operand>& elements) {
  Cursor& cursor = state.cursor;
  OperandContext inner = context;
  inner.is_inner = true;
  inner.is_call = false;
  inner.may_be_forward = false;
  cursor.Advance();
  if (may_be_empty && cursor.Accept(end)) return absl::OkStatus();
  do {
    HLO_INDEXING_RETURN_IF_ERROR(ParseOperand(state, inner, elements.emplace_back()));
  } while (cursor.Accept(','));
  return cursor.Expect(end, "at the end of the list");
}

absl::Status ParseVector(ParserState& state, const OperandContext& context, Operand& operand) {
  operand.kind = OperandKind::kVector;
  return ParseElements(state, context, '}', /*may_be_empty=*/false, operand.elements);
}

absl::Status ParseAddress(ParserState& state, const OperandContext& context, Operand& operand) {
  Cursor& cursor = state.cursor;
  operand.kind = OperandKind::kAddress;
  cursor.Advance();
  OperandContext inner = context;
  inner.is_inner = true;
  inner.may_be_forward = false;
  Operand& base = operand.elements.emplace_back();
  base.place = cursor.place();
  if (IsConstantStart(cursor)) {
    HLO_INDEXING_RETURN_IF_ERROR(ParseConstantOperand(state, base));
  } else {
    HLO_INDEXING_RETURN_IF_ERROR(ParseName(state, inner, base));
    std::swap(operand.offset, base.offset);
    HLO_INDEXING_RETURN_IF_ERROR(ParseOffset(state, operand));
  }
  const bool is_predicate = base.kind == OperandKind::kRegister &&
                            context.function->registers[base.index].type == Type::kPred;
  if (is_predicate || (base.kind != OperandKind::kRegister && base.kind != OperandKind::kVariable &&
                       base.kind != OperandKind::kInteger)) {
    return cursor.Error(base.place, "an address begins with a register, variable or integer");
  }
  while (cursor.Accept(',')) {
    Operand& element = operand.elements.emplace_back();
    element.place = cursor.place();
    HLO_INDEXING_RETURN_IF_ERROR(cursor.Is('{') ? ParseVector(state, inner, element)
                                                : ParseOperand(state, inner, element));
  }
  return cursor.Expect(']', "after the address");
}

// What follows `!`.
absl::Status ParseNegated(ParserState& state, const OperandContext& context, Operand& operand) {
  Cursor& cursor = state.cursor;
  cursor.Advance();
  HLO_INDEXING_RETURN_IF_ERROR(ParseName(state, context, operand));
  operand.is_negated = true;
  if (operand.kind == OperandKind::kRegister &&
      context.function->registers[operand.index].type == Type::kPred) {
    return absl::OkStatus();
  }
  return cursor.Error(operand.place, "'!' is followed by a predicate register");
}

// The second of `d|p`, where the operand is the first.
absl::Status ParsePair(ParserState& state, const OperandContext& context, Operand& operand) {
  Operand pair;
  pair.kind = OperandKind::kPredicatePair;
  pair.place = operand.place;
  pair.elements.reserve(2);
  pair.elements.push_back(std::move(operand));
  state.cursor.Advance();
  OperandContext inner = context;
  inner.is_inner = true;
  inner.may_be_forward = false;
  Operand& second = pair.elements.emplace_back();
  second.place = state.cursor.place();
  if (state.cursor.Is(TokenKind::kName) && state.cursor.token().text == "_") {
    if (pair.elements.front().kind == OperandKind::kSink) {
      return state.cursor.Error(second.place, "one of the two results is a register");
    }
    state.cursor.Advance();
  } else {
    HLO_INDEXING_RETURN_IF_ERROR(ParseName(state, inner, second));
    if (second.kind != OperandKind::kRegister) {
      return state.cursor.Error(second.place, "'|' is followed by a register or '_'");
    }
  }
  operand = std::move(pair);
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseOperand(ParserState& state, const OperandContext& context, Operand& operand) {
  Cursor& cursor = state.cursor;
  operand.place = cursor.place();
  const bool is_name = cursor.Is(TokenKind::kName) && cursor.token().text != "WARP_SZ";
  if (is_name && cursor.token().text == "_") {
    cursor.Advance();
    return cursor.Is('|') ? ParsePair(state, context, operand) : absl::OkStatus();
  }
  if (is_name) {
    HLO_INDEXING_RETURN_IF_ERROR(ParseName(state, context, operand));
    if (operand.kind == OperandKind::kVariable) return ParseOffset(state, operand);
    if (operand.kind == OperandKind::kRegister && cursor.Is('|')) {
      return ParsePair(state, context, operand);
    }
    return absl::OkStatus();
  }
  if (!context.is_inner) {
    if (cursor.Is('[')) return ParseAddress(state, context, operand);
    if (cursor.Is('{')) return ParseVector(state, context, operand);
    if (cursor.Is('(') && context.is_call) {
      operand.kind = OperandKind::kTuple;
      return ParseElements(state, context, ')', /*may_be_empty=*/true, operand.elements);
    }
  }
  // `!` of a constant is part of its expression.
  if (cursor.Is('!')) {
    const Cursor before = cursor;
    cursor.Advance();
    const bool is_predicate = cursor.Is(TokenKind::kName) && cursor.token().text != "WARP_SZ";
    cursor = before;
    if (is_predicate) return ParseNegated(state, context, operand);
  }
  if (IsConstantStart(cursor)) return ParseConstantOperand(state, operand);
  return cursor.Unexpected("an operand");
}

absl::Status UnknownName(const ParserState& state, std::string_view name, Place place,
                         std::string_view what, bool is_module_only) {
  size_t digits = 0;
  while (digits < name.size() && name[name.size() - 1 - digits] >= '0' &&
         name[name.size() - 1 - digits] <= '9') {
    ++digits;
  }
  const std::string_view prefix = name.substr(0, name.size() - digits);
  const uint32_t count = digits > 0 && !is_module_only ? state.names.RangeSize(prefix) : 0;
  if (count > 0) {
    return state.cursor.Error(
        place, Concat({"unknown ", what, " ", Quoted(name), "; the last of its range is '", prefix,
                       std::to_string(count - 1), "'"}));
  }
  std::vector<std::string_view> candidates = state.names.Visible(is_module_only);
  if (name[0] == '%') {
    for (const std::string_view special : SpecialRegisterNames()) candidates.push_back(special);
  }
  return state.cursor.Error(
      place, Concat({"unknown ", what, " ", Quoted(name), DidYouMean(name, candidates)}));
}

}  // namespace hlo_indexing::ptx::syntax
