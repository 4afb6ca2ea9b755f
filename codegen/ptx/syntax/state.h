// What the functions of the parser share, and these functions: each reads one part of the text.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_STATE_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_STATE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/cursor.h"
#include "codegen/ptx/syntax/module.h"
#include "codegen/ptx/syntax/names.h"
#include "codegen/ptx/syntax/parser.h"

namespace hlo_indexing::ptx::syntax {

/// A name that is used before its declaration; what uses it is completed then. One of the pointers
/// is set; they point into vectors that are complete.
struct ForwardName {
  std::string_view name;
  Place place;
  Operand* operand = nullptr;
  Initializer* initializer = nullptr;
  uint32_t* label = nullptr;
  uint32_t* function = nullptr;
  /// A branch leads to labels alone.
  bool is_label = false;
};

struct ParserState {
  ParserState(std::string_view text, std::string_view name, const ParserLimits& parser_limits)
      : cursor(text, name), limits(parser_limits), items_left(parser_limits.max_items) {
    module.files.emplace_back();
  }

  /// Errors where these are more items than the limit allows.
  absl::Status Count(uint64_t items, Place place);
  /// "'x' is already declared": `first` is where.
  absl::Status DeclaredTwice(std::string_view name, Place place, Place first) const;

  Cursor cursor;
  ParserLimits limits;
  int64_t items_left;
  Module module;
  Names names;
  /// Of the function that is read, then of the module.
  std::vector<ForwardName> forward;
  std::vector<ForwardName> module_forward;
  /// By open scope of the function, the first of `forward` that is used in it.
  std::vector<size_t> scopes_of_forward;
  /// By number of `.file`, the index in module.files.
  std::unordered_map<uint32_t, uint32_t> files;
  /// Of the last `.loc`.
  uint32_t source_file = 0;
  uint32_t source_line = 0;
  /// By index of a function, what it is an alias of.
  std::unordered_map<uint32_t, ForwardName> aliases;
};

/// Whether a variable is declared where no function is read.
enum class Linkage : uint8_t { kNone, kExtern, kOther };

// registers.cc
/// `.reg`, whose token is the next.
absl::Status ParseRegisters(ParserState& state, Function& function);

// variable.cc
/// `.global`, `.shared`..., whose token is the next: variables of the module, or of `function`.
absl::Status ParseVariables(ParserState& state, Function* function, Linkage linkage);
/// One of a list of parameters: `.param .u64 .ptr .align 4 x` or `.reg .u32 x`.
absl::StatusOr<Variable> ParseParameter(ParserState& state);
/// The space that a dotted name is, `shared`; nullopt for others and the generic one.
std::optional<Space> SpaceNamed(std::string_view name);
/// `.attribute(...)`, whose token is the next.
absl::Status SkipAttribute(ParserState& state);

// initializer.cc
/// What follows `=`: `sizes` are those of the dimensions; the first may be 0, not yet known, and is
/// set then.
absl::Status ParseInitializers(ParserState& state, std::vector<uint64_t>& sizes,
                               Variable& variable);

// function.cc
/// `.entry` or `.func`, whose token is the next.
absl::Status ParseFunction(ParserState& state);
/// The parenthesised list of parameters or results.
absl::StatusOr<std::vector<Variable>> ParseParameterList(ParserState& state);
/// `.noreturn`, `.abi_preserve 8`... behind a prototype.
absl::Status SkipPrototypeDirectives(ParserState& state);
/// What follows `.pragma`.
absl::Status SkipPragma(ParserState& state);

// body.cc
/// What stands between the braces of a function and the closing one, with the opening one next.
absl::Status ParseBody(ParserState& state, Function& function);

// instruction.cc
/// From the guard to the semicolon. `guard` is the place of '@', if there is one.
absl::Status ParseInstruction(ParserState& state, Function& function);

// operand.cc
struct OperandContext {
  const Function* function = nullptr;
  /// A parenthesis is a list, not an expression.
  bool is_call = false;
  /// A name that is not declared can be declared later.
  bool may_be_forward = false;
  /// A name is a label.
  bool is_branch = false;
  /// Braces and brackets cannot hold others.
  bool is_inner = false;
};
/// The index of an operand whose name is not declared yet.
inline constexpr uint32_t kForward = ~uint32_t{0};
absl::Status ParseOperand(ParserState& state, const OperandContext& context, Operand& operand);
/// What is wrong with a name that nothing declares. `what` is "register", "label", "name"...
absl::Status UnknownName(const ParserState& state, std::string_view name, Place place,
                         std::string_view what, bool is_module_only);

// source_lines.cc
/// `.file`, `.loc` and `.section`, whose token is the next.
absl::Status ParseFile(ParserState& state);
absl::Status ParseLocation(ParserState& state);
absl::Status SkipSection(ParserState& state);

// forward.cc
/// Completes what used names before their declaration, of the scope that ends.
void ResolveForwardInScope(ParserState& state);
/// What is left of a function: names of functions, known or not yet.
absl::Status ResolveForwardInFunction(ParserState& state);
absl::Status ResolveForwardInModule(ParserState& state);

}  // namespace hlo_indexing::ptx::syntax

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_STATE_H_
