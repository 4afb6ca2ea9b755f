// What nvcc writes into the host's code for the types of layouts: inside of a template, where GCC
// has to be told what is a type. The size of a tile's storage, and a kernel that takes its type.
// And host code with run-time numbers: nvcc leaves out parentheses around what is returned, which
// makes a value of a reference where decltype(auto) is the type.
#include <cstdio>

#include "layout/cute/namespace_cute.h"

namespace {

constexpr int kSkipped = 77;

template <class T, class TileLayout>
struct Storage {
  T elements[cute::cosize_v<TileLayout>];
};

template <class TileLayout>
__global__ void Sizes(TileLayout layout, int* sizes) {
  sizes[0] = cute::size(layout);
}

// A layout of 256 x 512 by tiles, and its parts.
bool RunTimeNumbersAreRight(int one) {
  using namespace cute;
  float memory = 0;
  const auto whole = make_layout(make_shape(255 + one, 511 + one));
  Tensor tensor = make_tensor(make_gmem_ptr(&memory), whole);
  const auto tiles = tiled_divide(tensor, make_shape(_128{}, _64{}));
  const auto mode = layout<1>(tiles.layout());
  const auto tile = local_tile(tensor, Shape<_128, _64>{}, make_coord(one, 3));
  const bool right = size<1>(tiles) == 2 && size<2>(tiles) == 8 && stride<2>(tiles) == 256 * 64 &&
                     size(mode) == 2 && stride(mode) == 128 && get<1>(tensor.shape()) == 512 &&
                     &tile(0, 1) - &memory == 128 + 193 * 256;
  if (!right) {
    print(tiles);
    print(tile);
  }
  return right;
}

// The types do not depend on the parameter.
template <class Scalar>
int Check(Scalar argument) {
  using namespace cute;
  const auto atom = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, Shape<_8, _8>>, Stride<_8, Stride<_1, _64>>>{});
  const auto tile = tile_to_shape(atom, make_shape(Int<128>{}, Int<64>{}, Int<3>{}));
  const int bytes = static_cast<int>(sizeof(Storage<half_t, decltype(tile)>));
  if (bytes != 128 * 64 * 3 * 2) {
    std::printf("%d bytes\n", bytes);
    return 1;
  }
  if (!RunTimeNumbersAreRight(static_cast<int>(argument))) return 1;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return kSkipped;
  int* sizes = nullptr;
  if (cudaMallocManaged(&sizes, sizeof(int)) != cudaSuccess) return 1;
  Sizes<<<1, 1>>>(tile, sizes);
  if (cudaDeviceSynchronize() != cudaSuccess || sizes[0] != 128 * 64 * 3) return 1;
  return cudaFree(sizes) == cudaSuccess ? 0 : 1;
}

}  // namespace

int main() { return Check(1.0F); }
