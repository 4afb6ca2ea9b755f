// Tile sizes that fit, against all elements that all tiles need.
#include "indexing_analysis/queries/tile_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hlo/array_indices.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/queries/tile_fit_table.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/num_cases.h"
#include "tests/property/positions.h"
#include "tests/property/random_opcode.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;
using indexing_analysis::TileFit;
using indexing_analysis::TileFits;
using indexing_analysis::TileOfArray;
using indexing_analysis::TileRegion;

using Sizes = llvm::ArrayRef<int64_t>;
using Elements = std::vector<llvm::SmallVector<int64_t, 4>>;

// Whether the rows of these elements of a row-major array begin at sectors, and end there or where
// the array's do.
bool HasAlignedRows(const Elements& elements, const Shape& shape) {
  // Rows of one element are part of longer ones.
  if (elements.size() < 2 || shape.sizes().back() == 1) return true;
  const int64_t bytes = shape.StorageBits() / 8;
  std::map<std::vector<int64_t>, std::vector<int64_t>> rows;
  for (const auto& element : elements) {
    rows[{element.begin(), element.end() - 1}].push_back(element.back());
  }
  return std::all_of(rows.begin(), rows.end(), [&](auto& row) {
    std::vector<int64_t>& columns = row.second;
    std::sort(columns.begin(), columns.end());
    std::vector<int64_t> first = row.first;
    first.push_back(columns.front());
    const bool is_dense = columns.back() - columns.front() + 1 == std::ssize(columns);
    const bool is_whole = columns.back() + 1 == shape.sizes().back();
    return is_dense && *Flatten(first, shape.sizes()) * bytes % 32 == 0 &&
           (is_whole || std::ssize(columns) * bytes % 32 == 0);
  });
}

std::string Check(const TileFit& fit, const OutputIndexing& indexing, const Instruction& root,
                  const Shape& output, int64_t capacity) {
  int64_t in_all = output.num_elements() * output.StorageBits() / 8;
  std::string problem;
  hlo::ForEachIndex(indexing_analysis::NumTiles(fit.tile_sizes, output.sizes()), [&](Sizes number) {
    int64_t elements = 1;
    for (size_t i = 0; i < number.size(); ++i) {
      const int64_t first = number[i] * fit.tile_sizes[i];
      elements *= std::min(fit.tile_sizes[i], output.sizes()[i] - first);
    }
    int64_t bytes = elements * output.StorageBits() / 8;
    for (const OperandIndexing& operand : indexing.operands()) {
      const Shape& shape = root.operand(operand.operand()).shape().ArrayLeaf(operand.leaf());
      const TileOfArray tile =
          TileOfOperand(operand, output.sizes(), fit.tile_sizes, shape.sizes());
      for (const TileRegion& region : tile.regions) {
        const auto found = region.Elements(number, {});
        if (!found.has_value()) problem = "values known at run time";
        if (!problem.empty()) return false;
        bytes += std::ssize(*found) * shape.StorageBits() / 8;
        in_all += std::ssize(*found) * shape.StorageBits() / 8;
        const bool is_one_box = region.boxes.size() == 1;
        if (fit.is_aligned && is_one_box && !HasAlignedRows(*found, shape)) {
          problem = "not aligned: " + region.ToString();
        }
      }
    }
    if (bytes > fit.bytes_per_tile || bytes > capacity) problem = "too large a tile";
    return problem.empty();
  });
  if (problem.empty() && in_all > fit.bytes_of_all_tiles) return "too few bytes in all";
  return problem;
}

TEST(TileFit, OfFusionsFitsAndIsAligned) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_FUSIONS", 500);
  int fits = 0;
  int aligned = 0;
  for (int seed = 0; seed < modules && !HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const std::string text = RandomFusion(
        random, {Opcode::kReshape, Opcode::kTranspose, Opcode::kSlice, Opcode::kBroadcast,
                 Opcode::kPad, Opcode::kDot, Opcode::kConcatenate, Opcode::kReverse});
    SCOPED_TRACE(text);
    const auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok());
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    IndexingAnalysis analysis(&context);
    const Instruction& root = (*module)->entry().root();
    for (int64_t leaf = 0; leaf < root.shape().num_array_leaves(); ++leaf) {
      const OutputIndexing indexing = analysis.OutputToInput(root, leaf);
      const int64_t capacity = random.Between(8, 400);
      const TileFits found = FitTiles(indexing, root, leaf, capacity);
      EXPECT_EQ(found.fits.empty(), !found.reason.empty());
      for (const TileFit& fit : found.fits) {
        EXPECT_EQ(Check(fit, indexing, root, root.shape().ArrayLeaf(leaf), capacity), "")
            << fit.ToString();
        ++fits;
        if (fit.is_aligned) ++aligned;
      }
    }
  }
  EXPECT_GT(fits, 3 * modules);
  EXPECT_GT(aligned, modules / 20);
}

