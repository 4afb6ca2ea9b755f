// EXPECT: make_layout(shape): an extent is not an integer
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return make_layout(make_shape(8.0, 16)); }
