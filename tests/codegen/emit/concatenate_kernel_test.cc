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
    const KernelCheck::Traffic traffic = check.Measure();
    EXPECT_EQ(traffic.sectors, traffic.planned_sectors) << body;
    const absl::StatusOr<Kernel> kernel = check.Compile();
    return kernel.ok() ? kernel->launch.num_blocks() : -1;
  };
  EXPECT_EQ(blocks_of({1024, 1024}), 280);
  EXPECT_EQ(blocks_of({1024, 1024, 1024, 1024, 1024, 1024}), 2 * 280);
  EXPECT_EQ(blocks_of({1024, 512, 1024, 1024}), 2 * 280 + 140);
}

}  // namespace
}  // namespace hlo_indexing::emit
