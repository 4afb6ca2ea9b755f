// Offsets that compiled kernels compute of unsigned coordinates.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/layout/cute/device/device_run.h"

namespace cute_test {
namespace {

TEST(DeviceOffsets, OfNegativeStridesAndSwizzlesAtUnsignedCoordinates) {
  std::vector<int32_t> from(128);
  std::iota(from.begin(), from.end(), 0);
  DeviceRun run("offsets", 0);
  const uint64_t at_from = run.Upload(from, "from");
  const uint64_t at_to = run.Allocate<int32_t>(128, "to");
  const uint64_t at_through = run.Allocate<int32_t>(128, "through_shared");
  const uint64_t at_global = run.Allocate<int32_t>(128, "through_global");
  run.Launch({1, 1, 1}, {16, 1, 1},
             {Argument::Of(at_to), Argument::Of(at_through), Argument::Of(at_global),
              Argument::Of(at_from + 127 * sizeof(int32_t))});
  const std::vector<int32_t> to = run.Download<int32_t>(at_to, 128);
  const std::vector<int32_t> through = run.Download<int32_t>(at_through, 128);
  const std::vector<int32_t> swizzled = run.Download<int32_t>(at_global, 128);
  for (int32_t i = 0; i < 128; ++i) {
    EXPECT_EQ(to[i], 127 - i);
    EXPECT_EQ(through[i], 127 - i);
    EXPECT_EQ(swizzled[i ^ (i >> 4 & 7)], 127 - i);
  }
}

}  // namespace
}  // namespace cute_test
