// Kernels whose elements are made by loops.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/emit/kernel.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {
namespace {

// Reductions inside of the loops of another one: each is computed once where it is the same in all
// turns, and read in its own loops.
TEST(ElementLoopKernels, ReductionsInsideOfReductions) {
  PtxBackend backend;
  const std::string rows_by_columns = R"(
    f { p = s32[40,300] parameter(0) q = s32[300,24] parameter(1) c = s32[] constant(-2147483648)
      m = s32[40] reduce(p, c), dimensions={1}, to_apply=largest_s32
      b = s32[40,300] broadcast(m), dimensions={0} s = s32[40,300] subtract(p, b)
      ROOT d = s32[40,24] dot(s, q), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
    ENTRY e { p = s32[40,300] parameter(0) q = s32[300,24] parameter(1)
      ROOT r = s32[40,24] fusion(p, q), kind=kLoop, calls=f })";
  // The product of products: the inner one has as many turns for each of the outer ones.
  const std::string products = R"(
    f { p = s32[20,24] parameter(0) q = s32[24,28] parameter(1) o = s32[28,32] parameter(2)
      i = s32[20,28] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      ROOT d = s32[20,32] dot(i, o), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
    ENTRY e { p = s32[20,24] parameter(0) q = s32[24,28] parameter(1) o = s32[28,32] parameter(2)
      ROOT r = s32[20,32] fusion(p, q, o), kind=kLoop, calls=f })";
  // Twice the same rows.
  const std::string both = R"(
    f { p = s32[40,300] parameter(0) q = s32[300,24] parameter(1) c = s32[] constant(-2147483648)
      z = s32[] constant(0) m = s32[40] reduce(p, c), dimensions={1}, to_apply=largest_s32
      b = s32[40,300] broadcast(m), dimensions={0} s = s32[40,300] subtract(p, b)
      t = s32[40] reduce(s, z), dimensions={1}, to_apply=sum_s32
      u = s32[40,300] broadcast(t), dimensions={0} v = s32[40,300] add(s, u)
      ROOT d = s32[40,24] dot(v, q), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
    ENTRY e { p = s32[40,300] parameter(0) q = s32[300,24] parameter(1)
      ROOT r = s32[40,24] fusion(p, q), kind=kLoop, calls=f })";
  for (const std::string& text : {rows_by_columns, products, both}) {
    KernelCheck check(absl::StrCat("HloModule m\n"
                                   "largest_s32 { a = s32[] parameter(0) b = s32[] parameter(1)\n"
                                   "  ROOT r = s32[] maximum(a, b) }\n"
                                   "sum_s32 { a = s32[] parameter(0) b = s32[] parameter(1)\n"
                                   "  ROOT r = s32[] add(a, b) }\n",
                                   text),
                      backend);
    EXPECT_EQ(check.Run(1), "") << text;
    const Traffic traffic = check.Measure();
    EXPECT_EQ(traffic.error, "") << text;
    EXPECT_TRUE(traffic.is_exact) << text;
    EXPECT_EQ(traffic.requests, traffic.planned_requests) << text;
    EXPECT_EQ(traffic.sectors, traffic.planned_sectors) << text;
  }
}

// Reductions of what others leave, one after the other.
std::string ChainOfReductions(int length, bool turns) {
  std::string body = "x0 = s32[3,3] parameter(0)\nc = s32[] constant(0)\n";
  for (int i = 0; i < length; ++i) {
    const int reduced = turns && i % 2 == 0 ? 0 : 1;
    absl::StrAppend(&body, "m", i, " = s32[3] reduce(x", i, ", c), dimensions={", reduced,
                    "}, to_apply=largest\nb", i, " = s32[3,3] broadcast(m", i, "), dimensions={",
                    1 - reduced, "}\nx", i + 1, " = s32[3,3] subtract(x", i, ", b", i, ")\n");
  }
  return absl::StrCat(
      "HloModule m\nlargest { a = s32[] parameter(0) b = s32[] parameter(1)\n"
      "  ROOT r = s32[] maximum(a, b) }\nf {\n",
      body, "ROOT o = s32[3,3] negate(x", length,
      ") }\nENTRY e { p = s32[3,3] parameter(0)\n"
      "  ROOT r = s32[3,3] fusion(p), kind=kLoop, calls=f }");
}

TEST(ElementLoopKernels, ChainsOfReductions) {
  PtxBackend backend;
  // Of the same rows: as many loops, none in another one.
  EXPECT_EQ(KernelCheck(ChainOfReductions(40, /*turns=*/false), backend).Run(1), "");
  // By rows and columns in turns: nine deep.
  EXPECT_EQ(KernelCheck(ChainOfReductions(9, /*turns=*/true), backend).Run(1), "");
}

}  // namespace
}  // namespace hlo_indexing::emit
