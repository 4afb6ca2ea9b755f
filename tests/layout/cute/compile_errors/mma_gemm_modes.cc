// EXPECT: gemm(D, A, B, C): the sizes of M, N, K or V do not agree
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(half_t* p, half_t* q) {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{});
  auto thread = mma.get_slice(0);
  auto a = thread.partition_fragment_A(make_tensor(p, Shape<_16, _16>{}));
  auto b = thread.partition_fragment_B(make_tensor(q, Shape<_8, _16>{}));
  auto c = partition_fragment_C(mma, Shape<_16, _16>{});
  gemm(mma, a, b, c);
}
