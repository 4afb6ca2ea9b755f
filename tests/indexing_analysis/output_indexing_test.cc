// Answers as values: what they own, and their text.
#include "indexing_analysis/maps/output_indexing.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hlo/parser/parser.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/inverse.h"
#include "indexing_analysis/maps/union.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using support::Answer;

class OutputIndexingTest : public testing::Test {
 protected:
  const hlo::Instruction& Root(const std::string& text) {
    auto module = hlo::ParseModule(text);
    EXPECT_TRUE(module.ok()) << module.status();
    modules_.push_back(std::move(*module));
    return modules_.back()->entry().root();
  }

  IndexingMap Map(const std::string& text) {
    const auto map = ParseIndexingMap(text, &context_);
    EXPECT_TRUE(map.ok()) << map.status();
    return map.value_or(IndexingMap());
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  std::vector<std::unique_ptr<hlo::Module>> modules_;
};

constexpr char kConcatenate[] =
    "ENTRY e {\n  p = f32[2,2] parameter(0)\n  q = f32[2,2] parameter(1)\n"
    "  ROOT r = f32[4,2] concatenate(p, q), dimensions={0}\n}\n";

constexpr char kSlices[] =
    "ENTRY e {\n  p = f32[8] parameter(0)\n  i = s32[] parameter(1)\n  j = s32[] parameter(2)\n"
    "  a = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}\n"
    "  b = f32[2] dynamic-slice(p, j), dynamic_slice_sizes={2}\n"
    "  ROOT r = (f32[2], f32[2]) tuple(a, b)\n}\n";

TEST_F(OutputIndexingTest, ExampleOfTheHeader) {
  const hlo::Instruction& root = Root(kConcatenate);
  IndexingAnalysis analysis(&context_);
  EXPECT_EQ(analysis.OutputToInput(root, 0).ToString(),
            "operand 0: (d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 1]\n"
            "operand 1: (d0, d1) -> (d0 - 2, d1), domain: d0 in [2, 3], d1 in [0, 1]");
}

// The second slice's answer is made for the caller alone; nothing else holds its maps.
TEST_F(OutputIndexingTest, OutlivesTheAnalysis) {
  const hlo::Instruction& root = Root(kSlices);
  std::vector<OutputIndexing> answers;
  {
    IndexingAnalysis analysis(&context_);
    for (const hlo::Instruction* slice : root.operands()) {
      answers.push_back(analysis.OutputToInput(*slice, 0));
      answers.push_back(analysis.InputToOutput(*slice, 0));
    }
    answers.push_back(analysis.OutputToInput(root, 1));
  }
  const std::string slice =
      "operand 0: (d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [0, 6]\n"
      "operand 1: (d0) -> (), domain: d0 in [0, 1]";
  EXPECT_EQ(answers[0].ToString(), slice);
  EXPECT_EQ(answers[2].ToString(), slice);
  EXPECT_EQ(answers[4].ToString(), "operand 1: (d0) -> (d0), domain: d0 in [0, 1]");
  for (size_t i = 0; i < 4; ++i) {
    const OperandMap& map = answers[i].operands()[0].maps()[0];
    EXPECT_EQ(map.map.runtime()[0].instruction, &root.operand(i / 2).operand(1));
  }
}

// Each part outlives the temporary objects that it is taken from.
TEST_F(OutputIndexingTest, PartsOfTemporaryAnswers) {
  const hlo::Instruction& slice = Root(kSlices).operand(1);
  auto analysis = std::make_unique<IndexingAnalysis>(&context_);
  analysis->OutputToInput(modules_.back()->entry().root().operand(0), 0);
  const auto operands = analysis->OutputToInput(slice, 0).operands();
  const OperandIndexing operand = analysis->OutputToInput(slice, 0).operands()[0];
  const MapList maps = analysis->OutputToInput(slice, 0).operands()[0].maps();
  const OperandMap& map = analysis->OutputToInput(slice, 0).operands().front().maps().front();
  int count = 0;
  for (const OperandMap& one : analysis->OutputToInput(slice, 0).operands()[0].maps()) {
    EXPECT_EQ(one.ToString(), map.ToString());
    ++count;
  }
  EXPECT_EQ(count, 1);
  analysis.reset();
  EXPECT_EQ(operands[0].ToString(), operand.ToString());
  EXPECT_EQ(maps[0], map);
  EXPECT_EQ(map.map.runtime()[0].instruction, &slice.operand(1));
}

TEST_F(OutputIndexingTest, UnknownIsAnEmptyRangeWithAReason) {
  const hlo::Instruction& root = Root(
      "ENTRY e {\n  p = f32[4] parameter(0)\n"
      "  ROOT r = f32[4] custom-call(p), custom_call_target=\"mystery\"\n}\n");
  const OutputIndexing indexing = IndexingAnalysis(&context_).OutputToInput(root, 0);
  ASSERT_EQ(indexing.operands().size(), 1u);
  const OperandIndexing& operand = indexing.operands()[0];
  EXPECT_EQ(operand.exactness(), Exactness::kUnknown);
  EXPECT_TRUE(operand.maps().empty());
  EXPECT_FALSE(operand.reason().empty());
  EXPECT_EQ(indexing.ToString(), "operand 0: unknown: " + operand.reason());
  int maps = 0;
  for (const OperandMap& map : operand.maps()) maps += map.map.IsUnknown() ? 1 : 0;
  EXPECT_EQ(maps, 0);
}

TEST_F(OutputIndexingTest, Text) {
  const MapList one = MapList(MapList::Elements{{Map("(d0) -> (d0), domain: d0 in [0, 1]"), {}}});
  const MapList two = MapList(MapList::Elements{
      {Map("(d0) -> (d0), domain: d0 in [0, 1]"), {}},
      {Map("(d0) -> (0), domain: d0 in [0, 1]"), Map("(d0) -> (3), domain: d0 in [0, 1]")}});
  const auto reason = std::make_shared<const std::string>("because");
  OutputIndexing::Operands::Elements operands = {OperandIndexing::Exact({0, 0}, one),
                                                 OperandIndexing::Superset({1, 2}, two, reason),
                                                 OperandIndexing::Unknown({3, 0}, reason)};
  EXPECT_EQ(testing::PrintToString(OutputIndexing(operands)),
            "operand 0: (d0) -> (d0), domain: d0 in [0, 1]\n"
            "operand 1, array 2: superset: because\n"
            "  (d0) -> (d0), domain: d0 in [0, 1]\n"
            "  (d0) -> (0), domain: d0 in [0, 1] on replica (d0) -> (3), domain: d0 in [0, 1]\n"
            "operand 3: unknown: because");
  EXPECT_EQ(OutputIndexing().ToString(), "reads nothing");
  EXPECT_EQ(OutputIndexing::Unknown(reason).ToString(), "all operands: unknown: because");
  EXPECT_TRUE(OutputIndexing::Unknown(reason).operands().empty());
}

TEST_F(OutputIndexingTest, CopiesOfAListAreOneList) {
  const MapList list(MapList::Elements{{Map("() -> (1)"), {}}});
  const std::vector<MapList> copies(2, list);
  const MapList equal(MapList::Elements{{Map("() -> (1)"), {}}});
  EXPECT_EQ(list.data(), copies[1].data());
  EXPECT_NE(list.data(), equal.data());
  EXPECT_EQ(list, equal);
  EXPECT_EQ(MapList().data(), nullptr);
  EXPECT_TRUE(MapList(MapList::Elements()).empty());
}

TEST_F(OutputIndexingTest, InverseThatOverflowsIsAnError) {
  const auto inverse = Inverse(
      Map("(d0, d1, d2) -> (((d0 * 5 + d2 * 4611686018427387904) floordiv 3 + d1 * 7 + d1 * "
          "4611686018427387904) floordiv 3 + 5, d1 mod 5 + d2), domain: d0 in [0, 9], d1 in "
          "[0, 99], d2 in [0, 5]"));
  EXPECT_EQ(inverse.status().code(), absl::StatusCode::kOutOfRange);
  const auto of_unknown = Inverse(IndexingMap());
  ASSERT_TRUE(of_unknown.ok());
  EXPECT_TRUE(of_unknown->IsUnknown());
}

TEST_F(OutputIndexingTest, AnswersHaveReasons) {
  const IndexingMap map = Map("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 4], s0 in [0, 2]");
  EXPECT_EQ(IsInjective(map).ToString(), "no: 15 points have 11 results");
  EXPECT_EQ(IsSurjective(map, {{0, 10}}).ToString(),
            "yes: every value of the box is reached, and no other");
  EXPECT_EQ(IsSurjective(map, {{0, 11}}).ToString(),
            "no: 11 values of the box are reached, not all");
  EXPECT_EQ(IsSurjective(map, {{1, 10}}).ToString(),
            "no: result 0 lies in [0, 10], not in [1, 10]");
  EXPECT_EQ(IsBijective(map, {{0, 10}}).ToString(), "no: 15 points have 11 results");
  EXPECT_EQ(IsInjective(IndexingMap()).ToString(), "unknown: the map is unknown");
  const IndexingMap part = Map("(d0) -> (d0), domain: d0 in [2, 5]");
  const IndexingMap all = Map("(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 9]");
  EXPECT_EQ(Subsumes(all, part).answer, Answer::kYes);
  EXPECT_EQ(Subsumes(part, all).answer, Answer::kNo);
  for (const auto& answer : {Subsumes(all, part), Subsumes(part, all), Subsumes(all, map),
                             Subsumes(IndexingMap(), map)}) {
    EXPECT_FALSE(answer.reason.empty());
  }
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
