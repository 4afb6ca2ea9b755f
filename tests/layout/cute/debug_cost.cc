// The same loops by tensors and by hand, for debug_cost_test.py to compare.
#include "layout/cute/tensor.h"

using namespace hlo_indexing::layout::cute;

extern "C" void by_tensors(float* to, const float* from, int rows) {
  const auto layout = make_layout(make_shape(rows, Int<16>{}), LayoutRight{});
  auto destination = make_tensor(to, layout);
  const auto source = make_tensor(from, layout);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < 16; ++j) destination(i, j) = source(i, j) * 2;
  }
}

extern "C" void by_hand(float* to, const float* from, int rows) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < 16; ++j) to[i * 16 + j] = from[i * 16 + j] * 2;
  }
}
