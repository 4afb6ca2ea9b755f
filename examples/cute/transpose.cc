// The tiled transpose on the host: the code of the kernel, thread after thread.
#include "examples/cute/transpose.h"

#include <vector>

#include "examples/cute/reference.h"

namespace {

using namespace examples;  // NOLINT: a program of one page

bool Transpose(int m, int n) {
  const std::vector<float> in = MakeMatrix(m, n, 1009);
  std::vector<float> out(in.size(), -1.0F);
  const TransposeProblem problem = {in.data(), out.data(), m, n};
  for (int x = 0; x < Tiles(m, kTransposeTile); ++x) {
    for (int y = 0; y < Tiles(n, kTransposeTile); ++y) {
      float shared[TransposeThread::kSharedElements];
      for (int t = 0; t < kTransposeThreads; ++t) {
        TransposeThread{problem, shared, x, y, t}.Load();
      }
      for (int t = 0; t < kTransposeThreads; ++t) {
        TransposeThread{problem, shared, x, y, t}.Store();
      }
    }
  }
  return IsTranspose(in, out, m, n);
}

}  // namespace

int main() {
  const bool whole_tiles = Transpose(64, 96);
  const bool parts_of_tiles = Transpose(100, 45);
  const bool one_row = Transpose(1, 33);
  return whole_tiles && parts_of_tiles && one_row ? 0 : 1;
}
