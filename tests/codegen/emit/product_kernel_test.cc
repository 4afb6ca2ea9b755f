// Kernels of matrix products on the virtual GPU, against the interpreter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ProductKernelTest : public ::testing::Test {
 protected:
  static PtxBackend& backend() {
    static auto* const backend = new PtxBackend();
    return *backend;
  }
};

std::string Entry(const std::string& body) {
  return absl::StrCat("HloModule m\nENTRY main {\n", body, "\n}\n");
}

std::string Fusion(const std::string& body) {
  return absl::StrCat("HloModule m\nfused {\n", body, "\n}\n");
}

// A product of one operand's rows and the other's columns, as types and sizes say.
std::string Product(const std::string& type, const std::string& result, int64_t rows, int64_t depth,
                    int64_t columns, const std::string& lhs_layout = "{1,0}",
                    const std::string& rhs_layout = "{1,0}",
                    const std::string& result_layout = "{1,0}") {
  return Entry(absl::StrCat(
      "p = ", type, "[", rows, ",", depth, "]", lhs_layout, " parameter(0)\nq = ", type, "[", depth,
      ",", columns, "]", rhs_layout, " parameter(1)\nROOT r = ", result, "[", rows, ",", columns,
      "]", result_layout, " dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
}

// With few multiprocessors tiles are large, with many they are small and warps share products.
constexpr std::array<int, 2> kMultiprocessors = {1, 132};

void CheckResults(const std::string& text, PtxBackend& backend) {
  for (const int multiprocessors : kMultiprocessors) {
    EXPECT_EQ(KernelCheck(text, backend, multiprocessors).Run(1), "") << multiprocessors << '\n'
                                                                      << text;
  }
}

// And what is moved. Of sums that are no elements of the result partial ones are not added, and of
// rows of odd length every other one may be stored in vectors: not of such.
void Check(const std::string& text, PtxBackend& backend) {
  CheckResults(text, backend);
  for (const int multiprocessors : kMultiprocessors) {
    const Traffic traffic = KernelCheck(text, backend, multiprocessors).Measure();
    EXPECT_EQ(traffic.error, "");
    EXPECT_EQ(traffic.sectors, traffic.planned_sectors) << multiprocessors << '\n' << text;
    EXPECT_EQ(traffic.wavefronts, traffic.planned_wavefronts) << multiprocessors << '\n' << text;
  }
}

TEST_F(ProductKernelTest, TensorCoresMultiplyHalvesAndBytes) {
  for (const auto& [type, result] :
       std::vector<std::pair<std::string, std::string>>{{"bf16", "f32"},
                                                        {"bf16", "bf16"},
                                                        {"f16", "f32"},
                                                        {"f16", "f16"},
                                                        {"s8", "s32"},
                                                        {"u8", "u32"}}) {
    const std::string text = Product(type, result, 64, 96, 48);
    Check(text, backend());
    const absl::StatusOr<Kernel> kernel = KernelCheck(text, backend()).Compile();
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    EXPECT_THAT(kernel->text, HasSubstr("mma.sync.aligned"));
    EXPECT_THAT(kernel->text, HasSubstr("ldmatrix.sync.aligned"));
  }
}

TEST_F(ProductKernelTest, OtherTypesAreMultipliedByThreads) {
  for (const std::string type :
       {"f32", "f64", "s32", "s16", "u64", "c64", "c128", "f8e4m3fn", "s4", "pred"}) {
    const std::string text = Product(type, type, 40, 36, 20);
    Check(text, backend());
    const absl::StatusOr<Kernel> kernel = KernelCheck(text, backend()).Compile();
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    EXPECT_THAT(kernel->text, Not(HasSubstr("mma.sync")));
    EXPECT_THAT(kernel->text, HasSubstr("bar.sync"));
  }
}

// What the result cannot hold of the operands is lost when all is added up.
TEST_F(ProductKernelTest, ResultsWithoutFractionsOrImaginaryParts) {
  for (const auto& [type, result] : std::vector<std::pair<std::string, std::string>>{
           {"f32", "s32"}, {"f16", "s8"}, {"f8e4m3fn", "u8"}, {"bf16", "s4"}, {"c64", "f32"}}) {
    Check(Product(type, result, 40, 36, 20), backend());
    Check(Product(type, result, 1, 8, 1), backend());
  }
}

TEST_F(ProductKernelTest, LayoutsOfOperandsAndResult) {
  for (const std::string type : {"bf16", "s8", "f32"}) {
    const std::string result = type == "s8" ? "s32" : type;
    for (const std::string lhs : {"{1,0}", "{0,1}"}) {
      for (const std::string rhs : {"{1,0}", "{0,1}"}) {
        for (const std::string layout : {"{1,0}", "{0,1}"}) {
          Check(Product(type, result, 48, 80, 32, lhs, rhs, layout), backend());
        }
      }
    }
  }
}

TEST_F(ProductKernelTest, RaggedSizes) {
  for (const std::string type : {"f16", "f32", "u8"}) {
    const std::string result = type == "u8" ? "u32" : "f32";
    for (const auto& [rows, depth, columns] : std::vector<std::array<int64_t, 3>>{
             {1, 64, 1}, {17, 33, 9}, {5, 1000, 3}, {130, 20, 70}, {33, 129, 65}, {16, 16, 8}}) {
      for (const std::string lhs : {"{1,0}", "{0,1}"}) {
        CheckResults(Product(type, result, rows, depth, columns, lhs), backend());
      }
    }
  }
}

TEST_F(ProductKernelTest, DimensionsOfBatchAndSum) {
  CheckResults(Entry(R"(p = bf16[3,2,40,5,16] parameter(0)
q = bf16[5,16,2,24,3] parameter(1)
ROOT r = f32[3,2,40,24] dot(p, q), lhs_batch_dims={0,1}, rhs_batch_dims={4,2},
  lhs_contracting_dims={3,4}, rhs_contracting_dims={0,1})"),
               backend());
  Check(Entry(R"(p = f32[4,6,3,20]{1,3,0,2} parameter(0)
q = f32[20,6,7,5]{0,2,3,1} parameter(1)
ROOT r = f32[4,3,7,5]{0,3,1,2} dot(p, q), lhs_contracting_dims={3,1}, rhs_contracting_dims={0,1})"),
        backend());
  Check(Entry(R"(p = f16[64,48] parameter(0)
ROOT r = f16[64,64] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1})"),
        backend());
}

TEST_F(ProductKernelTest, OperandsAndResultsOfFusions) {
  // Operands that are converted, turned, cut and padded; a result that is scaled, shifted, turned
  // and stored twice.
  CheckResults(Fusion(R"(p = f32[80,96] parameter(0)
q = bf16[60,100] parameter(1)
bias = f32[60] parameter(2)
a = bf16[80,96] convert(p)
t = bf16[100,60] transpose(q), dimensions={1,0}
s = bf16[96,60] slice(t), slice={[2:98], [0:60]}
d = f32[80,60] dot(a, s), lhs_contracting_dims={1}, rhs_contracting_dims={0}
b = f32[80,60] broadcast(bias), dimensions={1}
y = f32[80,60] add(d, b)
z = bf16[80,60] convert(y)
w = f32[60,80] transpose(y), dimensions={1,0}
ROOT r = (bf16[80,60], f32[60,80]) tuple(z, w))"),
               backend());
  Check(Fusion(R"(p = f32[30,40] parameter(0)
zero = f32[] constant(0)
q = f32[36,24] parameter(1)
padded = f32[40,24] pad(q, zero), padding=1_3x0_0
d = f32[30,24] dot(p, padded), lhs_contracting_dims={1}, rhs_contracting_dims={0}
c = f32[30,24] parameter(2)
m = f32[30,24] maximum(d, c)
ROOT r = f32[5,6,24] reshape(m))"),
        backend());
  // A constant operand loads nothing.
  Check(Fusion(R"(p = bf16[128,64] parameter(0)
one = bf16[] constant(1)
ones = bf16[16,64] broadcast(one), dimensions={}
d = bf16[128,16]{0,1} dot(p, ones), lhs_contracting_dims={1}, rhs_contracting_dims={1}
ROOT r = bf16[16,128]{1,0} bitcast(d))"),
        backend());
}

// Steps that are written out, the last of which only some threads have elements of: nothing is
// stored twice, though both operands have the same condition.
TEST_F(ProductKernelTest, SumsThatEndWithinAStep) {
  for (const std::string sizes : {"13,3", "7,5", "11,9", "3,17"}) {
    Check(Fusion(absl::StrCat("p = f32[", sizes, "] parameter(0)\ns = f32[", sizes,
                              "] add(p, p)\nROOT r = f32[] dot(p, s), "
                              "lhs_contracting_dims={1,0}, rhs_contracting_dims={1,0}")),
          backend());
  }
}

TEST_F(ProductKernelTest, WhatIsNoSingleProductIsMadeInLoops) {
  for (const std::string body : {// A dot of a dot.
                                 R"(p = f32[20,20] parameter(0)
d = f32[20,20] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
ROOT r = f32[20,20] dot(d, p), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
                                 // A result of which each element is stored twice.
                                 R"(p = f32[20,20] parameter(0)
d = f32[20,20] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
ROOT r = f32[2,20,20] broadcast(d), dimensions={1,2})",
                                 // A root that is not made of it.
                                 R"(p = f32[20,20] parameter(0)
d = f32[20,20] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
n = f32[20,20] negate(p)
ROOT r = (f32[20,20], f32[20,20]) tuple(d, n))",
                                 // Short sums.
                                 R"(p = f32[20,4] parameter(0)
ROOT r = f32[20,20] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1})"}) {
    KernelCheck check(Fusion(body), backend());
    EXPECT_EQ(check.Run(1), "") << body;
    const absl::StatusOr<Kernel> kernel = check.Compile();
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    EXPECT_THAT(kernel->text, Not(HasSubstr("bar.sync"))) << body;
  }
}

