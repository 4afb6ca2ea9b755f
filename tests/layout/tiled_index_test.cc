#include "layout/tiled_index.h"

#include <gtest/gtest.h>

#include <random>

#include "simplifier/arithmetic.h"

namespace hlo_indexing::layout {
namespace {

using simplifier::Atom;
using simplifier::Constant;
using simplifier::DigitContext;
using simplifier::Sum;
using Sizes = std::vector<int64_t>;

// Where an element lies, by the recursive definition on numbers.
int64_t PositionByDefinition(Sizes index, Sizes bounds, llvm::ArrayRef<Tile> tiles) {
  if (tiles.empty()) {
    int64_t position = 0;
    for (size_t i = 0; i < index.size(); ++i) position = position * bounds[i] + index[i];
    return position;
  }
  const auto& tile = tiles.front().dimensions;
  while (bounds.size() < tile.size()) {
    bounds.insert(bounds.begin(), 1);
    index.insert(index.begin(), 0);
  }
  // Combine dimensions under an asterisk, then cut each by its tile.
  Sizes combined_index(index.begin(), index.end() - static_cast<std::ptrdiff_t>(tile.size()));
  Sizes combined_bounds(bounds.begin(), bounds.end() - static_cast<std::ptrdiff_t>(tile.size()));
  Sizes sizes;
  int64_t carried_index = 0;
  int64_t carried_bound = 1;
  for (size_t i = 0; i < tile.size(); ++i) {
    const size_t at = bounds.size() - tile.size() + i;
    carried_index = carried_index * bounds[at] + index[at];
    carried_bound *= bounds[at];
    if (tile[i] == kCombineDimension) continue;
    combined_index.push_back(carried_index);
    combined_bounds.push_back(carried_bound);
    sizes.push_back(tile[i]);
    carried_index = 0;
    carried_bound = 1;
  }
  const size_t untiled = combined_index.size() - sizes.size();
  Sizes next_index(combined_index.begin(),
                   combined_index.begin() + static_cast<std::ptrdiff_t>(untiled));
  Sizes next_bounds(combined_bounds.begin(),
                    combined_bounds.begin() + static_cast<std::ptrdiff_t>(untiled));
  for (size_t i = 0; i < sizes.size(); ++i) {
    next_index.push_back(combined_index[untiled + i] / sizes[i]);
    next_bounds.push_back((combined_bounds[untiled + i] + sizes[i] - 1) / sizes[i]);
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    next_index.push_back(combined_index[untiled + i] % sizes[i]);
    next_bounds.push_back(sizes[i]);
  }
  return PositionByDefinition(next_index, next_bounds, tiles.drop_front());
}

int64_t ValueAt(const Sum& sum, const Sizes& values) {
  return simplifier::Evaluate(
             sum, [&](const Atom& atom) { return std::optional<int64_t>(values[atom.variable]); })
      .value();
}

// Map, inverse and size of one layout agree with the definition for every element and position.
void Check(const Sizes& sizes, const Layout& layout) {
  DigitContext context;
  std::vector<Sum> index;
  for (size_t i = 0; i < sizes.size(); ++i) {
    index.push_back(context.Variable(static_cast<unsigned>(i), {0, sizes[i] - 1}));
  }
  const auto position = PhysicalIndex(context, index, sizes, layout);
  const auto elements = PhysicalElements(sizes, layout);
  ASSERT_TRUE(position && elements);
  const unsigned place = static_cast<unsigned>(sizes.size());
  const Sum any = context.Variable(place, {0, *elements - 1});
  const auto inverse = LogicalIndex(context, any, sizes, layout);
  ASSERT_TRUE(inverse);
  std::vector<bool> taken(static_cast<size_t>(*elements), false);
  Sizes point(sizes.size() + 1, 0);
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  for (int64_t flat = 0; flat < count; ++flat) {
    int64_t rest = flat;
    for (size_t i = sizes.size(); i-- > 0; rest /= sizes[i]) point[i] = rest % sizes[i];
    Sizes physical;
    Sizes bounds;
    for (const int64_t d : llvm::reverse(layout.minor_to_major)) {
      physical.push_back(point[static_cast<size_t>(d)]);
      bounds.push_back(sizes[static_cast<size_t>(d)]);
    }
    const int64_t expected = PositionByDefinition(physical, bounds, layout.tiles);
    ASSERT_EQ(ValueAt(*position, point), expected);
    ASSERT_LT(expected, *elements);
    ASSERT_FALSE(taken[static_cast<size_t>(expected)]);
    taken[static_cast<size_t>(expected)] = true;
    point.back() = expected;
    for (size_t i = 0; i < sizes.size(); ++i) {
      ASSERT_EQ(ValueAt(inverse->index[i], point), point[i]);
    }
  }
  // The constraints hold exactly where an element lies.
  for (int64_t p = 0; p < *elements; ++p) {
    point.back() = p;
    bool inside = true;
    for (const auto& constraint : inverse->constraints) {
      inside &= constraint.bounds.Contains(ValueAt(constraint.expression, point));
    }
    ASSERT_EQ(inside, taken[static_cast<size_t>(p)]) << layout.ToString() << " position " << p;
  }
}

TEST(TiledIndex, Figure1OfTheTiledLayoutDocument) {
  const Layout layout = ParseLayout("{1,0:T(2,2)}").value();
  DigitContext context;
  const Sum index[] = {Constant(2), Constant(3)};
  EXPECT_EQ(PhysicalIndex(context, index, {3, 5}, layout), Constant(17));
  EXPECT_EQ(PhysicalElements({3, 5}, layout), 24);
  Check({3, 5}, layout);
}

TEST(TiledIndex, Figure2AndCombinedDimensions) {
  Check({4, 8}, ParseLayout("{1,0:T(2,4)(2,1)}").value());
  // (*,*,2,*,3) on [2,7,8,11,10] is (2,3) on [112,110].
  DigitContext context;
  std::vector<Sum> five;
  for (const int64_t value : {1, 6, 3, 10, 9}) five.push_back(Constant(value));
  const Sum two[] = {Constant((1 * 7 + 6) * 8 + 3), Constant(10 * 10 + 9)};
  EXPECT_EQ(PhysicalIndex(context, five, {2, 7, 8, 11, 10},
                          ParseLayout("{4,3,2,1,0:T(*,*,2,*,3)}").value()),
            PhysicalIndex(context, two, {112, 110}, ParseLayout("{1,0:T(2,3)}").value()));
}

TEST(TiledIndex, RandomLayoutsEqualTheDefinition) {
  std::mt19937 random(1);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 400; ++i) {
    Sizes sizes;
    Layout layout;
    const int rank = between(0, 4);
    for (int d = 0; d < rank; ++d) {
      sizes.push_back(between(1, 5));
      layout.minor_to_major.insert(layout.minor_to_major.begin() + between(0, d), d);
    }
    const int levels = between(0, 2);
    int physical_rank = rank;
    for (int level = 0; level < levels; ++level) {
      Tile& tile = layout.tiles.emplace_back();
      const int tile_rank = between(1, std::max(physical_rank, 1) + 1);
      for (int d = 0; d < tile_rank; ++d) {
        const bool combines = d + 1 < tile_rank && between(0, 4) == 0;
        tile.dimensions.push_back(combines ? kCombineDimension : between(1, 4));
      }
      physical_rank += tile_rank;
    }
    SCOPED_TRACE(layout.ToString());
    ASSERT_EQ(FindLayoutError(layout, rank), std::nullopt);
    ASSERT_NO_FATAL_FAILURE(Check(sizes, layout));
  }
}

TEST(TiledIndex, SizesThatDoNotFitGiveNothing) {
  const Layout layout = ParseLayout("{1,0:T(3,3)}").value();
  DigitContext context;
  const Sum index[] = {Constant(0), Constant(0)};
  const Sizes sizes = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_EQ(PhysicalIndex(context, index, sizes, layout), std::nullopt);
  EXPECT_EQ(PhysicalElements(sizes, layout), std::nullopt);
}

}  // namespace
}  // namespace hlo_indexing::layout
