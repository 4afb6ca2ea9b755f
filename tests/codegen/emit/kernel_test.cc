#include "codegen/emit/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/module.h"
#include "tests/codegen/emit/kernel_check.h"
#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::emit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Of exponentials and what is made of them.
constexpr double kTolerance = 1e-5;

constexpr char kReducers[] = R"(
sum_f32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
largest_f32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
largest_bf16 { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] maximum(a, b) }
sum_s8 { a = s8[] parameter(0) b = s8[] parameter(1) ROOT r = s8[] add(a, b) }
both_pred { a = pred[] parameter(0) b = pred[] parameter(1) ROOT r = pred[] and(a, b) }
sum_f64 { a = f64[] parameter(0) b = f64[] parameter(1) ROOT r = f64[] add(a, b) }
sum_c64 { a = c64[] parameter(0) b = c64[] parameter(1) ROOT r = c64[] add(a, b) }
twice_f32 { a = f32[] parameter(0) b = f32[] parameter(1) m = f32[] maximum(a, b) ROOT r = f32[] maximum(m, b) }
argmax { v = f32[] parameter(0) i = s32[] parameter(1) w = f32[] parameter(2) j = s32[] parameter(3)
  gt = pred[] compare(v, w), direction=GT eq = pred[] compare(v, w), direction=EQ
  lt = pred[] compare(i, j), direction=LT tie = pred[] and(eq, lt) keep = pred[] or(gt, tie)
  x = f32[] select(keep, v, w) y = s32[] select(keep, i, j) ROOT r = (f32[], s32[]) tuple(x, y) }
)";

std::string Entry(const std::string& body) {
  return absl::StrCat("HloModule m\n", kReducers, "ENTRY main {\n", body, "\n}\n");
}

class KernelTest : public ::testing::Test {
 protected:
  // Shared by all tests, as by the kernels of a compiler.
  static PtxBackend& backend() {
    static auto* const backend = new PtxBackend();
    return *backend;
  }
  static std::string Run(const std::string& text, double tolerance = 0) {
    KernelCheck check(text, backend());
    return check.Run(1, tolerance);
  }
};

TEST_F(KernelTest, EveryEmitter) {
  for (const plan::NamedModule& module : plan::KernelModules()) {
    const bool is_exact = module.text.find("exponential") == std::string::npos;
    EXPECT_EQ(Run(module.text, is_exact ? 0 : kTolerance), "") << module.name;
  }
}

const std::vector<std::string>& AllTypes() {
  static const auto* const types = new std::vector<std::string>{
      "pred", "s2",        "s4",     "s8",  "s16", "s32",        "s64",        "u2",
      "u4",   "u8",        "u16",    "u32", "u64", "f4e2m1fn",   "f8e3m4",     "f8e4m3",
      "bf16", "f8e4m3fn",  "f8e5m2", "f16", "f32", "f8e4m3fnuz", "f8e5m2fnuz", "f8e4m3b11fnuz",
      "f64",  "f8e8m0fnu", "c64",    "c128"};
  return *types;
}

TEST_F(KernelTest, EveryTypeIsMovedAndAdded) {
  for (const std::string& type : AllTypes()) {
    const std::string shape = type + "[3,37]";
    const std::string sum = type == "pred" ? "or" : "add";
    EXPECT_EQ(Run(Entry(absl::StrCat(
                  "p = ", shape, " parameter(0)\nq = ", type, "[37] parameter(1)\nb = ", shape,
                  " broadcast(q), dimensions={1}\nROOT r = ", shape, " ", sum, "(p, b)"))),
              "")
        << type;
    EXPECT_EQ(Run(Entry(absl::StrCat("p = ", shape, " parameter(0)\nROOT r = ", type,
                                     "[3,36] slice(p), slice={[0:3], [1:37]}"))),
              "")
        << type;
  }
}

TEST_F(KernelTest, EveryTypeIsConvertedToEveryOther) {
  for (const std::string& from : AllTypes()) {
    for (const std::string& to : AllTypes()) {
      EXPECT_EQ(Run(Entry(absl::StrCat("p = ", from, "[70] parameter(0)\nROOT r = ", to,
                                       "[70] convert(p)"))),
                "")
          << from << " to " << to;
    }
  }
}

TEST_F(KernelTest, EveryFloatIsReducedInPrecision) {
  for (const std::string& type : AllTypes()) {
    if (type[0] != 'f' && type[0] != 'b') continue;
    for (const char* bits : {"exponent_bits=4, mantissa_bits=3", "exponent_bits=7, mantissa_bits=0",
                             "exponent_bits=8, mantissa_bits=2"}) {
      EXPECT_EQ(Run(Entry(absl::StrCat("p = ", type, "[300] parameter(0)\nROOT r = ", type,
                                       "[300] reduce-precision(p), ", bits))),
                "")
          << type << ", " << bits;
    }
  }
}

