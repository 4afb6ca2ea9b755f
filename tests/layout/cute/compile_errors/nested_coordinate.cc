// EXPECT: The coordinate has another rank than the shape
// LAYOUT: ((?,?),?)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
float Test(float* p) {
  auto a = make_tensor(p, Shape<_8, _4>{});
  return a(make_coord(make_coord(0, 1), 2));
}
