// The rows of the verifier's tests that are about operations with many attributes or a computation.
// Each is an instruction of a computation with the operands, beside the callees, of
// verifier_test.cc.
#ifndef HLO_INDEXING_TESTS_HLO_VERIFIER_CASES_H_
#define HLO_INDEXING_TESTS_HLO_VERIFIER_CASES_H_

#include <ostream>

namespace hlo_indexing::hlo {

inline constexpr const char* kUnusualPrograms[] = {
    // What is exchanged.
    "(f32[4,6], token[]) infeed(token[] parameter(13))",
    "token[] outfeed(a, token[] parameter(13)), outfeed_shape=f32[4,6]",
    "(f32[4,6], u32[], token[]) send(a, token[] parameter(13)), channel_id=1",
    "token[] send-done((f32[4,6], u32[], token[]) parameter(13)), channel_id=1",
    "(f32[4,6], u32[], token[]) recv(token[] parameter(13)), channel_id=1",
    "(f32[4,6], token[]) recv-done((f32[4,6], u32[], token[]) parameter(13)), channel_id=1",
    "f32[4,6] rng(s, s), distribution=rng_uniform",
    "u32[4] rng-bit-generator(u64[2] parameter(13)), algorithm=rng_default",
    "(u64[2], u8[4]) rng-bit-generator(u64[2] parameter(13)), algorithm=rng_default",
    "u64[2] rng-get-and-update-state(), delta=1",
    "f32[<=24] dynamic-reshape(a, i)",
    // The type of a product is what the text asks for.
    "bf16[4,4] dot(n, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
    "s8[4,4] dot(n, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
    // One computation for operands of several types.
    "(f32[4,6], s32[4,6]) all-reduce(a, n), to_apply=add",
    "s32[2,6] reduce-scatter(n), dimensions={0}, to_apply=add",
    // Index vectors may address batching dimensions.
    "s32[1,3,5] gather(s32[1,3,1] parameter(13), s32[1,5] parameter(14)), offset_dims={1}, "
    "collapsed_slice_dims={2}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,3,1}, "
    "operand_batching_dims={0}, start_indices_batching_dims={0}",
    "c64[3,0] fft(f32[3,0] parameter(13)), fft_type=RFFT, fft_length={0}",
    "f32[4,6] map(s, a), dimensions={0,1}, to_apply=add",
    // Floats of two precisions may meet.
    "bf16[4,6] reverse(a), dimensions={0}",
    "bf16[2,6] slice(a), slice={[0:4:2], [0:6]}",
    "bf16[6,4] transpose(a), dimensions={1,0}",
    "bf16[7,4,6] broadcast(a), dimensions={1,2}",
    "bf16[24] reshape(a)",
    "bf16[6,6] pad(h, s), padding=1_1x0_0",
    "f32[8,6] concatenate(h, a), dimensions={0}",
    "bf16[2,3] dynamic-slice(a, i, i), dynamic_slice_sizes={2,3}",
    "bf16[4,6] dynamic-update-slice(a, h, i, i)",
    "bf16[4,6] copy(a)",
    "bf16[<=4,6] set-dimension-size(a, i), dimensions={0}",
    "bf16[6,6] cholesky(f32[6,6] parameter(13)), lower=true",
    "f16[4,6] sort(a), dimensions={1}, to_apply=ge",
    "f16[4,6] all-reduce(a), to_apply=add",
    "f16[4,6] clamp(s, h, s)",
    "pred[4,6] compare(a, h), direction=EQ",
    "bf16[2,1,6] gather(a, x), offset_dims={1,2}, start_index_map={0}, index_vector_dim=1, "
    "slice_sizes={1,6}",
    "bf16[4,6] scatter(a, x, f16[2,6] parameter(13)), update_window_dims={1}, "
    "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
    "f32[4] reduce(h, s), dimensions={1}, to_apply=add",
    "bf16[8,6] all-gather(a), dimensions={0}",
    // Products have a type that holds them.
    "f32[4,5] dot(h, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "f32[4,4] dot(h, h), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
    "bf16[4,4] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
    "s32[4,4] dot(s8[4,6] parameter(13), s8[4,6] parameter(14)), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={1}",
    "f32[4,7] ragged-dot(a, f32[3,6,7] parameter(13), s64[3] parameter(14)), "
    "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
    // Convolutions.
    "f32[1,6,6,8] convolution(img, f32[3,3,2,8] parameter(13)), window={size=3x3}, "
    "dim_labels=b01f_01io->b01f, feature_group_count=2",
    "f32[2,6,6,8] convolution(f32[4,8,8,4] parameter(13), f32[3,3,4,8] parameter(14)), "
    "window={size=3x3}, dim_labels=b01f_01io->b01f, batch_group_count=2",
    "f32[0,6,6,6] convolution(f32[0,8,8,4] parameter(13), k), window={size=3x3}, "
    "dim_labels=b01f_01io->b01f",
    "f32[?,6,6,6] convolution(f32[?,8,8,4] parameter(13), k), window={size=3x3}, "
    "dim_labels=b01f_01io->b01f",
    "f32[4,5] convolution(a, b), dim_labels=bf_io->bf",
    "f32[1,6,6,6] convolution(img, bf16[3,3,4,6] parameter(13)), window={size=3x3}, "
    "dim_labels=b01f_01io->b01f",
    "f32[1,6,6,6] convolution(img, f32[2,3,4,6] parameter(13)), window={size=3x3}, "
    "dim_labels=b01f_01io->b01f",
    // Reductions.
    "(f32[4], s32[4]) reduce(a, n, s, i), dimensions={1}, to_apply=two",
    "(f32[4]) reduce(a, s), dimensions={1}, to_apply=add1",
    "f32[4] reduce(a, s), dimensions={1}, to_apply=add1",
    "f32[6] reduce(a, f32[6] parameter(13)), dimensions={0}, to_apply=rows",
    "f32[?] reduce(f32[?,6] parameter(13), s), dimensions={1}, to_apply=add",
    "f32[] reduce-window(s, s), to_apply=add",
    "f32[4,6] select-and-scatter(a, f32[2,3] parameter(13), s), window={size=2x2 stride=2x2}, "
    "select=ge, scatter=add",
    "f32[] select-and-scatter(s, s, s), select=ge, scatter=add1",
    "f32[4,6] map(a, c), dimensions={0,1}, to_apply=add",
    "map(a, c), dimensions={0,1}, to_apply=add",
    "pred[4,6] map(a, h), dimensions={0,1}, to_apply=ge",
    "(f32[4,6], s32[4,6]) sort(a, n), dimensions={0}, to_apply=order",
    // Gather and scatter.
    "f32[3] gather(a, s32[3,2] parameter(13)), offset_dims={}, collapsed_slice_dims={0,1}, "
    "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}",
    "f32[4,1] gather(a, s32[4,1] parameter(13)), offset_dims={1}, operand_batching_dims={0}, "
    "start_indices_batching_dims={0}, start_index_map={1}, index_vector_dim=1, slice_sizes={1,1}",
    "f32[6] gather(a, i), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0}, "
    "index_vector_dim=0, slice_sizes={1,6}",
    "f32[4,6] scatter(a, s32[4,1] parameter(13), f32[4,2] parameter(14)), update_window_dims={1}, "
    "inserted_window_dims={}, input_batching_dims={0}, scatter_indices_batching_dims={0}, "
    "scatter_dims_to_operand_dims={1}, index_vector_dim=1, to_apply=add",
    "(f32[4,6], s32[4,6]) scatter(a, n, x, f32[2,6] parameter(13), s32[2,6] parameter(14)), "
    "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1, to_apply=two",
    "f32[4,6] scatter(a, s32[0] parameter(13), f32[4,6] parameter(14)), update_window_dims={0,1}, "
    "inserted_window_dims={}, scatter_dims_to_operand_dims={}, index_vector_dim=0, to_apply=add",
    // Collectives.
    "f32[4,18] all-gather(a), dimensions={1}, replica_groups={{0,1,2}}",
    "(f32[8,6], f32[12,5]) all-gather(a, b), dimensions={0}",
    "f32[?,6] all-gather(f32[?,6] parameter(13)), dimensions={0}",
    "f32[0,6] all-gather(f32[0,6] parameter(13)), dimensions={0}",
    "(f32[4,6], f32[8,6]) all-gather-start(a), dimensions={0}",
    "((f32[4,6], f32[6,5]), (f32[8,6], f32[12,5])) all-gather-start(a, b), dimensions={0}",
    "f32[8,6] all-gather-done((f32[4,6], f32[8,6]) parameter(13))",
    "f32[2,6] reduce-scatter(a), dimensions={0}, to_apply=add",
    "f32[2,6] reduce-scatter(a), dimensions={0}, to_apply=add1",
    "(f32[2,6], f32[2,6]) reduce-scatter(a, c), dimensions={0}, to_apply=add",
    "f32[4,6] all-to-all(a), dimensions={0}, replica_groups={{0,1}}",
    "(f32[4,6], f32[4,6]) all-to-all(a, c), replica_groups={{0,1}}",
    "(f32[4,6]) all-to-all(a), replica_groups={}",
    "f32[4,6] collective-permute(a), source_target_pairs={{0,1}}",
    "f32[4,6] collective-permute(a, c, (s32[], s32[]) parameter(13), (s32[], s32[]) "
    "parameter(14)), source_target_pairs={{0,1}}, slice_sizes={{2,6}}",
    "(f32[4,6], f32[4,6], u32[], u32[]) collective-permute-start(a), source_target_pairs={{0,1}}",
    "((f32[4,6], f32[6,5]), (f32[4,6], f32[6,5])) collective-permute-start(a, b), "
    "source_target_pairs={{0,1}}",
    "(f32[2], f32[4,6], u32[], u32[]) collective-permute-start(f32[2] parameter(13), a, (s32[]) "
    "parameter(14), (s32[]) parameter(15)), source_target_pairs={{0,1}}, slice_sizes={{2}}",
    "f32[4,6] collective-permute-done((f32[4,6], f32[4,6], u32[], u32[]) parameter(13))",
    "(f32[4,6]) all-reduce((f32[4,6]) parameter(13)), to_apply=add",
    "f32[4,6] all-reduce-start(a), to_apply=add",
    "f32[4,6] collective-broadcast(a), replica_groups={{0,1}}",
    "f32[4,6] collective-broadcast(a), replica_groups={{0,1}}, has_dynamic_root=false",
    "f32[4,6] collective-broadcast(a, i), replica_groups={{0,1}}, has_dynamic_root=true",
    "(f32[4,6], f32[4,6]) collective-broadcast(a, c, s32[1] parameter(13)), has_dynamic_root=true",
    // Control flow.
    "f32[4,6] conditional(pred[] parameter(13), a, c), true_computation=neg, false_computation=neg",
    "((f32[4,6]), f32[4,6], s32[]) async-start(a), calls=dots",
    "((), f32[4,6], s32[]) async-start(), calls=dots",
    "((f32[4,6], f32[4,6]), f32[4,6], s32[]) async-update(((), f32[4,6], s32[]) parameter(13), a, "
    "c)",
    "((f32[4,6]), f32[4,6], s32[]) async-update(((f32[4,6]), f32[4,6], s32[]) parameter(13))",
};

struct RejectCase {
  const char* instruction;
  const char* message;
  // The text that the message points to.
  const char* at = "";

