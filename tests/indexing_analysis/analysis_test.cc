#include "indexing_analysis/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class AnalysisTest : public ::testing::Test {
 protected:
  // Parses a module and keeps it.
  const hlo::Instruction& Root(const std::string& text) {
    auto module = hlo::ParseModule(text);
    EXPECT_TRUE(module.ok()) << module.status().message();
    modules_.push_back(std::move(*module));
    EXPECT_EQ(hlo::Verify(*modules_.back()).message(), "");
    return modules_.back()->entry().root();
  }

  // One line per map of the root's output: "operand.leaf: map", with the exactness if it is not
  // exact.
  std::vector<std::string> Maps(const std::string& text, int64_t output = 0,
                                AnalysisOptions options = {}) {
    const hlo::Instruction& root = Root(text);
    IndexingAnalysis analysis(&context_, options);
    const OutputIndexing indexing = analysis.OutputToInput(root, output);
    std::vector<std::string> lines;
    if (indexing.IsUnknown()) lines.push_back("unknown: " + indexing.unknown_reason());
    for (const OperandIndexing& operand : indexing.operands()) {
      std::string place = std::to_string(operand.operand());
      if (operand.leaf() != 0) place += "." + std::to_string(operand.leaf());
      if (operand.exactness() != Exactness::kExact) {
        place += " " + ExactnessName(operand.exactness()).str() + " (" + operand.reason() + ")";
      }
      EXPECT_EQ(operand.maps().empty(), operand.exactness() == Exactness::kUnknown);
      if (operand.maps().empty()) lines.push_back(place);
      for (const auto& [map, replica_map] : operand.maps()) {
        EXPECT_TRUE(map.Verify().ok());
        lines.push_back(place + ": " + map.ToString());
      }
    }
    return lines;
  }

  // The maps of `r = INSTRUCTION`, its operands being parameters p0, p1, ... of the given shapes.
  std::vector<std::string> MapsOf(const std::vector<std::string>& shapes,
                                  const std::string& instruction) {
    std::string text =
        "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b) }\n"
        "ENTRY e {\n";
    for (size_t i = 0; i < shapes.size(); ++i) {
      const std::string number = std::to_string(i);
      text += "  p" + number + " = " + shapes[i] + " parameter(" + number + ")\n";
    }
    return Maps(text + "  ROOT r = " + instruction + "\n}\n");
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  std::vector<std::unique_ptr<hlo::Module>> modules_;
};

TEST_F(AnalysisTest, Elementwise) {
  EXPECT_THAT(MapsOf({"f32[10,20]", "f32[10,20]"}, "f32[10,20] add(p0, p1)"),
              ElementsAre("0: (d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]",
                          "1: (d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]"));
  EXPECT_THAT(
      MapsOf({"pred[]", "f32[3]", "f32[3]"}, "f32[3] select(p0, p1, p2)"),
      ElementsAre("0: (d0) -> (), domain: d0 in [0, 2]", "1: (d0) -> (d0), domain: d0 in [0, 2]",
                  "2: (d0) -> (d0), domain: d0 in [0, 2]"));
  EXPECT_THAT(MapsOf({}, "f32[3] iota(), iota_dimension=0"), IsEmpty());
  // An array without elements reads nothing.
  EXPECT_THAT(MapsOf({"f32[0,4]"}, "f32[0,4] negate(p0)"), IsEmpty());
  EXPECT_THAT(MapsOf({"f32[]"}, "f32[] negate(p0)"), ElementsAre("0: () -> ()"));
}

TEST_F(AnalysisTest, BitcastConvert) {
  EXPECT_THAT(MapsOf({"f32[3]"}, "u8[3,4] bitcast-convert(p0)"),
              ElementsAre("0: (d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 3]"));
  EXPECT_THAT(MapsOf({"u8[3,4]"}, "f32[3] bitcast-convert(p0)"),
              ElementsAre("0: (d0)[s0] -> (d0, s0), domain: d0 in [0, 2], s0 in [0, 3]"));
}

TEST_F(AnalysisTest, DataMovement) {
  EXPECT_THAT(MapsOf({"f32[20]"}, "f32[10,20,30] broadcast(p0), dimensions={1}"),
              ElementsAre("0: (d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in "
                          "[0, 29]"));
  EXPECT_THAT(
      MapsOf({"f32[3,12288,6,128]"}, "f32[3,6,128,12288] transpose(p0), dimensions={0,2,3,1}"),
      ElementsAre("0: (d0, d1, d2, d3) -> (d0, d3, d1, d2), domain: d0 in [0, 2], d1 in "
                  "[0, 5], d2 in [0, 127], d3 in [0, 12287]"));
  EXPECT_THAT(
      MapsOf({"f32[1,17,9,9]"}, "f32[1,17,9,9] reverse(p0), dimensions={1,2}"),
      ElementsAre("0: (d0, d1, d2, d3) -> (0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 0], "
                  "d1 in [0, 16], d2 in [0, 8], d3 in [0, 8]"));
  EXPECT_THAT(
      MapsOf({"f32[10,20,50]"}, "f32[5,3,25] slice(p0), slice={[5:10:1], [3:20:7], [0:50:2]}"),
      ElementsAre("0: (d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: d0 in [0, 4], "
                  "d1 in [0, 2], d2 in [0, 24]"));
}

TEST_F(AnalysisTest, Reshape) {
  EXPECT_THAT(MapsOf({"f32[4,8]"}, "f32[32] reshape(p0)"),
              ElementsAre("0: (d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"));
  EXPECT_THAT(MapsOf({"f32[32]"}, "f32[4,8] reshape(p0)"),
              ElementsAre("0: (d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"));
  EXPECT_THAT(
      MapsOf({"f32[4,8]"}, "f32[2,4,4] reshape(p0)"),
      ElementsAre("0: (d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 + d2), domain: "
                  "d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]"));
  EXPECT_THAT(
      MapsOf({"f32[2,4,4]"}, "f32[4,8] reshape(p0)"),
      ElementsAre("0: (d0, d1) -> (d0 floordiv 2, (d0 mod 2) * 2 + d1 floordiv 4, d1 mod 4), "
                  "domain: d0 in [0, 3], d1 in [0, 7]"));
  EXPECT_THAT(
      MapsOf({"f32[4,8,12]"}, "f32[32,3,4] reshape(p0)"),
      ElementsAre("0: (d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2), domain: d0 in "
                  "[0, 31], d1 in [0, 2], d2 in [0, 3]"));
}

