// Tiles against the maps of elements, tried at every element of every tile.
#include "indexing_analysis/queries/tiles.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hlo/array_indices.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/queries/runtime_choices.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/map_points.h"
#include "tests/property/num_cases.h"
#include "tests/property/positions.h"
#include "tests/property/random_opcode.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using indexing_analysis::Exactness;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OperandMap;
using indexing_analysis::ParseIndexingMap;
using indexing_analysis::TileOfArray;
using indexing_analysis::TileOptions;
using indexing_analysis::TileRegion;

using Places = std::set<int64_t>;

// What tiles need by the maps, at all values known at run time that `fixed` leaves open: by the
// number of the tile, the positions in the array.
std::map<int64_t, Places> NeededPlaces(llvm::ArrayRef<IndexingMap> maps,
                                       llvm::ArrayRef<int64_t> tile_sizes,
                                       llvm::ArrayRef<int64_t> counts,
                                       llvm::ArrayRef<int64_t> result_sizes,
                                       std::optional<int64_t> runtime_value) {
  std::map<int64_t, Places> places;
  for (const IndexingMap& map : maps) {
    ForEachPoint(map, [&](llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) {
      const bool is_other =
          runtime_value.has_value() && map.num_runtime() != 0 && symbols.back() != *runtime_value;
      if (is_other || !map.DomainContains(dimensions, symbols)) return;
      std::vector<int64_t> tile;
      for (size_t i = 0; i < tile_sizes.size(); ++i) tile.push_back(dimensions[i] / tile_sizes[i]);
      const auto place = Flatten(*map.Evaluate(dimensions, symbols), result_sizes);
      ASSERT_TRUE(place.has_value());
      places[*Flatten(tile, counts)].insert(*place);
    });
  }
  return places;
}

struct Found {
  int exact = 0;
  int superset = 0;
  int with_regions = 0;
  int with_boxes = 0;
  int with_bounds = 0;
  int with_runtime = 0;
  // Tiles that bounds cut, and those of them whose elements together are counted exactly.
  int cut = 0;
  int cut_counted = 0;
};

// What is wrong with an answer; empty if nothing is.
std::string Check(const TileOfArray& tile, llvm::ArrayRef<IndexingMap> maps,
                  llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> tile_sizes,
                  llvm::ArrayRef<int64_t> result_sizes, std::optional<int64_t> runtime_value,
                  Found& totals) {
  if ((tile.exactness == Exactness::kExact) != tile.reason.empty()) return "no reason";
  if (tile.exactness == Exactness::kUnknown) return "unknown";
  const llvm::SmallVector<int64_t, 4> counts = indexing_analysis::NumTiles(tile_sizes, sizes);
  const auto needed = NeededPlaces(maps, tile_sizes, counts, result_sizes, runtime_value);
  std::string problem;
  llvm::DynamicAPInt of_all_tiles(0);
  llvm::DynamicAPInt of_one_tile(0);
  hlo::ForEachIndex(counts, [&](llvm::ArrayRef<int64_t> index) {
    Places found;
    const llvm::DynamicAPInt before = of_all_tiles;
    for (const TileRegion& region : tile.regions) {
      if (region.offset.num_runtime() > (runtime_value.has_value() ? 1 : 0)) {
        problem = "a value known at run time";
        return false;
      }
      std::vector<int64_t> runtime(region.offset.num_runtime(), runtime_value.value_or(0));
      const auto elements = region.Elements(index, runtime);
      if (!elements.has_value()) problem = "overflow";
      if (!elements.has_value()) return false;
      if (static_cast<int64_t>(elements->size()) > region.MostElements()) problem = "too many";
      of_all_tiles += llvm::DynamicAPInt(static_cast<int64_t>(elements->size()));
      Places of_region;
      for (const auto& element : *elements) {
        const auto place = Flatten(element, result_sizes);
        if (!place.has_value()) {
          problem = "outside of the array: " + region.ToString();
        } else if (!of_region.insert(*place).second) {
          problem = "an element comes twice: " + region.ToString();
        }
      }
      found.insert(of_region.begin(), of_region.end());
    }
    if (!problem.empty()) return false;
    of_one_tile = std::max(of_one_tile, of_all_tiles - before);
    const auto here = needed.find(*Flatten(index, counts));
    const Places expected = here == needed.end() ? Places() : here->second;
    const bool is_right =
        tile.exactness == Exactness::kExact
            ? found == expected
            : llvm::all_of(expected, [&](int64_t p) { return found.contains(p); });
    if (!is_right) {
      problem = absl::StrCat("tile ", *Flatten(index, counts), " needs ", expected.size(), ", not ",
                             found.size());
    }
    return is_right;
  });
  if (problem.empty() && of_all_tiles > tile.ElementsOfAllTiles()) return "too few in all tiles";
  if (problem.empty() && of_one_tile > tile.MostElements()) return "too few in one tile";
  const bool has_all_tiles = llvm::all_of(tile.regions, [](const TileRegion& region) {
    return region.offset.constraints().empty() && region.offset.num_runtime() == 0;
  });
  const bool is_exact = of_all_tiles == tile.ElementsOfAllTiles();
  const bool is_cut =
      llvm::any_of(tile.regions, [](const TileRegion& region) { return !region.bounds.empty(); });
  if (problem.empty() && has_all_tiles && !is_cut && !is_exact) return "too many in all tiles";
  if (problem.empty() && has_all_tiles && is_exact && of_one_tile != tile.MostElements()) {
    return "too many in one tile";
  }
  if (problem.empty() && has_all_tiles && is_cut) {
    ++totals.cut;
    if (is_exact) ++totals.cut_counted;
  }
  return problem;
}

