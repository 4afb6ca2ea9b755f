// EXPECT: upcast<n> or downcast<n>: several modes run through the parts of an element
// LAYOUT: (_3,_4):(_1,_3)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) { return recast<double>(make_tensor(p, Shape<_3, _4>{})); }