// Of numbers of all magnitudes, as of random bits: as narrow as the types have them.
TEST_F(KernelTest, EveryFloatIsConvertedStochastically) {
  for (const auto& [from, bits] : std::vector<std::pair<std::string, std::string>>{
           {"f32", "u32"}, {"f64", "u64"}, {"bf16", "u16"}, {"f8e5m2fnuz", "u8"}}) {
    for (const std::string& to : AllTypes()) {
      if (to == "pred" || to[0] == 'c') continue;
      const std::string body = absl::StrCat(
          " b = ", bits, "[300] parameter(0)\n q = ", bits, "[300] parameter(1)\n x = ", from,
          "[300] bitcast-convert(b)\n s = ", from, "[] constant(0.01)\n t = ", from,
          "[300] broadcast(s), dimensions={}\n i = s8[300] convert(q)\n j = ", from,
          "[300] convert(i)\n y = ", from, "[300] multiply(t, j)\n v = ", to,
          "[300] stochastic-convert(x, q)\n w = ", to, "[300] stochastic-convert(y, b)\n");
      EXPECT_EQ(Run(absl::StrCat("f {\n", body, " ROOT r = (", to, "[300], ", to,
                                 "[300]) tuple(v, w)\n}\n")),
                "")
          << from << " to " << to;
    }
  }
}

// All bits of nans count: of numbers with the greatest exponent, nearly all are.
TEST_F(KernelTest, EveryFloatIsComparedInTheTotalOrder) {
  struct Case {
    const char* type;
    const char* bits;
    const char* exponent;
  };
  for (const auto& [type, bits, exponent] :
       std::vector<Case>{{"f16", "u16", "31744"},
                         {"bf16", "u16", "32640"},
                         {"f8e5m2", "u8", "124"},
                         {"f8e4m3", "u8", "120"},
                         {"f32", "u32", "2139095040"},
                         {"f64", "u64", "9218868437227405312"}}) {
    const auto with_exponent = [&, type = type, bits = bits](const char* from, const char* to) {
      return absl::StrCat(" ", from, to, " = ", bits, "[400] or(", from, ", d)\n ", to, " = ", type,
                          "[400] bitcast-convert(", from, to, ")\n");
    };
    for (const char* const direction : {"LT", "GE", "EQ"}) {
      EXPECT_EQ(Run(absl::StrCat("f {\n a = ", bits, "[400] parameter(0)\n b = ", bits,
                                 "[400] parameter(1)\n e = ", bits, "[] constant(", exponent,
                                 ")\n d = ", bits, "[400] broadcast(e), dimensions={}\n",
                                 with_exponent("a", "x"), with_exponent("b", "y"),
                                 " ROOT r = pred[400] compare(x, y), direction=", direction,
                                 ", type=TOTALORDER\n}\n")),
                "")
          << type << " " << direction;
    }
  }
}

TEST_F(KernelTest, ElementwiseOpcodes) {
  const std::vector<std::string> of_floats = {"abs",
                                              "acos",
                                              "acosh",
                                              "asin",
                                              "asinh",
                                              "atanh",
                                              "cbrt",
                                              "ceil",
                                              "cosh",
                                              "cosine",
                                              "erf",
                                              "exponential",
                                              "exponential-minus-one",
                                              "floor",
                                              "log",
                                              "log-plus-one",
                                              "logistic",
                                              "negate",
                                              "round-nearest-afz",
                                              "round-nearest-even",
                                              "rsqrt",
                                              "sign",
                                              "sine",
                                              "sinh",
                                              "sqrt",
                                              "tan",
                                              "tanh"};
  const std::vector<std::string> of_integers = {
      "abs", "count-leading-zeros", "negate", "not", "popcnt", "sign"};
  const auto unary = [&](const std::string& opcode, const std::string& type, double tolerance) {
    EXPECT_EQ(Run(Entry(absl::StrCat("p = ", type, "[70] parameter(0)\nROOT r = ", type, "[70] ",
                                     opcode, "(p)")),
                  tolerance),
              "")
        << opcode << " of " << type;
  };
  for (const std::string& opcode : of_floats) {
    for (const std::string type : {"f32", "f64"}) unary(opcode, type, kTolerance);
    // As exact as the type: one unit in the last place of bf16.
    unary(opcode, "bf16", 1.0 / 128);
  }
  for (const std::string& opcode : of_integers) {
    for (const std::string type : {"s8", "u8", "s32", "u64", "s4"}) unary(opcode, type, 0);
  }
  const auto binary = [&](const std::string& opcode, const std::string& type, double tolerance) {
    EXPECT_EQ(
        Run(Entry(absl::StrCat("p = ", type, "[70] parameter(0)\nq = ", type,
                               "[70] parameter(1)\nROOT r = ", type, "[70] ", opcode, "(p, q)")),
            tolerance),
        "")
        << opcode << " of " << type;
  };
  for (const std::string opcode : {"add", "subtract", "multiply", "divide", "maximum", "minimum",
                                   "remainder", "power", "atan2"}) {
    const bool is_exact = opcode != "power" && opcode != "atan2";
    for (const std::string type : {"f32", "f64", "f16"}) {
      binary(opcode, type, is_exact ? 0 : type == "f16" ? 1.0 / 512 : kTolerance);
    }
  }
  for (const std::string opcode :
       {"add", "subtract", "multiply", "divide", "maximum", "minimum", "remainder", "power", "and",
        "or", "xor", "shift-left", "shift-right-logical", "shift-right-arithmetic", "mulhi"}) {
    for (const std::string type : {"s8", "u8", "s32", "u64", "s4", "u2"}) binary(opcode, type, 0);
  }
  for (const std::string opcode : {"add", "subtract", "multiply", "divide", "power", "atan2"}) {
    for (const std::string type : {"c64", "c128"}) binary(opcode, type, 1e-4);
  }
}

