// Maps whose variables reach the ends of the 64-bit range: simplifying neither adds nor drops a
// point at which the expressions that were given have values in 64 bits, nor changes a result.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "indexing_analysis/maps/indexing_map.h"
#include "mlir/IR/MLIRContext.h"
#include "support/checked_math.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_map.h"

namespace hlo_indexing::testing {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::ParseIndexingMap;
using simplifier::Interval;
using support::kInt64Max;
using support::kInt64Min;
using Wide = __int128;

class EdgeMaps {
 public:
  explicit EdgeMaps(Random& random) : random_(random) {}

  /// Boxes at the ends of the range, around them, and as wide as it.
  std::vector<Interval> Boxes() {
    std::vector<Interval> boxes(static_cast<size_t>(random_.Between(1, 2)));
    for (Interval& box : boxes) {
      const int64_t inset = random_.Between(0, 20);
      const int64_t width = random_.Between(0, 40);
      switch (random_.Between(0, 4)) {
        case 0:
          box = {kInt64Min + inset, kInt64Min + inset + width};
          break;
        case 1:
          box = {kInt64Max - inset - width, kInt64Max - inset};
          break;
        case 2:
          box = {kInt64Min + inset / 8, kInt64Max - width / 16};
          break;
        case 3:
          box = {kInt64Min / 2 - inset, kInt64Max / 2 + width};
          break;
        default:
          box = {-inset, width};
      }
    }
    return boxes;
  }

  std::string Expression(size_t num_variables, int depth) {
    const int64_t choice = depth == 0 ? 0 : random_.Between(0, 9);
    if (choice <= 1) {
      return "d" + std::to_string(random_.Between(0, static_cast<int64_t>(num_variables) - 1));
    }
    const std::string lhs = "(" + Expression(num_variables, depth - 1) + ")";
    if (choice <= 4) return lhs + " floordiv " + std::to_string(Factor());
    if (choice <= 6) {
      return lhs + " mod " + std::to_string(std::max(std::abs(Factor()), int64_t{1}));
    }
    if (choice <= 8) return lhs + " + (" + Expression(num_variables, depth - 1) + ")";
    return lhs + (random_.Between(0, 1) == 0 ? " * " : " + ") + std::to_string(Factor());
  }

  int64_t Value(Interval box) {
    const uint64_t width = static_cast<uint64_t>(box.upper) - static_cast<uint64_t>(box.lower);
    const auto near_end = static_cast<int64_t>(std::min<uint64_t>(width, 30));
    switch (random_.Between(0, 2)) {
      case 0:
        return box.lower + random_.Between(0, near_end);
      case 1:
        return box.upper - random_.Between(0, near_end);
      default:
        // Anywhere.
        return static_cast<int64_t>(static_cast<uint64_t>(box.lower) +
                                    static_cast<uint64_t>(random_.Between(0, kInt64Max)) %
                                        (width == UINT64_MAX ? width : width + 1));
    }
  }

 private:
  int64_t Factor() {
    static constexpr int64_t kSmall[] = {2, 3, 5, 7, 14, -2, -3, -7};
    static constexpr int64_t kLarge[] = {kInt64Max,     kInt64Max - 1,    kInt64Max / 2,
                                         kInt64Max / 4, -(kInt64Max / 2), 2489140228672610173};
    if (random_.Between(0, 1) == 0) return kSmall[random_.Between(0, 7)];
    return kLarge[random_.Between(0, 5)];
  }

  Random& random_;
};

// The value of an expression whose parts stay below `limit`; nothing where they do not.
std::optional<Wide> ValueOf(mlir::AffineExpr expression, llvm::ArrayRef<int64_t> point,
                            Wide limit) {
  if (const auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expression)) {
    return constant.getValue();
  }
  if (const auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(expression)) {
    return point[dimension.getPosition()];
  }
  const auto binary = llvm::cast<mlir::AffineBinaryOpExpr>(expression);
  const std::optional<Wide> lhs = ValueOf(binary.getLHS(), point, limit);
  const std::optional<Wide> rhs = ValueOf(binary.getRHS(), point, limit);
  if (!lhs || !rhs) return std::nullopt;
  Wide value = 0;
  switch (binary.getKind()) {
    case mlir::AffineExprKind::Add:
      value = *lhs + *rhs;
      break;
    case mlir::AffineExprKind::Mul:
      if (__builtin_mul_overflow(*lhs, *rhs, &value)) return std::nullopt;
      break;
    default: {
      if (*rhs == 0) return std::nullopt;
      const Wide quotient = *lhs / *rhs - ((*lhs % *rhs != 0 && (*lhs < 0) != (*rhs < 0)) ? 1 : 0);
      value =
          binary.getKind() == mlir::AffineExprKind::FloorDiv ? quotient : *lhs - quotient * *rhs;
    }
  }
  if (value >= limit || value < -limit) return std::nullopt;
  return value;
}

