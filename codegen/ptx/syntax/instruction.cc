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

// The guard, whose '@' is the token.
absl::StatusOr<Guard> ParseGuard(ParserState& state, const Function& function) {
  Cursor& cursor = state.cursor;
  cursor.Advance();
  Guard guard;
  guard.is_negated = cursor.Accept('!');
  HLO_INDEXING_ASSIGN_OR_RETURN(const Token name, cursor.ExpectName("a predicate register"));
  const std::optional<Declaration> declaration = state.names.Find(name.text);
  if (!declaration) {
    return UnknownName(state, name.text, name.place, "register", /*is_module_only=*/false);
  }
  if (declaration->meaning != Meaning::kRegister || declaration->width != 1 ||
      function.registers[declaration->index].type != Type::kPred) {
    return cursor.Error(name.place, Concat({Quoted(name.text), " is no predicate register"}));
  }
  guard.register_index = declaration->index;
  return guard;
}

// Lists the operand and its elements that name what is not declared yet.
void CollectForward(ParserState& state, bool is_label, Operand& operand) {
  if (operand.kind != OperandKind::kLabel || operand.index != kForward) return;
  ForwardName& forward = state.forward.emplace_back();
  forward.name = operand.name;
  forward.place = operand.place;
  forward.operand = &operand;
  forward.is_label = is_label;
  operand.name = {};
}

}  // namespace

absl::Status ParseInstruction(ParserState& state, Function& function) {
  Cursor& cursor = state.cursor;
  Instruction instruction;
  instruction.place = cursor.place();
  instruction.source_file = state.source_file;
  instruction.source_line = state.source_line;
  if (cursor.Is('@')) {
    HLO_INDEXING_ASSIGN_OR_RETURN(instruction.guard, ParseGuard(state, function));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const Token opcode, cursor.ExpectName("an instruction"));
  if (opcode.text[0] == '%') {
    return cursor.Error(opcode.place,
                        Concat({"expected an instruction, found ", Quoted(opcode.text)}));
  }
  instruction.opcode = opcode.text;
  HLO_INDEXING_RETURN_IF_ERROR(state.Count(1, opcode.place));
  while (cursor.Is(TokenKind::kDotted)) {
    instruction.modifiers.push_back({cursor.token().text, cursor.place()});
    cursor.Advance();
  }
  OperandContext context;
  context.function = &function;
  context.is_call = opcode.text == "call";
  context.is_branch = opcode.text == "bra";
  context.may_be_forward = context.is_call || opcode.text == "mov" || opcode.text == "brx";
  if (!cursor.Is(';')) {
    instruction.operands.reserve(4);
    do {
      HLO_INDEXING_RETURN_IF_ERROR(
          ParseOperand(state, context, instruction.operands.emplace_back()));
    } while (cursor.Accept(','));
  }
  HLO_INDEXING_RETURN_IF_ERROR(cursor.Expect(';', "after the operands"));
  if (context.is_branch || context.may_be_forward) {
    for (Operand& operand : instruction.operands) {
      CollectForward(state, context.is_branch, operand);
    }
  }
  function.instructions.push_back(std::move(instruction));
  return absl::OkStatus();
}

}  // namespace hlo_indexing::ptx::syntax
