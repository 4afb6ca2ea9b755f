// Instructions that are made neither element by element nor as a part of other kernels, fusions
// around them, and control flow inside of kernels: programs against the interpreter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/emit/ptx_backend.h"
#include "codegen/program/program.h"
#include "tests/codegen/program/program_check.h"

namespace hlo_indexing::program {
namespace {

using ::testing::HasSubstr;

constexpr char kFunctions[] = R"(
sum_f32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
less_s8 { a = s8[] parameter(0) b = s8[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
less_s4 { a = s4[] parameter(0) b = s4[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
less_bf16 { a = bf16[] parameter(0) b = bf16[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT }
)";

class ByItselfTest : public ::testing::Test {
 protected:
  // What is wrong with the program of an entry.
  std::string Run(const std::string& entry, double tolerance = 0, const std::string& more = "") {
    const ProgramCheck check(
        absl::StrCat("HloModule m\n", kFunctions, more, "ENTRY e {\n", entry, "\n}\n"), backend_);
    if (!check.is_accepted()) return "no module";
    for (const uint64_t seed : {1, 2}) {
      if (std::string message = check.Run(seed, tolerance); !message.empty()) return message;
    }
    return "";
  }

  emit::PtxBackend backend_;
};

TEST_F(ByItselfTest, LargestOfLines) {
  for (const char* type : {"f32", "f64", "bf16", "s8", "u8", "s64", "u4"}) {
    EXPECT_EQ(Run(absl::StrCat("p = ", type, "[3,300] parameter(0)\nROOT t = (", type,
                               "[3,7], s32[3,7]) topk(p), k=7, largest=true")),
              "")
        << type;
  }
  EXPECT_EQ(Run("p = f32[2,3,50] parameter(0)\n"
                "ROOT t = (f32[2,3,50], s32[2,3,50]) topk(p), k=50, largest=false"),
            "");
  EXPECT_EQ(Run("p = f32[1] parameter(0)\nROOT t = (f32[1], s32[1]) topk(p), k=1, largest=true"),
            "");
  EXPECT_EQ(Run("p = f32[4,20] parameter(0)\n"
                "ROOT t = (f32[4,5], s32[4,5]) custom-call(p), custom_call_target=\"TopK\""),
            "");
}

TEST_F(ByItselfTest, LongLinesHaveTheirOrderInScratchMemory) {
  EXPECT_EQ(Run("p = s8[2,12300] parameter(0)\n"
                "ROOT s = s8[2,12300] sort(p), dimensions={1}, to_apply=less_s8"),
            "");
  EXPECT_EQ(Run("p = f32[12300] parameter(0)\n"
                "ROOT t = (f32[3], s32[3]) topk(p), k=3, largest=true"),
            "");
  const ProgramCheck check(absl::StrCat("HloModule m\n", kFunctions, R"(ENTRY e {
    p = bf16[65537] parameter(0)
    ROOT s = bf16[65537] sort(p), dimensions={0}, to_apply=less_bf16 })"),
                           backend_);
  const absl::StatusOr<Program> program = check.Compile();
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_THAT(program->ToString(), HasSubstr("launch s: parameter 0 -> output 0, scratch frame 0"));
  EXPECT_THAT(program->ToString(), HasSubstr("frame 0: 262148 bytes"));
}

// Lines of elements of less than a byte that lie in bytes with those of other lines, blocks and
// threads; the second kernel counts in what the first one leaves of its counters.
TEST_F(ByItselfTest, LinesThatShareBytes) {
  for (const char* layout : {"{1,0:E(4)}", "{0,1:E(4)}", "{1,0:T(2,4)(2,1)E(4)}"}) {
    const std::string array = absl::StrCat("s4[37,13]", layout);
    EXPECT_EQ(Run(absl::StrCat("p = ", array, " parameter(0)\nq = ", array,
                               " sort(p), dimensions={0}, to_apply=less_s4\nROOT s = ", array,
                               " sort(q), dimensions={1}, to_apply=less_s4")),
              "")
        << layout;
  }
  EXPECT_EQ(Run("p = u2[5,301]{1,0:E(2)} parameter(0)\n"
                "ROOT t = (u2[5,3]{1,0:E(2)}, s32[5,3]) topk(p), k=3, largest=true"),
            "");
  EXPECT_EQ(Run("p = s4[67,31]{1,0:E(4)} parameter(0)\ni = s4[31]{0:E(4)} parameter(1)\n"
                "ROOT t = (s4[67,31]{1,0:E(4)}, s4[31]{0:E(4)}) scan(p, i), dimensions={0}, "
                "num_carries=1, is_reverse=true, to_apply=step",
                0,
                "step { a = s4[31] parameter(0) b = s4[31] parameter(1) c = s4[31] add(a, b)\n"
                "  ROOT t = (s4[31], s4[31]) tuple(c, c) }\n"),
            "");
}

TEST_F(ByItselfTest, Scans) {
  const std::string step = R"(
  step { x = f32[5,3] parameter(0) y = f32[5,3] parameter(1) c = f32[5,3] parameter(2)
    p = f32[5,3] multiply(x, y) n = f32[5,3] add(p, c)
    k = f32[] constant(0.5) b = f32[5,3] broadcast(k), dimensions={}
    d = f32[5,3] multiply(n, b) ROOT t = (f32[5,3], f32[5,3]) tuple(n, d) }
  )";
  for (const char* reverse : {"false", "true"}) {
    EXPECT_EQ(Run(absl::StrCat(R"(
      x = f32[5,9,3] parameter(0)
      y = f32[5,9,3] parameter(1)
      c = f32[5,3] parameter(2)
      ROOT s = (f32[5,9,3], f32[5,3]) scan(x, y, c), dimensions={1}, num_carries=1, is_reverse=)",
                               reverse, ", to_apply=step"),
                  0, step),
              "");
  }
  const std::string moving = R"(
  step { x = f32[5] parameter(0) c = f32[5] parameter(1)
    r = f32[5] reverse(c), dimensions={0} n = f32[5] add(x, r)
    ROOT t = (f32[5], f32[5]) tuple(n, n) }
  )";
  EXPECT_THAT(Run("x = f32[4,5] parameter(0)\nc = f32[5] parameter(1)\n"
                  "ROOT s = (f32[4,5], f32[5]) scan(x, c), dimensions={0}, num_carries=1, "
                  "to_apply=step",
                  0, moving),
              HasSubstr("is read at another index than that which the kernel computes"));
}

TEST_F(ByItselfTest, BatchNormalizations) {
  constexpr double kTolerance = 1e-5;
  EXPECT_EQ(Run(R"(x = f32[7,5,30]{2,1,0} parameter(0)
    s = f32[5] parameter(1)
    o = f32[5] parameter(2)
    ROOT n = (f32[7,5,30]{2,1,0}, f32[5], f32[5]) batch-norm-training(x, s, o), epsilon=0.01,
      feature_index=1)",
                kTolerance),
            "");
  EXPECT_EQ(Run(R"(x = f32[600,3]{0,1} parameter(0)
    s = f32[3] parameter(1)
    m = f32[3] parameter(2)
    p = f32[3] parameter(3)
    v = f32[3] multiply(p, p)
    g = f32[600,3] parameter(4)
    ROOT n = (f32[600,3]{0,1}, f32[3], f32[3]) batch-norm-grad(x, s, m, v, g), epsilon=0.25,
      feature_index=1)",
                kTolerance),
            "");
  EXPECT_EQ(Run(R"(x = bf16[60,64] parameter(0)
    s = bf16[64] parameter(1)
    o = bf16[64] parameter(2)
    m = bf16[64] parameter(3)
    p = bf16[64] parameter(4)
    v = bf16[64] multiply(p, p)
    ROOT n = bf16[60,64] batch-norm-inference(x, s, o, m, v), epsilon=0.25, feature_index=1)"),
            "");
}

