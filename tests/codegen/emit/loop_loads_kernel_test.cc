// What loops of elements load in the turns of others, and what stands in front of them: predicted,
// and measured.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/emit/kernel.h"
#include "tests/codegen/emit/kernel_check.h"
#include "tests/codegen/emit/planned_loads.h"

namespace hlo_indexing::emit {
namespace {

// A product whose factors are `lhs` and, in each of its rows alike, `rhs`, summed up but for its
// last elements: the second turn of a row has fewer.
std::string SumOfProducts(const std::string& parameters, const std::string& lhs,
                          const std::string& rhs) {
  return absl::StrCat(parameters, "m = s32[64,64] broadcast(", rhs, "), dimensions={0}\n",
                      "d = s32[64] dot(", lhs, ", m), lhs_contracting_dims={0}, ",
                      "rhs_contracting_dims={1}\ns = s32[61] slice(d), slice={[0:61]}\n",
                      "ROOT o = s32[] reduce(s, z), dimensions={0}, to_apply=sum\n");
}

// What a loop has loaded in one turn of a row, the loop of the next turn loads again.
TEST(LoopLoads, TurnsOfARow) {
  PtxBackend backend;
  ExpectAsPlanned(FusionOf({"s32[5,64]"},
                           SumOfProducts("z = s32[] constant(1)\n"
                                         "r = s32[64] reduce(p0, z), dimensions={0}, "
                                         "to_apply=sum\n",
                                         "r", "r"),
                           "s32[]", "s32"),
                  backend);
  // A long loop inside of one that is written out, in turns under a condition.
  ExpectAsPlanned(
      FusionOf({"s32[126,1]", "s32[12]"},
               "z = s32[] constant(0)\nt = s32[1] reduce(p0, z), dimensions={0}, to_apply=sum\n"
               "s = s32[] reduce(t, z), dimensions={0}, to_apply=sum\n"
               "x = s32[33,12]{0,1} broadcast(p1), dimensions={1}\n"
               "y = s32[33,12]{0,1} broadcast(s), dimensions={}\n"
               "m = s32[33,12]{0,1} maximum(x, y)\n"
               "ROOT v = s32[12] reduce(m, z), dimensions={0}, to_apply=sum\n",
               "s32[12]", "s32"),
      backend);
  // The same element in all turns of the product: the last turn loads it in a branch, and so in
  // the loop. What it may load once, it says.
  KernelCheck check(FusionOf({"s32[64]", "s32[64]"},
                             SumOfProducts("z = s32[] constant(1)\n", "p0", "p1"), "s32[]", "s32"),
                    backend);
  EXPECT_EQ(check.Run(1), "");
  EXPECT_TRUE(check.Measure().IsAtMostAsPlanned());
}

// A reduction that a pad or an update of a slice chooses is computed before the loops that read it.
TEST(LoopLoads, AlternativesThatAreReduced) {
  PtxBackend backend;
  for (const std::string chosen :
       {"c = s32[64] pad(r, z), padding=2_-2\n", "c = s32[64] dynamic-update-slice(r, u, t)\n"}) {
    ExpectAsPlanned(
        FusionOf({"s32[5,64]", "s32[64]"},
                 SumOfProducts(absl::StrCat("z = s32[] constant(1)\nt = s32[] constant(3)\n"
                                            "u = s32[9] iota(), iota_dimension=0\n"
                                            "r = s32[64] reduce(p0, z), dimensions={0}, "
                                            "to_apply=sum\n",
                                            chosen),
                               "p1", "c"),
                 "s32[]", "s32"),
        backend);
  }
}

// Turns that are written out compute in their branches what they read, not before them.
TEST(LoopLoads, ShortLoopsInBranches) {
  PtxBackend backend;
  ExpectAsPlanned(FusionOf({"s32[1]"},
                           "z = s32[] constant(0)\nc = s32[] constant(2)\n"
                           "w = s32[1] reduce-window(p0, z), window={size=1}, to_apply=sum\n"
                           "p = s32[2] pad(w, c), padding=0_1\n"
                           "v = s32[3] reduce-window(w, z), window={size=1 pad=2_0 lhs_dilate=2}, "
                           "to_apply=sum\n"
                           "ROOT o = (s32[3], s32[2]) tuple(v, p)\n",
                           "(s32[3], s32[2])", "s32"),
                  backend);
}

// Each turn in which a row is stored computes the sums of other rows that it reads, unless the
// first turn has.
TEST(LoopLoads, TurnsOfOutputs) {
  PtxBackend backend;
  KernelCheck check(FusionOf({"s16[3,2043]"},
                             "c = s16[] constant(2)\nz = s16[] constant(0)\n"
                             "v = s16[3,2048] pad(p0, c), padding=0_0x1_4\n"
                             "r = s16[3] reduce(v, z), dimensions={1}, to_apply=sum\n"
                             "b = s16[3,2048] broadcast(r), dimensions={0}\n"
                             "d = s16[3,2048] subtract(v, b)\n"
                             "w = s16[3,2048] reverse(d), dimensions={0}\n"
                             "t = s16[2048,3] transpose(w), dimensions={1,0}\n"
                             "ROOT o = (s16[2048,3], s16[3,2048]) tuple(t, v)\n",
                             "(s16[2048,3], s16[3,2048])", "s16"),
                    backend, /*multiprocessors=*/1);
  EXPECT_EQ(check.Run(1), "");
  EXPECT_TRUE(check.Measure().IsAsPlanned());
}

// A constant is no operand, where a scalar that is one has been loaded at the start.
TEST(LoopLoads, AConstantBesideAScalar) {
  PtxBackend backend;
  std::string parts = "k";
  for (int i = 1; i < 17; ++i) absl::StrAppend(&parts, i == 13 || i == 16 ? ", b" : ", k");
  ExpectAsPlanned(
      FusionOf({"s32[]"},
               absl::StrCat("k = s32[16] constant({-1,-5,1,-1,7,0,0,0,2,3,2,7,7,2,3,7})\n"
                            "b = s32[16] broadcast(p0), dimensions={}\nz = s32[] constant(0)\n",
                            "c = s32[272] concatenate(", parts, "), dimensions={0}\n",
                            "ROOT o = s32[] reduce(c, z), dimensions={0}, to_apply=sum\n"),
               "s32[]", "s32"),
      backend);
}

// A scalar that a loop loads at the entry of the kernel, all threads load, though others have it in
// a branch before.
TEST(LoopLoads, AScalarAtTheEntry) {
  PtxBackend backend;
  ExpectAsPlanned(
      FusionOf({"s32[]", "s32[1,500,60]"},
               "z = s32[] constant(0)\nx = s32[1,1000,60] broadcast(p0), dimensions={}\n"
               "i = s32[1,1000,60] iota(), iota_dimension=1\nv = s32[1,1000,60] add(x, i)\n"
               "r = s32[1,1000] reduce(v, z), dimensions={2}, to_apply=sum\n"
               "b = s32[1,1000,60] broadcast(r), dimensions={0,1}\n"
               "d = s32[1,1000,60] subtract(v, b)\n"
               "c = s32[1,1000,60] concatenate(p1, p1), dimensions={1}\n"
               "ROOT o = s32[1,1000,60] subtract(d, c)\n",
               "s32[1,1000,60]", "s32"),
      backend);
}

// A tile whose later turns have fewer threads: what they read stands in the first one, written in
// another way, or under conditions of its own.
TEST(LoopLoads, TurnsOfATile) {
  PtxBackend backend;
  ExpectAsPlanned(FusionOf({"s32[64]"},
                           "b = s32[33,64] broadcast(p0), dimensions={1}\n"
                           "ROOT t = s32[64,33] transpose(b), dimensions={1,0}\n",
                           "s32[64,33]", "s32"),
                  backend);
  KernelCheck check(FusionOf({"s64[256]"},
                             "b = s64[9,16,256] broadcast(p0), dimensions={2}\n"
                             "ROOT t = s64[16,256,9] transpose(b), dimensions={1,2,0}\n",
                             "s64[16,256,9]", "s64"),
                    backend, /*multiprocessors=*/1);
  EXPECT_EQ(check.Run(1), "");
  EXPECT_TRUE(check.Measure().IsAsPlanned());
}

// However much code stands between: nothing changes what a kernel only reads.
TEST(LoopLoads, TheSameFarBehind) {
  PtxBackend backend;
  std::string chain = "v0 = s32[6,3] broadcast(p0), dimensions={}\n";
  for (int i = 0; i < 60; ++i) {
    absl::StrAppend(&chain, "w", i, " = s32[6,3] multiply(v", i, ", p1)\nv", i + 1,
                    " = s32[6,3] xor(w", i, ", v", i, ")\n");
  }
  ExpectAsPlanned(FusionOf({"s32[]", "s32[6,3]", "s32[3]"},
                           absl::StrCat(chain,
                                        "b = s32[3] broadcast(p0), dimensions={}\n"
                                        "s = s32[3] add(p2, b)\n"
                                        "ROOT o = (s32[6,3], s32[3]) tuple(v60, s)\n"),
                           "(s32[6,3], s32[3])", "s32"),
                  backend);
}

}  // namespace
}  // namespace hlo_indexing::emit
