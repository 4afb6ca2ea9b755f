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
  // What the product reads and what is read outside of its loops: the same array.
  const std::string inside_and_outside = R"(
    f { p = s32[128] parameter(0) q = s32[128] parameter(1)
      s = s32[] dot(p, q), lhs_contracting_dims={0}, rhs_contracting_dims={0}
      b = s32[128] broadcast(s), dimensions={} ROOT a = s32[128] add(p, b) }
    ENTRY e { p = s32[128] parameter(0) q = s32[128] parameter(1)
      ROOT r = s32[128] fusion(p, q), kind=kLoop, calls=f })";
  // A sum that only some elements of the window need: it is computed in each turn of these.
  const std::string in_some_turns = R"(
    f { p = s32[50,40] parameter(0) z = s32[] constant(0)
      s = s32[50] reduce(p, z), dimensions={1}, to_apply=sum_s32
      b = s32[50,16] broadcast(s), dimensions={0}
      ROOT w = s32[50,16] reduce-window(b, z), window={size=1x13 pad=0_0x6_6}, to_apply=sum_s32 }
    ENTRY e { p = s32[50,40] parameter(0)
      ROOT r = s32[50,16] fusion(p), kind=kLoop, calls=f })";
  // Hundreds of turns that some lanes of a warp do not take.
  const std::string of_some_lanes = R"(
    f { p = s32[20,17,9] parameter(0) z = s32[] constant(0)
      s = s32[] reduce(p, z), dimensions={0,1,2}, to_apply=sum_s32
      m = s32[20,17] reduce(p, z), dimensions={2}, to_apply=sum_s32
      w = s32[20,17,9] reduce-window(p, z), window={size=1x2x1 pad=0_0x1_0x0_0}, to_apply=sum_s32
      ROOT t = (s32[20,17], s32[], s32[20,17,9]) tuple(m, s, w) }
    ENTRY e { p = s32[20,17,9] parameter(0)
      ROOT r = (s32[20,17], s32[], s32[20,17,9]) fusion(p), kind=kLoop, calls=f })";
  for (const std::string& text :
       {rows_by_columns, products, both, inside_and_outside, in_some_turns, of_some_lanes}) {
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

// Values decide which windows an element is chosen in, and how often another thread comes between a
// compare and its swap: plans say that they do not know.
TEST(ElementLoopKernels, WhatValuesDecideIsNotExact) {
  PtxBackend backend;
  const std::string select_and_scatter = R"(
    sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
    ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }
    f { p = f32[64] parameter(0) s = f32[64] parameter(1) z = f32[] constant(0)
      ROOT r = f32[64] select-and-scatter(p, s, z), window={size=3 pad=1_1}, select=ge,
        scatter=sum }
    ENTRY e { p = f32[64] parameter(0) s = f32[64] parameter(1)
      ROOT r = f32[64] fusion(p, s), kind=kLoop, calls=f })";
  const std::string compare_and_swap = R"(
    largest { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
    ENTRY e { p = f32[64] parameter(0) i = s32[40] iota(), iota_dimension=0
      u = f32[40] parameter(1)
      ROOT r = f32[64] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=largest })";
  for (const std::string& text : {select_and_scatter, compare_and_swap}) {
    KernelCheck check(text, backend);
    EXPECT_EQ(check.Run(1), "") << text;
    const Traffic traffic = check.Measure();
    EXPECT_EQ(traffic.error, "") << text;
    EXPECT_FALSE(traffic.is_exact) << text;
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

// A sum that is an output and part of another: each element is read once.
TEST(ElementLoopKernels, ASumIsComputedOnceForTwoOutputs) {
  PtxBackend backend;
  KernelCheck check(R"(HloModule m
    sum { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] add(a, b) }
    f { p = f32[17,4] parameter(0)
      z = f32[] constant(0)
      r = f32[4] reduce(p, z), dimensions={0}, to_apply=sum
      m = f32[4] multiply(r, r)
      ROOT t = (f32[4], f32[4]) tuple(m, r) }
    ENTRY e { p = f32[17,4] parameter(0)
      ROOT r = (f32[4], f32[4]) fusion(p), kind=kLoop, calls=f })",
                    backend);
  EXPECT_EQ(check.Run(1), "");
  const Traffic traffic = check.Measure();
  EXPECT_TRUE(traffic.is_exact);
  EXPECT_TRUE(traffic.IsAsPlanned());
  EXPECT_EQ(traffic.requests, 17 + 2);
}

