// EXPECT: shape_div(a, b): neither of the integers divides the other
// LAYOUT: _6
// LAYOUT: _4
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return shape_div(_6{}, _4{}); }
