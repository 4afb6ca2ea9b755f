// Kernels in CUDA C++, LLVM IR and Triton, compiled to the .ptx files beside them: the values are
// right and no check finds anything, in several orders of warps and blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
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

/// What texts of Triton's kernels begin with; 0 for others.
uint64_t DynamicSharedBytes(const std::string& text) {
  const std::string head = "// Dynamic shared memory: ";
  return text.starts_with(head) ? std::strtoull(text.c_str() + head.size(), nullptr, 10) : 0;
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
      LaunchOptions options = AllChecks(schedule);
      options.dynamic_shared_bytes = DynamicSharedBytes(text);
      KernelRun run(*module, kernel.kernel, options);
      kernel.run(run);
      EXPECT_THAT(run.problems(), testing::IsEmpty())
          << kernel.file << ": " << kernel.kernel << " with schedule " << schedule;
    }
  }
}

TEST(KernelsTest, Reductions) { ExpectRight(ReductionCases()); }
TEST(KernelsTest, ScansAndSorts) { ExpectRight(ScanAndSortCases()); }
TEST(KernelsTest, Matrices) { ExpectRight(MatrixCases()); }
TEST(KernelsTest, Networks) { ExpectRight(NetworkCases()); }
TEST(KernelsTest, Language) { ExpectRight(LanguageCases()); }
TEST(KernelsTest, MadeByLlvm) { ExpectRight(LlvmCases()); }
TEST(KernelsTest, MadeByTriton) { ExpectRight(TritonCases()); }

// One case for each kernel of the texts, and the other way round.
TEST(KernelsTest, EveryKernelHasACase) {
  std::vector<std::string> with_case;
  std::vector<std::string> in_texts;
  for (const auto& cases : {ReductionCases(), ScanAndSortCases(), MatrixCases(), NetworkCases(),
                            LanguageCases(), LlvmCases()}) {
    for (const KernelCase& kernel : cases) with_case.push_back(kernel.kernel);
    const absl::StatusOr<Module> module = Module::Parse(ReadPtx(cases.front().file), "kernels.ptx");
    ASSERT_TRUE(module.ok()) << module.status().message();
    for (const std::string_view kernel : module->kernels()) in_texts.emplace_back(kernel);
  }
  EXPECT_GE(in_texts.size(), 40U);
  EXPECT_THAT(with_case, testing::UnorderedElementsAreArray(in_texts));
}

// Of x y + z w, computed by two lanes, each rounds the product that it does not fuse: the sums that
// both write to one place differ in the last bit, and which one stays depends on the device.
TEST(KernelsTest, SumsThatLanesOfTritonFuseEachInItsWayAreARace) {
  const std::string text = ReadPtx("triton/norm_backward.fused");
  const absl::StatusOr<Module> module = Module::Parse(text, "fused.ptx");
  ASSERT_TRUE(module.ok()) << module.status().message();
  LaunchOptions options = AllChecks(0);
  options.dynamic_shared_bytes = DynamicSharedBytes(text);
  KernelRun run(*module, "norm_backward", options);
  for (const KernelCase& kernel : TritonCases()) {
    if (kernel.file == "triton/norm_backward.sm_80") kernel.run(run);
  }
  EXPECT_THAT(run.problems(),
              testing::ElementsAre(testing::HasSubstr("racecheck: st.shared.b32 writes 4 bytes")));
}

TEST(KernelsTest, EveryKernelOfTritonHasACase) {
  std::vector<std::string> with_case = {"triton/norm_backward.fused.ptx"};
  for (const KernelCase& kernel : TritonCases()) with_case.push_back(kernel.file + ".ptx");
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(HLO_INDEXING_PTX_KERNELS "/triton")) {
    if (entry.path().extension() != ".ptx") continue;
    files.push_back("triton/" + entry.path().filename().string());
  }
  EXPECT_GE(files.size(), 40U);
  EXPECT_THAT(with_case, testing::UnorderedElementsAreArray(files));
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
