// EXPECT: retile(tensor): the values of a thread are no multiple of the tensor
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
auto Test() {
  auto copies = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{},
                                Layout<Shape<_32, _8>>{}, Layout<Shape<_4, _1>>{});
  Tensor r = make_tensor<float>(Shape<_3, _1>{});
  return copies.get_slice(0).retile_S(r);
}
