// EXPECT: gemm(D, A, B, C): the sizes of M, N, K or V do not agree
// LAYOUT: (_4,_8):(_1,_4)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(float* p, float* q, float* r) {
  gemm(make_tensor(p, Shape<_8, _4>{}), make_tensor(q, Shape<_4, _8>{}),
       make_tensor(r, Shape<_8, _8>{}));
}
