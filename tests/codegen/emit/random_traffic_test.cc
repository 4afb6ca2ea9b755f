// What kernels of random fusions move against what their plans predict.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "codegen/plan/kernel_plan.h"
#include "tests/codegen/emit/expression_fusions.h"
#include "tests/codegen/emit/kernel_check.h"
#include "tests/property/num_cases.h"
#include "tests/property/random.h"

namespace hlo_indexing::emit {
namespace {

// How often plans of an emitter are right.
struct Count {
  int exact = 0;
  int less = 0;
  int more = 0;
  int unknown = 0;
};

// For a long run in parts.
int FirstCase() {
  const char* const text = std::getenv("HLO_INDEXING_FIRST_TRAFFIC_CASE");
  return text == nullptr ? 0 : static_cast<int>(std::strtol(text, nullptr, 10));
}

TEST(RandomTraffic, IsAsPredicted) {
  PtxBackend backend;
  std::map<std::string, Count> counts;
  const int num_cases = testing::NumCases("HLO_INDEXING_TRAFFIC_CASES", 200);
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
    Count& count = counts[fusion.family + ", " + plan::EmitterName(plan->emitter).str()];
    const bool is_at_most = traffic.IsAtMostAsPlanned();
    ++(!traffic.is_exact ? count.unknown : traffic.IsAsPlanned() ? count.exact : is_at_most ? count.less : count.more);
    if (!traffic.is_exact || traffic.IsAsPlanned()) continue;
    std::cout << "case " << i << " " << fusion.family << " sectors " << traffic.sectors << "/" << traffic.planned_sectors << " requests " << traffic.requests << "/" << traffic.planned_requests << " wavefronts " << traffic.wavefronts << "/" << traffic.planned_wavefronts << (is_at_most ? "" : " MORE") << std::endl;
    if (const char* folder = std::getenv("HLO_INDEXING_TRAFFIC_FOLDER")) {
      std::ofstream(std::string(folder) + "/c" + std::to_string(i) + (multiprocessors ? "_1" : "_84") + ".hlo") << fusion.text;
    }
  }
  for (const auto& [name, count] : counts) {
    std::cout << name << ": exact " << count.exact << " less " << count.less << " more " << count.more << " unknown " << count.unknown << "\n";
  }
}

}  // namespace
}  // namespace hlo_indexing::emit
