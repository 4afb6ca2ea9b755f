// EXPECT: the projection has another rank than the tiler, the coordinate or the threads
// LAYOUT: (_1,_1,_)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  auto a = make_tensor(p, make_shape(8, 16));
  return local_partition(a, Layout<Shape<_4, _4>>{}, 3, Step<_1, _1, X>{});
}