constexpr Wide k64Bits = Wide{1} << 63;
constexpr Wide kAlmostAll = Wide{1} << 125;

bool IsWithin(Wide value, Interval bounds) {
  return (bounds.lower == kInt64Min || value >= bounds.lower) &&
         (bounds.upper == kInt64Max || value <= bounds.upper);
}

// Nothing where a constraint has no value.
std::optional<bool> Contains(const IndexingMap& map, llvm::ArrayRef<int64_t> point, Wide limit) {
  if (map.IsKnownEmpty()) return false;
  for (size_t i = 0; i < point.size(); ++i) {
    if (!IsWithin(point[i], map.dimensions()[i].bounds)) return false;
  }
  for (const auto& constraint : map.constraints()) {
    const std::optional<Wide> value = ValueOf(constraint.expression, point, limit);
    if (!value) return std::nullopt;
    if (!IsWithin(*value, constraint.bounds)) return false;
  }
  return true;
}

TEST(EdgeMaps, KeepDomainAndValues) {
  const int num_maps = NumCases("HLO_INDEXING_RANDOM_MAPS", 20000) / 4;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Random random(63);
  EdgeMaps generator(random);
  int64_t compared = 0;
  for (int i = 0; i < num_maps && !HasFailure(); ++i) {
    const std::vector<Interval> boxes = generator.Boxes();
    const std::string constraint = generator.Expression(boxes.size(), 3);
    std::string dimensions;
    std::string domain;
    std::vector<int64_t> point;
    for (size_t d = 0; d < boxes.size(); ++d) {
      const std::string name = "d" + std::to_string(d);
      dimensions += (d == 0 ? "" : ", ") + name;
      domain += name + " in [" + std::to_string(boxes[d].lower) + ", " +
                std::to_string(boxes[d].upper) + "], ";
      point.push_back(generator.Value(boxes[d]));
    }
    const std::string header = "(" + dimensions + ") -> (" + generator.Expression(boxes.size(), 2) +
                               "), domain: " + domain + constraint;
    // Bounds at a value that the constraint has.
    const auto unbounded = ParseIndexingMap(
        header + " in [" + std::to_string(kInt64Min) + ", " + std::to_string(kInt64Max) + "]",
        &context);
    if (!unbounded.ok() || unbounded->constraints().empty()) continue;
    const auto value = ValueOf(unbounded->constraints()[0].expression, point, k64Bits);
    if (!value) continue;
    const auto lower = static_cast<int64_t>(*value);
    const int64_t upper = lower > kInt64Max - 2 ? lower : lower + random.Between(0, 2);
    const std::string text =
        header + " in [" + std::to_string(lower) + ", " + std::to_string(upper) + "]";
    SCOPED_TRACE(text);
    const auto map = ParseIndexingMap(text, &context);
    ASSERT_TRUE(map.ok()) << map.status().message();
    const IndexingMap simplified = Simplify(*map);
    SCOPED_TRACE(simplified.ToString());
    for (int k = 0; k < 30; ++k) {
      if (k > 0) {
        for (size_t d = 0; d < boxes.size(); ++d) point[d] = generator.Value(boxes[d]);
      }
      const std::optional<bool> contained = Contains(*map, point, k64Bits);
      if (!contained) continue;
      const std::optional<bool> still_contained = Contains(simplified, point, kAlmostAll);
      if (!still_contained) continue;
      ++compared;
      ASSERT_EQ(*contained, *still_contained) << ::testing::PrintToString(point);
      if (!*contained) continue;
      const auto before = ValueOf(map->affine_map().getResult(0), point, k64Bits);
      const auto after = ValueOf(simplified.affine_map().getResult(0), point, kAlmostAll);
      if (!before || !after) continue;
      ASSERT_TRUE(*before == *after) << ::testing::PrintToString(point);
    }
  }
  EXPECT_GT(compared, int64_t{10} * num_maps);
}

}  // namespace
}  // namespace hlo_indexing::testing
