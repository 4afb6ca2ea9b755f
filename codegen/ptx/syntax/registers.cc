#include <cstdint>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/constant.h"
#include "codegen/ptx/syntax/diagnostics.h"
#include "codegen/ptx/syntax/state.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx::syntax {
namespace {

absl::Status DeclareRegisters(ParserState& state, Function& function, Type type, uint8_t width) {
  Cursor& cursor = state.cursor;
  HLO_INDEXING_ASSIGN_OR_RETURN(const Token name, cursor.ExpectName("the name of a register"));
  const bool is_range = cursor.Accept('<');
  uint32_t count = 1;
  if (is_range) {
    const Place place = cursor.place();
    HLO_INDEXING_ASSIGN_OR_RETURN(const Constant number, ParseNumber(cursor));
    if (number.is_float || number.bits > std::numeric_limits<int32_t>::max()) {
      return cursor.Error(place, "the number of registers is too large");
    }
    count = static_cast<uint32_t>(number.bits);
    HLO_INDEXING_RETURN_IF_ERROR(cursor.Expect('>', "after the number of registers"));
  }
  HLO_INDEXING_RETURN_IF_ERROR(state.Count(uint64_t{count} * width, name.place));
  const Declaration declaration{Meaning::kRegister, width,
                                static_cast<uint32_t>(function.registers.size()), name.place};
  const std::optional<Declaration> first =
      is_range ? state.names.DeclareRange(name.text, count, declaration)
               : state.names.Declare(name.text, declaration);
  if (first) return state.DeclaredTwice(name.text, name.place, first->place);
  for (uint32_t number = 0; number < count; ++number) {
    for (uint8_t component = 0; component < width; ++component) {
      function.registers.push_back({name.text, type, name.place,
                                    is_range ? static_cast<int32_t>(number) : -1,
                                    static_cast<int8_t>(width > 1 ? component : -1)});
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseRegisters(ParserState& state, Function& function) {
  Cursor& cursor = state.cursor;
  cursor.Advance();
  uint8_t width = 1;
  if (cursor.AcceptDotted("v2")) {
    width = 2;
  } else if (cursor.AcceptDotted("v4")) {
    width = 4;
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const Token type_name,
                                cursor.ExpectDotted("the type of a register"));
  const std::optional<Type> type = TypeNamed(type_name.text);
  if (!type) {
    return cursor.Error(type_name.place, Concat({"unknown type ", QuotedDotted(type_name.text)}));
  }
  do {
    HLO_INDEXING_RETURN_IF_ERROR(DeclareRegisters(state, function, *type, width));
  } while (cursor.Accept(','));
  return cursor.Expect(';', "after the registers");
}

}  // namespace hlo_indexing::ptx::syntax
