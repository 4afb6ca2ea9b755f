#ifndef HLO_INDEXING_LAYOUT_CUTE_TENSOR_H_
#define HLO_INDEXING_LAYOUT_CUTE_TENSOR_H_

// The whole library: layouts, tensors, algorithms, printing. docs/cute.md is the manual.
//
// A kernel written for CuTe's documented API includes this header and says
//
//   namespace cute = hlo_indexing::layout::cute;
#include "layout/cute/algorithm.h"
#include "layout/cute/copy.h"
#include "layout/cute/gemm.h"
#include "layout/cute/print.h"
#include "layout/cute/print_latex.h"
#include "layout/cute/print_tensor.h"
#include "layout/cute/tensor_core.h"
#include "layout/cute/tensor_partition.h"

#endif  // HLO_INDEXING_LAYOUT_CUTE_TENSOR_H_
