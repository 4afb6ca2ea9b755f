// EXPECT: copy(atom, src, dst): the first mode is no vector of the atom
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test() {
  Tensor a = make_tensor<float>(Shape<_4>{});
  Tensor b = make_tensor<float>(Shape<_3>{});
  copy(Copy_Atom<UniversalCopy<uint128_t>, float>{}, a, b);
}