TEST_F(AnalysisTest, Bitcast) {
  EXPECT_THAT(MapsOf({"f32[16,17,3]"}, "f32[51,16]{0,1} bitcast(p0)"),
              ElementsAre("0: (d0, d1) -> (d1, d0 floordiv 3, d0 mod 3), domain: d0 in [0, 50], d1 "
                          "in [0, 15]"));
  EXPECT_THAT(MapsOf({"f32[4]"}, "u8[16] bitcast(p0)"),
              ElementsAre("0: (d0) -> (d0 floordiv 4), domain: d0 in [0, 15]"));
  EXPECT_THAT(MapsOf({"u8[16]"}, "f32[4] bitcast(p0)"),
              ElementsAre("0: (d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 3], s0 in [0, 3]"));
  // Through a tiling: where the untiled buffer holds padding, nothing is read.
  EXPECT_THAT(MapsOf({"f32[3]{0:T(2)}"}, "f32[4] bitcast(p0)"),
              ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 2]"));
  EXPECT_THAT(
      MapsOf({"f32[4,4]{1,0:T(2,2)}"}, "f32[2,2,2,2] bitcast(p0)"),
      ElementsAre("0: (d0, d1, d2, d3) -> (d0 * 2 + d2, d1 * 2 + d3), domain: d0 in [0, 1], "
                  "d1 in [0, 1], d2 in [0, 1], d3 in [0, 1]"));
}

TEST_F(AnalysisTest, ConcatenateAndPad) {
  EXPECT_THAT(MapsOf({"f32[3,50]", "f32[3,30]"}, "f32[3,80] concatenate(p0, p1), dimensions={1}"),
              ElementsAre("0: (d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 49]",
                          "1: (d0, d1) -> (d0, d1 - 50), domain: d0 in [0, 2], d1 in [50, 79]"));
  EXPECT_THAT(
      MapsOf({"f32[4,4]", "f32[]"}, "f32[12,16] pad(p0, p1), padding=1_4_1x4_8_0"),
      ElementsAre("0: (d0, d1) -> (d0 floordiv 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, 7], "
                  "d0 mod 2 in [1, 1]",
                  "1: (d0, d1) -> (), domain: d0 in [0, 0], d1 in [0, 15]",
                  "1: (d0, d1) -> (), domain: d0 in [8, 11], d1 in [0, 15]",
                  "1: (d0, d1) -> (), domain: d0 in [2, 6], d1 in [0, 15], d0 mod 2 in [0, 0]",
                  "1: (d0, d1) -> (), domain: d0 in [1, 7], d1 in [0, 3], d0 mod 2 in [1, 1]",
                  "1: (d0, d1) -> (), domain: d0 in [1, 7], d1 in [8, 15], d0 mod 2 in [1, 1]"));
  // No element of an empty operand is left to read.
  EXPECT_THAT(MapsOf({"f32[0]", "f32[]"}, "f32[3] pad(p0, p1), padding=1_2"),
              ElementsAre("1: (d0) -> (), domain: d0 in [0, 2]"));
}

TEST_F(AnalysisTest, Contractions) {
  EXPECT_THAT(
      MapsOf({"f32[256,10]", "f32[]"}, "f32[10] reduce(p0, p1), dimensions={0}, to_apply=add"),
      ElementsAre("0: (d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]",
                  "1: (d0) -> (), domain: d0 in [0, 9]"));
  EXPECT_THAT(
      MapsOf({"f32[4,38,17,11,18,10]", "f32[17,10,16,18,22,38]"},
             "f32[10,38,4,11,16,22] dot(p0, p1), lhs_batch_dims={5,1}, "
             "rhs_batch_dims={1,5}, lhs_contracting_dims={4,2}, rhs_contracting_dims={3,0}"),
      ElementsAre(HasSubstr("[s0, s1] -> (d2, d1, s1, d3, s0, d0), domain:"),
                  HasSubstr("[s0, s1] -> (s1, d0, d4, s0, d5, d1), domain:")));
}

TEST_F(AnalysisTest, DynamicSlice) {
  EXPECT_THAT(
      MapsOf({"s32[2,2,258]", "s32[]", "s32[]", "s32[]"},
             "s32[1,2,32] dynamic-slice(p0, p1, p2, p3), dynamic_slice_sizes={1,2,32}"),
      ElementsAre("0: (d0, d1, d2){rt0, rt1} -> (rt0, d1, d2 + rt1), domain: d0 in [0, 0], d1 "
                  "in [0, 1], d2 in [0, 31], rt0 in [0, 1], rt1 in [0, 226]",
                  HasSubstr("1: (d0, d1, d2) -> ()"), HasSubstr("2: (d0, d1, d2) -> ()"),
                  HasSubstr("3: (d0, d1, d2) -> ()")));
}

TEST_F(AnalysisTest, ConstantStartIndicesAreClamped) {
  EXPECT_THAT(Maps("ENTRY e { p = f32[10] parameter(0)\n c = s32[] constant(99)\n"
                   " ROOT r = f32[4] dynamic-slice(p, c), dynamic_slice_sizes={4} }"),
              ElementsAre("0: (d0) -> (d0 + 6), domain: d0 in [0, 3]", HasSubstr("1: (d0) -> ()")));
  // Also where the constant is given by the caller.
  EXPECT_THAT(Maps("f { p = f32[10] parameter(0)\n i = s32[] parameter(1)\n"
                   " ROOT r = f32[4] dynamic-slice(p, i), dynamic_slice_sizes={4} }\n"
                   "ENTRY e { p = f32[10] parameter(0)\n c = s32[] constant(-5)\n"
                   " ROOT r = f32[4] fusion(p, c), kind=kLoop, calls=f }"),
              ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 3]", HasSubstr("1: (d0) -> ()")));
}

TEST_F(AnalysisTest, DynamicUpdateSliceReadsTheComplement) {
  EXPECT_THAT(
      MapsOf({"s32[20]", "s32[5]", "s32[]"}, "s32[20] dynamic-update-slice(p0, p1, p2)"),
      ElementsAre("0: (d0){rt0} -> (d0), domain: d0 in [0, 14], rt0 in [0, 15], d0 - rt0 in "
                  "[-15, -1]",
                  "0: (d0){rt0} -> (d0), domain: d0 in [5, 19], rt0 in [0, 15], d0 - rt0 in "
                  "[5, 19]",
                  "1: (d0){rt0} -> (d0 - rt0), domain: d0 in [0, 19], rt0 in [0, 15], d0 - "
                  "rt0 in [0, 4]",
                  "2: (d0) -> (), domain: d0 in [0, 19]"));
  // All of it is overwritten.
  EXPECT_THAT(MapsOf({"s32[5]", "s32[5]", "s32[]"}, "s32[5] dynamic-update-slice(p0, p1, p2)"),
              ElementsAre("1: (d0) -> (d0), domain: d0 in [0, 4]", HasSubstr("2: ")));
}