TEST_F(KernelTest, Layouts) {
  for (const std::string type : {"f32", "bf16", "s8", "c64"}) {
    for (const std::string layout :
         {"{0,1}", "{1,0:T(2,2)}", "{1,0:T(8,128)}", "{0,1:T(4)}", "{1,0:T(8,128)(2,1)}"}) {
      const std::string tiled = absl::StrCat(type, "[13,37]", layout);
      const std::string plain = absl::StrCat(type, "[13,37]{1,0}");
      EXPECT_EQ(
          Run(Entry(absl::StrCat("p = ", plain, " parameter(0)\nROOT r = ", tiled, " copy(p)"))),
          "")
          << tiled;
      EXPECT_EQ(
          Run(Entry(absl::StrCat("p = ", tiled, " parameter(0)\nROOT r = ", plain, " copy(p)"))),
          "")
          << tiled;
    }
  }
  EXPECT_EQ(Run(Entry("p = s4[5,9]{1,0:E(4)} parameter(0)\n"
                      "ROOT r = s4[5,9]{1,0:E(4)} negate(p)")),
            "");
  EXPECT_EQ(Run(Entry("p = s4[13,37]{1,0:E(4)} parameter(0)\n"
                      "ROOT r = s4[13,37]{0,1:E(4)} negate(p)")),
            "");
  EXPECT_EQ(Run(Entry("p = pred[64,40]{1,0:E(1)} parameter(0)\n"
                      "ROOT r = pred[64,40]{1,0:E(1)} not(p)")),
            "");
  EXPECT_EQ(
      Run(Entry("p = pred[64,40]{1,0:E(1)} parameter(0)\nc = pred[] constant(true)\n"
                "ROOT r = pred[64]{0:E(1)} reduce(p, c), dimensions={1}, to_apply=both_pred")),
      "");
  // Neighbours in a byte are no neighbours in a row.
  for (const std::string text :
       {"p = s4[13,37]{1,0} parameter(0)\nROOT r = s4[13,37]{1,0:T(8,128)(2,1)E(4)} copy(p)",
        "p = s4[13,37]{1,0:T(2,128)E(4)} parameter(0)\n"
        "ROOT r = s4[13,37]{1,0:T(5,3)E(4)} negate(p)"}) {
    EXPECT_EQ(Run(Entry(text)), "") << text;
  }
}

TEST_F(KernelTest, ReductionsOfAnyLength) {
  for (const int64_t rows : {1, 3, 70}) {
    for (const int64_t length : {1, 2, 31, 33, 1000, 4096, 5003}) {
      EXPECT_EQ(Run(Entry(absl::StrCat("p = f32[", rows, ",", length,
                                       "] parameter(0)\nc = f32[] constant(0)\nROOT r = f32[", rows,
                                       "] reduce(p, c), dimensions={1}, to_apply=sum_f32"))),
                "")
          << rows << " rows of " << length;
      EXPECT_EQ(
          Run(Entry(absl::StrCat("p = f32[", length, ",", rows,
                                 "] parameter(0)\nc = f32[] constant(-3)\nROOT r = f32[", rows,
                                 "] reduce(p, c), dimensions={0}, to_apply=largest_f32"))),
          "")
          << rows << " columns of " << length;
    }
  }
}

