// EXPECT: several modes run through the parts of an element, or one runs through them backwards
// LAYOUT: _4:_-1
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return upcast<2>(Layout<_4, C<-1>>{}); }
