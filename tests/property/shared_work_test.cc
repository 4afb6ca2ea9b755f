// What an analysis has found before changes no answer: one that has been asked about everything
// says the same about each instruction as one that is asked about it alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/answers.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_calls.h"
#include "tests/property/random_opcode.h"
#include "tests/property/random_variants.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using indexing_analysis::AnalysisOptions;
using indexing_analysis::IndexingAnalysis;

// Compares analyses that are asked about everything in a module, callees first and callers first,
// with fresh ones. How often what was said is exact.
int64_t CompareInTwoOrders(const std::string& text, const AnalysisOptions& options) {
  SCOPED_TRACE(text);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return 0;
  const absl::Status verified = hlo::Verify(**module);
  EXPECT_TRUE(verified.ok()) << verified.message();
  if (!verified.ok()) return 0;
  std::vector<Output> outputs = OutputsOf(**module);
  std::map<Output, std::string> expected;
  int64_t exact = 0;
  for (const auto& [instruction, leaf] : outputs) {
    IndexingAnalysis fresh(&context, options);
    std::string& answer = expected[{instruction, leaf}];
    answer = Answers(fresh, *instruction, leaf);
    exact += answer.find(" exact ") == std::string::npos ? 0 : 1;
  }
  for (const char* order : {"callees first", "callers first"}) {
    IndexingAnalysis kept(&context, options);
    for (const auto& [instruction, leaf] : outputs) {
      const std::string answer = Answers(kept, *instruction, leaf);
      EXPECT_EQ(answer, (expected[{instruction, leaf}]))
          << order << ", " << instruction->parent().name().str() << " " << instruction->name().str()
          << " " << leaf;
      if (::testing::Test::HasFailure()) return exact;
    }
    std::reverse(outputs.begin(), outputs.end());
  }
  return exact;
}

// Compares an analysis that is kept with fresh ones.
class SharedWork : public ::testing::Test {
 protected:
  void Compare(const std::string& text) {
    SCOPED_TRACE(text);
    auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status().message();
    const absl::Status verified = hlo::Verify(**module);
    ASSERT_TRUE(verified.ok()) << verified.message();
    for (const hlo::Computation* computation : (*module)->computations()) {
      for (const Instruction* instruction : computation->instructions()) Compare(*instruction);
    }
    // The analysis remembers instructions.
    modules_.push_back(std::move(*module));
  }

  int64_t compared() const { return compared_; }

