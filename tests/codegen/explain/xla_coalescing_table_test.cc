// What XLA's tests of coalescing state of each operand, beside the sectors that we count; all
// threads of the grid, tried one by one, decide who is right.
//
// XLA answers yes or no: whether 0.9 of the transactions of the first warp would do. The rule here
// is the same, of all warps: an operand is read well if `least > 0.9 * sectors` in sum over its
// loads, in the worst case where values known at run time decide. So an answer that differs comes
// from the counting, not from the limit. XLA counts runs of addresses as if each began where a
// transaction begins; threads decide by the sectors of 32 bytes that the lanes of each request
// touch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/explain/kernel_report.h"
#include "codegen/plan/accesses.h"
#include "codegen/plan/given_plan.h"
#include "codegen/plan/xla_plan.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/coalescing.h"
#include "tests/codegen/explain/every_thread.h"
#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::explain {
namespace {

using plan::AccessKind;
using plan::KernelAccess;
using plan::PlannedModule;

bool IsReadWell(const Traffic& traffic) { return 10 * traffic.least > 9 * traffic.sectors; }

enum class XlaIs : uint8_t { kRight, kWrong };

struct XlaOperand {
  // XLA's answer, ours, and the verdict.
  bool is_coalesced;
  Traffic ours;
  XlaIs xla_is = XlaIs::kRight;
};

struct XlaCase {
  std::string name;
  std::vector<std::string> parameters;
  std::string result;
  // The fused computation's instructions, of p0, p1, ...
  std::string body;
  std::vector<XlaOperand> operands;
  // How often values known at run time are drawn.
  uint64_t draws = 1;

