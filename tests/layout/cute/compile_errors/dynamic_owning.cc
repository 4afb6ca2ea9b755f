// EXPECT: a tensor that owns its elements needs a static layout
// LAYOUT: (_8,?):(_1,_8)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(int n) { auto t = make_tensor<float>(make_shape(_8{}, n)); }