 private:
  void Compare(const Instruction& instruction) {
    for (int64_t leaf = 0; leaf < instruction.shape().num_array_leaves(); ++leaf) {
      IndexingAnalysis fresh(&context_);
      ASSERT_EQ(Answers(kept_, instruction, leaf), Answers(fresh, instruction, leaf))
          << instruction.name().str() << " " << leaf;
      ++compared_;
    }
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  std::vector<std::unique_ptr<hlo::Module>> modules_;
  IndexingAnalysis kept_{&context_};
  int64_t compared_ = 0;
};

TEST_F(SharedWork, OfSingleInstructionsChangesNoMap) {
  const int instances = NumCases("HLO_INDEXING_RANDOM_SHARED_INSTANCES", 40);
  for (int opcode = 0; opcode < hlo::kNumOpcodes; ++opcode) {
    for (int seed = 0; seed < instances && !HasFatalFailure(); ++seed) {
      Random random(static_cast<uint64_t>(seed * hlo::kNumOpcodes + opcode));
      const std::string text = RandomInstance(random, static_cast<Opcode>(opcode));
      if (!text.empty()) Compare(text);
    }
  }
  EXPECT_GT(compared(), 10 * instances);
}

// Instances of an opcode that differ in one thing each, most of them with the same dimensions: what
// the table of rules takes for alike is.
TEST_F(SharedWork, OfVariantsChangesNoMap) {
  const int instances = NumCases("HLO_INDEXING_RANDOM_VARIANTS", 10);
  int64_t variants = 0;
  for (int opcode = 0; opcode < hlo::kNumOpcodes; ++opcode) {
    for (int seed = 0; seed < instances && !HasFatalFailure(); ++seed) {
      Random random(static_cast<uint64_t>(seed * hlo::kNumOpcodes + opcode));
      const std::string text = RandomInstance(random, static_cast<Opcode>(opcode));
      if (text.empty()) continue;
      const RandomVariants found(random, text);
      variants += found.count();
      Compare(found.module_text());
    }
  }
  EXPECT_GT(variants, 200 * instances);
}

// Instructions that look alike but for what decides what they read.
TEST_F(SharedWork, OfInstructionsThatDifferInValuesChangesNoMap) {
  // The same callee is given a number, other operands, and itself what it computes from them.
  Compare(R"(HloModule calls
inner { x = f32[8] parameter(0)
  i = s32[] parameter(1)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  a = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}
  b = f32[4] dynamic-slice(x, next), dynamic_slice_sizes={4}
  ROOT r = f32[4] add(a, b) }
outer { x = f32[8] parameter(0)
  i = s32[] parameter(1)
  two = s32[] constant(2)
  a = f32[4] call(x, i), to_apply=inner
  b = f32[4] call(x, two), to_apply=inner
  c = f32[4] call(x, i), to_apply=inner
  ROOT r = (f32[4], f32[4], f32[4]) tuple(a, b, c) }
ENTRY e { x = f32[8] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  three = s32[] constant(3)
  a = f32[4] call(x, i), to_apply=inner
  b = f32[4] call(x, j), to_apply=inner
  c = f32[4] call(x, three), to_apply=inner
  d = (f32[4], f32[4], f32[4]) call(x, i), to_apply=outer
  ROOT f = (f32[4], f32[4], f32[4]) call(x, three), to_apply=outer })");
  // Scatters whose computations use other parameters, and gathers, at indices of which something
  // else is known.
  std::string text =
      "HloModule indices\n"
      "both { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b) }\n"
      "old { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] negate(a) }\n"
      "new { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] negate(b) }\n"
      "ENTRY e { x = f32[8] parameter(0)\n i = s32[3,1] parameter(1)\n u = f32[3] parameter(2)\n"
      " j = s32[3,1] parameter(3)\n k = s32[3,1] iota(), iota_dimension=0\n"
      " c = s32[3,1] constant({{1}, {4}, {2}})\n two = s32[] constant(2)\n"
      " twos = s32[3,1] broadcast(two), dimensions={}\n"
      " l = s32[3,1] subtract(twos, k)\n m = s32[3,1] maximum(i, twos)\n"
      " n = s32[3,1] minimum(i, twos)\n";
  for (const std::string index : {"i", "j", "k", "c", "l", "m", "n"}) {
    for (const std::string callee : {"both", "old", "new"}) {
      text += " s_" + index + callee + " = f32[8] scatter(x, " + index +
              ", u), update_window_dims={}, inserted_window_dims={0}, "
              "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=" +
              callee + "\n";
    }
    text += " g_" + index + " = f32[3,2] gather(x, " + index +
            "), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, "
            "index_vector_dim=1, slice_sizes={2}\n";
  }
  Compare(text + " ROOT r = f32[8] negate(x) }");
  EXPECT_GT(compared(), 30);
}

