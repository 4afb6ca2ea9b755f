// Bytes that choose a small map: simplifying it, its inverse and its image against enumeration of
// all its points.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <vector>

#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/maps/inverse.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/property/map_points.h"
#include "tests/property/random_map.h"

namespace {

using hlo_indexing::indexing_analysis::Image;
using hlo_indexing::indexing_analysis::IndexingMap;
using hlo_indexing::indexing_analysis::ParseIndexingMap;
using hlo_indexing::testing::CountPoints;
using hlo_indexing::testing::ForEachPoint;

constexpr int64_t kMaxPoints = 20000;

void Require(bool condition, const char* what, const IndexingMap& map, const IndexingMap& result) {
  if (condition) return;
  llvm::errs() << what << "\n" << map.ToString() << "\n" << result.ToString() << "\n";
  std::abort();
}

using Point = std::vector<int64_t>;
using Relation = std::set<std::pair<Point, Point>>;

Relation RelationOf(const IndexingMap& map) {
  Relation relation;
  ForEachPoint(map, [&](llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) {
    if (!map.DomainContains(dimensions, symbols)) return;
    const auto results = map.Evaluate(dimensions, symbols);
    relation.insert({dimensions.vec(), Point(results->begin(), results->end())});
  });
  return relation;
}

// The number of points, after comparing each with what it was before.
int64_t ComparePoints(const IndexingMap& map, const IndexingMap& simplified) {
  int64_t points = 0;
  ForEachPoint(map, [&](llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols) {
    const bool inside = map.DomainContains(dimensions, symbols);
    Require(inside == simplified.DomainContains(dimensions, symbols), "the domain has changed", map,
            simplified);
    if (!inside) return;
    ++points;
    Require(map.Evaluate(dimensions, symbols) == simplified.Evaluate(dimensions, symbols),
            "a value has changed", map, simplified);
  });
  return points;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  hlo_indexing::testing::Random random(std::vector<uint8_t>(data, data + size));
  const IndexingMap map =
      ParseIndexingMap(hlo_indexing::testing::RandomMap(random), &context).value();
  const IndexingMap simplified = Simplify(map);
  const int64_t points = ComparePoints(map, simplified);
  Require(points > 0 || simplified.IsKnownEmpty(), "an empty domain is not seen", map, simplified);
  Require(Simplify(simplified) == simplified, "is not idempotent", map, simplified);
  const Relation relation = RelationOf(map);
  const std::optional<Image> image = ImageOf(map);
  std::set<Point> values;
  for (const auto& pair : relation) values.insert(pair.second);
  Require(image->points.IsExact() && image->points.lower == points, "wrong count", map, simplified);
  Require(image->size.IsExact() && image->size.lower == static_cast<int64_t>(values.size()),
          "wrong image", map, simplified);
  const absl::StatusOr<IndexingMap> inverse = Inverse(map);
  Require(inverse.ok(), "no inverse", map, simplified);
  if (CountPoints(*inverse) > kMaxPoints) return 0;
  Relation swapped;
  for (const auto& [a, b] : RelationOf(*inverse)) swapped.insert({b, a});
  Require(swapped == relation, "wrong inverse", map, *inverse);
  return 0;
}
