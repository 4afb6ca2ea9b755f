// EXPECT: local_partition(t, threads, index): the threads are not given as a layout
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  auto a = make_tensor(p, make_shape(8, 16));
  return local_partition(a, Shape<_4, _4>{}, 3);
}
