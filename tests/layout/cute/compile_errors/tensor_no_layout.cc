// EXPECT: make_tensor(iter, layout): there is no layout
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) { return make_tensor(p); }
