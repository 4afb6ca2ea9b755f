// EXPECT: size_v, cosize_v: this is known at run time only
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(int n) {
  auto l = make_layout(make_shape(n, 4));
  float memory[cosize_v<decltype(l)>];
  memory[0] = 0;
}
