// A calculator for CuTe's algebra: the values of expressions like
//
//   composition((_4,_8):(_8,_1), _2:_4)        _2:_16
//   local_partition((24,8):(1,24), (8,4):(1,8), 10)
//
// Functions have the names and the order of arguments of CuTe's own; docs/cute_algebra.md lists
// them.
#ifndef HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_CALCULATOR_H_
#define HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_CALCULATOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "layout/cute_algebra/layout.h"
#include "layout/cute_algebra/swizzle.h"
#include "layout/cute_algebra/syntax.h"
#include "layout/cute_algebra/tensor.h"
#include "layout/cute_algebra/tiling.h"
#include "layout/cute_algebra/tree.h"
#include "support/diagnostics.h"

namespace hlo_indexing::layout {

/// A text as a result (a table, a map), or as an argument (the name of an element type).
struct CuteText {
  std::string text;
};

/// Which element of a tile is the value of which thread: (thread,value) to the index in the tile.
struct ThreadValueTile {
  CuteLayout thread_values;
  /// Two extents.
  int64_t rows = 0;
  int64_t columns = 0;
};

/// Tuples of integers, `_` and layouts; layouts, which may be composed or begin at an offset; and
/// the rest.
using CuteValue = std::variant<CuteTree, CuteTensor, CuteSwizzle, ThreadValueTile, CuteText>;

/// What an expression gives.
struct CuteResult {
  CuteValue value;
  /// Of a divide or a partition whose tiles reach past the end: which coordinates are inside.
  std::optional<TensorBound> bound;
};

/// The first name in an expression that is neither a function nor an element type; nullopt if all
/// are known.
/// Example: compositon(4:1, 2:1) -> 0: there is no function ...; did you mean 'composition'?
std::optional<support::TextError> FindUnknownName(const CuteExpression& expression);

/// Evaluates an expression. If a function has no result, fills `error` with the reason and the
/// place of the call, or of the argument that does not fit.
std::optional<CuteResult> EvaluateCute(const CuteExpression& expression, support::TextError& error);

/// CuTe's text. A layout that does not begin at 0 is `counting_iter(26) o (3,2):(8,96)`, one that
/// maps to coordinates `ArithTuple(8,0) o (8,4):(_1@0,_1@1)`; both parse back.
std::string CuteValueText(const CuteValue& value);

/// A function of the calculator, for help and for misspellings.
struct CuteFunctionHelp {
  std::string name;
  /// Example: composition(A, B)
  std::string signature;
};
std::vector<CuteFunctionHelp> CuteFunctions();

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_LAYOUT_CUTE_ALGEBRA_CALCULATOR_H_
