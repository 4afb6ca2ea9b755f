#include <cstdint>
#include <limits>
#include <optional>
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

// More than any memory has.
constexpr uint64_t kMostBytes = uint64_t{1} << 47;
constexpr size_t kMostDimensions = 16;

// A power of two behind `.align`.
absl::StatusOr<uint32_t> ParseAlignment(ParserState& state) {
  const Place place = state.cursor.place();
  HLO_INDEXING_ASSIGN_OR_RETURN(const uint32_t alignment,
                                ParseSmallNumber(state.cursor, state.limits.max_depth));
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return state.cursor.Error(place, "an alignment is a power of two");
  }
  return alignment;
}

// What stands before the names.
struct Prefix {
  Space space = Space::kGlobal;
  Type type = Type::kB8;
  uint32_t width = 1;
  std::optional<uint32_t> alignment;
  bool is_extern = false;
};

absl::Status ParseType(ParserState& state, Prefix& prefix) {
  Cursor& cursor = state.cursor;
  for (;;) {
    if (cursor.AcceptDotted("align")) {
      HLO_INDEXING_ASSIGN_OR_RETURN(prefix.alignment, ParseAlignment(state));
    } else if (cursor.AcceptDotted("v2")) {
      prefix.width = 2;
    } else if (cursor.AcceptDotted("v4")) {
      prefix.width = 4;
    } else if (cursor.AcceptDotted("v8")) {
      prefix.width = 8;
    } else if (cursor.IsDotted("attribute")) {
      HLO_INDEXING_RETURN_IF_ERROR(SkipAttribute(state));
    } else {
      break;
    }
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const Token name, cursor.ExpectDotted("the type of a variable"));
  const std::optional<Type> type = TypeNamed(name.text);
  if (!type) {
    if (name.text == "texref" || name.text == "surfref" || name.text == "samplerref") {
      return cursor.Error(name.place, Concat({QuotedDotted(name.text),
                                              " is not supported; pass the handle as .u64"}));
    }
    return cursor.Error(name.place, Concat({"unknown type ", QuotedDotted(name.text)}));
  }
  if (*type == Type::kPred || BitWidth(*type) < 8) {
    return cursor.Error(name.place,
                        Concat({"a variable cannot be of type ", QuotedDotted(name.text)}));
  }
  prefix.type = *type;
  // `.b8 .align 4 x` is not in the document, but written.
  if (cursor.AcceptDotted("align")) {
    HLO_INDEXING_ASSIGN_OR_RETURN(prefix.alignment, ParseAlignment(state));
  }
  return absl::OkStatus();
}

// `[4][8]`; the first may be empty, which is 0.
absl::StatusOr<std::vector<uint64_t>> ParseDimensions(ParserState& state) {
  Cursor& cursor = state.cursor;
  std::vector<uint64_t> sizes;
  while (cursor.Is('[')) {
    const Place place = cursor.place();
    if (sizes.size() == kMostDimensions) return cursor.Error(place, "too many dimensions");
    cursor.Advance();
    if (cursor.Is(']') && sizes.empty()) {
      sizes.push_back(0);
    } else {
      HLO_INDEXING_ASSIGN_OR_RETURN(const Constant size,
                                    ParseConstant(cursor, state.limits.max_depth));
      if (size.is_float || size.bits == 0 || size.bits > kMostBytes) {
        return cursor.Error(place, size.bits == 0 ? "a dimension of size 0"
                                                  : "the size of a dimension is too large");
      }
      sizes.push_back(size.bits);
    }
    HLO_INDEXING_RETURN_IF_ERROR(cursor.Expect(']', "after the size"));
  }
  return sizes;
}

// The dimensions and the initial value of the variable whose name was read.
absl::Status ParseShape(ParserState& state, const Prefix& prefix, Variable& variable) {
  Cursor& cursor = state.cursor;
  HLO_INDEXING_ASSIGN_OR_RETURN(std::vector<uint64_t> sizes, ParseDimensions(state));
  variable.space = prefix.space;
  variable.type = prefix.type;
  variable.is_extern = prefix.is_extern;
  const uint64_t element_bytes = static_cast<uint64_t>((BitWidth(prefix.type) + 7) / 8);
  variable.alignment =
      prefix.alignment.value_or(static_cast<uint32_t>(element_bytes * prefix.width));
  if (prefix.width > 1) sizes.push_back(prefix.width);
  if (cursor.Is('=')) {
    const bool is_filled = prefix.space == Space::kGlobal || prefix.space == Space::kConst;
    if (!is_filled || prefix.is_extern) {
      return cursor.Error(cursor.place(),
                          "only .global and .const variables of this module have "
                          "initial values");
    }
    cursor.Advance();
    HLO_INDEXING_RETURN_IF_ERROR(ParseInitializers(state, sizes, variable));
  }
  variable.elements = 1;
  for (const uint64_t size : sizes) {
    if (__builtin_mul_overflow(variable.elements, size, &variable.elements) ||
        variable.elements > kMostBytes / element_bytes) {
      return cursor.Error(variable.place, Concat({Quoted(variable.name), " is too large"}));
    }
  }
  return absl::OkStatus();
}

