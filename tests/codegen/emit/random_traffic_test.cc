// What kernels of random fusions move against what their plans predict.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/plan/kernel_plan.h"
#include "tests/codegen/emit/expression_fusions.h"
#include "tests/codegen/emit/kernel_check.h"
#include "tests/property/num_cases.h"
#include "tests/property/random.h"

namespace hlo_indexing::emit {
namespace {

constexpr int kUsualCases = 400;

// How many kernels move what is predicted, less or more, and of how many values decide that.
struct Counts {
  int exact = 0;
  int less = 0;
  int more = 0;
  int unknown = 0;

  void Add(const Traffic& traffic) {
    if (!traffic.is_exact) {
      ++unknown;
    } else if (traffic.IsAsPlanned()) {
      ++exact;
    } else {
      ++(traffic.IsAtMostAsPlanned() ? less : more);
    }
  }
};

std::string ToString(const Traffic& traffic) {
  return absl::StrCat(traffic.sectors, " of ", traffic.planned_sectors, " sectors, ",
                      traffic.requests, " of ", traffic.planned_requests, " requests, ",
                      traffic.wavefronts, " of ", traffic.planned_wavefronts, " wavefronts");
}

// For a long run in parts.
int FirstCase() {
  const char* const text = std::getenv("HLO_INDEXING_FIRST_TRAFFIC_CASE");
  return text == nullptr ? 0 : static_cast<int>(std::strtol(text, nullptr, 10));
}

// Keeps a module that is not as predicted in a folder, HLO_INDEXING_TRAFFIC_FOLDER, if that is
// given; `_1` are those of a device of one multiprocessor.
void Keep(const std::string& name, const std::string& text) {
  const char* const folder = std::getenv("HLO_INDEXING_TRAFFIC_FOLDER");
  if (folder != nullptr) std::ofstream(absl::StrCat(folder, "/", name, ".hlo")) << text;
}

// What LLVM makes of code is not known in all cases: turns that load alike when it has written them
// out, products with zeros.
TEST(RandomTraffic, IsAsPredicted) {
  PtxBackend backend;
  std::map<std::string, Counts> by_emitter;
  Counts all;
  const int num_cases = testing::NumCases("HLO_INDEXING_TRAFFIC_CASES", kUsualCases);
  const int first = FirstCase();
  for (int i = first; i < first + num_cases; ++i) {
    testing::Random random(static_cast<uint64_t>(i));
    const testing::ExpressionFusion fusion = testing::RandomExpressionFusion(random);
    const std::optional<int> multiprocessors = random.OneIn(2) ? std::optional<int>() : 1;
    KernelCheck check(fusion.text, backend, multiprocessors);
    const auto plan = check.Plan();
    ASSERT_TRUE(plan.ok()) << plan.status().message() << "\n" << fusion.text;
    const Traffic traffic = check.Measure();
    ASSERT_EQ(traffic.error, "") << "case " << i << "\n" << fusion.text;
    by_emitter[fusion.family + ", " + plan::EmitterName(plan->emitter).str()].Add(traffic);
    all.Add(traffic);
    if (!traffic.is_exact || traffic.IsAsPlanned()) continue;
    std::cout << "case " << i << ", " << fusion.family << ": " << ToString(traffic) << "\n";
    Keep(absl::StrCat("case_", i, multiprocessors.has_value() ? "_1" : ""), fusion.text);
  }
  for (const auto& [name, counts] : by_emitter) {
    std::cout << name << ": " << counts.exact << " as predicted, " << counts.less << " less, "
              << counts.more << " more, " << counts.unknown << " decided by values\n";
  }
  const int predicted = all.exact + all.less + all.more;
  EXPECT_GT(all.exact, predicted / 2);
  // Of few cases, a share says little.
  if (num_cases < kUsualCases) return;
  EXPECT_GE(all.exact * 100, predicted * 99);
  EXPECT_LE(all.more * 100, predicted);
}

}  // namespace
}  // namespace hlo_indexing::emit