TEST_F(KernelTest, ReducersAndTheirInitialValues) {
  const auto reduce = [&](const std::string& type, const std::string& init,
                          const std::string& reducer) {
    return Run(Entry(absl::StrCat("p = ", type, "[40,2000] parameter(0)\nc = ", type,
                                  "[] constant(", init, ")\nROOT r = ", type,
                                  "[40] reduce(p, c), dimensions={1}, to_apply=", reducer)));
  };
  // Not the identity: it must count once.
  EXPECT_EQ(reduce("f32", "5", "sum_f32"), "");
  EXPECT_EQ(reduce("f32", "7", "largest_f32"), "");
  EXPECT_EQ(reduce("s8", "3", "sum_s8"), "");
  EXPECT_EQ(reduce("pred", "true", "both_pred"), "");
  EXPECT_EQ(reduce("f64", "0.5", "sum_f64"), "");
  EXPECT_EQ(reduce("c64", "(1, 2)", "sum_c64"), "");
  EXPECT_EQ(reduce("f32", "-inf", "twice_f32"), "");
  // A product of complex numbers; floats of 8 bits, some of which have neither -0 nor infinities.
  // The values are exact in whatever order: ones, zeros.
  const auto of_ones = [&](const std::string& type, const std::string& value,
                           const std::string& init, const std::string& opcode) {
    return Run(absl::StrCat("HloModule m\nf { a = ", type, "[] parameter(0) b = ", type,
                            "[] parameter(1) ROOT r = ", type, "[] ", opcode,
                            "(a, b) }\nENTRY main {\no = ", type, "[] constant(", value,
                            ")\np = ", type, "[40,300] broadcast(o), dimensions={}\nc = ", type,
                            "[] parameter(0)\nq = ", type, "[] constant(", init, ")\nx = ", type,
                            "[] add(c, q)\ny = ", type, "[] subtract(x, c)\nROOT r = ", type,
                            "[40] reduce(p, q), dimensions={1}, to_apply=f\n}\n"));
  };
  EXPECT_EQ(of_ones("c64", "(1, 0)", "(0, 2)", "multiply"), "");
  EXPECT_EQ(of_ones("c128", "(1, 0)", "(0, 3)", "multiply"), "");
  for (const char* const type : {"f8e5m2", "f8e4m3fn", "f8e4m3fnuz", "f8e3m4", "f4e2m1fn"}) {
    EXPECT_EQ(of_ones(type, "0", "2", "add"), "") << type;
    EXPECT_EQ(of_ones(type, "1", "2", "multiply"), "") << type;
    EXPECT_EQ(of_ones(type, "-1", "-2", "maximum"), "") << type;
    EXPECT_EQ(of_ones(type, "1", "2", "minimum"), "") << type;
  }
}

// One block has all that is made of a scalar that is reduced.
TEST_F(KernelTest, ASumAndWhatIsMadeOfItAreOutputs) {
  for (const char* const operand : {"y", "x"}) {
    EXPECT_EQ(Run(absl::StrCat("HloModule m\n", kReducers, R"(
      f { x = f32[1000] parameter(0)
        s = f32[] parameter(1)
        y = f32[1000] broadcast(s), dimensions={}
        i = f32[] constant(-inf)
        r = f32[] reduce()",
                               operand, R"(, i), dimensions={0}, to_apply=largest_f32
        n = f32[] negate(r)
        ROOT t = (f32[], f32[], f32[]) tuple(n, r, r) }
      ENTRY e { x = f32[1000] parameter(0)
        s = f32[] parameter(1)
        ROOT r = (f32[], f32[], f32[]) fusion(x, s), kind=kInput, calls=f })")),
              "");
  }
}

TEST_F(KernelTest, VariadicReductions) {
  for (const char* shape : {"f32[16,500]", "f32[300,8]"}) {
    const bool is_row = std::string(shape) == "f32[16,500]";
    const std::string result = is_row ? "[16]" : "[8]";
    const std::string indices = is_row ? "s32[16,500]" : "s32[300,8]";
    EXPECT_EQ(Run(Entry(absl::StrCat(
                  "p = ", shape, " parameter(0)\ni = ", indices, " iota(), iota_dimension=",
                  is_row ? 1 : 0, "\nc = f32[] constant(-inf)\nn = s32[] constant(2147483647)\n",
                  "ROOT r = (f32", result, ", s32", result, ") reduce(p, i, c, n), dimensions={",
                  is_row ? 1 : 0, "}, to_apply=argmax"))),
              "")
        << shape;
  }
}

// Few results of many elements: several blocks for each, of which the last to come finishes.
const std::vector<std::string>& DividedReductions() {
  static const auto* const bodies = new std::vector<std::string>{
      // Rows, of which the last block has less, or none.
      R"(p = f32[1,100000] parameter(0)
c = f32[] constant(5)
ROOT r = f32[1] reduce(p, c), dimensions={1}, to_apply=sum_f32)",
      R"(p = f32[3,40001] parameter(0)
c = f32[] constant(-inf)
ROOT r = f32[3] reduce(p, c), dimensions={1}, to_apply=largest_f32)",
      R"(p = bf16[37,5,1000] parameter(0)
c = bf16[] constant(0)
ROOT r = bf16[5] reduce(p, c), dimensions={0,2}, to_apply=largest_bf16)",
      // No identity is known.
      R"(p = f32[2,50000] parameter(0)
c = f32[] constant(-inf)
ROOT r = f32[2] reduce(p, c), dimensions={1}, to_apply=twice_f32)",
      R"(p = c64[2,20000] parameter(0)
c = c64[] constant((1, 2))
ROOT r = c64[2] reduce(p, c), dimensions={1}, to_apply=sum_c64)",
      // Columns.
      R"(p = f32[5000,12] parameter(0)
c = f32[] constant(2)
ROOT r = f32[12] reduce(p, c), dimensions={0}, to_apply=sum_f32)",
      R"(p = s8[2,3001,64] parameter(0)
c = s8[] constant(3)
ROOT r = s8[2,64] reduce(p, c), dimensions={1}, to_apply=sum_s8)",
      // Several arrays.
      R"(p = f32[1,60000] parameter(0)
