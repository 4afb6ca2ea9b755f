// Reads PTX text.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_PARSER_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_PARSER_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx::syntax {

struct ParserLimits {
  /// Registers, variables, labels and instructions, of all functions together.
  int64_t max_items = 50'000'000;
  /// Nested scopes, and operators of a constant expression.
  int64_t max_depth = 200;
};

/// The module that `text` (PTX ISA 6.0 to 9.0) says. Views `text`, which must outlive it. The first
/// error is an InvalidArgument status: `name:line:column: error: ...`, the line, a caret.
absl::StatusOr<Module> ParseModule(std::string_view text, std::string_view name,
                                   const ParserLimits& limits = {});

/// An error at a place of a text, as ParseModule renders it.
absl::Status ErrorAt(std::string_view text, std::string_view name, Place place,
                     std::string_view message);

}  // namespace hlo_indexing::ptx::syntax

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_PARSER_H_
