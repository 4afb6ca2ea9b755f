// EXPECT: the number of coordinates is not the rank of the layout
// LAYOUT: (_8,_4):(_1,_8)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return Layout<Shape<_8, _4>>{}(1, 2, 3); }
