// EXPECT: axpby(alpha, x, beta, y): x has fewer elements than y
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(float* p, float* q) {
  axpby(1.0f, make_tensor(p, Shape<_8>{}), 0.0f, make_tensor(q, Shape<_16>{}));
}