TEST_F(AnalysisTest, TuplesByLeaf) {
  const std::string text =
      "ENTRY e { a = f32[2] parameter(0)\n t = (s32[], (token[], f32[3])) parameter(1)\n"
      " ROOT r = (f32[2], ((s32[], (token[], f32[3])), f32[2])) tuple(a, u)\n}";
  const std::string nested =
      "ENTRY e { a = f32[2] parameter(0)\n t = (s32[], (token[], f32[3])) parameter(1)\n"
      " u = ((s32[], (token[], f32[3])), f32[2]) tuple(t, a)\n"
      " ROOT r = (f32[2], ((s32[], (token[], f32[3])), f32[2])) tuple(a, u)\n}";
  EXPECT_THAT(Maps(nested, 0), ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 1]"));
  EXPECT_THAT(Maps(nested, 1), ElementsAre("1: () -> ()"));
  EXPECT_THAT(Maps(nested, 2), ElementsAre("1.1: (d0) -> (d0), domain: d0 in [0, 2]"));
  EXPECT_THAT(Maps(nested, 3), ElementsAre("1.2: (d0) -> (d0), domain: d0 in [0, 1]"));
  EXPECT_THAT(Maps("ENTRY e { t = (s32[], (token[], f32[3])) parameter(0)\n"
                   " ROOT r = (token[], f32[3]) get-tuple-element(t), index=1 }"),
              ElementsAre("0.1: (d0) -> (d0), domain: d0 in [0, 2]"));
  EXPECT_FALSE(hlo::ParseModule(text).ok());
}

constexpr const char* kAdd =
    "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b) }\n";

TEST_F(AnalysisTest, SoftmaxReadsElementAndRow) {
  EXPECT_THAT(
      Maps(std::string(kAdd) +
           "softmax { p = f32[2,65,125] parameter(0)\n c = f32[] constant(-inf)\n"
           " m = f32[2,65] reduce(p, c), dimensions={2}, to_apply=add\n"
           " mb = f32[2,65,125] broadcast(m), dimensions={0,1}\n"
           " s = f32[2,65,125] subtract(p, mb)\n e = f32[2,65,125] exponential(s)\n"
           " z = f32[] constant(0)\n sum = f32[2,65] reduce(e, z), dimensions={2}, to_apply=add\n"
           " sb = f32[2,65,125] broadcast(sum), dimensions={0,1}\n"
           " ROOT d = f32[2,65,125] divide(e, sb) }\n"
           "ENTRY e { p = f32[2,65,125] parameter(0)\n"
           " ROOT f = f32[2,65,125] fusion(p), kind=kLoop, calls=softmax }"),
      ElementsAre("0: (d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, "
                  "124]",
                  "0: (d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], d2 in "
                  "[0, 124], s0 in [0, 124]"));
}

// A fusion of one parameter with this body.
std::string Fusion(const std::string& parameter, const std::string& body,
                   const std::string& shape) {
  return std::string(kAdd) + "f { p = " + parameter + " parameter(0)\n" + body +
         " }\nENTRY e { p = " + parameter + " parameter(0)\n ROOT r = " + shape +
         " fusion(p), kind=kLoop, calls=f }\n";
}

TEST_F(AnalysisTest, EqualPathsAreOneMap) {
  EXPECT_THAT(
      Maps(Fusion("f32[20,10,50]",
                  " a = f32[10,20,50] transpose(p), dimensions={1,0,2}\n"
                  " b = f32[10,20,50] exponential(a)\n"
                  " c = f32[10,50,20] transpose(b), dimensions={0,2,1}\n"
                  " d = f32[50,10,20] transpose(p), dimensions={2,1,0}\n"
                  " e = f32[10,50,20] transpose(d), dimensions={1,0,2}\n"
                  " ROOT r = f32[10,50,20] add(c, e)",
                  "f32[10,50,20]")),
      ElementsAre("0: (d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], d2 "
                  "in [0, 19]"));
}

TEST_F(AnalysisTest, RangesOfProducersComeFirst) {
  EXPECT_THAT(
      Maps(Fusion("f32[150,20,10,50]",
                  " z = f32[] constant(0)\n"
                  " a = f32[20,10] reduce(p, z), dimensions={0,3}, to_apply=add\n"
                  " ROOT r = f32[10] reduce(a, z), dimensions={0}, to_apply=add",
                  "f32[10]")),
      ElementsAre("0: (d0)[s0, s1, s2] -> (s0, s2, d0, s1), domain: d0 in [0, 9], s0 in [0, "
                  "149], s1 in [0, 49], s2 in [0, 19]"));
}

TEST_F(AnalysisTest, SliceOfConcatenate) {
  const std::string body =
      "f { a = f32[5] parameter(0)\n b = f32[11] parameter(1)\n c = f32[17] parameter(2)\n"
      " k = f32[33] concatenate(a, b, c), dimensions={0}\n ROOT r = f32[11] slice(k), "
      "slice={[0:33:3]} }\n"
      "ENTRY e { a = f32[5] parameter(0)\n b = f32[11] parameter(1)\n c = f32[17] parameter(2)\n"
      " ROOT r = f32[11] fusion(a, b, c), kind=kLoop, calls=f }";
  EXPECT_THAT(Maps(body), ElementsAre("0: (d0) -> (d0 * 3), domain: d0 in [0, 1]",
                                      "1: (d0) -> (d0 * 3 - 5), domain: d0 in [2, 5]",
                                      "2: (d0) -> (d0 * 3 - 16), domain: d0 in [6, 10]"));
}

TEST_F(AnalysisTest, RuntimeValuesKnowTheirInstruction) {
  const hlo::Instruction& root = Root(
      "g { p = f32[10] parameter(0)\n i = s32[] parameter(1)\n one = s32[] constant(1)\n"
      " j = s32[] add(i, one)\n ROOT r = f32[4] dynamic-slice(p, j), dynamic_slice_sizes={4} }\n"
      "f { p = f32[10] parameter(0)\n i = s32[] parameter(1)\n k = s32[] parameter(2)\n"
      " a = f32[4] call(p, i), to_apply=g\n b = f32[4] call(p, k), to_apply=g\n"
      " c = f32[4] dynamic-slice(p, i), dynamic_slice_sizes={4}\n"
      " ab = f32[4] add(a, b)\n ROOT r = f32[4] add(ab, c) }\n"
      "ENTRY e { p = f32[10] parameter(0)\n x = s32[] parameter(1)\n y = s32[] parameter(2)\n"
      " ROOT r = f32[4] fusion(p, x, y), kind=kLoop, calls=f }");
  IndexingAnalysis analysis(&context_);
  const OutputIndexing indexing = analysis.OutputToInput(root, 0);
  // The two calls of g read with values of their own, though it is the same instruction.
  ASSERT_EQ(indexing.operands()[0].maps().size(), 3u);
  std::vector<std::string> sources;
  for (const auto& [map, replica_map] : indexing.operands()[0].maps()) {
    const RuntimeVariable& variable = map.runtime()[0];
    std::string source = variable.instruction->name().str();
    for (const hlo::Instruction* call : variable.calls) source += "@" + call->name().str();
    sources.push_back(source);
    EXPECT_EQ(variable.bounds, (Interval{0, 6}));
    EXPECT_EQ(variable.index.affine_map().getNumResults(), 0u);
  }
  EXPECT_THAT(sources, ::testing::UnorderedElementsAre("x", "j@a", "j@b"));
}

