// CuTe's layouts to and from text, digit sums, affine maps, XLA's layouts and linear bases, and
// what is decided about them, on random layouts and by enumeration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <vector>

#include "layout/cute_algebra/conversion.h"
#include "layout/cute_algebra/linear_layout.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/properties.h"
#include "layout/cute_algebra/swizzle.h"
#include "layout/cute_algebra/syntax.h"
#include "layout/tiled_layout.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/layout/random_cute_layout.h"
#include "tests/property/num_cases.h"

namespace hlo_indexing::layout {
namespace {

int Cases() { return testing::NumCases("HLO_INDEXING_CUTE_CASES", 6000); }

// A tuple of any depth; strides with axes and integers with divisors among them.
CuteTree RandomTree(RandomLayouts& random, int depth) {
  const int64_t kind = random.Below(depth == 0 ? 3 : 5);
  if (kind == 0) return CuteTree::Underscore();
  if (kind == 1) {
    TupleInteger integer = random.Number(random.Below(100) - 50, random.AnyKinds()).integer();
    if (!integer.is_static() && random.Below(3) == 0) {
      integer.divisor = 4;
      integer.value *= 4;
    }
    for (int64_t k = random.Below(3); k > 0; --k) {
      integer.axes = *integer.axes.Inside(random.Below(5));
    }
    return CuteTree::Integer(integer);
  }
  if (kind == 2) {
    return CuteTree::Layout(
        random.Nested(random.AnyModes(4, 9, RandomStrides::kAny), random.AnyKinds()));
  }
  std::vector<CuteTree> members;
  for (int64_t k = random.Below(4); k > 0; --k) members.push_back(RandomTree(random, depth - 1));
  return CuteTree::Tuple(std::move(members));
}

TEST(CuteBridgesProperty, TextParsesBack) {
  RandomLayouts random(21);
  for (int i = 0; i < Cases(); ++i) {
    const CuteLayout layout =
        random.Nested(random.AnyModes(5, 9, RandomStrides::kAny), random.AnyKinds());
    const absl::StatusOr<CuteLayout> again = ParseCuteLayout(layout.ToString());
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(*again, layout) << layout.ToString();
    const CuteTree tree = RandomTree(random, 3);
    const absl::StatusOr<CuteTree> tree_again = ParseCuteTree(tree.ToString());
    ASSERT_TRUE(tree_again.ok()) << tree_again.status();
    ASSERT_EQ(tree_again->ToString(), tree.ToString());
    const absl::StatusOr<CuteLayout> identity = IdentityLayout(layout.shape());
    ASSERT_EQ(*ParseCuteLayout(identity->ToString()), *identity);
  }
}

TEST(CuteBridgesProperty, AffineMapsAndDigitSumsAreTheSameFunction) {
  RandomLayouts random(22);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (int i = 0; i < Cases() / 4; ++i) {
    const CuteLayout layout =
        random.Nested(random.AnyModes(4, 6, RandomStrides::kAny), random.AnyKinds());
    const BoundedAffineMap by_index = ToAffineMap(layout, LayoutDomain::kIndex, &context);
    const absl::StatusOr<CuteLayout> of_index = LayoutOfAffineMap(by_index.map, {layout.size()});
    ASSERT_TRUE(of_index.ok()) << layout.ToString() << ": " << of_index.status();
    ASSERT_EQ(TableOf(*of_index), TableOf(layout)) << layout.ToString();
    std::vector<int64_t> extents;
    for (const PlainMode& mode : PlainModesOf(layout)) extents.push_back(mode.extent);
    const BoundedAffineMap by_mode = ToAffineMap(layout, LayoutDomain::kFlatModes, &context);
    const absl::StatusOr<CuteLayout> of_modes = LayoutOfAffineMap(by_mode.map, extents);
    ASSERT_TRUE(of_modes.ok()) << layout.ToString() << ": " << of_modes.status();
    ASSERT_EQ(TableOf(*of_modes), TableOf(layout)) << layout.ToString();
    simplifier::DigitContext digits;
    const absl::StatusOr<simplifier::Sum> sum =
        OffsetSum(digits, layout, digits.Variable(0, {0, layout.size() - 1}));
    ASSERT_TRUE(sum.ok());
    const absl::StatusOr<CuteLayout> of_sum = LayoutOfSum(*sum, {layout.size()});
    ASSERT_TRUE(of_sum.ok()) << layout.ToString() << ": " << of_sum.status();
    ASSERT_EQ(FirstDifference(*of_sum, layout), std::nullopt) << layout.ToString();
  }
}

// Tiles of 1, larger than the array, and combined dimensions among them.
Layout RandomXlaLayout(RandomLayouts& random, int64_t rank) {
  Layout layout;
  for (int64_t i = 0; i < rank; ++i) layout.minor_to_major.push_back(i);
  std::shuffle(layout.minor_to_major.begin(), layout.minor_to_major.end(), random.engine());
  for (int64_t level = random.Below(3); level > 0; --level) {
    Tile tile;
    for (int64_t k = 1 + random.Below(rank); k > 0; --k) {
      const bool combines = random.Below(8) == 0 && k > 1;
      tile.dimensions.push_back(combines ? kCombineDimension : 1 + random.Below(5));
    }
    layout.tiles.push_back(std::move(tile));
  }
  return layout;
}

// The element of each coordinate, the first fastest, that lies inside of the dimensions; -1
// outside.
std::vector<int64_t> PositionsInside(llvm::ArrayRef<int64_t> padded, const TiledLayout& layout) {
  std::vector<int64_t> positions;
  int64_t size = 1;
  for (const int64_t extent : padded) size *= extent;
  for (int64_t i = 0; i < size; ++i) {
    llvm::SmallVector<int64_t, 6> index;
    int64_t rest = i;
    for (const int64_t extent : padded) {
      index.push_back(rest % extent);
      rest /= extent;
    }
    positions.push_back(layout.ContainsIndex(index) ? layout.Position(index) : -1);
  }
  return positions;
}

TEST(CuteBridgesProperty, XlaLayoutsHaveTheirPositions) {
  RandomLayouts random(23);
  int found = 0;
  int padded_ones = 0;
  int back_again = 0;
  for (int i = 0; i < Cases() / 2; ++i) {
    std::vector<int64_t> dimensions;
    for (int64_t k = 1 + random.Below(3); k > 0; --k) dimensions.push_back(1 + random.Below(9));
    const Layout xla = RandomXlaLayout(random, static_cast<int64_t>(dimensions.size()));
    const absl::StatusOr<CuteOfXla> of = CuteLayoutOfXla(dimensions, xla);
    if (!of.ok()) continue;
    ++found;
    padded_ones += of->is_padded;
    std::string row = xla.ToString();
    std::vector<int64_t> padded;
    const std::vector<CuteLayout> modes = *ModesOf(of->layout);
    for (const CuteLayout& mode : modes) padded.push_back(mode.size());
    for (const int64_t dimension : dimensions) row += " " + std::to_string(dimension);
    const absl::StatusOr<TiledLayout> tiled = TiledLayout::Create(dimensions, 32, xla);
    ASSERT_TRUE(tiled.ok()) << row;
    const std::vector<int64_t> table = TableOf(of->layout);
    // What is behind the elements lies in the memory too, and nowhere twice.
    ASSERT_LE(of->layout.cosize().value(), tiled->num_positions()) << row;
    ASSERT_EQ(std::set<int64_t>(table.begin(), table.end()).size(), table.size()) << row;
    const std::vector<int64_t> expected = PositionsInside(padded, *tiled);
    for (size_t k = 0; k < expected.size(); ++k) {
      if (expected[k] >= 0) {
        ASSERT_EQ(table[k], expected[k]) << row << " -> " << of->layout.ToString();
      }
    }
    const absl::StatusOr<Layout> back = XlaLayoutOfCute(of->layout);
    if (!back.ok()) {
      // An order of dimensions, tiled once at most, is always found again.
      ASSERT_FALSE(xla.tiles.empty() && !of->is_padded) << row << ": " << back.status();
      continue;
    }
    ++back_again;
    const absl::StatusOr<TiledLayout> tiled_back = TiledLayout::Create(padded, 32, *back);
    ASSERT_TRUE(tiled_back.ok()) << row;
    ASSERT_EQ(PositionsInside(padded, *tiled_back), table) << row << " -> " << back->ToString();
  }
  EXPECT_GT(found, Cases() / 8);
  EXPECT_GT(padded_ones, Cases() / 100);
  EXPECT_GT(back_again, Cases() / 10);
}

// The first tile overruns the array, and the second one pads its places; in an array padded so far,
// the next index would begin another tile.
TEST(CuteBridgesProperty, TilesThatOverrunTheArrayMayBeTiledAgain) {
  const auto text = [](const std::vector<int64_t>& dimensions, llvm::StringRef xla) {
    const auto of = CuteLayoutOfXla(dimensions, ParseLayout(xla).value());
    return of.ok() ? of->layout.ToString() + (of->is_padded ? " padded" : "")
                   : std::string(of.status().message());
  };
  EXPECT_EQ(text({1, 3}, "{1,0:T(2,3)(4,2)}"), "(_1,(_2,_2)):(_0,(_1,_8)) padded");
  EXPECT_EQ(text({3, 5}, "{1,0:T(2,2)}"), "((_2,_2),(_2,_3)):((_2,_12),(_1,_4)) padded");
  // Its second tile of three has digits that do not divide those of the first.
  EXPECT_THAT(text({1, 7}, "{1,0:T(2,3)(4,2)}"),
              ::testing::StartsWith("no CuTe layout found whose modes are digits of the index: "));
}

TEST(CuteBridgesProperty, LinearLayoutsAreThoseWhoseOffsetsAreXors) {
  RandomLayouts random(24);
  int linear_ones = 0;
  for (int i = 0; i < Cases(); ++i) {
    PlainModes plain;
    for (int64_t k = 1 + random.Below(3); k > 0; --k) {
      const int64_t extent = random.Below(6) == 0 ? 3 : int64_t{1} << random.Below(4);
      plain.push_back(
          {extent, random.Below(4) == 0 ? random.Below(9) : int64_t{1} << random.Below(8)});
    }
    const CuteLayout layout = random.Nested(plain, random.AnyKinds());
    CuteTensor tensor = {layout};
    const CuteSwizzle swizzle = *CuteSwizzle::Create(2, random.Below(3), 2 + random.Below(2));
    const bool swizzled = random.Below(2) == 0;
    if (swizzled) tensor.layout = ComposedLayout{swizzle, StaticInteger(0), layout};
    std::vector<int64_t> table = TableOf(plain);
    if (swizzled) {
      for (int64_t& offset : table) offset = swizzle.Apply(offset);
    }
    bool is_linear = std::has_single_bit(table.size());
    for (size_t a = 0; a < table.size() && is_linear; ++a) {
      for (size_t b = 0; b < table.size() && is_linear; ++b) {
        is_linear = table[a ^ b] == (table[a] ^ table[b]);
      }
    }
    const auto bases = LinearBases(tensor);
    ASSERT_EQ(bases.ok(), is_linear) << tensor.LayoutText() << bases.status();
    if (!bases.ok()) continue;
    ++linear_ones;
    for (size_t bit = 0; bit < bases->size(); ++bit) {
      ASSERT_EQ((*bases)[bit], table[size_t{1} << bit]) << tensor.LayoutText();
    }
    const absl::StatusOr<CuteLayout> back = LayoutOfBases(*bases);
    ASSERT_TRUE(swizzled || back.ok()) << back.status();
    if (!back.ok()) continue;
    ASSERT_EQ(TableOf(*back), table) << tensor.LayoutText();
  }
  EXPECT_GT(linear_ones, Cases() / 5);
}

TEST(CuteBridgesProperty, EqualityAndImagesAreThoseOfTheTables) {
  RandomLayouts random(25);
  int equal = 0;
  for (int i = 0; i < Cases(); ++i) {
    const CuteLayout a =
        random.Nested(random.AnyModes(3, 4, RandomStrides::kAny), random.AnyKinds());
    CuteLayout b = random.Nested(random.AnyModes(3, 4, RandomStrides::kAny), random.AnyKinds());
    if (random.Below(3) == 0) b = *Flattened(*Coalesce(AsStatic(a)));
    const std::vector<int64_t> of_a = TableOf(a);
    const std::vector<int64_t> of_b = TableOf(b);
    std::optional<int64_t> expected;
    for (size_t k = 0; k < std::max(of_a.size(), of_b.size()) && !expected; ++k) {
      if (k >= of_a.size() || k >= of_b.size() || of_a[k] != of_b[k]) {
        expected = static_cast<int64_t>(k);
      }
    }
    ASSERT_EQ(FirstDifference(a, b), expected) << a.ToString() << " and " << b.ToString();
    equal += !expected;
    const std::set<int64_t> image(of_a.begin(), of_a.end());
    ASSERT_EQ(NumberOfOffsets(a), static_cast<int64_t>(image.size())) << a.ToString();
    const bool is_injective = static_cast<int64_t>(image.size()) == a.size();
    ASSERT_EQ(IsInjective(a), is_injective ? support::Answer::kYes : support::Answer::kNo)
        << a.ToString();
    ASSERT_EQ(IsInjective(a) == support::Answer::kYes, image.size() == of_a.size()) << a.ToString();
    const auto extent = static_cast<int64_t>(image.size());
    const bool onto = *image.begin() == 0 && *image.rbegin() == extent - 1;
    ASSERT_EQ(IsOnto(a, extent) == support::Answer::kYes, onto) << a.ToString();
  }
  EXPECT_GT(equal, Cases() / 5);
}

}  // namespace
}  // namespace hlo_indexing::layout