  friend std::ostream& operator<<(std::ostream& out, const XlaCase& c) { return out << c.name; }
};

const std::vector<XlaCase>& XlaCases() {
  static const std::vector<std::string> kPieces = {"bf16[42]", "bf16[42]", "bf16[42]", "bf16[42]",
                                                   "bf16[44]", "bf16[44]", "bf16[256]"};
  // Piece i begins at byte 84 * i of the output, so most warps begin inside of a sector of a piece:
  // XLA does not look at where runs begin.
  static const std::vector<XlaOperand> kReadsOfPieces = {{true, {3, 3}},
                                                         {true, {4, 4}},
                                                         {true, {4, 3}, XlaIs::kWrong},
                                                         {true, {5, 4}, XlaIs::kWrong},
                                                         {true, {4, 4}},
                                                         {true, {4, 3}, XlaIs::kWrong},
                                                         {true, {16, 16}}};
  static const auto* const cases = new std::vector<XlaCase>{
      {"AddOfTheSameLayout",
       {"f32[100,200]{1,0}", "f32[100,200]{1,0}"},
       "f32[100,200]{1,0}",
       "ROOT r = f32[100,200]{1,0} add(p0, p1)",
       {{true, {2500, 2500}}, {true, {2500, 2500}}}},
      {"AddOfTwoLayouts",
       {"f32[100,200]{1,0}", "f32[100,200]{0,1}"},
       "f32[100,200]{1,0}",
       "ROOT r = f32[100,200]{1,0} add(p0, p1)",
       {{true, {2500, 2500}}, {false, {20000, 2500}}}},
      {"AddToAnotherLayout",
       {"f32[100,200]{1,0}", "f32[100,200]{1,0}"},
       "f32[100,200]{0,1}",
       "ROOT r = f32[100,200]{0,1} add(p0, p1)",
       {{false, {20000, 2500}}, {false, {20000, 2500}}}},
      // Through shared memory.
      {"Transpose",
       {"f32[100,64,32]"},
       "f32[32,100,64]",
       "ROOT r = f32[32,100,64] transpose(p0), dimensions={2,0,1}",
       {{true, {25600, 25600}}}},
      {"TransposeOfMajorDimensions",
       {"f32[100,32,64]"},
       "f32[32,100,64]",
       "ROOT r = f32[32,100,64] transpose(p0), dimensions={1,0,2}",
       {{true, {25600, 25600}}}},
      {"Concatenate", kPieces, "bf16[256]",
       "c = bf16[256] concatenate(p0, p1, p2, p3, p4, p5), dimensions={0}\n"
       "  ROOT r = bf16[256] multiply(c, p6)",
       kReadsOfPieces},
      {"ConcatenateAndBitcast",
       {"bf16[42]", "bf16[42]", "bf16[42]", "bf16[42]", "bf16[44]", "bf16[44]", "bf16[16,16]"},
       "bf16[16,16]",
       "c = bf16[256] concatenate(p0, p1, p2, p3, p4, p5), dimensions={0}\n"
       "  b = bf16[16,16] bitcast(c)\n"
       "  ROOT r = bf16[16,16] multiply(b, p6)",
       kReadsOfPieces},
      // Rows of 1,744 bytes: few warps begin inside of a sector, and vectors of 512 bytes hide it.
      {"Pad",
       {"f32[997,436]", "f32[]"},
       "f32[1024,512]",
       "ROOT r = f32[1024,512] pad(p0, p1), padding=10_17x24_52",
       {{true, {56329, 54835}}, {true, {2102, 2102}}}},
      {"RowReduction",
       {"f32[100,64,512]"},
       "f32[100,64]",
       "c = f32[] constant(0)\n"
       "  ROOT r = f32[100,64] reduce(p0, c), dimensions={2}, to_apply=sum",
       {{true, {409600, 409600}}}},
      {"MultiRowReduction",
       {"f32[100,64,4]"},
       "f32[100,64]",
       "c = f32[] constant(0)\n"
       "  ROOT r = f32[100,64] reduce(p0, c), dimensions={2}, to_apply=sum",
       {{true, {3200, 3200}}}},
      {"ColumnReduction",
       {"f32[100,64,32]"},
       "f32[100,32]",
       "c = f32[] constant(0)\n"
       "  ROOT r = f32[100,32] reduce(p0, c), dimensions={1}, to_apply=sum",
       {{true, {25600, 25600}}}},
      // Ten rows of four elements each: runs of 16 bytes.
      // What is loaded for one result is there for the other.
      {"VariadicReductionByALoop",
       {"s32[5696,10,4]", "s32[5696,10,4]", "s32[]", "s32[]"},
       "(s32[5696,4], s32[5696,4])",
       "ROOT r = (s32[5696,4], s32[5696,4]) reduce(p0, p1, p2, p3), dimensions={1}, "
       "to_apply=both",
       {{false, {56960, 28480}}, {false, {56960, 28480}}, {true, {712, 712}}, {true, {712, 712}}}},
      {"VariadicReduction",
       {"s32[32,40]", "s32[32,40]", "s32[]", "s32[]"},
       "(s32[32], s32[32])",
       "ROOT r = (s32[32], s32[32]) reduce(p0, p1, p2, p3), dimensions={1}, to_apply=both",
       {{true, {160, 160}}, {true, {160, 160}}, {true, {32, 32}}, {true, {32, 32}}}},
      {"Gather",
       {"f32[33,76,70]", "s32[1806,2]"},
       "f32[1806,7,8,4]",
       "ROOT r = f32[1806,7,8,4] gather(p0, p1), offset_dims={1,2,3}, collapsed_slice_dims={}, "
       "start_index_map={0,1}, index_vector_dim=1, slice_sizes={7,8,4}",
       {{false, {202272, 50568}}, {true, {6322, 6322}}},
       /*draws=*/2},
      // In the middle of the bounds, where XLA looks, both rows begin inside of a sector. Where the
      // whole dimension begins is 0, so that nothing is loaded for it.
      {"DynamicSlice",
       {"s32[2,2,258]", "s32[]", "s32[]", "s32[]"},
       "s32[1,2,32]",
       "ROOT r = s32[1,2,32] dynamic-slice(p0, p1, p2, p3), dynamic_slice_sizes={1,2,32}",
       {{true, {10, 8}, XlaIs::kWrong}, {true, {2, 2}}, {true, {0, 0}}, {true, {2, 2}}},
       /*draws=*/200},
      {"UnusedParameter",
       {"f32[100,200]", "f32[100,200]"},
       "f32[100,200]",
       "ROOT r = f32[100,200] negate(p0)",
       {{true, {2500, 2500}}, {true, {0, 0}}}},
      {"ShiftOfAConcatenate",
       {"u32[48,2,1280]", "u32[48,1,1280]", "u32[48,1,1280]"},
       "u32[48,2,1280]",
       "c = u32[48,2,1280] concatenate(p1, p2), dimensions={1}\n"
       "  ROOT r = u32[48,2,1280] shift-right-logical(c, p0)",
       {{true, {15360, 15360}}, {true, {7680, 7680}}, {true, {7680, 7680}}}},
      // The heuristic, for loops.
      {"TransposeOfABroadcast",
       {"f32[20]"},
       "f32[12,20]",
       "b = f32[20,12] broadcast(p0), dimensions={0}\n"
       "  ROOT r = f32[12,20] transpose(b), dimensions={1,0}",
       {{true, {24, 23}}}},
      {"TransposeOfAnIota",
       {"f32[12,20]"},
       "f32[12,20]",
       "i = f32[20,12] iota(), iota_dimension=0\n"
       "  t = f32[12,20] transpose(i), dimensions={1,0}\n"
       "  ROOT r = f32[12,20] add(t, p0)",
       {{true, {30, 30}}}},
      {"TransposeOfASum",
       {"f32[20,12]", "f32[20,12]"},
       "f32[12,20]",
       "a = f32[20,12] add(p0, p1)\n"
       "  ROOT r = f32[12,20] transpose(a), dimensions={1,0}",
       {{false, {162, 30}}, {false, {162, 30}}}},
      // Not of XLA's tests, but what its algorithm says: a run of addresses is as good wherever it
      // begins; each address that is no neighbour is a transaction; an operand that the first warp
      // does not read is read well.
      {"SliceThatBeginsInsideOfASector",
       {"f32[1025]"},
       "f32[1024]",
       "ROOT r = f32[1024] slice(p0), slice={[1:1025]}",
       {{true, {160, 128}, XlaIs::kWrong}}},
      {"SliceOfEveryOtherElement",
       {"f32[2048]"},
       "f32[1024]",
       "ROOT r = f32[1024] slice(p0), slice={[0:2048:2]}",
       {{false, {256, 128}}}},
      {"Reverse",
       {"f32[1024]"},
       "f32[1024]",
       "ROOT r = f32[1024] reverse(p0), dimensions={0}",
       {{true, {128, 128}}}},
      {"PadThatTheFirstWarpComputes",
       {"f32[100,200]{0,1}", "f32[]"},
       "f32[102,200]{1,0}",
       "ROOT r = f32[102,200]{1,0} pad(p0, p1), padding=1_1x0_0",
       {{true, {20000, 2500}, XlaIs::kWrong}, {true, {14, 14}}}},
  };
  return *cases;
}

std::string TextOf(const XlaCase& xla_case) {
  std::string fused;
  std::string names;
  for (size_t i = 0; i < xla_case.parameters.size(); ++i) {
    const std::string number = std::to_string(i);
    fused += "  p" + number + " = " + xla_case.parameters[i] + " parameter(" + number + ")\n";
    names += (i == 0 ? "p" : ", p") + number;
  }
  return "HloModule m\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
         "  ROOT r = f32[] add(a, b)\n}\n\n"
         "both {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  c = s32[] parameter(2)\n"
         "  d = s32[] parameter(3)\n  x = s32[] maximum(a, c)\n  y = s32[] add(b, d)\n"
         "  ROOT r = (s32[], s32[]) tuple(x, y)\n}\n\nfused {\n" +
         fused + "  " + xla_case.body + "\n}\n\nENTRY main {\n" + fused +
         "  ROOT f = " + xla_case.result + " fusion(" + names + "), kind=kLoop, calls=fused\n}\n";
}

class XlaCoalescing : public ::testing::TestWithParam<XlaCase> {};

TEST_P(XlaCoalescing, IsDecidedByAllThreads) {
  SCOPED_TRACE(TextOf(GetParam()));
  PlannedModule module(TextOf(GetParam()));
  auto plan = module.Plan();
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  CoalescingTable table;
  const KernelReport report = ReportKernel(*std::move(plan), module.plans(), table);
  for (size_t i = 0; i < GetParam().operands.size(); ++i) {
    SCOPED_TRACE("operand " + std::to_string(i));
    const auto& [is_coalesced, ours, xla_is] = GetParam().operands[i];
    Traffic best;
    Traffic worst;
    Traffic best_tried;
    Traffic worst_tried;
    for (const AccessReport& load : report.accesses) {
      if (load.access.kind != AccessKind::kLoad) continue;
      if (load.access.operand != static_cast<int64_t>(i)) continue;
      ASSERT_TRUE(load.coalescing.has_value());
      const indexing_analysis::Image::Count& sectors = load.coalescing->sectors;
      const indexing_analysis::Image::Count& least = load.coalescing->ideal_sectors;
      best += {static_cast<int64_t>(sectors.lower), static_cast<int64_t>(least.lower)};
      worst += {static_cast<int64_t>(sectors.upper), static_cast<int64_t>(least.upper)};
      std::vector<Traffic> tried;
      const bool is_drawn = load.access.element.num_runtime() != 0;
      for (uint64_t draw = 0; draw < (is_drawn ? GetParam().draws : 1); ++draw) {
        tried.push_back(CountByEveryThread(load.access, /*sector_bytes=*/32, draw));
      }
      const auto by_sectors = [](const Traffic& a, const Traffic& b) {
        return a.sectors < b.sectors;
      };
      best_tried += *std::min_element(tried.begin(), tried.end(), by_sectors);
      worst_tried += *std::max_element(tried.begin(), tried.end(), by_sectors);
    }
    EXPECT_EQ(worst, ours);
    EXPECT_EQ(worst, worst_tried);
    EXPECT_LE(best.sectors, best_tried.sectors);
    const bool is_read_well = worst_tried.sectors == 0 || IsReadWell(worst_tried);
    EXPECT_EQ(is_read_well == is_coalesced, xla_is == XlaIs::kRight);
  }
}

INSTANTIATE_TEST_SUITE_P(Tests, XlaCoalescing, ::testing::ValuesIn(XlaCases()),
                         [](const auto& test) { return test.param.name; });

// A tile of s8[256,16] that one warp loads by vectors of 4 bytes, where there are as many.
struct XlaTile {
  int64_t rows;
  int64_t columns;
  // XLA's share of the bytes of its transactions, of 64 bytes, that a tile uses, times 64; the same
  // of ours.
  int64_t share_of_64;
  // Ours of sectors of 32 bytes, times 32.
  int64_t share_of_32;

