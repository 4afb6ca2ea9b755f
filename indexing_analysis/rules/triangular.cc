// Operations on triangular matrices, the last two dimensions of an array.
#include "indexing_analysis/rules/read_rules.h"

namespace hlo_indexing::indexing_analysis::read_rules {
namespace {

using hlo::AttributeName;
using Indices = llvm::SmallVector<Sum, 6>;

constexpr Interval kNotNegative = {0, Interval::kPlusInfinity};
constexpr Interval kPositive = {1, Interval::kPlusInfinity};

// The batch indices of the output, and a position in a matrix.
Indices InMatrix(const ReadContext& context, const Sum& row, const Sum& column) {
  Indices index(context.index().drop_back(2));
  index.push_back(row);
  index.push_back(column);
  return index;
}

enum class Stored : uint8_t { kAsIs, kTransposed };

Indices InMatrix(const ReadContext& context, const Sum& row, const Sum& column, Stored stored) {
  return stored == Stored::kAsIs ? InMatrix(context, row, column) : InMatrix(context, column, row);
}

bool RequireMatrices(ReadContext& context) {
  bool fits = context.index().size() >= 2;
  for (size_t i = 0; i < context.num_operands(); ++i) {
    fits = fits && context.operand(i).sizes().size() == context.index().size();
  }
  if (!fits) context.ReadUnknown("the operands must be matrices of the same rank");
  return fits;
}

bool IsTrue(const hlo::Instruction& instruction, AttributeName name) {
  return instruction.Get<bool>(name).value_or(false);
}

}  // namespace

// With a = l l^T, element (i, j) of l on or below the diagonal depends on row i of a up to column
// j, and on the lower triangle of the leading block of size j + 1. Above the diagonal it may be
// anything. For upper triangles, everything transposed.
void Cholesky(ReadContext& context) {
  if (!RequireMatrices(context)) return;
  DigitContext& digits = context.digits();
  const size_t rank = context.index().size();
  const Stored stored =
      IsTrue(context.instruction(), AttributeName::kLower) ? Stored::kAsIs : Stored::kTransposed;
  const Sum row = context.index()[stored == Stored::kAsIs ? rank - 2 : rank - 1];
  const Sum column = context.index()[stored == Stored::kAsIs ? rank - 1 : rank - 2];
  const int64_t size = context.operand(0).sizes()[rank - 1];
  Access start = context.Start();
  context.Constrain(start, Subtract(digits, row, column), kNotNegative);
  Access along_row = start;
  const Sum q = context.AddRange(along_row, size);
  context.Constrain(along_row, Subtract(digits, column, q), kNotNegative);
  context.ReadWithin(0, 0, std::move(along_row), InMatrix(context, row, q, stored));
  Access block = std::move(start);
  const Sum block_row = context.AddRange(block, size);
  const Sum block_column = context.AddRange(block, size);
  context.Constrain(block, Subtract(digits, column, block_row), kNotNegative);
  context.Constrain(block, Subtract(digits, block_row, block_column), kNotNegative);
  context.ReadWithin(0, 0, std::move(block), InMatrix(context, block_row, block_column, stored));
}

// x with op(a) x = b, or x op(a) = b. Solving goes down the rows if op(a) is lower triangular
// (from the left; along the columns if it is upper, from the right): position i depends on the
// positions before it of b, and on the triangle of a up to there. A unit diagonal is not read.
void TriangularSolve(ReadContext& context) {
  if (!RequireMatrices(context)) return;
  const hlo::Instruction& solve = context.instruction();
  DigitContext& digits = context.digits();
  const size_t rank = context.index().size();
  const auto transpose = solve.Get<hlo::Keyword>(AttributeName::kTransposeA);
  const bool is_transposed = transpose && transpose->text != "NO_TRANSPOSE";
  const bool is_left = IsTrue(solve, AttributeName::kLeftSide);
  const bool is_lower = IsTrue(solve, AttributeName::kLower);
  // Whether position i depends on those before it; op(a) is lower if exactly one is set.
  const bool goes_up = (is_lower != is_transposed) == is_left;
  const size_t solved = is_left ? rank - 2 : rank - 1;
  const Sum position = context.index()[solved];
  const int64_t size = context.operand(0).sizes()[rank - 1];
  const auto at_or_before = [&](Access& access, const Sum& a, const Sum& b, Interval distance) {
    context.Constrain(access, goes_up ? Subtract(digits, b, a) : Subtract(digits, a, b), distance);
  };
  Access of_b = context.Start();
  Indices b_index(context.index().begin(), context.index().end());
  b_index[solved] = context.AddRange(of_b, context.operand(1).sizes()[solved]);
  at_or_before(of_b, b_index[solved], position, kNotNegative);
  context.ReadWithin(1, 0, std::move(of_b), b_index);
  Access of_a = context.Start();
  const Sum row = context.AddRange(of_a, size);
  const Sum column = context.AddRange(of_a, size);
  // `last` is the later one of row and column in the order of solving.
  const bool row_is_last = is_lower == goes_up;
  const Sum& last = row_is_last ? row : column;
  const Sum& first = row_is_last ? column : row;
  at_or_before(of_a, last, position, kNotNegative);
  at_or_before(of_a, first, last,
               IsTrue(solve, AttributeName::kUnitDiagonal) ? kPositive : kNotNegative);
  context.ReadWithin(0, 0, std::move(of_a), InMatrix(context, row, column));
}

}  // namespace hlo_indexing::indexing_analysis::read_rules
