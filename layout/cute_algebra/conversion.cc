#include "layout/cute_algebra/conversion.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/properties.h"
#include "layout/cute_algebra/tuple.h"
#include "layout/tiled_index.h"
#include "llvm/ADT/STLExtras.h"
#include "simplifier/affine_bridge.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

using simplifier::DigitContext;
using simplifier::Sum;
using simplifier::Term;

absl::Status NoLayout(const std::string& why) {
  return absl::FailedPreconditionError(
      "no CuTe layout found whose modes are digits of the index: " + why);
}

// The digits of one variable, from the lowest on, as modes; what lies between them has stride 0.
// `covered` becomes the product of their extents, at least the extent of the variable.
absl::StatusOr<CuteModes> ModesOfDigits(std::vector<Term> digits, size_t variable, int64_t extent,
                                        int64_t& covered) {
  llvm::sort(digits, [](const Term& a, const Term& b) { return a.lo < b.lo; });
  CuteModes modes;
  covered = 1;
  const std::string name = "d" + std::to_string(variable);
  for (const Term& digit : digits) {
    if (digit.lo % covered != 0 || digit.extent == simplifier::kUnbounded) {
      return NoLayout("the digits of " + name + " do not divide each other");
    }
    if (digit.lo > covered) {
      modes.push_back({StaticInteger(digit.lo / covered), StaticInteger(0)});
    }
    modes.push_back({StaticInteger(digit.extent), StaticInteger(digit.coefficient)});
    const std::optional<int64_t> end = support::CheckedMul(digit.lo, digit.extent);
    if (!end) return NoLayout("a digit of " + name + " does not fit in 64 bits");
    covered = *end;
  }
  if (covered >= extent) return modes;
  if (extent % covered != 0) {
    return NoLayout("the digits of " + name + " do not divide its extent " +
                    std::to_string(extent));
  }
  modes.push_back({StaticInteger(extent / covered), StaticInteger(0)});
  covered = extent;
  return modes;
}

// The digits of each variable of the sum.
absl::StatusOr<std::vector<std::vector<Term>>> DigitsByVariable(const Sum& sum,
                                                                size_t num_variables) {
  if (sum.constant != 0) return NoLayout("the value at index 0 is not 0");
  std::vector<std::vector<Term>> digits(num_variables);
  for (const Term& term : sum.terms) {
    if (term.atom->kind != simplifier::AtomKind::kVariable) {
      return NoLayout("the values have quotients or remainders of sums");
    }
    if (term.atom->variable >= num_variables) {
      return NoLayout("the values depend on other variables");
    }
    digits[term.atom->variable].push_back(term);
  }
  return digits;
}

// The layout of the sum, and the extents that its modes cover.
absl::StatusOr<CuteLayout> PaddedLayoutOfSum(const Sum& sum, llvm::ArrayRef<int64_t> extents,
                                             llvm::SmallVector<int64_t, 6>& covered) {
  HLO_INDEXING_ASSIGN_OR_RETURN(std::vector<std::vector<Term>> digits,
                                DigitsByVariable(sum, extents.size()));
  std::vector<CuteLayout> modes;
  for (size_t i = 0; i < extents.size(); ++i) {
    covered.emplace_back();
    HLO_INDEXING_ASSIGN_OR_RETURN(
        const CuteModes mode, ModesOfDigits(std::move(digits[i]), i, extents[i], covered.back()));
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes least, CoalescedByValue(mode));
    HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout part, LayoutOf(least));
    modes.push_back(std::move(part));
  }
  return Concatenate(modes);
}

// The position of an element whose index has the variables 0, 1, ..., of the extents.
std::optional<Sum> PositionOf(DigitContext& context, llvm::ArrayRef<int64_t> extents,
                              llvm::ArrayRef<int64_t> dimensions, const Layout& layout) {
  llvm::SmallVector<Sum, 6> index;
  for (size_t i = 0; i < extents.size(); ++i) {
    index.push_back(context.Variable(static_cast<simplifier::VariableId>(i), {0, extents[i] - 1}));
  }
  return PhysicalIndex(context, index, dimensions, layout);
}

// A leaf of a mode, by the mode's number.
struct Leaf {
  CuteMode mode;
  int64_t dimension;
};