i = s32[1,60000] iota(), iota_dimension=1
c = f32[] constant(-inf)
n = s32[] constant(2147483647)
ROOT r = (f32[1], s32[1]) reduce(p, i, c, n), dimensions={1}, to_apply=argmax)",
      R"(p = f32[9000,8] parameter(0)
i = s32[9000,8] iota(), iota_dimension=0
c = f32[] constant(-inf)
n = s32[] constant(2147483647)
ROOT r = (f32[8], s32[8]) reduce(p, i, c, n), dimensions={0}, to_apply=argmax)",
  };
  return *bodies;
}

// Several results of the same blocks and of others, an epilogue, and an output beside them.
constexpr char kDividedFusion[] = R"(
f { p = f32[2,40000] parameter(0) q = f32[2,40000] parameter(1) c = f32[] constant(0)
  l = f32[] constant(-inf) t = f32[] constant(0.1)
  b = f32[2,40000] broadcast(t), dimensions={} m = f32[2,40000] multiply(p, b)
  s = f32[2] reduce(m, c), dimensions={1}, to_apply=sum_f32
  h = f32[2] reduce(m, l), dimensions={1}, to_apply=largest_f32
  n = f32[2] negate(h)
  u = f32[2] reduce(q, c), dimensions={1}, to_apply=sum_f32
  ROOT r = (f32[2], f32[2], f32[2,40000], f32[2]) tuple(s, n, m, u) }
ENTRY e { p = f32[2,40000] parameter(0) q = f32[2,40000] parameter(1)
  ROOT r = (f32[2], f32[2], f32[2,40000], f32[2]) fusion(p, q), kind=kInput, calls=f })";

TEST_F(KernelTest, ReductionsOfSeveralBlocksForAResult) {
  for (const std::string& body : DividedReductions()) {
    KernelCheck check(Entry(body), backend());
    const absl::StatusOr<Kernel> kernel = check.Compile();
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    EXPECT_TRUE(kernel->arguments.back().is_zeros) << body;
    for (const uint64_t seed : {1, 2, 3}) EXPECT_EQ(check.Run(seed), "") << body;
    const Traffic traffic = check.Measure();
    EXPECT_EQ(traffic.error, "") << body;
    EXPECT_EQ(traffic.sectors, traffic.planned_sectors) << body;
    EXPECT_EQ(traffic.wavefronts, traffic.planned_wavefronts) << body;
  }
  KernelCheck fusion(absl::StrCat("HloModule m\n", kReducers, kDividedFusion), backend());
  EXPECT_EQ(fusion.Run(1, kTolerance), "");
}

// HLO lets instructions have floats of several types, which no code is made for but conversions of
// one operand and sums of products.
TEST_F(KernelTest, MixedFloatTypes) {
  const std::string body = R"(
    a = f32[20] parameter(0) b = f16[20] parameter(1) z = f32[] constant(0) ROOT r = )";
  for (const char* const instruction :
       {"f32[40] concatenate(a, b), dimensions={0}", "f32[20] reverse(b), dimensions={0}",
        "f32[20] add(a, b)", "pred[20] compare(a, b), direction=LT",
        "f32[22] pad(b, z), padding=0_2", "f32[] reduce(b, z), dimensions={0}, to_apply=sum_f32",
        "f16[20] sort(b), dimensions={0}, to_apply=less_f32",
        "f16[20] select-and-scatter(b, b, z), window={size=1}, select=less_f32, scatter=sum_f32",
        "f32[] reduce(a, z), dimensions={0}, to_apply=half_sum",
        "(f32[20], f32[]) scan(a, z), dimensions={0}, num_carries=1, to_apply=half_scan"}) {
    KernelCheck check(absl::StrCat("HloModule m\n", kReducers,
                                   "less_f32 { a = f32[] parameter(0) b = f32[] parameter(1)\n"
                                   "  ROOT r = pred[] compare(a, b), direction=LT }\n"
                                   "half_sum { a = f32[] parameter(0) b = f32[] parameter(1)\n"
                                   "  c = f32[] add(a, b) ROOT r = f16[] convert(c) }\n"
                                   "half_scan { a = f16[] parameter(0) b = f32[] parameter(1)\n"
                                   "  c = f32[] convert(a) d = f32[] add(c, b)\n"
                                   "  ROOT t = (f32[], f32[]) tuple(d, d) }\nENTRY e {",
                                   body, instruction, " }"),
                      backend());
    EXPECT_THAT(check.Run(1), testing::HasSubstr("convert its operands")) << instruction;
  }
  for (const char* const instruction :
       {"f32[20] negate(b)",
        "f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}"}) {
    KernelCheck check(absl::StrCat("HloModule m\nENTRY e {", body, instruction, " }"), backend());
    EXPECT_EQ(check.Run(1, kTolerance), "") << instruction;
  }
}

