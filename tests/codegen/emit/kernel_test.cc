#include "codegen/emit/kernel.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/codegen/emit/kernel_check.h"
#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::emit {
namespace {

class KernelTest : public ::testing::Test {
 protected:
  static PtxBackend& backend() {
    static auto* const backend = new PtxBackend();
    return *backend;
  }
};

TEST_F(KernelTest, EveryEmitter) {
  for (const plan::NamedModule& module : plan::KernelModules()) {
    KernelCheck check(module.text, backend());
    EXPECT_EQ(check.Run(1), "") << module.name;
  }
}

}  // namespace
}  // namespace hlo_indexing::emit
