// EXPECT: A layout's shape and stride must have the same profile
// LAYOUT: (_8,_4)
// LAYOUT: (_1,(_2,_4))
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() {
  return make_layout(make_shape(_8{}, _4{}), make_stride(_1{}, make_stride(_2{}, _4{})));
}
