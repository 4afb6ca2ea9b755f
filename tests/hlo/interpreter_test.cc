// Opcodes that move, combine or exchange elements: hand-derived results, edge cases, limits.
#include "hlo/interpreter/interpreter.h"

#include "hlo/interpreter/random_bits.h"
#include "tests/hlo/interpreter_testing.h"

namespace hlo_indexing::testing {
namespace {

struct Case {
  const char* name;
  const char* body;
  const char* expected;
};

// f32 a = {{1, 2, 3}, {4, 5, 6}}, v = {1, 2, 3, 4}.
constexpr char kValues[] =
    "a = f32[2,3] constant({{1,2,3},{4,5,6}})\nv = f32[4] constant({1,2,3,4})\n"
    "zero = f32[] constant(0)\nnine = f32[] constant(9)\n";

const Case kCases[] = {
    {"Iota", "ROOT r = s32[2,3] iota(), iota_dimension=1", "{{0, 1, 2}, {0, 1, 2}}"},
    {"Broadcast", "ROOT r = f32[4,2] broadcast(v), dimensions={0}",
     "{{1, 1}, {2, 2}, {3, 3}, {4, 4}}"},
    {"BroadcastToEmpty", "ROOT r = f32[4,0] broadcast(v), dimensions={0}", "{}"},
    {"Transpose", "ROOT r = f32[3,2] transpose(a), dimensions={1,0}", "{{1, 4}, {2, 5}, {3, 6}}"},
    {"Reverse", "ROOT r = f32[2,3] reverse(a), dimensions={0,1}", "{{6, 5, 4}, {3, 2, 1}}"},
    {"Reshape", "ROOT r = f32[3,2] reshape(a)", "{{1, 2}, {3, 4}, {5, 6}}"},
    {"Slice", "ROOT r = f32[2] slice(v), slice={[0:4:3]}", "{1, 4}"},
    {"SliceNothing", "ROOT r = f32[0] slice(v), slice={[2:2]}", "{}"},
    {"Pad", "ROOT r = f32[9] pad(v, nine), padding=1_1_1", "{9, 1, 9, 2, 9, 3, 9, 4, 9}"},
    {"PadNegative", "ROOT r = f32[3] pad(v, nine), padding=-2_1_0", "{3, 4, 9}"},
    {"PadNegativeInterior", "ROOT r = f32[5] pad(v, nine), padding=-1_-1_1", "{9, 2, 9, 3, 9}"},
    {"Concatenate", "ROOT r = f32[2,6] concatenate(a, a), dimensions={1}",
     "{{1, 2, 3, 1, 2, 3}, {4, 5, 6, 4, 5, 6}}"},
    {"Copy", "ROOT r = f32[4] copy(v)", "{1, 2, 3, 4}"},
    {"CopyStart", "s = (f32[4], f32[4], u32[]) copy-start(v)\nROOT r = f32[4] copy-done(s)",
     "{1, 2, 3, 4}"},
    {"Barrier", "t = (f32[4]) tuple(v)\nROOT r = (f32[4]) opt-barrier(t)", "({1, 2, 3, 4})"},
    {"Token", "k = token[] after-all()\nROOT r = f32[4] add-dependency(v, k)", "{1, 2, 3, 4}"},
    {"Tuple", "t = (f32[], f32[4]) tuple(nine, v)\nROOT r = f32[] get-tuple-element(t), index=0",
     "9"},
    {"Bitcast", "b = f32[2,3]{0,1} constant({{1,2,3},{4,5,6}})\nROOT r = f32[6]{0} bitcast(b)",
     "{1, 4, 2, 5, 3, 6}"},
    {"BitcastTiled",
     "b = f32[2,4]{1,0:T(2,2)} constant({{1,2,3,4},{5,6,7,8}})\nROOT r = f32[8]{0} bitcast(b)",
     "{1, 2, 5, 6, 3, 4, 7, 8}"},
    {"BitcastToBytes", "b = u32[1]{0} constant({67305985})\nROOT r = u8[4]{0} bitcast(b)",
     "{1, 2, 3, 4}"},
    {"BitcastConvert",
     "b = u8[2,4] constant({{1,0,0,0},{0,1,0,0}})\nROOT r = u32[2] bitcast-convert(b)", "{1, 256}"},
    {"BitcastConvertDown", "b = u16[1] constant({513})\nROOT r = u8[1,2] bitcast-convert(b)",
     "{{1, 2}}"},
    {"BitcastConvertS4", "b = s8[1] constant({-14})\nROOT r = s4[1,2] bitcast-convert(b)",
     "{{2, -1}}"},
    {"BitcastConvertFloat", "ROOT r = u32[4] bitcast-convert(v)",
     "{1065353216, 1073741824, 1077936128, 1082130432}"},
    {"DynamicSlice",
     "i = s32[] constant(1)\nROOT r = f32[2] dynamic-slice(v, i), dynamic_slice_sizes={2}",
     "{2, 3}"},
    {"DynamicSliceClampsAbove",
     "i = s32[] constant(9)\nROOT r = f32[2] dynamic-slice(v, i), dynamic_slice_sizes={2}",
     "{3, 4}"},
    {"DynamicSliceClampsBelow",
     "i = s32[] constant(-9)\nROOT r = f32[2] dynamic-slice(v, i), dynamic_slice_sizes={2}",
     "{1, 2}"},
    {"DynamicSliceClampsU64",
     "i = u64[] constant(18446744073709551615)\nROOT r = f32[2] dynamic-slice(v, i), "
     "dynamic_slice_sizes={2}",
     "{3, 4}"},
    {"DynamicUpdateSlice",
     "i = s32[] constant(3)\nu = f32[2] constant({8,9})\nROOT r = f32[4] dynamic-update-slice(v, "
     "u, i)",
     "{1, 2, 8, 9}"},
    {"Gather",
     "i = s32[2] constant({1,5})\nROOT r = f32[2,3] gather(a, i), offset_dims={1}, "
     "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
     "{{4, 5, 6}, {4, 5, 6}}"},
    {"GatherVectors",
     "i = s32[2,2] constant({{0,1},{1,2}})\nROOT r = f32[2,2] gather(a, i), offset_dims={0}, "
     "collapsed_slice_dims={0}, start_index_map={0,1}, index_vector_dim=0, slice_sizes={1,2}",
     "{{2, 5}, {3, 6}}"},
    {"GatherBatching",
     "i = s32[2,1] constant({{2},{0}})\nROOT r = f32[2,1] gather(a, i), offset_dims={}, "
     "collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}",
     "{{3}, {4}}"},
    {"Scatter",
     "i = s32[3,1] constant({{1},{1},{7}})\nu = f32[3] constant({10,20,30})\nROOT r = f32[4] "
     "scatter(v, i, u), "
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, "
     "to_apply=add",
     "{1, 32, 3, 4}"},
    {"ScatterWindowOutside",
     "i = s32[1] constant({3})\nu = f32[2] constant({10,20})\nROOT r = f32[4] scatter(v, i, u), "
     "update_window_dims={0}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=0, "
     "to_apply=add",
     "{1, 2, 3, 4}"},
    {"Reduce", "ROOT r = f32[2] reduce(a, nine), dimensions={1}, to_apply=add", "{15, 24}"},
    {"ReduceAll", "ROOT r = f32[] reduce(a, zero), dimensions={1,0}, to_apply=add", "21"},
    {"ReduceEmpty",
     "e = f32[2,0] constant({{},{}})\nROOT r = f32[2] reduce(e, nine), dimensions={1}, "
     "to_apply=add",
     "{9, 9}"},
    {"ReduceVariadic",
     "j = s32[4] iota(), iota_dimension=0\nw = f32[4] constant({3,7,7,1})\nm = f32[] "
     "constant(-inf)\n"
     "k = s32[] constant(0)\nROOT r = (f32[], s32[]) reduce(w, j, m, k), dimensions={0}, "
     "to_apply=argmax",
     "(7, 1)"},
    {"ReduceWindow",
     "ROOT r = f32[2] reduce-window(v, zero), window={size=2 stride=2}, to_apply=add", "{3, 7}"},
    {"ReduceWindowPadded",
     "ROOT r = f32[4] reduce-window(v, nine), window={size=3 pad=1_1}, to_apply=add",
     "{12, 15, 18, 16}"},
    {"ReduceWindowDilated",
     "ROOT r = f32[5] reduce-window(v, zero), window={size=2 lhs_dilate=2 rhs_dilate=2}, "
     "to_apply=add",
     "{3, 0, 5, 0, 7}"},
    {"SelectAndScatter",
     "w = f32[4] constant({5,1,2,8})\ns = f32[2] constant({10,20})\nROOT r = f32[4] "
     "select-and-scatter(w, s, nine), "
     "window={size=2 stride=2}, select=ge, scatter=add",
     "{19, 9, 9, 29}"},
    {"Scan",
     "ROOT r = (f32[4], f32[]) scan(v, nine), dimensions={0}, num_carries=1, to_apply=running_sum",
     "({10, 12, 15, 19}, 19)"},
    {"ScanReverse",
     "ROOT r = (f32[4], f32[]) scan(v, zero), dimensions={0}, num_carries=1, is_reverse=true, "
     "to_apply=running_sum",
     "({10, 9, 7, 4}, 10)"},
    {"Map", "w = f32[4] map(v, v), dimensions={0}, to_apply=add\nROOT r = f32[4] copy(w)",
     "{2, 4, 6, 8}"},
    {"Sort",
     "k = s32[4] constant({3,1,3,2})\nROOT r = (s32[4], f32[4]) sort(k, v), dimensions={0}, "
     "is_stable=true, "
     "to_apply=lt_first",
     "({1, 2, 3, 3}, {2, 4, 1, 3})"},
    {"SortColumns",
     "k = s32[3,2] constant({{3,1},{1,2},{2,0}})\nROOT r = s32[3,2] sort(k), dimensions={0}, "
     "to_apply=lt",
     "{{1, 0}, {2, 1}, {3, 2}}"},
    {"TopK",
     "w = f32[4] constant({1,nan,3,3})\nROOT r = (f32[3], s32[3]) topk(w), k=3, largest=true",
     "({nan, 3, 3}, {1, 2, 3})"},
    {"TopKSmallest",
     "w = f32[4] constant({4,1,3,1})\nROOT r = (f32[2], s32[2]) topk(w), k=2, largest=false",
     "({1, 1}, {1, 3})"},
    {"TopKCall",
     "w = f32[2,4] constant({{1,nan,3,3},{-0,0,-1,-inf}})\nROOT r = (f32[2,3], s32[2,3]) "
     "custom-call(w), custom_call_target=\"TopK\"",
     "({{nan, 3, 3}, {0, -0, -1}}, {{1, 2, 3}, {1, 0, 2}})"},
    {"Dot", "ROOT r = f32[2,2] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
     "{{14, 32}, {32, 77}}"},
    {"DotBatch",
     "ROOT r = f32[2] dot(a, a), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
     "rhs_contracting_dims={1}",
     "{14, 77}"},
    {"DotIntegers",
     "x = s8[2] constant({100,100})\nROOT r = s32[] dot(x, x), lhs_contracting_dims={0}, "
     "rhs_contracting_dims={0}",
     "20000"},
    {"DotNothing",
     "x = f32[2,0] constant({{},{}})\nROOT r = f32[2,2] dot(x, x), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={1}",
     "{{0, 0}, {0, 0}}"},
    {"DotComplex",
     "x = c64[2] constant({(1,1),(0,2)})\nROOT r = c64[] dot(x, x), lhs_contracting_dims={0}, "
     "rhs_contracting_dims={0}",
     "(-4, 2)"},
    {"RaggedDot",
     "w = f32[2,3,1] constant({{{1},{1},{1}},{{10},{10},{10}}})\ng = s32[2] constant({1,1})\n"
     "ROOT r = f32[2,1] ragged-dot(a, w, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}, rhs_group_dims={0}",
     "{{6}, {150}}"},
    {"RaggedDotContracting",
     "w = f32[3,1] constant({{1},{10},{100}})\ng = s32[2] constant({1,2})\n"
     "ROOT r = f32[2,2,1] ragged-dot(a, w, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
     "lhs_ragged_dims={1}, rhs_group_dims={}",
     "{{{1}, {4}}, {{320}, {650}}}"},
    {"ScaledDot",
     "x = f32[1,4] constant({{1,1,1,1}})\ns = f32[1,2] constant({{2,3}})\nt = f32[1,1] "
     "constant({{10}})\n"
     "ROOT r = f32[1,1] scaled-dot(x, x, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
     "{{100}}"},
    // A scalar scales all.
    {"ScaledDotByScalar",
     "x = f32[1,2] constant({{1,2}})\ns = f32[] constant(10)\nt = f32[1,1] constant({{3}})\n"
     "ROOT r = f32[1,1] scaled-dot(x, x, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
     "{{150}}"},
    // An empty array has blocks of any size and rows of no stride.
    {"ScaledDotOfNothing",
     "x = f32[1,0] constant({{}})\ns = f32[1,0] constant({{}})\n"
     "ROOT r = f32[1,1] scaled-dot(x, x, s, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
     "{{0}}"},
    {"RaggedDotOfNothing",
     "x = f32[2,0] constant({{},{}})\ny = f32[1,0,1] constant({{}})\nn = s32[1] constant({2})\n"
     "ROOT r = f32[2,1] ragged-dot(x, y, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}, rhs_group_dims={0}",
     "{{0}, {0}}"},
    {"Convolution",
     "x = f32[1,4,1] constant({{{1},{2},{3},{4}}})\nk = f32[2,1,1] constant({{{1}},{{10}}})\n"
     "ROOT r = f32[1,3,1] convolution(x, k), window={size=2}, dim_labels=b0f_0io->b0f",
     "{{{21}, {32}, {43}}}"},
    {"ConvolutionReversed",
     "x = f32[1,4,1] constant({{{1},{2},{3},{4}}})\nk = f32[2,1,1] constant({{{1}},{{10}}})\n"
     "ROOT r = f32[1,3,1] convolution(x, k), window={size=2 rhs_reversal=1}, "
     "dim_labels=b0f_0io->b0f",
     "{{{12}, {23}, {34}}}"},
    {"ConvolutionPaddedStridedDilated",
     "x = f32[1,2,1] constant({{{1},{2}}})\nk = f32[2,1,1] constant({{{1}},{{10}}})\n"
     "ROOT r = f32[1,2,1] convolution(x, k), window={size=2 stride=2 pad=1_1 lhs_dilate=2 "
     "rhs_dilate=2}, "
     "dim_labels=b0f_0io->b0f",
     "{{{0}, {0}}}"},
    {"ConvolutionFeatureGroups",
     "x = f32[1,1,2] constant({{{3,5}}})\nk = f32[1,1,2] constant({{{10,100}}})\n"
     "ROOT r = f32[1,1,2] convolution(x, k), window={size=1}, dim_labels=b0f_0io->b0f, "
     "feature_group_count=2",
     "{{{30, 500}}}"},
    {"ConvolutionBatchGroups",
     "x = f32[2,1,1] constant({{{3}},{{5}}})\nk = f32[1,1,2] constant({{{10,100}}})\n"
     "ROOT r = f32[1,1,2] convolution(x, k), window={size=1}, dim_labels=b0f_0io->b0f, "
     "batch_group_count=2",
     "{{{30, 500}}}"},
    {"Cholesky", "m = f32[2,2] constant({{4,99},{2,5}})\nROOT r = f32[2,2] cholesky(m), lower=true",
     "{{2, 0}, {1, 2}}"},
    {"CholeskyUpper",
     "m = f32[2,2] constant({{4,2},{99,5}})\nROOT r = f32[2,2] cholesky(m), lower=false",
     "{{2, 1}, {0, 2}}"},
    {"TriangularSolveLeft",
     "m = f32[2,2] constant({{2,99},{1,4}})\nb = f32[2,1] constant({{2},{9}})\n"
     "ROOT r = f32[2,1] triangular-solve(m, b), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE",
     "{{1}, {2}}"},
    {"TriangularSolveTransposed",
     "m = f32[2,2] constant({{2,99},{1,4}})\nb = f32[2,1] constant({{4},{8}})\n"
     "ROOT r = f32[2,1] triangular-solve(m, b), left_side=true, lower=true, transpose_a=TRANSPOSE",
     "{{1}, {2}}"},
    {"TriangularSolveRightUnit",
     "m = f32[2,2] constant({{7,3},{99,7}})\nb = f32[1,2] constant({{1,5}})\n"
     "ROOT r = f32[1,2] triangular-solve(m, b), left_side=false, lower=false, unit_diagonal=true, "
     "transpose_a=NO_TRANSPOSE",
     "{{1, 2}}"},
    {"Fft",
     "x = c64[4] constant({(1,0),(0,0),(0,0),(0,0)})\nROOT r = c64[4] fft(x), fft_type=FFT, "
     "fft_length={4}",
     "{(1, 0), (1, 0), (1, 0), (1, 0)}"},
    {"Rfft",
     "x = f32[3] constant({1,1,1})\nf = c64[2] fft(x), fft_type=RFFT, fft_length={3}\n"
     "ROOT r = f32[3] fft(f), fft_type=IRFFT, fft_length={3}",
     "{1, 1, 1}"},
    {"DotOfFloatsInIntegers",
     "x = f32[3] constant({1.5,-2.5,0.25})\ny = f32[3] constant({1,1.75,1})\n"
     "ROOT r = s32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
     "-2"},
    {"BatchNormTraining",
     "x = f32[2,1] constant({{1},{3}})\ns = f32[1] constant({2})\no = f32[1] constant({5})\n"
     "ROOT r = (f32[2,1], f32[1], f32[1]) batch-norm-training(x, s, o), epsilon=0, feature_index=1",
     "({{3}, {7}}, {2}, {1})"},
    {"BatchNormInference",
     "x = f32[2,1] constant({{1},{3}})\ns = f32[1] constant({2})\no = f32[1] constant({5})\n"
     "m = f32[1] constant({1})\nw = f32[1] constant({4})\n"
     "ROOT r = f32[2,1] batch-norm-inference(x, s, o, m, w), epsilon=0, feature_index=1",
     "{{5}, {7}}"},
    // XLA on a CPU: epsilon is a float, whatever the type of the array.
    {"EpsilonIsAFloat",
     "x = f64[1,1] constant({{1}})\ns = f64[1] constant({1})\no = f64[1] constant({0})\n"
     "ROOT r = f64[1,1] batch-norm-inference(x, s, o, o, o), epsilon=0.01, feature_index=1",
     "{{10.00000011175871}}"},
    {"BatchNormGrad",
     "x = f32[2,1] constant({{1},{3}})\ns = f32[1] constant({2})\nm = f32[1] constant({2})\n"
     "w = f32[1] constant({1})\ng = f32[2,1] constant({{1},{1}})\n"
     "ROOT r = (f32[2,1], f32[1], f32[1]) batch-norm-grad(x, s, m, w, g), epsilon=0, "
     "feature_index=1",
     "({{0}, {0}}, {0}, {2})"},
    {"While", "i = s32[] constant(1)\nROOT r = s32[] while(i), condition=below_100, body=triple",
     "243"},
    {"Conditional",
     "p = pred[] constant(false)\nx = f32[2] constant({3,4})\nROOT r = f32[2] conditional(p, x, "
     "x), "
     "true_computation=double, false_computation=squared",
     "{9, 16}"},
    {"ConditionalOutOfRange",
     "p = s32[] constant(-1)\nx = f32[2] constant({3,4})\nROOT r = f32[2] conditional(p, x, x), "
     "branch_computations={double, squared}",
     "{9, 16}"},
    {"Call", "x = f32[2] constant({3,4})\nROOT r = f32[2] call(x), to_apply=double", "{6, 8}"},
    {"Fusion", "x = f32[2] constant({3,4})\nROOT r = f32[2] fusion(x), kind=kLoop, calls=double",
     "{6, 8}"},
    {"Async",
     "x = f32[2] constant({3,4})\ns = ((f32[2]), f32[2]) async-start(x), calls=double\n"
     "u = ((f32[2]), f32[2]) async-update(s)\nROOT r = f32[2] async-done(u)",
     "{6, 8}"},
    {"AsyncBehindItsEnd",
     "x = f32[2] constant({3,4})\ne = () tuple()\ns = ((f32[2]), ((), f32[2])) async-start(x), "
     "calls=beside\nd = ((), f32[2]) async-done(s)\nu = ((f32[2]), f32[2]) async-update(d, x)\n"
     "ROOT r = f32[2] get-tuple-element(u), index=1",
     "it continues no async-start"},
    {"Unbounded",
     "x = f32[2] constant({3,4})\nf = f32[?] copy(x)\ng = f32[7] copy(f)\nROOT r = f32[7] "
     "negate(g)",
     "an array with an unbounded dimension, f32[?], has no size"},
    {"UnboundedInATuple",
     "x = f32[2] constant({3,4})\nt = (f32[2]) tuple(x)\nf = (f32[?]) opt-barrier(t)\n"
     "ROOT g = (f32[9]) opt-barrier(f)",
     "an array with an unbounded dimension, f32[?], has no size"},
    {"SetDimensionSize",
     "n = s32[] constant(3)\nd = f32[<=4] set-dimension-size(v, n), dimensions={0}\nw = f32[<=4] "
     "negate(d)\n"
     "ROOT r = s32[] get-dimension-size(w), dimensions={0}",
     "3"},
    {"DynamicReshape",
     "n = s32[] constant(2)\nd = f32[2,<=3] set-dimension-size(a, n), dimensions={1}\nm = s32[] "
     "constant(4)\n"
     "ROOT r = f32[<=6] dynamic-reshape(d, m)",
     "{1, 2, 4, 5, 0, 0}"},
    {"RngBitGenerator",
     "s = u64[2] constant({0,0})\nROOT r = (u64[2], u32[2]) rng-bit-generator(s), "
     "algorithm=rng_three_fry",
     "({0, 1}, {1797259609, 2579123966})"},
    // Errors.
    {"Rng", "ROOT r = f32[2] rng(zero, nine), distribution=rng_uniform", "no stated algorithm"},
    {"CustomCall", "ROOT r = f32[2] custom-call(v), custom_call_target=\"foo\"",
     "instruction 'r' (custom-call) of computation 'e': what the custom call \"foo\""},
    {"TopKOfTooMany", "ROOT r = (f32[9], s32[9]) custom-call(v), custom_call_target=\"TopK\"",
     "what the custom call \"TopK\" computes is not known"},
    {"TopKOfOtherTypes", "ROOT r = (f32[2], f32[2]) custom-call(v), custom_call_target=\"TopK\"",
     "what the custom call \"TopK\" computes is not known"},
    {"Sharding", "ROOT r = f32[4]{0} custom-call(v), custom_call_target=\"Sharding\"",
     "{1, 2, 3, 4}"},
    {"ShardingOfAnotherShape", "ROOT r = f32[2] custom-call(v), custom_call_target=\"Sharding\"",
     "what the custom call \"Sharding\" computes is not known"},
    {"ShardingOfTwo", "ROOT r = f32[4] custom-call(v, v), custom_call_target=\"Sharding\"",
     "what the custom call \"Sharding\" computes is not known"},
    {"Infeed", "k = token[] after-all()\nROOT r = (f32[2], token[]) infeed(k)", "exchanges values"},
    {"OutfeedIsNotLeftOut",
     "k = token[] after-all()\no = token[] outfeed(v, k), outfeed_shape=f32[4]\n"
     "ROOT r = f32[] copy(zero)",
     "exchanges values"},
    {"Elided", "ROOT r = f32[2] constant({...})", "elided"},
    {"PartlyFilled",
     "n = s32[] constant(3)\nd = f32[<=4] set-dimension-size(v, n), dimensions={0}\n"
     "ROOT r = f32[] reduce(d, zero), dimensions={0}, to_apply=add",
     "below its bound"},
    {"MissingReplica", "ROOT r = f32[4] all-reduce(v), replica_groups={{0,1}}, to_apply=add",
     "it names replica 1, there are 1 (replicas are counted from 0); simulate more with "
     "--replicas=2"},
    {"MissingReplicas", "ROOT r = f32[4] collective-permute(v), source_target_pairs={{0,1},{1,5}}",
     "it names replica 5, there are 1 (replicas are counted from 0); simulate more with "
     "--replicas=6"},
    {"GroupTooSmall", "ROOT r = f32[12] all-gather(v), replica_groups={}, dimensions={0}",
     "a group of 1 device does not give f32[12], 3 would (--replicas, --partitions)"},
};

TEST(InterpreterTest, AsksWhetherToGoOn) {
  const auto module = hlo::ParseModule(
      "c { i = s32[] parameter(0) n = s32[] constant(1000000) "
      "ROOT l = pred[] compare(i, n), direction=LT }\n"
      "b { i = s32[] parameter(0) one = s32[] constant(1) ROOT s = s32[] add(i, one) }\n"
      "ENTRY e { z = s32[] constant(0) ROOT w = s32[] while(z), condition=c, body=b }");
  ASSERT_TRUE(module.ok() && hlo::Verify(**module).ok());
  std::vector<int64_t> steps;
  hlo::InterpreterOptions options;
  options.keep_running = [&](const hlo::Instruction&, int64_t so_far) {
    steps.push_back(so_far);
    return steps.size() < 3;
  };
  const auto result = hlo::Evaluate((*module)->entry(), {}, options);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kCancelled);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_LT(steps[0], steps[1]);
  EXPECT_THAT(std::string(result.status().message()),
              ::testing::HasSubstr("stopped after " + std::to_string(steps[2]) + " steps"));
}

// Within one long instruction, too.
TEST(InterpreterTest, AsksWithinLongInstructions) {
  constexpr int64_t kProducts = int64_t{200} * 300 * 100;
  struct LongInstruction {
    const char* body;
    int64_t steps;
  };
  const LongInstruction all[] = {
      {"d = f32[200,100] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}", kProducts},
      {"x = s32[200,300] convert(a) y = s32[300,100] convert(b) "
       "d = s32[200,100] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       kProducts},
      {"x = c64[200,300] convert(a) y = c64[300,100] convert(b) "
       "d = c64[200,100] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       kProducts},
      {"x = f32[1,300,100] reshape(b) g = s32[1] constant({200}) "
       "d = f32[200,100] ragged-dot(a, x, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "lhs_ragged_dims={0}, rhs_group_dims={0}",
       kProducts},
      {"d = f32[200,100] convolution(a, b), dim_labels=bf_io->bf", kProducts},
      {"x = f32[200,200] slice(a), slice={[0:200], [0:200]} d = f32[200,200] cholesky(x)",
       int64_t{200} * 200 * 200},
      {"x = f32[200,200] slice(a), slice={[0:200], [0:200]} "
       "d = f32[200,300] triangular-solve(x, a), left_side=true",
       int64_t{200} * 200 * 300},
      {"x = c64[200,300] convert(a) d = c64[200,300] fft(x), fft_type=FFT, fft_length={300}",
       int64_t{200} * 300 * (75 + 64)},
  };
  for (const auto& [body, num_steps] : all) {
    const auto module = hlo::ParseModule(
        std::string("ENTRY e { one = f32[] constant(1) a = f32[200,300] broadcast(one), "
                    "dimensions={} b = f32[300,100] broadcast(one), dimensions={} ") +
        body + " }");
    ASSERT_TRUE(module.ok() && hlo::Verify(**module).ok()) << body << module.status();
    std::vector<int64_t> steps;
    size_t most = 1000;
    hlo::InterpreterOptions options;
    options.keep_running = [&](const hlo::Instruction& instruction, int64_t so_far) {
      EXPECT_EQ(instruction.name(), "d");
      steps.push_back(so_far);
      return steps.size() < most;
    };
    EXPECT_TRUE(hlo::Evaluate((*module)->entry(), {}, options).ok()) << body;
    // Every million steps, but of a dot no earlier than behind 8 columns.
    EXPECT_GE(steps.size(), static_cast<size_t>((num_steps >> 20) - 1)) << body;
    EXPECT_LE(steps.size(), static_cast<size_t>(num_steps >> 20)) << body;
    EXPECT_LE(steps.back() - steps.front(), num_steps) << body;
    steps.clear();
    most = 2;
    const auto result = hlo::Evaluate((*module)->entry(), {}, options);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kCancelled) << body;
    EXPECT_EQ(steps.size(), 2u);
    // What is too much is refused before anything is done.
    steps.clear();
    options.max_steps = num_steps - 1;
    const auto refused = hlo::Evaluate((*module)->entry(), {}, options);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted) << body;
    EXPECT_TRUE(steps.empty()) << body;
  }
}

TEST(InterpreterTest, Table) {
  for (const Case& c : kCases) {
    const std::string body = std::string(kValues) + c.body;
    EXPECT_THAT(Interpret(body), ::testing::HasSubstr(c.expected)) << c.name << "\n" << c.body;
  }
}

// Device d has {10 d, 10 d + 1}.
constexpr char kPerDevice[] =
    "rep = u32[] replica-id()\npar = u32[] partition-id()\nn = u32[] constant(PARTITIONS)\n"
    "m = u32[] multiply(rep, n)\nd = u32[] add(m, par)\nf = f32[] convert(d)\nb = f32[2] "
    "broadcast(f), "
    "dimensions={}\nten = f32[2] constant({10,10})\nt = f32[2] multiply(b, ten)\n"
    "i = f32[2] iota(), iota_dimension=0\nv = f32[2] add(t, i)\n";

struct DeviceCase {
  const char* name;
  int64_t replicas;
  int64_t partitions;
  const char* body;
  const char* expected;
};

const DeviceCase kDeviceCases[] = {
    {"AllReduce", 2, 1, "ROOT r = f32[2] all-reduce(v), replica_groups={}, to_apply=add",
     "{10, 12}\n{10, 12}"},
    {"AllReduceGroups", 4, 1,
     "ROOT r = f32[2] all-reduce(v), replica_groups={{0,3},{1,2}}, to_apply=add",
     "{30, 32}\n{30, 32}\n{30, 32}\n{30, 32}"},
    {"AllReduceIota", 4, 1,
     "ROOT r = f32[2] all-reduce(v), replica_groups=[2,2]<=[2,2]T(1,0), to_apply=add",
     "{20, 22}\n{40, 42}\n{20, 22}\n{40, 42}"},
    {"AllReduceMesh", 4, 1,
     "ROOT r = f32[2] all-reduce(v), replica_groups=mesh['x'=2,'y'=2] {'y'}, to_apply=add",
     "{10, 12}\n{10, 12}\n{50, 52}\n{50, 52}"},
    {"AllReducePerPartition", 2, 2,
     "ROOT r = f32[2] all-reduce(v), replica_groups={{0,1}}, to_apply=add",
     "{20, 22}\n{40, 42}\n{20, 22}\n{40, 42}"},
    {"AllReduceReplicasAndPartitions", 2, 2,
     "ROOT r = f32[2] all-reduce(v), channel_id=1, replica_groups={{0},{1}}, to_apply=add",
     "{10, 12}\n{10, 12}\n{50, 52}\n{50, 52}"},
    {"AllReduceGlobalIds", 1, 4,
     "ROOT r = f32[2] all-reduce(v), channel_id=1, use_global_device_ids=true, "
     "replica_groups={{0,2},{1,3}}, to_apply=add",
     "{20, 22}\n{40, 42}\n{20, 22}\n{40, 42}"},
    {"AllReduceStart", 2, 1,
     "s = f32[2] all-reduce-start(v), replica_groups={}, to_apply=add\nROOT r = f32[2] "
     "all-reduce-done(s)",
     "{10, 12}\n{10, 12}"},
    {"AllGather", 2, 1, "ROOT r = f32[4] all-gather(v), replica_groups={{1,0}}, dimensions={0}",
     "{10, 11, 0, 1}\n{10, 11, 0, 1}"},
    {"AllGatherStart", 2, 1,
     "s = (f32[2], f32[4]) all-gather-start(v), replica_groups={{0,1}}, dimensions={0}\n"
     "ROOT r = f32[4] all-gather-done(s)",
     "{0, 1, 10, 11}\n{0, 1, 10, 11}"},
    {"ReduceScatter", 2, 1,
     "ROOT r = f32[1] reduce-scatter(v), replica_groups={{0,1}}, dimensions={0}, to_apply=add",
     "{10}\n{12}"},
    {"AllToAllParts", 2, 1, "ROOT r = f32[2] all-to-all(v), replica_groups={{0,1}}, dimensions={0}",
     "{0, 10}\n{1, 11}"},
    {"AllToAllArrays", 2, 1,
     "w = f32[2] negate(v)\nROOT r = (f32[2], f32[2]) all-to-all(v, w), replica_groups={{0,1}}",
     "({0, 1}, {10, 11})\n({-0, -1}, {-10, -11})"},
    {"CollectivePermute", 3, 1,
     "ROOT r = f32[2] collective-permute(v), source_target_pairs={{0,1},{1,2}}",
     "{0, 0}\n{0, 1}\n{10, 11}"},
    {"CollectivePermuteStart", 1, 2,
     "s = (f32[2], f32[2], u32[], u32[]) collective-permute-start(v), channel_id=1, "
     "source_target_pairs={{0,1},{1,0}}\nROOT r = f32[2] collective-permute-done(s)",
     "{10, 11}\n{0, 1}"},
    {"CollectiveBroadcast", 3, 1, "ROOT r = f32[2] collective-broadcast(v), replica_groups={{1,0}}",
     "{10, 11}\n{10, 11}\n{0, 0}"},
    {"CollectiveBroadcastToAll", 3, 1, "ROOT r = f32[2] collective-broadcast(v), replica_groups={}",
     "{0, 1}\n{0, 1}\n{0, 1}"},
    // Device d sends its element j to device j, where it stands at position d.
    {"RaggedAllToAll", 2, 1,
     "o = f32[2] constant({-1,-1})\nfrom = s32[2] constant({0,1})\none = s32[2] constant({1,1})\n"
     "rs = s32[] convert(rep)\nto = s32[2] broadcast(rs), dimensions={}\n"
     "ROOT r = f32[2] ragged-all-to-all(v, o, from, one, to, one), replica_groups={{0,1}}",
     "{0, 10}\n{1, 11}"},
    {"DuplicateMember", 2, 1,
     "ROOT r = f32[2] all-reduce(v), replica_groups={{0,1},{1}}, to_apply=add",
     "is in replica_groups twice"},
};

TEST(InterpreterTest, Devices) {
  for (const DeviceCase& c : kDeviceCases) {
    hlo::InterpreterOptions options;
    options.num_replicas = c.replicas;
    options.num_partitions = c.partitions;
    std::string body = kPerDevice;
    body.replace(body.find("PARTITIONS"), 10, std::to_string(c.partitions));
    EXPECT_THAT(Interpret(body + c.body, options), ::testing::HasSubstr(c.expected)) << c.name;
  }
}

// Whatever layouts the instructions between have.
TEST(InterpreterTest, ResultsHaveTheShapeOfTheRoot) {
  const auto module = hlo::ParseModule(R"(ENTRY e {
      p = s32[2,3] parameter(0)
      c = s32[2,3]{0,1} copy(p)
      d = s32[2,3]{0,1} add(c, p)
      ROOT t = (s32[2,3]{0,1}, (s32[2,3]{0,1})) tuple(c, (s32[2,3]{0,1}) tuple(d)) })");
  ASSERT_TRUE(module.ok()) << module.status();
  const hlo::Computation& entry = (*module)->entry();
  const std::vector<int32_t> numbers = {1, 2, 3, 4, 5, 6};
  const auto* const bytes = reinterpret_cast<const uint8_t*>(numbers.data());
  const auto value = hlo::Value::FromBytes(entry.parameters()[0]->shape(),
                                           {llvm::ArrayRef(bytes, 4 * numbers.size())});
  ASSERT_TRUE(value.ok()) << value.status();
  const auto result = Evaluate(entry, {*value});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->ArrayLeaves().size(), 2u);
  for (int64_t leaf = 0; leaf < 2; ++leaf) {
    const hlo::ArrayValue& array = *result->ArrayLeaves()[static_cast<size_t>(leaf)];
    EXPECT_EQ(array.shape().ToString(), entry.root().shape().ArrayLeaf(leaf).ToString());
    EXPECT_EQ(array.Integer(5), 6 * (leaf + 1));
  }
}

