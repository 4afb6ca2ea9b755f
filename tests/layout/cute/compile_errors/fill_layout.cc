// EXPECT: clear(t): t is not a tensor, or its elements are const
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test() { clear(Layout<Shape<_8, _4>>{}); }