TEST_F(ProductKernelTest, LongFusionsAreMadeInLoops) {
  std::string body = R"(p = f32[20,20] parameter(0)
n0 = f32[20,20] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0})";
  constexpr int kNegations = 300;
  for (int i = 0; i < kNegations; ++i) {
    absl::StrAppend(&body, i + 1 == kNegations ? "\nROOT n" : "\nn", i + 1,
                    " = f32[20,20] negate(n", i, ")");
  }
  const absl::StatusOr<Kernel> kernel = KernelCheck(Fusion(body), backend()).Compile();
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  EXPECT_THAT(kernel->text, Not(HasSubstr("bar.sync")));
}

TEST_F(ProductKernelTest, NoBankConflictsOnTensorCores) {
  for (const std::string rhs : {"{1,0}", "{0,1}"}) {
    const std::string text = Product("bf16", "f32", 256, 256, 256, "{1,0}", rhs);
    for (const int multiprocessors : {1, 132}) {
      KernelCheck check(text, backend(), multiprocessors);
      const Traffic traffic = check.Measure();
      EXPECT_EQ(traffic.wavefronts, traffic.ideal_wavefronts) << rhs << multiprocessors;
    }
  }
}

std::string Layout(std::mt19937_64& random) { return random() % 2 == 0 ? "{1,0}" : "{0,1}"; }

TEST_F(ProductKernelTest, Random) {
  std::mt19937_64 random(20);
  const std::vector<std::pair<std::string, std::string>> types = {
      {"bf16", "f32"}, {"f16", "f16"}, {"s8", "s32"}, {"f32", "f32"}, {"f64", "f64"}};
  constexpr int kCases = 40;
  for (int i = 0; i < kCases; ++i) {
    const auto& [type, result] = types[random() % types.size()];
    const auto size = [&] { return static_cast<int64_t>(1 + random() % (8U << (random() % 5))); };
    const std::string text = Product(type, result, size(), 16 + size(), size(), Layout(random),
                                     Layout(random), Layout(random));
    const int multiprocessors = 1 << (random() % 8);
    EXPECT_EQ(KernelCheck(text, backend(), multiprocessors).Run(random()), "")
        << multiprocessors << '\n'
        << text;
  }
}

}  // namespace
}  // namespace hlo_indexing::emit
