// EXPECT: left_inverse(L): a stride of L is not a multiple of what the smaller ones cover
// LAYOUT: (_2,_3):(_7,_2)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return left_inverse(Layout<Shape<_2, _3>, Stride<_7, _2>>{}); }
