// EXPECT: size<I>(layout): there are fewer modes than I + 1
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) {
  auto a = make_tensor(p, make_shape(8, 16));
  return size<3>(a);
}
