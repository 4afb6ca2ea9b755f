#include <array>
#include <cstdint>
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

absl::StatusOr<uint32_t> ParseDirectiveNumber(ParserState& state) {
  return ParseSmallNumber(state.cursor, state.limits.max_depth);
}

// One to three sizes; those that are not given are 1.
absl::Status ParseThree(ParserState& state, std::array<uint32_t, 3>& sizes) {
  sizes = {1, 1, 1};
  for (uint32_t& size : sizes) {
    const Place place = state.cursor.place();
    HLO_INDEXING_ASSIGN_OR_RETURN(size, ParseDirectiveNumber(state));
    if (size == 0) return state.cursor.Error(place, "a size of 0");
    if (!state.cursor.Accept(',')) break;
  }
  return absl::OkStatus();
}

// A directive between the parameters and the body, whose name is behind the cursor.
absl::Status ParseDirective(ParserState& state, const Token& name, Function& function) {
  if (name.text == "maxntid") return ParseThree(state, function.max_block);
  if (name.text == "reqntid") return ParseThree(state, function.required_block);
  if (name.text == "reqnctapercluster") return ParseThree(state, function.required_cluster);
  if (name.text == "minnctapersm") {
    HLO_INDEXING_ASSIGN_OR_RETURN(function.min_blocks_per_multiprocessor,
                                  ParseDirectiveNumber(state));
    return absl::OkStatus();
  }
  if (name.text == "maxnreg") {
    HLO_INDEXING_ASSIGN_OR_RETURN(function.max_registers, ParseDirectiveNumber(state));
    return absl::OkStatus();
  }
  if (name.text == "maxclusterrank") {
    HLO_INDEXING_ASSIGN_OR_RETURN(function.max_cluster_rank, ParseDirectiveNumber(state));
    return absl::OkStatus();
  }
  if (name.text == "explicitcluster") {
    function.is_explicit_cluster = true;
    return absl::OkStatus();
  }
  // What says nothing about what the function does.
  if (name.text == "maxnctapersm" || name.text == "abi_preserve" ||
      name.text == "abi_preserve_control") {
    return ParseDirectiveNumber(state).status();
  }
  if (name.text == "noreturn" || name.text == "blocksareclusters") return absl::OkStatus();
  if (name.text == "pragma") return SkipPragma(state);
  const std::vector<std::string_view> known = {"maxntid",           "reqntid",  "minnctapersm",
                                               "maxnctapersm",      "maxnreg",  "maxclusterrank",
                                               "explicitcluster",   "noreturn", "reqnctapercluster",
                                               "blocksareclusters", "pragma"};
  return state.cursor.Error(name.place,
                            Concat({"unknown directive ", QuotedDotted(name.text), " of a function",
                                    DidYouMeanDotted(name.text, known)}));
}

// Adds parameters or results to the function and declares their names.
absl::Status AddParameters(ParserState& state, std::vector<Variable> list, Function& function,
                           std::vector<uint32_t>& indices, std::vector<bool>& are_registers) {
  for (Variable& variable : list) {
    const bool is_register = variable.is_register;
    const size_t index = is_register ? function.registers.size() : function.variables.size();
    indices.push_back(static_cast<uint32_t>(index));
    are_registers.push_back(is_register);
    const Declaration declaration{is_register ? Meaning::kRegister : Meaning::kLocalVariable, 1,
                                  static_cast<uint32_t>(index), variable.place};
    const std::optional<Declaration> first =
        variable.name == "_" ? std::nullopt : state.names.Declare(variable.name, declaration);
    if (first) return state.DeclaredTwice(variable.name, variable.place, first->place);
    if (is_register) {
      function.registers.push_back({variable.name, variable.type, variable.place});
    } else {
      function.variables.push_back(std::move(variable));
    }
  }
  return absl::OkStatus();
}

