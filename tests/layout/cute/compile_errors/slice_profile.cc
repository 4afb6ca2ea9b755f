// EXPECT: The coordinate has another rank than the shape
// LAYOUT: ((_4,?),?):((_1,_4),?)
// LAYOUT: ((?,_,?),_)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  auto a = make_tensor(p, make_shape(make_shape(_4{}, 2), 16));
  return a(make_coord(1, _, 0), _);
}
