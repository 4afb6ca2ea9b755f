// What calls of libraries read, against the operations of HLO that they stand for and against their
// definition by sums.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/rules/custom_calls.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/random.h"
#include "tests/property/relation_pairs.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using ::hlo_indexing::testing::AddPairs;
using ::hlo_indexing::testing::Random;
using ::hlo_indexing::testing::Relation;
using ::testing::HasSubstr;

using Index = std::vector<int64_t>;

class LibraryCallsTest : public ::testing::Test {
 protected:
  LibraryCallsTest() { options_.custom_calls = &registry_; }

  struct Read {
    Exactness exactness = Exactness::kUnknown;
    std::string reason;
    // Of the output's elements and the operand's.
    Relation pairs;
  };

  // What array `leaf` of the root of the entry reads of each operand; nothing of those not read.
  std::vector<Read> Reads(const std::string& text, int64_t leaf = 0) {
    const auto module = hlo::ParseModule(text);
    EXPECT_TRUE(module.ok()) << module.status().message();
    if (!module.ok()) return {};
    EXPECT_EQ(hlo::Verify(**module).message(), "") << text;
    const hlo::Instruction& root = (*module)->entry().root();
    IndexingAnalysis analysis(&context_, options_);
    std::vector<Read> reads(root.operands().size());
    const OutputIndexing answer = analysis.OutputToInput(root, leaf);
    for (const OperandIndexing& operand : answer.operands()) {
      Read& read = reads[operand.operand()];
      read.exactness = operand.exactness();
      read.reason = operand.reason();
      for (const auto& [map, replica_map] : operand.maps()) AddPairs(map, read.pairs);
    }
    return reads;
  }