// Positive definite: a a^H + n.
std::string Definite(const std::string& type, int64_t n, int64_t batch) {
  const std::string shape = absl::StrCat(type, "[", batch, ",", n, ",", n, "]");
  const std::string conjugate =
      type[0] == 'c'
          ? absl::StrCat("re = f", type == "c64" ? "32" : "64", shape.substr(type.size()),
                         " real(a)\nim = f", type == "c64" ? "32" : "64", shape.substr(type.size()),
                         " imag(a)\nng = f", type == "c64" ? "32" : "64", shape.substr(type.size()),
                         " negate(im)\nh = ", shape, " complex(re, ng)\n")
          : absl::StrCat("h = ", shape, " copy(a)\n");
  return absl::StrCat("a = ", shape, " parameter(0)\n", conjugate, "d = ", shape,
                      " dot(a, h), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                      "lhs_contracting_dims={2}, rhs_contracting_dims={2}\n"
                      "i = s32[",
                      batch, ",", n, ",", n, "] iota(), iota_dimension=1\nj = s32[", batch, ",", n,
                      ",", n, "] iota(), iota_dimension=2\ne = pred[", batch, ",", n, ",", n,
                      "] compare(i, j), direction=EQ\nm = ", type, "[] constant(", 4 * n,
                      ")\nz = ", type, "[] constant(0)\nmb = ", shape,
                      " broadcast(m), dimensions={}\nzb = ", shape,
                      " broadcast(z), dimensions={}\nu = ", shape,
                      " select(e, mb, zb)\nx = ", shape, " add(d, u)\n");
}

