#include "layout/tiled_layout.h"

#include <algorithm>

#include "layout/row_major.h"
#include "layout/tiled_index.h"
#include "llvm/ADT/STLExtras.h"
#include "simplifier/affine_bridge.h"
#include "simplifier/arithmetic.h"
#include "support/checked_math.h"

namespace hlo_indexing::layout {
namespace {

using simplifier::Atom;
using simplifier::Constraint;
using simplifier::DigitContext;
using simplifier::Interval;
using simplifier::QuasiAffineMap;
using simplifier::QuotientProgram;
using simplifier::Sum;
using simplifier::VariableId;

absl::Status SizeError() {
  return absl::InvalidArgumentError("the array's size in bits does not fit in 64 bits");
}

llvm::SmallVector<Sum, 6> IndexVariables(DigitContext& context, llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<Sum, 6> index;
  for (const auto& [i, size] : llvm::enumerate(sizes)) {
    index.push_back(context.Variable(static_cast<VariableId>(i), {0, size - 1}));
  }
  return index;
}

// A map over variables 0, 1, ... as affine expressions; nullopt if MLIR would fold constants of one
// that overflow.
std::optional<BoundedAffineMap> WriteMap(DigitContext& context, const QuasiAffineMap& map,
                                         mlir::MLIRContext* mlir_context) {
  const auto leaf = [&](const Atom& atom) {
    return mlir::getAffineDimExpr(atom.variable, mlir_context);
  };
  simplifier::AffineWriter writer(context, mlir_context, leaf);
  BoundedAffineMap result;
  result.dimension_bounds.assign(map.boxes.begin(), map.boxes.end());
  llvm::SmallVector<mlir::AffineExpr, 6> results;
  for (const Sum& sum : map.results) {
    const std::optional<mlir::AffineExpr> expression = writer.Write(sum);
    if (!expression) return std::nullopt;
    results.push_back(*expression);
  }
  for (const Constraint& constraint : map.constraints) {
    const std::optional<mlir::AffineExpr> expression = writer.Write(constraint.expression);
    if (!expression) return std::nullopt;
    result.constraints.emplace_back(*expression, constraint.bounds);
  }
  const auto num_dimensions = static_cast<unsigned>(map.boxes.size());
  result.map = mlir::AffineMap::get(num_dimensions, 0, results, mlir_context);
  return result;
}

bool IsIdentity(llvm::ArrayRef<int64_t> permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

std::string ListToString(llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (const int64_t value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

}  // namespace

absl::StatusOr<TiledLayout> TiledLayout::Create(llvm::ArrayRef<int64_t> dimensions,
                                                int64_t element_bits, Layout layout) {
  TiledLayout result;
  result.dimensions_.assign(dimensions.begin(), dimensions.end());
  if (const auto error = FindLayoutError(layout, result.rank())) {
    return absl::InvalidArgumentError(*error);
  }
  if (llvm::any_of(dimensions, [](int64_t size) { return size < 0; })) {
    return absl::InvalidArgumentError("a dimension cannot be negative");
  }
  result.element_bits_ =
      layout.element_size_in_bits > 0 ? layout.element_size_in_bits : element_bits;
  if (result.element_bits_ < 1) {
    return absl::InvalidArgumentError("an element must have at least one bit");
  }
  const auto levels = TilingLevels(dimensions, layout);
  const auto positions = PhysicalElements(dimensions, layout);
  if (!levels || !positions) return SizeError();
  // Seven more bits so that bytes can be rounded up.
  const auto bits = support::CheckedMul(*positions, result.element_bits_);
  if (!bits || !support::CheckedAdd(*bits, 7)) return SizeError();
  result.levels_ = *levels;
  result.num_positions_ = *positions;
  result.num_tiled_positions_ =
      Product(levels->empty() ? PhysicalOrder(dimensions, layout) : levels->back().after)
          .value_or(0);
  result.num_elements_ = Product(dimensions).value_or(0);
  result.layout_ = std::move(layout);
  if (result.num_elements_ == 0) return result;

  DigitContext context;
  const std::optional<Sum> position = result.PositionSum(context);
  if (!position) return SizeError();
  const auto position_program = QuotientProgram::Create(*position, dimensions.size());
  QuasiAffineMap index = result.IndexSums(context);
  for (const Constraint& constraint : index.constraints) {
    index.results.push_back(constraint.expression);
    result.constraint_bounds_.push_back(constraint.bounds);
  }
  const auto index_program = QuotientProgram::Create(index.results, 1);
  if (!position_program || !index_program) return SizeError();
  result.position_ = *position_program;
  result.index_ = *index_program;
  return result;
}

bool TiledLayout::ContainsIndex(llvm::ArrayRef<int64_t> index) const {
  if (index.size() != dimensions_.size()) return false;
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0 || index[i] >= dimensions_[i]) return false;
  }
  return true;
}

std::optional<llvm::SmallVector<int64_t, 6>> TiledLayout::IndexAt(int64_t position) const {
  if (position < 0 || position >= num_positions_ || num_elements_ == 0) return std::nullopt;
  llvm::SmallVector<int64_t, 6> values(dimensions_.size() + constraint_bounds_.size());
  // The tail follows the tiles; there the sums have no meaning.
  if (position >= num_tiled_positions_) return std::nullopt;
  index_.Evaluate(position, values);
  for (size_t i = 0; i < constraint_bounds_.size(); ++i) {
    if (!constraint_bounds_[i].Contains(values[dimensions_.size() + i])) return std::nullopt;
  }
  values.resize(dimensions_.size());
  return values;
}

bool TiledLayout::IsPadding(int64_t position) const {
  return position >= 0 && position < num_positions_ && !IndexAt(position);
}

std::vector<LayoutStep> TiledLayout::Steps() const {
  using Kind = LayoutStep::Kind;
  std::vector<LayoutStep> steps;
  steps.push_back({Kind::kArray, {}, Bounds(dimensions_.begin(), dimensions_.end()), {}});
  const auto add = [&](Kind kind, const Bounds& shape, std::optional<size_t> tile) {
    if (steps.back().shape != shape) steps.push_back({kind, {}, shape, tile});
  };
  const auto transpose = [&](llvm::SmallVector<int64_t, 8> permutation, const Bounds& shape,
                             std::optional<size_t> tile) {
    if (!IsIdentity(permutation)) {
      steps.push_back({Kind::kTranspose, std::move(permutation), shape, tile});
    }
  };
  llvm::SmallVector<int64_t, 8> order(layout_.minor_to_major.rbegin(),
                                      layout_.minor_to_major.rend());
  transpose(order, PhysicalOrder(dimensions_, layout_), std::nullopt);
  for (const auto& [i, level] : llvm::enumerate(levels_)) {
    const bool combines = level.before.size() != level.combined.size();
    add(combines ? Kind::kCombine : Kind::kReshape, level.combined, i);
    add(Kind::kPad, level.padded, i);
    add(Kind::kReshape, level.reshaped, i);
    llvm::SmallVector<int64_t, 8> permutation(level.permutation.begin(), level.permutation.end());
    transpose(permutation, level.after, i);
  }
  if (layout_.tail_padding_alignment > 1 && Product(steps.back().shape) != num_positions_) {
    steps.push_back({Kind::kPadTail, {}, Bounds({num_positions_}), {}});
  }
  return steps;
}

std::optional<Sum> TiledLayout::PositionSum(DigitContext& context) const {
  if (num_elements_ == 0) return std::nullopt;
  return PhysicalIndex(context, IndexVariables(context, dimensions_), dimensions_, layout_);
}

QuasiAffineMap TiledLayout::IndexSums(DigitContext& context) const {
  QuasiAffineMap map;
  map.boxes.push_back(Interval::Empty());
  map.empty = num_elements_ == 0;
  if (map.empty) {
    map.results.assign(dimensions_.size(), simplifier::Constant(0));
    return map;
  }
  // Without the tail, whose positions are behind all tiles.
  map.boxes[0] = {0, num_tiled_positions_ - 1};
  const auto index = LogicalIndex(context, map.Variable(context, 0), dimensions_, layout_);
  // It exists, for the levels do.
  map.results = index->index;
  map.constraints = index->constraints;
  return map;
}

std::optional<BoundedAffineMap> TiledLayout::PositionMap(mlir::MLIRContext* context) const {
  DigitContext digits;
  QuasiAffineMap map;
  for (const int64_t size : dimensions_) map.boxes.push_back({0, size - 1});
  map.results.push_back(PositionSum(digits).value_or(simplifier::Constant(0)));
  return WriteMap(digits, map, context);
}

std::optional<BoundedAffineMap> TiledLayout::IndexMap(mlir::MLIRContext* context) const {
  DigitContext digits;
  QuasiAffineMap map = IndexSums(digits);
  if (!map.empty) simplifier::Simplify(digits, map);
  return WriteMap(digits, map, context);
}

llvm::StringRef LayoutStepName(LayoutStep::Kind kind) {
  switch (kind) {
    case LayoutStep::Kind::kArray:
      return "array";
    case LayoutStep::Kind::kTranspose:
      return "transpose";
    case LayoutStep::Kind::kCombine:
      return "combine";
    case LayoutStep::Kind::kPad:
      return "pad";
    case LayoutStep::Kind::kReshape:
      return "reshape";
    case LayoutStep::Kind::kPadTail:
      return "pad_tail";
  }
  return "";
}

std::string StepsToString(llvm::ArrayRef<LayoutStep> steps) {
  std::string text;
  constexpr size_t kNameWidth = 10;
  for (const LayoutStep& step : steps) {
    std::string line = LayoutStepName(step.kind).str();
    line.resize(kNameWidth, ' ');
    line += "[" + ListToString(step.shape) + "]";
    if (step.kind == LayoutStep::Kind::kTranspose) {
      line += "  dimensions={" + ListToString(step.permutation) + "}";
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace hlo_indexing::layout
