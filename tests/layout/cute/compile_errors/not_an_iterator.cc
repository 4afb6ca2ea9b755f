// EXPECT: make_tensor(iter, layout): the first argument is not an iterator
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(float p) { auto t = make_tensor(p, make_shape(_8{}, _4{})); }
