// EXPECT: product(A, B): there is no such layout
// LAYOUT: (_2,_2):(_1,_6)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() {
  return logical_product(Layout<Shape<_2, _2>, Stride<_1, _6>>{}, Layout<Shape<_2, _2>>{});
}
