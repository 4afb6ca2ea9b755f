// EXPECT: the number of coordinates is not the rank of the tensor
// LAYOUT: (?,?):(_1,?)
// LAYOUT: (?,?,?)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
float Test(float* p) {
  auto a = make_tensor(p, make_shape(8, 16));
  return a(1, 2, 3);
}
