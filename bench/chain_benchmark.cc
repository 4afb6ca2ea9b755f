// How the cost of an analysis and of Simplify grows with the length of a chain: n reshapes, n
// windows of windows, n slices of slices, n nested divisions. `per_step` is the time of one step;
// it stays the same where the cost is linear.
#include <benchmark/benchmark.h>

#include <random>

#include "bench/worst_inputs.h"
#include "hlo/parser/parser.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::bench {
namespace {

using indexing_analysis::AnalysisOptions;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::OutputIndexing;
using Sizes = std::vector<int64_t>;

// Every benchmark of one length runs on the same chain.
constexpr uint64_t kSeed = 24;

class Choices {
 public:
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  int64_t Pick(const Sizes& values) {
    return values[static_cast<size_t>(Between(0, static_cast<int64_t>(values.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_{kSeed};
};

void ReportSteps(benchmark::State& state) {
  state.counters["per_step"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// The one map of the module's root.
IndexingMap MapOfRoot(const hlo::Module& module, IndexingAnalysis& analysis) {
  const OutputIndexing indexing = analysis.OutputToInput(module.entry().root(), 0);
  const bool has_map = !indexing.operands().empty() && !indexing.operands()[0].maps().empty();
  return has_map ? indexing.operands()[0].maps().front().map : IndexingMap();
}

// Composing and simplifying the map of a chain, with nothing remembered from before.
void MapOfChain(benchmark::State& state, int64_t total, ChainSteps steps) {
  const auto module = hlo::ParseModule(ReshapeChain(state.range(0), total, steps));
  if (!module.ok()) {
    state.SkipWithError(std::string(module.status().message()).c_str());
    return;
  }
  for (auto _ : state) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    IndexingAnalysis analysis(&context);
    benchmark::DoNotOptimize(MapOfRoot(**module, analysis));
  }
  ReportSteps(state);
}

// A fusion of n instructions `r1`, `r2` and so on, each on the last one; `step` writes the lines of
// one of them. Parameter 2 is s32[].
template <typename Step>
std::string FusionOfSteps(int64_t length, Step step) {
  const std::string parameters =
      "  r0 = f32[1000] parameter(0)\n  z = f32[] parameter(1)\n  i0 = s32[] parameter(2)\n";
  std::string text =
      "HloModule steps\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(a, b)\n}\nf {\n" +
      parameters + "  one = s32[] constant(1)\n";
  for (int64_t i = 1; i <= length; ++i) {
    text += step(std::to_string(i), std::to_string(i - 1));
  }
  return text + "  ROOT n = f32[1000] negate(r" + std::to_string(length) + ")\n}\nENTRY e {\n" +
         parameters + "  ROOT c = f32[1000] fusion(r0, z, i0), kind=kLoop, calls=f\n}\n";
}

// The index of element n has n range variables, up to the limit of an access.
std::string ReduceWindows(int64_t length) {
  return FusionOfSteps(length, [](const std::string& number, const std::string& before) {
    return "  r" + number + " = f32[1000] reduce-window(r" + before +
           ", z), window={size=3 pad=1_1}, to_apply=add\n";
  });
}

// The index of element n has n runtime values, up to the limit of an access.
std::string DynamicSlicesAndPads(int64_t length) {
  return FusionOfSteps(length, [](const std::string& number, const std::string& before) {
    return "  i" + number + " = s32[] add(i" + before + ", one)\n  s" + number +
           " = f32[990] dynamic-slice(r" + before + ", i" + number +
           "), dynamic_slice_sizes={990}\n  r" + number + " = f32[1000] pad(s" + number +
           ", z), padding=5_5\n";
  });
}

// Both directions of such a fusion, with nothing remembered from before.
void MapsOfSteps(benchmark::State& state, std::string (*text)(int64_t length)) {
  const auto module = hlo::ParseModule(text(state.range(0)));
  if (!module.ok()) {
    state.SkipWithError(std::string(module.status().message()).c_str());
    return;
  }
  const hlo::Instruction& root = (*module)->entry().root();
  for (auto _ : state) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    IndexingAnalysis analysis(&context);
    benchmark::DoNotOptimize(analysis.OutputToInput(root, 0));
    benchmark::DoNotOptimize(analysis.InputToOutput(root, 0));
  }
  ReportSteps(state);
}

// Simplifying the composed map of a chain, as composition leaves it.
void SimplifyChain(benchmark::State& state, int64_t total, ChainSteps steps) {
  const auto module = hlo::ParseModule(ReshapeChain(state.range(0), total, steps));
  if (!module.ok()) {
    state.SkipWithError(std::string(module.status().message()).c_str());
    return;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  AnalysisOptions options;
  options.simplification = AnalysisOptions::Simplification::kNone;
  IndexingAnalysis analysis(&context, options);
  const IndexingMap map = MapOfRoot(**module, analysis);
  if (map.IsUnknown()) {
    state.SkipWithError("the composed map is too long to be written");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(Simplify(map));
  state.counters["characters"] = static_cast<double>(Simplify(map).ToString().size());
}

enum class Boundaries : uint8_t { kAligned, kUnaligned };

// `depth` steps of a shift register of 20 bits, as e floordiv 2 + (d mod 2) * 2^19, or of steps
// like ((e * 5 + d) floordiv 7 + 3) mod 1009; d is one of four variables in turn.
IndexingMap NestedDivisions(int64_t depth, Boundaries boundaries, mlir::MLIRContext* context) {
  constexpr unsigned kVariables = 4;
  Choices choices;
  mlir::AffineExpr expression = mlir::getAffineConstantExpr(0, context);
  for (int64_t i = 0; i < depth; ++i) {
    const auto d = mlir::getAffineDimExpr(static_cast<unsigned>(i % kVariables), context);
    if (boundaries == Boundaries::kAligned) {
      const int64_t bit = int64_t{1} << choices.Between(0, 9);
      expression = expression.floorDiv(2) + (d.floorDiv(bit) % 2) * (int64_t{1} << 19);
    } else {
      const int64_t factor = choices.Pick({3, 5, 11, 13});
      const int64_t divisor = choices.Pick({7, 9, 10, 17});
      const int64_t modulus = choices.Pick({1009, 1013, 1019, 1021});
      expression = ((expression * factor + d).floorDiv(divisor) + choices.Between(1, 99)) % modulus;
    }
  }
  const Sizes sizes(kVariables, 1024);
  return IndexingMap::FromSizes(mlir::AffineMap::get(kVariables, 0, expression, context), sizes);
}

void SimplifyNested(benchmark::State& state, Boundaries boundaries) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const IndexingMap map = NestedDivisions(state.range(0), boundaries, &context);
  for (auto _ : state) benchmark::DoNotOptimize(Simplify(map));
  ReportSteps(state);
  state.counters["characters"] = static_cast<double>(Simplify(map).ToString().size());
}

#define CURVE(function, name, ...)               \
  BENCHMARK_CAPTURE(function, name, __VA_ARGS__) \
      ->Arg(10)                                  \
      ->Arg(30)                                  \
      ->Arg(100)                                 \
      ->Arg(300)                                 \
      ->Arg(1000)                                \
      ->Unit(benchmark::kMicrosecond)

CURVE(MapOfChain, Reshapes, kAlignedTotal, ChainSteps::kReshapes);
CURVE(MapOfChain, ReshapesAndTransposes, kAlignedTotal, ChainSteps::kReshapesAndTransposes);
CURVE(MapOfChain, UnalignedReshapes, kUnalignedTotal, ChainSteps::kReshapes);
CURVE(MapOfChain, UnalignedReshapesAndTransposes, kUnalignedTotal,
      ChainSteps::kReshapesAndTransposes);
CURVE(MapsOfSteps, ReduceWindows, ReduceWindows);
CURVE(MapsOfSteps, DynamicSlicesAndPads, DynamicSlicesAndPads);
CURVE(SimplifyChain, Reshapes, kAlignedTotal, ChainSteps::kReshapes);
CURVE(SimplifyChain, ReshapesAndTransposes, kAlignedTotal, ChainSteps::kReshapesAndTransposes);
CURVE(SimplifyChain, UnalignedReshapesAndTransposes, kUnalignedTotal,
      ChainSteps::kReshapesAndTransposes);
CURVE(SimplifyNested, Aligned, Boundaries::kAligned);
CURVE(SimplifyNested, Unaligned, Boundaries::kUnaligned);

}  // namespace
}  // namespace hlo_indexing::bench
