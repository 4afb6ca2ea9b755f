// Kernels of concatenates: which threads go over which operands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "codegen/emit/kernel.h"
#include "llvm/ADT/ArrayRef.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {
namespace {

// Large neighbours of one size share threads, up to four; others have blocks of their own.
TEST(ConcatenateKernels, OperandsShareThreads) {
  PtxBackend backend;
  const auto blocks_of = [&](llvm::ArrayRef<int64_t> columns) {
    std::string body;
    std::string operands;
    for (const int64_t count : columns) {
      const std::string name = absl::StrCat("p", operands.size());
      const auto number = std::count(body.begin(), body.end(), '\n');
      absl::StrAppend(&body, name, " = f32[280,", count, "] parameter(", number, ")\n");
      absl::StrAppend(&operands, operands.empty() ? "" : ", ", name);
    }
    const int64_t all = std::accumulate(columns.begin(), columns.end(), int64_t{0});
    KernelCheck check(absl::StrCat("HloModule m\nENTRY e {\n", body, "ROOT r = f32[280,", all,
                                   "] concatenate(", operands, "), dimensions={1}\n}\n"),
                      backend);
    EXPECT_EQ(check.Run(1), "") << body;
    const Traffic traffic = check.Measure();
    EXPECT_EQ(traffic.sectors, traffic.planned_sectors) << body;
    const absl::StatusOr<Kernel> kernel = check.Compile();
    return kernel.ok() ? kernel->launch.num_blocks() : -1;
  };
  EXPECT_EQ(blocks_of({1024, 1024}), 280);
  EXPECT_EQ(blocks_of({1024, 1024, 1024, 1024, 1024, 1024}), 2 * 280);
  EXPECT_EQ(blocks_of({1024, 512, 1024, 1024}), 2 * 280 + 140);
}

// Rotary embeddings: both halves are made of both halves of an array, which is read once.
TEST(ConcatenateKernels, OperandsOfOneArrayShareThreads) {
  PtxBackend backend;
  KernelCheck check(R"(HloModule m
    fused {
      p = f32[16,8,128] parameter(0)
      c = f32[64] parameter(1)
      s = f32[64] parameter(2)
      low = f32[16,8,64] slice(p), slice={[0:16],[0:8],[0:64]}
      high = f32[16,8,64] slice(p), slice={[0:16],[0:8],[64:128]}
      cosine = f32[16,8,64] broadcast(c), dimensions={2}
      sine = f32[16,8,64] broadcast(s), dimensions={2}
      lc = f32[16,8,64] multiply(low, cosine)
      hs = f32[16,8,64] multiply(high, sine)
      a = f32[16,8,64] subtract(lc, hs)
      hc = f32[16,8,64] multiply(high, cosine)
      ls = f32[16,8,64] multiply(low, sine)
      b = f32[16,8,64] add(hc, ls)
      ROOT r = f32[16,8,128] concatenate(a, b), dimensions={2} }
    ENTRY e {
      p = f32[16,8,128] parameter(0)
      c = f32[64] parameter(1)
      s = f32[64] parameter(2)
      ROOT f = f32[16,8,128] fusion(p, c, s), kind=kLoop, calls=fused })",
                    backend);
  EXPECT_EQ(check.Run(1), "");
  constexpr int64_t kSectors = int64_t{16} * 8 * 128 / 8;
  const Traffic traffic = check.Measure();
  // The array once read and once written, cosines and sines of each row.
  EXPECT_EQ(traffic.sectors, 3 * kSectors);
  EXPECT_TRUE(traffic.IsAsPlanned());
}

// An operand that stands several times is read once by the threads that write all of its copies.
TEST(ConcatenateKernels, OneOperandSeveralTimes) {
  PtxBackend backend;
  for (const int64_t count : {1024, 1025, 13}) {
    KernelCheck check(
        absl::StrCat("HloModule m\nENTRY e {\np = s8[", count, "] parameter(0)\nROOT r = s8[",
                     4 * count, "] concatenate(p, p, p, p), dimensions={0}\n}\n"),
        backend);
    EXPECT_EQ(check.Run(1), "");
    const Traffic traffic = check.Measure();
    EXPECT_TRUE(traffic.is_exact);
    EXPECT_TRUE(traffic.IsAsPlanned()) << count;
  }
}

// Two lanes of each vector are of one operand, two of the other.
TEST(ConcatenateKernels, PartsOfVectorsAreOneAccess) {
  PtxBackend backend;
  KernelCheck check(R"(f {
    p.0 = bf16[3,3,2,2] parameter(0)
    p.1 = bf16[3,3,2,2] parameter(1)
    c = bf16[3,3,2,4] concatenate(p.0, p.1), dimensions={3}
    t = bf16[3,2,3,4] transpose(c), dimensions={0,2,1,3}
    ROOT tup = (bf16[3,2,3,4], bf16[3,3,2,4]) tuple(t, c) }
  ENTRY e {
    p = bf16[3,3,2,2] parameter(0)
    q = bf16[3,3,2,2] parameter(1)
    ROOT f = (bf16[3,2,3,4], bf16[3,3,2,4]) fusion(p, q), kind=kLoop, calls=f })",
                    backend);
  EXPECT_EQ(check.Run(1), "");
  const Traffic traffic = check.Measure();
  EXPECT_EQ(traffic.error, "");
  EXPECT_TRUE(traffic.is_exact);
  EXPECT_TRUE(traffic.IsAsPlanned());
}

}  // namespace
}  // namespace hlo_indexing::emit