  friend void PrintTo(const RejectCase& reject_case, std::ostream* out) {
    *out << reject_case.instruction;
  }
};

inline constexpr RejectCase kMistakes[] = {
    // Element types that do not mix.
    {"pred[4,6] compare(a, n), direction=EQ", "compare cannot mix element types f32 and s32",
     "compare"},
    {"f32[4,6] clamp(i, a, s)", "clamp cannot mix", "clamp"},
    {"f32[4,6] clamp(s, a, i)", "clamp cannot mix", "clamp"},
    {"f32[4,6] select(p, a, n)", "select cannot mix", "select"},
    {"f32[6,6] pad(a, i), padding=1_1x0_0", "pad cannot mix", "pad"},
    {"f32[8,6] concatenate(a, n), dimensions={0}", "concatenate cannot mix", "concatenate"},
    {"f32[4,6] dynamic-update-slice(a, n, i, i)", "dynamic-update-slice cannot mix", "dynamic"},
    {"s32[4,6] copy(a)", "give f32[4,6]", "copy"},
    {"s32[24] reshape(a)", "give f32[24]", "reshape"},
    {"s32[4,6] reverse(a), dimensions={0}", "give f32[4,6]", "reverse"},
    {"bf16[4,6] opt-barrier(a)", "give f32[4,6]", "opt-barrier"},
    {"bf16[4,6] get-tuple-element(t), index=0", "give f32[4,6]", "get-tuple"},
    // Products.
    {"pred[4,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "dot of f32 and f32 cannot give pred", "dot"},
    {"f32[4,7] scaled-dot(a, f32[6,7] parameter(13), f32[4,2] parameter(14), f32[6,0] "
     "parameter(15)), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "the scale f32[6,0] does not divide f32[6,7] into blocks", "scaled-dot"},
    {"f32[4,7] scaled-dot(a, f32[6,7] parameter(13), f32[4,2] parameter(14), f32[2,14] "
     "parameter(15)), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "the scale f32[2,14] does not divide f32[6,7] into blocks", "scaled-dot"},
    {"f32[4,7] scaled-dot(a, f32[6,7] parameter(13), f32[4,2] parameter(14), f32[4,7] "
     "parameter(15)), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "the scale f32[4,7] does not divide f32[6,7] into blocks", "scaled-dot"},
    {"f32[4,7] scaled-dot(a, f32[6,7] parameter(13), f32[4,2] parameter(14), f32[2,7,1] "
     "parameter(15)), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "the scale f32[2,7,1] has another rank than f32[6,7]", "scaled-dot"},
    {"f32[4,7] ragged-dot(a, f32[3,6,7] parameter(13), f32[3] parameter(14)), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
     "group sizes must be integers", "ragged-dot"},
    {"f32[4,7] ragged-dot(a, f32[3,6,7] parameter(13), s32[3] parameter(14)), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "must have the same size", "lhs_contracting"},
    {"f32[4,7] ragged-dot(a, f32[3,6,7] parameter(13), s32[3] parameter(14)), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, rhs_group_dims={0}",
     "needs one dimension of lhs in lhs_ragged_dims", "ragged-dot"},
    {"f32[4,7] ragged-dot(a, f32[3,6,7] parameter(13), s32[3] parameter(14)), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}",
     "needs one dimension of rhs in rhs_group_dims", "ragged-dot"},
    {"f32[4,7] ragged-dot(a, f32[3,6,7] parameter(13), s32[3] parameter(14)), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={2}, rhs_group_dims={0}",
     "names dimension 2", "lhs_ragged_dims"},
    {"f32[4,7] ragged-dot(a, f32[3,6,7] parameter(13), s32[3] parameter(14)), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={-1}",
     "names dimension -1", "rhs_group_dims"},
    {"f32[4,7] ragged-dot(a, f32[3,6,7] parameter(13), s32[3] parameter(14)), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={3}",
     "names dimension 3", "rhs_group_dims"},
    {"f32[4,7] ragged-dot(a, f32[3,6,7] parameter(13), s32[3] parameter(14)), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={1}",
     "is in both rhs_contracting_dims and rhs_group_dims", "rhs_group_dims"},
    {"f32[6,4,5] dot(a, b), lhs_batch_dims={1}, lhs_contracting_dims={1}, rhs_batch_dims={0}, "
     "rhs_contracting_dims={0}",
     "dimension 1 is in both lhs_batch_dims and lhs_contracting_dims", "lhs_contracting_dims"},
    {"f32[6,5] dot(f32[6,6] parameter(13), b), lhs_batch_dims={0}, lhs_contracting_dims={1}, "
     "rhs_batch_dims={0}, rhs_contracting_dims={0}",
     "dimension 0 is in both rhs_batch_dims and rhs_contracting_dims", "rhs_contracting_dims"},
    {"f32[4,7] ragged-dot(a, f32[3,6,7] parameter(13), s32[2] parameter(14)), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
     "must have the same number of groups", "rhs_group_dims"},
    {"f32[4,7] ragged-dot(a, f32[3,6,7] parameter(13), s32[] parameter(14)), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
     "the group sizes need a dimension", "ragged-dot"},
    {"f32[4,6] ragged-dot(a, f32[3,6,7] parameter(13), s32[3] parameter(14)), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
     "give f32[4,7]", "ragged-dot"},
    // Dimension sizes and scans.
    {"s32[] get-dimension-size(a), dimensions={}", "needs exactly one dimension", "dimensions"},
    {"s32[] get-dimension-size(a), dimensions={0,1}", "needs exactly one dimension", "dimensions"},
    {"f32[4,6] set-dimension-size(a, i), dimensions={}", "needs exactly one dimension",
     "dimensions"},
    {"(f32[4,6], f32[6]) scan(a, f32[6] parameter(13)), dimensions={0}, to_apply=sums",
     "parameter 1 of computation 'sums' has shape f32[6], no slice along dimension 0 of f32[6]",
     "to_apply"},
    {"(f32[4,6], f32[6]) scan(a, f32[6] parameter(13)), dimensions={0}, num_carries=0, "
     "to_apply=sums",
     "no slice along dimension 0 of f32[6]", "to_apply"},
    {"(f32[4,6], f32[6]) scan(a, f32[6] parameter(13)), dimensions={0}, num_carries=2, "
     "to_apply=sums",
     "cannot have 2 carries", "num_carries"},
    {"(f32[4,6], f32[6]) scan(a, f32[6] parameter(13)), dimensions={0}, num_carries=-1, "
     "to_apply=sums",
     "cannot have -1 carries", "num_carries"},
    {"(f32[4,6], f32[6]) scan(a, f32[6] parameter(13)), num_carries=1, to_apply=sums",
     "scan needs exactly one dimension", "scan"},
    {"(f32[4,6], f32[6]) scan(a, f32[6] parameter(13)), dimensions={1}, num_carries=1, "
     "to_apply=sums",
     "has shape f32[6], no slice along dimension 1 of f32[4,6]", "to_apply"},
    {"f32[4,6] scan(a, f32[6] parameter(13)), dimensions={0}, num_carries=1, to_apply=sums",
     "do not make f32[4,6]", "to_apply"},
    {"(f32[4,6], f32[6]) scan(a, f32[6] parameter(13)), dimensions={0}, num_carries=1, "
     "to_apply=add",
     "parameter 0 of computation 'add' has shape f32[]", "to_apply"},
    // Convolutions.
    {"f32[1,6,6,6] convolution(img, k), window={size=3x3}, dim_labels=b02f_01io->b01f",
     "must have the same spatial dimensions", "dim_labels"},
    {"f32[1,6,6,6] convolution(img, k), window={size=3x3}, dim_labels=b01f_02io->b01f",
     "must have the same spatial dimensions", "dim_labels"},
    {"f32[1,7,7,6] convolution(img, k), window={size=2x2}, dim_labels=b01f_01io->b01f",
     "the window has size 2 in spatial dimension 0, the kernel 3", "window"},
    {"f32[1,6,8,6] convolution(img, k), window={size=3}, dim_labels=b01f_01io->b01f",
     "must have the ranks", "dim_labels"},
    {"f32[1,6,6,6] convolution(img, f32[3,3,5,6] parameter(13)), window={size=3x3}, "
     "dim_labels=b01f_01io->b01f",
     "the kernel takes 5 input features", "dim_labels"},
    {"f32[1,6,6,6] convolution(img, k), window={size=3x3}, dim_labels=b01f_01io->b01f, "
     "feature_group_count=2",
     "the kernel takes 4 input features, each of the 2 groups of the input has 2", "dim_labels"},
    {"f32[1,6,6,6] convolution(img, f32[3,3,1,6] parameter(13)), window={size=3x3}, "
     "dim_labels=b01f_01io->b01f, feature_group_count=4",
     "must divide the kernel's output features, 6", "feature_group_count"},
    {"f32[1,6,6,6] convolution(img, f32[3,3,1,6] parameter(13)), window={size=3x3}, "
     "dim_labels=b01f_01io->b01f, feature_group_count=3",
     "must divide the input features, 4", "feature_group_count"},
    {"f32[1,6,6,6] convolution(img, k), window={size=3x3}, dim_labels=b01f_01io->b01f, "
     "batch_group_count=4",
     "must divide the kernel's output features, 6", "batch_group_count"},
    {"f32[1,6,6,6] convolution(img, k), window={size=3x3}, dim_labels=b01f_01io->b01f, "
     "batch_group_count=2",
     "must divide the batch, 1", "batch_group_count"},
    {"f32[1,6,6,6] convolution(img, k), window={size=3x3}, dim_labels=b01f_01io->b01f, "
     "feature_group_count=0",
     "must be positive", "feature_group_count"},
    {"f32[1,6,6,6] convolution(img, k), window={size=3x3}, dim_labels=b01f_01io->b01f, "
     "batch_group_count=2, feature_group_count=2",
     "cannot both", "batch_group_count"},
    {"f32[1,6,6,6] convolution(img, k), window={size=3x3 stride=0x1}, dim_labels=b01f_01io->b01f",
     "window field 'stride' must be positive", "stride"},
    // Reductions.
    {"f32[4] reduce(a, f32[6] parameter(13)), dimensions={1}, to_apply=add",
     "an initial value of reduce must be a scalar, not f32[6]", "reduce"},
    {"f32[6] reduce(a, f32[4] parameter(13)), dimensions={0}, to_apply=rows",
     "an initial value of reduce must be a scalar, not f32[4]", "reduce"},
    {"f32[6] reduce(a, s), dimensions={0}, to_apply=rows",
     "parameter 0 of computation 'rows' has shape f32[6], reduce needs f32[]", "to_apply"},
    {"f32[4] reduce(a, i), dimensions={1}, to_apply=add",
     "reduce cannot mix element types f32 and s32", "reduce"},
    {"s32[4] reduce(a, s), dimensions={1}, to_apply=add", "give f32[4]", "reduce"},
    {"f32[4] reduce(a, s), dimensions={1}, to_apply=wide",
     "parameter 0 of computation 'wide' has shape f32[3], reduce needs f32[]", "to_apply"},
    {"f32[4] reduce(a, s), dimensions={1}, to_apply=addi",
     "parameter 0 of computation 'addi' has shape s32[], reduce needs f32[]", "to_apply"},
    {"f32[4] reduce(a, s), dimensions={1}, to_apply=ge",
     "computation 'ge' gives pred[], reduce needs f32[]", "to_apply"},
    {"(f32[4], f32[4]) reduce(a, a, s, s), dimensions={1}, to_apply=two",
     "parameter 1 of computation 'two' has shape s32[]", "to_apply"},
    {"(f32[4], s32[4]) reduce(a, n, s, i), dimensions={1}, to_apply=first",
     "computation 'first' gives f32[], reduce needs 2 scalars", "to_apply"},
    {"(f32[4], s32[4]) reduce(a, n, s, i), dimensions={1}, to_apply=order",
     "parameter 1 of computation 'order' has shape f32[], reduce needs s32[]", "to_apply"},
    {"f32[4,6] reduce-window(a, s), window={size=0x1}, to_apply=add",
     "size of window dimension 0 must be positive, not 0", "window="},
    {"f32[4,6] reduce-window(a, s), window={size=1x1 stride=1x-1}, to_apply=add",
     "window field 'stride' must be positive", "stride"},
    {"f32[4,6] reduce-window(a, s), window={size=1x1 lhs_dilate=0x1}, to_apply=add",
     "window field 'lhs_dilate' must be positive", "lhs_dilate"},
    {"f32[4,6] reduce-window(a, s), window={size=1x1 rhs_dilate=1x0}, to_apply=add",
     "window field 'rhs_dilate' must be positive", "rhs_dilate"},
    {"f32[4,6] reduce-window(a, s), window={size=1}, to_apply=add",
     "the window has 1 dimensions, it moves over 2", "window="},
    {"f32[4,6] reduce-window(a, c), window={size=1x1}, to_apply=add", "must be a scalar",
     "reduce-window"},
    {"f32[4,6] reduce-window(a, s), window={size=1x1}, to_apply=addi", "reduce-window needs f32[]",
     "to_apply"},
    {"f32[4,6] select-and-scatter(a, f32[2,3] parameter(13), s), select=ge, scatter=add",
     "the window has 0 dimensions, it moves over 2", "select-and"},
    {"f32[4,6] select-and-scatter(a, f32[2,4] parameter(13), s), window={size=2x2 stride=2x2}, "
     "select=ge, scatter=add",
     "as f32[2,3], the source is f32[2,4]", "select-and"},
    {"f32[4,6] select-and-scatter(a, f32[2,3] parameter(13), s), window={size=2x2 stride=2x2}, "
     "select=add, scatter=add",
     "gives f32[], select-and-scatter needs pred[]", "select=add"},
    {"f32[4,6] select-and-scatter(a, f32[2,3] parameter(13), s), window={size=2x2 stride=2x2}, "
     "select=ge, scatter=addi",
     "needs f32[]", "scatter=addi"},
    {"f32[4,6] select-and-scatter(a, f32[2,3] parameter(13), i), window={size=2x2 stride=2x2}, "
     "select=ge, scatter=add",
     "cannot mix", "select-and"},
    {"f32[4,6] map(a, n), dimensions={0,1}, to_apply=add",
     "parameter 1 of computation 'add' has shape f32[], map needs s32[]", "to_apply"},
    {"f32[4,6] map(a, c), dimensions={0,1}, to_apply=wide", "map needs f32[]", "to_apply"},
    {"f32[4,6] map(a, c), dimensions={0,1}, to_apply=ge", "give pred[4,6]", "map"},
    {"f32[4,6] sort(a), dimensions={0}, to_apply=add", "gives f32[], sort needs pred[]",
     "to_apply"},
    {"(f32[4,6], f32[6,5]) sort(a, b), dimensions={0}, to_apply=order",
     "must have the same dimensions", "sort"},
    // Gather and scatter.
    {"f32[3,2,3] gather(a, s32[3,2] parameter(13)), offset_dims={2,1}, collapsed_slice_dims={}, "
     "start_index_map={0,1}, index_vector_dim=1, slice_sizes={2,3}",
     "offset_dims must be in ascending order", "offset_dims"},
    {"f32[3] gather(a, s32[3,2] parameter(13)), offset_dims={}, collapsed_slice_dims={0,1}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,1}",
     "start_index_map has 1 entries for index vectors of length 2", "start_index_map"},
    {"f32[3] gather(a, s32[3,2] parameter(13)), offset_dims={}, collapsed_slice_dims={0,1}, "
     "start_index_map={0,1}, index_vector_dim=1, slice_sizes={2,1}",
     "its slice size must be at most 1, not 2", "slice_sizes"},
    {"f32[3] gather(a, s32[3,2] parameter(13)), offset_dims={}, collapsed_slice_dims={1,0}, "
     "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}",
     "collapsed_slice_dims must be in ascending order", "collapsed_slice_dims"},
    {"f32[3] gather(a, f32[3,2] parameter(13)), offset_dims={}, collapsed_slice_dims={0,1}, "
     "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}",
     "the indices must be integers", "gather"},
    {"s32[3] gather(a, s32[3,2] parameter(13)), offset_dims={}, collapsed_slice_dims={0,1}, "
     "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}",
     "give f32[3]", "gather"},
    {"f32[4,1] gather(a, s32[4,1] parameter(13)), offset_dims={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={0}, start_index_map={1}, index_vector_dim=1, slice_sizes={2,1}",
     "0 is in operand_batching_dims, its slice size must be at most 1", "slice_sizes"},
    {"f32[5,1] gather(a, s32[5,1] parameter(13)), offset_dims={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={0}, start_index_map={1}, index_vector_dim=1, slice_sizes={1,1}",
     "must have the same size", "operand_batching_dims"},
    {"f32[4,1] gather(a, s32[4,1] parameter(13)), offset_dims={1}, operand_batching_dims={0}, "
     "start_index_map={1}, index_vector_dim=1, slice_sizes={1,1}",
     "same number of entries", "gather"},
    {"f32[4,1] gather(a, s32[4,1] parameter(13)), offset_dims={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={1,1}",
     "contains index_vector_dim", "start_indices_batching_dims"},
    {"f32[4,6] scatter(a, x, f32[2,7] parameter(13)), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
     "dimension 1 of the updates f32[2,7] does not fit into the size 6", "scatter"},
    {"f32[4,6] scatter(a, x, f32[3,6] parameter(13)), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
     "dimension 0 of the updates f32[3,6] must have the size 2", "scatter"},
    {"f32[4,6] scatter(a, x, f32[2,6,1] parameter(13)), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
     "must have 1 dimensions for the indices and 1 for the window", "update_window_dims"},
    {"f32[4,6] scatter(a, x, f32[2] parameter(13)), update_window_dims={}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
     "must together have an entry for each dimension", "update_window_dims"},
    {"f32[4,6] scatter(a, x, f32[2,6] parameter(13)), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, "
     "to_apply=add",
     "has 2 entries for index vectors of length 1", "scatter_dims_to"},
    {"f32[4,6] scatter(a, x, f32[2,6] parameter(13)), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={2}, index_vector_dim=1, to_apply=add",
     "names dimension 2", "scatter_dims_to"},
    {"f32[4,6] scatter(a, x, f32[2,6] parameter(13)), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=3, to_apply=add",
     "index_vector_dim is no dimension", "index_vector_dim"},
    {"f32[4,6] scatter(a, x, s32[2,6] parameter(13)), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
     "scatter cannot mix", "scatter"},
    {"f32[4,6] scatter(a, f32[2,1] parameter(13), f32[2,6] parameter(14)), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
     "the indices must be integers", "scatter"},
    {"f32[4,6] scatter(a, x, f32[2,6] parameter(13)), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
     "to_apply=addi",
     "scatter needs f32[]", "to_apply"},
    {"f32[4,6] scatter(a, s32[4,1] parameter(13), f32[4,2] parameter(14)), update_window_dims={1}, "
     "inserted_window_dims={0}, input_batching_dims={0}, scatter_indices_batching_dims={0}, "
     "scatter_dims_to_operand_dims={1}, index_vector_dim=1, to_apply=add",
     "is in both inserted_window_dims and input_batching_dims", "input_batching_dims"},
    {"s32[4,6] scatter(a, x, f32[2,6] parameter(13)), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
     "give f32[4,6]", "scatter"},
    // Collectives.
    {"f32[9,6] all-gather(a), dimensions={0}",
     "all-gather of f32[4,6] along dimension 0 cannot give f32[9,6]", "all-gather"},
    {"f32[8,7] all-gather(a), dimensions={0}", "cannot give f32[8,7]", "all-gather"},
    {"f32[2,6] all-gather(a), dimensions={0}", "cannot give f32[2,6]", "all-gather"},
    {"s32[8,6] all-gather(a), dimensions={0}", "cannot give s32[8,6]", "all-gather"},
    {"f32[8,6] all-gather(a), dimensions={2}", "names dimension 2", "dimensions"},
    {"f32[8,6] all-gather(a), dimensions={0,1}", "needs exactly one dimension", "dimensions"},
    {"f32[8,6] all-gather(a, c), dimensions={0}", "all-gather of 2 operands cannot give f32[8,6]",
     "all-gather"},
    {"(f32[4,6], f32[9,6]) all-gather-start(a), dimensions={0}", "cannot give f32[9,6]",
     "all-gather-start"},
    {"(f32[4,7], f32[8,6]) all-gather-start(a), dimensions={0}",
     "gives operands f32[4,7], it has f32[4,6]", "all-gather-start"},
    {"f32[8,6] all-gather-start(a), dimensions={0}", "gives (operands, results, ...)",
     "all-gather-start"},
    {"f32[9,6] all-gather-done((f32[4,6], f32[8,6]) parameter(13))", "give f32[8,6]",
     "all-gather-done"},
    {"f32[8,6] all-gather-done(a)", "must be (operands, result, ...)", "all-gather-done"},
    {"f32[3,6] reduce-scatter(a), dimensions={0}, to_apply=add",
     "reduce-scatter of f32[4,6] along dimension 0 cannot give f32[3,6]", "reduce-scatter"},
    {"f32[8,6] reduce-scatter(a), dimensions={0}, to_apply=add", "cannot give f32[8,6]",
     "reduce-scatter"},
    {"(f32[2,6]) reduce-scatter(a, c), dimensions={0}, to_apply=add",
     "reduce-scatter of 2 operands cannot give", "reduce-scatter"},
    {"f32[2,12] all-to-all(a), dimensions={0}", "give f32[4,6]", "all-to-all"},
    {"s32[4,6] all-to-all(a), dimensions={0}", "give f32[4,6]", "all-to-all"},
    {"f32[4,6] all-to-all(a), dimensions={2}", "names dimension 2", "dimensions"},
    {"(f32[4,6], f32[6,5]) all-to-all(a, b)", "must have the same dimensions", "all-to-all"},
    {"(f32[4,6], f32[4,7]) all-to-all(a, c)", "give (f32[4,6], f32[4,6])", "all-to-all"},
    {"f32[4,6] collective-permute(a), source_target_pairs={{0,1},{1,2,3}}", "not a list of 3",
     "source_target_pairs="},
    {"s32[4,6] collective-permute(a), source_target_pairs={{0,1}}", "give f32[4,6]",
     "collective-permute"},
    {"f32[2,6] collective-permute(a), source_target_pairs={{0,1}}", "give f32[4,6]",
     "collective-permute"},
    {"(f32[4,6], f32[4,7]) collective-permute-start(a), source_target_pairs={{0,1}}",
     "gives f32[4,7], its operands give f32[4,6]", "collective-permute-start"},
    {"(f32[4,7], f32[4,6]) collective-permute-start(a), source_target_pairs={{0,1}}",
     "gives operands f32[4,7], it has f32[4,6]", "collective-permute-start"},
    {"f32[4,7] collective-permute-done((f32[4,6], f32[4,6], u32[], u32[]) parameter(13))",
     "give f32[4,6]", "collective-permute-done"},
    {"s32[4,6] all-reduce(a), to_apply=add", "give f32[4,6]", "all-reduce"},
    {"f32[4,6] all-reduce(a), replica_groups={{0,1},{2,0}}, to_apply=add",
     "replica 0 is in replica_groups twice", "replica_groups"},
    {"f32[4,6] all-reduce(a), replica_groups={{},{0}}, to_apply=add",
     "one of several groups is empty", "replica_groups"},
    {"f32[8,6] all-gather(a), dimensions={0}, replica_groups={{1,1}}",
     "replica 1 is in replica_groups twice", "replica_groups"},
    {"f32[16,6] all-gather(a), dimensions={0}, replica_groups={{0,1},{2,3}}",
     "a group of 2 devices cannot hold f32[16,6] in parts of f32[4,6]", "replica_groups"},
    {"f32[16,6] all-gather(a), dimensions={0}, replica_groups=[4,2]<=[8]",
     "a group of 2 devices cannot hold f32[16,6] in parts of f32[4,6]", "replica_groups"},
    {"f32[12,6] all-gather(a), dimensions={0}, replica_groups={{0,1}}, channel_id=1",
     "a group of 2 devices cannot hold f32[12,6] in parts of f32[4,6]", "replica_groups"},
    {"f32[1,6] reduce-scatter(a), dimensions={0}, replica_groups={{0,1,2,3},{4,5}}, to_apply=add",
     "a group of 2 devices cannot hold f32[4,6] in parts of f32[1,6]", "replica_groups"},
    {"(f32[4,6], f32[8,6]) all-gather-start(a), dimensions={0}, replica_groups={{0,1,2}}",
     "a group of 3 devices cannot hold f32[8,6] in parts of f32[4,6]", "replica_groups"},
    {"f32[4,6] collective-broadcast(a), replica_groups={{0,1},{1}}",
     "replica 1 is in replica_groups twice", "replica_groups"},
    {"f32[4,7] all-reduce-start(a), to_apply=add", "give f32[4,6]", "all-reduce-start"},
    {"f32[4,6] all-reduce(a), to_apply=none", "computation 'none' gives f32[4,6]", "to_apply"},
    {"f32[4,6] all-reduce-start(a), to_apply=two", "gives (f32[], s32[]), a number is expected",
     "to_apply"},
    {"f32[4,6] all-reduce(a), to_apply=ge", "has shape f32[], all-reduce needs pred[]", "to_apply"},
    {"f32[2,6] reduce-scatter(a), dimensions={0}, to_apply=wide", "gives f32[3]", "to_apply"},
    {"f32[2,6] reduce-scatter(a), dimensions={0}, to_apply=first",
     "has 4 parameters, reduce-scatter gives it 2", "to_apply"},
    {"f32[4,7] collective-broadcast(a)", "give f32[4,6]", "collective-broadcast"},
    {"(f32[4,6], s32[]) collective-broadcast(a, i), has_dynamic_root=true", "give (f32[4,6])",
     "collective-broadcast"},
    {"f32[4,6] collective-broadcast(a, c), has_dynamic_root=true",
     "the last operand must be the root", "has_dynamic_root"},
    {"f32[4,6] collective-broadcast(a), has_dynamic_root=true", "the last operand must be the root",
     "has_dynamic_root"},
    // Control flow.
    {"f32[4,6] while(a), condition=neg, body=neg", "the condition must give pred[], not f32[4,6]",
     "condition"},
    {"f32[4,6] conditional(s, a, c), branch_computations={neg, neg}",
     "selector of a conditional must be s32[], or pred[] for two branches, not f32[]",
     "conditional"},
    {"f32[4,6] conditional(s32[1] parameter(13), a, c), branch_computations={neg, neg}",
     "not s32[1]", "conditional"},
    {"f32[4,6] conditional(pred[] parameter(13), a, a, a), branch_computations={neg, neg, neg}",
     "not pred[]", "conditional"},
    {"f32[4,6] bitcast-convert(p)", "bitcast-convert from pred[4,6] to f32", "bitcast-convert"},
    {"(f16[4,6], s32[]) copy(t)", "give (f32[4,6], s32[])", "copy"},
    {"(f32[6]) reduce(a, f32[6] parameter(13)), dimensions={0}, to_apply=rows", "give f32[6]",
     "reduce"},
    {"f32[6] reduce(a, f16[6] parameter(13)), dimensions={0}, to_apply=rows",
     "an initial value of reduce must be a scalar", "reduce"},
    {"(s32[4,6], s32[]) bitcast(t)", "give (f32[4,6], s32[])", "bitcast"},
    {"f32[4,6] map(a, c), dimensions={1,0}, to_apply=add", "all of an array of rank 2 in order",
     "dimensions"},
    {"token[] map(), to_apply=one", "map gives an array, not token[]", "map"},
    {"s32[4] map(), to_apply=one", "give f32[4]", "map"},
    {"f32[2,6] dynamic-slice(a, f32[2] parameter(13)), dynamic_slice_sizes={2,6}",
     "the start indices must be integers, not f32[2]", "dynamic-slice"},
    {"f16[4,6] stochastic-convert(a, u16[4,6] parameter(13))",
     "must be unsigned integers of 32 bits, not u16[4,6]", "stochastic-convert"},
    {"f32[4,5] dot(a, b, i), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "a dot without sparsity has two operands, not 3", "dot"},
    {"(s32[4,2], pred[4,2]) topk(a), k=2, largest=true", "give (f32[4,2], s32[4,2])", "topk"},
    {"f32[4,4] triangular-solve(c64[4,4] parameter(13), f32[4,4] parameter(14)), left_side=true",
     "cannot mix element types c64 and f32", "triangular-solve"},
    {"((f32[4,6], s32[]), f32[4,6], s32[]) async-update(begun, i)",
     "parameter 1 of computation 'dots' has shape f32[4,6], operand 1 has s32[]", "async-update"},
    {"((f32[4,6], f32[4,6], f32[4,6]), f32[4,6], s32[]) async-update(begun, a, c)",
     "binds more operands than computation 'dots' has parameters", "async-update"},
    {"f32[4,6] conditional(i, a, c), branch_computations={neg, none}",
     "computation 'none' has 0 parameters, conditional gives it 1", "branch_computations"},
    {"f32[4,6] conditional(i, a), branch_computations={dots}",
     "computation 'dots' has 2 parameters, conditional gives it 1", "branch_computations"},
    {"f32[4,6] conditional(pred[] parameter(13), a, c), true_computation=none, "
     "false_computation=neg",
     "computation 'none' has 0 parameters", "true_computation"},
    {"f32[4,6] conditional(pred[] parameter(13), a, c), true_computation=neg, "
     "false_computation=none",
     "computation 'none' has 0 parameters", "false_computation"},
    {"f32[4,6] conditional(pred[] parameter(13), a, c), true_computation=neg, "
     "false_computation=less",
     "the branches of a conditional must give the same shape", "false_computation"},
    {"((f32[4,6]), f32[4,6], s32[]) async-start(a, a), calls=neg",
     "has 1 parameters, async-start gives it 2", "calls"},
    {"((f32[6,5]), f32[4,6], s32[]) async-start(b), calls=neg",
     "parameter 0 of computation 'neg' has shape f32[4,6]", "calls"},
    {"(f32[4,6], f32[4,6], s32[]) async-start(a), calls=neg",
     "async-start gives ((operands), result, ...)", "async-start"},
    {"((f32[4,6]), f32[4,7], s32[]) async-start(a), calls=neg",
     "async-start gives f32[4,7], its computation f32[4,6]", "async-start"},
    {"((f32[4,6]), f32[4,6], s32[]) async-update(((), f32[4,6], s32[]) parameter(13), a, c)",
     "give ((f32[4,6], f32[4,6]), f32[4,6], s32[])", "async-update"},
    {"(f32[4,6], f32[4,6], s32[]) async-update(((f32[4,6]), f32[4,6], s32[]) parameter(13))",
     "give ((f32[4,6]), f32[4,6], s32[])", "async-update"},
    {"f32[4,6] async-update(a)", "operand 0 of async-update must be", "async-update"},
    {"f32[4,7] async-done(((f32[4,6]), f32[4,6], s32[]) parameter(13))", "give f32[4,6]",
     "async-done"},
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_TESTS_HLO_VERIFIER_CASES_H_