TEST_F(ByItselfTest, Decompositions) {
  for (const char* lower : {"true", "false"}) {
    for (const char* type : {"f32", "f64", "c64"}) {
      const std::string shape = absl::StrCat(type, "[2,9,9]");
      EXPECT_EQ(
          Run(absl::StrCat(Definite(type, 9, 2), "ROOT l = ", shape, " cholesky(x), lower=", lower),
              1e-5),
          "")
          << type << lower;
    }
  }
  // More than shared memory holds.
  EXPECT_EQ(
      Run(absl::StrCat(Definite("f32", 81, 1), "ROOT l = f32[1,81,81] cholesky(x), lower=true"),
          1e-4),
      "");
}

TEST_F(ByItselfTest, TriangularSystems) {
  for (const char* left : {"true", "false"}) {
    for (const char* lower : {"true", "false"}) {
      for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
        EXPECT_EQ(Run(absl::StrCat(Definite("c64", 6, 2), "b = c64[2,6,6] parameter(1)\n",
                                   "ROOT s = c64[2,6,6] triangular-solve(x, b), left_side=", left,
                                   ", lower=", lower, ", transpose_a=", transpose),
                      1e-4),
                  "")
            << left << lower << transpose;
      }
    }
  }
  EXPECT_EQ(Run(absl::StrCat(Definite("f32", 30, 1), "b = f32[1,30,300] parameter(1)\n",
                             "ROOT s = f32[1,30,300] triangular-solve(x, b), left_side=true, "
                             "lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE"),
                1e-4),
            "");
}

TEST_F(ByItselfTest, RandomBits) {
  for (const char* algorithm : {"rng_default", "rng_philox", "rng_three_fry"}) {
    for (const char* state : {"u64[2]", "u64[3]", "u32[4]", "u32[6]", "u8[16]"}) {
      for (const char* bits : {"u32[3,7]", "u64[11]", "u8[1000]", "s16[]"}) {
        EXPECT_EQ(Run(absl::StrCat("s = ", state, " parameter(0)\nROOT r = (", state, ", ", bits,
                                   ") rng-bit-generator(s), algorithm=", algorithm)),
                  "")
            << algorithm << state << bits;
      }
    }
  }
  EXPECT_EQ(Run("s = u64[2] parameter(0)\nt = u64[2] negate(s)\n"
                "ROOT r = u32[5000] rng-bit-generator(t), algorithm=rng_philox"),
            "");
}

TEST_F(ByItselfTest, RaggedAndScaledDots) {
  EXPECT_EQ(Run(R"(a = f32[9,4] parameter(0)
    b = f32[3,4,5] parameter(1)
    n = s32[3] constant({2,0,5})
    ROOT r = f32[9,5] ragged-dot(a, b, n), lhs_contracting_dims={1}, rhs_contracting_dims={1},
      lhs_ragged_dims={0}, rhs_group_dims={0})"),
            "");
  EXPECT_EQ(Run(R"(a = f32[4,9] parameter(0)
    b = f32[9,5] parameter(1)
    n = u32[3] constant({2,3,9})
    ROOT r = f32[3,4,5] ragged-dot(a, b, n), lhs_contracting_dims={1}, rhs_contracting_dims={0},
      lhs_ragged_dims={1})"),
            "");
  EXPECT_EQ(Run(R"(a = f8e4m3fn[6,8] parameter(0)
    b = f8e4m3fn[8,4] parameter(1)
    s = f32[6,2] parameter(2)
    t = f32[2,4] parameter(3)
    ROOT r = f32[6,4] scaled-dot(a, b, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0})"),
            "");
}

