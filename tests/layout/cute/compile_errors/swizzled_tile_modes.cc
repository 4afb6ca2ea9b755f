// EXPECT: the tiler has more modes than the layout
// LAYOUT: Sw<3,3,3> o _0 o (_8,_64):(_64,_1)
// LAYOUT: (_4,_4,_4)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  const auto l = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  return zipped_divide(make_tensor(make_smem_ptr(p), l), Shape<_4, _4, _4>{});
}
