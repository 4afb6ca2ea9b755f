// EXPECT: upcast<n> or downcast<n>: several modes run through the parts of an element
// LAYOUT: (_2,_2):(_1,_1)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return upcast<2>(Layout<Shape<_2, _2>, Stride<_1, _1>>{}); }
