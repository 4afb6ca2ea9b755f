// What holds for all plans, XLA's and ours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/plan/kernel_plan.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "tests/codegen/plan/kernel_fixtures.h"

namespace hlo_indexing::plan {
namespace {

std::string NameOfCase(const ::testing::TestParamInfo<std::tuple<NamedModule, Planner>>& info) {
  const auto& [module, planner] = info.param;
  std::string name = planner == Planner::kOurs ? "Ours_" : "Xla_";
  for (const char c : module.name) {
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return name;
}

class EveryPlan : public ::testing::TestWithParam<std::tuple<NamedModule, Planner>> {
 protected:
  PlannedModule module_{std::get<0>(GetParam()).text};
  absl::StatusOr<KernelPlan> plan_ = module_.Plan(std::get<1>(GetParam()));
};

// Every element of every output is stored by one thread, in one iteration.
TEST_P(EveryPlan, StoresEveryElementOnce) {
  ASSERT_TRUE(plan_.ok()) << plan_.status().message();
  std::map<int64_t, std::map<std::vector<int64_t>, int>> stored;
  for (const ElementPass& pass : plan_->passes) {
    if (pass.store == StoreKind::kNone) continue;
    ASSERT_TRUE(pass.output.has_value());
    ASSERT_FALSE(pass.map.IsUnknown());
    ForEachPoint(pass.map, {},
                 [&](llvm::ArrayRef<int64_t> element) { ++stored[*pass.output][element.vec()]; });
  }
  const hlo::Shape& shape = module_.root().shape();
  ASSERT_EQ(static_cast<int64_t>(stored.size()), shape.num_array_leaves());
  for (const auto& [output, elements] : stored) {
    const hlo::Shape& array = shape.ArrayLeaf(output);
    EXPECT_EQ(static_cast<int64_t>(elements.size()), array.num_elements());
    for (const auto& [element, times] : elements) {
      EXPECT_EQ(times, 1) << ::testing::PrintToString(element);
      for (size_t i = 0; i < element.size(); ++i) {
        EXPECT_GE(element[i], 0);
        EXPECT_LT(element[i], array.sizes()[i]);
      }
    }
  }
}

TEST_P(EveryPlan, LaunchFitsTheMaps) {
  ASSERT_TRUE(plan_.ok()) << plan_.status().message();
  EXPECT_LE(plan_->launch.threads_per_block(), 1024);
  for (const ElementPass& pass : plan_->passes) {
    ASSERT_EQ(pass.map.num_dimensions(), 6U);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_GE(pass.map.dimensions()[i].bounds.lower, 0);
      EXPECT_LT(pass.map.dimensions()[i].bounds.upper, plan_->launch.threads[i]);
      EXPECT_GE(pass.map.dimensions()[3 + i].bounds.lower, 0);
      EXPECT_LT(pass.map.dimensions()[3 + i].bounds.upper, plan_->launch.blocks[i]);
    }
  }
}

// The results of a map, and behind them some of its dimensions.
IndexingMap WithDimensions(const IndexingMap& map, unsigned first, unsigned last) {
  const mlir::AffineMap affine = map.affine_map();
  llvm::SmallVector<mlir::AffineExpr> results(affine.getResults());
  for (unsigned i = first; i <= last; ++i) {
    results.push_back(mlir::getAffineDimExpr(i, map.context()));
  }
  return map.WithResults(
      mlir::AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), results, map.context()));
}

class EveryPlanOfOurs : public EveryPlan {};

// Elements of less than a byte share one: it is written by one thread. Not so by XLA, where the
// operands of a concatenate meet.
TEST_P(EveryPlanOfOurs, WritesWholeBytes) {
  ASSERT_TRUE(plan_.ok()) << plan_.status().message();
  for (const ElementPass& pass : plan_->passes) {
    if (pass.store == StoreKind::kNone) continue;
    const hlo::Shape& shape = pass.instruction->shape().ArrayLeaf(pass.leaf);
    const int64_t bits = shape.StorageBits();
    if (bits >= 8) continue;
    const IndexingMap position = Compose(pass.map, module_.plans().maps.Positions(shape));
    std::map<int64_t, std::set<std::vector<int64_t>>> writers;
    ForEachPoint(WithDimensions(position, kThreadX, kBlockZ), {},
                 [&](llvm::ArrayRef<int64_t> point) {
                   writers[point.front() * bits / 8].insert(point.drop_front().vec());
                 });
    for (const auto& [byte, threads] : writers) EXPECT_EQ(threads.size(), 1U) << byte;
  }
}

// What a block loads from a tile, it has stored there, each element once. Blocks that exchange
// again store all of it again.
TEST_P(EveryPlan, FillsTilesBeforeTheyAreRead) {
  ASSERT_TRUE(plan_.ok()) << plan_.status().message();
  using Element = std::vector<int64_t>;
  for (const SharedTile& tile : plan_->shared_tiles) {
    EXPECT_GT(tile.bytes(), 0);
    // By block.
    std::map<Element, std::set<Element>> stored;
    std::map<Element, std::set<Element>> loaded;
    const auto check_loaded = [&] {
      EXPECT_FALSE(loaded.empty());
      for (const auto& [block, elements] : loaded) {
        EXPECT_TRUE(std::includes(stored[block].begin(), stored[block].end(), elements.begin(),
                                  elements.end()))
            << tile.LayoutText();
      }
    };
    for (const SharedAccess& access : tile.accesses) {
      ASSERT_FALSE(access.index.IsUnknown());
      if (access.is_store && !loaded.empty()) {
        check_loaded();
        stored.clear();
        loaded.clear();
      }
      const IndexingMap with_block = WithDimensions(access.index, kBlockX, kBlockZ);
      ForEachPoint(with_block, {}, [&](llvm::ArrayRef<int64_t> point) {
        const Element block = point.take_back(3).vec();
        const Element element = point.drop_back(3).vec();
        for (size_t i = 0; i < element.size(); ++i) {
          EXPECT_GE(element[i], 0);
          EXPECT_LT(element[i], tile.sizes[i]);
        }
        if (access.is_store) {
          EXPECT_TRUE(stored[block].insert(element).second) << ::testing::PrintToString(element);
        } else {
          loaded[block].insert(element);
        }
      });
    }
    check_loaded();
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryPlan,
                         ::testing::Combine(::testing::ValuesIn(KernelModules()),
                                            ::testing::Values(Planner::kXla, Planner::kOurs)),
                         NameOfCase);
INSTANTIATE_TEST_SUITE_P(Kernels, EveryPlanOfOurs,
                         ::testing::Combine(::testing::ValuesIn(KernelModules()),
                                            ::testing::Values(Planner::kOurs)),
                         NameOfCase);

}  // namespace
}  // namespace hlo_indexing::plan
