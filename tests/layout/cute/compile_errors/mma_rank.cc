// EXPECT: partition_A, partition_B, partition_C: the tensor has fewer than two modes
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(half_t* p) {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{});
  auto thread = mma.get_slice(0);
  return thread.partition_A(make_tensor(p, Shape<_256>{}));
}
