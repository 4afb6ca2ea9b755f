// The operand utilization that XLA's tests state, beside ours; the interpreter's trace of every
// read decides who is right.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/queries/utilization.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/random.h"
#include "tests/property/traced_run.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::IndexingAnalysis;
using indexing_analysis::OperandUtilization;
using indexing_analysis::UtilizationAnalysis;

// What XLA's number, a share of the operand's elements, turns out to be.
enum class Verdict : uint8_t {
  kElements,          // the different elements that are read
  kReads,             // the reads in all, an element as often as it is read
  kElementsAndReads,  // both: each is read once
  kNeither,
};

struct XlaCase {
  // As XLA's test calls it, or what it is about.
  std::string name;
  // The fused computation's instructions; parameters are those of the fusion.
  std::string body;
  std::string parameters;
  std::string result;
  // By operand: XLA's utilization times the elements; ours; the verdict.
  struct Operand {
    double xla;
    int64_t elements;
    int64_t reads;
    Verdict verdict;
  };
  std::vector<Operand> operands;

  friend std::ostream& operator<<(std::ostream& out, const XlaCase& c) { return out << c.name; }
};

// XLA rounds what a concatenate gets up for each of its operands: 5/33 of 5 is 1, of 11 is 2, of 17
// is 3.
XlaCase SliceOfConcatenate() {
  return {"SliceOfConcatenate",
          R"(p0 = f32[5] parameter(0)
  p1 = f32[11] parameter(1)
  p2 = f32[17] parameter(2)
  c = f32[33] concatenate(p0, p1, p2), dimensions={0}
  ROOT s = f32[5] slice(c), slice={[0:5]})",
          "f32[5] f32[11] f32[17]",
          "f32[5]",
          {{0.2 * 5, 5, 5, Verdict::kNeither},
           {2, 0, 0, Verdict::kNeither},
           {3, 0, 0, Verdict::kNeither}}};
}