// The index of the function with this name, which is declared with it.
absl::StatusOr<uint32_t> IndexOf(ParserState& state, const Function& function) {
  const uint32_t index = static_cast<uint32_t>(state.module.functions.size());
  const std::optional<Declaration> first =
      state.names.Declare(function.name, {Meaning::kFunction, 1, index, function.place});
  if (!first) {
    HLO_INDEXING_RETURN_IF_ERROR(state.Count(1, function.place));
    Function& declared = state.module.functions.emplace_back();
    declared.name = function.name;
    declared.place = function.place;
    declared.is_entry = function.is_entry;
    return index;
  }
  if (first->meaning != Meaning::kFunction ||
      state.module.functions[first->index].is_entry != function.is_entry) {
    return state.DeclaredTwice(function.name, function.place, first->place);
  }
  return first->index;
}

// What follows the name, with the scope of the function open.
absl::Status ParseSignatureAndBody(ParserState& state, std::vector<Variable> results,
                                   Function& function) {
  Cursor& cursor = state.cursor;
  HLO_INDEXING_RETURN_IF_ERROR(AddParameters(state, std::move(results), function, function.results,
                                             function.result_is_register));
  if (cursor.Is('(')) {
    HLO_INDEXING_ASSIGN_OR_RETURN(std::vector<Variable> parameters, ParseParameterList(state));
    HLO_INDEXING_RETURN_IF_ERROR(AddParameters(state, std::move(parameters), function,
                                               function.parameters,
                                               function.parameter_is_register));
  }
  while (cursor.Is(TokenKind::kDotted)) {
    const Token name = cursor.token();
    cursor.Advance();
    HLO_INDEXING_RETURN_IF_ERROR(ParseDirective(state, name, function));
  }
  if (cursor.Accept(';')) return absl::OkStatus();
  if (!cursor.Is('{')) return cursor.Unexpected("the body of the function");
  function.has_body = true;
  return ParseBody(state, function);
}

}  // namespace

absl::StatusOr<std::vector<Variable>> ParseParameterList(ParserState& state) {
  Cursor& cursor = state.cursor;
  cursor.Advance();
  std::vector<Variable> list;
  if (cursor.Accept(')')) return list;
  do {
    HLO_INDEXING_ASSIGN_OR_RETURN(Variable variable, ParseParameter(state));
    list.push_back(std::move(variable));
  } while (cursor.Accept(','));
  HLO_INDEXING_RETURN_IF_ERROR(cursor.Expect(')', "after the parameters"));
  return list;
}

absl::Status SkipPrototypeDirectives(ParserState& state) {
  Function ignored;
  while (state.cursor.Is(TokenKind::kDotted)) {
    const Token name = state.cursor.token();
    state.cursor.Advance();
    HLO_INDEXING_RETURN_IF_ERROR(ParseDirective(state, name, ignored));
  }
  return absl::OkStatus();
}

absl::Status SkipPragma(ParserState& state) {
  Cursor& cursor = state.cursor;
  do {
    if (!cursor.Is(TokenKind::kString)) return cursor.Unexpected("the string of a '.pragma'");
    cursor.Advance();
  } while (cursor.Accept(','));
  return cursor.Expect(';', "after the '.pragma'");
}

absl::Status ParseFunction(ParserState& state) {
  Cursor& cursor = state.cursor;
  Function function;
  function.is_entry = cursor.IsDotted("entry");
  cursor.Advance();
  if (cursor.IsDotted("attribute")) HLO_INDEXING_RETURN_IF_ERROR(SkipAttribute(state));
  std::vector<Variable> results;
  if (cursor.Is('(')) {
    if (function.is_entry) return cursor.Error(cursor.place(), "a kernel has no results");
    HLO_INDEXING_ASSIGN_OR_RETURN(results, ParseParameterList(state));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const Token name, cursor.ExpectName("the name of a function"));
  function.name = name.text;
  function.place = name.place;
  HLO_INDEXING_ASSIGN_OR_RETURN(const uint32_t index, IndexOf(state, function));
  state.names.OpenScope();
  HLO_INDEXING_RETURN_IF_ERROR(ParseSignatureAndBody(state, std::move(results), function));
  state.names.CloseScope();
  Function& declared = state.module.functions[index];
  if (declared.has_body && function.has_body) {
    return state.DeclaredTwice(function.name, function.place, declared.place);
  }
  if (!declared.has_body) declared = std::move(function);
  return absl::OkStatus();
}

}  // namespace hlo_indexing::ptx::syntax
