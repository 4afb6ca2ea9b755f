// EXPECT: A layout's shape and stride must have the same profile
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p, int n) { return make_tensor(p, make_shape(n, n), make_stride(n)); }
