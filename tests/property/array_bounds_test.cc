// Every bound that a map gives for an index lies in the array that it indexes: updates, reshapes
// and slices at positions known at run time only, one on what another gives.
#include <gtest/gtest.h>

#include <string>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/num_cases.h"
#include "tests/property/relation_check.h"
#include "tests/property/traced_run.h"

namespace hlo_indexing::testing {
namespace {

std::string Shape(const Sizes& sizes) {
  std::string text;
  for (const int64_t size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
  return "f32[" + text + "]";
}

// A fusion of an update, perhaps a transpose, a reshape, and a slice or an update.
std::string RandomChain(Random& random) {
  const Sizes sizes = {random.Between(1, 4), random.Between(1, 6)};
  const Sizes update = {random.Between(1, sizes[0]), random.Between(1, sizes[1])};
  const Sizes reshaped = RandomFactors(random, sizes[0] * sizes[1], 2);
  Sizes slice;
  for (const int64_t size : reshaped) slice.push_back(random.Between(1, size));
  const std::vector<std::string> indices = {"i", "j", "k", "z"};
  const auto starts = [&](size_t rank) {
    std::string text;
    for (size_t d = 0; d < rank; ++d) text += ", " + random.Pick(indices);
    return text;
  };
  const std::string parameters = "  p = " + Shape(sizes) + " parameter(0)\n  u = " + Shape(update) +
                                 " parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] " +
                                 "parameter(3)\n  k = s32[] parameter(4)\n  v = " + Shape(slice) +
                                 " parameter(5)\n";
  std::string body = parameters + "  z = s32[] constant(0)\n  d = " + Shape(sizes) +
                     " dynamic-update-slice(p, u" + starts(2) + ")\n";
  std::string last = "d";
  if (random.OneIn(2)) {
    body += "  t = " + Shape({sizes[1], sizes[0]}) + " transpose(d), dimensions={1,0}\n";
    last = "t";
  }
  body += "  r = " + Shape(reshaped) + " reshape(" + last + ")\n";
  const bool is_slice = random.OneIn(2);
  const std::string result = Shape(is_slice ? slice : reshaped);
  const std::string list = Shape(slice).substr(4);
  body += "  ROOT s = " + result +
          (is_slice ? " dynamic-slice(r" + starts(reshaped.size()) + "), dynamic_slice_sizes={" +
                          list.substr(0, list.size() - 1) + "}"
                    : " dynamic-update-slice(r, v" + starts(reshaped.size()) + ")") +
          "\n";
  return "HloModule chain\nf {\n" + body + "}\nENTRY e {\n" + parameters + "  ROOT c = " + result +
         " fusion(p, u, i, j, k, v), kind=kLoop, calls=f\n}\n";
}

TEST(ArrayBounds, OfUpdatesReshapesAndSlicesLieInTheArrays) {
  const int chains = NumCases("HLO_INDEXING_RANDOM_BOUNDS", 600);
  RecordCount records;
  for (int seed = 0; seed < chains && !HasFailure(); ++seed) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    Random random(static_cast<uint64_t>(seed));
    const std::string text = RandomChain(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const auto module = hlo::ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status().message();
    ASSERT_TRUE(hlo::Verify(**module).ok()) << hlo::Verify(**module).message();
    const hlo::Instruction& root = (*module)->entry().root();
    RunValues values(**module, random, 1);
    const auto run = TracedRun::Make(root, values);
    ASSERT_TRUE(run.ok()) << run.status().message();
    indexing_analysis::IndexingAnalysis analysis(&context);
    ASSERT_EQ(CheckRelation(root, analysis, *run, values, records), "");
  }
  EXPECT_EQ(records.unknown, 0);
}

}  // namespace
}  // namespace hlo_indexing::testing