// Scores of attention are computed in each of the loops that read them: of the greatest, of the
// sum, and of the product with the values.
TEST(ElementLoopKernels, OneProductInSeveralLoops) {
  PtxBackend backend;
  KernelCheck check(R"(max {
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT r = f32[] maximum(a, b) }
  add {
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT r = f32[] add(a, b) }
  f {
    q = f32[2,32,16] parameter(0)
    k = f32[2,33,16] parameter(1)
    v = f32[2,33,16] parameter(2)
    s = f32[2,32,33] dot(q, k), lhs_batch_dims={0}, lhs_contracting_dims={2},
      rhs_batch_dims={0}, rhs_contracting_dims={2}
    i = f32[] constant(-inf)
    m = f32[2,32] reduce(s, i), dimensions={2}, to_apply=max
    mb = f32[2,32,33] broadcast(m), dimensions={0,1}
    d = f32[2,32,33] subtract(s, mb)
    z = f32[] constant(0)
    l = f32[2,32] reduce(d, z), dimensions={2}, to_apply=add
    lb = f32[2,32,33] broadcast(l), dimensions={0,1}
    e = f32[2,32,33] add(d, lb)
    ROOT o = f32[2,32,16] dot(e, v), lhs_batch_dims={0}, lhs_contracting_dims={2},
      rhs_batch_dims={0}, rhs_contracting_dims={1} }
  ENTRY e {
    q = f32[2,32,16] parameter(0)
    k = f32[2,33,16] parameter(1)
    v = f32[2,33,16] parameter(2)
    ROOT f = f32[2,32,16] fusion(q, k, v), kind=kInput, calls=f })",
                    backend);
  const Traffic traffic = check.Measure();
  EXPECT_EQ(traffic.error, "");
  EXPECT_TRUE(traffic.is_exact);
  EXPECT_TRUE(traffic.IsAsPlanned()) << traffic.requests << " " << traffic.planned_requests;
}

// LLVM is spared a pass where a kernel has more addresses than that.
TEST(ElementLoopKernels, ManyAddresses) {
  PtxBackend backend;
  constexpr int kLoads = 600;
  std::string body = absl::StrCat("p = s32[", 3 * kLoads + 8, "] parameter(0)\n");
  for (int i = 0; i < kLoads; ++i) {
    absl::StrAppend(&body, "s", i, " = s32[8] slice(p), slice={[", 3 * i, ":", 3 * i + 8, "]}\n");
    const std::string before = i == 1 ? "s0" : absl::StrCat("a", i - 1);
    if (i > 0) absl::StrAppend(&body, "a", i, " = s32[8] add(", before, ", s", i, ")\n");
  }
  KernelCheck check(
      absl::StrCat("HloModule m\nf { ", body, "ROOT r = s32[8] reverse(a", kLoads - 1,
                   "), dimensions={0} }\nENTRY e { p = s32[", 3 * kLoads + 8,
                   "] parameter(0) ROOT r = s32[8] fusion(p), kind=kLoop, calls=f }\n"),
      backend);
  EXPECT_EQ(check.Run(1), "");
}