  CustomCallRegistry registry_ = CustomCallRegistry::WithXlaTargets();
  AnalysisOptions options_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(LibraryCallsTest, GemmReadsAsDot) {
  const std::string parameters =
      "ENTRY e { a = f32[2,3,4] parameter(0)\n b = f32[5,2,4] parameter(1)\n"
      " c = f32[2,3,5] parameter(2)\n v = f32[5] parameter(3)\n s = f32[] parameter(4)\n ";
  const std::vector<Read> of_dot =
      Reads(parameters +
            "ROOT d = f32[2,3,5] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={1}, "
            "lhs_contracting_dims={2}, rhs_contracting_dims={2} }");
  // As newer and older versions of XLA write it.
  const std::string config =
      "\"beta\":1,\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"2\"],"
      "\"rhs_contracting_dimensions\":[2],\"lhs_batch_dimensions\":[\"0\"],"
      "\"rhs_batch_dimensions\":[\"1\"]},\"epilogue\":\"BIAS_RELU\"";
  std::string quoted = "{" + config + "}";
  for (size_t at = 0; (at = quoted.find('"', at)) != std::string::npos; at += 2) {
    quoted.insert(at, "\\");
  }
  for (const std::string& text :
       {"{\"gemm_backend_config\":{" + config + "}}", "\"" + quoted + "\""}) {
    const std::string call = parameters +
                             "ROOT d = (f32[2,3,5], s8[64]) custom-call(a, b, c, v, s), "
                             "custom_call_target=\"__cublas$lt$matmul\", backend_config=" +
                             text + " }";
    const std::vector<Read> reads = Reads(call);
    ASSERT_EQ(reads.size(), 5);
    for (size_t i = 0; i < 5; ++i) EXPECT_EQ(reads[i].exactness, Exactness::kExact) << i;
    EXPECT_EQ(reads[0].pairs, of_dot[0].pairs);
    EXPECT_EQ(reads[1].pairs, of_dot[1].pairs);
    Relation matrix;
    Relation bias;
    Relation scale;
    for (const auto& [output, input] : reads[0].pairs) {
      matrix.insert({output, output});
      bias.insert({output, {output[2]}});
      scale.insert({output, {}});
    }
    EXPECT_EQ(reads[2].pairs, matrix);
    EXPECT_EQ(reads[3].pairs, bias);
    EXPECT_EQ(reads[4].pairs, scale);
    const std::vector<Read> of_workspace = Reads(call, 1);
    EXPECT_EQ(of_workspace[0].exactness, Exactness::kSuperset);
    EXPECT_THAT(of_workspace[0].reason, HasSubstr("workspace"));
  }
}

// The product of the transposed matrices is stored column by column: neighbours in memory are the
// rows of the result, and so the bias lies along them.
TEST_F(LibraryCallsTest, BiasOfGemmFollowsTheLayout) {
  const std::vector<Read> reads = Reads(
      "ENTRY e { a = f32[3,4] parameter(0)\n b = f32[4,5] parameter(1)\n v = f32[3] parameter(2)\n "
      "ROOT d = (f32[3,5]{0,1}, s8[64]{0}) custom-call(a, b, v), "
      "custom_call_target=\"__cublas$lt$matmul\", backend_config={\"gemm_backend_config\":{"
      "\"beta\":0,\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
      "\"rhs_contracting_dimensions\":[\"0\"]},\"epilogue\":\"BIAS\"}} }");
  Relation bias;
  for (const auto& [output, input] : reads[0].pairs) bias.insert({output, {output[0]}});
  EXPECT_EQ(reads[2].pairs, bias);
}

TEST_F(LibraryCallsTest, ConfigurationsThatDoNotFitAreUnknown) {
  const auto reason = [&](const std::string& config) {
    return Reads(
               "ENTRY e { a = f32[3,4] parameter(0)\n b = f32[4,5] parameter(1)\n ROOT d = "
               "f32[3,5] custom-call(a, b), custom_call_target=\"__cublas$gemm\"" +
               config + " }")[0]
        .reason;
  };
  const std::string does_not_tell = "does not tell what it reads";
  const auto dimensions = [](const std::string& lhs, const std::string& rhs) {
    return ", backend_config={\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[" + lhs +
           "],\"rhs_contracting_dimensions\":[" + rhs + "]}}";
  };
  EXPECT_THAT(reason(""), HasSubstr(does_not_tell));
  EXPECT_THAT(reason(", backend_config=\"7\""), HasSubstr(does_not_tell));
  EXPECT_THAT(reason(", backend_config={\"dot\":[}"), HasSubstr(does_not_tell));
  EXPECT_THAT(reason(", backend_config={\"dot_dimension_numbers\":" + std::string(60000, '[') +
                     std::string(60000, ']') + "}"),
              HasSubstr(does_not_tell));
  EXPECT_EQ(reason(dimensions("1", "0")), "");
  for (const auto& [lhs, rhs] :
       std::vector<std::pair<std::string, std::string>>{{"0", "0"},
                                                        {"1", "1"},
                                                        {"2", "0"},
                                                        {"-1", "0"},
                                                        {"1,1", "0,0"},
                                                        {"\"x\"", "0"},
                                                        {"4611686018427387904", "0"},
                                                        {"", "0"},
                                                        {"{}", "0"}}) {
    EXPECT_THAT(reason(dimensions(lhs, rhs)), HasSubstr(does_not_tell)) << lhs << " " << rhs;
  }
}

// A convolution in one dimension, by its definition.
struct Triples {
  std::vector<Index> input;
  std::vector<Index> kernel;
  std::vector<Index> output;

