// EXPECT: make_tiled_mma(atom, threads, permutations): the threads are no layout.
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, 4); }
