// EXPECT: the coordinate has more modes than the grid of tiles
// LAYOUT: ((_4,_4),(?,?)):((_1,?),(_4,?))
// LAYOUT: (?,?,?)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  auto a = make_tensor(p, make_shape(8, 16));
  return local_tile(a, Shape<_4, _4>{}, make_coord(0, 0, 0));
}
