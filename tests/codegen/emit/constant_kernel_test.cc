// Kernels that have arrays of constants in memory.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/emit/kernel.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {
namespace {

// A list {0,3,1,4,...} of so many values, no two neighbours alike.
std::string Values(int count, int below) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ",", (i * 3 + i / 7) % below);
  }
  return text + "}";
}

struct Fusion {
  std::vector<std::string> parameters;
  std::string instructions;
  std::string root;
  // Shape and values of the constant c.
  std::pair<std::string, std::string> constant;
};

std::string TextOf(const Fusion& fusion) {
  std::string parameters;
  std::string operands;
  for (size_t i = 0; i < fusion.parameters.size(); ++i) {
    absl::StrAppend(&parameters, "p", i, " = ", fusion.parameters[i], " parameter(", i, ")\n");
    absl::StrAppend(&operands, i == 0 ? "" : ", ", "p", i);
  }
  const size_t end = fusion.root.find(fusion.root[0] == '(' ? ") " : " ");
  const std::string shape = fusion.root.substr(0, end + (fusion.root[0] == '(' ? 1 : 0));
  return absl::StrCat("HloModule m\nsum { a = s32[] parameter(0) b = s32[] parameter(1)\n",
                      "ROOT r = s32[] add(a, b) }\nf {\n", parameters,
                      "z = s32[] constant(0)\nc = ", fusion.constant.first, " constant(",
                      fusion.constant.second, ")\n", fusion.instructions,
                      "\nROOT r = ", fusion.root, " }\nENTRY e {\n", parameters, "ROOT r = ", shape,
                      " fusion(", operands, "), kind=kLoop, calls=f }");
}

