// EXPECT: make_tensor_like, make_fragment_like: a tensor that owns its elements needs a static
// shape LAYOUT: (?,_16)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(half_t* p, int n) {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{});
  auto thread = mma.get_slice(0);
  return thread.partition_fragment_A(make_tensor(p, make_shape(n, 16)));
}