TEST(TileFit, OfADotMovesLeastInSquares) {
  const auto module = hlo::ParseModule(R"(
      ENTRY e {
        a = bf16[512,128] parameter(0)
        b = bf16[128,1024] parameter(1)
        ROOT d = f32[512,1024] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      })");
  ASSERT_TRUE(module.ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  const Instruction& root = (*module)->entry().root();
  const TileFits found = FitTiles(analysis.OutputToInput(root, 0), root, 0, int64_t{100} * 1024);
  ASSERT_FALSE(found.fits.empty());
  // 1, 2, ..., 512 by 1, 2, ..., 1024.
  EXPECT_EQ(found.num_candidates, 110U);
  // 64 * 128 * 2 + 128 * 128 * 2 + 64 * 128 * 4 bytes.
  EXPECT_EQ(found.fits.front().ToString(),
            "64x128: 64 tiles of 81920 bytes, 5242880 bytes in all, aligned");
}

// A tile lies in one operand of a concatenate, not in both.
TEST(TileFit, NoTileNeedsAllOperands) {
  const auto module = hlo::ParseModule(R"(
      ENTRY e {
        p = f32[8192] parameter(0)
        q = f32[8192] parameter(1)
        ROOT c = f32[16384] concatenate(p, q), dimensions={0}
      })");
  ASSERT_TRUE(module.ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  const Instruction& root = (*module)->entry().root();
  const TileFits found = FitTiles(analysis.OutputToInput(root, 0), root, 0, int64_t{64} * 1024);
  // All but the whole array.
  ASSERT_EQ(found.fits.size(), 14U);
  for (const TileFit& fit : found.fits) {
    EXPECT_EQ(fit.bytes_per_tile, llvm::DynamicAPInt(int64_t{8} * fit.tile_sizes.front()));
    EXPECT_EQ(fit.bytes_of_all_tiles, llvm::DynamicAPInt(int64_t{2} * 4 * 16384));
  }
}

// Bounds and the end of a tile cut what it needs: no tile of 4 needs 4 of q.
TEST(TileFit, CountsWhatTilesNeed) {
  const auto module = hlo::ParseModule(R"(
      ENTRY e {
        p = f32[3] parameter(0)
        q = f32[3] parameter(1)
        s = f32[2] parameter(2)
        ROOT c = f32[8] concatenate(p, q, s), dimensions={0}
      })");
  ASSERT_TRUE(module.ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  const Instruction& root = (*module)->entry().root();
  const TileFits found = FitTiles(analysis.OutputToInput(root, 0), root, 0, 1024);
  ASSERT_EQ(found.fits.size(), 4U);
  for (const TileFit& fit : found.fits) {
    EXPECT_EQ(fit.bytes_per_tile, llvm::DynamicAPInt(int64_t{8} * fit.tile_sizes.front()));
  }
}

// A device needs what its own group says, not what all groups say together.
TEST(TileFit, OfOneDevice) {
  const auto module = hlo::ParseModule(R"(
      HloModule m, replica_count=4
      add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
      ENTRY e {
        p = f32[8] parameter(0)
        ROOT r = f32[8] all-reduce(p), replica_groups={{0,3},{2,1}}, to_apply=add
      })");
  ASSERT_TRUE(module.ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  const Instruction& root = (*module)->entry().root();
  const TileFits found = FitTiles(analysis.OutputToInput(root, 0), root, 0, 1024);
  ASSERT_EQ(found.fits.size(), 4U);
  for (const TileFit& fit : found.fits) {
    EXPECT_EQ(fit.bytes_per_tile, llvm::DynamicAPInt(int64_t{8} * fit.tile_sizes.front()));
    EXPECT_EQ(fit.bytes_of_all_tiles, llvm::DynamicAPInt(64));
  }
}

// What a tile needs takes the longer, the more dimensions there are: fewer tile sizes are tried,
// and those that are found are exact.
TEST(TileFit, OfManyDimensions) {
  std::string threes;
  std::string twos;
  for (int i = 0; i < 12; ++i) {
    threes += i == 0 ? "3,2" : ",3,2";
    twos += i == 0 ? "2,3" : ",2,3";
  }
  const auto module = hlo::ParseModule(
      "e {\n  p = f32[" + threes + "] parameter(0)\n  ROOT r = f32[" + twos + "] reshape(p)\n}\n");
  ASSERT_TRUE(module.ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  const Instruction& root = (*module)->entry().root();
  const TileFits found = FitTiles(analysis.OutputToInput(root, 0), root, 0, 64);
  EXPECT_LE(found.num_candidates, 40U);
  ASSERT_FALSE(found.fits.empty());
  // An element of each.
  EXPECT_EQ(found.fits.front().bytes_per_tile, llvm::DynamicAPInt(8));
}

// Many operands are few steps of work for each.
TEST(TileFit, OfManyOperands) {
  constexpr int kOperands = 1000;
  std::string text = "ENTRY e {\n";
  std::string names;
  for (int i = 0; i < kOperands; ++i) {
    const std::string name = "p" + std::to_string(i);
    text += name + " = f32[3] parameter(" + std::to_string(i) + ")\n";
    names += (i == 0 ? "" : ", ") + name;
  }
  text += "ROOT c = f32[3000] concatenate(" + names + "), dimensions={0}\n}";
  const auto module = hlo::ParseModule(text);
  ASSERT_TRUE(module.ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  const Instruction& root = (*module)->entry().root();
  const TileFits found = FitTiles(analysis.OutputToInput(root, 0), root, 0, int64_t{1} << 20);
  ASSERT_EQ(found.fits.size(), found.num_candidates);
  for (const TileFit& fit : found.fits) {
    EXPECT_EQ(fit.bytes_per_tile, llvm::DynamicAPInt(int64_t{8} * fit.tile_sizes.front()));
  }
}

// Rows of 14 as rows of 21: tiles that cut them come in more kinds than are looked at, and are not
// among those that are too large.
TEST(TileFit, CountsWhatIsNotKnown) {
  const auto module = hlo::ParseModule(R"(
      ENTRY e {
        p = f32[33,14] parameter(0)
        ROOT r = f32[22,21] reshape(p)
      })");
  ASSERT_TRUE(module.ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  const Instruction& root = (*module)->entry().root();
  const TileFits found = FitTiles(analysis.OutputToInput(root, 0), root, 0, int64_t{1} << 20);
  EXPECT_EQ(found.num_candidates, 36);
  EXPECT_EQ(found.fits.size() + found.num_unknown, found.num_candidates);
  EXPECT_GT(found.num_unknown, 0);
  EXPECT_THAT(found.unknown_reason, ::testing::StartsWith("of operand 0, "));
  const TileFits none = FitTiles(analysis.OutputToInput(root, 0), root, 0, 7);
  EXPECT_EQ(none.num_unknown, 0) << "what does not fit with the output alone is known";
  EXPECT_EQ(none.reason, "none of 36 tile sizes fits 7 bytes");
}

// What was answered for one layer is right for another of the same shapes, and only for that.
TEST(TileFit, TablesChangeNoAnswer) {
  const auto module = hlo::ParseModule(R"(
      ENTRY e {
        p = f32[64,32] parameter(0)
        q = f32[64,32] parameter(1)
        i = s32[] parameter(2)
        t = f32[32,64] transpose(p), dimensions={1,0}
        u = f32[32,64] transpose(q), dimensions={1,0}
        v = f32[32,64]{0,1} transpose(p), dimensions={1,0}
        w = f32[32,64] reverse(t), dimensions={0}
        x = f32[32,64] reverse(u), dimensions={1}
        y = f32[16,64] dynamic-slice(w, i, i), dynamic_slice_sizes={16,64}
        z = f32[16,64] dynamic-slice(x, i, i), dynamic_slice_sizes={16,64}
        c = f32[48,64] concatenate(w, y), dimensions={0}
        d = f32[48,64] concatenate(x, z), dimensions={0}
        h = bf16[48,64] convert(d)
        ROOT r = (f32[32,64], f32[32,64]{0,1}, f32[48,64], bf16[48,64]) tuple(u, v, c, h)
      })");
  ASSERT_TRUE(module.ok()) << module.status();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  constexpr int64_t kCapacity = 4096;
  const auto text = [](const TileFits& fits) {
    std::string all = fits.reason + "; " + fits.unknown_reason;
    for (const TileFit& fit : fits.fits) all += "; " + fit.ToString();
    return all + " of " + std::to_string(fits.num_candidates);
  };
  indexing_analysis::TileFitTable table(kCapacity);
  for (int round = 0; round < 2; ++round) {
    for (const Instruction* instruction : (*module)->entry().instructions()) {
      for (int64_t leaf = 0; leaf < instruction->shape().num_array_leaves(); ++leaf) {
        const OutputIndexing indexing = analysis.OutputToInput(*instruction, leaf);
        EXPECT_EQ(text(table.Fit(indexing, *instruction, leaf)),
                  text(FitTiles(indexing, *instruction, leaf, kCapacity)))
            << instruction->name().str();
      }
    }
  }
}

// An operand that comes twice is needed once, and a table tells it from two operands.
TEST(TileFit, OfOneArrayTwice) {
  const auto module = hlo::ParseModule(R"(
      e {
        p = f32[64] parameter(0)
        q = f32[64] parameter(1)
        a = f32[64] add(p, q)
        b = f32[64] add(p, p)
        ROOT t = (f32[64], f32[64]) tuple(a, b)
      })");
  ASSERT_TRUE(module.ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  indexing_analysis::TileFitTable table(1024);
  const Instruction& root = (*module)->entry().root();
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Instruction& sum = root.operand(i);
    const int64_t arrays = i == 0 ? 3 : 2;
    const TileFits& found = table.Fit(analysis.OutputToInput(sum, 0), sum, 0);
    ASSERT_FALSE(found.fits.empty());
    for (const TileFit& fit : found.fits) {
      EXPECT_EQ(fit.bytes_per_tile, llvm::DynamicAPInt(arrays * 4 * fit.tile_sizes.front()));
      EXPECT_EQ(fit.bytes_of_all_tiles, llvm::DynamicAPInt(arrays * 256));
    }
  }
}

// Tiles are not counted one by one for devices of large numbers: a region of one of them is not
// that of a device which stands for all.
TEST(TileFit, DevicesOfAnyNumber) {
  for (const char* const devices : {"0,1", "0,40000", "0,65535", "0,65536", "5,1000000"}) {
    const auto module = hlo::ParseModule(std::string("HloModule m, replica_count=2000000\n") +
                                         "ENTRY e { p = f32[8,4] parameter(0)\n"
                                         "ROOT r = f32[8,4] all-to-all(p), dimensions={0}, "
                                         "replica_groups={{" +
                                         devices + "}} }");
    ASSERT_TRUE(module.ok()) << module.status();
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    IndexingAnalysis analysis(&context);
    const Instruction& root = (*module)->entry().root();
    const TileFits fits = FitTiles(analysis.OutputToInput(root, 0), root, 0, 1024);
    EXPECT_EQ(fits.reason, "") << devices;
    EXPECT_FALSE(fits.fits.empty()) << devices;
  }
}

TEST(TileFit, SaysWhyNothingFits) {
  const auto module = hlo::ParseModule(R"(
      add {
        x = f32[] parameter(0)
        y = f32[] parameter(1)
        ROOT s = f32[] add(x, y)
      }
      ENTRY e {
        p = f32[64] parameter(0)
        z = f32[] constant(0)
        r = f32[] reduce(p, z), dimensions={0}, to_apply=add
        ROOT u = f32[] custom-call(r), custom_call_target="nobody_knows"
      })");
  ASSERT_TRUE(module.ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  const auto reason = [&](const Instruction& instruction) {
    return FitTiles(analysis.OutputToInput(instruction, 0), instruction, 0, 100).reason;
  };
  const Instruction& root = (*module)->entry().root();
  EXPECT_EQ(reason(root.operand(0)), "none of 1 tile sizes fits 100 bytes");
  EXPECT_EQ(reason(root),
            "of operand 0, tiles are not known exactly: no maps are registered for the custom call "
            "'nobody_knows'");
  EXPECT_EQ(reason(root.operand(0).operand(1)), "it reads nothing");
}

}  // namespace
}  // namespace hlo_indexing::testing
