// EXPECT: ToCuteLayout: the strides of this layout are coordinates
#include "layout/cute_algebra/bridge.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return hlo_indexing::layout::ToCuteLayout(make_identity_layout(Shape<_8, _8>{})); }
