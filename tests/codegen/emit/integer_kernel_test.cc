// Kernels of integers where these differ from the processor's.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/emit/kernel.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {
namespace {

// An amount of 64 bits is not what its lower half says, nor is a negative one.
TEST(IntegerKernels, ShiftByFarTooMuch) {
  PtxBackend backend;
  for (const std::string type : {"s64", "u64"}) {
    const std::string amounts = absl::StrCat(
        "{1, 63, 64, 4294967296, 4294967299, 1099511627776, 9223372036854775807, ",
        type == "s64" ? "-9223372036854775808, -1, -4294967296}"
                      : "9223372036854775808, 18446744073709551615, 18446744069414584320}");
    for (const std::string opcode :
         {"shift-left", "shift-right-logical", "shift-right-arithmetic"}) {
      const std::string parameter = absl::StrCat("p = ", type, "[10] parameter(0)\n");
      KernelCheck check(
          absl::StrCat("HloModule m\nf { ", parameter, "c = ", type, "[10] constant(", amounts,
                       ")\nROOT r = ", type, "[10] ", opcode, "(p, c) }\nENTRY e { ", parameter,
                       "ROOT r = ", type, "[10] fusion(p), kind=kLoop, calls=f }"),
          backend);
      EXPECT_EQ(check.Run(1), "") << opcode << " of " << type;
    }
  }
}

}  // namespace
}  // namespace hlo_indexing::emit
