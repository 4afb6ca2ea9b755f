// EXPECT: composition(A, B): there is no such layout. B has positive and negative strides
// LAYOUT: (_4,_4):(_1,_8)
// LAYOUT: (_2,_2):(_4,_-1)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() {
  return composition(Layout<Shape<_4, _4>, Stride<_1, _8>>{},
                     Layout<Shape<_2, _2>, Stride<_4, _m1>>{});
}
