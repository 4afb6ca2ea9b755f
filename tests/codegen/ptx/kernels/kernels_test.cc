// Kernels in CUDA C++ and LLVM IR, compiled by nvcc and llc to the .ptx files beside them: the
// values are right and no check finds anything, in several orders of warps and blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "codegen/ptx/module.h"
#include "tests/codegen/ptx/kernels/kernel_case.h"

namespace hlo_indexing::ptx {
namespace {

std::string ReadPtx(const std::string& file) {
  std::ifstream stream(absl::StrCat(HLO_INDEXING_PTX_KERNELS, "/", file, ".ptx"));
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

LaunchOptions AllChecks(uint64_t schedule) {
  LaunchOptions options;
  options.checks = {.initcheck = true, .racecheck = true, .synccheck = true};
  options.schedule = schedule;
  return options;
}

void ExpectRight(const std::vector<KernelCase>& cases) {
  std::map<std::string, std::string> texts;
  for (const KernelCase& kernel : cases) {
    std::string& text = texts[kernel.file];
    if (text.empty()) text = ReadPtx(kernel.file);
    const absl::StatusOr<Module> module = Module::Parse(text, kernel.file + ".ptx");
    ASSERT_TRUE(module.ok()) << module.status().message();
    for (const uint64_t schedule : {0, 1, 2, 3}) {
      KernelRun run(*module, kernel.kernel, AllChecks(schedule));
      kernel.run(run);
      EXPECT_THAT(run.problems(), testing::IsEmpty())
          << kernel.kernel << " with schedule " << schedule;
    }
  }
}

TEST(KernelsTest, Reductions) { ExpectRight(ReductionCases()); }
TEST(KernelsTest, ScansAndSorts) { ExpectRight(ScanAndSortCases()); }
TEST(KernelsTest, Matrices) { ExpectRight(MatrixCases()); }
TEST(KernelsTest, Networks) { ExpectRight(NetworkCases()); }
TEST(KernelsTest, MadeByLlvm) { ExpectRight(LlvmCases()); }

// One case for each kernel of the texts, and the other way round.
TEST(KernelsTest, EveryKernelHasACase) {
  std::vector<std::string> with_case;
  std::vector<std::string> in_texts;
  for (const auto& cases :
       {ReductionCases(), ScanAndSortCases(), MatrixCases(), NetworkCases(), LlvmCases()}) {
    for (const KernelCase& kernel : cases) with_case.push_back(kernel.kernel);
    const absl::StatusOr<Module> module = Module::Parse(ReadPtx(cases.front().file), "kernels.ptx");
    ASSERT_TRUE(module.ok()) << module.status().message();
    for (const std::string_view kernel : module->kernels()) in_texts.emplace_back(kernel);
  }
  EXPECT_GE(in_texts.size(), 40U);
  EXPECT_THAT(with_case, testing::UnorderedElementsAreArray(in_texts));
}

TEST(KernelsTest, AGridThatTheDeviceDoesNotHoldIsRefused) {
  const absl::StatusOr<Module> module = Module::Parse(ReadPtx("reductions"), "reductions.ptx");
  ASSERT_TRUE(module.ok()) << module.status().message();
  LaunchOptions options = AllChecks(0);
  options.is_cooperative = true;
  KernelRun run(*module, "sum_grid", options);
  const auto x = run.Zeros<float>(10);
  run.Launch({132 * 32 + 1, 1, 1}, {32, 1, 1}, x, x, x, 10);
  EXPECT_THAT(run.problems(),
              testing::ElementsAre(testing::HasSubstr("h100 holds 4224 of them at once")));
}

TEST(KernelsTest, AGridThatIsNotCooperativeTraps) {
  const absl::StatusOr<Module> module = Module::Parse(ReadPtx("reductions"), "reductions.ptx");
  ASSERT_TRUE(module.ok()) << module.status().message();
  KernelRun run(*module, "sum_grid", LaunchOptions());
  const auto x = run.Zeros<float>(10);
  run.Launch({2, 1, 1}, {32, 1, 1}, x, run.Output<float>(2), x, 10);
  EXPECT_THAT(run.problems(), testing::Contains(testing::HasSubstr("trap")));
}

}  // namespace
}  // namespace hlo_indexing::ptx
