// EXPECT: a tensor that owns its elements needs a static shape
// LAYOUT: (_8,?):(_1,_8)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(float* p, int n) {
  auto a = make_tensor(p, make_shape(_8{}, n));
  auto b = make_tensor_like(a);
}
