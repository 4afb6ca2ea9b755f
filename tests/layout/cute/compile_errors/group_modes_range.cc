// EXPECT: group<begin,end>, group_modes<begin,end>: there are fewer modes than end
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() { return group_modes<0, 3>(make_layout(make_shape(8, 16))); }