// An index that is the sum of an array is computed once, not in each turn of what is read at it.
TEST(ElementLoopKernels, IndicesMadeByLoops) {
  PtxBackend backend;
  const std::string sums =
      "HloModule m\nadd { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) "
      "}\n"
      "f { p = s32[17,65] parameter(0) z = s32[] constant(0) one = s32[] constant(1)\n"
      "rows = s32[17] reduce(p, z), dimensions={1}, to_apply=add\n"
      "i = s32[] reduce(rows, z), dimensions={0}, to_apply=add j = s32[] add(i, one)\n";
  const std::pair<const char*, const char*> roots[] = {
      {"s32[8]", "dynamic-slice(rows, i), dynamic_slice_sizes={8}"},
      {"s32[8]", "dynamic-slice(rows, j), dynamic_slice_sizes={8}"},
      {"s32[8,65]", "dynamic-slice(b, i, z), dynamic_slice_sizes={8,65}\n"},
      {"s32[8,65]",
       "gather(b, at), offset_dims={0,1}, collapsed_slice_dims={}, start_index_map={0}, "
       "index_vector_dim=0, slice_sizes={8,65}"},
  };
  for (const auto& [shape, root] : roots) {
    KernelCheck check(absl::StrCat(sums, "b = s32[17,65] broadcast(rows), dimensions={0}\n",
                                   "at = s32[1] reshape(i)\nROOT r = ", shape, " ", root,
                                   "}\nENTRY e { p = s32[17,65] parameter(0) ROOT r = ", shape,
                                   " fusion(p), kind=kLoop, calls=f }\n"),
                      backend);
    EXPECT_EQ(check.Run(1), "") << root;
    const Traffic traffic = check.Measure();
    EXPECT_EQ(traffic.error, "") << root;
    EXPECT_TRUE(traffic.IsAtMostAsPlanned()) << root;
    // Each warp goes over all of the array once for the index, and over a row for its own element.
    const int64_t warps = std::string(shape) == "s32[8]" ? 1 : (8 * 65 + 31) / 32;
    EXPECT_LE(traffic.requests, warps * (17 * 65 + 65 + 1)) << root;
  }
}

// What comes to its operand, however long the chain, is that, and the operand stays.
TEST(ElementLoopKernels, OperationsThatComeToTheirOperands) {
  PtxBackend backend;
  const std::string sum =
      "HloModule m\nadd { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) "
      "}\n";
  for (const char* same : {"u32[2] convert(m)", "u32[2] bitcast-convert(m)"}) {
    KernelCheck check(
        absl::StrCat(sum,
                     "f { x = s32[2,64] parameter(0) z = s32[] constant(0)\n"
                     "m = s32[2] reduce(x, z), dimensions={1}, to_apply=add\nu = ",
                     same,
                     "\nub = u32[2,64] broadcast(u), dimensions={0}\n"
                     "ROOT t = (u32[2,64], s32[2], u32[2]) tuple(ub, m, u) }\n"
                     "ENTRY e { x = s32[2,64] parameter(0) ROOT f = (u32[2,64], s32[2], u32[2]) "
                     "fusion(x), kind=kLoop, calls=f }\n"),
        backend);
    EXPECT_EQ(check.Run(1), "") << same;
  }
  for (const std::string operation :
       {"f32 negate(x", "c64 negate(x", "s32 not(x", "pred not(x", "s32 maximum(x"}) {
    const size_t blank = operation.find(' ');
    const std::string shape = operation.substr(0, blank) + "[33,4]";
    std::string body = absl::StrCat("x0 = ", shape, " parameter(0)\n");
    constexpr int kLength = 201;
    for (int i = 0; i < kLength; ++i) {
      const bool is_binary = operation.find("maximum") != std::string::npos;
      absl::StrAppend(&body, i + 1 == kLength ? "ROOT " : "", "x", i + 1, " = ", shape,
                      operation.substr(blank), i, is_binary ? absl::StrCat(", x", i) : "", ")\n");
    }
    KernelCheck check(
        absl::StrCat("HloModule m\nf {\n", body, "}\nENTRY e { x0 = ", shape,
                     " parameter(0) ROOT r = ", shape, " fusion(x0), kind=kLoop, calls=f }\n"),
        backend);
    EXPECT_EQ(check.Run(1), "") << operation;
  }
}

}  // namespace
}  // namespace hlo_indexing::emit
