// EXPECT: gemm(D, A, B, C): the elements of D are const
// LAYOUT: (_8,_8):(_1,_8)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(float* p, float* q, float const* r) {
  gemm(make_tensor(p, Shape<_8, _4>{}), make_tensor(q, Shape<_8, _4>{}),
       make_tensor(r, Shape<_8, _8>{}));
}