// An output without elements may be in front of the one that the kernel has.
TEST_F(KernelTest, StoreTheOutputThatTheyAre) {
  for (const char* made :
       {"sort(a), dimensions={1}, to_apply=less", "cholesky(a), lower=true",
        "triangular-solve(a, a), left_side=true, lower=true, unit_diagonal=true, "
        "transpose_a=NO_TRANSPOSE"}) {
    const std::string text = absl::StrCat(
        "less { p = f32[] parameter(0)  q = f32[] parameter(1)\n"
        "ROOT c = pred[] compare(p, q), direction=LT }\n"
        "f { a = f32[4,4] parameter(0)  z = f32[0,4] slice(a), slice={[0:0], [0:4]}\n"
        "n = f32[4,4] ",
        made,
        "\nROOT t = (f32[0,4], f32[4,4]) tuple(z, n) }\n"
        "ENTRY e { x = f32[4,4] parameter(0)\n"
        "ROOT y = (f32[0,4], f32[4,4]) fusion(x), kind=kInput, calls=f }\n");
    EXPECT_EQ(KernelCheck(text, backend()).Run(1), "") << text;
  }
}

// Whichever block comes last, the same numbers are added in the same order.
TEST_F(KernelTest, ReductionsOfSeveralBlocksGiveTheSameBitsEachTime) {
  for (const char* sizes : {"1,60000", "3,30000"}) {
    const std::string rows(1, sizes[0]);
    KernelCheck check(
        absl::StrCat("HloModule m\n", kReducers, "f {\np = f32[", sizes,
                     "] parameter(0)\nt = f32[] constant(0.1)\nb = f32[", sizes,
                     "] broadcast(t), dimensions={}\nm = f32[", sizes, "] multiply(p, b)\n",
                     "c = f32[] constant(0)\nROOT r = f32[", rows,
                     "] reduce(m, c), dimensions={1}, to_apply=sum_f32\n}\nENTRY e {\np = f32[",
                     sizes, "] parameter(0)\nROOT r = f32[", rows,
                     "] fusion(p), kind=kInput, calls=f\n}\n"),
        backend());
    EXPECT_EQ(check.RunInSchedules(5), "") << sizes;
  }
  KernelCheck fusion(absl::StrCat("HloModule m\n", kReducers, kDividedFusion), backend());
  EXPECT_EQ(fusion.RunInSchedules(5), "");
}

TEST_F(KernelTest, MovementsAndWindows) {
  const std::vector<std::string> bodies = {
      R"(p = f32[30,20] parameter(0)
z = f32[] constant(1)
ROOT r = f32[70,17] pad(p, z), padding=3_8_1x-2_-1)",
      R"(p = f32[30,20] parameter(0)
ROOT r = f32[30,20] reverse(p), dimensions={0,1})",
      R"(p = f32[30,20] parameter(0)
i = s32[] parameter(1)
j = s32[] parameter(2)
ROOT r = f32[7,9] dynamic-slice(p, i, j), dynamic_slice_sizes={7,9})",
      R"(p = f32[30,20] parameter(0)
u = f32[7,9] parameter(1)
i = s32[] parameter(2)
j = s32[] parameter(3)
ROOT r = f32[30,20] dynamic-update-slice(p, u, i, j))",
      R"(p = f32[2,3,8192] parameter(0)
u = f32[1,3,8192] parameter(1)
i = s32[] parameter(2)
z = s32[] constant(0)
ROOT r = f32[2,3,8192] dynamic-update-slice(p, u, i, z, z))",
      R"(p = s4[100,9]{1,0:E(4)} parameter(0)
u = s4[100,6]{1,0:E(4)} parameter(1)
i = s32[] parameter(2)
ROOT r = s4[100,9]{1,0:E(4)} dynamic-update-slice(p, u, i, i))",
      R"(p = f32[3,4000] parameter(0)
u = f32[1,1030] parameter(1)
i = u32[] parameter(2)
ROOT r = f32[3,4000] dynamic-update-slice(p, u, i, i))",
      R"(p = f32[30,20] parameter(0)
i = u8[11] parameter(1)
ROOT r = f32[11,20] gather(p, i), offset_dims={1},
  collapsed_slice_dims={0}, start_index_map={0},
  index_vector_dim=1, slice_sizes={1,20})",
      R"(p = f32[30,20] parameter(0)
z = f32[] constant(0)
ROOT r = f32[14,20] reduce-window(p, z), window={size=5x3 stride=2x1 pad=0_1x1_1},
  to_apply=sum_f32)",
      R"(p = f32[2,9,9,3] parameter(0)
k = f32[3,3,3,4] parameter(1)
ROOT r = f32[2,9,9,4] convolution(p, k), window={size=3x3 pad=1_1x1_1},
  dim_labels=b01f_01io->b01f)",
      R"(p = f32[4,12,20] parameter(0)
q = f32[4,20,9] parameter(1)
ROOT r = f32[4,12,9] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0},
  lhs_contracting_dims={2}, rhs_contracting_dims={1})",
      R"(p = s8[12,20] parameter(0)
q = s8[20,9] parameter(1)
ROOT r = s32[12,9] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
      R"(p = u8[6,4] parameter(0)
ROOT r = f32[6] bitcast-convert(p))",
      R"(p = f64[6] parameter(0)
ROOT r = u16[6,4] bitcast-convert(p))",
      R"(p = f32[9] parameter(0)