// The leaves by stride, if they lie one after the other without gaps.
absl::StatusOr<std::vector<Leaf>> LeavesByStride(const CuteLayout& layout) {
  std::vector<Leaf> leaves;
  for (int64_t i = 0; i < layout.rank(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout part, ModeOf(layout, i));
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes modes, CoalescedByValue(FlatModes(part)));
    for (const CuteMode& mode : modes) {
      if (mode.extent.value != 1) leaves.push_back({mode, i});
    }
  }
  llvm::stable_sort(leaves, [](const Leaf& a, const Leaf& b) {
    return a.mode.stride.value < b.mode.stride.value;
  });
  int64_t next_stride = 1;
  for (const Leaf& leaf : leaves) {
    if (leaf.mode.stride.value != next_stride || !leaf.mode.stride.axes.empty()) {
      return absl::FailedPreconditionError("there is no XLA layout for " + layout.ToString() +
                                           ": its offsets are not each of 0 to size - 1 once");
    }
    next_stride *= leaf.mode.extent.value;
  }
  return leaves;
}

// The layout in which the first leaves are a tile, if the orders of both parts agree.
std::optional<Layout> TiledOnce(llvm::ArrayRef<Leaf> leaves, size_t in_tile, int64_t rank) {
  Layout layout;
  Tile tile;
  for (const Leaf& leaf : leaves.take_front(in_tile)) {
    if (llvm::is_contained(layout.minor_to_major, leaf.dimension)) return std::nullopt;
    layout.minor_to_major.push_back(leaf.dimension);
    tile.dimensions.push_back(leaf.mode.extent.value);
  }
  for (const Leaf& leaf : leaves.drop_front(in_tile)) {
    if (!llvm::is_contained(layout.minor_to_major, leaf.dimension)) {
      layout.minor_to_major.push_back(leaf.dimension);
    }
  }
  // Dimensions of extent 1 lie anywhere.
  for (int64_t i = rank - 1; i >= 0; --i) {
    if (!llvm::is_contained(layout.minor_to_major, i)) layout.minor_to_major.push_back(i);
  }
  std::reverse(tile.dimensions.begin(), tile.dimensions.end());
  if (in_tile > 0) layout.tiles.push_back(std::move(tile));
  return layout;
}

// The layout of the array that is padded until the digits of each index divide its extent.
absl::StatusOr<CuteOfXla> CuteOfPaddedArray(DigitContext& context,
                                            llvm::ArrayRef<int64_t> dimensions,
                                            const Layout& layout) {
  llvm::SmallVector<int64_t, 6> padded(dimensions.begin(), dimensions.end());
  // Padding one tile may uncover the next: each round ends a dimension with a larger digit.
  for (size_t round = 0; round <= 2 * dimensions.size(); ++round) {
    const std::optional<Sum> position = PositionOf(context, padded, padded, layout);
    if (!position) return absl::OutOfRangeError("a position does not fit in 64 bits");
    llvm::SmallVector<int64_t, 6> covered;
    HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout result, PaddedLayoutOfSum(*position, padded, covered));
    if (covered != padded) {
      padded = std::move(covered);
      continue;
    }
    // The padded array has the elements of the array where they were.
    if (PositionOf(context, dimensions, padded, layout) !=
        PositionOf(context, dimensions, dimensions, layout)) {
      return NoLayout("the padding moves elements");
    }
    CuteOfXla of{std::move(result), {}, false};
    of.dimensions.assign(dimensions.begin(), dimensions.end());
    of.is_padded = of.dimensions != padded;
    return of;
  }
  return NoLayout("the padding of tiles does not end");
}

// The layout of the digits that the array's own indices have: what the modes count behind them may
// be the padding of an inner tile, which an array padded so far would have elsewhere. Nullopt
// unless it keeps to the memory and each offset is taken once.
std::optional<CuteOfXla> CuteOfElements(DigitContext& context, llvm::ArrayRef<int64_t> dimensions,
                                        const Layout& layout) {
  const std::optional<Sum> position = PositionOf(context, dimensions, dimensions, layout);
  const std::optional<int64_t> positions = PhysicalElements(dimensions, layout);
  if (!position || !positions) return std::nullopt;
  llvm::SmallVector<int64_t, 6> covered;
  absl::StatusOr<CuteLayout> result = PaddedLayoutOfSum(*position, dimensions, covered);
  if (!result.ok()) return std::nullopt;
  const std::optional<int64_t> cosize = result->cosize();
  if (!cosize || *cosize > *positions) return std::nullopt;
  if (IsInjective(*result) != support::Answer::kYes) return std::nullopt;
  CuteOfXla of{*std::move(result), {}, false};
  of.dimensions.assign(dimensions.begin(), dimensions.end());
  of.is_padded = of.dimensions != covered;
  return of;
}

}  // namespace

