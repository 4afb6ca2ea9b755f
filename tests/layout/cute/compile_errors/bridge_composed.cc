// EXPECT: ToCuteLayout: a composed layout (a swizzle behind a layout, say) has no strides
#include "layout/cute_algebra/bridge.h"
using namespace hlo_indexing::layout::cute;
auto Test() {
  return hlo_indexing::layout::ToCuteLayout(
      composition(Swizzle<3, 0, 3>{}, Layout<Shape<_8, _8>>{}));
}