  static Relation Pairs(const std::vector<Index>& from, const std::vector<Index>& to) {
    Relation relation;
    for (size_t i = 0; i < from.size(); ++i) relation.insert({from[i], to[i]});
    return relation;
  }
};

TEST_F(LibraryCallsTest, ConvolutionsReadByTheirDefinition) {
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const int64_t batch = random.Between(1, 2);
    const int64_t groups = random.Between(1, 2);
    const int64_t kernel_features = random.Between(1, 2);
    const int64_t group_outputs = random.Between(1, 2);
    const int64_t features = kernel_features * groups;
    const int64_t outputs = group_outputs * groups;
    const int64_t size = random.Between(3, 6);
    const int64_t window = random.Between(1, 3);
    const int64_t stride = random.Between(1, 3);
    const int64_t low = random.Between(0, 2);
    const int64_t high = random.Between(0, 2);
    const int64_t dilation = random.Between(1, 2);
    const bool reversal = random.OneIn(2);
    const int64_t span = (window - 1) * dilation + 1;
    if (size + low + high < span) continue;
    const int64_t positions = (size + low + high - span) / stride + 1;
    // input b0f, kernel 0io, output fb0.
    Triples triples;
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t y = 0; y < positions; ++y) {
        for (int64_t f = 0; f < outputs; ++f) {
          for (int64_t k = 0; k < window; ++k) {
            const int64_t x = y * stride + k * dilation - low;
            if (x < 0 || x >= size) continue;
            for (int64_t c = 0; c < kernel_features; ++c) {
              triples.input.push_back({b, x, f / group_outputs * kernel_features + c});
              triples.kernel.push_back({reversal ? window - 1 - k : k, c, f});
              triples.output.push_back({f, b, y});
            }
          }
        }
      }
    }
    const auto shape = [](const std::string& type, const Index& sizes) {
      std::string text = type + "[";
      for (size_t k = 0; k < sizes.size(); ++k) text += (k ? "," : "") + std::to_string(sizes[k]);
      return text + "]";
    };
    const std::string input = shape("f32", {batch, size, features});
    const std::string kernel = shape("f32", {window, kernel_features, outputs});
    const std::string output = shape("f32", {outputs, batch, positions});
    const std::string attributes =
        ", window={size=" + std::to_string(window) + " stride=" + std::to_string(stride) +
        " pad=" + std::to_string(low) + "_" + std::to_string(high) +
        " rhs_dilate=" + std::to_string(dilation) + (reversal ? " rhs_reversal=1" : "") +
        "}, dim_labels=b0f_0io->fb0, feature_group_count=" + std::to_string(groups);
    const auto call = [&](const std::string& target, const std::string& result,
                          const std::string& a, const std::string& b) {
      return Reads("ENTRY e { p = " + a + " parameter(0)\n q = " + b +
                   " parameter(1)\n ROOT c = (" + result +
                   ", u8[0]) custom-call(p, q), custom_call_target=\"__cudnn$" + target + "\"" +
                   attributes + " }");
    };
    SCOPED_TRACE(input + " " + kernel + " " + output + attributes);
    const auto check = [&](const std::vector<Read>& reads, const std::vector<Index>& from,
                           const std::vector<Index>& a, const std::vector<Index>& b) {
      EXPECT_EQ(reads[0].pairs, Triples::Pairs(from, a));
      EXPECT_EQ(reads[1].pairs, Triples::Pairs(from, b));
      if (from.empty()) return;
      EXPECT_EQ(reads[0].exactness, Exactness::kExact);
      EXPECT_EQ(reads[1].exactness, Exactness::kExact);
    };
    const auto& [of_input, of_kernel, of_output] = triples;
    check(call("convForward", output, input, kernel), of_output, of_input, of_kernel);
    check(call("convBackwardInput", input, output, kernel), of_input, of_output, of_kernel);
    check(call("convBackwardFilter", kernel, input, output), of_kernel, of_input, of_output);
    if (HasFailure()) return;
  }
}

// Nobody verifies the attributes of custom calls.
TEST_F(LibraryCallsTest, WindowsThatDoNotFitAreUnknown) {
  for (const std::string window :
       {"{size=3 stride=0}", "{size=3 stride=4611686018427387904}",
        "{size=3 rhs_dilate=4611686018427387904}", "{size=3 pad=4611686018427387904_0}",
        "{size=4611686018427387904}", "{size=2}", "{size=3x1}", "{size=3 lhs_dilate=2}"}) {
    const auto module = hlo::ParseModule(
        "ENTRY e { p = f32[1,6,2] parameter(0)\n q = f32[3,2,4] parameter(1)\n ROOT c = "
        "(f32[1,4,4], u8[0]) custom-call(p, q), custom_call_target=\"__cudnn$convForward\", "
        "window=" +
        window + ", dim_labels=b0f_0io->b0f }");
    if (!module.ok() || !hlo::Verify(**module).ok()) continue;
    IndexingAnalysis analysis(&context_, options_);
    EXPECT_THAT(analysis.OutputToInput((*module)->entry().root(), 0).ToString(),
                HasSubstr("does not tell what it reads"))
        << window;
  }
}

