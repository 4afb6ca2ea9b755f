// The slowest Simplify of many maps that were made to be slow, of at most 1,000 nodes each.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "indexing_analysis/maps/indexing_map.h"
#include "mlir/IR/MLIRContext.h"

namespace hlo_indexing::bench {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::MapConstraint;
using indexing_analysis::Variable;
using mlir::AffineExpr;

constexpr int kMaxNodes = 1000;

// Written out as a tree.
int NumNodes(AffineExpr expression) {
  const auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expression);
  return binary ? 1 + NumNodes(binary.getLHS()) + NumNodes(binary.getRHS()) : 1;
}

class HostileMaps {
 public:
  HostileMaps(uint64_t seed, mlir::MLIRContext* context) : engine_(seed), context_(context) {}

  IndexingMap Make() {
    dimensions_.clear();
    const int64_t num_dimensions = Between(1, 5);
    for (int64_t i = 0; i < num_dimensions; ++i) {
      const int64_t lower = Between(0, 3) == 0 ? -Between(0, 50) : 0;
      const int64_t largest[] = {5, 200, 100'000};
      dimensions_.push_back({{lower, lower + Between(1, largest[Between(0, 2)])}, ""});
    }
    std::vector<AffineExpr> results;
    std::vector<MapConstraint> constraints;
    int nodes = 0;
    const int64_t kind = Between(0, 4);
    const int64_t wanted = Between(100, kMaxNodes);
    for (int64_t parts = Between(1, 4); parts > 0; --parts) {
      const AffineExpr part = Part(kind, static_cast<int>(wanted / parts) - nodes);
      if (nodes + NumNodes(part) > kMaxNodes) continue;
      nodes += NumNodes(part);
      if (results.empty() || Between(0, 1) == 0) {
        results.push_back(part);
      } else {
        constraints.push_back({part, Bounds()});
      }
    }
    for (int64_t i = Between(0, 8); i > 0; --i) {
      const AffineExpr tree = Tree(3);
      if (nodes + NumNodes(tree) > kMaxNodes) continue;
      nodes += NumNodes(tree);
      constraints.push_back({tree, Bounds()});
    }
    const auto num_dims = static_cast<unsigned>(num_dimensions);
    return IndexingMap(mlir::AffineMap::get(num_dims, 0, results, context_), dimensions_, {}, {},
                       constraints);
  }

 private:
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  simplifier::Interval Bounds() {
    const int64_t lower = Between(-20, 100);
    return {lower, lower + Between(0, 60)};
  }
  AffineExpr Dimension() {
    const auto last = static_cast<int64_t>(dimensions_.size()) - 1;
    return mlir::getAffineDimExpr(static_cast<unsigned>(Between(0, last)), context_);
  }
  uint64_t Divisor() {
    const uint64_t divisors[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 30, 60, 64, 100, 128, 1009};
    return divisors[Between(0, 16)];
  }

  AffineExpr Tree(int depth) {
    if (depth <= 0) return Dimension();
    switch (Between(0, 5)) {
      case 0:
        return Tree(depth - 1).floorDiv(Divisor());
      case 1:
        return Tree(depth - 1) % Divisor();
      case 2:
        return Tree(depth - 1).ceilDiv(Divisor());
      default:
        return Tree(depth - 1) + Tree(depth - 2) * Between(-3, 9);
    }
  }

  // Of about so many nodes.
  AffineExpr Part(int64_t kind, int nodes) {
    AffineExpr sum = Dimension();
    AffineExpr inner = Dimension();
    for (size_t i = 0; i < dimensions_.size(); ++i) inner = inner + Dimension() * Between(1, 500);
    while (NumNodes(sum) < nodes) {
      switch (kind) {
        case 0:  // Nested divisions.
          sum = (sum * Between(2, 9) + Dimension()).floorDiv(Divisor()) + Between(-5, 50);
          if (Between(0, 1) == 0) sum = sum % Divisor();
          break;
        case 1:  // Digits of few variables, cut everywhere.
          sum = sum + Digit(Dimension()) * Between(-50, 50);
          break;
        case 2:  // Digits of one sum.
          sum = sum + Digit(inner * Between(1, 5)) * Between(-50, 50);
          break;
        case 3:
          sum = sum + Tree(5) * Between(-9, 9);
          break;
        default:  // Twice as long in each step.
          if (2 * NumNodes(sum) > nodes) return sum;
          sum = sum % Divisor() * Between(1, 100) + sum.floorDiv(Divisor()) + Dimension();
      }
    }
    return sum;
  }
  AffineExpr Digit(AffineExpr expression) {
    const auto low = static_cast<uint64_t>(Between(1, 300));
    return expression.floorDiv(low) % static_cast<uint64_t>(Between(2, 300));
  }

  std::mt19937_64 engine_;
  mlir::MLIRContext* context_;
  std::vector<Variable> dimensions_;
};

// What the thread has worked, so that a busy machine does not look like a slow map.
double MillisecondsOfThread() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

void SimplifyHostile(benchmark::State& state) {
  constexpr int kMaps = 10'000;
  double slowest = 0;
  for (auto _ : state) {
    for (int seed = 0; seed < kMaps; ++seed) {
      mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
      const IndexingMap map = HostileMaps(static_cast<uint64_t>(seed), &context).Make();
      const double start = MillisecondsOfThread();
      benchmark::DoNotOptimize(Simplify(map).affine_map());
      slowest = std::max(slowest, MillisecondsOfThread() - start);
    }
  }
  state.counters["slowest_ms"] = slowest;
}

BENCHMARK(SimplifyHostile)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace hlo_indexing::bench
