// CuTe's algebra on random layouts, static, dynamic and mixed, decided by enumeration; and against
// the algebra of the static headers. HLO_INDEXING_CUTE_CASES sets the number of cases of each test.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "layout/cute/mode_operations.h"
#include "layout/cute_algebra/composition.h"
#include "layout/cute_algebra/evenly_divides.h"
#include "layout/cute_algebra/inverse.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/swizzle.h"
#include "layout/cute_algebra/tiling.h"
#include "layout/cute_algebra/tuple.h"
#include "llvm/ADT/STLExtras.h"
#include "tests/layout/random_cute_layout.h"
#include "tests/property/num_cases.h"

namespace hlo_indexing::layout {
namespace {

int Cases() { return testing::NumCases("HLO_INDEXING_CUTE_CASES", 6000); }

std::string Row(const std::string& operation, const CuteLayout& a, const CuteLayout& b) {
  return operation + "(" + a.ToString() + ", " + b.ToString() + ")";
}

TEST(CuteAlgebraProperty, CompositionIsFoundExactlyWhereThereIsOne) {
  RandomLayouts random(1);
  int found = 0;
  int missing = 0;
  for (int i = 0; i < Cases() * 2; ++i) {
    const PlainModes plain_a = random.AnyModes(4, 6, RandomStrides::kAny);
    const PlainModes plain_b = random.WithSigns(random.ModesInto(plain_a, 3));
    const CuteLayout a = random.Nested(plain_a, random.AnyKinds());
    const CuteLayout b = random.Nested(plain_b, random.AnyKinds());
    const absl::StatusOr<CuteLayout> result = Compose(a, b);
    const std::string row = Row("composition", a, b);
    ASSERT_EQ(result.ok(), CompositionExists(plain_a, plain_b)) << row << result.status();
    std::vector<int64_t> expected;
    for (const int64_t value : TableOf(plain_b)) expected.push_back(ValueAt(plain_a, value));
    if (result.ok()) {
      ++found;
      ASSERT_EQ(TableOf(*result), expected) << row << " -> " << result->ToString();
      ASSERT_TRUE(IsWeaklyCongruent(b.shape(), result->shape())) << row;
      ASSERT_EQ(IsCompatible(b.shape(), result->shape())->value, 1)
          << row << " -> " << result->ToString();
      continue;
    }
    ++missing;
    ASSERT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition) << row;
    // The lazy map is there for these.
    const ComposedLayout lazy = {a, StaticInteger(0), b};
    for (int64_t k = 0; k < b.size(); ++k) {
      ASSERT_EQ(*lazy.Offset(k), expected[static_cast<size_t>(k)]) << row;
    }
  }
  EXPECT_GT(found, Cases() / 4);
  EXPECT_GT(missing, Cases() / 8);
}

// Large layouts: nothing is enumerated, and points tell.
TEST(CuteAlgebraProperty, CompositionOfLargeLayoutsHasTheValues) {
  RandomLayouts random(2);
  int found = 0;
  for (int i = 0; i < Cases(); ++i) {
    PlainModes plain_a;
    for (int64_t k = 1 + random.Below(4); k > 0; --k) {
      plain_a.push_back({int64_t{1} << random.Below(13), random.Below(1 << 20) - (1 << 18)});
    }
    PlainModes plain_b;
    for (int64_t k = 1 + random.Below(3); k > 0; --k) {
      plain_b.push_back({int64_t{1} << random.Below(12), int64_t{1} << random.Below(20)});
    }
    const CuteLayout a = random.Nested(plain_a, random.AnyKinds());
    const CuteLayout b = random.Nested(plain_b, random.AnyKinds());
    const absl::StatusOr<CuteLayout> result = Compose(a, b);
    if (!result.ok()) {
      ASSERT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition)
          << Row("composition", a, b) << result.status();
      continue;
    }
    ++found;
    const PlainModes plain = PlainModesOf(*result);
    for (int point = 0; point < 50; ++point) {
      const int64_t index = random.Below(b.size());
      ASSERT_EQ(ValueAt(plain, index), ValueAt(plain_a, ValueAt(plain_b, index)))
          << Row("composition", a, b) << " -> " << result->ToString() << " at " << index;
    }
  }
  EXPECT_GT(found, Cases() / 10);
}