// What decides is in the values: where a loop is written out, they are part of the code.
TEST(ConstantKernels, LoadAtMostWhatIsPlanned) {
  PtxBackend backend;
  const Fusion fusions[] = {
      {{"s32[4,500]"},
       "",
       "s32[500] dot(c, p0), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       {"s32[4]", "{3,1,4,1}"}},
      {{"s32[20,64]", "s32[20,64]"},
       "b = pred[20,64] broadcast(c), dimensions={1} n = s32[20,64] negate(p1)",
       "s32[20,64] select(b, p0, n)",
       {"pred[64]", Values(64, 2)}},
  };
  for (const Fusion& fusion : fusions) {
    const std::string text = TextOf(fusion);
    KernelCheck check(text, backend);
    EXPECT_EQ(check.Run(1), "") << text;
    const Traffic traffic = check.Measure();
    EXPECT_EQ(traffic.error, "") << text;
    EXPECT_FALSE(traffic.is_exact) << text;
    EXPECT_TRUE(traffic.IsAtMostAsPlanned()) << text;
    EXPECT_FALSE(traffic.IsAsPlanned()) << text;
  }
}

TEST(ConstantKernels, LoadAsPlanned) {
  PtxBackend backend;
  const std::string c4 = Values(4, 100);
  const std::string c64 = Values(64, 100);
  const std::string rows = absl::StrCat("{", c64, ",", c64, ",", Values(64, 50), "}");
  const Fusion fusions[] = {
      // Both arrays between which a select chooses are loaded.
      {{"s32[20,64]", "s32[20,64]", "pred[64]"},
       "b = pred[20,64] broadcast(p2), dimensions={1}",
       "s32[20,64] select(b, p0, p1)",
       {"s32[4]", c4}},
      // By the minor dimension, by the major one, in vectors.
      {{"s32[256,4]"},
       "b = s32[256,4] broadcast(c), dimensions={1}",
       "s32[256,4] add(p0, b)",
       {"s32[4]", c4}},
      {{"s32[64,100]"},
       "b = s32[64,100] broadcast(c), dimensions={0}",
       "s32[64,100] add(p0, b)",
       {"s32[64]", c64}},
      {{"f32[3,64]"},
       "b = f32[3,64] broadcast(c), dimensions={1}",
       "f32[3,64] multiply(p0, b)",
       {"f32[64]", c64}},
      // Values are row-major, whatever the layout.
      {{"s32[3,64]"}, "", "s32[3,64] add(p0, c)", {"s32[3,64]{0,1}", rows}},
      {{"s32[64,3]"},
       "t = s32[64,3] transpose(c), dimensions={1,0}",
       "s32[64,3] add(p0, t)",
       {"s32[3,64]", rows}},
      // A byte for each of the smaller ones.
      {{"s4[20,64]"},
       "b = s4[20,64] broadcast(c), dimensions={1}",
       "s4[20,64] add(p0, b)",
       {"s4[64]", Values(64, 8)}},
      // More than LLVM looks at.
      {{"s32[3,1200]", "s32[3,1200]"},
       "b = pred[3,1200] broadcast(c), dimensions={1} n = s32[3,1200] negate(p1)",
       "s32[3,1200] select(b, p0, n)",
       {"pred[1200]", Values(1200, 2)}},
      // By itself, twice, and from the middle.
      {{"s32[64]"}, "", "(s32[64], s32[64]) tuple(c, p0)", {"s32[64]", c64}},
      {{"s32[64]"},
       "v = s32[64] reverse(c), dimensions={0} a = s32[64] add(p0, c)",
       "s32[64] multiply(a, v)",
       {"s32[64]", c64}},
      {{"s32[20]"},
       "s = s32[20] slice(c), slice={[5:45:2]}",
       "s32[20] add(p0, s)",
       {"s32[64]", c64}},
      // One value, or one element: no load.
      {{"s32[4]"}, "", "s32[4] add(p0, c)", {"s32[4]", "{7,7,7,7}"}},
      {{"s32[100]"},
       "s = s32[1] slice(c), slice={[5:6]} e = s32[] reshape(s) b = s32[100] broadcast(e), "
       "dimensions={}",
       "s32[100] add(p0, b)",
       {"s32[64]", c64}},
      // In loops: of reductions by rows and columns, with what follows, and of products.
      {{"s32[100,64]"},
       "b = s32[100,64] broadcast(c), dimensions={1} a = s32[100,64] multiply(p0, b)",
       "s32[100] reduce(a, z), dimensions={1}, to_apply=sum",
       {"s32[64]", c64}},
      {{"s32[100,64]"},
       "b = s32[64] reduce(p0, z), dimensions={0}, to_apply=sum",
       "s32[64] add(b, c)",
       {"s32[64]", c64}},
      {{"s32[100,64]"},
       "m = s32[100] reduce(p0, z), dimensions={1}, to_apply=sum "
       "x = s32[100,64] broadcast(m), dimensions={0} "
       "y = s32[100,64] broadcast(c), dimensions={1} a = s32[100,64] add(x, y)",
       "s32[100,64] add(a, p0)",
       {"s32[64]", c64}},
      {{"s32[64,5]"},
       "",
       "s32[3,5] dot(c, p0), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {"s32[3,64]", rows}},
      {{"s32[64,5]", "s32[5,6]"},
       "d = s32[3,5] dot(c, p0), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "s32[3,6] dot(d, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {"s32[3,64]", rows}},
      // Through shared memory.
      {{"s32[96,64]"},
       "b = s32[96,64] broadcast(c), dimensions={1} a = s32[96,64] add(p0, b)",
       "s32[64,96] transpose(a), dimensions={1,0}",
       {"s32[64]", c64}},
      // One of several operands, an update.
      {{"s32[100]"}, "", "s32[164] concatenate(p0, c), dimensions={0}", {"s32[64]", c64}},
      {{"s32[100]"},
       "i = s32[] constant(3)",
       "s32[100] dynamic-update-slice(p0, c, i)",
       {"s32[64]", c64}},
  };
  for (const Fusion& fusion : fusions) {
    const std::string text = TextOf(fusion);
    KernelCheck check(text, backend);
    EXPECT_EQ(check.Run(1), "") << text;
    const Traffic traffic = check.Measure();
    EXPECT_EQ(traffic.error, "") << text;
    EXPECT_TRUE(traffic.is_exact) << text;
    EXPECT_EQ(traffic.requests, traffic.planned_requests) << text;
    EXPECT_EQ(traffic.sectors, traffic.planned_sectors) << text;
  }
}

// The size of a dimension is a constant, also as the index of a slice.
TEST(ConstantKernels, SizesOfDimensions) {
  PtxBackend backend;
  KernelCheck check(R"(HloModule m
    f { p = s32[5,40] parameter(0) q = s32[9] parameter(1)
      n = s32[] get-dimension-size(p), dimensions={1} m = s32[] get-dimension-size(p), dimensions={0}
      s = s32[2] dynamic-slice(q, m), dynamic_slice_sizes={2}
      t = s32[1] slice(s), slice={[1:2]} u = s32[] reshape(t) v = s32[] add(n, u)
      b = s32[5,40] broadcast(v), dimensions={} ROOT r = s32[5,40] add(p, b) }
    ENTRY e { p = s32[5,40] parameter(0) q = s32[9] parameter(1)
      ROOT r = s32[5,40] fusion(p, q), kind=kLoop, calls=f })",
                    backend);
  EXPECT_EQ(check.Run(1), "");
  EXPECT_TRUE(check.Measure().IsAsPlanned());
}

}  // namespace
}  // namespace hlo_indexing::emit
