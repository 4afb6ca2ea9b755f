// EXPECT: the tiler has more modes than the layout
// LAYOUT: (?,?):(_1,?)
// LAYOUT: (_4,_4,_4)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  auto a = make_tensor(p, make_shape(8, 16));
  return local_tile(a, Shape<_4, _4, _4>{}, make_coord(0, 0, 0));
}
