#include "hlo/shape_inference/verifier.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hlo/parser/parser.h"
#include "tests/hlo/verifier_cases.h"

namespace hlo_indexing::hlo {
namespace {

using ::testing::HasSubstr;

constexpr const char* kCallees =
    "add { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(x, y) }\n"
    "neg { x = f32[4,6] parameter(0)\n ROOT n = f32[4,6] negate(x) }\n"
    "one { ROOT n = f32[] constant(1) }\n"
    "none { ROOT n = f32[4,6] iota(), iota_dimension=0 }\n"
    "less { x = f32[4,6] parameter(0)\n ROOT c = pred[] constant(true) }\n"
    "addi { x = s32[] parameter(0)\n y = s32[] parameter(1)\n ROOT s = s32[] add(x, y) }\n"
    "ge { x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
    "  ROOT c = pred[] compare(x, y), direction=GE }\n"
    "add1 { x = f32[] parameter(0)\n y = f32[] parameter(1)\n s = f32[] add(x, y)\n"
    "  ROOT t = (f32[]) tuple(s) }\n"
    "sums { x = f32[6] parameter(0)\n c = f32[6] parameter(1)\n s = f32[6] add(x, c)\n"
    "  ROOT t = (f32[6], f32[6]) tuple(s, s) }\n"
    "wide { x = f32[3] parameter(0)\n y = f32[3] parameter(1)\n ROOT s = f32[3] add(x, y) }\n"
    "two { x = f32[] parameter(0)\n i = s32[] parameter(1)\n y = f32[] parameter(2)\n"
    "  j = s32[] parameter(3)\n s = f32[] add(x, y)\n ROOT t = (f32[], s32[]) tuple(s, i) }\n"
    "first { x = f32[] parameter(0)\n i = s32[] parameter(1)\n y = f32[] parameter(2)\n"
    "  j = s32[] parameter(3)\n ROOT s = f32[] add(x, y) }\n"
    "order { x = f32[] parameter(0)\n y = f32[] parameter(1)\n i = s32[] parameter(2)\n"
    "  j = s32[] parameter(3)\n ROOT c = pred[] compare(x, y), direction=LT }\n"
    "rows { x = f32[6] parameter(0)\n y = f32[6] parameter(1)\n ROOT s = f32[6] add(x, y) }\n"
    "dots { x = f32[4,6] parameter(0)\n y = f32[4,6] parameter(1)\n"
    "  ROOT s = f32[4,6] add(x, y) }\n";

constexpr const char* kOperands =
    " a = f32[4,6] parameter(0)\n b = f32[6,5] parameter(1)\n c = f32[4,6] parameter(2)\n"
    " i = s32[] parameter(3)\n s = f32[] parameter(4)\n p = pred[4,6] parameter(5)\n"
    " x = s32[2,1] parameter(6)\n n = s32[4,6] parameter(7)\n t = (f32[4,6], s32[]) parameter(8)\n"
    " z = c64[4,6] parameter(9)\n img = f32[1,8,8,4] parameter(10)\n k = f32[3,3,4,6] "
    "parameter(11)\n"
    " h = f16[4,6] parameter(12)\n"
    " begun = ((f32[4,6]), f32[4,6], s32[]) async-start(a), calls=dots\n";

std::string LineOf(const std::string& instruction) { return "r = " + instruction; }

// The verifier's message about an instruction `r = ...`; empty where it is content.
std::string MessageFor(const std::string& instruction) {
  const std::string text =
      std::string(kCallees) + "ENTRY e {\n" + kOperands + LineOf(instruction) + "\n}\n";
  const auto module = ParseModule(text);
  if (!module.ok()) return "parser: " + std::string(module.status().message());
  return std::string(Verify(**module).message());
}

class VerifierAccepts : public ::testing::TestWithParam<const char*> {};

TEST_P(VerifierAccepts, Instruction) { EXPECT_EQ(MessageFor(GetParam()), ""); }

// With shapes given and, where they follow, without.
INSTANTIATE_TEST_SUITE_P(
    All, VerifierAccepts,
    ::testing::Values(
        "f32[4,6] add(a, c)", "add(a, c)", "f32[4,6] add(a, h)", "f32[4,6]{0,1} negate(a)",
        "pred[4,6] compare(a, c), direction=EQ", "compare(a, c), direction=EQ",
        "f32[4,6] select(p, a, c)", "select(p, a, c)", "f32[4,6] clamp(s, a, s)", "clamp(s, a, s)",
        "f32[4,6] abs(z)", "abs(z)", "real(z)", "c64[4,6] complex(a, c)", "complex(a, c)",
        "is-finite(a)", "s8[4,6] convert(a)", "u8[4,6,4] bitcast-convert(a)",
        "c64[4,4] fft(a), fft_type=RFFT, fft_length={6}",
        "f32[4,10] fft(z), fft_type=IRFFT, fft_length={10}",
        "f32[4,11] fft(z), fft_type=IRFFT, fft_length={11}",
        "c64[4,6] fft(z), fft_type=IFFT, fft_length={4,6}",
        "f32[4,6] collective-permute(a, c, (s32[], s32[]) parameter(13), (s32[], s32[]) "
        "parameter(14)), source_target_pairs={{0,1}}, slice_sizes={{2,6}}",
        "f32[7,4,6] broadcast(a), dimensions={1,2}", "f32[6,4] transpose(a), dimensions={1,0}",
        "transpose(a), dimensions={1,0}", "f32[24] reshape(a)", "f32[2,12] bitcast(a)",
        "u8[96] bitcast(a)", "f32[4,6] reverse(a), dimensions={0}", "reverse(a), dimensions={1,0}",
        "f32[2,6] slice(a), slice={[0:4:2], [0:6]}", "slice(a), slice={[0:4:3], [6:6]}",
        "f32[6,6] pad(a, s), padding=1_1x0_0", "pad(a, s), padding=-1_0_2x0_0",
        "f32[8,6] concatenate(a, c), dimensions={0}", "concatenate(a, c), dimensions={1}",
        "s32[3,4] iota(), iota_dimension=1",
        "f32[2,3] dynamic-slice(a, i, i), "
        "dynamic_slice_sizes={2,3}",
        "dynamic-slice(a, i, i), dynamic_slice_sizes={2,3}",
        "f32[4,6] dynamic-update-slice(a, c, i, i)",
        "f32[2,1,6] gather(a, x), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0}, "
        "index_vector_dim=1, slice_sizes={1,6}",
        "f32[4,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        "dot(a, c), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
        "rhs_contracting_dims={1}",
        "f32[1,3,3,6] convolution(img, k), window={size=3x3 stride=2x2}, "
        "dim_labels=b01f_01io->b01f",
        "f32[4] reduce(a, s), dimensions={1}, to_apply=add",
        "reduce(a, s), dimensions={}, "
        "to_apply=add",
        "f32[2,3] reduce-window(a, s), window={size=2x2 stride=2x2}, to_apply=add",
        "reduce-window(a, s), window={size=3x1 pad=1_1x0_0 rhs_dilate=2x1}, to_apply=add",
        "tuple(a, i)", "get-tuple-element(t), index=1", "f32[4,6] call(a), to_apply=neg",
        "f32[4,6] fusion(a), kind=kLoop, calls=neg", "f32[4,6] while(a), condition=less, body=neg",
        "f32[4,6] conditional(i, a, c), branch_computations={neg, neg}", "after-all()",
        "f32[4,6] all-reduce(a), to_apply=add",
        "(f32[4,6], f32[4,6]) all-reduce(a, c), to_apply=add",
        "(f32[4,6], f32[6]) scan(a, f32[6] parameter(13)), dimensions={0}, num_carries=1, "
        "to_apply=sums",
        "s32[] get-dimension-size(a), dimensions={0}", "(f32[4,2], s32[4,2]) topk(a), k=2",
        "f32[4,6] custom-call(a, i), custom_call_target=\"x\"", "f32[4,6] opt-barrier(a)",
        "u32[] partition-id()"));

INSTANTIATE_TEST_SUITE_P(Unusual, VerifierAccepts, ::testing::ValuesIn(kUnusualPrograms));

class VerifierRejects : public ::testing::TestWithParam<RejectCase> {};

TEST_P(VerifierRejects, Instruction) {
  const std::string message = MessageFor(GetParam().instruction);
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  const std::string before = std::string(kCallees) + "ENTRY e {\n" + kOperands;
  const size_t column = LineOf(GetParam().instruction).find(GetParam().at, 4) + 1;
  const std::string place =
      "<input>:" + std::to_string(std::count(before.begin(), before.end(), '\n') + 1) + ":";
  const bool knows_column = *GetParam().at != '\0';
  EXPECT_THAT(message, HasSubstr(knows_column ? place + std::to_string(column) + ":" : place));
  EXPECT_THAT(message, HasSubstr("^"));
}

constexpr RejectCase kRejects[] = {
    {"f32[4,6] add(a, b)", "must have the same dimensions"},
    {"f32[4,6] add(a, n)", "cannot mix element types f32 and s32"},
    {"f32[4,7] add(a, c)", "operands and attributes give f32[4,6]"},
    {"s32[4,6] add(a, c)", "give f32[4,6]"},
    {"f32[4,6] compare(a, c), direction=EQ", "give pred[4,6]"},
    {"pred[4,6] compare(a, c), direction=XX", "direction must be"},
    {"f32[4,6] select(a, a, c)", "must be pred"},
    {"f32[4,6] clamp(b, a, s)", "same dimensions"},
    {"s8[4,7] convert(a)", "s8[4,7]"},
    {"u8[4,6,3] bitcast-convert(a)", "u8[4,6,4]"},
    {"f32[7,4,6] broadcast(a), dimensions={0,2}",
     "dimension 0 of size 4 to output dimension 0 of "
     "size 7"},
    {"f32[7,4,6] broadcast(a), dimensions={1}", "has 1 entries"},
    {"f32[7,4,6] broadcast(a), dimensions={1,3}", "names dimension 3"},
    {"f32[4,6] transpose(a), dimensions={0,0}", "twice"},
    {"f32[4,6] transpose(a), dimensions={1,0}", "give f32[6,4]"},
    {"f32[25] reshape(a)", "changes the number of elements from 24 to 25"},
    {"f32[25] bitcast(a)", "changes the size in memory"},
    {"f32[4,6] reverse(a), dimensions={2}", "names dimension 2"},
    {"f32[2,6] slice(a), slice={[0:5:2], [0:6]}", "must have 0 <= start <= limit <= size"},
    {"f32[2,6] slice(a), slice={[0:4:2]}", "has 1 entries"},
    {"f32[6,6] pad(a, c), padding=1_1x0_0", "must be a scalar"},
    {"f32[6,6] pad(a, s), padding=-9_1x0_0", "negative"},
    {"f32[8,6] concatenate(a, b), dimensions={0}", "may differ in dimension 0 only"},
    {"s32[3] iota(), iota_dimension=1", "is no dimension"},
    {"f32[5,3] dynamic-slice(a, i, i), dynamic_slice_sizes={5,3}", "does not fit"},
    {"f32[2,3] dynamic-slice(a, i), dynamic_slice_sizes={2,3}", "needs 2 start indices"},
    {"f32[2,3] dynamic-slice(a, i, s), dynamic_slice_sizes={2,3}", "integer scalar"},
    {"f32[4,6] dynamic-update-slice(a, b, i, i)", "does not fit into"},
    {"f32[4,5] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
     "must have the same size"},
    {"f32[4,5] dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}", "names dimension 2"},
    {"f32[4] reduce(a, s, s), dimensions={1}, to_apply=add", "n arrays and n initial values"},
    {"f32[4] reduce(a, s), dimensions={1}, to_apply=neg", "has 1 parameters"},
    {"f32[4,6] get-tuple-element(t), index=2", "outside a tuple"},
    {"f32[4,6] get-tuple-element(a), index=0", "must be a tuple"},
    {"f32[4,6] call(b), to_apply=neg", "parameter 0 of computation 'neg' has shape f32[4,6]"},
    {"f32[4,6] call(a, a), to_apply=neg", "has 1 parameters, call gives it 2"},
    {"f32[4,7] call(a), to_apply=neg", "give f32[4,6]"},
    // What is sparse has another size, but no other dimensions.
    {"f32[6,5] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={-1}, sparsity=L.0@2:4",
     "names dimension -1"},
    {"f32[6,5] dot(a, b), lhs_contracting_dims={65536}, rhs_contracting_dims={0}, "
     "sparsity=L.0@2:4",
     "names dimension 65536"},
    {"f32[6,6,5] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={}, sparsity=L.0@2:4",
     "the same number of entries"},
    {"f32[4,6] reduce-precision(a), exponent_bits=0, mantissa_bits=3", "from 1 to 2147483647"},
    {"f32[4,6] reduce-precision(a), exponent_bits=2147483648, mantissa_bits=3",
     "exponent_bits must be from 1"},
    {"f32[4,6] reduce-precision(a), exponent_bits=8, mantissa_bits=4294967296",
     "mantissa_bits must be from 0"},
    {"s32[4,6] reduce-precision(n), exponent_bits=8, mantissa_bits=3", "needs floats"},
    {"c64[4,6] complex(h, h)", "are f32 or f64, not f16[4,6]"},
    {"s32[2,2] cholesky(s32[2,2] parameter(13)), lower=true", "floats or complex numbers"},
    {"s32[2,2] triangular-solve(s32[2,2] parameter(13), s32[2,2] parameter(14)), left_side=true",
     "floats or complex numbers"},
    {"f32[4,6] cholesky(a), lower=true", "must be square matrices, not f32[4,6]"},
    {"f32[] cholesky(s), lower=true", "must be square matrices"},
    {"c64[4,4] fft(z), fft_type=FFT, fft_length={4}", "the sizes that fft_length says"},
    {"c64[4,6] fft(a), fft_type=FFT, fft_length={6}", "takes complex numbers, not f32[4,6]"},
    {"c64[4,4] fft(z), fft_type=RFFT, fft_length={6}", "takes floats, not c64[4,6]"},
    {"c64[4,4] fft(a), fft_type=RFFT, fft_length={6,6}", "the sizes that fft_length says"},
    {"f32[4,12] fft(z), fft_type=IRFFT, fft_length={12}", "the sizes that fft_length says"},
    {"c64[4,10] fft(z), fft_type=IRFFT, fft_length={10}", "gives floats, not c64[4,10]"},
    {"f32[4,6] collective-permute(a, c, token[] parameter(13), (s32[], s32[]) parameter(14)), "
     "source_target_pairs={{0,1}}, slice_sizes={{2,6}}",
     "operand 2 must hold integers that say where slices are, not be token[]"},
    {"f32[4,6] collective-permute(token[] parameter(13), c, (s32[], s32[]) parameter(14), "
     "(s32[], s32[]) parameter(15)), source_target_pairs={{0,1}}, slice_sizes={{2,6}}",
     "operand 0 must hold arrays, not be token[]"},
    {"(f32[4,6], s32[]) cholesky(t), lower=true", "must be an array"},
    {"f32[4,6] triangular-solve(a, c), left_side=true", "must be square matrices"},
    {"f32[4,6] triangular-solve(f32[4] parameter(13), a), left_side=true",
     "must be square matrices"},
    {"f32[4,6] triangular-solve(f32[4,4] parameter(13), a), left_side=false", "do not fit"},
    {"f32[4,6] triangular-solve(f32[6,6] parameter(13), a), left_side=true", "do not fit"},
    {"f32[4,6] triangular-solve(f32[2,4,4] parameter(13), a), left_side=true", "do not fit"},
    {"f32[4,6] ragged-all-to-all(a, c, n, n, n, t), replica_groups={{0,1}}", "must be an array"},
    {"f32[4,6] ragged-all-to-all(a, b, n, n, n, n), replica_groups={{0,1}}", "are no rows of"},
    {"f32[4,6] ragged-all-to-all(a, c, n, a, n, n), replica_groups={{0,1}}",
     "operand 3 must hold integers"},
    {"f32[4,6] ragged-all-to-all(a, c, n, n, n, x), replica_groups={{0,1}}",
     "must have the same dimensions"},
    {"f32[4,6] infeed(token[] parameter(13))", "infeed gives (data, token[])"},
    {"(f32[4,6], token[]) infeed(a)", "operand 0 of infeed must be token[], not f32[4,6]"},
    {"token[] outfeed(a, c)", "operand 1 of outfeed must be token[], not f32[4,6]"},
    {"f32[4,6] outfeed(a, token[] parameter(13))", "outfeed has shape f32[4,6]"},
    {"token[] outfeed(a, token[] parameter(13)), outfeed_shape=f32[6,4]", "outfeed_shape is"},
    {"(f32[6,4], u32[], token[]) send(a, token[] parameter(13)), channel_id=1", "send gives"},
    {"token[] send(a, token[] parameter(13)), channel_id=1", "send gives (f32[4,6], u32[], token"},
    {"(f32[4,6], u32[], token[]) send(a, c), channel_id=1", "must be token[]"},
    {"f32[4,6] recv(token[] parameter(13)), channel_id=1", "recv gives (data, u32[], token[])"},
    {"(f32[4,6], token[]) recv-done(a), channel_id=1", "must be (data, u32[], token[])"},
    {"(f32[6,4], token[]) recv-done((f32[4,6], u32[], token[]) parameter(13)), channel_id=1",
     "operands and attributes give (f32[4,6], token[])"},
    {"f32[4,6] send-done((f32[4,6], u32[], token[]) parameter(13)), channel_id=1",
     "operands and attributes give token[]"},
    {"f32[4,6] rng(a, s), distribution=rng_uniform", "must be a scalar"},
    {"f32[4,6] rng(s), distribution=rng_uniform", "rng takes two parameters"},
    {"s32[4,6] rng(s, s), distribution=rng_uniform", "operands and attributes give f32[4,6]"},
    {"f32[4,6] rng(s, i), distribution=rng_uniform", "rng cannot mix element types f32 and s32"},
    {"(u64[3], u32[4]) rng-bit-generator(u64[2] parameter(13)), algorithm=rng_default",
     "gives numbers, or (u64[2], numbers)"},
    {"(u64[2], u32[4], u32[4]) rng-bit-generator(u64[2] parameter(13)), algorithm=rng_default",
     "gives numbers, or (u64[2], numbers)"},
    {"f32[2] rng-get-and-update-state(), delta=1", "gives an array of u64"},
    {"f32[3,7] dynamic-reshape(a, i, i)", "changes the number of elements"},
    {"f32[24] dynamic-reshape(a, i, i)", "takes 1 sizes, not 2"},
    {"f32[24] dynamic-reshape(a, n)", "must be a scalar"},
    {"(f32[4,6], f32[4,6], (u32[], u32[])) copy-start(a)", "copy-start gives"},
    {"(f32[4,6], f32[6,4], u32[]) copy-start(a)", "copy-start gives"},
    {"((f32[4,6], s32[]), (f32[4,6], s32[]), u32[]) copy-start(t)", "must be an array"},
    {"f32[4,6] batch-norm-inference(a, f32[6] parameter(13), f32[6] parameter(14), f32[6] "
     "parameter(15), f32[6] parameter(16)), epsilon=0, feature_index=2",
     "no dimension of"},
    {"f32[4,6] batch-norm-inference(a, f32[6] parameter(13), f32[6] parameter(14), f32[6] "
     "parameter(15), f32[6] parameter(16)), epsilon=0, feature_index=-1",
     "no dimension of"},
    {"f32[4,6] batch-norm-inference(a, f32[6] parameter(13), f32[6] parameter(14), f32[6] "
     "parameter(15), f32[6] parameter(16)), epsilon=0, feature_index=0",
     "operand 1 must have one value for each index of dimension 0"},
    {"f32[4,6] batch-norm-inference(a, f32[6] parameter(13), f32[6] parameter(14), f32[6] "
     "parameter(15), s), epsilon=0, feature_index=1",
     "operand 4 must have one value"},
    {"(f32[4,6], f32[6], f32[6]) batch-norm-training(a, f32[6] parameter(13), a), epsilon=0, "
     "feature_index=1",
     "operand 2 must have one value"},
    {"(f32[4,6], f32[6], f32[6]) batch-norm-grad(a, f32[6] parameter(13), f32[6] parameter(14), "
     "f32[6] parameter(15), b), epsilon=0, feature_index=1",
     "must have the same dimensions"},
    {"f32[4,6] conditional(i, a), branch_computations={neg, neg}", "needs the selector"},
    {"(f32[4,6], u32[4]) rng-bit-generator(a), algorithm=rng_default", "must hold integers"},
    {"pred[4,6] compare(a, c), direction=EQ, type=TOTAL", "type must be FLOAT, TOTALORDER"},
    {"f32[4,6] fusion(a), kind=kLop, calls=neg", "kind must be kLoop, kInput, kOutput or kCustom"},
    {"f32[4,<=6] set-dimension-size(a, s32[3] parameter(13)), dimensions={1}",
     "the size of set-dimension-size must be a scalar, not s32[3]"},
    {"f32[4,<=6] set-dimension-size(a, s), dimensions={1}", "the size must be s32[], not f32[]"},
    {"f32[4,6] collective-permute(a), source_target_pairs={{0,1},{2,1}}",
     "device 1 receives twice"},
    {"f32[4,6] collective-permute(a), source_target_pairs={{0,1},{0,2}}", "device 0 sends twice"},
    {"f32[4,6] all-reduce(a), replica_groups=[-1,4]<=[8], to_apply=add",
     "-1 is no size of a list of devices"},
    {"f32[4,6] all-reduce(a), replica_groups=[2,5]<=[8], to_apply=add",
     "groups of 10 devices cannot hold 8"},
    {"f32[4,6] all-reduce(a), replica_groups=[2,4]<=[4,2]T(0,0), to_apply=add",
     "each dimension of the list of devices once"},
    {"f32[4,6] all-reduce(a), "
     "replica_groups=[2147483647,2147483647,2147483647]<=[2147483647,2147483647,2147483647], "
     "to_apply=add",
     "too many devices"},
};

INSTANTIATE_TEST_SUITE_P(All, VerifierRejects, ::testing::ValuesIn(kRejects));
INSTANTIATE_TEST_SUITE_P(Parts, VerifierRejects, ::testing::ValuesIn(kMistakes));

TEST(Verifier, PointsAtTheAttribute) {
  const auto module = ParseModule(
      "e {\n  p = f32[2] parameter(0)\n"
      "  ROOT r = f32[2] reverse(p), dimensions={1}\n}");
  ASSERT_TRUE(module.ok());
  EXPECT_THAT(std::string(Verify(**module).message()),
              HasSubstr("<input>:3:31: error: dimensions"));
}

TEST(Verifier, StopsWhenItShall) {
  // Further instructions would be in error.
  std::string text = "e {\n  p = f32[2] parameter(0)\n";
  for (int i = 0; i < 2000; ++i) {
    text += "  a" + std::to_string(i) + " = f32[" + (i < 1000 ? "2" : "3") + "] negate(p)\n";
  }
  const auto module = ParseModule(text + "}");
  ASSERT_TRUE(module.ok());
  for (const int answers : {1, 2, 4}) {
    int asked = 0;
    std::vector<support::Diagnostic> diagnostics;
    Verify(**module, 20, diagnostics, [&] { return ++asked < answers; });
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics[0].message, "verifying was stopped");
    EXPECT_EQ(diagnostics[0].line, 256 * (answers - 1) + 2);
  }
  std::vector<support::Diagnostic> diagnostics;
  Verify(**module, 20, diagnostics, [] { return true; });
  EXPECT_EQ(diagnostics.size(), 20u);
}

// A module made by a program has no text; errors name the instruction instead.
TEST(Verifier, ChecksBuiltModules) {
  Module module;
  ComputationBuilder builder(module, "entry");
  const Shape* shape = module.shapes().Array(ElementType::kF32, {2});
  ComputationBuilder::Spec parameter;
  parameter.opcode = Opcode::kParameter;
  parameter.name = "p";
  parameter.shape = shape;
  const Instruction* p = builder.Add(parameter);
  ComputationBuilder::Spec negate;
  negate.opcode = Opcode::kNegate;
  negate.name = "n";
  negate.shape = module.shapes().Array(ElementType::kF32, {3});
  negate.operands = p;
  builder.Add(negate);
  module.set_entry(builder.Finish(nullptr, {}));
  EXPECT_THAT(std::string(Verify(module).message()),
              HasSubstr("instruction 'n' of computation 'entry': negate has shape f32[3]"));
}

// The parser rejects such windows already; a program can build them.
TEST(Verifier, RejectsBuiltWindowsThatAreNotPositive) {
  const std::pair<int64_t WindowDimension::*, const char*> fields[] = {
      {&WindowDimension::size, "size"},
      {&WindowDimension::stride, "stride"},
      {&WindowDimension::base_dilation, "lhs_dilate"},
      {&WindowDimension::window_dilation, "rhs_dilate"}};
  for (const auto& [field, name] : fields) {
    const auto module = ParseModule(std::string(kCallees) + "ENTRY e {\n" + kOperands + "}");
    ASSERT_TRUE(module.ok());
    ComputationBuilder builder(**module, "built");
    ComputationBuilder::Spec scalar;
    scalar.opcode = Opcode::kParameter;
    scalar.name = "p";
    scalar.shape = (*module)->shapes().Scalar(ElementType::kF32);
    const Instruction* p = builder.Add(scalar);
    WindowDimension dimension;
    dimension.*field = 0;
    const Attribute attributes[] = {
        {AttributeName::kWindow, "window",
         llvm::ArrayRef<WindowDimension>((*module)->Copy(llvm::ArrayRef(dimension)))},
        {AttributeName::kToApply, "to_apply", (*module)->FindComputation("add")}};
    scalar.parameter_number = 1;
    scalar.name = "a";
    scalar.shape = (*module)->shapes().Array(ElementType::kF32, {4});
    const Instruction* operands[] = {builder.Add(scalar), p};
    ComputationBuilder::Spec windowed;
    windowed.opcode = Opcode::kReduceWindow;
    windowed.name = "w";
    windowed.shape = scalar.shape;
    windowed.operands = operands;
    windowed.attributes = attributes;
    builder.Add(windowed);
    builder.Finish(nullptr, {});
    EXPECT_THAT(std::string(Verify(**module).message()),
                HasSubstr(std::string(name) + " of window dimension 0 must be positive, not 0"));
  }
}

}  // namespace
}  // namespace hlo_indexing::hlo