// Twins that differ in one thing that their rule looks at, each beside the other.
TEST_F(SharedWork, OfInstructionsThatDifferInOneThingChangesNoMap) {
  Compare(R"(HloModule twins, num_partitions=2, replica_count=2
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
step { a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] add(a, b)
  ROOT r = (f32[], f32[]) tuple(c, c) }
both { a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  e = f32[] add(a, c)
  f = f32[] add(b, d)
  ROOT r = (f32[], f32[]) tuple(e, f) }
forwards { x = f32[4] parameter(0)
  y = f32[4] negate(x)
  ROOT r = (f32[4], f32[4]) tuple(x, y) }
backwards { x = f32[4] parameter(0)
  y = f32[4] reverse(x), dimensions={0}
  ROOT r = (f32[4], f32[4]) tuple(y, x) }
ENTRY e { v = f32[4] parameter(0)
  q = f32[4,4] parameter(1)
  t = f32[2,3] parameter(2)
  u = f32[3,2] parameter(3)
  z = f32[] parameter(4)
  n = s32[4] parameter(5)
  img = f32[1,4,4,1] parameter(6)
  k = f32[2,2,1,1] parameter(7)
  i = s32[] parameter(8)
  j = s32[] parameter(9)
  h = f16[4,4] parameter(10)
  qt = f32[4,4]{0,1} parameter(11)
  output = (f32[4], f32[4]) fusion(v), kind=kLoop, calls=forwards
  callee = (f32[4], f32[4]) fusion(v), kind=kLoop, calls=backwards
  rule = f32[4,4] transpose(q), dimensions={1,0}
  rule2 = f32[4,4] reverse(q), dimensions={1,0}
  rule3 = f32[4] negate(v)
  rule4 = f32[4] reshape(v)
  shape = f32[4,2] broadcast(v), dimensions={0}
  shape2 = f32[4,3] broadcast(v), dimensions={0}
  operand = f32[6] reshape(t)
  operand2 = f32[6] reshape(u)
  operand3 = f32[2,3] reshape(operand)
  operand4 = f32[2,3] reshape(u)
  list = f32[4,4] broadcast(v), dimensions={0}
  list2 = f32[4,4] broadcast(v), dimensions={1}
  start = f32[2] slice(v), slice={[0:2]}
  start2 = f32[2] slice(v), slice={[1:3]}
  stride = f32[2] slice(v), slice={[0:4:2]}
  stride2 = f32[2] slice(v), slice={[1:4:2]}
  low = f32[6] pad(v, z), padding=1_1
  low2 = f32[6] pad(v, z), padding=2_0
  high = f32[6] pad(v, z), padding=0_2
  interior = f32[7] pad(v, z), padding=0_0_1
  interior2 = f32[7] pad(v, z), padding=0_3
  window = f32[4] reduce-window(v, z), window={size=2 stride=2 pad=2_2}, to_apply=add
  size = f32[4] reduce-window(v, z), window={size=1 stride=2 pad=2_2}, to_apply=add
  window2 = f32[2] reduce-window(v, z), window={size=2 stride=2 pad=0_1}, to_apply=add
  stride3 = f32[2] reduce-window(v, z), window={size=2 stride=3 pad=0_1}, to_apply=add
  dilation = f32[2] reduce-window(v, z), window={size=2 stride=2 pad=0_1 rhs_dilate=2}, to_apply=add
  window3 = f32[2] reduce-window(v, z), window={size=2 stride=3 pad=1_1}, to_apply=add
  window4 = f32[2] reduce-window(v, z), window={size=2 stride=5 lhs_dilate=2}, to_apply=add
  base = f32[2] reduce-window(v, z), window={size=2 stride=5 lhs_dilate=3}, to_apply=add
  labels = f32[1,3,3,1] convolution(img, k), window={size=2x2}, dim_labels=b01f_01io->b01f
  labels2 = f32[1,3,3,1] convolution(img, k), window={size=2x2}, dim_labels=b01f_10io->b01f
  labels3 = f32[1,3,3,1] convolution(img, k), window={size=2x2}, dim_labels=b10f_01io->b01f
  labels4 = f32[1,3,3,1] convolution(img, k), window={size=2x2}, dim_labels=b01f_01io->b10f
  reversal = f32[1,3,3,1] convolution(img, k), window={size=2x2 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f
  name = f32[4,4] dot(q, q), lhs_contracting_dims={0}, rhs_contracting_dims={1}
  name2 = f32[4,4] dot(q, q), rhs_contracting_dims={0}, lhs_contracting_dims={1}
  sparse = f32[4,4] dot(q, q), lhs_contracting_dims={0}, rhs_contracting_dims={1}, sparsity=L.0@2:4
  carries = (f32[4], f32[]) scan(v, z), dimensions={0}, num_carries=1, to_apply=step
  carries2 = (f32[4], f32[]) scan(v, z), dimensions={0}, num_carries=1, is_reverse=true, to_apply=step
  flag = f32[4,4] cholesky(q), lower=true
  flag2 = f32[4,4] cholesky(q), lower=false
  keyword = f32[4,4] triangular-solve(q, q), left_side=true, lower=true, transpose_a=TRANSPOSE
  keyword2 = f32[4,4] triangular-solve(q, q), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
  number = f32[4,4] sort(q), dimensions={0}, to_apply={ x = f32[] parameter(0)
    y = f32[] parameter(1)
    ROOT r = pred[] compare(x, y), direction=LT }
  number2 = f32[4,4] sort(q), dimensions={1}, to_apply={ x = f32[] parameter(0)
    y = f32[] parameter(1)
    ROOT r = pred[] compare(x, y), direction=LT }
  channel = f32[4] all-reduce(v), replica_groups={{0,1}}, to_apply=add
  channel2 = f32[4] all-reduce(v), replica_groups={{0,1}}, channel_id=1, to_apply=add
  groups = f32[4] all-reduce(v), replica_groups={{0},{1}}, to_apply=add
  global = f32[4] all-reduce(v), replica_groups={{0,1},{2,3}}, channel_id=1, use_global_device_ids=true, to_apply=add
  global2 = f32[4] all-reduce(v), replica_groups={{0,2},{1,3}}, channel_id=1, use_global_device_ids=true, to_apply=add
  iota = f32[4] all-reduce(v), replica_groups=[2,2]<=[4], channel_id=1, use_global_device_ids=true, to_apply=add
  iota2 = f32[4] all-reduce(v), replica_groups=[1,4]<=[4], channel_id=1, use_global_device_ids=true, to_apply=add
  permutation = f32[4] all-reduce(v), replica_groups=[2,3]<=[3,2]T(0,1), channel_id=1, use_global_device_ids=true, to_apply=add
  permutation2 = f32[4] all-reduce(v), replica_groups=[2,3]<=[3,2]T(1,0), channel_id=1, use_global_device_ids=true, to_apply=add
  reshape = f32[4] all-reduce(v), replica_groups=[2,3]<=[2,3]T(1,0), channel_id=1, use_global_device_ids=true, to_apply=add
  mesh = f32[4] all-reduce(v), replica_groups=mesh['x'=2,'y'=2] {'y'}, channel_id=1, use_global_device_ids=true, to_apply=add
  mesh2 = f32[4] all-reduce(v), replica_groups=mesh['x'=2,'y'=2] {'x'}, channel_id=1, use_global_device_ids=true, to_apply=add
  pairs = f32[4] collective-permute(v), source_target_pairs={{0,1}}
  pairs2 = f32[4] collective-permute(v), source_target_pairs={{1,0}}
  target = f32[4] custom-call(v), custom_call_target="one"
  target2 = f32[4] custom-call(v), custom_call_target="two"
  values = f32[2,2] dynamic-slice(q, i, j), dynamic_slice_sizes={2,2}
  values2 = f32[2,2] dynamic-slice(q, i, i), dynamic_slice_sizes={2,2}
  layout = f32[4,4]{1,0} bitcast(q)
  layout2 = f32[4,4]{0,1} bitcast(q)
  layout3 = f32[4,4]{1,0} bitcast(qt)
  type = f16[4,8]{1,0} bitcast(q)
  type2 = s8[4,8]{1,0} bitcast(h)
  leaf = (f32[4], f32[4]) reduce(q, q, z, z), dimensions={0}, to_apply=both
  ROOT done = f32[4] negate(v) })");
  EXPECT_GT(compared(), 90);
}

