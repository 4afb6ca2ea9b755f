// EXPECT: copy(src, dst): src has fewer elements than dst
// LAYOUT: (_4,_4):(_1,_4)
// LAYOUT: (_4,_8):(_1,_4)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test() {
  auto a = make_tensor<float>(Shape<_4, _4>{});
  auto b = make_tensor<float>(Shape<_4, _8>{});
  copy(a, b);
}
