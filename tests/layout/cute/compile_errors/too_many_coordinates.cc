// EXPECT: tensor(c0, c1, ...): the number of coordinates is not the rank of the tensor
// LAYOUT: (_8,_4):(_1,_8)
// LAYOUT: (?,?,?)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
float Test(float* p) {
  auto a = make_tensor(p, Shape<_8, _4>{});
  return a(0, 1, 2);
}
