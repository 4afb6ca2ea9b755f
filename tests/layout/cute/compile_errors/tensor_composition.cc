// EXPECT: composition(A, B): there is no such layout
// LAYOUT: (_5,_8):(_8,_1)
// LAYOUT: ((_2,_2),_2):((_1,_2),_4)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  auto a = make_tensor(p, Layout<Shape<_5, _8>, Stride<_8, _1>>{});
  return composition(a, Layout<Shape<Shape<_2, _2>, _2>>{});
}
