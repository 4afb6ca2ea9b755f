// EXPECT: copy(src, dst): dst has modes of stride 0 along which src differs
// LAYOUT: (_4,_2):(_1,_4)
// LAYOUT: (_4,_2):(_1,_0)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test() {
  auto a = make_tensor<float>(Shape<_4, _2>{});
  auto b = make_tensor<float>(Shape<_4, _2>{}, Stride<_1, _0>{});
  copy(a, b);
}