TEST_F(ByItselfTest, ControlFlowInsideOfFusions) {
  const std::string loop = R"(
  c { s = (s32[], f32[8,32], f32[32]) parameter(0) i = s32[] get-tuple-element(s), index=0
    n = s32[] constant(5) ROOT r = pred[] compare(i, n), direction=LT }
  b { s = (s32[], f32[8,32], f32[32]) parameter(0) i = s32[] get-tuple-element(s), index=0
    x = f32[8,32] get-tuple-element(s), index=1 y = f32[32] get-tuple-element(s), index=2
    z = s32[] constant(0)
    row = f32[1,32] dynamic-slice(x, i, z), dynamic_slice_sizes={1,32}
    flat = f32[32] reshape(row) sum = f32[32] add(flat, y)
    one = s32[] constant(1) j = s32[] add(i, one)
    ROOT r = (s32[], f32[8,32], f32[32]) tuple(j, x, sum) }
  f { x = f32[8,32] parameter(0) y = f32[32] parameter(1) i = s32[] constant(0)
    s = (s32[], f32[8,32], f32[32]) tuple(i, x, y)
    w = (s32[], f32[8,32], f32[32]) while(s), condition=c, body=b
    ROOT r = f32[32] get-tuple-element(w), index=2 }
  )";
  EXPECT_EQ(Run("x = f32[8,32] parameter(0)\ny = f32[32] parameter(1)\n"
                "ROOT r = f32[32] fusion(x, y), kind=kLoop, calls=f",
                0, loop),
            "");
  const std::string branches = R"(
  n { p = f32[50] parameter(0) ROOT r = f32[50] negate(p) }
  v { p = f32[50] parameter(0) ROOT r = f32[50] reverse(p), dimensions={0} }
  w { p = f32[50] parameter(0) ROOT r = f32[50] add(p, p) }
  f { i = s32[] parameter(0) x = f32[50] parameter(1) y = f32[50] parameter(2)
    ROOT r = f32[50] conditional(i, x, y, x), branch_computations={n, v, w} }
  )";
  EXPECT_EQ(Run("i = s32[] parameter(0)\nx = f32[50] parameter(1)\ny = f32[50] parameter(2)\n"
                "ROOT r = f32[50] fusion(i, x, y), kind=kLoop, calls=f",
                0, branches),
            "");
  // A loop for each element, of different lengths.
  const std::string lanes = R"(
  c { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
    z = s32[] constant(0) ROOT r = pred[] compare(i, z), direction=GT }
  b { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
    a = s32[] get-tuple-element(s), index=1 one = s32[] constant(1)
    j = s32[] subtract(i, one) k = s32[] add(a, i) ROOT r = (s32[], s32[]) tuple(j, k) }
  g { x = s32[] parameter(0) z = s32[] constant(0) s = (s32[], s32[]) tuple(x, z)
    w = (s32[], s32[]) while(s), condition=c, body=b ROOT r = s32[] get-tuple-element(w), index=1 }
  )";
  EXPECT_EQ(Run("x = s32[200] parameter(0)\nROOT r = s32[200] map(x), dimensions={0}, to_apply=g",
                0, lanes),
            "");
}

