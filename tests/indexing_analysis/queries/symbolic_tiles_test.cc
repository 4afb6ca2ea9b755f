// Tiles of any size against the maps of elements: every case, at every size that it allows.
#include "indexing_analysis/queries/symbolic_tiles.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hlo/array_indices.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/queries/tiles.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/map_points.h"
#include "tests/property/num_cases.h"
#include "tests/property/positions.h"
#include "tests/property/random_opcode.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Opcode;
using hlo::Shape;
using indexing_analysis::Exactness;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::OperandIndexing;
using indexing_analysis::ParseIndexingMap;
using indexing_analysis::SymbolicTile;
using indexing_analysis::SymbolicTiles;

using Sizes = llvm::ArrayRef<int64_t>;
using Places = std::set<std::vector<int64_t>>;

struct Found {
  int maps = 0;
  int with_cases = 0;
  int tiles = 0;
  // Tile sizes for which every tile is one box, and how many of them a case has.
  int boxes = 0;
  int boxes_of_cases = 0;
};

// What the tile that begins at `first` needs, by the case; an empty text, or what is wrong.
std::string PlacesOf(const SymbolicTile& tile, Sizes first, Sizes tile_sizes, Places& places) {
  const auto values = tile.offset_and_size.Evaluate(first, tile_sizes);
  if (!values.has_value()) return "overflow";
  const Sizes offset = Sizes(*values).take_front(tile.rank());
  hlo::ForEachIndex(Sizes(*values).drop_front(tile.rank()), [&](Sizes index) {
    std::vector<int64_t> place;
    bool is_inside = true;
    for (size_t i = 0; i < index.size(); ++i) {
      place.push_back(offset[i] + tile.strides[i] * index[i]);
      is_inside &= tile.bounds[i].Contains(place.back());
    }
    if (is_inside) places.insert(place);
    return true;
  });
  return "";
}

std::string CheckSizes(const SymbolicTiles& tiles, const IndexingMap& map, Sizes sizes,
                       Sizes tile_sizes, Found& found) {
  // By the first element of the tile.
  std::map<std::vector<int64_t>, Places> needed;
  ForEachPoint(map, [&](Sizes dimensions, Sizes symbols) {
    if (!map.DomainContains(dimensions, symbols)) return;
    std::vector<int64_t> first;
    for (size_t i = 0; i < tile_sizes.size(); ++i) {
      first.push_back(dimensions[i] / tile_sizes[i] * tile_sizes[i]);
    }
    const auto place = *map.Evaluate(dimensions, symbols);
    needed[first].insert({place.begin(), place.end()});
  });
  bool has_case = false;
  std::string problem;
  for (const SymbolicTile& tile : tiles.cases) {
    if (!tile.Holds(tile_sizes)) continue;
    has_case = true;
    hlo::ForEachIndex(indexing_analysis::NumTiles(tile_sizes, sizes), [&](Sizes number) {
      std::vector<int64_t> first;
      for (size_t i = 0; i < number.size(); ++i) first.push_back(number[i] * tile_sizes[i]);
      Places places;
      problem = PlacesOf(tile, first, tile_sizes, places);
      ++found.tiles;
      if (problem.empty() && places != needed[first]) problem = tile.ToString();
      return problem.empty();
    });
    if (!problem.empty()) return problem;
  }
  const auto tile = TileOfMap(map, sizes, tile_sizes, std::vector<int64_t>(16, 1 << 20));
  const bool is_box = tile.exactness == Exactness::kExact && tile.regions.size() == 1 &&
                      tile.regions.front().boxes.size() == 1;
  if (is_box) ++found.boxes;
  if (is_box && has_case) ++found.boxes_of_cases;
  return "";
}

