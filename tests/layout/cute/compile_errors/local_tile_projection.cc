// EXPECT: the projection keeps more modes than the tensor has
// LAYOUT: (?,?):(_1,?)
// LAYOUT: (_1,_1,_1)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  auto a = make_tensor(p, make_shape(8, 16));
  return local_tile(a, Shape<_4, _4, _8>{}, make_coord(0, 0, 0), Step<_1, _1, _1>{});
}
