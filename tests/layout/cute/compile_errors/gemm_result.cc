// EXPECT: gemm(D, A, B, C): the sizes of M, N, K or V do not agree
// LAYOUT: (_4,_3):(_1,_4)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test() {
  auto a = make_tensor<float>(Shape<_4, _3>{});
  auto b = make_tensor<float>(Shape<_2, _3>{});
  auto c = make_tensor<float>(Shape<_4, _2>{});
  auto d = make_tensor<float>(Shape<_4, _3>{});
  gemm(d, a, b, c);
}
