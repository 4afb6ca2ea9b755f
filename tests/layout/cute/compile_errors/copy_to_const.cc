// EXPECT: copy(src, dst): dst is not a tensor, or its elements are const
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(float* p, float const* q) {
  auto a = make_tensor(p, Shape<_8, _4>{});
  auto b = make_tensor(q, Shape<_8, _4>{});
  copy(a, b);
}
