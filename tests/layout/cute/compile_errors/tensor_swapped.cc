// EXPECT: make_tensor(iter, layout): the first argument is not an iterator
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) { return make_tensor(Shape<_8, _4>{}, p); }
