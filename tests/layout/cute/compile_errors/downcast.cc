// EXPECT: downcast<n>: no mode has the static stride 1
// LAYOUT: (_4,_2):(_12,_2)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return downcast<4>(Layout<Shape<_4, _2>, Stride<_12, _2>>{}); }