// Adds the variable to the function or the module under its name.
absl::Status AddVariable(ParserState& state, Function* function, Variable variable) {
  std::vector<Variable>& variables =
      function != nullptr ? function->variables : state.module.variables;
  const Declaration declaration{
      function != nullptr ? Meaning::kLocalVariable : Meaning::kModuleVariable, 1,
      static_cast<uint32_t>(variables.size()), variable.place};
  const std::optional<Declaration> first = state.names.Declare(variable.name, declaration);
  if (!first) {
    variables.push_back(std::move(variable));
    return absl::OkStatus();
  }
  // An external one can be declared again, and be defined at last.
  if (first->meaning == declaration.meaning) {
    Variable& before = variables[first->index];
    const bool is_same = before.space == variable.space && before.type == variable.type;
    if (is_same && variable.is_extern) return absl::OkStatus();
    if (is_same && before.is_extern) {
      before = std::move(variable);
      return absl::OkStatus();
    }
  }
  return state.DeclaredTwice(variable.name, variable.place, first->place);
}

}  // namespace

std::optional<Space> SpaceNamed(std::string_view name) {
  for (const Space space :
       {Space::kConst, Space::kGlobal, Space::kLocal, Space::kParam, Space::kShared}) {
    if (NameOf(space) == name) return space;
  }
  return std::nullopt;
}

absl::Status SkipAttribute(ParserState& state) {
  Cursor& cursor = state.cursor;
  cursor.Advance();
  HLO_INDEXING_RETURN_IF_ERROR(cursor.Expect('(', "after '.attribute'"));
  while (!cursor.Is(')')) {
    if (cursor.Is(TokenKind::kEnd) || cursor.Is(TokenKind::kBad) || cursor.Is(';')) {
      return cursor.Unexpected("')' after the attributes");
    }
    cursor.Advance();
  }
  cursor.Advance();
  return absl::OkStatus();
}

absl::Status ParseVariables(ParserState& state, Function* function, Linkage linkage) {
  Cursor& cursor = state.cursor;
  Prefix prefix;
  prefix.space = SpaceNamed(cursor.token().text).value_or(Space::kGlobal);
  prefix.is_extern = linkage == Linkage::kExtern;
  cursor.Advance();
  HLO_INDEXING_RETURN_IF_ERROR(ParseType(state, prefix));
  do {
    HLO_INDEXING_ASSIGN_OR_RETURN(const Token name, cursor.ExpectName("the name of a variable"));
    HLO_INDEXING_RETURN_IF_ERROR(state.Count(1, name.place));
    Variable variable;
    variable.name = name.text;
    variable.place = name.place;
    HLO_INDEXING_RETURN_IF_ERROR(ParseShape(state, prefix, variable));
    if (variable.elements == 0 && !variable.is_extern) {
      return cursor.Error(name.place, Concat({"the size of ", Quoted(name.text), " is missing"}));
    }
    HLO_INDEXING_RETURN_IF_ERROR(AddVariable(state, function, std::move(variable)));
  } while (cursor.Accept(','));
  return cursor.Expect(';', "after the variable");
}

absl::StatusOr<Variable> ParseParameter(ParserState& state) {
  Cursor& cursor = state.cursor;
  Variable variable;
  variable.is_register = cursor.IsDotted("reg");
  if (!variable.is_register && !cursor.IsDotted("param")) {
    return cursor.Unexpected("a parameter, '.param' or '.reg'");
  }
  cursor.Advance();
  Prefix prefix;
  prefix.space = Space::kParam;
  if (variable.is_register && cursor.IsDotted("pred")) {
    cursor.Advance();
    prefix.type = Type::kPred;
  } else {
    HLO_INDEXING_RETURN_IF_ERROR(ParseType(state, prefix));
  }
  if (cursor.AcceptDotted("ptr")) {
    variable.is_pointer = true;
    while (cursor.Is(TokenKind::kDotted)) {
      const Token token = cursor.token();
      cursor.Advance();
      if (token.text == "align") {
        HLO_INDEXING_ASSIGN_OR_RETURN(variable.pointer_alignment, ParseAlignment(state));
      } else if (const std::optional<Space> space = SpaceNamed(token.text)) {
        variable.pointer_space = *space;
      } else {
        return cursor.Error(token.place,
                            Concat({"expected the space or '.align' of a pointer, found ",
                                    QuotedDotted(token.text)}));
      }
    }
  }
  // A prototype may leave out the names.
  variable.name = "_";
  variable.place = cursor.place();
  if (cursor.Is(TokenKind::kName)) {
    variable.name = cursor.token().text;
    cursor.Advance();
  }
  HLO_INDEXING_RETURN_IF_ERROR(state.Count(1, variable.place));
  HLO_INDEXING_RETURN_IF_ERROR(ParseShape(state, prefix, variable));
  if (variable.is_register && variable.elements != 1) {
    return cursor.Error(variable.place, "a parameter in registers is a scalar");
  }
  return variable;
}

}  // namespace hlo_indexing::ptx::syntax
