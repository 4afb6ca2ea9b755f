// Every matrix instruction and every instruction that moves matrices, on registers as they are in
// memory: thread t has those from t * count on. atoms_test.cc runs atoms.ptx, which nvcc made of this:
//
//   nvcc -arch=sm_90 -std=c++17 -O3 -DNDEBUG -ptx -I. tests/layout/cute/device/atoms.cu -o - |
//     grep -v '^//' > tests/layout/cute/device/atoms.ptx
#include "layout/cute/tensor.h"

namespace {

using namespace hlo_indexing::cute;  // NOLINT: as kernels do

template <class R, int n>
__device__ void Load(R (&registers)[n], const void* memory) {
  for (int i = 0; i < n; ++i) {
    registers[i] = static_cast<R const*>(memory)[threadIdx.x * n + i];
  }
}

template <class Op, int... d, int... a, int... b>
__device__ void Multiply(const void* pa, const void* pb, const void* pc, void* pd, seq<d...>,
                         seq<a...>, seq<b...>) {
  typename Op::ARegisters ra;
  typename Op::BRegisters rb;
  typename Op::CRegisters rc;
  typename Op::DRegisters rd;
  Load(ra, pa);
  Load(rb, pb);
  Load(rc, pc);
  Op::fma(rd[d]..., ra[a]..., rb[b]..., rc[d]...);
  using R = std::remove_extent_t<typename Op::DRegisters>;
  ((static_cast<R*>(pd)[threadIdx.x * sizeof...(d) + d] = rd[d]), ...);
}
template <class R>
using SeqOf = make_seq<static_cast<int>(std::extent<R>::value)>;

template <class Op, int... d>
__device__ void LoadMatrices(const void* from, uint32_t* to, int bytes, seq<d...>) {
  __shared__ uint128_t tile[32];
  tile[threadIdx.x] = static_cast<uint128_t const*>(from)[threadIdx.x];
  __syncthreads();
  uint32_t r[sizeof...(d)];
  Op::copy(tile[threadIdx.x % bytes], r[d]...);
  ((to[threadIdx.x * sizeof...(d) + d] = r[d]), ...);
}
template <class Op, int... s>
__device__ void StoreMatrices(const uint32_t* from, void* to, int rows, seq<s...>) {
  __shared__ uint128_t tile[32];
  uint32_t r[sizeof...(s)] = {from[threadIdx.x * sizeof...(s) + s]...};
  Op::copy(r[s]..., tile[threadIdx.x % rows]);
  __syncthreads();
  static_cast<uint128_t*>(to)[threadIdx.x] = tile[threadIdx.x % rows];
}

}  // namespace

#define HLO_CUTE_TEST_MMA(Op)                                                                  \
  extern "C" __global__ void Op(const void* a, const void* b, const void* c, void* d) {        \
    namespace atoms = hlo_indexing::cute;                                                      \
    Multiply<atoms::Op>(a, b, c, d, SeqOf<atoms::Op::DRegisters>{},                            \
                        SeqOf<atoms::Op::ARegisters>{}, SeqOf<atoms::Op::BRegisters>{});       \
  }
#include "tests/layout/cute/device/mma_operations.inc"

#define HLO_CUTE_TEST_LOAD(Op, matrices)                                      \
  extern "C" __global__ void Op(const void* from, uint32_t* to) {             \
    namespace atoms = hlo_indexing::cute;                                     \
    LoadMatrices<atoms::Op>(from, to, 8 * matrices, make_seq<matrices>{});    \
  }
#define HLO_CUTE_TEST_STORE(Op, matrices)                                     \
  extern "C" __global__ void Op(const uint32_t* from, void* to) {             \
    namespace atoms = hlo_indexing::cute;                                     \
    StoreMatrices<atoms::Op>(from, to, 8 * matrices, make_seq<matrices>{});   \
  }
#include "tests/layout/cute/device/matrix_moves.inc"