std::vector<XlaCase> Cases() {
  return {
      SliceOfConcatenate(),
      {"Slice",
       R"(p = s8[10000] parameter(0)
  i = s8[10000] iota(), iota_dimension=0
  a = s8[10000] add(p, i)
  ROOT s = s8[1] slice(a), slice={[0:1]})",
       "s8[10000]",
       "s8[1]",
       {{1, 1, 1, Verdict::kElementsAndReads}}},
      {"TwoSlices",
       R"(p = s8[100] parameter(0)
  i = s8[100] iota(), iota_dimension=0
  a = s8[100] add(p, i)
  left = s8[1] slice(a), slice={[0:1]}
  right = s8[1] slice(a), slice={[3:4]}
  ROOT r = s8[1] add(left, right))",
       "s8[100]",
       "s8[1]",
       {{2, 2, 2, Verdict::kElementsAndReads}}},
      {"OverlappingSlices",
       R"(p = s8[10000] parameter(0)
  left = s8[8000] slice(p), slice={[0:8000]}
  right = s8[8000] slice(p), slice={[2000:10000]}
  ROOT r = s8[8000] add(left, right))",
       "s8[10000]",
       "s8[8000]",
       {{16000, 10000, 16000, Verdict::kReads}}},
      {"BroadcastWithRepeats",
       R"(p = s8[] parameter(0)
  zero = s8[] constant(0)
  a = s8[] add(p, zero)
  b = s8[10000] broadcast(a), dimensions={}
  zeros = s8[10000] broadcast(zero), dimensions={}
  ROOT r = s8[10000] add(b, zeros))",
       "s8[]",
       "s8[10000]",
       {{10000, 1, 10000, Verdict::kReads}}},
      // Without counting repeated accesses.
      {"WithoutRepeats",
       R"(p = s8[] parameter(0)
  a = s8[] add(p, p)
  b = s8[10000] broadcast(a), dimensions={}
  twice = s8[10000] add(b, b)
  left = s8[8000] slice(twice), slice={[0:8000]}
  right = s8[8000] slice(twice), slice={[2000:10000]}
  ROOT r = s8[8000] add(left, right))",
       "s8[]",
       "s8[8000]",
       {{1, 1, 8000, Verdict::kElements}}},
      {"MultipleTrivialUsers",
       R"(p = s8[] parameter(0)
  m = s8[] multiply(p, p)
  n = s8[] negate(p)
  ROOT r = s8[] add(m, n))",
       "s8[]",
       "s8[]",
       {{1, 1, 1, Verdict::kElementsAndReads}}},
      {"MixedUsers",
       R"(p = s8[10] parameter(0)
  n = s8[10] negate(p)
  m = s8[10] multiply(n, n)
  a = s8[10] add(n, n)
  first = s8[5] slice(a), slice={[0:5]}
  middle = s8[2] slice(n), slice={[4:6]}
  nn = s8[2] negate(middle)
  ROOT r = s8[17] concatenate(first, m, nn), dimensions={0})",
       "s8[10]",
       "s8[17]",
       {{17, 10, 17, Verdict::kReads}}},
      {"DynUpdateSliceUsingOperandData",
       R"(p = s8[3,1,1,1] parameter(0)
  update = s8[1,1,1,1] constant({{{{0}}}})
  zero = s32[] constant(0)
  u = s8[3,1,1,1] dynamic-update-slice(p, update, zero, zero, zero, zero)
  ROOT r = s8[3,1,1,1] negate(u))",
       "s8[3,1,1,1]",
       "s8[3,1,1,1]",
       {{2, 2, 2, Verdict::kElementsAndReads}}},
      // XLA takes for granted that the update is done in place, and reads nothing; the result as a
      // function has the other two elements from the operand.
      {"DynUpdateSliceNotUsingOperandData",
       R"(p = s8[3,1,1,1] parameter(0)
  update = s8[1,1,1,1] constant({{{{0}}}})
  zero = s32[] constant(0)
  ROOT r = s8[3,1,1,1] dynamic-update-slice(p, update, zero, zero, zero, zero))",
       "s8[3,1,1,1]",
       "s8[3,1,1,1]",
       {{0, 2, 2, Verdict::kNeither}}},
      {"ReduceWindowWithOverlapsRepeatedReads",
       R"(p = f32[8,8] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[3,4] reduce-window(p, zero), window={size=4x5 stride=2x1}, to_apply=add)",
       "f32[8,8]",
       "f32[3,4]",
       {{240, 64, 240, Verdict::kReads}}},
      // Two of the reads of each element are the same.
      {"CommonElementwiseUseTwoParameters",
       R"(p0 = f32[10] parameter(0)
  p1 = f32[10] parameter(1)
  a = f32[10] add(p0, p1)
  zero = f32[] constant(0)
  hundred = f32[] constant(100)
  r0 = f32[] reduce(a, zero), dimensions={0}, to_apply=add
  r1 = f32[] reduce(a, hundred), dimensions={0}, to_apply=add
  ROOT r = f32[] add(r0, r1))",
       "f32[10] f32[10]",
       "f32[]",
       {{20, 10, 10, Verdict::kNeither}, {20, 10, 10, Verdict::kNeither}}},
      {"Reduce",
       R"(p = f32[32,40] parameter(0)
  init = f32[] parameter(1)
  ROOT r = f32[32] reduce(p, init), dimensions={1}, to_apply=add)",
       "f32[32,40] f32[]",
       "f32[32]",
       {{1280, 1280, 1280, Verdict::kElementsAndReads}, {32, 1, 32, Verdict::kReads}}},
      // A pad reads all of its operand, says XLA.
      {"NegativePadding",
       R"(p = f32[100] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[60] pad(p, zero), padding=-30_-10)",
       "f32[100]",
       "f32[60]",
       {{100, 60, 60, Verdict::kNeither}}},
      // So does a dot, each element once.
      {"Dot",
       R"(p0 = f32[4,6] parameter(0)
  p1 = f32[6,5] parameter(1)
  ROOT r = f32[4,5] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
       "f32[4,6] f32[6,5]",
       "f32[4,5]",
       {{24, 24, 120, Verdict::kElements}, {30, 30, 120, Verdict::kElements}}},
  };
}

std::string TextOf(const XlaCase& xla_case) {
  std::string parameters;
  std::string names;
  size_t number = 0;
  for (size_t begin = 0; begin < xla_case.parameters.size(); ++number) {
    const size_t end = std::min(xla_case.parameters.find(' ', begin), xla_case.parameters.size());
    const std::string name = "x" + std::to_string(number);
    parameters += "  " + name + " = " + xla_case.parameters.substr(begin, end - begin) +
                  " parameter(" + std::to_string(number) + ")\n";
    names += (number == 0 ? "" : ", ") + name;
    begin = end + 1;
  }
  return "HloModule m\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
         "  ROOT s = f32[] add(a, b)\n}\n\nfused {\n  " +
         xla_case.body + "\n}\n\nENTRY e {\n" + parameters + "  ROOT f = " + xla_case.result +
         " fusion(" + names + "), kind=kLoop, calls=fused\n}\n";
}

