// Kernels of arrays whose layouts differ from each other, and what else random fusions have found.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {
namespace {

constexpr char kReducers[] = R"(
sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
larger { v = s32[] parameter(0) i = s32[] parameter(1) w = s32[] parameter(2) j = s32[] parameter(3)
  gt = pred[] compare(v, w), direction=GT
  x = s32[] select(gt, v, w) y = s32[] select(gt, i, j) ROOT r = (s32[], s32[]) tuple(x, y) }
)";

// What is wrong with the kernel; empty if nothing is.
std::string Wrong(const std::string& body) {
  static auto* const backend = new PtxBackend();
  KernelCheck check(absl::StrCat("HloModule m\n", kReducers, body), *backend);
  return check.Run(1);
}

TEST(LayoutKernels, AnEpilogueHasAnotherOrder) {
  EXPECT_EQ(Wrong(R"(
    fused { p = s32[5,7,100] parameter(0) z = s32[] constant(0)
      r = s32[5,7] reduce(p, z), dimensions={2}, to_apply=sum
      ROOT n = s32[5,7]{0,1} negate(r) }
    ENTRY main { p = s32[5,7,100] parameter(0)
      ROOT f = s32[5,7]{0,1} fusion(p), kind=kLoop, calls=fused })"),
            "");
  EXPECT_EQ(Wrong(R"(
    fused { p = u8[16,34] parameter(0) q = u8[16,34] parameter(1)
      t = u8[16,34]{0,1} copy(p)
      ROOT m = u8[16,34] minimum(t, q) }
    ENTRY main { p = u8[16,34] parameter(0) q = u8[16,34] parameter(1)
      ROOT f = u8[16,34] fusion(p, q), kind=kLoop, calls=fused })"),
            "");
}

TEST(LayoutKernels, ArraysOfAReductionHaveOtherOrders) {
  EXPECT_EQ(Wrong(R"(
    fused { p = s32[6,46] parameter(0) i = s32[6,46]{0,1} iota(), iota_dimension=1
      least = s32[] constant(-2147483648) z = s32[] constant(0)
      ROOT r = (s32[6], s32[6]) reduce(p, i, least, z), dimensions={1}, to_apply=larger }
    ENTRY main { p = s32[6,46] parameter(0)
      ROOT f = (s32[6], s32[6]) fusion(p), kind=kLoop, calls=fused })"),
            "");
}

TEST(LayoutKernels, AnImaginaryNumberIsTrue) {
  EXPECT_EQ(Wrong(R"(
    ENTRY main { p = f32[9] parameter(0) z = f32[] constant(0)
      b = f32[9] broadcast(z), dimensions={} c = c64[9] complex(b, p)
      ROOT r = pred[9] convert(c) })"),
            "");
  EXPECT_EQ(Wrong(R"(
    fused { p = f32[9] parameter(0) z = f32[] constant(0)
      b = f32[9] broadcast(z), dimensions={} c = c64[9] complex(b, p)
      ROOT r = pred[9] convert(c) }
    ENTRY main { p = f32[9] parameter(0) ROOT f = pred[9] fusion(p), kind=kLoop, calls=fused })"),
            "");
}

// What is read is packed, not what is written.
TEST(LayoutKernels, AnUpdateIsPackedInTiles) {
  EXPECT_EQ(Wrong(R"(
    ENTRY main { p = pred[8,7,4,2] parameter(0)
      u = pred[5,7,3,1]{3,2,1,0:T(2,2,8)(2,1)E(1)} parameter(1) i = s32[] parameter(2)
      ROOT d = pred[8,7,4,2] dynamic-update-slice(p, u, i, i, i, i) })"),
            "");
}

