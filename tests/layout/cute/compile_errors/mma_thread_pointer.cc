// EXPECT: mma.get_slice(thread): no number of a thread.
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test(float* p) { return make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}).get_slice(p); }
