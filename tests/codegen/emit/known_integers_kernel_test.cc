// Kernels of HLO that nobody has simplified: nothing is loaded for integers that are known.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {
namespace {

struct Case {
  const char* instructions;
  const char* root;
  // Requests, in one block: a store of each warp.
  int64_t loads;
  int64_t stores = 2;
};

TEST(KnownIntegerKernels, LoadNothingForThem) {
  PtxBackend backend;
  const Case cases[] = {
      {"", "s32[64] subtract(p, p)", 0},
      {"", "u8[64] xor(u, u)", 0},
      {"", "pred[64] compare(p, p), direction=LE", 0},
      {"", "pred[64] compare(p, q), direction=LE", 4},
      {"z = s32[64] xor(p, p) c = s32[64] multiply(q, z)", "s32[64] add(c, q)", 2},
      {"z = u8[] constant(255) b = u8[64] broadcast(z), dimensions={}", "u8[64] maximum(u, b)", 0},
      {"z = s32[] constant(-1) b = s32[64] broadcast(z), dimensions={}", "s32[64] or(b, p)", 0},
      {"z = s32[] constant(7) b = s32[64] broadcast(z), dimensions={}", "s32[64] clamp(b, p, b)",
       0},
      {"z = s32[] constant(-2147483648) b = s32[64] broadcast(z), dimensions={}",
       "s32[64] minimum(p, b)", 0},
      {"z = pred[] constant(true) b = pred[64] broadcast(z), dimensions={} "
       "c = pred[64] compare(p, q), direction=LT",
       "pred[64] or(c, b)", 0},
      {"z = s32[64] subtract(p, p) n = s32[64] not(z) c = s8[64] convert(n) w = u32[64] convert(c)",
       "u32[64] negate(w)", 0},
      {"c = pred[64] compare(p, p), direction=NE a = s32[64] subtract(q, q) "
       "b = s32[64] negate(a)",
       "s32[64] select(c, p, b)", 0},
      {"i = s32[64,1] iota(), iota_dimension=1 k = s32[64] reshape(i)", "s32[64] multiply(k, p)",
       0},
      {"z = s32[64] subtract(p, p) m = s32[8,8] reshape(z) n = s32[8,8] reshape(q)",
       "s32[8,8] dot(m, n), lhs_contracting_dims={1}, rhs_contracting_dims={0}", 0},
      // Starts of whole dimensions; one that is another one's, too.
      {"i = s32[1] slice(p), slice={[0:1]} s = s32[] reshape(i)",
       "f32[64] dynamic-slice(f, s), dynamic_slice_sizes={64}", 2},
      {"i = s32[1] slice(p), slice={[0:1]} s = s32[] reshape(i) t = s32[] add(s, s) "
       "m = s32[8,8] reshape(q)",
       "s32[2,8] dynamic-slice(m, s, t), dynamic_slice_sizes={2,8}", 2, 1},
      {"i = s32[1] slice(p), slice={[0:1]} s = s32[] reshape(i)  m = s32[8,8] reshape(q)",
       "s32[2,8] dynamic-slice(m, s, s), dynamic_slice_sizes={2,8}", 2, 1},
      {"i = s32[1] slice(p), slice={[0:1]} s = s32[] reshape(i)",
       "s32[64] dynamic-update-slice(p, q, s)", 2},
      // A float may be nan, and what is not 0 minus itself decides.
      {"", "f32[64] subtract(f, f)", 2},
      {"z = f32[] constant(0) b = f32[64] broadcast(z), dimensions={}", "f32[64] multiply(f, b)",
       2},
  };
  for (const Case& c : cases) {
    const std::string root = c.root;
    const std::string parameters =
        "p = s32[64] parameter(0) q = s32[64] parameter(1) u = u8[64] parameter(2) "
        "f = f32[64] parameter(3) ";
    const std::string text =
        absl::StrCat("HloModule m\nf { ", parameters, c.instructions, " ROOT r = ", root,
                     " }\nENTRY e { ", parameters, " ROOT r = ", root.substr(0, root.find(' ')),
                     " fusion(p, q, u, f), kind=kLoop, calls=f }");
    KernelCheck check(text, backend);
    EXPECT_EQ(check.Run(1), "") << text;
    const Traffic traffic = check.Measure();
    EXPECT_EQ(traffic.error, "") << text;
    EXPECT_TRUE(traffic.is_exact) << text;
    EXPECT_TRUE(traffic.IsAsPlanned()) << text;
    EXPECT_EQ(traffic.requests, c.loads + c.stores) << text;
  }
}

// What is not loaded for one output is not there for another one.
TEST(KnownIntegerKernels, BesideLoadsOfTheSameArray) {
  PtxBackend backend;
  KernelCheck check(
      "HloModule m\nsmallest { a = s32[] parameter(0) b = s32[] parameter(1) "
      "ROOT r = s32[] minimum(a, b) }\n"
      "f { p = s32[3,2,512] parameter(0) c = s32[] constant(-2)\n"
      "b = s32[3,2,512] broadcast(c), dimensions={} l = s32[3,2,512] minimum(p, b)\n"
      "x = s32[3,2,512] xor(l, l)\n"
      "r = s32[512] reduce(l, c), dimensions={0,1}, to_apply=smallest\n"
      "t = s32[512,3,2] transpose(x), dimensions={2,0,1}\n"
      "ROOT o = (s32[512,3,2], s32[3,2,512], s32[512]) tuple(t, x, r) }\n"
      "ENTRY e { p = s32[3,2,512] parameter(0) ROOT r = (s32[512,3,2], s32[3,2,512], s32[512]) "
      "fusion(p), kind=kInput, calls=f }\n",
      backend);
  EXPECT_EQ(check.Run(1), "");
  EXPECT_TRUE(check.Measure().IsAsPlanned());
}

}  // namespace
}  // namespace hlo_indexing::emit
