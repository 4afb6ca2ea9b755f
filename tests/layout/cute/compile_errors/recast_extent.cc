// EXPECT: upcast<n>: an extent is not a multiple of what n elements need
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() {
  Tensor a = make_tensor<half_t>(Shape<_3>{});
  return recast<float>(a);
}
