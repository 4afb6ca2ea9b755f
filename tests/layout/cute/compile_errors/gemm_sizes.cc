// EXPECT: gemm(D, A, B, C): the sizes of M, N, K or V do not agree
// LAYOUT: (_2,_5):(_1,_2)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test() {
  auto a = make_tensor<float>(Shape<_4, _3>{});
  auto b = make_tensor<float>(Shape<_2, _5>{});
  auto c = make_tensor<float>(Shape<_4, _2>{});
  gemm(a, b, c);
}
