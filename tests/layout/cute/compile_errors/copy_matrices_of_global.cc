// EXPECT: copy(atom, src, dst): the atom reads shared memory, and src is in global one.
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(half_t* p) {
  Tensor t = make_tensor(make_gmem_ptr(p), Layout<_8>{});
  Tensor r = make_tensor<half_t>(Layout<_8>{});
  copy(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, t, r);
}