TEST(CuteAlgebraProperty, ComplementsCoverTheRestOnce) {
  RandomLayouts random(3);
  int found = 0;
  for (int i = 0; i < Cases(); ++i) {
    const PlainModes plain = random.AnyModes(4, 5);
    const CuteLayout layout = random.Nested(plain, random.AnyKinds());
    const int64_t target = 1 + random.Below(150);
    const Gaps gaps = random.Below(2) == 0 ? Gaps::kRefused : Gaps::kSkipped;
    const absl::StatusOr<CuteLayout> result =
        Complement(layout, random.Number(target, random.AnyKinds()), gaps);
    if (!result.ok()) continue;
    ++found;
    const std::string row = "complement(" + layout.ToString() + ", " + std::to_string(target) +
                            ") -> " + result->ToString();
    std::set<int64_t> image;
    for (const int64_t value : TableOf(plain)) image.insert(value);
    const std::vector<int64_t> rest = TableOf(*result);
    ASSERT_TRUE(std::is_sorted(rest.begin(), rest.end())) << row;
    std::set<int64_t> sums;
    for (const int64_t value : image) {
      for (const int64_t other : rest) ASSERT_TRUE(sums.insert(value + other).second) << row;
    }
    // Both together reach the target, and no more than a whole span of the layout beyond.
    const int64_t span = *image.rbegin() + 1;
    ASSERT_GE(*sums.rbegin() + 1, std::min(target, span)) << row;
    int64_t reach = 1;
    for (const PlainMode& mode : plain) {
      if (mode.extent > 1) reach = std::max(reach, mode.extent * mode.stride);
    }
    ASSERT_LE(rest.back() + 1, (target + reach - 1) / reach * reach) << row;
    if (gaps == Gaps::kSkipped) continue;
    for (int64_t value = 0; value < target; ++value) {
      ASSERT_TRUE(sums.count(value) == 1) << row << " misses " << value;
    }
  }
  EXPECT_GT(found, Cases() / 5);
}

TEST(CuteAlgebraProperty, InversesInvert) {
  RandomLayouts random(4);
  int left_found = 0;
  for (int i = 0; i < Cases(); ++i) {
    const PlainModes plain = random.WithSigns(random.AnyModes(4, 5));
    const CuteLayout layout = random.Nested(plain, random.AnyKinds());
    const absl::StatusOr<CuteLayout> right = RightInverse(layout);
    ASSERT_TRUE(right.ok());
    const PlainModes inverse = PlainModesOf(*right);
    for (int64_t k = 0; k < right->size(); ++k) {
      ASSERT_EQ(ValueAt(plain, ValueAt(inverse, k)), k)
          << "right_inverse(" << layout.ToString() << ") -> " << right->ToString();
    }
    // Of a bijection it is whole, where all is known.
    std::set<int64_t> image;
    for (const int64_t value : TableOf(plain)) image.insert(value);
    if (static_cast<int64_t>(image.size()) == layout.size() && *image.begin() == 0 &&
        *image.rbegin() + 1 == layout.size()) {
      EXPECT_EQ(RightInverse(AsStatic(layout))->size(), layout.size()) << layout.ToString();
    }
    const absl::StatusOr<CuteLayout> left = LeftInverse(layout);
    if (!left.ok()) continue;
    ++left_found;
    for (const int64_t value : image) {
      ASSERT_EQ(ValueAt(plain, ValueAt(PlainModesOf(*left), value)), value)
          << "left_inverse(" << layout.ToString() << ") -> " << left->ToString();
    }
    const absl::StatusOr<CuteLayout> zeros = NullSpace(layout);
    ASSERT_TRUE(zeros.ok());
    for (const int64_t index : TableOf(*zeros)) {
      ASSERT_EQ(ValueAt(plain, index), 0) << "nullspace(" << layout.ToString() << ")";
    }
  }
  EXPECT_GT(left_found, Cases() / 5);
}

