// EXPECT: the layout of the threads has more modes than the tensor
// LAYOUT: (?,?):(_1,?)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  auto a = make_tensor(p, make_shape(8, 16));
  return local_partition(a, Layout<Shape<_4, _4, _2>>{}, 3);
}
