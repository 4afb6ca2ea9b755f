// The text of CuTe's values, and of expressions over them, as a tree.
//
//   expression ::= term { 'o' term }                  Sw<3,4,3> o _0 o (_8,_64):(_64,_1)
//   term       ::= primary [ ':' primary ]            (_4,(_2,8)):(_1,(_4,_8))
//   primary    ::= integer | '_' | '(' list ')' | '<' list '>' | 'Sw' '<' b ',' m ',' s '>'
//                | name [ '(' list ')' ] | quoted text
//   integer    ::= ['_'] ['-'] digits ['{div=' digits '}'] { '@' digits }
//
// `<...>` is a tile and means the same as `(...)`. What names mean is up to calculator.h.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_SYNTAX_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_SYNTAX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/layout.h"
#include "layout/cute_algebra/tree.h"
#include "llvm/ADT/StringRef.h"
#include "support/diagnostics.h"

namespace hlo_indexing::layout {

struct CuteExpression {
  enum class Kind : uint8_t {
    kInteger,
    kUnderscore,
    /// The members are the operands.
    kTuple,
    /// Operands: shape, stride.
    kLayout,
    /// Operands: bits, base, shift, all integers.
    kSwizzle,
    /// Operands: two or three functions, `a o b`.
    kComposed,
    /// `name(operands)`
    kCall,
    /// A name without parentheses: an element type.
    kName,
    /// 'text' or "text".
    kText,
  };

  Kind kind = Kind::kTuple;
  /// The byte at which it begins.
  size_t offset = 0;
  TupleInteger integer;
  /// Of calls, names and texts.
  std::string text;
  std::vector<CuteExpression> operands;
};

/// Parses a text that is one expression; fills `error` if it is not.
std::optional<CuteExpression> ParseCuteExpression(llvm::StringRef text, support::TextError& error);

/// Parses a text without calls. What prints as a layout, tuple or tree parses back to an equal one.
/// Errors are rendered, with line, column and caret.
/// Example: "(_4,8):(_1,_4)"
absl::StatusOr<CuteLayout> ParseCuteLayout(llvm::StringRef text);
absl::StatusOr<CuteTree> ParseCuteTree(llvm::StringRef text);

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_SYNTAX_H_