// evenly_divides says what the divide does: as many elements as there were, or more, or none.
TEST(CuteAlgebraProperty, EvenlyDividesIsWhatADivideOfTheShapeHas) {
  RandomLayouts random(13);
  int even = 0;
  int uneven = 0;
  for (int i = 0; i < Cases(); ++i) {
    const CuteLayout tile =
        random.Nested(random.WithSigns(random.AnyModes(2, 6)), random.AnyKinds());
    const IntTuple shape = random.Number(1 + random.Below(96), random.AnyKinds());
    const CuteTree tiler = CuteTree::Layout(tile);
    const absl::StatusOr<TupleInteger> evenly = EvenlyDivides(shape, tiler);
    ASSERT_TRUE(evenly.ok());
    const CuteLayout space = *ColumnMajor(shape);
    const absl::StatusOr<CuteLayout> divided = Divide(space, tiler, TileArrangement::kLogical);
    const bool expected = divided.ok() && Sorted(TableOf(*divided)) == Sorted(TableOf(space));
    ASSERT_EQ(evenly->value != 0, expected) << Row("evenly_divides", space, tile);
    expected ? ++even : ++uneven;
  }
  EXPECT_GT(even, Cases() / 10);
  EXPECT_GT(uneven, Cases() / 10);
}

// The indices of the divided layout that are inside of its bound, as offsets.
std::vector<int64_t> OffsetsInside(const CuteLayout& divided, const DivideBound& bound) {
  std::vector<int64_t> inside;
  const std::vector<int64_t> table = TableOf(divided);
  for (int64_t i = 0; i < divided.size(); ++i) {
    if (*bound.Contains(i)) inside.push_back(table[static_cast<size_t>(i)]);
  }
  return inside;
}

TEST(CuteAlgebraProperty, DividesByALayoutAreTheTileAndTheTiles) {
  RandomLayouts random(5);
  int found = 0;
  int uneven = 0;
  for (int i = 0; i < Cases(); ++i) {
    const PlainModes plain_a = random.AnyModes(3, 6, RandomStrides::kAny);
    const PlainModes plain_b = random.ModesInto(plain_a, 2);
    const CuteLayout a = random.Nested(plain_a, random.AnyKinds());
    const CuteLayout b = random.Nested(plain_b, random.AnyKinds());
    const CuteTree tiler = CuteTree::Layout(b);
    const absl::StatusOr<CuteLayout> result = Divide(a, tiler, TileArrangement::kLogical);
    if (!result.ok()) continue;
    ++found;
    const std::string row = Row("logical_divide", a, b) + " -> " + result->ToString();
    ASSERT_EQ(result->rank(), 2) << row;
    const std::vector<int64_t> table = TableOf(*result);
    for (int64_t k = 0; k < b.size(); ++k) {
      ASSERT_EQ(table[static_cast<size_t>(k)], ValueAt(plain_a, ValueAt(plain_b, k))) << row;
    }
    // Every element is in one tile, as far as the bound says; once, unless the tiler repeats some.
    const bool repeats = llvm::any_of(
        plain_b, [](const PlainMode& mode) { return mode.extent > 1 && mode.stride == 0; });
    const absl::StatusOr<DivideBound> bound = BoundOfDivide(a, tiler, TileArrangement::kLogical);
    ASSERT_TRUE(bound.ok()) << row << bound.status();
    const std::vector<int64_t> inside = OffsetsInside(*result, *bound);
    ASSERT_EQ(bound->always_inside, inside.size() == table.size()) << row;
    if (repeats) {
      const std::vector<int64_t> of_a = TableOf(plain_a);
      ASSERT_EQ(std::set<int64_t>(inside.begin(), inside.end()),
                std::set<int64_t>(of_a.begin(), of_a.end()))
          << row;
    } else {
      ASSERT_EQ(Sorted(inside), Sorted(TableOf(plain_a))) << row;
    }
    uneven += !bound->always_inside;
    for (const auto arrangement :
         {TileArrangement::kZipped, TileArrangement::kTiled, TileArrangement::kFlat}) {
      ASSERT_EQ(TableOf(*Divide(a, tiler, arrangement)), table) << row;
    }
  }
  EXPECT_GT(found, Cases() / 5);
  EXPECT_GT(uneven, Cases() / 50);
}

