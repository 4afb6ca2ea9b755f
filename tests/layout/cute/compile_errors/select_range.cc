// EXPECT: get<I>, size<I>, shape<I>, select<I>: there are fewer modes than I + 1
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return select<0, 2>(make_shape(8, 16)); }
