// What nests deep in a text is refused or followed on a stack of 512 KiB.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "hlo/interpreter/interpreter.h"
#include "hlo/parser/parser.h"
#include "hlo/printer.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/maps/equality.h"
#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/inverse.h"
#include "indexing_analysis/rules/custom_calls.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/support/small_stack.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::HasSubstr;
using testing::RunOnSmallStack;

std::string Repeat(const std::string& text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += text;
  return repeated;
}

// A map to its own indices, whose first result is d0 with `open` in front and `close` behind it, so
// many times.
std::string Nested(const std::string& open, const std::string& close, int count) {
  return "(d0, d1) -> (" + Repeat(open, count) + "d0" + Repeat(close, count) +
         ", d1), domain: d0 in [0, 1000000007], d1 in [0, 1000003]";
}

// Whether a map parses; if it does, all that is done with maps is done.
bool Use(const std::string& text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  bool is_accepted = false;
  RunOnSmallStack([&] {
    const auto map = ParseIndexingMap(text, &context);
    is_accepted = map.ok();
    if (!map.ok()) {
      EXPECT_THAT(std::string(map.status().message()), HasSubstr("nested deeper")) << text;
      return;
    }
    const IndexingMap simplified = Simplify(*map);
    const auto again = ParseIndexingMap(simplified.ToString(), &context);
    EXPECT_TRUE(again.ok()) << again.status().message();
    const EqualityBudget budget = {.samples = 10, .max_points = 100};
    EXPECT_NE(Equal(*map, simplified, budget).answer, Answer::kNo);
    (void)Compose(*map, simplified);
    (void)Inverse(*map);
    (void)ImageOf(*map);
    (void)RescaleRanges(*map);
    EXPECT_EQ(hash_value(*map), hash_value(*ParseIndexingMap(text, &context)));
  });
  return is_accepted;
}

TEST(SmallStack, NestedExpressionsAreFollowedOrRefused) {
  // As deep as may be, and deeper.
  EXPECT_TRUE(Use(Nested("(", " + 1) floordiv 3", 100)));
  EXPECT_TRUE(Use(Nested("(", " * 3 + d1) mod 1000003", 100)));
  EXPECT_TRUE(Use(Nested("(", " * 3 + d1) floordiv 2", 100)));
  EXPECT_TRUE(Use(Nested("(", " + 1) * 2", 60)));
  EXPECT_TRUE(Use(Nested("(", ")", 400)));
  EXPECT_TRUE(Use(Nested("", " + d1 floordiv 3 + d0 mod 7", 600)));
  for (const int count : {120, 300, 1000, 100000}) {
    EXPECT_FALSE(Use(Nested("(", " + 1) floordiv 3", count))) << count;
    EXPECT_FALSE(Use(Nested("(", " * 3 + d1) mod 1000003", count))) << count;
    EXPECT_FALSE(Use(Nested("(", " * d1)", count))) << count;
  }
  EXPECT_FALSE(Use(Nested("(", ")", 100000)));
}

TEST(SmallStack, ManyOperatorsParseIfTheyWereWritten) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  RunOnSmallStack([&] {
    // 9,000 operators in each of several results.
    const std::string product = Repeat("(d0 + 1) * 2 + ", 3) + "1";
    const std::string sum = "d0" + Repeat(" + (" + product + ") mod 7", 800);
    const std::string text = "(d0) -> (" + sum + ", " + sum + ", " + sum +
                             "), domain: d0 in [0, 9], " + sum + " in [3, 5]";
    EXPECT_TRUE(ParseIndexingMap(text, &context).ok());
    const std::string more = "(d0) -> (d0" + Repeat(" + d0", 10001) + "), domain: d0 in [0, 9]";
    EXPECT_THAT(std::string(ParseIndexingMap(more, &context).status().message()),
                HasSubstr("more than 10000 operators"));
  });
}

// n transposes and reshapes in a fusion, of which no boundary divides another.
std::string Pairs(int n) {
  const int64_t rows[] = {6, 10, 14};
  const int64_t columns[] = {35, 21, 15};
  std::string text = "HloModule m\nf {\n  r0 = f32[6,35] parameter(0)\n";
  for (int i = 1; i <= n; ++i) {
    const auto before = static_cast<size_t>((i - 1) % 3);
    const auto after = static_cast<size_t>(i % 3);
    const auto shape = [](int64_t a, int64_t b) {
      return "f32[" + std::to_string(a) + "," + std::to_string(b) + "]";
    };
    const std::string number = std::to_string(i);
    text += "  t" + number + " = " + shape(columns[before], rows[before]) + " transpose(r" +
            std::to_string(i - 1) + "), dimensions={1,0}\n";
    text += "  " + std::string(i == n ? "ROOT " : "") + "r" + number + " = " +
            shape(rows[after], columns[after]) + " reshape(t" + number + ")\n";
  }
  const std::string result =
      "f32[" + std::to_string(rows[n % 3]) + "," + std::to_string(columns[n % 3]) + "]";
  return text + "}\nENTRY e {\n  p = f32[6,35] parameter(0)\n  ROOT c = " + result +
         " fusion(p), kind=kLoop, calls=f\n}\n";
}

