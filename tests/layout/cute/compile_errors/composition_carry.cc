// EXPECT: Modes of B meet in a mode of A and their sum carries over
// LAYOUT: (_5,_8):(_8,_1)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() {
  return composition(Layout<Shape<_5, _8>, Stride<_8, _1>>{},
                     Layout<Shape<Shape<_2, _2>, _2>, Stride<Stride<_1, _2>, _4>>{});
}
