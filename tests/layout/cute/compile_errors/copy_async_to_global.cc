// EXPECT: copy(atom, src, dst): the atom writes shared memory, and dst is in global one.
#include "layout/cute/tensor.h"
using namespace hlo_indexing::layout::cute;
void Test(float* p) {
  Tensor t = make_tensor(make_gmem_ptr(p), Layout<_4>{});
  copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, float>{}, t, t);
}
