// EXPECT: tile_to_shape(block, shape): the block does not divide the shape
// LAYOUT: (_4,_2):(_1,_4)
// LAYOUT: (_10,_4)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return tile_to_shape(Layout<Shape<_4, _2>>{}, Shape<_10, _4>{}); }