// The one value known at run time that maps depend on, if there is one and it is the same for all
// elements; nullopt if there are others.
std::optional<std::string> OnlyValue(llvm::ArrayRef<IndexingMap> maps) {
  std::string only;
  for (const IndexingMap& map : maps) {
    for (const auto& variable : map.runtime()) {
      const auto value = indexing_analysis::UniformValue(variable);
      if (!value.has_value() || map.num_runtime() > 1) return std::nullopt;
      if (!only.empty() && *value != only) return std::nullopt;
      only = *value;
    }
  }
  return only;
}

void CheckIndexing(const OperandIndexing& indexing, const Shape& from, const Shape& to,
                   Random& random, Found& found) {
  if (indexing.exactness() == Exactness::kUnknown) return;
  llvm::SmallVector<int64_t, 4> tile_sizes;
  for (const int64_t size : from.sizes()) {
    tile_sizes.push_back(random.Between(1, std::max<int64_t>(1, size)));
  }
  TileOptions options;
  options.max_regions = static_cast<size_t>(random.OneIn(4) ? random.Between(1, 4) : 64);
  options.max_boxes = static_cast<size_t>(random.OneIn(4) ? random.Between(1, 4) : 64);
  const TileOfArray tile = TileOfOperand(indexing, from.sizes(), tile_sizes, to.sizes(), options);
  std::vector<IndexingMap> maps;
  for (const OperandMap& map : indexing.maps()) {
    if (CountPoints(map.map) > 20000) return;
    maps.push_back(map.map);
  }
  ++(tile.exactness == Exactness::kExact ? found.exact : found.superset);
  if (tile.regions.size() > 1) ++found.with_regions;
  for (const TileRegion& region : tile.regions) {
    if (region.boxes.size() > 1) ++found.with_boxes;
    if (!region.bounds.empty()) ++found.with_bounds;
  }
  const auto only = OnlyValue(maps);
  const auto check = [&](std::optional<int64_t> value) {
    EXPECT_EQ(Check(tile, maps, from.sizes(), tile_sizes, to.sizes(), value, found), "")
        << indexing.ToString() << "\nin tiles of " << ::testing::PrintToString(tile_sizes) << ": "
        << tile.ToString();
  };
  if (only.has_value() && only->empty()) return check(std::nullopt);
  const auto has_runtime = [](const TileRegion& region) {
    return region.offset.num_runtime() != 0;
  };
  if (llvm::none_of(tile.regions, has_runtime)) return check(std::nullopt);
  if (!only.has_value()) return;
  ++found.with_runtime;
  for (const IndexingMap& map : maps) {
    for (const auto& variable : map.runtime()) {
      for (int64_t v = variable.bounds.lower; v <= variable.bounds.upper; ++v) check(v);
    }
  }
}

