// EXPECT: complement(L, M): there is none. A mode of L begins inside
// LAYOUT: (_2,_2):(_1,_1)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return complement(Layout<Shape<_2, _2>, Stride<_1, _1>>{}, _24{}); }
