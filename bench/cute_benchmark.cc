// CuTe's algebra on values: operations on layouts as kernels have them, three deep.
#include <benchmark/benchmark.h>

#include "layout/cute_algebra/composition.h"
#include "layout/cute_algebra/inverse.h"
#include "layout/cute_algebra/syntax.h"
#include "layout/cute_algebra/tiling.h"

namespace hlo_indexing::layout {
namespace {

// A matrix in tiles of tiles, and a thread-value layout over it.
CuteLayout Matrix() {
  return *ParseCuteLayout("((_4,(_2,_8)),(_8,(_2,16))):((_1,(_4,_64)),(_8,(_512,1024)))");
}
CuteLayout ThreadValues() {
  return *ParseCuteLayout("((_4,(_8,_2)),(_2,(_2,_4))):((_128,(_1,_2048)),(_64,(_8,_512)))");
}

void BM_CuteComposition(benchmark::State& state) {
  const CuteLayout matrix = Matrix();
  const CuteLayout thread_values = ThreadValues();
  if (!Compose(matrix, thread_values).ok()) state.SkipWithError("there is no such layout");
  for (auto _ : state) benchmark::DoNotOptimize(Compose(matrix, thread_values));
}
BENCHMARK(BM_CuteComposition);

void BM_CuteLogicalDivide(benchmark::State& state) {
  const CuteLayout matrix = Matrix();
  const CuteTree tiler = CuteTree::Layout(*ParseCuteLayout("(_4,(_2,_2)):(_1,(_4,_64))"));
  if (!Divide(matrix, tiler, TileArrangement::kLogical).ok()) state.SkipWithError("no layout");
  for (auto _ : state) {
    benchmark::DoNotOptimize(Divide(matrix, tiler, TileArrangement::kLogical));
  }
}
BENCHMARK(BM_CuteLogicalDivide);

void BM_CuteZippedDivide(benchmark::State& state) {
  const CuteLayout matrix = Matrix();
  const CuteTree tiler = *ParseCuteTree("(_8,_16)");
  if (!Divide(matrix, tiler, TileArrangement::kZipped).ok()) state.SkipWithError("no layout");
  for (auto _ : state) {
    benchmark::DoNotOptimize(Divide(matrix, tiler, TileArrangement::kZipped));
  }
}
BENCHMARK(BM_CuteZippedDivide);

void BM_CuteRightInverse(benchmark::State& state) {
  const CuteLayout matrix = Matrix();
  for (auto _ : state) benchmark::DoNotOptimize(RightInverse(matrix));
}
BENCHMARK(BM_CuteRightInverse);

}  // namespace
}  // namespace hlo_indexing::layout
