// EXPECT: divide(A, tiler): there is no such layout. The tiles do not fit the modes of A
// LAYOUT: (_8,_8):(_8,_1)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return logical_divide(Layout<Shape<_8, _8>, Stride<_8, _1>>{}, Layout<_7>{}); }
