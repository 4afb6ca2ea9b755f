// Bits of elements, and what is left of boxes, against lists of all elements.
#include "indexing_analysis/queries/element_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/reached_elements.h"
#include "indexing_analysis/queries/strided_boxes.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/map_points.h"
#include "tests/property/num_cases.h"
#include "tests/property/positions.h"
#include "tests/property/random.h"
#include "tests/property/random_map.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::ElementBits;
using indexing_analysis::IndexingMap;
using indexing_analysis::Intersect;
using indexing_analysis::NumPointsOf;
using indexing_analysis::ParseIndexingMap;
using indexing_analysis::Progression;
using indexing_analysis::ReachCounter;
using indexing_analysis::ReachedElements;
using indexing_analysis::StridedBox;

constexpr int64_t kMuchWork = int64_t{1} << 26;

using Elements = std::set<int64_t>;

// The elements of boxes; a failure if an element is in two of them.
Elements ElementsOf(llvm::ArrayRef<StridedBox> boxes, const Sizes& sizes) {
  Elements elements;
  for (const StridedBox& box : boxes) {
    Sizes counts;
    int64_t count = 1;
    for (const Progression& side : box.sides) {
      counts.push_back(side.size);
      count *= side.size;
    }
    for (int64_t i = 0; i < count; ++i) {
      std::vector<int64_t> index = Unflatten(i, counts);
      for (size_t k = 0; k < index.size(); ++k) {
        index[k] = box.sides[k].offset + box.sides[k].stride * index[k];
      }
      const std::optional<int64_t> element = Flatten(index, sizes);
      EXPECT_TRUE(element.has_value()) << box.ToString();
      if (element.has_value()) {
        EXPECT_TRUE(elements.insert(*element).second) << box.ToString();
      }
    }
  }
  return elements;
}

Elements Complement(const Elements& elements, const Sizes& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  Elements rest;
  for (int64_t i = 0; i < count; ++i) {
    if (!elements.contains(i)) rest.insert(i);
  }
  return rest;
}

// A random map whose results are the indices of an array, and all that it reaches.
struct MapIntoArray {
  IndexingMap map;
  std::vector<std::vector<int64_t>> indices;
};

// Nullopt if a value does not fit, or nothing is reached.
std::optional<MapIntoArray> RandomMapIntoArray(Random& random, mlir::MLIRContext* context) {
  const auto parsed = ParseIndexingMap(RandomMap(random), context);
  if (!parsed.ok() || CountPoints(*parsed) > 100000) return std::nullopt;
  MapIntoArray result{*parsed, {}};
  bool fits = true;
  ForEachPoint(*parsed, [&](const auto& dimensions, const auto& symbols) {
    if (!parsed->DomainContains(dimensions, symbols)) return;
    const auto index = parsed->Evaluate(dimensions, symbols);
    fits &= index.has_value();
    if (index.has_value()) result.indices.emplace_back(index->begin(), index->end());
  });
  if (!fits || result.indices.empty()) return std::nullopt;
  std::vector<int64_t> lowest = result.indices.front();
  for (const auto& index : result.indices) {
    for (size_t i = 0; i < index.size(); ++i) lowest[i] = std::min(lowest[i], index[i]);
  }
  std::vector<mlir::AffineExpr> results(parsed->affine_map().getResults());
  for (size_t i = 0; i < results.size(); ++i) results[i] = results[i] - lowest[i];
  result.map = parsed->WithResults(mlir::AffineMap::get(
      parsed->affine_map().getNumDims(), parsed->affine_map().getNumSymbols(), results, context));
  for (auto& index : result.indices) {
    for (size_t i = 0; i < index.size(); ++i) index[i] -= lowest[i];
  }
  return result;
}