std::string CheckMap(const IndexingMap& map, Sizes sizes, Found& found) {
  const SymbolicTiles tiles = SymbolicTilesOfMap(map, sizes);
  if (tiles.cases.empty() == tiles.reason.empty()) return "no reason, or one too much";
  ++found.maps;
  if (!tiles.cases.empty()) ++found.with_cases;
  std::string problem;
  hlo::ForEachIndex(sizes, [&](Sizes index) {
    std::vector<int64_t> tile_sizes;
    for (const int64_t i : index) tile_sizes.push_back(i + 1);
    problem = CheckSizes(tiles, map, sizes, tile_sizes, found);
    if (!problem.empty()) {
      for (const int64_t size : tile_sizes) problem += " " + std::to_string(size);
    }
    return problem.empty();
  });
  return problem;
}

TEST(SymbolicTiles, HoldWhatIsNeededForAllSizesThatTheyAllow) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 1500);
  Found found;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const std::string text =
        RandomFusion(random, {Opcode::kReshape, Opcode::kReshape, Opcode::kTranspose,
                              Opcode::kSlice, Opcode::kBroadcast, Opcode::kReverse, Opcode::kReduce,
                              Opcode::kPad, Opcode::kConcatenate, Opcode::kDot});
    SCOPED_TRACE(text);
    const auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok());
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    IndexingAnalysis analysis(&context);
    const auto& root = (*module)->entry().root();
    for (int64_t output = 0; output < root.shape().num_array_leaves(); ++output) {
      const Shape& shape = root.shape().ArrayLeaf(output);
      for (const OperandIndexing& indexing : analysis.OutputToInput(root, output).operands()) {
        const bool is_one =
            indexing.exactness() == Exactness::kExact && indexing.maps().size() == 1;
        if (!is_one || shape.num_elements() == 0) continue;
        const IndexingMap map = (*indexing.maps().begin()).map;
        if (CountPoints(map) * hlo::NumIndices(shape.sizes()) > 50000 || map.num_runtime() != 0) {
          continue;
        }
        EXPECT_EQ(CheckMap(map, shape.sizes(), found), "") << map.ToString();
      }
    }
  }
  EXPECT_GT(found.with_cases, found.maps * 3 / 4);
  EXPECT_GT(found.tiles, 10 * modules);
  EXPECT_GT(found.boxes_of_cases, found.boxes / 2);
  RecordProperty("boxes", found.boxes);
  RecordProperty("boxes_of_cases", found.boxes_of_cases);
}

struct TextCase {
  const char* name;
  const char* map;
  std::vector<int64_t> sizes;
  const char* cases;
};

class SymbolicTilesOfMaps : public ::testing::TestWithParam<TextCase> {};

TEST_P(SymbolicTilesOfMaps, Print) {
  const TextCase& test = GetParam();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto map = ParseIndexingMap(test.map, &context);
  ASSERT_TRUE(map.ok()) << map.status().message();
  EXPECT_EQ(SymbolicTilesOfMap(*map, test.sizes).ToString(), test.cases);
  Found found;
  const bool is_small = CountPoints(*map) * hlo::NumIndices(test.sizes) < 10'000'000;
  EXPECT_EQ(is_small ? CheckMap(*map, test.sizes, found) : "", "");
}

