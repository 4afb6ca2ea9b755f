// EXPECT: upcast<n>: an extent is not a multiple of what n elements need
// LAYOUT: _3:_1
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return upcast<4>(Layout<_3>{}); }
