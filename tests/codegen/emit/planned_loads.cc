#include "tests/codegen/emit/planned_loads.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "tests/codegen/emit/kernel_check.h"

namespace hlo_indexing::emit {

std::string FusionOf(llvm::ArrayRef<std::string> parameters, const std::string& body,
                     const std::string& shape, const std::string& element) {
  std::string declared;
  std::string operands;
  for (size_t i = 0; i < parameters.size(); ++i) {
    absl::StrAppend(&declared, "p", i, " = ", parameters[i], " parameter(", i, ")\n");
    absl::StrAppend(&operands, i == 0 ? "" : ", ", "p", i);
  }
  return absl::StrCat("HloModule m\nsum { a = ", element, "[] parameter(0) b = ", element,
                      "[] parameter(1) ROOT r = ", element, "[] add(a, b) }\nf {\n", declared, body,
                      "}\nENTRY e {\n", declared, "ROOT r = ", shape, " fusion(", operands,
                      "), kind=kInput, calls=f\n}\n");
}

void ExpectAsPlanned(const std::string& module, PtxBackend& backend, double tolerance) {
  KernelCheck check(module, backend);
  EXPECT_EQ(check.Run(1, tolerance), "") << module;
  const Traffic traffic = check.Measure();
  EXPECT_TRUE(traffic.IsAsPlanned()) << module;
}

}  // namespace hlo_indexing::emit