INSTANTIATE_TEST_SUITE_P(
    All, SymbolicTilesOfMaps,
    ::testing::Values(
        TextCase{"Dot",
                 "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 10], d1 in [0, 16], d2 "
                 "in [0, 22], s0 in [0, 18]",
                 {11, 17, 23},
                 "any sizes: t0xt1x19 at (d0, d1, 0), dimension 0 up to 10, dimension 1 up to 16"},
        TextCase{"Slice",
                 "(d0, d1) -> (d0 * 2 + 40, d1 * 4 + 20), domain: d0 in [0, 9], d1 in [0, "
                 "20]",
                 {10, 21},
                 "any sizes: t0xt1 with strides 2x4 at (d0 * 2 + 40, d1 * 4 + 20), dimension 0 up "
                 "to 58, dimension 1 up to 100"},
        TextCase{"Reverse",
                 "(d0) -> (-d0 + 178), domain: d0 in [0, 178]",
                 {179},
                 "any sizes: t0 at (-d0 - t0 + 179), dimension 0 from 0"},
        TextCase{"Expand",
                 "(d0) -> (d0 floordiv 32, d0 mod 32), domain: d0 in [0, 1023]",
                 {1024},
                 "t0 divides 32: 1xt0 at (d0 floordiv 32, d0 mod 32)\n32 divides t0: (t0 floordiv "
                 "32)x32 at (d0 floordiv 32, d0 mod 32), dimension 0 up to 31"},
        TextCase{"ExpandTwice",
                 "(d0, d1) -> (0, d0 floordiv 6, d0 mod 6, d1), domain: d0 in [0, 47], d1 in [0, "
                 "3]",
                 {48, 4},
                 "t0 divides 6: 1x1xt0xt1 at (0, d0 floordiv 6, d0 mod 6, d1), dimension 3 up to "
                 "3\n6 divides t0: 1x(t0 floordiv 6)x6xt1 at (0, d0 floordiv 6, d0 mod 6, d1), "
                 "dimension 1 up to 7, dimension 3 up to 3"},
        TextCase{
            "Collapse",
            "(d0, d1, d2, d3) -> (d0 * 48 + d1 * 6 + d2, d3), domain: d0 in [0, 3], d1 in [0, "
            "7], d2 in [0, 5], d3 in [0, 3]",
            {4, 8, 6, 4},
            "t1 = 1, t2 = 1: t0xt3 with strides 48x1 at (d0 * 48 + d1 * 6 + d2, d3), dimension 0 "
            "up to 191, dimension 1 up to 3\nt1 = 8, t2 = 1: (t0 * 8)xt3 with strides 6x1 at (d0 * "
            "48 + d1 * 6 + d2, d3), dimension 0 up to 191, dimension 1 up to 3\nt1 = 8, t2 = 6: "
            "(t0 * 48)xt3 at (d0 * 48 + d1 * 6 + d2, d3), dimension 0 up to 191, dimension 1 up to "
            "3\nt0 = 1, t1 divides 8, t2 = 1: t1xt3 with strides 6x1 at (d0 * 48 + d1 * 6 + d2, "
            "d3), dimension 1 up to 3\nt0 = 1, t1 divides 8, t2 = 6: (t1 * 6)xt3 at (d0 * 48 + d1 "
            "* 6 + d2, d3), dimension 1 up to 3\nt0 = 1, t1 = 1, t2 divides 6: t2xt3 at (d0 * 48 + "
            "d1 * 6 + d2, d3), dimension 1 up to 3"},
        TextCase{"Digits",
                 "(d0) -> (d0 floordiv 35, (d0 floordiv 7) mod 5, d0 mod 7), domain: d0 "
                 "in [0, 104]",
                 {105},
                 "t0 divides 7: 1x1xt0 at (d0 floordiv 35, (d0 floordiv 7) mod 5, d0 mod 7)\n7 "
                 "divides t0, t0 divides 35: 1x(t0 floordiv 7)x7 at (d0 floordiv 35, (d0 floordiv "
                 "7) mod 5, d0 mod 7)\n35 divides t0: (t0 floordiv 35)x5x7 at (d0 floordiv 35, (d0 "
                 "floordiv 7) mod 5, d0 mod 7), dimension 0 up to 2"},
        TextCase{"Concatenate",
                 "(d0, d1) -> (d0, d1 - 5), domain: d0 in [0, 9], d1 in [5, 15]",
                 {10, 20},
                 "any sizes: t0xt1 at (d0, d1 - 5), dimension 0 up to 9, dimension 1 in [0, 10]"},
        TextCase{
            "Diagonal", "(d0) -> (d0, d0), domain: d0 in [0, 9]", {10}, "t0 = 1: 1x1 at (d0, d0)"},
        TextCase{"Generic",
                 "(d0, d1) -> ((d0 * 6 + d1) floordiv 4, (d0 * 6 + d1) mod 4), domain: d0 in [0, "
                 "3], d1 in [0, 5]",
                 {4, 6},
                 "no case: an index is a quotient of several variables: {d0 * 3 + d1 floordiv 2} "
                 "floordiv 2"}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace hlo_indexing::testing
