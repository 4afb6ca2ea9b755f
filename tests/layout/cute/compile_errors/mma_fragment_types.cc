// EXPECT: gemm(mma, D, A, B, C): the first modes are no vectors of the instruction
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test() {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{});
  Tensor a = make_tensor<float>(Shape<Shape<_2, _2, _2>, _1, _1>{});
  Tensor b = make_tensor<half_t>(Shape<Shape<_2, _2>, _1, _1>{});
  Tensor c = make_tensor<float>(Shape<Shape<_2, _2>, _1, _1>{});
  gemm(mma, a, b, c);
}