TEST_F(AnalysisTest, UnknownGoesOnlyWhereTheValueCameFrom) {
  EXPECT_THAT(MapsOf({"f32[6]"}, "f32[6] custom-call(p0), custom_call_target=\"x\""),
              ElementsAre("0 unknown (no maps are registered for the custom call 'x')"));
  const std::string text =
      "f { a = f32[6] parameter(0)\n b = f32[6] parameter(1)\n c = f32[6] parameter(2)\n"
      " t = (f32[6], f32[6]) tuple(a, b)\n g = f32[6] get-tuple-element(t), index=1\n"
      " u = f32[6] custom-call(g), custom_call_target=\"x\"\n s = f32[6] add(u, c)\n"
      " ROOT r = (f32[6], f32[6]) tuple(s, a) }\n"
      "ENTRY e { a = f32[6] parameter(0)\n b = f32[6] parameter(1)\n c = f32[6] parameter(2)\n"
      " ROOT r = (f32[6], f32[6]) fusion(a, b, c), kind=kLoop, calls=f }";
  EXPECT_THAT(Maps(text, 0),
              ElementsAre("1 unknown (no maps are registered for the custom call 'x')",
                          "2: (d0) -> (d0), domain: d0 in [0, 5]"));
  EXPECT_THAT(Maps(text, 1), ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 5]"));
}

// The answer for operand 0.
TEST_F(AnalysisTest, DimensionsWithoutBound) {
  constexpr char kBatch[] = "f32[?,4]";
  struct Row {
    std::vector<std::string> shapes;
    const char* instruction;
    const char* map;
  };
  const Row rows[] = {
      {{kBatch},
       "f32[?,4] negate(p0)",
       "(d0, d1) -> (d0, d1), domain: d0 in [0, inf], d1 in [0, 3]"},
      // The sizes agree, so what is known of one is known of the other.
      {{kBatch, "f32[8,4]"},
       "f32[?,4] add(p0, p1)",
       "(d0, d1) -> (d0, d1), domain: d0 in [0, inf], d1 in [0, 3]"},
      {{"f32[8,4]", kBatch},
       "f32[?,4] add(p0, p1)",
       "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]"},
      {{kBatch}, "f32[8,4] negate(p0)", "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]"},
      {{"f32[?]"},
       "f32[?,4] broadcast(p0), dimensions={0}",
       "(d0, d1) -> (d0), domain: d0 in [0, inf], d1 in [0, 3]"},
      {{kBatch},
       "f32[4,?] transpose(p0), dimensions={1,0}",
       "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, inf]"},
      {{"f32[4,?]"},
       "f32[2,3] slice(p0), slice={[0:2], [1:7:2]}",
       "(d0, d1) -> (d0, d1 * 2 + 1), domain: d0 in [0, 1], d1 in [0, 2]"},
      {{kBatch},
       "f32[?,4] reverse(p0), dimensions={1}",
       "(d0, d1) -> (d0, -d1 + 3), domain: d0 in [0, inf], d1 in [0, 3]"},
      {{"f32[3,4]", kBatch},
       "f32[?,4] concatenate(p0, p1), dimensions={0}",
       "(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 3]"},
      {{kBatch, "f32[]"},
       "f32[?,6] pad(p0, p1), padding=0_0x1_1",
       "(d0, d1) -> (d0, d1 - 1), domain: d0 in [0, inf], d1 in [1, 4]"},
      {{"f32[6,?,4]"},
       "f32[2,3,?,2,2] reshape(p0)",
       "(d0, d1, d2, d3, d4) -> (d0 * 3 + d1, d2, d3 * 2 + d4), domain: d0 in [0, 1], d1 in [0, "
       "2], d2 in [0, inf], d3 in [0, 1], d4 in [0, 1]"},
      {{kBatch, "f32[]"},
       "f32[?] reduce(p0, p1), dimensions={1}, to_apply=add",
       "(d0)[s0] -> (d0, s0), domain: d0 in [0, inf], s0 in [0, 3]"},
      {{"f32[?,4]", "f32[4,5]"},
       "f32[?,5] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, inf], d1 in [0, 4], s0 in [0, 3]"},
      {{"f32[9,4]", "s32[?,1]"},
       "f32[?,4] gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
       "index_vector_dim=1, slice_sizes={1,4}",
       "(d0, d1){rt0} -> (rt0, d1), domain: d0 in [0, inf], d1 in [0, 3], rt0 in [0, 8]"},
      {{"f32[?,9,1]", "f32[3,1,2]"},
       "f32[?,7,2] convolution(p0, p1), window={size=3}, dim_labels=b0f_0io->b0f",
       "(d0, d1, d2)[s0] -> (d0, d1 + s0, 0), domain: d0 in [0, inf], d1 in [0, 6], d2 in [0, 1], "
       "s0 in [0, 2]"},
      {{kBatch, "f32[]"},
       "f32[?,2] reduce-window(p0, p1), window={size=1x3}, to_apply=add",
       "(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, inf], d1 in [0, 1], s0 in [0, 2]"},
      {{"(f32[?], f32[3])"},
       "f32[?] get-tuple-element(p0), index=0",
       "(d0) -> (d0), domain: d0 in [0, inf]"},
      {{"f32[?,2]"},
       "f64[?] bitcast-convert(p0)",
       "(d0)[s0] -> (d0, s0), domain: d0 in [0, inf], s0 in [0, 1]"},
      {{"f32[12]"},
       "f32[?] slice(p0), slice={[1:11:2]}",
       "(d0) -> (d0 * 2 + 1), domain: d0 in [0, 4]"},
      {{"f32[?,0]"}, "f32[?,0] negate(p0)", nullptr},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.instruction);
    const std::vector<std::string> maps = MapsOf(row.shapes, row.instruction);
    if (row.map == nullptr) {
      EXPECT_THAT(maps, IsEmpty());
    } else {
      ASSERT_THAT(maps, Not(IsEmpty()));
      EXPECT_EQ(maps.front(), std::string("0: ") + row.map);
    }
  }
}

