// EXPECT: A negative stride of B leaves the domain of A
// LAYOUT: (_4,_4):(_1,_8)
// LAYOUT: _2:_-3
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return composition(Layout<Shape<_4, _4>, Stride<_1, _8>>{}, Layout<_2, Int<-3>>{}); }
