// EXPECT: composition(A, B): there is no such layout. A stride of B falls between the modes of A
// LAYOUT: (_4,_6,_8):(_2,_3,_5)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() {
  return composition(Layout<Shape<_4, _6, _8>, Stride<_2, _3, _5>>{}, Layout<_6, _3>{});
}