absl::StatusOr<Sum> OffsetSum(DigitContext& context, const CuteLayout& layout, const Sum& index) {
  if (layout.has_axes() || layout.size() == 0) {
    return absl::InvalidArgumentError("the layout " + layout.ToString() + " has no offsets");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteModes modes, CoalescedByValue(FlatModes(layout)));
  llvm::SmallVector<simplifier::ScaledSum, 6> parts;
  Sum rest = index;
  for (size_t i = 0; i < modes.size(); ++i) {
    Sum digit = rest;
    if (i + 1 < modes.size()) {
      const simplifier::Division division = DivMod(context, rest, modes[i].extent.value);
      digit = division.remainder;
      rest = division.quotient;
    }
    parts.push_back({digit, modes[i].stride.value});
  }
  return simplifier::Linear(context, parts);
}

absl::StatusOr<CuteLayout> LayoutOfSum(const Sum& sum, llvm::ArrayRef<int64_t> extents) {
  if (llvm::any_of(extents, [](int64_t extent) { return extent <= 0; })) {
    return NoLayout("an extent is not positive");
  }
  llvm::SmallVector<int64_t, 6> covered;
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout layout, PaddedLayoutOfSum(sum, extents, covered));
  for (size_t i = 0; i < extents.size(); ++i) {
    if (covered[i] != extents[i]) {
      return NoLayout("the digits of d" + std::to_string(i) + " do not divide its extent " +
                      std::to_string(extents[i]));
    }
  }
  return layout;
}

absl::StatusOr<CuteLayout> LayoutOfAffineMap(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents) {
  if (map.getNumResults() != 1 || map.getNumSymbols() != 0 || map.getNumDims() != extents.size()) {
    return absl::InvalidArgumentError(
        "a layout is a map with one result, no symbols, and an extent for each dimension");
  }
  DigitContext context;
  llvm::SmallVector<Sum, 6> dimensions;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] <= 0) return NoLayout("an extent is not positive");
    dimensions.push_back(
        context.Variable(static_cast<simplifier::VariableId>(i), {0, extents[i] - 1}));
  }
  return LayoutOfSum(simplifier::AffineReader(context, dimensions, {}).Read(map.getResult(0)),
                     extents);
}

absl::StatusOr<CuteOfXla> CuteLayoutOfXla(llvm::ArrayRef<int64_t> dimensions,
                                          const Layout& layout) {
  if (const auto wrong = FindLayoutError(layout, static_cast<int64_t>(dimensions.size()))) {
    return absl::InvalidArgumentError(*wrong);
  }
  if (llvm::any_of(dimensions, [](int64_t extent) { return extent <= 0; })) {
    return absl::InvalidArgumentError("an array without elements has no CuTe layout");
  }
  DigitContext context;
  absl::StatusOr<CuteOfXla> of = CuteOfPaddedArray(context, dimensions, layout);
  if (of.ok()) return of;
  std::optional<CuteOfXla> elements_only = CuteOfElements(context, dimensions, layout);
  return elements_only ? absl::StatusOr<CuteOfXla>(*std::move(elements_only)) : of.status();
}

absl::StatusOr<Layout> XlaLayoutOfCute(const CuteLayout& layout) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::vector<Leaf> leaves, LeavesByStride(layout));
  llvm::SmallVector<int64_t, 6> dimensions;
  for (const IntTuple& mode : Modes(layout.shape())) {
    dimensions.push_back(Product(mode).value_or(0));
  }
  for (size_t in_tile = 0; in_tile <= leaves.size(); ++in_tile) {
    std::optional<Layout> candidate =
        TiledOnce(leaves, in_tile, static_cast<int64_t>(dimensions.size()));
    if (!candidate) break;
    const absl::StatusOr<CuteOfXla> back = CuteLayoutOfXla(dimensions, *candidate);
    if (back.ok() && !back->is_padded && !FirstDifference(back->layout, layout)) {
      return *std::move(candidate);
    }
  }
  return absl::FailedPreconditionError("there is no XLA layout with one tiling for " +
                                       layout.ToString());
}

}  // namespace hlo_indexing::layout
