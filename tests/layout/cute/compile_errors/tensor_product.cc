// EXPECT: products of tensors do not exist
// LAYOUT: (_8,_16):(_1,_8)
// LAYOUT: _4:_1
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(float* p) { logical_product(make_tensor(p, make_shape(_8{}, _16{})), Layout<_4>{}); }