// Only what an instruction depends on is run, on any one device.
TEST(InterpreterTest, OneInstruction) {
  const auto module = hlo::ParseModule(R"(
      add {
        x = s32[] parameter(0)
        y = s32[] parameter(1)
        ROOT s = s32[] add(x, y)
      }
      ENTRY e {
        p = s32[2] parameter(0)
        q = s32[2] parameter(1)
        n = s32[2] negate(p)
        m = s32[2] multiply(n, n)
        a = s32[2] all-reduce(m), to_apply=add
        i = u32[] replica-id()
        c = s32[] convert(i)
        b = s32[2] broadcast(c), dimensions={}
        ROOT r = (s32[2], s32[2], s32[2], s32[2]) tuple(m, q, a, b)
      })");
  ASSERT_TRUE(module.ok() && hlo::Verify(**module).ok());
  const hlo::Instruction& root = (*module)->entry().root();
  const std::vector<uint8_t> bytes = {3, 0, 0, 0, 5, 0, 0, 0};
  const auto given =
      hlo::Value::FromBytes((*module)->entry().parameters()[0]->shape(), {llvm::ArrayRef(bytes)});
  ASSERT_TRUE(given.ok());
  const std::vector<hlo::Value> arguments = {*given, hlo::Value()};
  const auto product = EvaluateInstruction(root.operand(0), arguments);
  ASSERT_TRUE(product.ok()) << product.status().message();
  EXPECT_EQ(product->array().Integer(0), 9);
  EXPECT_EQ(product->array().Integer(1), 25);
  const auto error = [&](size_t operand) {
    return std::string(EvaluateInstruction(root.operand(operand), arguments).status().message());
  };
  EXPECT_THAT(error(1), ::testing::HasSubstr("'q' (parameter) of computation 'e': its value is"));
  EXPECT_THAT(error(2), ::testing::HasSubstr("its value depends on the device"));
  EXPECT_THAT(error(3), ::testing::HasSubstr("its value depends on the device"));
}

