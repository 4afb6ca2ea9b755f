// How the cost of an analysis and of Simplify grows with the length of a chain: n reshapes, n
// nested divisions. `per_step` is the time of one step; it stays the same where the cost is linear.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "hlo/parser.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/indexing_map.h"
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

// Divisible by powers of 2 only, so every boundary divides the next.
constexpr int64_t kAlignedTotal = int64_t{1} << 24;
// About as many elements, of 18 prime factors: boundaries rarely divide each other.
constexpr int64_t kUnalignedTotal = int64_t{8} * 81 * 25 * 7 * 11 * 13;

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

// Up to 5 sizes, with the prime factors of `total` dealt out among them.
Sizes RandomSizes(Choices& choices, int64_t total) {
  Sizes sizes(static_cast<size_t>(choices.Between(1, 5)), 1);
  for (int64_t prime = 2; total > 1; ++prime) {
    for (; total % prime == 0; total /= prime) {
      sizes[static_cast<size_t>(choices.Between(0, static_cast<int64_t>(sizes.size()) - 1))] *=
          prime;
    }
  }
  return sizes;
}

std::string Shape(const Sizes& sizes) {
  std::string text;
  for (const int64_t size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
  return "f32[" + text + "]";
}

enum class Steps : uint8_t { kReshapes, kReshapesAndTransposes };

// A call of `length` random reshapes of `total` elements, the dimensions of each result reversed
// where transposes are asked for.
std::string ReshapeChain(int64_t length, int64_t total, Steps steps) {
  Choices choices;
  Sizes sizes = RandomSizes(choices, total);
  const std::string first = Shape(sizes);
  std::string body = "  v0 = " + first + " parameter(0)\n";
  int64_t count = 0;
  const auto line = [&](const std::string& operation) {
    const std::string operand = "(v" + std::to_string(count++) + ")";
    const size_t place = operation.find(' ');
    const std::string opcode = operation.substr(0, place);
    const std::string attributes = place == std::string::npos ? "" : operation.substr(place);
    body += "  v" + std::to_string(count) + " = " + Shape(sizes) + " " + opcode + operand +
            attributes + "\n";
  };
  for (int64_t i = 0; i < length; ++i) {
    sizes = RandomSizes(choices, total);
    line("reshape");
    if (steps == Steps::kReshapes) continue;
    std::reverse(sizes.begin(), sizes.end());
    std::string order;
    for (size_t d = sizes.size(); d-- > 0;) order += (order.empty() ? "" : ",") + std::to_string(d);
    line("transpose , dimensions={" + order + "}");
  }
  return "chain {\n" + body + "}\nENTRY e {\n  p = " + first +
         " parameter(0)\n  ROOT f = " + Shape(sizes) + " call(p), to_apply=chain\n}\n";
}

void ReportSteps(benchmark::State& state) {
  state.counters["per_step"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// The one map of the module's root.
IndexingMap MapOfRoot(const hlo::Module& module, IndexingAnalysis& analysis) {
  const OutputIndexing indexing = analysis.OutputToInput(module.entry().root(), 0);
  const bool has_map = !indexing.operands().empty() && indexing.operands()[0].maps != nullptr &&
                       !indexing.operands()[0].maps->empty();
  return has_map ? indexing.operands()[0].maps->front() : IndexingMap();
}

// Composing and simplifying the map of a chain, with nothing remembered from before.
void MapOfChain(benchmark::State& state, int64_t total, Steps steps) {
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

// Simplifying the composed map of a chain, as composition leaves it.
void SimplifyChain(benchmark::State& state, int64_t total, Steps steps) {
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

CURVE(MapOfChain, Reshapes, kAlignedTotal, Steps::kReshapes);
CURVE(MapOfChain, ReshapesAndTransposes, kAlignedTotal, Steps::kReshapesAndTransposes);
CURVE(MapOfChain, UnalignedReshapes, kUnalignedTotal, Steps::kReshapes);
CURVE(MapOfChain, UnalignedReshapesAndTransposes, kUnalignedTotal, Steps::kReshapesAndTransposes);
CURVE(SimplifyChain, Reshapes, kAlignedTotal, Steps::kReshapes);
CURVE(SimplifyChain, ReshapesAndTransposes, kAlignedTotal, Steps::kReshapesAndTransposes);
CURVE(SimplifyChain, UnalignedReshapesAndTransposes, kUnalignedTotal,
      Steps::kReshapesAndTransposes);
CURVE(SimplifyNested, Aligned, Boundaries::kAligned);
CURVE(SimplifyNested, Unaligned, Boundaries::kUnaligned);

}  // namespace
}  // namespace hlo_indexing::bench