// Rules that need the size.
TEST_F(AnalysisTest, UnboundedDimensionsAreUnknown) {
  constexpr char kUnknown[] = "0 unknown (dimension 0 of [?,4] has no bound)";
  EXPECT_THAT(MapsOf({"f32[?,4]"}, "f32[?,4] reverse(p0), dimensions={0}"), ElementsAre(kUnknown));
  EXPECT_THAT(MapsOf({"f32[?,4]", "f32[]"}, "f32[?,4] pad(p0, p1), padding=1_0x0_0"),
              Contains(kUnknown));
  EXPECT_THAT(MapsOf({"f32[?,4]", "f32[3,4]"}, "f32[?,4] concatenate(p0, p1), dimensions={0}"),
              Contains(kUnknown));
  EXPECT_THAT(MapsOf({"f32[?,4]"},
                     "f32[4,4] dot(p0, p0), lhs_contracting_dims={0}, "
                     "rhs_contracting_dims={0}"),
              Contains(kUnknown));
  EXPECT_THAT(MapsOf({"f32[?,4]"}, "f32[?,4] cholesky(p0)"), ElementsAre(kUnknown));
  // Of the output first, then of the operand. Two sizes may have changed places.
  EXPECT_THAT(MapsOf({"f32[?,4]"}, "f32[?,2] reshape(p0)"),
              ElementsAre("0 unknown (dimension 0 of [?,2] has no bound)"));
  EXPECT_THAT(MapsOf({"f32[?,4]"}, "f32[8,4] reshape(p0)"), ElementsAre(kUnknown));
  EXPECT_THAT(MapsOf({"f32[?,2,?]"}, "f32[?,2,?] reshape(p0)"),
              ElementsAre("0 unknown (dimension 0 of [?,2,?] has no bound)"));
  // Inside of a fusion, and of instructions that share their answer.
  const std::string text =
      "f { a = f32[?,4] parameter(0)\n b = f32[4] parameter(1)\n z = f32[] constant(0)\n"
      " n = f32[?,4] negate(a)\n r = f32[4] reduce(n, z), dimensions={0}, to_apply=s\n"
      " ROOT t = f32[4] add(r, b) }\n"
      "s { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
      "ENTRY e { a = f32[?,4] parameter(0)\n b = f32[4] parameter(1)\n"
      " ROOT r = f32[4] fusion(a, b), kind=kInput, calls=f }";
  EXPECT_THAT(Maps(text, 0), ElementsAre(kUnknown, "1: (d0) -> (d0), domain: d0 in [0, 3]"));
  // What an array does not depend on is known.
  const std::string tuples =
      "f { a = f32[?] parameter(0)\n b = f32[?] parameter(1)\n"
      " n = f32[?] reverse(b), dimensions={0}\n"
      " t = (f32[?], f32[?]) tuple(a, n)\n g = f32[?] get-tuple-element(t), index=1\n"
      " ROOT r = (f32[?], f32[?]) tuple(g, a) }\n"
      "ENTRY e { a = f32[?] parameter(0)\n b = f32[?] parameter(1)\n"
      " ROOT r = (f32[?], f32[?]) fusion(a, b), kind=kLoop, calls=f }";
  EXPECT_THAT(Maps(tuples, 0), ElementsAre("1 unknown (dimension 0 of [?] has no bound)"));
  EXPECT_THAT(Maps(tuples, 1), ElementsAre("0: (d0) -> (d0), domain: d0 in [0, inf]"));
  EXPECT_THAT(MapsOf({"(f32[?], f32[3])"}, "f32[3] get-tuple-element(p0), index=1"),
              ElementsAre("0.1: (d0) -> (d0), domain: d0 in [0, 2]"));
  EXPECT_THAT(MapsOf({"f32[<=6,4]"}, "f32[<=6,4] negate(p0)"),
              ElementsAre("0: (d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 3]"));
}

// The size that a computation gives what it is called with, and what it returns.
TEST_F(AnalysisTest, CallsMayKnowMoreOfASizeThanTheirCallers) {
  const auto call = [&](const std::string& outside, const std::string& inside) {
    return Maps("f { a = f32[" + inside + "] parameter(0)\n ROOT n = f32[" + inside +
                "] negate(a) }\nENTRY e { a = f32[" + outside + "] parameter(0)\n ROOT r = f32[" +
                outside + "] call(a), to_apply=f }");
  };
  EXPECT_THAT(call("?", "8"), ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 7]"));
  EXPECT_THAT(call("8", "?"), ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 7]"));
  EXPECT_THAT(call("?", "?"), ElementsAre("0: (d0) -> (d0), domain: d0 in [0, inf]"));
}

TEST_F(AnalysisTest, DeepDiamondsAreLinear) {
  std::string body = " v0 = f32[8] negate(p)\n";
  constexpr int kDepth = 5000;
  for (int i = 1; i <= kDepth; ++i) {
    const std::string before = "v" + std::to_string(i - 1);
    const std::string name = std::to_string(i);
    body += " l" + name + " = f32[8] negate(" + before + ")\n r" + name + " = f32[8] abs(" +
            before + ")\n v" + name + " = f32[8] add(l" + name + ", r" + name + ")\n";
  }
  body += " ROOT r = f32[8] negate(v" + std::to_string(kDepth) + ")";
  EXPECT_THAT(Maps(Fusion("f32[8]", body, "f32[8]")),
              ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 7]"));
}

TEST_F(AnalysisTest, CallsThatDoubleAreLinear) {
  std::string text =
      "f0 { p = f32[8] parameter(0)\n ROOT r = f32[8] reverse(p), dimensions={0} }\n";
  constexpr int kDepth = 100;
  for (int i = 1; i <= kDepth; ++i) {
    const std::string callee = "f" + std::to_string(i - 1);
    text += "f" + std::to_string(i) +
            " { p = f32[8] parameter(0)\n a = f32[8] call(p), to_apply=" + callee +
            "\n ROOT b = f32[8] call(a), to_apply=" + callee + " }\n";
  }
  EXPECT_THAT(
      Maps(text + "ENTRY e { p = f32[8] parameter(0)\n ROOT r = f32[8] call(p), to_apply=f" +
           std::to_string(kDepth) + " }"),
      ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 7]"));
}

TEST_F(AnalysisTest, LimitsGiveASuperset) {
  // Each step reads its operand in two ways: 2^12 in all.
  std::string body = " v0 = f32[8192] negate(p)\n z = f32[] constant(0)\n";
  for (int i = 1; i <= 12; ++i) {
    const std::string before = "v" + std::to_string(i - 1);
    const std::string name = std::to_string(i);
    const std::string step = std::to_string(1 << (i - 1));
    body += " s" + name + " = f32[8192] pad(" + before + ", z), padding=" + step + "_-" + step +
            "\n v" + name + " = f32[8192] add(s" + name + ", " + before + ")\n";
  }
  body += " ROOT r = f32[8192] negate(v12)";
  AnalysisOptions options;
  options.max_accesses = 100;
  EXPECT_THAT(Maps(Fusion("f32[8192]", body, "f32[8192]"), 0, options),
              ::testing::Contains(
                  "0 superset (an array inside is read in more than 100 ways): (d0)[s0] -> (s0), "
                  "domain: d0 in [0, 8191], s0 in [0, 8191]"));
  options.max_accesses = 5000;
  EXPECT_EQ(Maps(Fusion("f32[8192]", body, "f32[8192]"), 0, options).size(), 4096u);
}

TEST_F(AnalysisTest, EqualInstructionsShareTheirMaps) {
  const hlo::Instruction& root = Root(
      "ENTRY e { p = f32[8] parameter(0)\n a = f32[8] negate(p)\n b = f32[8] abs(a)\n"
      " ROOT c = f32[8] negate(b) }");
  IndexingAnalysis analysis(&context_);
  const auto maps = [&](const hlo::Instruction& instruction) {
    return analysis.OutputToInput(instruction, 0).operands()[0].maps().data();
  };
  EXPECT_EQ(maps(root), maps(root.operand(0)));
  EXPECT_EQ(maps(root), maps(root.operand(0).operand(0)));
}