// A tiler by modes: integers, `_`, layouts, and tuples of these where the mode is nested.
CuteTree RandomTiler(RandomLayouts& random, const CuteLayout& layout) {
  const int64_t kind = random.Below(layout.shape().is_integer() ? 3 : 4);
  if (kind == 0) return CuteTree::Underscore();
  if (kind == 1) {
    return CuteTree::Of(random.Number(1 + random.Below(6), random.AnyKinds()));
  }
  if (kind == 2) {
    PlainModes tile = {{1 + random.Below(4), 1 + random.Below(3)}};
    return CuteTree::Layout(random.Nested(tile, random.AnyKinds()));
  }
  std::vector<CuteTree> members;
  const int64_t rank = random.Below(layout.rank() + 1);
  for (int64_t i = 0; i < rank; ++i) members.push_back(RandomTiler(random, *ModeOf(layout, i)));
  return CuteTree::Tuple(std::move(members));
}

TEST(CuteAlgebraProperty, DividesByModesKeepEveryElementOnce) {
  RandomLayouts random(6);
  int found = 0;
  for (int i = 0; i < Cases(); ++i) {
    const CuteLayout a =
        random.Nested(random.AnyModes(4, 6, RandomStrides::kAny), random.AnyKinds());
    const CuteTree tiler = RandomTiler(random, a);
    const absl::StatusOr<CuteLayout> zipped = Divide(a, tiler, TileArrangement::kZipped);
    const std::string row = "zipped_divide(" + a.ToString() + ", " + tiler.ToString() + ")";
    const absl::StatusOr<CuteLayout> tile = Compose(a, tiler);
    if (!zipped.ok()) continue;
    ++found;
    ASSERT_EQ(zipped->rank(), 2) << row;
    ASSERT_TRUE(tile.ok()) << row << tile.status();
    ASSERT_EQ(TableOf(*ModeOf(*zipped, 0)), TableOf(*tile)) << row;
    for (const auto arrangement : {TileArrangement::kLogical, TileArrangement::kZipped,
                                   TileArrangement::kTiled, TileArrangement::kFlat}) {
      const absl::StatusOr<CuteLayout> divided = Divide(a, tiler, arrangement);
      const absl::StatusOr<DivideBound> bound = BoundOfDivide(a, tiler, arrangement);
      ASSERT_TRUE(divided.ok() && bound.ok()) << row;
      ASSERT_EQ(Sorted(OffsetsInside(*divided, *bound)), Sorted(TableOf(a)))
          << row << " -> " << divided->ToString();
    }
  }
  EXPECT_GT(found, Cases() / 5);
}

TEST(CuteAlgebraProperty, ProductsAreDisjointCopies) {
  RandomLayouts random(7);
  int found = 0;
  for (int i = 0; i < Cases(); ++i) {
    const CuteLayout a = random.Nested(random.AnyModes(3, 5), random.AnyKinds());
    const CuteLayout b = random.Nested(random.AnyModes(2, 5), random.AnyKinds());
    const absl::StatusOr<CuteLayout> result =
        Multiply(a, CuteTree::Layout(b), TileArrangement::kLogical);
    if (!result.ok()) continue;
    ++found;
    const std::string row = Row("logical_product", a, b) + " -> " + result->ToString();
    ASSERT_EQ(*ModeOf(*result, 0), a) << row;
    ASSERT_EQ(IsCompatible(b.shape(), ModeOf(*result, 1)->shape())->value, 1) << row;
    const std::vector<int64_t> table = TableOf(*result);
    const std::vector<int64_t> of_a = TableOf(a);
    const std::vector<int64_t> of_b = TableOf(b);
    ASSERT_EQ(table.size(), of_a.size() * of_b.size()) << row;
    std::map<int64_t, int64_t> shift_of;
    const std::set<int64_t> image(of_a.begin(), of_a.end());
    std::set<int64_t> taken;
    for (size_t k = 0; k < of_b.size(); ++k) {
      const int64_t shift = table[k * of_a.size()];
      for (size_t m = 0; m < of_a.size(); ++m) {
        ASSERT_EQ(table[k * of_a.size() + m], shift + of_a[m]) << row;
      }
      const auto [at, is_new] = shift_of.emplace(of_b[k], shift);
      ASSERT_EQ(at->second, shift) << row;
      if (!is_new) continue;
      for (const int64_t value : image) ASSERT_TRUE(taken.insert(shift + value).second) << row;
    }
    // The products by mode have the same elements, blocks in different places.
    const absl::StatusOr<CuteLayout> blocked = BlockedProduct(a, b);
    const absl::StatusOr<CuteLayout> raked = RakedProduct(a, b);
    ASSERT_TRUE(blocked.ok() && raked.ok()) << row;
    ASSERT_EQ(Sorted(TableOf(*blocked)), Sorted(table)) << row;
    ASSERT_EQ(Sorted(TableOf(*raked)), Sorted(table)) << row;
  }
  EXPECT_GT(found, Cases() / 5);
}