TEST_F(SharedWork, OfFusionsChangesNoMap) {
  const int fusions = NumCases("HLO_INDEXING_RANDOM_SHARED_FUSIONS", 1500);
  for (int seed = 0; seed < fusions && !HasFatalFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    Compare(RandomFusion(random, FusibleOpcodes()));
  }
  EXPECT_GT(compared(), fusions);
}

// What is remembered of calls.
TEST(SharedCalls, ChangeNoMap) {
  const int modules = NumCases("HLO_INDEXING_RANDOM_SHARED_CALLS", 250);
  int64_t exact = 0;
  for (int seed = 0; seed < modules && !::testing::Test::HasFailure(); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const std::string text = RandomCalls(random);
    // Limits differ: what is cut off is remembered too.
    AnalysisOptions options;
    if (seed % 3 == 1) options.max_accesses_with_values = 1;
    if (seed % 3 == 2) options.max_accesses = 2;
    exact += CompareInTwoOrders(text, options);
  }
  EXPECT_GT(exact, 10 * modules);
}

// A start that leaves a parameter to an update, and calls of the same computation.
TEST(SharedCalls, OfStartsWithFewerOperandsChangeNoMap) {
  constexpr char kCallee[] = R"(HloModule starts
f { p = f32[8] parameter(0)
  q = s32[] parameter(1)
  a = f32[4] dynamic-slice(p, q), dynamic_slice_sizes={4}
  b = f32[4] slice(p), slice={[4:8]}
  ROOT r = f32[4] add(a, b) }
g { x = f32[8] parameter(0)
  y = s32[] parameter(1)
)";
  constexpr char kCall[] = "  c = f32[4] call(x, y), to_apply=f\n";
  constexpr char kStart[] = R"(  s = ((f32[8]), f32[4], s32[]) async-start(x), calls=f
  u = ((f32[8], s32[]), f32[4], s32[]) async-update(s, y)
  d = f32[4] async-done(u)
)";
  constexpr char kRoot[] = R"(  ROOT r = f32[4] add(c, d) }