void CheckModule(const std::string& text, Random& random, Found& found) {
  SCOPED_TRACE(text);
  const auto module = hlo::ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status().message();
  ASSERT_TRUE(hlo::Verify(**module).ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  const Instruction& root = (*module)->entry().root();
  for (int64_t output = 0; output < root.shape().num_array_leaves(); ++output) {
    const Shape& shape = root.shape().ArrayLeaf(output);
    const auto operand_shape = [&](const OperandIndexing& indexing) -> const Shape& {
      return root.operand(indexing.operand()).shape().ArrayLeaf(indexing.leaf());
    };
    for (const auto& indexing : analysis.OutputToInput(root, output).operands()) {
      CheckIndexing(indexing, shape, operand_shape(indexing), random, found);
    }
    for (const auto& indexing : analysis.InputToOutput(root, output).operands()) {
      CheckIndexing(indexing, operand_shape(indexing), shape, random, found);
    }
  }
}

const std::vector<Opcode>& Movement() {
  static const std::vector<Opcode> opcodes = {
      Opcode::kAdd,     Opcode::kBroadcast, Opcode::kConcatenate, Opcode::kDot,
      Opcode::kPad,     Opcode::kPad,       Opcode::kReduce,      Opcode::kReduceWindow,
      Opcode::kReshape, Opcode::kReshape,   Opcode::kReverse,     Opcode::kSlice,
      Opcode::kSlice,   Opcode::kTranspose};
  return opcodes;
}

TEST(Tiles, OfFusionsThatMoveElementsHoldWhatIsNeeded) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 6000);
  Found found;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    CheckModule(RandomFusion(random, Movement()), random, found);
  }
  EXPECT_GT(found.exact, 8 * found.superset);
  EXPECT_GT(found.with_regions, modules / 10);
  EXPECT_GT(found.with_boxes, modules / 10);
  EXPECT_GT(found.with_bounds, modules / 8);
  // A few are cut along two dimensions of the tiles.
  EXPECT_GT(found.cut_counted, found.cut * 95 / 100);
}

TEST(Tiles, OfFusionsOfAllOpcodesHoldWhatIsNeeded) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 4000);
  Found found;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    CheckModule(RandomFusion(random, FusibleOpcodes()), random, found);
  }
  EXPECT_GT(found.exact, modules);
}

TEST(Tiles, ThatDependOnValuesKnownAtRunTimeMoveWithThem) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 4000);
  Found found;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    CheckModule(RandomFusion(random, {Opcode::kDynamicSlice, Opcode::kDynamicUpdateSlice,
                                      Opcode::kGather, Opcode::kTranspose, Opcode::kReshape}),
                random, found);
  }
  EXPECT_GT(found.with_runtime, modules / 10);
}