TEST(CuteAlgebraProperty, OtherFormsAreTheSameFunction) {
  RandomLayouts random(8);
  for (int i = 0; i < Cases(); ++i) {
    const CuteLayout layout =
        random.Nested(random.AnyModes(5, 5, RandomStrides::kAny), random.AnyKinds());
    const std::vector<int64_t> table = TableOf(layout);
    ASSERT_EQ(TableOf(*Coalesce(layout)), table) << layout.ToString();
    ASSERT_LE(Coalesce(layout)->depth(), 1) << layout.ToString();
    ASSERT_EQ(TableOf(*Coalesce(layout, IntTuple::Tuple({IntTuple::Static(1)}))), table)
        << layout.ToString();
    ASSERT_EQ(TableOf(*Flattened(layout)), table) << layout.ToString();
    const absl::StatusOr<CuteLayout> least = LayoutOf(*CoalescedByValue(FlatModes(layout)));
    ASSERT_EQ(TableOf(*least), table) << layout.ToString();
    // Without its constant modes it reaches the same offsets.
    const std::vector<int64_t> filtered = TableOf(*Filter(layout));
    ASSERT_EQ(std::set<int64_t>(filtered.begin(), filtered.end()),
              std::set<int64_t>(table.begin(), table.end()))
        << layout.ToString();
    const absl::StatusOr<CuteLayout> in_shape =
        WithShape(layout, IntTuple::Tuple({IntTuple::Dynamic(layout.size()), IntTuple::Static(1)}));
    ASSERT_TRUE(in_shape.ok()) << layout.ToString() << in_shape.status();
    ASSERT_EQ(TableOf(*in_shape), table) << layout.ToString();
  }
}

// ---- Against the static headers, whose algebra runs on values too.

namespace header = cute::detail;

header::ModeTree<header::kMaxTreeNodes> TreeOf(const PlainModes& modes) {
  header::ModeTree<header::kMaxTreeNodes> tree{};
  tree.AddTuple(static_cast<int>(modes.size()));
  for (const PlainMode& plain : modes) {
    header::Mode mode{};
    mode.shape = header::Known(plain.extent);
    mode.stride = header::Known(plain.stride);
    tree.AddLeaf(mode);
  }
  return tree;
}

// A mode; of one element the stride does not matter.
std::string PlainModeText(int64_t extent, int64_t stride) {
  return std::to_string(extent) + ":" + (extent == 1 ? "any" : std::to_string(stride)) + " ";
}

// The same tree with room for n nodes.
template <int n>
header::ModeTree<n> InRoomFor(const header::ModeTree<header::kMaxTreeNodes>& tree) {
  header::ModeTree<n> result{};
  result.AddTree(tree);
  return result;
}

