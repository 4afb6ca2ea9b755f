// EXPECT: upcast<n>: the swizzle takes the n elements apart
// LAYOUT: Sw<2,1,3> o _0 o (_8,_64):(_64,_1)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() {
  return upcast<4>(composition(Swizzle<2, 1, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{}));
}