// Many windows in a row: it is told that finding out what they reach takes too much work.
TEST(Tiles, OfManyWindowsEndAtALimit) {
  std::string text =
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
      "f { v0 = f32[200,300,50] parameter(0)\n z = f32[] constant(0)\n";
  constexpr int kWindows = 12;
  for (int i = 1; i <= kWindows; ++i) {
    text += absl::StrCat(i == kWindows ? "ROOT " : "", "v", i, " = f32[200,300,50] reduce-window(v",
                         i - 1, ", z), window={size=3x2x3 pad=1_1x0_1x1_1}, to_apply=add\n");
  }
  const auto module = hlo::ParseModule(text +
                                       "}\nENTRY e { p = f32[200,300,50] parameter(0)\n"
                                       "ROOT r = f32[200,300,50] fusion(p), kind=kLoop, calls=f }");
  ASSERT_TRUE(module.ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  const hlo::Instruction& root = (*module)->entry().root();
  const indexing_analysis::OutputIndexing indexing = analysis.OutputToInput(root, 0);
  const llvm::ArrayRef<int64_t> sizes = root.shape().sizes();
  const TileOfArray tile =
      indexing_analysis::TileOfOperand(*indexing.operands().begin(), sizes, {8, 32, 4}, sizes, {});
  EXPECT_EQ(tile.exactness, Exactness::kSuperset);
  EXPECT_NE(tile.reason.find("takes too much work"), std::string::npos) << tile.reason;
}

TEST(Tiles, OfEveryOpcodeHoldWhatIsNeeded) {
  const int instances = NumCases("HLO_INDEXING_RANDOM_INSTANCES", 6);
  Found found;
  for (int number = 0; number < hlo::kNumOpcodes && !HasFailure(); ++number) {
    for (int seed = 0; seed < instances && !HasFailure(); ++seed) {
      Random random(static_cast<uint64_t>(seed * hlo::kNumOpcodes + number));
      const std::string text = RandomInstance(random, static_cast<Opcode>(number));
      if (!text.empty()) CheckModule(text, random, found);
    }
  }
  EXPECT_GT(found.exact, hlo::kNumOpcodes);
}

struct TextCase {
  const char* name;
  const char* map;
  std::vector<int64_t> sizes;
  std::vector<int64_t> tile_sizes;
  std::vector<int64_t> result_sizes;
  const char* tile;
};

class TilesOfMaps : public ::testing::TestWithParam<TextCase> {};

TEST_P(TilesOfMaps, Print) {
  const TextCase& test = GetParam();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto map = ParseIndexingMap(test.map, &context);
  ASSERT_TRUE(map.ok()) << map.status().message();
  const TileOfArray tile = TileOfMap(*map, test.sizes, test.tile_sizes, test.result_sizes);
  EXPECT_EQ(tile.ToString(), test.tile);
}

INSTANTIATE_TEST_SUITE_P(
    All, TilesOfMaps,
    ::testing::Values(
        TextCase{"Transpose",
                 "(d0, d1) -> (d1, d0), domain: d0 in [0, 99], d1 in [0, 63]",
                 {100, 64},
                 {8, 32},
                 {64, 100},
                 "exact: 32x8 at (d1 * 32, d0 * 8), dimension 1 up to 99, domain: d0 in [0, 12], "
                 "d1 in [0, 1]"},
        TextCase{"RowsAreCut",
                 "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 23]",
                 {24},
                 {6},
                 {6, 4},
                 "exact:\n  [0:1, 0:4] + [1:2, 0:2] at ((d0 floordiv 2) * 3, 0), domain: d0 in [0, "
                 "2], d0 mod 2 in [0, 0]\n  [0:1, 2:4] + [1:2, 0:4] at ((d0 floordiv 2) * 3 + 1, "
                 "0), domain: d0 in [1, 3], d0 mod 2 in [1, 1]"},
        TextCase{"Generic",
                 "(d0, d1) -> ((d0 * 12 + d1) floordiv 4, (d0 * 12 + d1) mod 4), domain: d0 in "
                 "[0, 3], d1 in [0, 11]",
                 {4, 12},
                 {2, 6},
                 {12, 4},
                 "exact:\n  [0:4:3, 0:4] + [1:5:3, 0:2] at (d0 * 6, 0), domain: d0 in [0, 1], d1 "
                 "in [0, 0]\n  [0:4:3, 2:4] + [1:5:3, 0:4] at (d0 * 6 + 1, 0), domain: d0 in [0, "
                 "1], d1 in [1, 1]"},
        TextCase{"Reverse",
                 "(d0) -> (-d0 + 178), domain: d0 in [0, 178]",
                 {179},
                 {16},
                 {179},
                 "exact: 16 at (-d0 * 16 + 163), dimension 0 from 0, domain: d0 in [0, 11]"},
        TextCase{
            "Strided",
            "(d0) -> (d0 * 2 + 40), domain: d0 in [0, 9]",
            {10},
            {4},
            {60},
            "exact: 4 with strides 2 at (d0 * 8 + 40), dimension 0 up to 58, domain: d0 in [0, 2]"},
        TextCase{"Pad",
                 "(d0) -> (d0 - 2), domain: d0 in [2, 11]",
                 {14},
                 {4},
                 {10},
                 "exact: 4 at (d0 * 4 - 2), dimension 0 from 0, domain: d0 in [0, 2]"},
        TextCase{"Dilated",
                 "(d0) -> (d0 floordiv 3), domain: d0 in [0, 27], d0 mod 3 in [0, 0]",
                 {28},
                 {4},
                 {10},
                 "exact:\n  2 at ((d0 floordiv 3) * 4), domain: d0 in [0, 6], d0 mod 3 in [0, 0]\n "
                 " 1 at ((d0 floordiv 3) * 4 + 2), domain: d0 in [1, 4], d0 mod 3 in [1, 1]\n  1 "
                 "at ((d0 floordiv 3) * 4 + 3), domain: d0 in [2, 5], d0 mod 3 in [2, 2]"},
        TextCase{"InteriorPadding",
                 "(d0) -> (d0 floordiv 2), domain: d0 in [0, 6], d0 mod 2 in [0, 0]",
                 {8},
                 {1},
                 {4},
                 "exact: 1 at (d0 floordiv 2), domain: d0 in [0, 6], d0 mod 2 in [0, 0]"},
        TextCase{"Running",
                 "(d0)[s0] -> (s0), domain: d0 in [0, 99], s0 in [0, 99], d0 - s0 in "
                 "[0, 99]",
                 {100},
                 {10},
                 {100},
                 "exact: 100 at (0), dimension 0 up to d0 * 10 + 9, domain: d0 in [0, 9]"}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace hlo_indexing::testing