TEST(ElementBits, OfRandomMapsAreWhatAllPointsReach) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const int cases = NumCases("HLO_INDEXING_RANDOM_MAPS", 3000);
  int partly_reached = 0;
  for (int seed = 0; seed < cases && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    // One to three maps into an array that holds what they reach.
    std::vector<MapIntoArray> maps;
    const int64_t num_maps = random.Between(1, 3);
    for (int tries = 0; tries < 10 && std::ssize(maps) < num_maps; ++tries) {
      auto map = RandomMapIntoArray(random, &context);
      const bool fits = map.has_value() && (maps.empty() || maps.front().indices.front().size() ==
                                                                map->indices.front().size());
      if (fits) maps.push_back(*std::move(map));
    }
    if (maps.empty()) continue;
    Sizes sizes(maps.front().indices.front().size(), 1);
    int64_t num_points = 0;
    for (const MapIntoArray& map : maps) {
      num_points += std::ssize(map.indices);
      for (const auto& index : map.indices) {
        for (size_t i = 0; i < sizes.size(); ++i) sizes[i] = std::max(sizes[i], index[i] + 1);
      }
    }
    int64_t num_elements = 1;
    for (const int64_t size : sizes) {
      num_elements = num_elements > 100000 / size ? 100001 : num_elements * size;
    }
    if (num_elements > 100000) continue;
    Elements expected;
    ElementBits bits(sizes, kMuchWork);
    std::vector<IndexingMap> list;
    std::string text;
    for (const MapIntoArray& map : maps) {
      text += map.map.ToString() + "\n";
      list.push_back(map.map);
      for (const auto& index : map.indices) expected.insert(*Flatten(index, sizes));
    }
    SCOPED_TRACE(text);
    llvm::DynamicAPInt points(0);
    for (const IndexingMap& map : list) {
      // An opaque expression, as a product of variables, has no bits.
      if (!bits.AddImage(map)) list.clear();
      const auto of_map = NumPointsOf(map, kMuchWork);
      if (of_map.has_value()) points += *of_map;
      if (list.empty()) break;
    }
    if (list.empty()) continue;
    EXPECT_EQ(points, llvm::DynamicAPInt(num_points));
    EXPECT_EQ(bits.NumElements(), std::ssize(expected));
    const auto unreached = bits.Unreached(100000);
    ASSERT_TRUE(unreached.has_value());
    EXPECT_EQ(ElementsOf(*unreached, sizes), Complement(expected, sizes));
    partly_reached += unreached->empty() ? 0 : 1;
    // By boxes, bits or images, within limits or without.
    ReachCounter counter({.max_elements_with_bits = random.OneIn(2) ? 0 : 1 << 20,
                          .max_work = kMuchWork,
                          .max_boxes = 1000});
    const ReachedElements reached = counter.Count(list, sizes);
    EXPECT_TRUE(reached.count.lower <= std::ssize(expected) &&
                llvm::DynamicAPInt(std::ssize(expected)) <= reached.count.upper);
    if (reached.unreached.has_value()) {
      EXPECT_EQ(ElementsOf(*reached.unreached, sizes), Complement(expected, sizes));
    }
  }
  EXPECT_GT(partly_reached, cases / 10);
}

Progression RandomProgression(Random& random, int64_t size) {
  Progression side{random.Between(0, size - 1), 1, 1};
  const int64_t room = size - 1 - side.offset;
  if (room > 0 && !random.OneIn(5)) {
    side.stride = random.Between(1, std::min<int64_t>(room, 4));
    side.size = random.Between(2, room / side.stride + 1);
  }
  return side;
}

TEST(StridedBoxes, LeaveWhatIsNotInThem) {
  const int cases = NumCases("HLO_INDEXING_RANDOM_BOXES", 2000);
  for (int seed = 0; seed < cases && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    Sizes sizes(static_cast<size_t>(random.Between(0, 3)));
    for (int64_t& size : sizes) size = random.Between(1, 12);
    std::vector<StridedBox> left = {indexing_analysis::WholeArray(sizes)};
    Elements expected = Complement({}, sizes);
    std::string text;
    for (int64_t i = random.Between(1, 4); i > 0; --i) {
      StridedBox box;
      for (const int64_t size : sizes) box.sides.push_back(RandomProgression(random, size));
      text += box.ToString() + "\n";
      ASSERT_TRUE(Subtract(box, 100000, left));
      for (const int64_t element : ElementsOf({box}, sizes)) expected.erase(element);
    }
    SCOPED_TRACE(text);
    EXPECT_EQ(ElementsOf(left, sizes), expected);
    EXPECT_EQ(NumElements(left), llvm::DynamicAPInt(std::ssize(expected)));
    Join(left);
    EXPECT_EQ(ElementsOf(left, sizes), expected);
  }
}

TEST(StridedBoxes, JoinWhatBelongsTogether) {
  const auto box = [](Progression rows, Progression columns) {
    return StridedBox{{rows, columns}};
  };
  std::vector<StridedBox> boxes = {box({2, 3, 1}, {0, 4, 1}), box({0, 2, 1}, {0, 4, 1})};
  Join(boxes);
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_EQ(boxes.front().ToString(), "[0:5, 0:4]");
  // Even and odd columns.
  boxes = {box({0, 2, 1}, {0, 3, 2}), box({0, 2, 1}, {1, 3, 2})};
  Join(boxes);
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_EQ(boxes.front().ToString(), "[0:2, 0:6]");
}

TEST(StridedBoxes, OfNearlyAllNumbersDoNotOverflow) {
  // Strides whose common multiple is beyond 64 bits.
  const int64_t a = (int64_t{1} << 40) + 1;
  const int64_t b = (int64_t{1} << 40) - 1;
  const auto both = Intersect({0, int64_t{1} << 22, a}, {0, int64_t{1} << 22, b});
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(*both, (Progression{0, 1, 1}));
  EXPECT_EQ(Intersect({1, int64_t{1} << 22, a}, {2, int64_t{1} << 22, b}), std::nullopt);
  EXPECT_EQ(Intersect({0, 10, 2}, {1, 10, 2}), std::nullopt);
  EXPECT_EQ(Intersect({0, 6, 2}, {1, 4, 3}), (Progression{4, 2, 6}));
}

}  // namespace
}  // namespace hlo_indexing::testing