q = f32[5] parameter(1)
s = f32[30] parameter(2)
ROOT r = f32[44] concatenate(p, q, s), dimensions={0})",
      R"(ROOT r = f32[3,4] constant({{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}))",
      R"(ROOT r = bf16[100,300] iota(), iota_dimension=1)",
  };
  for (const std::string& body : bodies) {
    const bool has_kernel = body.find("constant({{") == std::string::npos &&
                            body.find("dot(") == std::string::npos &&
                            body.find("convolution(") == std::string::npos;
    // These are no kernels by themselves, but in fusions.
    std::string text = Entry(body);
    if (!has_kernel) {
      const std::string fused = absl::StrCat("fused {\n", body, "\n}\n");
      text = fused;
    }
    EXPECT_EQ(Run(text), "") << body;
  }
}

// What two passes of a plan read, each counts; the kernel reads it once. Elements of a packed byte
// are read together.
TEST_F(KernelTest, MovesWhatThePlanSays) {
  int num_equal = 0;
  for (const plan::NamedModule& module : plan::KernelModules()) {
    const Traffic traffic = KernelCheck(module.text, backend()).Measure();
    EXPECT_EQ(traffic.error, "") << module.name;
    // Of several roots, which have loops of their own in the plan, LLVM may load an element once.
    const bool has_one_root = module.text.find("tuple(") == std::string::npos;
    const bool is_packed = module.name.find("packed elements") != std::string::npos;
    EXPECT_LE(traffic.sectors, traffic.planned_sectors) << module.name;
    if (has_one_root && !is_packed) {
      EXPECT_EQ(traffic.sectors, traffic.planned_sectors) << module.name;
      ++num_equal;
    }
    EXPECT_EQ(traffic.wavefronts, traffic.planned_wavefronts) << module.name;
  }
  EXPECT_GE(num_equal, 17);
}

TEST_F(KernelTest, LargeArraysAreReadInVectors) {
  KernelCheck check(Entry("p = f32[1048579] parameter(0)\nROOT r = f32[1048579] negate(p)"),
                    backend());
  const absl::StatusOr<Kernel> kernel = check.Compile();
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  EXPECT_THAT(kernel->text, HasSubstr("ld.global.nc.v4.b32"));
  EXPECT_THAT(kernel->text, HasSubstr("st.global.v4.b32"));
  // 64 bits are for addresses only.
  EXPECT_THAT(kernel->text, Not(HasSubstr("div.s64")));
  EXPECT_EQ(check.Run(1), "");
}

// Each gather reads at what the next one has read: an error before that takes memory by the cube of
// their number.
TEST_F(KernelTest, ChainsOfGathersEndAtALimit) {
  const auto chain = [](int n) {
    std::string fused = "f { i = s32[8,1] parameter(1)\n v0 = f32[8] parameter(0)\n";
    for (int k = 0; k < n; ++k) {
      fused += absl::StrCat(" v", k + 1, " = f32[8] gather(v", k,
                            ", i), offset_dims={}, collapsed_slice_dims={0}, "
                            "start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n");
    }
    return absl::StrCat("HloModule m\n", fused, " ROOT r = f32[8] copy(v", n,
                        ") }\nENTRY e { p = f32[8] parameter(0)\n i = s32[8,1] parameter(1)\n"
                        " ROOT f = f32[8] fusion(p, i), kind=kLoop, calls=f }");
  };
  KernelCheck few(chain(20), backend());
  EXPECT_EQ(few.Run(1), "");
  KernelCheck many(chain(3000), backend());
  EXPECT_THAT(std::string(many.Compile().status().message()),
              HasSubstr("%v2935: gather is read at an index that depends on more than 64 values"));
}

TEST_F(KernelTest, TheSameBytesEachTime) {
  const std::string text = Entry(
      "p = f32[70,1000] parameter(0)\nc = f32[] constant(0)\n"
      "ROOT r = f32[70] reduce(p, c), dimensions={1}, to_apply=sum_f32");
  const absl::StatusOr<Kernel> first = KernelCheck(text, backend()).Compile();
  PtxBackend another;
  const absl::StatusOr<Kernel> second = KernelCheck(text, another).Compile();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->text, second->text);
}

TEST_F(KernelTest, StagesAndArchitectures) {
  KernelCheck check(Entry("p = f32[100] parameter(0)\nROOT r = f32[100] negate(p)"), backend());
  EXPECT_THAT(check.Compile({.stage = Stage::kMlir})->text, HasSubstr("arith.negf"));
  EXPECT_THAT(check.Compile({.stage = Stage::kLlvm})->text, HasSubstr("fneg"));
  EXPECT_THAT(check.Compile({.architecture = 80})->text, HasSubstr(".target sm_80"));
  EXPECT_THAT(check.Compile({.architecture = 100})->text, HasSubstr(".target sm_100"));
  EXPECT_EQ(check.Compile({.architecture = 91}).status().message(),
            "LLVM does not know the architecture sm_91");
}

