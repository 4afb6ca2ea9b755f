// EXPECT: TiledCopy<Atom, TV, Tiler>: the threads or values of TV are no multiple
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() {
  return make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{}, Layout<Shape<_32, _8>>{},
                         Layout<Shape<_2, _1>>{});
}