class XlaUtilization : public ::testing::TestWithParam<XlaCase> {};

TEST_P(XlaUtilization, IsDecidedByTheTrace) {
  SCOPED_TRACE(TextOf(GetParam()));
  const auto module = hlo::ParseModule(TextOf(GetParam()));
  ASSERT_TRUE(module.ok()) << module.status().message();
  ASSERT_TRUE(hlo::Verify(**module).ok()) << hlo::Verify(**module).message();
  const hlo::Instruction& fusion = (*module)->entry().root();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  const std::vector<OperandUtilization> ours = UtilizationAnalysis(analysis).OfInstruction(fusion);
  ASSERT_EQ(ours.size(), GetParam().operands.size());
  Random random(0);
  RunValues values(**module, random, /*num_devices=*/1);
  const auto run = TracedRun::Make(fusion, values);
  ASSERT_TRUE(run.ok()) << run.status().message();
  for (size_t i = 0; i < ours.size(); ++i) {
    const auto& [xla, elements, reads, verdict] = GetParam().operands[i];
    std::set<int64_t> traced_elements;
    int64_t traced_reads = 0;
    for (int64_t k = 0; k < fusion.shape().num_elements(); ++k) {
      for (const hlo::Source& source : run->Reads(0, 0, k)) {
        if (source.argument != static_cast<int64_t>(i)) continue;
        traced_elements.insert(source.element);
        ++traced_reads;
      }
    }
    EXPECT_TRUE(ours[i].IsExact() && ours[i].reads.has_value() && ours[i].reads->IsExact());
    EXPECT_EQ(ours[i].elements_read.lower, llvm::DynamicAPInt(elements)) << ours[i].ToString();
    EXPECT_EQ(ours[i].reads->lower, llvm::DynamicAPInt(reads)) << ours[i].ToString();
    EXPECT_EQ(elements, std::ssize(traced_elements));
    EXPECT_EQ(reads, traced_reads);
    const bool is_elements = xla == static_cast<double>(traced_elements.size());
    const bool is_reads = xla == static_cast<double>(traced_reads);
    EXPECT_EQ(is_elements, verdict == Verdict::kElements || verdict == Verdict::kElementsAndReads);
    EXPECT_EQ(is_reads, verdict == Verdict::kReads || verdict == Verdict::kElementsAndReads);
  }
}

INSTANTIATE_TEST_SUITE_P(Tests, XlaUtilization, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

OperandUtilization OfOperand(const std::string& text, size_t operand) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok() && hlo::Verify(**module).ok());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IndexingAnalysis analysis(&context);
  OperandUtilization result =
      UtilizationAnalysis(analysis).OfInstruction((*module)->entry().root())[operand];
  // The module's shapes end with it.
  result.shape = nullptr;
  return result;
}

// XLA counts 10 reads of a scalar that only matters if the slice at run time starts at 0. All ten
// elements of the broadcast read it by the same index: once, if at all.
TEST(XlaUtilizationAtRunTime, OfFractionalUseRoundingUpIsARange) {
  const OperandUtilization operand = OfOperand(R"(
    add { a = s8[] parameter(0)
      b = s8[] parameter(1)
      ROOT s = s8[] add(a, b) }
    fused {
      p = s8[] parameter(0)
      start = s32[] parameter(1)
      b = s8[10] broadcast(p), dimensions={}
      zero = s8[] constant(0)
      r = s8[] reduce(b, zero), dimensions={0}, to_apply=add
      one = s8[1] bitcast(r)
      i = s8[5] iota(), iota_dimension=0
      c = s8[6] concatenate(one, i), dimensions={0}
      ROOT d = s8[2] dynamic-slice(c, start), dynamic_slice_sizes={2}
    }
    ENTRY e {
      x = s8[] parameter(0)
      y = s32[] parameter(1)
      ROOT f = s8[2] fusion(x, y), kind=kLoop, calls=fused
    })",
                                               0);
  EXPECT_EQ(operand.elements_read.lower, llvm::DynamicAPInt(0));
  EXPECT_EQ(operand.elements_read.upper, llvm::DynamicAPInt(1));
  ASSERT_TRUE(operand.reads.has_value());
  EXPECT_EQ(operand.reads->lower, llvm::DynamicAPInt(0));
  EXPECT_EQ(operand.reads->upper, llvm::DynamicAPInt(1));
}

}  // namespace
}  // namespace hlo_indexing::testing
