// EXPECT: make_layout(shape): a pointer is no shape.
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) { return make_layout(p); }
