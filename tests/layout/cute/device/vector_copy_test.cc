// What compiled copies move, and in how many accesses.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/layout/cute/device/device_run.h"

namespace cute_test {
namespace {

TEST(VectorCopies, AssumedAlignmentTakesTheWidestWords) {
  constexpr int kStride = 12;
  std::vector<float> from;
  for (int i = 0; i < 64; ++i) from.push_back(static_cast<float>(i));
  DeviceRun run("vector_copy", 0);
  const uint64_t at_to = run.Upload(std::vector<float>(size_t{8} * kStride, -1.0F), "to");
  const uint64_t at_from = run.Upload(from, "from");
  const OperationCounts counts = run.Launch(
      {1, 1, 1}, {1, 1, 1}, {Argument::Of(at_to), Argument::Of(at_from), Argument::Of(kStride)});
  // Four floats at once.
  EXPECT_EQ(counts.global_requests, 2U * 64 / 4);
  EXPECT_EQ(counts.global_bytes, sizeof(float) * 2 * 64);
  const std::vector<float> to = run.Download<float>(at_to, size_t{8} * kStride);
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t row = i % kStride;
    EXPECT_EQ(to[i], row < 8 ? from[i / kStride * 8 + row] : -1.0F) << i;
  }
}

}  // namespace
}  // namespace cute_test
