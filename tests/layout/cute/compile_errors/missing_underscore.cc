// EXPECT: copy(src, dst): src is not a tensor; a coordinate without _ gives an element of one
// LAYOUT: (_8,_4):(_1,_8)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(float* p, float* q) {
  auto a = make_tensor(p, Shape<_8, _4, _2>{});
  auto b = make_tensor(q, Shape<_8, _4>{});
  copy(a(0, 0, 1), b);
}