// Asked about one after the other, in both orders and directions, each names its own operands, and
// those whose indices are alike are alike.
TEST_F(AnalysisTest, EqualSlicesHaveTheirOwnIndices) {
  const hlo::Instruction& root = Root(
      "ENTRY e { p = f32[8,8] parameter(0)\n q = f32[8,8] parameter(1)\n"
      " i = s32[] parameter(2)\n j = s32[] parameter(3)\n k = s32[] constant(3)\n"
      " a = f32[2,2] dynamic-slice(p, i, j), dynamic_slice_sizes={2,2}\n"
      " b = f32[2,2] dynamic-slice(q, j, i), dynamic_slice_sizes={2,2}\n"
      " c = f32[2,2] dynamic-slice(q, j, j), dynamic_slice_sizes={2,2}\n"
      " d = f32[2,2] dynamic-slice(q, i, i), dynamic_slice_sizes={2,2}\n"
      " e = f32[2,2] dynamic-slice(p, k, j), dynamic_slice_sizes={2,2}\n"
      " f = f32[8,8] dynamic-update-slice(p, a, i, j)\n"
      " g = f32[8,8] dynamic-update-slice(q, b, j, i)\n"
      " ROOT r = tuple(a, b, c, d, e, f, g) }");
  const auto describe = [&](IndexingAnalysis& analysis, size_t element) {
    const hlo::Instruction& instruction = root.operand(element);
    std::string text;
    for (const OutputIndexing& indexing :
         {analysis.OutputToInput(instruction, 0), analysis.InputToOutput(instruction, 0)}) {
      for (const OperandIndexing& operand : indexing.operands()) {
        for (const auto& [map, replica_map] : operand.maps()) {
          text += map.ToString();
          for (const RuntimeVariable& variable : map.runtime()) {
            text += " " + variable.instruction->name().str();
          }
          text += "\n";
        }
      }
    }
    return text;
  };
  std::vector<std::string> alone;
  for (size_t i = 0; i < root.operands().size(); ++i) {
    IndexingAnalysis analysis(&context_);
    alone.push_back(describe(analysis, i));
  }
  EXPECT_THAT(alone[0], HasSubstr(" i j\n"));
  EXPECT_THAT(alone[1], HasSubstr(" j i\n"));
  EXPECT_THAT(alone[2], HasSubstr("(d0 + rt0, d1 + rt0)"));
  EXPECT_THAT(alone[4], HasSubstr("(d0 + 3, d1 + rt0)"));
  IndexingAnalysis forwards(&context_);
  for (size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(describe(forwards, i), alone[i]);
  IndexingAnalysis backwards(&context_);
  for (size_t i = alone.size(); i-- > 0;) EXPECT_EQ(describe(backwards, i), alone[i]);
  // The second direction of one that has been asked about in the other direction only.
  IndexingAnalysis mixed(&context_);
  mixed.OutputToInput(root.operand(0), 0);
  EXPECT_EQ(describe(mixed, 1), alone[1]);
  EXPECT_EQ(describe(mixed, 0), alone[0]);
}

// The same computation called with a number, and twice with a value that it is given.
TEST_F(AnalysisTest, CallsInOneQuestionKeepTheirOwnValues) {
  const hlo::Instruction& root = Root(
      "inner { x = f32[8] parameter(0)\n i = s32[] parameter(1)\n"
      " ROOT r = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4} }\n"
      "computed { x = f32[8] parameter(0)\n i = s32[] parameter(1)\n k = s32[] negate(i)\n"
      " ROOT r = f32[4] dynamic-slice(x, k), dynamic_slice_sizes={4} }\n"
      "outer { x = f32[8] parameter(0)\n i = s32[] parameter(1)\n j = s32[] parameter(2)\n"
      " two = s32[] constant(2)\n a = f32[4] call(x, i), to_apply=inner\n"
      " b = f32[4] call(x, two), to_apply=inner\n c = f32[4] add(a, b)\n"
      " d = f32[4] call(x, i), to_apply=computed\n e = f32[4] call(x, j), to_apply=computed\n"
      " f = f32[4] add(d, e)\n ROOT r = f32[4] add(c, f) }\n"
      "ENTRY e { x = f32[8] parameter(0)\n i = s32[] parameter(1)\n j = s32[] parameter(2)\n"
      " ROOT r = f32[4] call(x, i, j), to_apply=outer }");
  IndexingAnalysis analysis(&context_);
  const OutputIndexing indexing = analysis.OutputToInput(root, 0);
  const OperandIndexing& read = indexing.operands()[0];
  EXPECT_EQ(read.exactness(), Exactness::kExact);
  std::vector<std::string> maps;
  for (const auto& [map, replica_map] : read.maps()) {
    std::string text = map.ToString();
    for (const RuntimeVariable& variable : map.runtime()) {
      for (const hlo::Instruction* call : variable.calls) text += " " + call->name().str();
      text += " " + variable.instruction->name().str();
    }
    maps.push_back(text);
  }
  EXPECT_THAT(maps, UnorderedElementsAre(
                        "(d0) -> (d0 + 2), domain: d0 in [0, 3]",
                        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 4] i",
                        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 4] d k",
                        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 4] e k"));
}

// The first shard of what all devices gather: the same access on however many there are.
TEST_F(AnalysisTest, ModulesOfDifferentDeviceCountsShareNoMaps) {
  const auto root = [&](int replicas) -> const hlo::Instruction& {
    const std::string all = "f32[" + std::to_string(replicas * 4) + "]";
    return Root("HloModule m, replica_count=" + std::to_string(replicas) +
                "\nf { p = f32[4] parameter(0)\n g = " + all +
                " all-gather(p), dimensions={0}, replica_groups={}\n"
                " ROOT r = f32[4] slice(g), slice={[0:4]} }\n"
                "ENTRY e { p = f32[4] parameter(0)\n ROOT r = f32[4] call(p), to_apply=f }");
  };
  IndexingAnalysis analysis(&context_);
  for (const int replicas : {2, 4}) {
    const OutputIndexing indexing = analysis.InputToOutput(root(replicas), 0);
    const OperandMap& map = indexing.operands()[0].maps().front();
    ASSERT_TRUE(map.replica_map);
    const IndexingMap& device = *map.replica_map;
    ASSERT_EQ(device.num_ranges(), 1u) << device.ToString();
    EXPECT_EQ(device.ranges()[0].bounds, (Interval{0, replicas - 1}));
    EXPECT_EQ(device.runtime()[0].bounds, (Interval{0, replicas - 1}));
  }
}

TEST_F(AnalysisTest, DevicesUpToTheLargestNumber) {
  const hlo::Instruction& root = Root(
      "HloModule m, replica_count=2147483647\nENTRY e { p = f32[4] parameter(0)\n"
      " ROOT c = f32[4] collective-permute(p), source_target_pairs={{0,2147483646}} }");
  IndexingAnalysis analysis(&context_);
  const OutputIndexing indexing = analysis.OutputToInput(root, 0);
  const IndexingMap& map = indexing.operands()[0].maps().front().map;
  EXPECT_THAT(map.ToString(), ::testing::HasSubstr("replica in [2147483646, 2147483646]"));
}

