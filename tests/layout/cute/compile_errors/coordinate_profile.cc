// EXPECT: The coordinate has another rank than the shape
// LAYOUT: (?,?):(_1,?)
// LAYOUT: (?,(?,?))
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return make_layout(make_shape(8, 16))(make_coord(1, make_coord(2, 3))); }