TEST(SmallStack, LongChainsOfReshapesAreFollowed) {
  for (const int pairs : {90, 500, 4500}) {
    const auto module = hlo::ParseModule(Pairs(pairs));
    ASSERT_TRUE(module.ok()) << module.status().message();
    ASSERT_TRUE(hlo::Verify(**module).ok());
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    RunOnSmallStack([&] {
      IndexingAnalysis analysis(&context);
      const hlo::Instruction& root = (*module)->entry().root();
      EXPECT_EQ(analysis.OutputToInput(root, 0).operands().size(), 1u);
      EXPECT_EQ(analysis.InputToOutput(root, 0).operands().size(), 1u);
    });
  }
}

TEST(SmallStack, DeepJsonIsRefused) {
  for (const std::string open : {"[", "{\"a\":", "[{\"custom_calls\":"}) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    RunOnSmallStack([&] {
      CustomCallRegistry registry;
      const absl::Status status = registry.AddJson(Repeat(open, 50000), "deep.json", &context);
      EXPECT_THAT(std::string(status.message()), HasSubstr("nest deeper than 100 levels"));
      EXPECT_THAT(std::string(status.message()), HasSubstr("deep.json:1:"));
    });
  }
}

TEST(SmallStack, DeepModulesAreFollowedOrRefused) {
  const auto use = [](const std::string& text) {
    bool is_accepted = false;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    RunOnSmallStack([&] {
      const auto module = hlo::ParseModule(text);
      is_accepted = module.ok();
      if (!module.ok() || !hlo::Verify(**module).ok()) return;
      (void)hlo::ToString(**module);
      IndexingAnalysis analysis(&context);
      for (const hlo::Instruction* instruction : (*module)->entry().instructions()) {
        (void)analysis.OutputToInput(*instruction, 0);
        (void)analysis.InputToOutput(*instruction, 0);
      }
      (void)hlo::TraceReads((*module)->entry(), {});
    });
    return is_accepted;
  };
  for (const int depth : {90, 190, 100000}) {
    const std::string shape = Repeat("(", depth) + "f32[2]" + Repeat(")", depth);
    const bool is_accepted = depth < 200;
    EXPECT_EQ(use("ENTRY e { p = " + shape + " parameter(0)\n ROOT r = " + shape + " copy(p) }"),
              is_accepted)
        << depth;
    // Operands in operands.
    EXPECT_EQ(use("ENTRY e { p = f32[2] constant({1,2})\n ROOT r = " +
                  Repeat("f32[2] negate(", depth) + "p" + Repeat(")", depth) + " }"),
              is_accepted)
        << depth;
    // Literals.
    const std::string ones = depth < 200 ? "1" + Repeat(",1", depth - 1) : "1";
    (void)use("ENTRY e { ROOT r = f32[" + ones + "] constant(" + Repeat("{", depth) + "1" +
              Repeat("}", depth) + ") }");
    // Computations in attributes.
    (void)use("ENTRY e { p = f32[2] constant({1,2})\n ROOT r = f32[2] " +
              Repeat("call(p), to_apply={ p = f32[2] parameter(0)\n ROOT r = f32[2] ", depth) +
              "negate(p)" + Repeat("}", depth + 1));
    // Calls.
    std::string calls = "c0 { p = f32[2] parameter(0)\n ROOT r = f32[2] negate(p) }\n";
    const int count = std::min(depth, 2000);
    for (int i = 1; i < count; ++i) {
      calls += "c" + std::to_string(i) + " { p = f32[2] parameter(0)\n ROOT r = f32[2] call(p), " +
               "to_apply=c" + std::to_string(i - 1) + " }\n";
    }
    EXPECT_TRUE(use(calls + "ENTRY e { p = f32[2] constant({1,2})\n ROOT r = f32[2] call(p), " +
                    "to_apply=c" + std::to_string(count - 1) + " }"));
  }
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