TEST_F(AnalysisTest, WithoutSimplification) {
  AnalysisOptions options;
  options.simplification = AnalysisOptions::Simplification::kNone;
  EXPECT_THAT(Maps("ENTRY e { a = f32[5] parameter(0)\n b = f32[3] parameter(1)\n"
                   " ROOT r = f32[8] concatenate(a, b), dimensions={0} }",
                   0, options),
              ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 4]",
                          "1: (d0) -> (d0 - 5), domain: d0 in [5, 7]"));
}

TEST_F(AnalysisTest, IotaBehindAnIndexIsFolded) {
  // Row i of the result is row 2 i + 1 of the operand.
  EXPECT_THAT(Maps("ENTRY e { p = f32[9,4] parameter(0)\n i = s32[4] iota(), iota_dimension=0\n"
                   " two = s32[] constant(2)\n b = s32[4] broadcast(two), dimensions={}\n"
                   " one = s32[] constant(1)\n c = s32[4] broadcast(one), dimensions={}\n"
                   " m = s32[4] multiply(i, b)\n n = s32[4] add(m, c)\n"
                   " ROOT g = f32[4,4] gather(p, n), offset_dims={1}, collapsed_slice_dims={0},"
                   " start_index_map={0}, index_vector_dim=1, slice_sizes={1,4} }"),
              ElementsAre("0: (d0, d1) -> (d0 * 2 + 1, d1), domain: d0 in [0, 3], d1 in [0, 3]",
                          "1: (d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3]"));
}

TEST_F(AnalysisTest, ComparisonsBehindAnIndexAreFolded) {
  // An iota is never below 0; what is not decided is 0 or 1.
  const std::string text =
      "ENTRY e { p = f32[9] parameter(0)\n q = s32[] parameter(1)\n i = s32[8] iota(), "
      "iota_dimension=0\n s = s32[1] slice(i), slice={[3:4]}\n r = s32[] reshape(s)\n"
      " z = s32[] constant(0)\n c = pred[] compare(DECIDED, z), direction=GE\n"
      " n = s32[] convert(c)\n"
      " ROOT d = f32[2] dynamic-slice(p, n), dynamic_slice_sizes={2} }";
  const auto with = [&](const std::string& name) {
    std::string copy = text;
    return copy.replace(copy.find("DECIDED"), 7, name);
  };
  EXPECT_EQ(Maps(with("r")).front(), "0: (d0) -> (d0 + 1), domain: d0 in [0, 1]");
  EXPECT_EQ(Maps(with("q")).front(),
            "0: (d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [0, 1]");
}

