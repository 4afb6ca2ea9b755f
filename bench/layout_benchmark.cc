// Positions of elements in tiled arrays, and what is computed once for a layout.
#include <benchmark/benchmark.h>

#include <array>
#include <random>
#include <vector>

#include "layout/relayout.h"
#include "layout/tiled_layout.h"
#include "simplifier/digit_context.h"

namespace hlo_indexing::bench {
namespace {

using layout::Layout;
using layout::ParseLayout;
using layout::TiledLayout;

constexpr char kTwoLevels[] = "{1,0:T(8,128)(2,1)}";
// No boundary divides another.
constexpr char kUnaligned[] = "{1,0:T(3,5)(2,7)}";

TiledLayout Make(const char* layout) {
  return TiledLayout::Create({4000, 5000}, 16, ParseLayout(layout).value()).value();
}

// So many that neither branches nor positions repeat, so few that they stay in the cache.
constexpr size_t kNumIndices = 1024;

void PositionOf(benchmark::State& state, const char* text) {
  const TiledLayout layout = Make(text);
  std::mt19937 random(1);
  std::vector<std::array<int64_t, 2>> indices(kNumIndices);
  for (auto& index : indices) {
    index = {static_cast<int64_t>(random() % 4000), static_cast<int64_t>(random() % 5000)};
  }
  for (auto _ : state) {
    for (const auto& index : indices) benchmark::DoNotOptimize(layout.Position(index));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kNumIndices));
}
BENCHMARK_CAPTURE(PositionOf, TwoLevels, kTwoLevels);
BENCHMARK_CAPTURE(PositionOf, Unaligned, kUnaligned);

void ElementAt(benchmark::State& state, const char* text) {
  const TiledLayout layout = Make(text);
  std::mt19937 random(1);
  std::vector<int64_t> positions(kNumIndices);
  for (int64_t& position : positions) {
    position = static_cast<int64_t>(random()) % layout.num_positions();
  }
  for (auto _ : state) {
    for (const int64_t position : positions) benchmark::DoNotOptimize(layout.IndexAt(position));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kNumIndices));
}
BENCHMARK_CAPTURE(ElementAt, TwoLevels, kTwoLevels);
BENCHMARK_CAPTURE(ElementAt, Unaligned, kUnaligned);

void CreateTiledLayout(benchmark::State& state, const char* text) {
  const Layout layout = ParseLayout(text).value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(TiledLayout::Create({4000, 5000}, 16, layout));
  }
}
BENCHMARK_CAPTURE(CreateTiledLayout, TwoLevels, kTwoLevels);
BENCHMARK_CAPTURE(CreateTiledLayout, Unaligned, kUnaligned);

// Everything about a copy from row-major to tiled: the map, whether it is a bitcast, the runs.
void Relayout(benchmark::State& state) {
  const TiledLayout from = Make("{1,0}");
  const TiledLayout to = Make("{1,0:T(8,128)}");
  for (auto _ : state) {
    simplifier::DigitContext context;
    const auto source = PositionsOf(context, from);
    const auto target = PositionsOf(context, to);
    benchmark::DoNotOptimize(RelayoutMap(context, source, target));
    benchmark::DoNotOptimize(IsBitcast(context, from.dimensions(), source, target));
    benchmark::DoNotOptimize(FindContiguousMoves(context, from.dimensions(), source, target));
  }
}
BENCHMARK(Relayout)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hlo_indexing::bench
