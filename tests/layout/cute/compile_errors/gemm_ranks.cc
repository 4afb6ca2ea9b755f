// EXPECT: gemm(D, A, B, C): the ranks fit none of
// LAYOUT: (_4,_3):(_1,_4)
// LAYOUT: (_2):(_1)
// LAYOUT: (_4,_2):(_1,_4)
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test() {
  auto a = make_tensor<float>(Shape<_4, _3>{});
  auto b = make_tensor<float>(Shape<_2>{});
  auto c = make_tensor<float>(Shape<_4, _2>{});
  gemm(a, b, c);
}
