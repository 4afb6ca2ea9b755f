// Recasts, swizzled layouts and partitions of random tensors, decided by enumeration.
// HLO_INDEXING_CUTE_CASES sets the number of cases of each test.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/recast.h"
#include "layout/cute_algebra/swizzle.h"
#include "layout/cute_algebra/tensor.h"
#include "layout/cute_algebra/tuple.h"
#include "tests/layout/random_cute_layout.h"
#include "tests/property/num_cases.h"

namespace hlo_indexing::layout {
namespace {

int Cases() { return testing::NumCases("HLO_INDEXING_CUTE_CASES", 6000); }

// How many of the recasts exist.
struct RecastCount {
  int wide = 0;
  int narrow = 0;
};

// In elements n times as wide, and in those of which n make one, a layout has the same memory.
void CheckRecasts(const CuteLayout& layout, int64_t n, RecastCount& count) {
  const std::string row = "(" + layout.ToString() + ", " + std::to_string(n) + ") -> ";
  std::set<int64_t> wider;
  std::set<int64_t> narrower;
  for (const int64_t offset : TableOf(layout)) {
    wider.insert((offset - (offset % n + n) % n) / n);
    for (int64_t part = 0; part < n; ++part) narrower.insert(offset * n + part);
  }
  const auto offsets_of = [](const CuteLayout& result) {
    const std::vector<int64_t> table = TableOf(result);
    return std::set<int64_t>(table.begin(), table.end());
  };
  const absl::StatusOr<CuteLayout> wide = Upcast(layout, n);
  if (wide.ok()) {
    ++count.wide;
    ASSERT_EQ(offsets_of(*wide), wider) << "upcast" << row << wide->ToString();
  }
  const absl::StatusOr<CuteLayout> narrow = Downcast(layout, n);
  if (narrow.ok()) {
    ++count.narrow;
    ASSERT_EQ(offsets_of(*narrow), narrower) << "downcast" << row << narrow->ToString();
  }
}

TEST(CuteTensorProperty, RecastsKeepTheMemory) {
  RandomLayouts random(9);
  RecastCount count;
  for (int i = 0; i < Cases(); ++i) {
    const CuteLayout layout = random.Nested(random.AnyModes(3, 8), random.AnyKinds());
    ASSERT_NO_FATAL_FAILURE(CheckRecasts(layout, 1 + random.Below(4), count));
  }
  EXPECT_GT(count.wide, Cases() / 5);
  EXPECT_GT(count.narrow, Cases() / 5);
}

TEST(CuteTensorProperty, RecastsOfModesThatRunBackwards) {
  RandomLayouts random(20);
  RecastCount count;
  for (int i = 0; i < Cases(); ++i) {
    PlainModes modes = random.AnyModes(3, 6, RandomStrides::kAny);
    for (PlainMode& mode : modes) mode.stride *= random.Below(2) == 0 ? 1 : -1;
    const CuteLayout layout = random.Nested(modes, random.AnyKinds());
    ASSERT_NO_FATAL_FAILURE(CheckRecasts(layout, 1 + random.Below(4), count));
  }
  EXPECT_GT(count.wide, Cases() / 5);
  EXPECT_GT(count.narrow, Cases() / 5);
  // Some have none, or these would not be the cases that are hard.
  EXPECT_LT(count.wide, Cases() * 9 / 10);
  EXPECT_LT(count.narrow, Cases() * 9 / 10);
}

// Behind a swizzle too, element by element: n narrow elements at n times the offset of the wide
// one.
TEST(CuteTensorProperty, RecastsOfSwizzledLayoutsKeepTheElementsTogether) {
  RandomLayouts random(19);
  int wide_found = 0;
  int narrow_found = 0;
  for (int i = 0; i < Cases(); ++i) {
    const int64_t bits = random.Below(3);
    const int64_t shift = (bits + random.Below(3)) * (random.Below(3) == 0 ? -1 : 1);
    const CuteSwizzle swizzle = *CuteSwizzle::Create(bits, random.Below(5), shift);
    const int64_t n = int64_t{1} << random.Below(4);
    // The first mode holds the parts of elements; others lie anywhere, on whole elements.
    PlainModes plain = random.AnyModes(2, 6, RandomStrides::kAny);
    for (PlainMode& mode : plain) mode.stride *= n;
    plain.insert(plain.begin(), {n * (1 + random.Below(4)), 1});
    const int64_t offset = n * random.Below(40);
    const CuteTensor narrow{
        ComposedLayout{swizzle, StaticInteger(offset), random.Nested(plain, random.AnyKinds())},
        IntTuple::Static(n * random.Below(5))};
    const std::string row =
        narrow.offset.ToString() + " + " + narrow.LayoutText() + ", " + std::to_string(n);
    const absl::StatusOr<CuteTensor> wide = Upcast(narrow, n);
    ASSERT_EQ(wide.ok(), bits == 0 || (int64_t{1} << swizzle.base()) >= n)
        << "upcast of " << row << ": " << wide.status();
    if (wide.ok()) {
      ++wide_found;
      ASSERT_EQ(wide->size() * n, narrow.size()) << row;
      for (int64_t k = 0; k < narrow.size(); ++k) {
        ASSERT_EQ(narrow.At(k)->integer().value, wide->At(k / n)->integer().value * n + k % n)
            << "upcast of " << row << " -> " << wide->LayoutText() << " at " << k;
      }
    }
    const absl::StatusOr<CuteTensor> parts = Downcast(narrow, n);
    if (!parts.ok()) continue;
    ++narrow_found;
    ASSERT_EQ(parts->size(), narrow.size() * n) << row;
    for (int64_t k = 0; k < parts->size(); ++k) {
      ASSERT_EQ(parts->At(k)->integer().value, narrow.At(k / n)->integer().value * n + k % n)
          << "downcast of " << row << " -> " << parts->LayoutText() << " at " << k;
    }
  }
  EXPECT_GT(wide_found, Cases() / 4);
  EXPECT_GT(narrow_found, Cases() / 4);
}

TEST(CuteTensorProperty, SlicesOfSwizzledLayoutsHaveTheirElements) {
  RandomLayouts random(10);
  int plain = 0;
  for (int i = 0; i < Cases(); ++i) {
    const int64_t bits = random.Below(4);
    const int64_t shift = (bits + random.Below(3)) * (random.Below(2) == 0 ? 1 : -1);
    const absl::StatusOr<CuteSwizzle> swizzle = CuteSwizzle::Create(bits, random.Below(4), shift);
    ASSERT_TRUE(swizzle.ok());
    PlainModes modes(2);
    int64_t stride = 1;
    for (PlainMode& mode : modes) {
      mode = {int64_t{1} << random.Below(5), stride};
      stride *= mode.extent;
    }
    if (random.Below(2) == 0) std::swap(modes[0], modes[1]);
    if (random.Below(4) == 0) modes[1].stride += random.Below(5);
    const std::vector<IntTuple> shape = {IntTuple::Static(modes[0].extent),
                                         IntTuple::Static(modes[1].extent)};
    const std::vector<IntTuple> strides = {IntTuple::Static(modes[0].stride),
                                           IntTuple::Static(modes[1].stride)};
    const CuteLayout inner =
        CuteLayout::Create(IntTuple::Tuple(shape), IntTuple::Tuple(strides)).value();
    const TupleInteger start = {
        random.Below(3) == 0 ? random.Below(64) : 0, IntegerKind::kDynamic, 1, {}};
    const CuteTensor tensor = {ComposedLayout{*swizzle, start, inner}};
    const int64_t row = random.Below(modes[0].extent);
    const absl::StatusOr<CuteTensor> slice =
        Slice(tensor, CuteTree::Tuple({CuteTree::Of(random.Number(row, random.AnyKinds())),
                                       CuteTree::Underscore()}));
    ASSERT_TRUE(slice.ok());
    plain += slice->plain() != nullptr;
    for (int64_t k = 0; k < modes[1].extent; ++k) {
      const int64_t offset = start.value + row * modes[0].stride + k * modes[1].stride;
      ASSERT_EQ(slice->At(k)->integer().value, swizzle->Apply(offset))
          << "slice(" << tensor.LayoutText() << ", (" << row << ",_)) -> " << slice->LayoutText();
    }
  }
  EXPECT_GT(plain, Cases() / 5);
}

TEST(CuteTensorProperty, ThreadsShareATensorWithoutRest) {
  RandomLayouts random(11);
  for (int i = 0; i < Cases() / 4; ++i) {
    const int64_t threads_x = 1 + random.Below(4);
    const int64_t threads_y = 1 + random.Below(4);
    const PlainModes plain = {{threads_x * (1 + random.Below(4)), 1 + random.Below(40)},
                              {threads_y * (1 + random.Below(4)), 1 + random.Below(40)}};
    const RandomKinds kinds = random.AnyKinds();
    const CuteLayout layout =
        CuteLayout::Create(IntTuple::Tuple({random.Number(plain[0].extent, kinds),
                                            random.Number(plain[1].extent, kinds)}),
                           IntTuple::Tuple({random.Number(plain[0].stride, kinds),
                                            random.Number(plain[1].stride, kinds)}))
            .value();
    const CuteLayout threads = *(random.Below(2) == 0 ? ColumnMajor : RowMajor)(
        IntTuple::Tuple({random.Number(threads_x, kinds), random.Number(threads_y, kinds)}));
    std::vector<int64_t> offsets;
    std::vector<int64_t> in_tiles;
    for (int64_t t = 0; t < threads_x * threads_y; ++t) {
      const absl::StatusOr<CuteTensor> part =
          LocalPartition(CuteTensor{layout}, threads, {t, IntegerKind::kDynamic, 1, {}});
      ASSERT_TRUE(part.ok()) << part.status();
      for (int64_t k = 0; k < part->size(); ++k) offsets.push_back(part->At(k)->integer().value);
    }
    ASSERT_EQ(Sorted(offsets), Sorted(TableOf(plain)))
        << layout.ToString() << " by " << threads.ToString();
    const CuteTree tiler = CuteTree::Of(*ProductEach(threads.shape()));
    const int64_t tiles = layout.size() / threads.size();
    for (int64_t t = 0; t < tiles; ++t) {
      const absl::StatusOr<CuteTensor> tile = LocalTile(
          CuteTensor{layout}, tiler, CuteTree::Integer({t, IntegerKind::kDynamic, 1, {}}));
      ASSERT_TRUE(tile.ok()) << tile.status();
      for (int64_t k = 0; k < tile->size(); ++k) in_tiles.push_back(tile->At(k)->integer().value);
    }
    ASSERT_EQ(Sorted(in_tiles), Sorted(TableOf(plain))) << layout.ToString();
  }
}

}  // namespace
}  // namespace hlo_indexing::layout