// Such memory is not that of the output.
TEST(LayoutKernels, WhatIsUpdatedHasAnotherLayout) {
  for (const std::string layout : {"{0,1}", "{1,0:T(2,4)}"}) {
    EXPECT_EQ(Wrong(absl::StrCat("ENTRY main { p = s8[9,31]", layout,
                                 " parameter(0) u = s8[3,5] parameter(1) i = s32[] parameter(2) "
                                 "ROOT d = s8[9,31] dynamic-update-slice(p, u, i, i) }")),
              "");
    EXPECT_EQ(Wrong(absl::StrCat("ENTRY main { p = s32[9,31]", layout,
                                 " parameter(0) i = s32[4] parameter(1) u = s32[4,31] parameter(2) "
                                 "ROOT s = s32[9,31] scatter(p, i, u), update_window_dims={1}, "
                                 "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                                 "index_vector_dim=1, to_apply=sum }")),
              "");
  }
}

// Elements of less than a byte that have a byte each: what a vector leaves is one per thread.
TEST(LayoutKernels, SmallElementsThatAreNotPacked) {
  PtxBackend backend;
  for (const char* const shape : {"u2[134]", "s4[100003]", "s2[4,1027]"}) {
    KernelCheck check(absl::StrCat("HloModule m\nENTRY e {\np = ", shape,
                                   " parameter(0)\nROOT r = ", shape, " negate(p)\n}\n"),
                      backend);
    EXPECT_EQ(check.Run(1), "");
    const Traffic traffic = check.Measure();
    EXPECT_TRUE(traffic.is_exact);
    EXPECT_TRUE(traffic.IsAsPlanned()) << shape;
  }
}

// One thread computes a scalar beside an array, and loads what it is made of.
TEST(LayoutKernels, OnlyOneThreadLoadsWhatAScalarNeeds) {
  PtxBackend backend;
  for (const char* const instructions :
       {"s = s32[] negate(q)",
        "b = s32[7] broadcast(q), dimensions={} z = s32[] constant(0) "
        "s = s32[] reduce(b, z), dimensions={0}, to_apply=sum"}) {
    KernelCheck check(absl::StrCat(R"(HloModule m
      sum { a = s32[] parameter(0)
        b = s32[] parameter(1)
        ROOT r = s32[] add(a, b) }
      f { p = s4[16383]{0:E(4)} parameter(0)
        q = s32[] parameter(1)
        )",
                                   instructions, R"(
        ROOT t = (s4[16383]{0:E(4)}, s32[]) tuple(p, s) }
      ENTRY e { p = s4[16383]{0:E(4)} parameter(0)
        q = s32[] parameter(1)
        ROOT r = (s4[16383]{0:E(4)}, s32[]) fusion(p, q), kind=kLoop, calls=f })"),
                      backend);
    EXPECT_EQ(check.Run(1), "");
    EXPECT_TRUE(check.Measure().IsAsPlanned()) << instructions;
  }
}

// Whole bytes are written by one thread each, though the sum of the terms of a position may hide
// that it is even: th_x * 3 - th_x mod 2.
TEST(LayoutKernels, ConcatenatesOfPackedColumns) {
  PtxBackend backend;
  for (const int columns : {1, 3, 64}) {
    for (const auto& [first, second] : {std::pair(4, 2), {2, 2}, {8, 4}, {3, 5}, {6, 1}}) {
      const auto array = [&](int rows) {
        return absl::StrCat("u4[", rows, ",", columns, "]{0,1:E(4)}");
      };
      KernelCheck check(absl::StrCat("HloModule m\nENTRY e { a = ", array(first),
                                     " parameter(0)\nb = ", array(second),
                                     " parameter(1)\nROOT v = ", array(first + second),
                                     " concatenate(a, b), dimensions={0} }"),
                        backend);
      EXPECT_EQ(check.Run(1), "");
      EXPECT_TRUE(check.Measure().IsAsPlanned()) << first << " + " << second << " x " << columns;
    }
  }
}

// The position of an element may be the index of another one, which is another load.
TEST(LayoutKernels, PositionsAreNoIndices) {
  PtxBackend backend;
  for (int size = 1; size <= 17; ++size) {
    for (const char* const tiles : {"T(2)(2,1)", "T(3)(2,1)", "T(4)(3,1)", "T(2)(3)"}) {
      const std::string array = absl::StrCat("s32[", size, "]{0:", tiles, "}");
      KernelCheck check(absl::StrCat(R"(HloModule m
        sum { a = s32[] parameter(0)
          b = s32[] parameter(1)
          ROOT r = s32[] add(a, b) }
        ENTRY e { p = )",
                                     array, R"( parameter(0)
          z = s32[] constant(0)
          ROOT r = s32[] reduce(p, z), dimensions={0}, to_apply=sum })"),
                        backend);
      EXPECT_EQ(check.Run(1), "") << array;
      const Traffic traffic = check.Measure();
      EXPECT_EQ(traffic.error, "") << array;
      EXPECT_TRUE(traffic.IsAsPlanned()) << array;
    }
  }
}

// Elements take what their type does, or a part of a byte.
TEST(LayoutKernels, RefuseElementsOfOtherSizes) {
  for (const std::string array :
       {"s8[100]{0:E(9)}", "s8[100]{0:E(2147483647)}", "f32[100]{0:E(64)}", "s4[100]{0:E(5)}",
        "pred[100]{0:E(3)}", "bf16[100]{0:E(32)}"}) {
    const std::string plain = array.substr(0, array.find(':')) + "}";
    for (const auto& [from, to] : {std::pair(array, plain), std::pair(plain, array)}) {
      const std::string text =
          absl::StrCat("ENTRY e { p = ", from, " parameter(0)\n ROOT r = ", to, " copy(p) }");
      EXPECT_NE(Wrong(text).find("no kernel reads or writes elements of "), std::string::npos)
          << from << " to " << to;
    }
  }
}

}  // namespace
}  // namespace hlo_indexing::emit
