// EXPECT: local_partition(t, threads, index): the index of the thread is no integer
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  auto a = make_tensor(p, make_shape(8, 16));
  return local_partition(a, Layout<Shape<_4, _4>>{}, make_coord(1, 2));
}
