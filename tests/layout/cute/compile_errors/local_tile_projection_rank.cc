// EXPECT: local_tile, local_partition: the projection has another rank than the tiler, the
// coordinate or the threads LAYOUT: (_1,_)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  auto a = make_tensor(p, make_shape(8, 16));
  return local_tile(a, Shape<_4, _4, _8>{}, make_coord(0, 0, 0), Step<_1, X>{});
}