TEST_F(LibraryCallsTest, ConvolutionsHaveBiasAndSideInput) {
  const std::vector<Read> reads = Reads(
      "ENTRY e { p = f32[1,6,2] parameter(0)\n q = f32[3,2,4] parameter(1)\n b = f32[4] "
      "parameter(2)\n s = f32[1,4,4] parameter(3)\n ROOT c = (f32[1,4,4], u8[0]) custom-call(p, q, "
      "b, s), custom_call_target=\"__cudnn$convBiasActivationForward\", window={size=3}, "
      "dim_labels=b0f_0io->b0f }");
  Relation bias;
  Relation side;
  for (const auto& [output, input] : reads[0].pairs) {
    bias.insert({output, {output[2]}});
    side.insert({output, output});
  }
  EXPECT_EQ(reads[2].pairs, bias);
  EXPECT_EQ(reads[3].pairs, side);
}

// Attention in HLO, with what is summed in its gradients.
constexpr char kAttention[] = R"(
sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
forward {
  q = f32[2,3,4,2] parameter(0)
  k = f32[2,5,2,2] parameter(1)
  v = f32[2,5,2,3] parameter(2)
  zero = f32[] constant(0)
  kb = f32[2,5,2,2,2] broadcast(k), dimensions={0,1,2,4}
  kh = f32[2,5,4,2] reshape(kb)
  vb = f32[2,5,2,2,3] broadcast(v), dimensions={0,1,2,4}
  vh = f32[2,5,4,3] reshape(vb)
  s = f32[2,4,3,5] dot(q, kh), lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={3}
  e = f32[2,4,3,5] exponential(s)
  m = f32[2,4,3] reduce(e, zero), dimensions={3}, to_apply=sum
  mb = f32[2,4,3,5] broadcast(m), dimensions={0,1,2}
  p = f32[2,4,3,5] divide(e, mb)
  o = f32[2,4,3,3] dot(p, vh), lhs_batch_dims={0,1}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={1}
  ot = f32[2,3,4,3] transpose(o), dimensions={0,2,1,3}
  mr = f32[2,4,3,1] reshape(m)
  ROOT t = (f32[2,3,4,3], f32[2,4,3,1]) tuple(ot, mr)
}
backward {
  q = f32[2,3,4,2] parameter(0)
  k = f32[2,5,2,2] parameter(1)
  v = f32[2,5,2,3] parameter(2)
  mr = f32[2,4,3,1] parameter(3)
  o = f32[2,3,4,3] parameter(4)
  g = f32[2,3,4,3] parameter(5)
  zero = f32[] constant(0)
  kb = f32[2,5,2,2,2] broadcast(k), dimensions={0,1,2,4}
  kh = f32[2,5,4,2] reshape(kb)
  vb = f32[2,5,2,2,3] broadcast(v), dimensions={0,1,2,4}
  vh = f32[2,5,4,3] reshape(vb)
  s = f32[2,4,3,5] dot(q, kh), lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={3}
  e = f32[2,4,3,5] exponential(s)
  m = f32[2,4,3] reshape(mr)
  mb = f32[2,4,3,5] broadcast(m), dimensions={0,1,2}
  p = f32[2,4,3,5] divide(e, mb)
  dvh = f32[2,4,5,3] dot(p, g), lhs_batch_dims={0,1}, rhs_batch_dims={0,2}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  dvr = f32[2,2,2,5,3] reshape(dvh)
  dvs = f32[2,2,5,3] reduce(dvr, zero), dimensions={2}, to_apply=sum
  dv = f32[2,5,2,3] transpose(dvs), dimensions={0,2,1,3}
  dp = f32[2,4,3,5] dot(g, vh), lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={3}
  go = f32[2,3,4,3] multiply(g, o)
  d = f32[2,3,4] reduce(go, zero), dimensions={3}, to_apply=sum
  db = f32[2,4,3,5] broadcast(d), dimensions={0,2,1}
  ds0 = f32[2,4,3,5] subtract(dp, db)
  ds = f32[2,4,3,5] multiply(p, ds0)
  dqh = f32[2,4,3,2] dot(ds, kh), lhs_batch_dims={0,1}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={1}
  dq = f32[2,3,4,2] transpose(dqh), dimensions={0,2,1,3}
  dkh = f32[2,4,5,2] dot(ds, q), lhs_batch_dims={0,1}, rhs_batch_dims={0,2}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  dkr = f32[2,2,2,5,2] reshape(dkh)
  dks = f32[2,2,5,2] reduce(dkr, zero), dimensions={2}, to_apply=sum
  dk = f32[2,5,2,2] transpose(dks), dimensions={0,2,1,3}
  ROOT t = (f32[2,3,4,2], f32[2,5,2,2], f32[2,5,2,3]) tuple(dq, dk, dv)
}
)";