TEST(InterpreterTest, Limits) {
  hlo::InterpreterOptions options;
  options.max_steps = 100000;
  EXPECT_THAT(
      Interpret("i = s32[] constant(1)\nROOT r = s32[] while(i), condition=forever, body=triple",
                options),
      ::testing::HasSubstr("the limit of 100000 steps"));
  options.max_bytes = 1000;
  EXPECT_THAT(Interpret("ROOT r = f32[10000] iota(), iota_dimension=0", options),
              ::testing::HasSubstr("the limit of 1000 bytes"));
  EXPECT_THAT(Interpret("ROOT r = f32[1000000,1000000,1000000] iota(), iota_dimension=0", options),
              ::testing::HasSubstr("the limit of"));
}

// The vectors that the paper's reference implementation (Random123) publishes.
// XLA's bits of the same HLO, of two and more blocks, and of a counter that overflows 64 bits.
TEST(RandomBitsTest, AsXlaOnACpu) {
  const auto run = [](const std::string& state, int64_t count) {
    return Interpret("s = u64[2] constant({" + state + "})\nROOT r = (u64[2], u32[" +
                     std::to_string(count) + "]) rng-bit-generator(s), algorithm=rng_philox");
  };
  EXPECT_THAT(run("7, 3", 6),
              ::testing::AllOf(::testing::HasSubstr("{7, 5}"),
                               ::testing::HasSubstr(
                                   "{2001574553, 1609947974, 2298187665, 1141748519, 1491393964, "
                                   "2612287546}")));
  EXPECT_THAT(run("7, 18446744073709551615", 5),
              ::testing::AllOf(::testing::HasSubstr("{7, 1}"),
                               ::testing::HasSubstr(
                                   "{3825527345, 2929620239, 4033760259, 866587273, 2720144846}")));
}

TEST(RandomBitsTest, PublishedVectors) {
  EXPECT_EQ(hlo::Threefry2x32(0, 0), (std::array<uint32_t, 2>{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(hlo::Threefry2x32(UINT64_MAX, UINT64_MAX),
            (std::array<uint32_t, 2>{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(hlo::Philox4x32(0, 0, 0),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(hlo::Philox4x32(UINT64_MAX, UINT64_MAX, UINT64_MAX),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

}  // namespace
}  // namespace hlo_indexing::testing
