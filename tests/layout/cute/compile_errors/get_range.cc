// EXPECT: there are fewer modes than I + 1
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return get<2>(make_shape(8, 16)); }