constexpr char kParameters[] =
    "ENTRY e { q = f32[2,3,4,2] parameter(0)\n k = f32[2,5,2,2] parameter(1)\n v = f32[2,5,2,3] "
    "parameter(2)\n m = f32[2,4,3,1] parameter(3)\n o = f32[2,3,4,3] parameter(4)\n g = "
    "f32[2,3,4,3] parameter(5)\n bias = f32[0] parameter(6)\n lengths = s32[3] parameter(7)\n seed "
    "= u32[2,4] parameter(8)\n ";

constexpr char kLayout[] =
    "backend_config={attn_heads = 4 : i64, qkv_layout = 9 : i64, mask_type = 0 : i64} }";

TEST_F(LibraryCallsTest, AttentionForwardReadsAsItsHlo) {
  const std::string in_hlo = std::string(kAttention) + kParameters +
                             "ROOT t = (f32[2,3,4,3], f32[2,4,3,1]) call(q, k, v), "
                             "to_apply=forward }";
  const std::string call =
      std::string(kParameters) +
      "ROOT t = (f32[2,3,4,3], f32[2,4,3,1], u32[2,4], u8[48]) custom-call(q, k, v, bias, seed, "
      "lengths), custom_call_target=\"te_fused_attn_forward_ffi\", " +
      kLayout;
  for (int64_t leaf = 0; leaf < 2; ++leaf) {
    const std::vector<Read> expected = Reads(in_hlo, leaf);
    const std::vector<Read> reads = Reads(call, leaf);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(reads[i].pairs, expected[i].pairs) << "output " << leaf << ", operand " << i;
    }
    EXPECT_EQ(reads[0].exactness, Exactness::kSuperset);
    EXPECT_THAT(reads[0].reason, HasSubstr("mask"));
    // The lengths as a whole.
    EXPECT_EQ(reads[5].pairs.size(), leaf == 0 ? 72 * 3 : 24 * 3);
  }
  EXPECT_THAT(Reads(call, 3)[0].reason, HasSubstr("workspace"));
}

TEST_F(LibraryCallsTest, AttentionBackwardReadsAsItsHlo) {
  const std::string in_hlo = std::string(kAttention) + kParameters +
                             "ROOT t = (f32[2,3,4,2], f32[2,5,2,2], f32[2,5,2,3]) call(q, k, v, m, "
                             "o, g), to_apply=backward }";
  const std::string call =
      std::string(kParameters) +
      "ROOT t = (f32[2,3,4,2], f32[2,5,2,2], f32[2,5,2,3], f32[0], u8[48]) custom-call(q, k, v, "
      "bias, m, seed, o, g, lengths), custom_call_target=\"te_fused_attn_backward_ffi\", " +
      kLayout;
  // Operands of the call for those of the computation.
  constexpr size_t kOperands[] = {0, 1, 2, 4, 6, 7};
  for (int64_t leaf = 0; leaf < 3; ++leaf) {
    const std::vector<Read> expected = Reads(in_hlo, leaf);
    const std::vector<Read> reads = Reads(call, leaf);
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(reads[kOperands[i]].pairs, expected[i].pairs)
          << "output " << leaf << ", operand " << i;
    }
  }
}

// Packed otherwise, everything may be read.
TEST_F(LibraryCallsTest, AttentionOfOtherLayouts) {
  const std::vector<Read> reads = Reads(
      "ENTRY e { qkv = f32[1,2,3,2,2] parameter(0)\n a = f32[0] parameter(1)\n b = f32[0] "
      "parameter(2)\n ROOT t = (f32[1,2,2,2], u8[48]) custom-call(qkv, a, b), "
      "custom_call_target=\"te_fused_attn_forward_ffi\", backend_config={qkv_layout = 5 : i64} }");
  EXPECT_EQ(reads[0].exactness, Exactness::kSuperset);
  EXPECT_EQ(reads[0].pairs.size(), 8 * 24);
}

}  // namespace
}  // namespace hlo_indexing::indexing_analysis
