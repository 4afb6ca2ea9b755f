#ifndef HLO_INDEXING_LAYOUT_CUTE_TENSOR_H_
#define HLO_INDEXING_LAYOUT_CUTE_TENSOR_H_

// The whole library: layouts, tensors, algorithms, printing. docs/cute.md is the manual.
//
// A kernel written for CuTe's documented API includes this header and says
//
//   namespace cute = hlo_indexing::cute;
//
// or, if it opens the namespace itself, includes layout/cute/namespace_cute.h instead.
//
// Each header includes what it needs. Here they follow each other so that an error message names
// one header and not the chain of those that include it.
// clang-format off
#include "layout/cute/config.h"
#include "layout/cute/integral.h"
#include "layout/cute/tuple.h"
#include "layout/cute/error_text.h"
#include "layout/cute/tuple_functions.h"
#include "layout/cute/packed_tuple.h"
#include "layout/cute/int_tuple.h"
#include "layout/cute/int_tuple_relations.h"
#include "layout/cute/functional.h"
#include "layout/cute/sequences.h"
#include "layout/cute/bit_math.h"
#include "layout/cute/arithmetic_tuple.h"
#include "layout/cute/coordinate.h"
#include "layout/cute/mode_tree.h"
#include "layout/cute/mode_algebra.h"
#include "layout/cute/mode_operations.h"
#include "layout/cute/layout.h"
#include "layout/cute/layout_evaluate.h"
#include "layout/cute/layout_algebra.h"
#include "layout/cute/evenly_divides.h"
#include "layout/cute/layout_tiling.h"
#include "layout/cute/swizzle.h"
#include "layout/cute/mixed_bits.h"
#include "layout/cute/swizzle_slice.h"
#include "layout/cute/numeric_types.h"
#include "layout/cute/small_floats.h"
#include "layout/cute/complex.h"
#include "layout/cute/bit_field.h"
#include "layout/cute/layout_recast.h"
#include "layout/cute/swizzle_algebra.h"
#include "layout/cute/pointer.h"
#include "layout/cute/array.h"
#include "layout/cute/tensor_engine.h"
#include "layout/cute/tensor_core.h"
#include "layout/cute/type_names.h"
#include "layout/cute/tensor_partition.h"
#include "layout/cute/tensor_zip.h"
#include "layout/cute/algorithm.h"
#include "layout/cute/tensor_reduce.h"
#include "layout/cute/copy.h"
#include "layout/cute/gemm.h"
#include "layout/cute/copy_atom.h"
#include "layout/cute/tiled_copy.h"
#include "layout/cute/copy_sm80.h"
#include "layout/cute/warp_moves.h"
#include "layout/cute/mma_atom.h"
#include "layout/cute/tiled_mma.h"
#include "layout/cute/mma_sm80.h"
#include "layout/cute/cooperative_gemm.h"
#include "layout/cute/print.h"
#include "layout/cute/print_tensor.h"
#include "layout/cute/print_latex.h"
#include "layout/cute/print_atoms.h"
// clang-format on

#endif  // HLO_INDEXING_LAYOUT_CUTE_TENSOR_H_