ENTRY e { x = f32[8] parameter(0)
  y = s32[] parameter(1)
  ROOT r = f32[4] call(x, y), to_apply=g })";
  EXPECT_GT(CompareInTwoOrders(std::string(kCallee) + kCall + kStart + kRoot, {}), 0);
  EXPECT_GT(CompareInTwoOrders(std::string(kCallee) + kStart + kCall + kRoot, {}), 0);
}

// The same access for outputs of different sizes, for each element of which an array counts as read
// whole.
TEST(SharedCalls, OfOutputsOfDifferentSizesChangeNoMap) {
  AnalysisOptions options;
  options.max_accesses = 2;
  const int64_t exact = CompareInTwoOrders(R"(HloModule sizes
inner { p = f32[7] parameter(0)
  n = f32[7] negate(p)
  a = f32[5] slice(n), slice={[0:5]}
  b = f32[5] slice(n), slice={[1:6]}
  c = f32[5] slice(n), slice={[2:7]}
  d = f32[5] add(a, b)
  ROOT r = f32[5] add(c, d) }
large { x = f32[7] parameter(0)
  y = f32[5] call(x), to_apply=inner
  zero = f32[] constant(0)
  ROOT r = f32[12] pad(y, zero), padding=3_4 }
small { x = f32[7] parameter(0)
  y = f32[5] call(x), to_apply=inner
  zero = f32[] constant(0)
  ROOT r = f32[10] pad(y, zero), padding=3_2 }
ENTRY e { x = f32[7] parameter(0)
  a = f32[12] call(x), to_apply=large
  b = f32[10] call(x), to_apply=small
  ROOT r = (f32[12], f32[10]) tuple(a, b) })",
                                           options);
  EXPECT_GT(exact, 0);
}

// What has been found at one depth is cut at another one.
TEST(SharedCalls, NearTheLimitOfNestingChangeNoMap) {
  for (int depth = 1; depth <= 5; ++depth) {
    AnalysisOptions options;
    options.max_call_depth = depth;
    CompareInTwoOrders(R"(HloModule two_depths
k { p = f32[4] parameter(0)
  ROOT r = f32[4] reverse(p), dimensions={0} }
h { p = f32[4] parameter(0)
  ROOT r = f32[4] call(p), to_apply=k }
w { p = f32[4] parameter(0)
  ROOT r = f32[4] call(p), to_apply=h }
f { x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] call(x), to_apply=h
  b = f32[4] call(y), to_apply=w
  ROOT r = f32[4] add(a, b) }
ENTRY e { x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  ROOT r = f32[4] call(x, y), to_apply=f })",
                       options);
    // The start is cut, though what it hands on needs no computation.
    CompareInTwoOrders(R"(HloModule handed_on
k { p = f32[4] parameter(0)
  ROOT r = f32[4] negate(p) }
h { p = f32[4] parameter(0)
  s = ((f32[4]), f32[4], s32[]) async-start(p), calls=k
  t = (f32[4]) get-tuple-element(s), index=0
  ROOT r = f32[4] get-tuple-element(t), index=0 }
f { p = f32[4] parameter(0)
  ROOT r = f32[4] call(p), to_apply=h }
ENTRY e { x = f32[4] parameter(0)
  ROOT r = f32[4] call(x), to_apply=f })",
                       options);
  }
}

}  // namespace
}  // namespace hlo_indexing::testing