  friend std::ostream& operator<<(std::ostream& out, const XlaTile& tile) {
    return out << tile.rows << 'x' << tile.columns;
  }
};

class XlaTileBandwidth : public ::testing::TestWithParam<XlaTile> {};

TEST_P(XlaTileBandwidth, IsDecidedByAllThreads) {
  const auto& [rows, columns, share_of_64, share_of_32] = GetParam();
  PlannedModule module(
      "HloModule m\nENTRY main { p = s8[256,16] parameter(0)\n"
      " ROOT n = s8[256,16] negate(p) }");
  const int64_t vector = std::min<int64_t>(4, columns);
  const int64_t vectors = columns / vector;
  const auto map = indexing_analysis::ParseIndexingMap(
      absl::StrCat("(th_x, th_y, th_z, bl_x, bl_y, bl_z)[s0] -> (bl_x * ", rows,
                   " + th_x floordiv ", vectors, ", bl_y * ", columns, " + (th_x mod ", vectors,
                   ") * ", vector, " + s0), domain: th_x in [0, ", rows * vectors - 1,
                   "], th_y in [0, 0], th_z in [0, 0], bl_x in [0, ", 256 / rows - 1,
                   "], bl_y in [0, ", 16 / columns - 1, "], bl_z in [0, 0], s0 in [0, ", vector - 1,
                   "]"),
      module.mlir_context());
  ASSERT_TRUE(map.ok()) << map.status();
  const auto plan = plan::PlanByThreadMap(module.root(), *map);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  const std::vector<KernelAccess> accesses = AccessesOf(*plan, module.plans());
  ASSERT_EQ(accesses.front().kind, AccessKind::kLoad);
  const int64_t bytes = (256 / rows) * rows * 16;
  for (const int64_t sector_bytes : {64, 32}) {
    const Traffic tried = CountByEveryThread(accesses.front(), sector_bytes, /*draw=*/0);
    indexing_analysis::CoalescingOptions options;
    options.sector_bytes = sector_bytes;
    const auto found = CoalescingOf(accesses.front().access, options);
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(found->IsExact());
    EXPECT_EQ(static_cast<int64_t>(found->sectors.upper), tried.sectors);
    const int64_t share = sector_bytes == 64 ? share_of_64 : share_of_32;
    EXPECT_EQ(bytes, share * tried.sectors);
  }
}

// 96 bytes are one and a half transactions of 64 bytes, and three whole sectors.
INSTANTIATE_TEST_SUITE_P(Tests, XlaTileBandwidth,
                         ::testing::Values(XlaTile{1, 1, 1, 1}, XlaTile{1, 16, 16, 16},
                                           XlaTile{4, 16, 64, 32}, XlaTile{8, 16, 64, 32},
                                           XlaTile{6, 16, 48, 32}),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace hlo_indexing::explain