TEST_F(AnalysisTest, AsynchronousCollectivesGiveOperandsAndResults) {
  const std::string gather =
      "HloModule m, replica_count=2\nENTRY e { p = f32[4] parameter(0)\n ROOT s = (f32[4], f32[8])"
      " all-gather-start(p), dimensions={0}, replica_groups={{0,1}} }";
  EXPECT_THAT(Maps(gather, 0), ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(Maps(gather, 1), ElementsAre("0: (d0) -> (d0 mod 4), domain: d0 in [0, 7]"));
  const std::string permute =
      "HloModule m, replica_count=2\nENTRY e { p = f32[4] parameter(0)\n ROOT s = (f32[4], f32[4],"
      " u32[], u32[]) collective-permute-start(p), source_target_pairs={{0,1}} }";
  EXPECT_THAT(Maps(permute, 0), ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(Maps(permute, 1),
              ElementsAre("0: (d0){replica} -> (d0), domain: d0 in [0, 3], replica in [0, 1], "
                          "replica in [1, 1]"));
  EXPECT_THAT(Maps(permute, 2), IsEmpty());
}

// A window beyond its kernel multiplies with nothing there.
TEST_F(AnalysisTest, ConvolutionsReadTheKernelThatThereIs) {
  const auto convolution = [&](const std::string& window) {
    return Maps(
        "ENTRY e { p = f32[1,8,1] parameter(0)\n k = f32[2,1,1] parameter(1)\n"
        " ROOT c = f32[1,6,1] convolution(p, k), window={" +
        window + "}, dim_labels=b0f_0io->b0f }");
  };
  EXPECT_THAT(convolution("size=3"),
              ElementsAre("0: (d0, d1, d2)[s0] -> (0, d1 + s0, 0), domain: d0 in [0, 0], d1 in "
                          "[0, 5], d2 in [0, 0], s0 in [0, 1]",
                          "1: (d0, d1, d2)[s0] -> (s0, 0, 0), domain: d0 in [0, 0], d1 in [0, "
                          "5], d2 in [0, 0], s0 in [0, 1]"));
  EXPECT_THAT(convolution("size=3 rhs_reversal=1"),
              ElementsAre("0: (d0, d1, d2)[s0] -> (0, d1 + s0, 0), domain: d0 in [0, 0], d1 in "
                          "[0, 5], d2 in [0, 0], s0 in [1, 2]",
                          "1: (d0, d1, d2)[s0] -> (-s0 + 2, 0, 0), domain: d0 in [0, 0], d1 in "
                          "[0, 5], d2 in [0, 0], s0 in [1, 2]"));
}

// XLA takes slices without elements whose dimension goes: their results read nothing.
TEST_F(AnalysisTest, GathersOfEmptySlicesReadNothing) {
  EXPECT_THAT(Maps("ENTRY e { p = f32[4,5] parameter(0)\n i = s32[3,1] parameter(1)\n"
                   " ROOT g = f32[3,5] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, "
                   "start_index_map={0}, index_vector_dim=1, slice_sizes={0,5} }"),
              IsEmpty());
}

// An array inside that is read by an index of too many variables.
TEST_F(AnalysisTest, IndicesBeyondLimitsReadWholeArrays) {
  std::string windows =
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
      "f { r0 = f32[1000] parameter(0)\n z = f32[] parameter(1)\n";
  for (int i = 1; i <= 200; ++i) {
    windows += " r" + std::to_string(i) + " = f32[1000] reduce-window(r" + std::to_string(i - 1) +
               ", z), window={size=3 pad=1_1}, to_apply=add\n";
  }
  EXPECT_THAT(Maps(windows + " ROOT n = f32[1000] negate(r200) }\nENTRY e { p = f32[1000] "
                             "parameter(0)\n z = f32[] parameter(1)\n ROOT c = f32[1000] "
                             "fusion(p, z), kind=kLoop, calls=f }"),
              AllOf(Contains(HasSubstr("superset")), Each(Not(HasSubstr("s130")))));
  std::string slices =
      "f { r0 = f32[1000] parameter(0)\n i0 = s32[] parameter(1)\n"
      " one = s32[] constant(1)\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string number = std::to_string(i);
    const std::string before = std::to_string(i - 1);
    const std::string size = std::to_string(1000 - i);
    slices += " i" + number + " = s32[] add(i" + before + ", one)\n r" + number + " = f32[" + size +
              "] dynamic-slice(r" + before + ", i" + number + "), dynamic_slice_sizes={" + size +
              "}\n";
  }
  EXPECT_THAT(Maps(slices + " ROOT n = f32[960] negate(r40) }\nENTRY e { p = f32[1000] "
                            "parameter(0)\n i = s32[] parameter(1)\n ROOT c = f32[960] "
                            "fusion(p, i), kind=kLoop, calls=f }"),
              Contains(HasSubstr("superset (an index inside nests more than 100 divisions or has "
                                 "more than 128 range variables or 32 runtime values)")));
}

TEST_F(AnalysisTest, RegisteredCustomCallsHaveMaps) {
  CustomCallRegistry registry = CustomCallRegistry::WithXlaTargets();
  registry.Register("x",
                    [](const hlo::Instruction& call, int64_t leaf,
                       mlir::MLIRContext* context) -> std::optional<CustomCallReads> {
                      CustomCallReads reads = *ReadSameIndex(call, leaf, context);
                      reads[0].superset_reason = "a test says so";
                      return reads;
                    });
  registry.Register("wrong", [](const hlo::Instruction&, int64_t, mlir::MLIRContext*) {
    return std::optional<CustomCallReads>({{7, 0, std::nullopt, ""}});
  });
  const auto add_map = [&](const std::string& target, const std::string& text) {
    const auto map = ParseIndexingMap(text, &context_);
    ASSERT_TRUE(map.ok()) << map.status().message();
    registry.Register(target, [map = *map](const hlo::Instruction&, int64_t, mlir::MLIRContext*) {
      return std::optional<CustomCallReads>({{0, 0, map, ""}});
    });
  };
  add_map("after", "(d0) -> (d0 + 6), domain: d0 in [0, 5]");
  add_map("beyond", "(d0) -> (d0 * 2), domain: d0 in [0, 5]");
  add_map("below", "(d0)[s0] -> (d0 - s0), domain: d0 in [0, 5], s0 in [0, 5]");
  add_map("inside", "(d0) -> (d0 * 2), domain: d0 in [0, 5], d0 * 2 in [0, 5]");
  add_map("larger", "(d0) -> (d0), domain: d0 in [0, 99]");
  add_map("two results", "(d0) -> (d0, d0), domain: d0 in [0, 5]");
  add_map("by zero", "(d0) -> (5 floordiv d0), domain: d0 in [0, 5]");
  add_map("by others", "(d0) -> (5 floordiv d0), domain: d0 in [1, 5]");
  AnalysisOptions options;
  options.custom_calls = &registry;
  const auto call = [&](const std::string& target) {
    return Maps(
        "ENTRY e { p = f32[6] parameter(0)\n ROOT c = f32[6] custom-call(p), "
        "custom_call_target=\"" +
            target + "\" }",
        0, options);
  };
  EXPECT_THAT(call("Sharding"), ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 5]"));
  EXPECT_THAT(call("x"), ElementsAre(HasSubstr("superset")));
  EXPECT_THAT(call("wrong"), ElementsAre(HasSubstr("name an array that is not there")));
  // An output that is not there would be forgotten.
  const std::string no_output =
      R"({"custom_calls":[{"target":"no output","reads":[{"output":1,"operand":0}]}]})";
  ASSERT_TRUE(registry.AddJson(no_output, "rules.json", &context_).ok());
  EXPECT_THAT(call("no output"), ElementsAre(HasSubstr("name an array that is not there")));
  EXPECT_THAT(call("y"), ElementsAre(HasSubstr("no maps are registered")));
  for (const std::string target : {"after", "beyond", "below"}) {
    EXPECT_THAT(call(target), ElementsAre(HasSubstr("a map registered for '" + target +
                                                    "' leaves the array f32[6] of operand 0")));
  }
  EXPECT_THAT(call("two results"), ElementsAre(HasSubstr("does not fit the array f32[6]")));
  EXPECT_THAT(call("by zero"), ElementsAre(HasSubstr("divides by what may be 0")));
  EXPECT_THAT(call("by others"), ElementsAre("0: (d0) -> (5 floordiv d0), domain: d0 in [1, 5]"));
  EXPECT_THAT(call("inside"), ElementsAre("0: (d0) -> (d0 * 2), domain: d0 in [0, 2]"));
  EXPECT_THAT(call("larger"), ElementsAre("0: (d0) -> (d0), domain: d0 in [0, 5]"));
}

// What a kernel still has to load where it has the values of some instructions.
TEST_F(AnalysisTest, OutputToParametersStopsAtWhatIsAvailable) {
  const hlo::Instruction& fusion = Root(R"(HloModule m
fused {
  p0 = f32[8,4] parameter(0)
  p1 = f32[4,8] parameter(1)
  e = f32[8,4] exponential(p0)
  t = f32[4,8] transpose(e), dimensions={1,0}
  v = f32[4,8] reverse(p1), dimensions={1}
  s = f32[4,8] add(t, v)
  ROOT r = (f32[4,8], f32[4,8]) tuple(s, t)
}
ENTRY main {
  a = f32[8,4] parameter(0)
  b = f32[4,8] parameter(1)
  ROOT f = (f32[4,8], f32[4,8]) fusion(a, b), kind=kLoop, calls=fused
})");
  const hlo::Computation& fused = *fusion.Callee(hlo::AttributeName::kCalls);
  const auto named = [&](llvm::StringRef name) {
    for (const hlo::Instruction* instruction : fused.instructions()) {
      if (instruction->name() == name) return instruction;
    }
    return static_cast<const hlo::Instruction*>(nullptr);
  };
  IndexingAnalysis analysis(&context_);
  // Without any, the parameters are the operands of the fusion.
  for (const int64_t output : {0, 1}) {
    EXPECT_EQ(analysis.OutputToParameters(fused.root(), output, {}).ToString(),
              analysis.OutputToInput(fusion, output).ToString());
  }
  EXPECT_THAT(analysis.OutputToParameters(*named("s"), 0, {named("t")}).ToString(),
              AllOf(HasSubstr("operand 1: (d0, d1) -> (d0, -d1 + 7)"),
                    HasSubstr("operand 2: (d0, d1) -> (d0, d1)"), Not(HasSubstr("operand 0"))));
  EXPECT_THAT(analysis.OutputToParameters(*named("s"), 0, {named("e"), named("v")}).ToString(),
              AllOf(HasSubstr("operand 2: (d0, d1) -> (d1, d0)"),
                    HasSubstr("operand 3: (d0, d1) -> (d0, d1)"), Not(HasSubstr("operand 0")),
                    Not(HasSubstr("operand 1"))));
  // The instruction itself.
  EXPECT_THAT(analysis.OutputToParameters(*named("s"), 0, {named("s")}).ToString(),
              AllOf(HasSubstr("operand 2: (d0, d1) -> (d0, d1)"), Not(HasSubstr("operand 0")),
                    Not(HasSubstr("operand 1"))));
  EXPECT_THAT(analysis.OutputToParameters(*named("e"), 0, {}).ToString(),
              AllOf(HasSubstr("operand 0"), HasSubstr("(d0, d1) -> (d0, d1)")));
  EXPECT_THAT(analysis.OutputToParameters(*named("p1"), 0, {}).ToString(), HasSubstr("operand 1"));
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
