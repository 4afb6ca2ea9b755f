// Any bytes as an indexing map: what parses prints to text that parses back, and simplifying is
// idempotent and keeps the values and the domain at a few points.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "indexing_analysis/maps/equality.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"

namespace {

using hlo_indexing::indexing_analysis::Answer;
using hlo_indexing::indexing_analysis::IndexingMap;
using hlo_indexing::indexing_analysis::Interval;
using hlo_indexing::indexing_analysis::ParseIndexingMap;

void Require(bool condition, const char* what, const IndexingMap& map) {
  if (condition) return;
  llvm::errs() << what << "\n" << map.ToString() << "\n" << Simplify(map).ToString() << "\n";
  std::abort();
}

// A value in the bounds, or near them, that depends on `seed`.
int64_t Sample(Interval bounds, uint64_t seed) {
  const uint64_t span = static_cast<uint64_t>(bounds.upper) - static_cast<uint64_t>(bounds.lower);
  const uint64_t offset = span + 1 == 0 ? seed : seed % (span + 1);
  return static_cast<int64_t>(static_cast<uint64_t>(bounds.lower) + offset);
}

void CheckPoint(const IndexingMap& map, const IndexingMap& simplified, uint64_t seed) {
  llvm::SmallVector<int64_t> dimensions;
  llvm::SmallVector<int64_t> symbols;
  const auto next = [&seed] {
    return seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  };
  for (const auto& variable : map.dimensions()) {
    dimensions.push_back(Sample(variable.bounds, next()));
  }
  for (const auto& variable : map.ranges()) symbols.push_back(Sample(variable.bounds, next()));
  for (const auto& variable : map.runtime()) symbols.push_back(Sample(variable.bounds, next()));
  const auto values = map.Evaluate(dimensions, symbols);
  // Where an intermediate value overflows, the map has no value to keep.
  if (!values || !map.DomainContains(dimensions, symbols)) return;
  Require(simplified.DomainContains(dimensions, symbols), "the domain has lost a point", map);
  const auto simplified_values = simplified.Evaluate(dimensions, symbols);
  Require(!simplified_values || *simplified_values == *values, "a value has changed", map);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Expressions are never freed: a context of its own for each input.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto map = ParseIndexingMap({reinterpret_cast<const char*>(data), size}, &context);
  if (!map.ok() || map->IsUnknown()) return 0;
  const auto again = ParseIndexingMap(map->ToString(), &context);
  Require(again.ok() && *again == *map, "does not parse back", *map);
  const IndexingMap simplified = Simplify(*map);
  Require(simplified.Verify().ok(), "does not verify", *map);
  const auto simplified_again = ParseIndexingMap(simplified.ToString(), &context);
  Require(simplified_again.ok() && *simplified_again == simplified, "does not parse back", *map);
  Require(Simplify(simplified) == simplified, "is not idempotent", *map);
  const auto equality = Equal(*map, simplified, {.samples = 16, .max_points = 1024});
  Require(equality.answer != Answer::kNo, "is not equal", *map);
  if (map->IsKnownEmpty()) return 0;
  for (const auto& variable : map->dimensions()) {
    if (variable.bounds.IsEmpty()) return 0;
  }
  for (const auto& variable : map->ranges()) {
    if (variable.bounds.IsEmpty()) return 0;
  }
  for (const auto& variable : map->runtime()) {
    if (variable.bounds.IsEmpty()) return 0;
  }
  for (uint64_t seed = 1; seed <= 16; ++seed) CheckPoint(*map, simplified, seed);
  return 0;
}
