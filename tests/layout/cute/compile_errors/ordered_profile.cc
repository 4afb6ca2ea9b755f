// EXPECT: make_ordered_layout(shape, order): they have different profiles
// LAYOUT: (_4,(_2,_2))
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() {
  return make_ordered_layout(Shape<_4, Shape<_2, _2>>{}, Step<_1, Step<_2, _0, _3>>{});
}
