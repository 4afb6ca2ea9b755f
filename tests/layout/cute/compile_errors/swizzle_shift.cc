// EXPECT: Swizzle<bits, base, shift>: |shift| must be at least bits
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return composition(Swizzle<3, 3, 2>{}, Layout<Shape<_64, _8>>{}); }