// The modes that an operation of the headers gives, as text; empty where it refuses. Nothing where
// the room was not enough.
template <int n, class Operation, class... Trees>
std::optional<std::string> InRoom(const Trees&... trees) {
  const auto outcome = std::make_unique<header::Outcome<n>>();
  outcome->tree.overflow = (InRoomFor<n>(trees).overflow || ...);
  Operation::Run(*outcome, InRoomFor<n>(trees)...);
  if (outcome->overflow()) return std::nullopt;
  if (outcome->problem != header::Problem::kNone) return "";
  std::string text;
  const header::Modes<n> leaves = outcome->tree.Leaves();
  for (int i = 0; i < leaves.count; ++i) {
    text += PlainModeText(leaves.mode[i].shape.value, leaves.mode[i].stride.value);
  }
  return text;
}
// The same result with less room, or word that it does not suffice.
template <class Operation, class... Trees>
std::string OfHeader(const Trees&... trees) {
  const std::string text = *InRoom<header::kMaxTreeNodes, Operation>(trees...);
  EXPECT_EQ((InRoom<header::kFewTreeNodes, Operation>(trees...).value_or(text)), text);
  EXPECT_EQ((InRoom<6, Operation>(trees...).value_or(text)), text);
  return text;
}

std::string ModesText(const absl::StatusOr<CuteLayout>& layout) {
  if (!layout.ok()) return "";
  std::string text;
  for (const PlainMode& mode : PlainModesOf(*layout)) {
    text += PlainModeText(mode.extent, mode.stride);
  }
  return text;
}

TEST(CuteAlgebraProperty, StaticLayoutsGiveWhatTheHeadersGive) {
  RandomLayouts random(12);
  int found = 0;
  for (int i = 0; i < Cases(); ++i) {
    const PlainModes plain_a = random.WithSigns(random.AnyModes(4, 6));
    const PlainModes plain_b = random.WithSigns(random.ModesInto(plain_a, 3));
    const CuteLayout a = random.Nested(plain_a, RandomKinds::kStatic);
    const CuteLayout b = random.Nested(plain_b, RandomKinds::kStatic);
    const header::ModeTree<header::kMaxTreeNodes> tree_a = TreeOf(plain_a);
    const header::ModeTree<header::kMaxTreeNodes> tree_b = TreeOf(plain_b);
    const std::string composed = OfHeader<header::ComposeOperation>(tree_a, tree_b);
    ASSERT_EQ(ModesText(Compose(a, b)), composed) << Row("composition", a, b);
    found += !composed.empty();
    const CuteTree tiler = CuteTree::Layout(b);
    ASSERT_EQ(ModesText(Divide(a, tiler, TileArrangement::kLogical)),
              OfHeader<header::LogicalDivideOperation>(tree_a, tree_b))
        << Row("logical_divide", a, b);
    ASSERT_EQ(ModesText(Multiply(a, tiler, TileArrangement::kLogical)),
              OfHeader<header::LogicalProductOperation>(tree_a, tree_b))
        << Row("logical_product", a, b);
    ASSERT_EQ(ModesText(RightInverse(a)), OfHeader<header::RightInverseOperation>(tree_a))
        << a.ToString();
    ASSERT_EQ(ModesText(LeftInverse(a)), OfHeader<header::LeftInverseOperation>(tree_a))
        << a.ToString();
    ASSERT_EQ(ModesText(Coalesce(a)), OfHeader<header::CoalesceOperation>(tree_a)) << a.ToString();
    ASSERT_EQ(ModesText(Filter(a)), OfHeader<header::FilterOperation>(tree_a)) << a.ToString();
    ASSERT_EQ(ModesText(NullSpace(a)), OfHeader<header::NullSpaceOperation>(tree_a))
        << a.ToString();
    ASSERT_EQ(ModesText(MaxCommonLayout(a, b)), OfHeader<header::CommonOperation>(tree_a, tree_b))
        << Row("max_common_layout", a, b);
    const int64_t target = 1 + random.Below(150);
    header::ModeTree<header::kMaxTreeNodes> space{};
    header::Mode whole{};
    whole.shape = header::Known(target);
    space.AddLeaf(whole);
    ASSERT_EQ(ModesText(Complement(a, IntTuple::Static(target))),
              OfHeader<header::ComplementOperation>(tree_a, space))
        << "complement(" << a.ToString() << ", " << target << ")";
  }
  EXPECT_GT(found, Cases() / 5);
}

}  // namespace
}  // namespace hlo_indexing::layout