// Each needs a version of PTX of its own at least, without which LLVM ends the process.
TEST_F(KernelTest, EveryArchitectureHasItsVersionOfPtx) {
  KernelCheck check(Entry("p = f32[100] parameter(0)\nROOT r = f32[100] negate(p)"), backend());
  int known = 0;
  for (int architecture = 80; architecture < 200; ++architecture) {
    const absl::StatusOr<Kernel> kernel = check.Compile({.architecture = architecture});
    if (!kernel.ok()) continue;
    ++known;
    EXPECT_THAT(kernel->text, HasSubstr(".target sm_" + std::to_string(architecture)));
    EXPECT_TRUE(ptx::Module::Parse(kernel->text, "k").ok()) << architecture;
  }
  EXPECT_GE(known, 10);
}

// Which columns a thread has is decided before its rows.
TEST_F(KernelTest, LoopsHaveNoConditionsThatStayTheSame) {
  KernelCheck check(Entry("p = f32[4096,1000] parameter(0)\nc = f32[] constant(0)\n"
                          "ROOT r = f32[1000] reduce(p, c), dimensions={0}, to_apply=sum_f32"),
                    backend());
  EXPECT_EQ(check.Run(1), "");
  std::istringstream mlir(check.Compile({.stage = Stage::kMlir})->text);
  std::string end_of_loop;
  int loops = 0;
  for (std::string line; std::getline(mlir, line);) {
    const std::string indent = line.substr(0, line.find_first_not_of(' '));
    if (!end_of_loop.empty()) {
      EXPECT_THAT(line, Not(HasSubstr("scf.if")));
      if (line.starts_with(end_of_loop)) end_of_loop.clear();
    } else if (line.find("scf.for") != std::string::npos) {
      end_of_loop = indent + "}";
      ++loops;
    }
  }
  EXPECT_GE(loops, 2);
}

TEST_F(KernelTest, WhatHasNoKernelSaysSo) {
  EXPECT_EQ(Run(Entry("p = f32[8] parameter(0)\nROOT r = f32[8] all-reduce(p), "
                      "replica_groups={}, to_apply=sum_f32")),
            "unsupported: %r: all-reduce moves data between devices: a library does it");
  EXPECT_EQ(Run("fused {\np = f32[8,8] parameter(0)\n"
                "c = f32[8,8] cholesky(p)\nROOT r = f32[8,8] negate(c)\n}\n"),
            "unsupported: %c: cholesky has no code in a kernel");
  EXPECT_EQ(Run("fused {\np = s8[31,129]{0,1:T(8,128)} parameter(0)\n"
                "ROOT b = s8[129,31] bitcast(p)\n}\nENTRY e {\n"
                "p = s8[31,129]{0,1:T(8,128)} parameter(0)\n"
                "ROOT f = s8[129,31] fusion(p), kind=kLoop, calls=fused\n}\n"),
            "unsupported: %b is a bitcast of 17408 bytes in memory, its result of 3999");
  EXPECT_EQ(Run("fused {\np = s8[4,6] parameter(0)\nROOT b = u4[4,6] bitcast(p)\n}\n"
                "ENTRY e {\np = s8[4,6] parameter(0)\n"
                "ROOT f = u4[4,6] fusion(p), kind=kLoop, calls=fused\n}\n"),
            "unsupported: %b is a bitcast of s8[4,6] to u4[4,6], of which not all bits are "
            "elements");
}

TEST_F(KernelTest, Names) {
  KernelCheck check(Entry("p = f32[8] parameter(0)\nROOT loop-fusion.1 = f32[8] negate(p)"),
                    backend());
  EXPECT_EQ(KernelName(check.root()), "loop_fusion_1");
  // Some are none in PTX.
  KernelCheck underscore(Entry("p = f32[8] parameter(0)\nROOT _ = f32[8] negate(p)"), backend());
  EXPECT_EQ(KernelName(underscore.root()), "kernel__");
  EXPECT_EQ(underscore.Run(1), "");
}

// Each lane of a vector repeats its own loop, and takes its own branch.
TEST_F(KernelTest, LoopsAndBranchesOfLanes) {
  KernelCheck check(R"(
    c { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      z = s32[] constant(0) ROOT r = pred[] compare(i, z), direction=GT }
    b { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      a = s32[] get-tuple-element(s), index=1 one = s32[] constant(1)
      j = s32[] subtract(i, one) k = s32[] add(a, i) ROOT r = (s32[], s32[]) tuple(j, k) }
    n { p = s32[] parameter(0) ROOT r = s32[] negate(p) }
    w { p = s32[] parameter(0) ROOT r = s32[] add(p, p) }
    g { x = s32[] parameter(0) z = s32[] constant(0) s = (s32[], s32[]) tuple(x, z)
      w = (s32[], s32[]) while(s), condition=c, body=b t = s32[] get-tuple-element(w), index=1
      ROOT r = s32[] conditional(x, t, x), branch_computations={n, w} }
    ENTRY e { x = s32[64] parameter(0) ROOT r = s32[64] map(x), dimensions={0}, to_apply=g })",
                    backend(), 0);
  EXPECT_EQ(check.Run(1), "");
}

}  // namespace
}  // namespace hlo_indexing::emit
