// Simplifying one map: with a context that has seen it before (warm), and with a new one (cold).
#include <benchmark/benchmark.h>

#include <chrono>

#include "indexing_analysis/maps/indexing_map.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::bench {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::ParseIndexingMap;

constexpr char kDigits[] =
    "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 15]";
constexpr char kChain100[] =
    "(d0, d1, d2) -> (((d0 * 100 + d1 * 10 + d2) floordiv 100) mod 10, "
    "((d0 * 100 + d1 * 10 + d2) floordiv 10) mod 10, (d0 * 100 + d1 * 10 + d2) mod 10), "
    "domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]";
constexpr char kChain16[] =
    "(d0, d1) -> ((d0 * 16 + d1 * 4 + d1 floordiv 4) floordiv 16, "
    "((d0 * 16 + d1 * 4) floordiv 4) mod 4, (d0 * 16 + d1 * 4) mod 4), "
    "domain: d0 in [0, 7], d1 in [0, 3]";
constexpr char kNegative[] =
    "(d0, d1) -> (-((-d0 * 11 - d1 + 109) floordiv 11) + 9), domain: d0 in [0, 7], d1 in [0, 8]";
constexpr char kComposedReshape[] =
    "(d0, d1, d2) -> (((d0 * 10 + d1) floordiv 2 * 20 + (d1 mod 2) * 10 + d2) floordiv 100, "
    "(((d0 * 10 + d1) floordiv 2 * 20 + (d1 mod 2) * 10 + d2) floordiv 10) mod 10, "
    "((d1 mod 2) * 10 + d2) mod 10), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]";

void Warm(benchmark::State& state, const char* text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const IndexingMap map = ParseIndexingMap(text, &context).value();
  for (auto _ : state) benchmark::DoNotOptimize(Simplify(map));
}

// By a clock of its own: pausing the benchmark's takes as long as a small map.
void Cold(benchmark::State& state, const char* text) {
  using Clock = std::chrono::steady_clock;
  for (auto _ : state) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    const IndexingMap map = ParseIndexingMap(text, &context).value();
    const Clock::time_point start = Clock::now();
    const IndexingMap simplified = Simplify(map);
    const Clock::time_point end = Clock::now();
    benchmark::DoNotOptimize(simplified.affine_map());
    state.SetIterationTime(std::chrono::duration<double>(end - start).count());
  }
}

// An iteration of Cold takes 15 to 70 times as long as what it measures.
constexpr int kColdIterations = 3000;

#define SIMPLIFY_BENCHMARK(name)          \
  BENCHMARK_CAPTURE(Warm, name, k##name); \
  BENCHMARK_CAPTURE(Cold, name, k##name)->UseManualTime()->Iterations(kColdIterations)

SIMPLIFY_BENCHMARK(Digits);
SIMPLIFY_BENCHMARK(Chain100);
SIMPLIFY_BENCHMARK(Chain16);
SIMPLIFY_BENCHMARK(Negative);
SIMPLIFY_BENCHMARK(ComposedReshape);

}  // namespace
}  // namespace hlo_indexing::bench