// A fusion that does more than one of these runs as a call: in other layouts than its operands and
// results have, twice, inside of another one, in a branch.
TEST_F(ByItselfTest, FusionsAroundThem) {
  const std::string sorted = R"(
  less { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
    ROOT r = pred[] compare(a, b), direction=LT }
  f { p = f32[5,64]{0,1} parameter(0) x = f32[5,64] exponential(p)
    i = s32[5,64] iota(), iota_dimension=1
    s = (f32[5,64], s32[5,64]) sort(x, i), dimensions={1}, to_apply=less, is_stable=true
    v = f32[5,64] get-tuple-element(s), index=0 w = s32[5,64] get-tuple-element(s), index=1
    y = f32[5,64]{0,1} add(v, v) ROOT t = (s32[5,64], f32[5,64]{0,1}) tuple(w, y) }
  )";
  EXPECT_EQ(Run("p = f32[5,64] parameter(0)\nq = f32[5,64] negate(p)\n"
                "a = (s32[5,64], f32[5,64]) fusion(p), kind=kLoop, calls=f\n"
                "b = (s32[5,64], f32[5,64]) fusion(q), kind=kLoop, calls=f\n"
                "c = s32[5,64] get-tuple-element(a), index=0\n"
                "d = s32[5,64] get-tuple-element(b), index=0\n"
                "e = f32[5,64] get-tuple-element(b), index=1\n"
                "ROOT t = (s32[5,64], f32[5,64], s32[5,64]) tuple(c, e, d)",
                1e-6, sorted),
            "");
  const std::string outer = sorted + R"(
  g { p = f32[5,64] parameter(0)
    a = (s32[5,64], f32[5,64]) fusion(p), kind=kLoop, calls=f
    b = f32[5,64] get-tuple-element(a), index=1 ROOT r = f32[5,64] reverse(b), dimensions={1} }
  h { p = f32[5,64] parameter(0) c = pred[] constant(true)
    ROOT r = f32[5,64] conditional(c, p, p), true_computation=g, false_computation=g }
  )";
  for (const char* const callee : {"g", "h"}) {
    EXPECT_EQ(Run(absl::StrCat("p = f32[5,64] parameter(0)\n"
                               "ROOT r = f32[5,64] fusion(p), kind=kLoop, calls=",
                               callee),
                  1e-6, outer),
              "")
        << callee;
  }
  const std::string others = R"(
  t { p = f32[3,40] parameter(0) k = (f32[3,5], s32[3,5]) topk(p), k=5, largest=true
    ROOT r = s32[3,5] get-tuple-element(k), index=1 }
  n { x = f32[6,5,4] parameter(0) s = f32[4] parameter(1) o = f32[4] parameter(2)
    b = (f32[6,5,4], f32[4], f32[4]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=2
    m = f32[4] get-tuple-element(b), index=1 y = f32[6,5,4] get-tuple-element(b), index=0
    l = f32[6,5,4] negate(y) ROOT r = (f32[4], f32[6,5,4]) tuple(m, l) }
  d { a = f32[4,4] parameter(0) c = f32[4,4] triangular-solve(a, a), left_side=true, lower=true,
      unit_diagonal=true, transpose_a=NO_TRANSPOSE
    ROOT r = f32[4,4] transpose(c), dimensions={1,0} }
  )";
  EXPECT_EQ(Run("p = f32[3,40] parameter(0)\nx = f32[6,5,4] parameter(1)\n"
                "s = f32[4] parameter(2)\na = f32[4,4] parameter(3)\n"
                "k = s32[3,5] fusion(p), kind=kLoop, calls=t\n"
                "n = (f32[4], f32[6,5,4]) fusion(x, s, s), kind=kLoop, calls=n\n"
                "d = f32[4,4] fusion(a), kind=kLoop, calls=d\n"
                "ROOT r = (s32[3,5], (f32[4], f32[6,5,4]), f32[4,4]) tuple(k, n, d)",
                1e-6, others),
            "");
}

TEST_F(ByItselfTest, ReductionsThatCombineArrays) {
  const std::string combiner = R"(
  both { a = f32[6] parameter(0) b = f32[6] parameter(1) ROOT r = f32[6] maximum(a, b) }
  )";
  EXPECT_EQ(Run("x = f32[4,6] parameter(0)\ni = f32[6] parameter(1)\n"
                "ROOT r = f32[6] reduce(x, i), dimensions={0}, to_apply=both",
                0, combiner),
            "");
  // Of sizes that have a kernel of their own where single elements are combined.
  for (const char* const layout : {"", "{0,1}"}) {
    EXPECT_EQ(Run(absl::StrCat("x = f32[6,400]", layout,
                               " parameter(0)\ni = f32[6] parameter(1)\n"
                               "ROOT r = f32[6] reduce(x, i), dimensions={1}, to_apply=both"),
                  0, combiner),
              "");
    EXPECT_EQ(Run(absl::StrCat("x = f32[400,6]", layout,
                               " parameter(0)\ni = f32[6] parameter(1)\n"
                               "ROOT r = f32[6] reduce(x, i), dimensions={0}, to_apply=both"),
                  0, combiner),
              "");
  }
}

}  // namespace
}  // namespace hlo_indexing::program
